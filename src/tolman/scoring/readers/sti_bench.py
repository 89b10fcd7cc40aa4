"""STI-Bench's released parser: the first match of the first of six patterns that has one, in any case.

Where none has, the released code compares the whole reply with the answer's letter.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers.found import first_of, stripped
from tolman.scoring.reading import ParsedAnswer, nothing

_FLAGS = re.IGNORECASE | re.MULTILINE
_PATTERNS = tuple(
    (rule, re.compile(pattern, _FLAGS))
    for rule, pattern in (
        ("letter in parentheses", r"\(([A-E])\)"),
        ("Ans=", r"Ans\s*=\s*['\"]?([A-E])['\"]?"),
        ("Answer:", r"Answer\s*[:=]\s*([A-E])"),
        ("Option", r"Option\s+([A-E])"),
        ("is correct", r"\b([A-E])\s*(?:is|was)\s*correct"),
        ("letter at the end of a line", r"\b([A-E])[.)]\s*$"),
    )
)


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The letter of the first pattern, else the reply where it is a letter alone."""
    found = first_of(_PATTERNS, text)
    bare, start = stripped(text)
    if found is None and len(bare) == 1 and bare in item.letters:
        found = ParsedAnswer(bare, span=(start, start + 1), rule="letter alone")
    return found or nothing("no letter from A to E in any of the forms")


READER = Reader(
    name="sti-bench",
    title="STI-Bench, the authors' parser",
    source="MINT-SJTU/STI-Bench, opensource_test.py, extract_answer",
    read=read,
    kinds=("choice",),
)
