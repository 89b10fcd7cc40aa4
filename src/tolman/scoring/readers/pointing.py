"""Released parsers of points: RefSpatial-Bench, Where2Place, RoboSpatial-Home, and their tasks in lmms-eval.

- The value of such a reading is JSON, `{"size": [width, height], "points": [[x, y], …]}` or with "boxes" in place of
  "points", in pixels. If the item's answer has no "size", it has none either, and numbers are shares of width and
  height from 0 to 1.
- RefSpatial-Bench and Where2Place: the two authors' codes leave a reply that they can't parse out of the mean
  (`Reader.counts`); one without any point scores 0. A box "(x0, y0, x1, y1)" represents all of its pixels.
- RoboSpatial-Home: yes or no, and the points of "context" questions. The authors look at the beginning of the reply
  ("not sure" is no). They take the first pair of numbers in parentheses, else in brackets, else the beginning of a
  Python list, as shares of width and height. lmms-eval looks at the last line and takes the points of fenced JSON, in
  thousandths.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.readers import Reader

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
    """Read tuples as RoboPoint does. Every picture has 640 × 480 pixels. A box is scaled where its first number has a
    decimal point, and its part inside counts, negative numbers from the far end."""
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
POINTING_READERS = (
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


_SHARE = r"(\d++(?:\.\d*+)?+)"
_PAIRS = (
    re.compile(rf"\(\s*+{_SHARE}\s*+,\s*+{_SHARE}\s*+\)"),
    re.compile(rf"\[\s*+{_SHARE}\s*+,\s*+{_SHARE}\s*+\]"),
)
_TIGHT_COMMA = re.compile(r",(\S)")
_ANSWER_OPENS = re.compile("<answer>", re.IGNORECASE)
_ANSWER_CLOSES = re.compile("</answer>", re.IGNORECASE)


def read_robospatial(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """ "yes" or "no" that the reply begins with; the first point."""
    if item.kind != "points":
        begin = text.strip().lower()
        said = next((word for word in ("yes", "no") if begin.startswith(word)), None)
        return ParsedAnswer(said, rule="beginning") if said else nothing("begins with neither yes nor no")
    point = _first_point(text)
    if point is None or not all(map(math.isfinite, point)):
        return nothing("no point of two numbers")
    size = size_of(item)
    shape = (point[0] * size[0], point[1] * size[1]) if size else point
    return reading_of([shape], size, "first pair of numbers")


def read_robospatial_lmms_eval(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The one of "yes" and "no" that the last line holds, in words too; the points of the first fenced block."""
    text = _without_thoughts(text)
    if item.kind != "points":
        line = text.lower().split("\n")[-1]
        said = [word for word in ("yes", "no") if word in line]
        return (
            ParsedAnswer(said[0], rule="last line") if len(said) == 1 else nothing("both or neither in the last line")
        )
    width, height = size = size_of(item) or UNKNOWN_SIZE
    try:
        return reading_of(fenced_points(text, "point_2d", width, height), size, "point_2d")
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        return nothing(f"can't be parsed ({type(error).__name__})")


def _first_point(text: str) -> tuple[float, float] | None:
    for pattern in _PAIRS:
        found = pattern.search(text)
        if found:
            return float(found[1]), float(found[2])
    opening = text.find("[")
    closing = text.find("]", opening + 1)
    return _of_list(text[opening + 1 : closing]) if 0 <= opening < closing else None


def _of_list(content: str) -> tuple[float, float] | None:
    """The point that a Python list of numbers or of tuples begins with."""
    content = _TIGHT_COMMA.sub(r", \1", content).strip().removesuffix(",")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = ast.literal_eval(f"[{content}]")
        alone = len(values) == 2 and all(isinstance(value, int | float) for value in values)
        point = values if alone else values[0]
        if len(point) != 2 or not (alone or isinstance(point, tuple)):
            return None
        return float(point[0]), float(point[1])
    except (ValueError, TypeError, SyntaxError, IndexError, MemoryError, OverflowError, RecursionError):
        return None


def _without_thoughts(text: str) -> str:
    """Return the text behind the first `</think>`, then behind the first `</thought>`, then inside of `<answer>`."""
    for mark in ("</think>", "</thought>"):
        before, found, behind = text.partition(mark)
        text = behind if found else before
    opening = _ANSWER_OPENS.search(text)
    closing = _ANSWER_CLOSES.search(text, opening.end()) if opening else None
    return text[opening.end() : closing.start()].strip() if opening and closing else text.strip()


ROBOSPATIAL_READERS = (
    Reader(
        name="robospatial",
        title="RoboSpatial-Home, the authors' parser",
        source="chanhee-luke/RoboSpatial-Eval, evaluation.py, evaluate_answer",
        read=read_robospatial,
        kinds=("yes-no", "points"),
    ),
    Reader(
        name="lmms-eval-robospatial",
        title="RoboSpatial-Home in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/robo_spatial/utils.py, evaluate_binary_answer and json2pts",
        read=read_robospatial_lmms_eval,
        kinds=("yes-no", "points"),
    ),
)


READERS = (*POINTING_READERS, *ROBOSPATIAL_READERS)
