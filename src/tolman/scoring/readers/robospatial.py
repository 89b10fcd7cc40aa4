"""RoboSpatial-Home's released parser and lmms-eval's: yes or no, and the points of "context" questions.

The authors look at the beginning of the reply ("not sure" is no) and take the first pair of numbers in parentheses,
else in brackets, else what a Python list begins with, as shares of width and height. lmms-eval looks at the last line
and takes the points of fenced JSON, in thousandths.
"""

from __future__ import annotations

import ast
import math
import re
import warnings

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers.pictures import reading_of, size_of
from tolman.scoring.readers.pointing import UNKNOWN_SIZE, fenced_points
from tolman.scoring.reading import ParsedAnswer, nothing

_SHARE = r"(\d++(?:\.\d*+)?+)"
_PAIRS = (
    re.compile(rf"\(\s*+{_SHARE}\s*+,\s*+{_SHARE}\s*+\)"),
    re.compile(rf"\[\s*+{_SHARE}\s*+,\s*+{_SHARE}\s*+\]"),
)
_TIGHT_COMMA = re.compile(r",(\S)")
_ANSWER_OPENS = re.compile("<answer>", re.IGNORECASE)
_ANSWER_CLOSES = re.compile("</answer>", re.IGNORECASE)


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
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


def read_lmms_eval(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
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
    """What stands behind the first `</think>`, then behind the first `</thought>`, then inside of `<answer>`."""
    for mark in ("</think>", "</thought>"):
        before, found, behind = text.partition(mark)
        text = behind if found else before
    opening = _ANSWER_OPENS.search(text)
    closing = _ANSWER_CLOSES.search(text, opening.end()) if opening else None
    return text[opening.end() : closing.start()].strip() if opening and closing else text.strip()


READERS = (
    Reader(
        name="robospatial",
        title="RoboSpatial-Home, the authors' parser",
        source="chanhee-luke/RoboSpatial-Eval, evaluation.py, evaluate_answer",
        read=read,
        kinds=("yes-no", "points"),
    ),
    Reader(
        name="lmms-eval-robospatial",
        title="RoboSpatial-Home in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/robo_spatial/utils.py, evaluate_binary_answer and json2pts",
        read=read_lmms_eval,
        kinds=("yes-no", "points"),
    ),
)
