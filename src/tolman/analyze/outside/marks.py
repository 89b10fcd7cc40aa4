"""Marks: what a benchmark's rows say beside their texts, as tokens.

Names of files and scenes may be numbered as the answers are, and rows may stand in their order.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from tolman.guessing.folds import TWINS
from tolman.items import Item

DIVISORS = (2, 3, 4, 5, 6, 8, 10)
"""Numbers are known by their remainders."""
PARTS = 10
"""Parts of the file that rows are known to be in, question type by question type."""
MAX_MEDIA = 4
"""Files of a row whose names are looked at."""
_LAST_NUMBER = re.compile(r"(\d{1,9})\D*$")
_WORD = re.compile(r"[^\W\d_]{2,}")


def marks_of(items: Sequence[Item]) -> list[tuple[str, ...]]:
    """Of each item, in the order of their file, the tokens of what is not its text."""
    counts, seen = Counter(item.task for item in items), Counter[str]()
    found = []
    for item in items:
        place = seen[item.task]
        seen[item.task] += 1
        part = PARTS * place // counts[item.task]
        found.append((*_marks(item), f"part of the file {part}", *_remainders("row", place)))
    return found


def _marks(item: Item) -> Iterator[str]:
    yield f"files {len(item.media)}"
    names = {"id": item.id, "scene": item.scene or ""}
    names |= {f"file {number}": media.path for number, media in enumerate(item.media[:MAX_MEDIA])}
    for field, name in names.items():
        stem = name.rpartition("/")[2].rpartition(".")[0] or name
        if number := _LAST_NUMBER.search(stem):
            yield from _remainders(field, int(number[1]))
        if field != "id":
            yield from (f"{field} {word.lower()}" for word in _WORD.findall(name))
    for label, value in item.labels.items():
        if label != TWINS:
            yield f"{label}={value}"


def _remainders(field: str, number: int) -> Iterator[str]:
    # The same few texts of many rows, each held once.
    return (sys.intern(f"{field} mod {divisor}: {number % divisor}") for divisor in DIVISORS)
