"""What readers of points share: the size of an item's picture, numbers in parentheses, and points and boxes as JSON.

The value of such a reading is JSON, `{"size": [width, height], "points": [[x, y], …]}` or with "boxes" in place of
"points", in pixels; without "size" where the item's answer has none, as shares of width and height from 0 to 1.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tolman.items import Item
from tolman.scoring.reading import ParsedAnswer, nothing

Shape = tuple[float, ...]
"""A point (x, y) or a box (x0, y0, x1, y1) without its last column and row."""
FARTHEST = 10**6
"""Coordinates beyond it are set to it: they are outside of every picture."""
NUMBER = r"[-+]?\d++(?:\.\d*+)?+"
_TUPLE = re.compile(rf"\(({NUMBER}(?:,\s*+{NUMBER})*+)\)")


def size_of(item: Item) -> tuple[int, int] | None:
    """Width and height in pixels of the picture that an item's answer is about; None where it doesn't say."""
    return _size(item.answer)


@lru_cache(maxsize=512)
def _size(answer: str) -> tuple[int, int] | None:
    try:
        place = json.loads(answer)
    except ValueError:
        return None
    if not isinstance(place, dict):
        return None
    mask = place.get("mask")
    size = place.get("size") or (mask["size"][::-1] if isinstance(mask, dict) and "size" in mask else None)
    return (int(size[0]), int(size[1])) if size else None


def tuples_in(text: str) -> Iterator[list[float | int]]:
    """The numbers of every "(…)" that holds nothing but numbers and commas; those with a decimal point as floats.

    Raises:
        ValueError: a whole number has more digits than Python reads.
    """
    for match in _TUPLE.finditer(text):
        yield [float(number) if "." in number else int(number) for number in match[1].split(",")]


def reading_of(shapes: Sequence[Shape], size: tuple[int, int] | None, rule: str) -> ParsedAnswer:
    """Points and boxes as a reading; where there are boxes, a point becomes the box of its pixel."""
    if not shapes:
        return nothing("no point in the form that is asked for")
    if any(math.isnan(number) for shape in shapes for number in shape):
        return nothing("a coordinate is not a number")
    near = [[max(-FARTHEST, min(FARTHEST, number)) for number in shape] for shape in shapes]
    if any(len(shape) == 4 for shape in near):
        boxes = [shape if len(shape) == 4 else _pixel(*shape) for shape in near]
        value: dict[str, object] = {"boxes": boxes}
    else:
        value = {"points": near}
    return ParsedAnswer(json.dumps({"size": list(size), **value} if size else value), rule=rule)


def _pixel(x: float, y: float) -> list[float]:
    """The box of the pixel in which a point is."""
    column, row = math.floor(x), math.floor(y)
    return [column, row, column + 1, row + 1]
