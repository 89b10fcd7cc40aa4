"""VSI-Bench's released parser and ReVSI's: the text before the first space, as a letter or as a number.

VSI-Bench's takes the text as it is, so that "(A)", "A)" and " A" are no letters and "A chair …" is A; ReVSI's does not
look at white space around it. ReVSI's authors' code could not be had; lmms-eval's and VLMEvalKit's stand in, which
agree.
"""

from __future__ import annotations

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing


def first_token(text: str) -> str:
    """The text before the first space, without full stops at its end, then without white space around."""
    return text.split(" ", 1)[0].rstrip(".").strip()


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first token as a letter (any case), or as whatever Python's `float` takes."""
    token = first_token(text)
    start = len(text) - len(text.lstrip())
    span = start, start + len(token)
    if item.kind == "choice":
        letter = token.upper()
        if len(letter) == 1 and letter in item.letters:
            return ParsedAnswer(letter, span=span, rule="first token")
        return nothing("first token is no letter")
    try:
        return ParsedAnswer(float(token), span=span, rule="first token")
    except ValueError:
        return nothing("first token is no number")


def read_stripped(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The same, without white space around the text."""
    bare = text.strip()
    found = read(item, bare, seed)
    if found.span is None:
        return found
    start = text.find(bare) if bare else 0
    return ParsedAnswer(found.value, span=(start + found.span[0], start + found.span[1]), rule=found.rule)


READERS = (
    Reader(
        name="vsi-bench",
        title="VSI-Bench, the authors' parser",
        source="vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/utils.py, fuzzy_matching and to_float",
        read=read,
        kinds=("choice", "number"),
    ),
    Reader(
        name="revsi",
        title="ReVSI, first token",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/revsi/utils.py; open-compass/VLMEvalKit, dataset/revsi.py",
        read=read_stripped,
        kinds=("choice", "number"),
    ),
)
