"""Lines of a TOML file: which one a key stands on, so that a sentence about the key can name it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

Key = str | int
"""A key of a table, or the number of a table or value in a list, from 0."""

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE = re.compile(rf"\s*\[\s*({_DOTTED})\s*\]\s*(?:#.*)?$")
_TABLE_OF_LIST = re.compile(rf"\s*\[\[\s*({_DOTTED})\s*\]\]\s*(?:#.*)?$")
_SETTING = re.compile(rf"\s*({_DOTTED})\s*=")


def line_of(text: str, keys: Sequence[Key]) -> int | None:
    """The number of the line, from 1, on which a key stands, or else the innermost table above it that is written.

    Args:
        text: of the file, which is TOML.
        keys: from the outermost table to the key; tables of a list by their number.

    Returns:
        None where not even the outermost stands in a line.
    """
    wanted, best, found = tuple(keys), 0, None
    for number, place in _places(text):
        if len(place) > best and place == wanted[: len(place)]:
            best, found = len(place), number
    return found


def _places(text: str) -> Iterator[tuple[int, tuple[Key, ...]]]:
    table: tuple[Key, ...] = ()
    count: Counter[tuple[Key, ...]] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _TABLE_OF_LIST.match(line):
            *above, last = _parts(match[1])
            name = (*_within(above, count), last)
            table = (*name, count[name])
            count[name] += 1
        elif match := _TABLE.match(line):
            *above, last = _parts(match[1])
            table = (*_within(above, count), last)
        elif match := _SETTING.match(line):
            yield number, (*table, *_parts(match[1]))
            continue
        else:
            continue
        yield number, table


def _within(names: Sequence[Key], count: Counter[tuple[Key, ...]]) -> tuple[Key, ...]:
    """Where a dotted name leads: into the last table so far of each list of tables on the way."""
    place: tuple[Key, ...] = ()
    for name in names:
        place = (*place, name)
        if count[place]:
            place = (*place, count[place] - 1)
    return place


def _parts(dotted: str) -> tuple[Key, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))
