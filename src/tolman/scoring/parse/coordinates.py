"""Coordinates in a text: tags, fields of JSON, and numbers in brackets, each form by itself.

A response gives its coordinates in one form; the first form that a text has, in the order of `found_in`, is read. All
patterns are bounded, so that a text is searched in linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_FOUND = 1_000
"""Points and boxes that are read, the last of all."""
MAX_OBJECTS = 40
"""Beginnings of JSON that are tried, at most: the last of all."""
MAX_JSON_CHARS = 40_000
"""Characters of JSON, at most."""

_NUMBER = r"[-+]?(?:[0-9]{1,9}(?:\.[0-9]{0,17})?|\.[0-9]{1,17})"
_GAP = r"\s{0,4},?\s{0,4}"
_POINT_TAG = re.compile(r"<\s{0,3}points?\s([^<>]{1,20000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(rf"\b([xy])([0-9]{{0,4}})\s{{0,3}}=\s{{0,3}}[\"']?\s{{0,3}}({_NUMBER})", re.IGNORECASE)
_GROUP = re.compile(
    rf"[(\[]\s{{0,4}}({_NUMBER})\s{{0,4}},\s{{0,4}}({_NUMBER})"
    rf"(?:\s{{0,4}},\s{{0,4}}({_NUMBER})\s{{0,4}},\s{{0,4}}({_NUMBER}))?\s{{0,4}},?\s{{0,4}}[)\]]"
)
_NAMED = re.compile(
    rf"\bx\s{{0,3}}[=:]\s{{0,3}}({_NUMBER})(?![\d.]).{{1,12}}?\by\s{{0,3}}[=:]\s{{0,3}}({_NUMBER})", re.IGNORECASE
)
_BARE = re.compile(rf"\s*({_NUMBER}){_GAP}({_NUMBER})(?:{_GAP}({_NUMBER}){_GAP}({_NUMBER}))?\s*\.?\s*")
_FENCE = re.compile(r"```(?:json)?[ \t]*\n?")
_POINT_KEYS = ("point_2d", "point", "points", "coordinates", "coordinate", "position", "location", "center", "centre")
_ANSWER_KEYS = ("final_answer", "answer", "answers", "output", "result", "prediction")
_BOX_KEYS = ("bbox_2d", "bbox", "box_2d", "box", "boxes", "bounding_box", "bounding_boxes", "bounding box")
_CORNERS = (
    ("x0", "y0", "x1", "y1"),
    ("x1", "y1", "x2", "y2"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x_min", "y_min", "x_max", "y_max"),
    ("left", "top", "right", "bottom"),
)


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Two numbers or four that stand together.

    Attributes:
        values: a point or the corners of a box, in the order in which they were written.
        decimals: whether each is written with a decimal point.
        start, end: where in the text.
        is_named: whether names say which is x and which is y; the values are x first then.
        in_per_cent: whether the form has a scale of its own, from 0 to 100.
    """

    values: tuple[float, ...]
    decimals: tuple[bool, ...]
    start: int
    end: int
    is_named: bool = False
    in_per_cent: bool = False


def found_in(text: str, markup: str | None = None) -> list[Coordinates]:
    """Find the coordinates of a text, in the first form that it has.

    Args:
        text: any, without HTML and LaTeX commands.
        markup: the same with them, as long.

    Returns:
        In order; the last `MAX_FOUND`.
    """
    for form in (_tagged, _in_json, _grouped, _with_names):
        found = list(form(text if markup is None or form is not _tagged else markup))
        if found:
            return found[-MAX_FOUND:]
    bare = _BARE.fullmatch(text) if len(text) <= 400 else None
    return [_of_match(bare)] if bare else []


def _of_match(match: re.Match[str], *, named: bool = False) -> Coordinates:
    numbers = [group for group in match.groups() if group is not None]
    return _coordinates(numbers, match.start(), match.end(), named=named)


def _coordinates(
    numbers: list[str], start: int, end: int, *, named: bool = False, per_cent: bool = False
) -> Coordinates:
    values = tuple(float(number) for number in numbers)
    return Coordinates(values, tuple("." in number for number in numbers), start, end, named, per_cent)


def _tagged(text: str) -> Iterator[Coordinates]:
    """Molmo's tags: `<point x="10.5" y="20.1">` and `<points x1="…" y1="…" x2="…">`, in per cent of the picture."""
    for tag in _POINT_TAG.finditer(text):
        xs: dict[str, str] = {}
        ys: dict[str, str] = {}
        for axis, number, value in _ATTRIBUTE.findall(tag[1]):
            (xs if axis in "xX" else ys)[number] = value
        for number, x in xs.items():
            if number in ys:
                yield _coordinates([x, ys[number]], tag.start(), tag.end(), named=True, per_cent=True)


def _grouped(text: str) -> Iterator[Coordinates]:
    """Two or four numbers in brackets, within further brackets or tags or without."""
    for match in _GROUP.finditer(text):
        yield _of_match(match)


def _with_names(text: str) -> Iterator[Coordinates]:
    """Coordinates as "x = 0.2, y: 0.3"."""
    for match in _NAMED.finditer(text):
        yield _of_match(match, named=True)


def _in_json(text: str) -> list[Coordinates]:
    """Coordinates in the last JSON of a text that has a field for them."""
    tries = 0
    for start in _openings(text):
        tries += 1
        if tries > MAX_OBJECTS:
            break
        record, end = _decoded(text, start)
        if record is None:
            continue
        found = [
            Coordinates(tuple(map(float, values)), tuple(isinstance(n, float) for n in values), start, end, named)
            for values, named in _places(record, 0)
        ]
        if found:
            return found
    return []


def _openings(text: str) -> Iterator[int]:
    """Where JSON may begin: behind fences, then at brackets of objects that don't stand in others, the last first."""
    starts = [match.end() for match in _FENCE.finditer(text)]
    yield from (start for start in reversed(starts) if text[start : start + 200].lstrip()[:1] in ("[", "{"))
    first = re.search(r"\[\s{0,20}\{|\{", text)
    if first:
        yield first.start()
    lists = [match.start() for match in re.finditer(r"\[\s{0,20}\{", text)]
    yield from reversed(lists)
    yield from reversed([match.start() for match in re.finditer(r"\{", text)])


_DECODER = json.JSONDecoder()


def _decoded(text: str, start: int) -> tuple[Any, int]:
    """The JSON that begins at a place, and where it ends; None where it is none."""
    piece = text[start : start + MAX_JSON_CHARS]
    begin = len(piece) - len(piece.lstrip())
    if not piece[begin:].startswith(("{", "[")):
        return None, start
    try:
        record, end = _DECODER.raw_decode(piece, begin)
    except (ValueError, RecursionError):
        return None, start
    return record, start + end


def _places(record: Any, depth: int) -> Iterator[tuple[list[float], bool]]:
    """The points and boxes of a JSON value, with whether names say which number is which."""
    if depth > 4:
        return
    if isinstance(record, list):
        for one in record[-MAX_FOUND:]:
            if isinstance(one, dict | list):
                yield from _places(one, depth + 1)
        return
    if not isinstance(record, dict):
        return
    fields = {str(key).strip().lower(): value for key, value in record.items()}
    for names in _CORNERS:
        corners = [fields.get(name) for name in names]
        if all(_is_number(corner) for corner in corners):
            yield [_plain(corner) for corner in corners], True
            return
    if _is_number(fields.get("x")) and _is_number(fields.get("y")):
        x, y, width, height = (fields.get(name) for name in ("x", "y", "width", "height"))
        if _is_number(width) and _is_number(height):
            yield [_plain(x), _plain(y), _plain(x) + _plain(width), _plain(y) + _plain(height)], True
        else:
            yield [_plain(x), _plain(y)], True
        return
    for name in (*_BOX_KEYS, *_POINT_KEYS, *_ANSWER_KEYS):
        if name in fields:
            yield from _numbers(fields[name], depth)
            return
    for value in fields.values():
        if isinstance(value, dict | list):
            yield from _places(value, depth + 1)


def _numbers(value: Any, depth: int) -> Iterator[tuple[list[float], bool]]:
    """The points and boxes in a field's value."""
    if isinstance(value, dict):
        yield from _places(value, depth + 1)
    elif isinstance(value, list) and len(value) in (2, 4) and all(_is_number(one) for one in value):
        yield [_plain(one) for one in value], False
    elif isinstance(value, list) and depth <= 4:
        for one in value[-MAX_FOUND:]:
            if isinstance(one, dict | list):
                yield from _numbers(one, depth + 1)
    elif isinstance(value, str) and len(value) <= 400:
        yield from ((list(one.values), False) for one in _grouped(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e9


def _plain(value: Any) -> float:
    number: float = value
    return number
