"""Item kinds answered with places in a picture: points, and boxes.

The answer is a place (`scoring.picture_places`). Points are right if they are in the right region (a box, boxes, a
polygon or a mask), or near the right points (`within`). Boxes are one `box` or several `boxes`. Both kinds share their
checks and scales, and how places are written and shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.item_kind import ROUNDING, ItemKind
from tolman.scoring.metrics.benchmark_metrics import BOX_IOU, POINTS_INSIDE, mean_overlap, share_inside
from tolman.scoring.parse import read_careful_boxes, read_careful_points
from tolman.scoring.picture_places import (
    GREATEST,
    LABEL,
    OWN_FORM,
    PIXELS,
    SHARES,
    THOUSAND,
    Place,
    Scale,
    asked_scale,
    read_place,
    regions_of,
    write_boxes,
    write_points,
)
from tolman.scoring.picture_shapes import Box, Mask, Point, Polygon


def check_place(item: Item) -> str:
    """Find the mistake in an item whose answer is a place; '' where there is none."""
    try:
        place = read_place(item.answer)
        scale = asked_scale(item)
    except ValueError as error:
        return str(error)
    if item.options:
        return "a question about places has no options"
    if place.is_relative and any(not 0 <= n <= 1 for n in place.numbers):
        return "a coordinate isn't between 0 and 1; give the picture's size where they are pixels"
    if place.in_pixels:
        return "the place is in pixels of a picture whose size isn't given; give its size"
    if LABEL in item.labels and scale.name == PIXELS and place.is_relative:
        return f"the label '{LABEL}' asks for pixels, and the answer doesn't say the picture's size"
    return ""


def shown_scale(item: Item) -> tuple[Scale, tuple[float, float] | None]:
    """The scale on which responses to an item are written: the one asked for, else shares; with the size of the
    picture where it is in pixels."""
    scale = asked_scale(item)
    if scale.name == PIXELS:
        return scale, read_place(item.answer).size
    return Scale(scale.name or SHARES, scale.y_first), None


def on_scale(number: float, greatest: float) -> str:
    """Write a share of the picture as a coordinate: with a decimal point where coordinates are shares, else without
    one where it is whole."""
    value = number * greatest
    if greatest == 1.0:
        text = f"{value:.4f}"
        return text if abs(float(text) - value) < 1e-12 else repr(value)
    return str(round(value)) if value == round(value) else f"{value:.10g}"


def shown_point(place: Place, point: Point) -> str:
    """A point in words."""
    unit = "" if place.is_relative else " px"
    return f"({point[0]:.4g}, {point[1]:.4g}){unit}"


def shown_box(place: Place, box: Box) -> str:
    """A box in words."""
    return f"{shown_point(place, (box.x0, box.y0)).removesuffix(' px')} – {shown_point(place, (box.x1, box.y1))}"


def stored_place(reading: ParsedAnswer) -> str | None:
    """Return a reading as an item's answer: as shares where it is on a scale of its own, else as it is."""
    if reading.value is None:
        return None
    text = str(reading.value)
    place = read_place(text)
    if place.in_pixels:
        return None
    if reading.rule == OWN_FORM or place.is_relative:
        return text
    shares = place.on((1.0, 1.0))
    return write_points(shares.points, shares.size) if shares.points else write_boxes(shares.boxes, shares.size)


def oracle_place(item: Item, value: Any) -> str:
    """A place that geometry gives: JSON, or a mapping of it, or one point (x, y) as shares of the picture."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, dict) else write_points([tuple(value)], (1.0, 1.0))


def scale_in_words(item: Item) -> str:
    """Return a prompt's words on the scale."""
    scale = asked_scale(item)
    if scale.name == PIXELS:
        return "in pixels of the picture"
    if scale.name == SHARES:
        return "as shares of the picture's width and height, from 0 to 1"
    greatest = GREATEST.get(scale.name, GREATEST[THOUSAND])
    return f"from 0 to {greatest:.0f} across the picture's width and height"


GUESSES_ACROSS = 16
"""Guessed points in a row and in a column, spread evenly over the picture."""


@lru_cache(maxsize=4096)
def _level(answer: str) -> float:
    """The expected score of a point anywhere in the picture."""
    item = Item.model_construct(id="", question="", kind="points", answer=answer, task="")
    drawn = [share_inside(item, read_careful_points(item, text)) for text in _guessed(Scale(SHARES), None)]
    return sum(drawn) / len(drawn)


@lru_cache(maxsize=64)
def _guessed(scale: Scale, size: tuple[float, float] | None) -> tuple[str, ...]:
    steps = [(i + 0.5) / GUESSES_ACROSS for i in range(GUESSES_ACROSS)]
    return tuple(written([(x, y)], scale, size) for y in steps for x in steps)


def _point_guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return _guessed(*shown_scale(item))


def written(points: Sequence[Point], scale: Scale, size: tuple[float, float] | None) -> str:
    """Points as models write them: a list of tuples.

    Args:
        points: x and y as shares of the picture.
        scale: asked for.
        size: of the picture, where the scale is pixels.
    """
    across, down = size or (GREATEST[scale.name],) * 2
    pairs = [(on_scale(x, across), on_scale(y, down)) for x, y in points]
    return "[" + ", ".join(f"({y}, {x})" if scale.y_first else f"({x}, {y})" for x, y in pairs) + "]"


def _right_points_response(item: Item) -> str:
    """A point inside the region, or all right points; where it would be rounded out of the region, the answer."""
    place = read_place(item.answer)
    points = place.points or (regions_of(place)[0].middle,)
    shares = [(x / place.size[0], y / place.size[1]) for x, y in points]
    said = written(shares, *shown_scale(item))
    reading = read_careful_points(item, said)
    return said if reading.value is not None and share_inside(item, reading) == 1.0 else item.answer


def _points_answer_text(item: Item) -> str:
    place = read_place(item.answer)
    if place.points:
        return ", ".join(shown_point(place, point) for point in place.points)
    return ", ".join(_shown_region(place, region) for region in regions_of(place))


def _shown_region(place: Place, region: Box | Polygon | Mask) -> str:
    share = region.area / (place.size[0] * place.size[1])
    kind = {Box: "box", Polygon: "polygon", Mask: "mask"}[type(region)]
    return f"in the {kind} {shown_box(place, region.bounds)}, {share:.1%} of the picture"


def stated_place(item: Item, text: str) -> str | None:
    """The points of a text as an item's answer; None where it has none, or pixels of a picture of unknown size."""
    return stored_place(read_careful_points(item, text))


def pair_in_words(item: Item) -> str:
    """How a prompt writes a point: '[x, y]'."""
    return "[y, x]" if asked_scale(item).y_first else "[x, y]"


def _released(kind: str, stated: Callable[[Item, str], str | None], text: str) -> str:
    """A place as JSON; also a list of points, or boxes, as shares of the picture.

    Raises:
        ValueError: the text is none.
    """
    stripped = text.strip()
    if stripped.startswith("{"):
        read_place(stripped)
        return stripped
    found = stated(Item.model_construct(id="", question="", kind=kind, answer="", task=""), stripped)
    if found is None:
        raise ValueError(f"the answer {text[:40]!r} is no {'place' if kind == 'points' else 'box'} in a picture")
    return found


POINTS = ItemKind(
    name="points",
    title="points in a picture",
    check=check_place,
    read=read_careful_points,
    metric=POINTS_INSIDE,
    chance=lambda item: _level(item.answer),
    guesses=_point_guesses,
    oracle_text=oracle_place,
    answer_text=_points_answer_text,
    right_response=_right_points_response,
    demand=lambda item: (
        f"Answer with the points only, as a JSON list of {pair_in_words(item)}, with x and y {scale_in_words(item)}."
    ),
    judge_request=lambda item: (
        "Reply with the points that the response gives, copied as they are with all their digits, and nothing else."
    ),
    is_graded=True,
    widget="points",
    released_answer=partial(_released, "points", stated_place),
    answer_form=lambda item: f"a JSON list of points {pair_in_words(item)}, {scale_in_words(item)}",
    stated_answer=stated_place,
    asks_for="points in a picture",
)


AGREE_FROM = 0.5
"""The intersection over union from which on two people's boxes are the same."""


def _check_boxes(item: Item) -> str:
    problem = check_place(item)
    return problem or ("" if read_place(item.answer).boxes else "the answer is a place without a box")


def _box_guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return answers or ("[0.0, 0.0, 1.0, 1.0]",)


def _right_boxes_response(item: Item) -> str:
    """The boxes as models write them: a list of numbers, or of such lists; the answer where those would be read as on
    another scale."""
    place = read_place(item.answer)
    scale, size = shown_scale(item)
    across, down = size or (GREATEST[scale.name],) * 2
    found = []
    for box in place.boxes:
        xs = [on_scale(x / place.size[0], across) for x in (box.x0, box.x1)]
        ys = [on_scale(y / place.size[1], down) for y in (box.y0, box.y1)]
        pairs = zip(ys, xs, strict=True) if scale.y_first else zip(xs, ys, strict=True)
        found.append("[" + ", ".join(n for pair in pairs for n in pair) + "]")
    said = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
    reading = read_careful_boxes(item, said)
    return said if reading.value is not None and mean_overlap(item, reading) > 1 - ROUNDING else item.answer


def _boxes_answer_text(item: Item) -> str:
    place = read_place(item.answer)
    return ", ".join(shown_box(place, box) for box in place.boxes)


def _stated_boxes(item: Item, text: str) -> str | None:
    return stored_place(read_careful_boxes(item, text))


def _box_form(item: Item) -> str:
    return "[y0, x0, y1, x1]" if asked_scale(item).y_first else "[x0, y0, x1, y1]"


def _boxes_oracle_text(item: Item, value: Any) -> str:
    return repr(list(map(float, value))) if isinstance(value, list | tuple) else oracle_place(item, value)


BOXES = ItemKind(
    name="boxes",
    title="boxes in a picture",
    check=_check_boxes,
    read=read_careful_boxes,
    metric=BOX_IOU,
    guesses=_box_guesses,
    oracle_text=_boxes_oracle_text,
    answer_text=_boxes_answer_text,
    right_response=_right_boxes_response,
    demand=lambda item: (
        f"Answer with the box only, as a JSON list {_box_form(item)}, or a list of such lists where there are several, "
        f"with x and y {scale_in_words(item)}."
    ),
    judge_request=lambda item: (
        "Reply with the boxes that the response gives, copied as they are with all their digits, and nothing else."
    ),
    is_graded=True,
    widget="boxes",
    released_answer=partial(_released, "boxes", _stated_boxes),
    answer_form=lambda item: f"a JSON list {_box_form(item)}, {scale_in_words(item)}",
    stated_answer=_stated_boxes,
    agree_from=AGREE_FROM,
    asks_for="boxes in a picture",
)


ITEM_KINDS = {"points": POINTS, "boxes": BOXES}
