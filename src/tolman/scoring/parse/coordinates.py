"""Coordinates that a response gives: points and boxes, which of them are its answer, and their scale.

They are in tags, in fields of JSON, or are numbers in brackets. A response gives its coordinates in one form; the first
form that a text has, in the order of `found_in`, is read. All patterns are bounded, so that a text is searched in
linear time.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.parse.commitments import NO_ANSWER, SEVERAL
from tolman.scoring.parse.stated_answers import opened
from tolman.scoring.picture_places import (
    GREATEST,
    MAX_CHARS,
    OWN_FORM,
    PER_CENT,
    Scale,
    asked_scale,
    read_place,
    told_scale,
    write_boxes,
    write_points,
)
from tolman.scoring.picture_shapes import Box

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
    """Two numbers or four that belong together.

    Attributes:
        values: a point or the corners of a box, in the order in which they were written.
        decimals: whether each is written with a decimal point.
        start, end: its position in the text.
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
    """Yield where JSON may begin: behind fences, then at brackets of outermost objects, the last first."""
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


MAX_TAIL_CHARS = 120
"""Characters behind the last of several groups of coordinates that is the answer, at most."""
MAX_KEPT_CHARS = 200
"""Characters of a response of numbers that is read once for each scale, at most."""
OTHER_SCALE = "coordinates on another scale than the one asked for"
NO_BOX = "no box"

_NUMBERS_ONLY = re.compile(r"[-+0-9.,;()\[\]\s]*[0-9][-+0-9.,;()\[\]\s]*")
_TOGETHER = re.compile(
    r"[\s,;&|()\[\]<>/\"'*•·–-]{0,40}(?:and|und|et|y|e|и|和|と)?[\s,;()\[\]<>/\"'*•-]{0,20}"
    r"|[^\n.!?]{0,24}\n[^\n.!?]{0,4}(?:[0-9]{1,3}[.):])?[^\n.!?]{0,40}"
)
"""What may stand between coordinates of one list: signs, "and", or a new line with a label."""


def read_points(item: Item, response: str) -> ParsedAnswer:
    """Read the points of a response; a box represents all points in it.

    Args:
        item: for its question and the scale that it asks for; its answer isn't looked at.
        response: hostile or not.

    Returns:
        A value that `regions.place.read_place` reads, or None with the reason. Never raises.
    """
    return _read(item, response, boxes=False)


def read_boxes(item: Item, response: str) -> ParsedAnswer:
    """Read the boxes of a response; see `read_points`."""
    return _read(item, response, boxes=True)


def _read(item: Item, response: str, *, boxes: bool) -> ParsedAnswer:
    own = _own(response, boxes=boxes)
    if own is not None:
        return own
    try:
        scale = asked_scale(item)
    except ValueError as error:
        return nothing(str(error))
    if len(response) <= MAX_KEPT_CHARS and _NUMBERS_ONLY.fullmatch(response):
        return _numbers_only(response, scale, boxes)
    found = opened(response, item.question)
    if isinstance(found, ParsedAnswer):
        return found
    for statement in found.statements():
        if statement.rule == "json":
            continue  # the field that holds a place is looked for by its own names
        coordinates = found_in(statement.text, statement.markup)
        if boxes:
            coordinates = _as_boxes(coordinates)
        if coordinates:
            several = statement.rule == "whole"
            chosen = _chosen(coordinates, statement.text) if several else _first_together(coordinates, statement.text)
            if chosen is None:
                return nothing(SEVERAL)
            value, name = _value(chosen, scale)
            if value is None:
                return nothing(name)
            start = statement.start + chosen[0].start
            end = max(start + 1, statement.start + chosen[-1].end)
            return found.reading(value, start, end, f"{statement.rule}, {name}")
    return nothing(NO_BOX if boxes and found_in(found.text) else NO_ANSWER)


@lru_cache(maxsize=1 << 14)
def _numbers_only(response: str, scale: Scale, boxes: bool) -> ParsedAnswer:
    """The reading of a response of numbers in brackets and nothing else."""
    coordinates = found_in(response)
    coordinates = _as_boxes(coordinates) if boxes else coordinates
    if not coordinates:
        return nothing(NO_BOX if boxes and found_in(response) else NO_ANSWER)
    chosen = _chosen(coordinates, response)
    value, name = _value(chosen, scale) if chosen else (None, SEVERAL)
    if value is None or chosen is None:
        return nothing(name)
    return ParsedAnswer(value, span=(chosen[0].start, chosen[-1].end), rule=f"alone, {name}")


def _own(response: str, *, boxes: bool) -> ParsedAnswer | None:
    """The reading of a response that is nothing but a place in Tolman's own form."""
    text = response.strip()
    if not (text.startswith("{") and text.endswith("}")) or len(text) > MAX_CHARS:
        return None
    try:
        place = read_place(text)
    except ValueError:
        return None
    if boxes and not place.boxes:
        return None
    if place.is_relative and any(abs(n) > 1 for n in place.numbers):
        return None  # on another scale, which the rules for models' own forms tell
    start = response.index(text[0])
    return ParsedAnswer(text, span=(start, start + len(text)), rule=OWN_FORM)


def _first_together(coordinates: Sequence[Coordinates], text: str) -> list[Coordinates]:
    """The first group of coordinates."""
    return _groups(coordinates, text)[0]


def _chosen(coordinates: Sequence[Coordinates], text: str) -> list[Coordinates] | None:
    """Return the only group of coordinates, or the last where the text ends with it; None for several in a text that
    goes on."""
    groups = _groups(coordinates, text)
    if len(groups) == 1 or len({tuple(one.values for one in group) for group in groups}) == 1:
        return groups[-1]
    rest = text[groups[-1][-1].end :].rstrip()
    return groups[-1] if len(rest) <= MAX_TAIL_CHARS else None


def _groups(coordinates: Sequence[Coordinates], text: str) -> list[list[Coordinates]]:
    """Return the groups of coordinates: in one tag or JSON, in one list, or line by line."""
    groups = [[coordinates[0]]]
    for before, one in itertools.pairwise(coordinates):
        between = text[before.end : one.start]
        if one.in_per_cent or one.start < before.end or _TOGETHER.fullmatch(between):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _as_boxes(coordinates: Sequence[Coordinates]) -> list[Coordinates]:
    """Those of four numbers; or two points as the corners of a box, as Qwen2-VL writes them."""
    found = [one for one in coordinates if len(one.values) == 4]
    if not found and len(coordinates) == 2:
        first, second = coordinates
        found = [
            Coordinates(
                first.values + second.values,
                first.decimals + second.decimals,
                first.start,
                second.end,
                first.is_named,
                first.in_per_cent,
            )
        ]
    return found


def _value(chosen: Sequence[Coordinates], asked: Scale) -> tuple[str | None, str]:
    """A place as JSON and the name of its scale; or None and why there is none."""
    numbers = [pair for one in chosen for pair in zip(one.values, one.decimals, strict=True)]
    name = PER_CENT if chosen[0].in_per_cent else told_scale(numbers, asked.name)
    if not name:
        return None, OTHER_SCALE
    greatest = GREATEST.get(name)
    size = None if greatest is None else (greatest, greatest)
    ordered = [
        tuple(n for x, y in zip(one.values[1::2], one.values[::2], strict=True) for n in (x, y))
        if asked.y_first and not one.is_named
        else one.values
        for one in chosen
    ]
    points = [(values[0], values[1]) for values in ordered if len(values) == 2]
    boxes = [
        Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
        for x0, y0, x1, y1 in (values for values in ordered if len(values) == 4)
        if x0 != x1 and y0 != y1
    ]
    if points:
        return write_points(points, size), name
    return (write_boxes(boxes, size), name) if boxes else (None, NO_BOX)
