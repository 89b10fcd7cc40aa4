"""VSI-SUPER in lmms-eval, whose authors' own evaluation could not be had.

Recall takes the first A to D of the text in capitals, inside of words too. Count takes the first number, and 0 where
there is none.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing

_LETTER = re.compile(r"[A-D]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """A letter for a choice, a number for a number."""
    if item.kind == "choice":
        letter = _LETTER.search(text.upper())
        return ParsedAnswer(letter[0], rule="first letter") if letter else nothing("no A, B, C or D in any word")
    number = _NUMBER.search(text)
    if number is None:
        return ParsedAnswer(0.0, "no number: the released default", assumed=True, rule="default")
    return ParsedAnswer(float(number[0]), span=number.span(), rule="first number")


READER = Reader(
    name="vsi-super",
    title="VSI-SUPER in lmms-eval",
    source="EvolvingLMMs-Lab/lmms-eval, tasks/vsisuper: _normalize_option, _extract_number",
    read=read,
    kinds=("choice", "number"),
)
