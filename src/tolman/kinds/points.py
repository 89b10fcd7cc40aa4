"""Points in a picture: any that lie in the right region, or near the right points.

The answer is a place (`scoring.regions.place`): a box, boxes, a polygon or a mask, or points with `within`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tolman.items import Item
from tolman.kinds.in_pictures import (
    check_place,
    on_scale,
    oracle_place,
    scale_in_words,
    shown_box,
    shown_point,
    shown_scale,
    stored_place,
)
from tolman.scoring.item_kind import ItemKind
from tolman.scoring.metrics import places
from tolman.scoring.parse import read_careful_points
from tolman.scoring.regions.agreement import regions_of
from tolman.scoring.regions.place import Place, read_place
from tolman.scoring.regions.scales import GREATEST, SHARES, Scale, asked_scale
from tolman.scoring.regions.shapes import Box, Mask, Point, Polygon

GUESSES_ACROSS = 16
"""Guessed points in a row and in a column, spread evenly over the picture."""


@lru_cache(maxsize=4096)
def _level(answer: str) -> float:
    """The expected score of a point anywhere in the picture."""
    item = Item.model_construct(id="", question="", kind="points", answer=answer, task="")
    drawn = [places.share_inside(item, read_careful_points(item, text)) for text in _guessed(Scale(SHARES), None)]
    return sum(drawn) / len(drawn)


@lru_cache(maxsize=64)
def _guessed(scale: Scale, size: tuple[float, float] | None) -> tuple[str, ...]:
    steps = [(i + 0.5) / GUESSES_ACROSS for i in range(GUESSES_ACROSS)]
    return tuple(written([(x, y)], scale, size) for y in steps for x in steps)


def _guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
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


def _right_response(item: Item) -> str:
    """A point inside the region, or all right points; where it would be rounded out of the region, the answer."""
    place = read_place(item.answer)
    points = place.points or (regions_of(place)[0].middle,)
    shares = [(x / place.size[0], y / place.size[1]) for x, y in points]
    said = written(shares, *shown_scale(item))
    reading = read_careful_points(item, said)
    return said if reading.value is not None and places.share_inside(item, reading) == 1.0 else item.answer


def _answer_text(item: Item) -> str:
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


def released_place(text: str) -> str:
    """A place as JSON; also a list of points as shares of the picture.

    Raises:
        ValueError: the text is none.
    """
    stripped = text.strip()
    if stripped.startswith("{"):
        read_place(stripped)
        return stripped
    nothing = Item.model_construct(id="", question="", kind="points", answer="", task="")
    found = stated_place(nothing, stripped)
    if found is None:
        raise ValueError(f"the answer {text[:40]!r} is no place in a picture")
    return found


KIND = ItemKind(
    name="points",
    title="points in a picture",
    check=check_place,
    read=read_careful_points,
    metric=places.POINTS_INSIDE,
    chance=lambda item: _level(item.answer),
    guesses=_guesses,
    oracle_text=oracle_place,
    answer_text=_answer_text,
    right_response=_right_response,
    demand=lambda item: (
        f"Answer with the points only, as a JSON list of {pair_in_words(item)}, with x and y {scale_in_words(item)}."
    ),
    judge_request=lambda item: (
        "Reply with the points that the response gives, copied as they are with all their digits, and nothing else."
    ),
    is_graded=True,
    widget="points",
    released_answer=released_place,
    answer_form=lambda item: f"a JSON list of points {pair_in_words(item)}, {scale_in_words(item)}",
    stated_answer=stated_place,
    asks_for="points in a picture",
)
