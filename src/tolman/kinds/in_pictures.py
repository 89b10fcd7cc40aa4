"""What points and boxes in pictures have in common: checks, scales, and how they are written and shown."""

from __future__ import annotations

import json
from typing import Any

from tolman.items import Item
from tolman.scoring.parse import OWN_FORM
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.regions.place import Place, read_place, write_boxes, write_points
from tolman.scoring.regions.scales import GREATEST, LABEL, PIXELS, SHARES, THOUSAND, Scale, asked_scale
from tolman.scoring.regions.shapes import Box, Point


def check_place(item: Item) -> str:
    """Find what is wrong with an item whose answer is a place; '' where nothing is."""
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
    """What was read as an item's answer: as shares where it is on a scale of its own, else as it is."""
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
    """What a prompt says of the scale."""
    scale = asked_scale(item)
    if scale.name == PIXELS:
        return "in pixels of the picture"
    if scale.name == SHARES:
        return "as shares of the picture's width and height, from 0 to 1"
    greatest = GREATEST.get(scale.name, GREATEST[THOUSAND])
    return f"from 0 to {greatest:.0f} across the picture's width and height"
