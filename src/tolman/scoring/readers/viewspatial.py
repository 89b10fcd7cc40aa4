"""ViewSpatial-Bench's released parser: the first A–D by itself in the last line, in any case.

The article "a" is therefore A, and a line break at the end leaves nothing to read.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers.found import letter_of
from tolman.scoring.reading import ParsedAnswer, nothing

_LETTER = re.compile(r"\b([A-D])\b", re.IGNORECASE)


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first letter by itself behind the last line break."""
    start = text.rfind("\n") + 1
    found = _LETTER.search(text, start)
    # The character before the line is a line break, so that a search from there sees the same word boundaries.
    return letter_of(found, "letter in the last line") if found else nothing("no letter in the last line")


READER = Reader(
    name="viewspatial",
    title="ViewSpatial-Bench, the authors' parser",
    source="ZJU-REAL/ViewSpatial-Bench, evaluate.py, extract_option of the last line",
    read=read,
    kinds=("choice",),
)
