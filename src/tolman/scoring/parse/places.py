"""Points and boxes that a response gives: which of its coordinates are its answer, and on which scale they are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import lru_cache

from tolman.items import Item
from tolman.scoring.parse import OWN_FORM
from tolman.scoring.parse.commitments import NO_ANSWER, SEVERAL
from tolman.scoring.parse.coordinates import Coordinates, found_in
from tolman.scoring.parse.statements import opened
from tolman.scoring.reading import ParsedAnswer, nothing
from tolman.scoring.regions.place import MAX_CHARS, read_place, write_boxes, write_points
from tolman.scoring.regions.scales import GREATEST, PER_CENT, Scale, asked_scale, told_scale
from tolman.scoring.regions.shapes import Box

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
    """Read the points of a response; a box stands for all points in it.

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
    """The only group of coordinates, or the last where the text ends with it; None where several stand in a text that
    goes on."""
    groups = _groups(coordinates, text)
    if len(groups) == 1 or len({tuple(one.values for one in group) for group in groups}) == 1:
        return groups[-1]
    rest = text[groups[-1][-1].end :].rstrip()
    return groups[-1] if len(rest) <= MAX_TAIL_CHARS else None


def _groups(coordinates: Sequence[Coordinates], text: str) -> list[list[Coordinates]]:
    """Coordinates that stand together: in one tag or JSON, in one list, or line by line."""
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
