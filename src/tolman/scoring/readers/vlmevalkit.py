"""VLMEvalKit's exact matcher, which BLINK, 3DSRBench, All-Angles-Bench and others use without a judge.

A letter by itself must be the only one of the options' in the whole reply and first stand among its last tokens; then
comes "answer is X", then the text of the one option that the reply holds. A refusal, and what isn't found, is 'Z' in
that code, which is always wrong: no answer.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers.found import letter_of
from tolman.scoring.reading import ParsedAnswer, nothing

LAST_TOKENS = 4
_BLANKED = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_DEAD_CALL = "Failed to obtain answer via API"
_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_ANNOUNCED = re.compile(r"(?i)answer\s+is\s+\**([ABCD])")


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The letter of `can_infer`, or none."""
    if _DEAD_CALL not in text:
        if any(refusal in text for refusal in _REFUSALS):
            return nothing("a refusal")
        tokens = text.translate(_BLANKED).split()
        named = set(item.letters).intersection(tokens)
        if len(named) == 1:
            (letter,) = named
            if tokens.index(letter) >= len(tokens) - LAST_TOKENS:
                return ParsedAnswer(letter, rule="the one letter, near the end")
        elif not named and "Z" in tokens:
            return nothing("Z, which stands for no answer")
        announced = _ANNOUNCED.search(text)
        if announced and announced[1].upper() in item.letters:
            return letter_of(announced, "answer is")
    return _read_option_text(item, text.lower())


def _read_option_text(item: Item, lowered: str) -> ParsedAnswer:
    if len(lowered) > 2 * sum(map(len, item.options)):
        return nothing("no letter, and too long to be an option's text")
    held = [letter for letter, option in zip(item.letters, item.options, strict=True) if option.lower() in lowered]
    if len(held) == 1:
        return ParsedAnswer(held[0], rule="text of the one option in the reply")
    return nothing("no letter, and the text of no option" if not held else "the texts of several options")


READER = Reader(
    name="vlmevalkit-exact",
    title="VLMEvalKit, exact matching",
    source="open-compass/VLMEvalKit, vlmeval/utils/matching_util.py, can_infer",
    read=read,
    kinds=("choice",),
)
