"""Points in RefSpatial-Bench, Where2Place and their tasks in lmms-eval, as each of these codes reads them.

The two authors' codes leave a reply that they can't parse out of the mean (`Reader.counts`); one without any point
scores 0. A box "(x0, y0, x1, y1)" stands for all of its pixels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers.pictures import NUMBER, Shape, reading_of, size_of, tuples_in
from tolman.scoring.reading import ParsedAnswer, nothing

MAX_PIXELS = 1 << 31
"""Pixels of a box, at most; the released code runs out of memory somewhere above, and leaves the reply out."""
UNKNOWN_SIZE = (640, 480)
"""The released default, where an item's answer doesn't say how large its picture is."""
ROBOPOINT_SIZE = (640, 480)
"""What RoboPoint's evaluation takes every picture for."""
_MOLMO = re.compile(r'x\d++="(-?\d++(?:\.\d*+)?+)"\s++y\d++="(-?\d++(?:\.\d*+)?+)"')
_FENCED = re.compile(r"```\w*+\n(.*?)```", re.DOTALL)
_PAIR = re.compile(rf"[\[(]\s*+({NUMBER})\s*+,\s*+({NUMBER})\s*+[\])]")
_UNPARSABLE = (ValueError, TypeError, OverflowError, RecursionError, KeyError, IndexError)
Parse = Callable[[str, int, int], Sequence[Shape]]
"""(text, width, height) → points and boxes; an exception where the released code has one."""


def relative(text: str, width: int, height: int) -> list[Shape]:
    """Tuples of RoboRefer's models: a point is scaled by the picture where one of its numbers has a decimal point, and
    a box always."""
    found: list[Shape] = []
    for numbers in tuples_in(text):
        if len(numbers) == 2:
            found.append(_point(numbers, width, height))
        elif len(numbers) == 4:
            found += _box(*_scaled(numbers, width, height))
    return found


def absolute(text: str, width: int, height: int) -> list[Shape]:
    """Tuples of models that answer in pixels."""
    found: list[Shape] = []
    for numbers in tuples_in(text):
        if len(numbers) == 2:
            found.append(tuple(numbers))
        elif len(numbers) == 4:
            found += _box(*numbers)
    return found


def robopoint(text: str, width: int, height: int) -> list[Shape]:
    """Tuples as RoboPoint takes them. Every picture has 640 × 480 pixels; a box is scaled where its first number has a
    decimal point, and what of it is inside counts, negative numbers from the far end."""
    width, height = ROBOPOINT_SIZE
    found: list[Shape] = []
    for numbers in tuples_in(text):
        if len(numbers) == 2:
            found.append(_point(numbers, width, height))
        elif len(numbers) == 4:
            x0, y0, x1, y1 = _scaled(numbers, width, height) if isinstance(numbers[0], float) else numbers
            left, right, _ = slice(x0, x1).indices(width)
            top, bottom, _ = slice(y0, y1).indices(height)
            if left < right and top < bottom:
                found.append((left, top, right, bottom))
    return found


def molmo(text: str, width: int, height: int) -> list[Shape]:
    """Molmo's tags: percent of the picture, x1="…" y1="…" (numbered, as it writes several points)."""
    return [(int(float(x) / 100 * width), int(float(y) / 100 * height)) for x, y in _MOLMO.findall(text)]


def gemini(text: str, width: int, height: int) -> list[Shape]:
    """Gemini's fenced JSON: "point": [y, x] in thousandths."""
    return [(x, y) for y, x in fenced_points(text, "point", height, width)]


def fenced_points(text: str, field: str, first: int, second: int) -> list[tuple[int, int]]:
    """The pairs of a field in the list of the first fenced block, in thousandths of two sizes; none where that is no
    JSON.

    Raises:
        ValueError, TypeError, OverflowError, RecursionError: the JSON has another shape, at which the released code
            stops.
    """
    fenced = _FENCED.search(text)
    if fenced is None:
        return []
    try:
        data = json.loads(fenced[1].strip())
    except json.JSONDecodeError:
        return []
    found = []
    for entry in data:
        if field in entry and isinstance(entry[field], list) and len(entry[field]) == 2:
            one, other = entry[field]
            found.append((int(one / 1000 * first), int(other / 1000 * second)))
    return found


def of_grid(grid: int) -> Parse:
    """lmms-eval's tuples: every number is scaled, with or without a decimal point."""

    def parse(text: str, width: int, height: int) -> list[Shape]:
        pairs = (numbers for numbers in tuples_in(text) if len(numbers) == 2)
        return [(int(x / grid * width), int(y / grid * height)) for x, y in pairs]

    return parse


def pairs(text: str, width: int, height: int) -> list[Shape]:
    """lmms-eval's pairs in brackets or parentheses: whole numbers are thousandths, others shares."""
    found: list[Shape] = []
    for x, y in _PAIR.findall(text):
        scale = 1.0 if "." in x or "." in y else 1000.0
        found.append((int(float(x) / scale * width), int(float(y) / scale * height)))
    return found


def _point(numbers: Sequence[float], width: int, height: int) -> Shape:
    """A point, scaled where one of its numbers has a decimal point."""
    if any(isinstance(number, float) for number in numbers):
        return tuple(_scaled(numbers, width, height))
    return tuple(numbers)


def _scaled(numbers: Sequence[float], width: int, height: int) -> list[int]:
    return [int(number * (height if i % 2 else width)) for i, number in enumerate(numbers)]


def _box(x0: float, y0: float, x1: float, y1: float) -> list[Shape]:
    """A box as the released code fills it.

    Raises:
        TypeError, ValueError: its sides are no whole numbers from 0, or it is too large to be filled.
    """
    if any(isinstance(number, float) for number in (x1 - x0, y1 - y0)):
        raise TypeError("sides of a box that are no whole numbers")
    if x1 < x0 or y1 < y0 or (x1 - x0) * (y1 - y0) > MAX_PIXELS:
        raise ValueError("a box that can't be filled")
    return [(x0, y0, x1, y1)] if x1 > x0 and y1 > y0 else []


def _reader(name: str, title: str, source: str, parse: Parse, *, leaves_out: bool) -> Reader:
    def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
        size = size_of(item) or UNKNOWN_SIZE
        try:
            return reading_of(parse(text, *size), size, parse.__name__)
        except _UNPARSABLE as error:
            left = "; the released code leaves it out of the mean" if leaves_out else ""
            return nothing(f"can't be parsed ({type(error).__name__}){left}")

    def counts(item: Item, text: str) -> bool:
        try:
            parse(text, *(size_of(item) or UNKNOWN_SIZE))
        except _UNPARSABLE:
            return False
        return True

    made = Reader(name=name, title=title, source=source, read=read, kinds=("points",))
    return replace(made, counts=counts) if leaves_out else made


_ROBOREFER = "Zhoues/RoboRefer, Evaluation/summarize_acc.py, "
_TASKS = "EvolvingLMMs-Lab/lmms-eval, tasks/refspatial and where2place, _text2pts"
READERS = (
    _reader("refspatial", "RefSpatial-Bench, tuples", _ROBOREFER + "text2pts", relative, leaves_out=True),
    _reader(
        "refspatial-absolute",
        "RefSpatial-Bench, tuples in pixels (Qwen, RoboBrain)",
        _ROBOREFER + "text2pts with is_absolute",
        absolute,
        leaves_out=True,
    ),
    _reader("refspatial-molmo", "RefSpatial-Bench, Molmo's tags", _ROBOREFER + "xml2pts", molmo, leaves_out=True),
    _reader("refspatial-gemini", "RefSpatial-Bench, Gemini's JSON", _ROBOREFER + "json2pts", gemini, leaves_out=True),
    _reader(
        "where2place",
        "Where2Place, tuples",
        "wentaoyuan/RoboPoint, robopoint/eval/summarize_vqa.py, text2pts",
        robopoint,
        leaves_out=True,
    ),
    _reader("lmms-eval-points", "Points in lmms-eval, 0 to 1", _TASKS, of_grid(1), leaves_out=False),
    _reader("lmms-eval-points-1000", "Points in lmms-eval, 0 to 999", _TASKS, of_grid(1000), leaves_out=False),
    _reader(
        "lmms-eval-point2d",
        "Points in lmms-eval, JSON",
        "EvolvingLMMs-Lab/lmms-eval, tasks/_task_utils/point_format.py, parse_point2d",
        pairs,
        leaves_out=False,
    ),
)
