"""CV-Bench's released parser: the first character behind the last announcement, as a letter or as an option's text.

What an option's text is compared with is one character, so that texts of several characters are never matched.
"""

from __future__ import annotations

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing

_ANNOUNCEMENTS = ("answer is", "answer is:", "answer:")


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The option of the first character of what is left when announcements and a parenthesis are taken off."""
    rest = text.lower().strip()
    for announcement in _ANNOUNCEMENTS:
        rest = rest.rpartition(announcement)[2]
    first = rest.strip().rstrip(".:,").lstrip("(").rstrip(")")[:1]
    letter = first.upper()
    if first.isalpha() and letter in item.letters:
        return ParsedAnswer(letter, rule="first character is a letter")
    for letter, option in zip(item.letters, item.options, strict=True):
        if first and option == first:
            return ParsedAnswer(letter, rule="first character is an option")
    return nothing("the reply doesn't begin with an option's letter")


READER = Reader(
    name="cambrian",
    title="CV-Bench, the authors' parser",
    source="cambrian-mllm/cambrian, eval/eval/omni/omni_test.py, extract_mcq_answer and compute_metrics",
    read=read,
    kinds=("choice",),
)
