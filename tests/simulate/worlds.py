"""Worlds that several tests look at, built once."""

from __future__ import annotations

from functools import cache, lru_cache

from tolman.simulate.furnish import draw_plan
from tolman.simulate.furniture import Library
from tolman.simulate.interior import build_interior
from tolman.simulate.outdoors import build_street
from tolman.simulate.rooms import SHAPES
from tolman.simulate.street import KINDS, draw_street
from tolman.simulate.walks import Walk, draw_walk
from tolman.simulate.world import World

PLACES: tuple[str, ...] = (*SHAPES, *KINDS)


@lru_cache(maxsize=1)
def library() -> Library:
    return Library()


@cache
def world(place: str) -> World:
    """A room of a shape, or a street or parking lot."""
    for kind in KINDS:
        if place == kind:
            return build_street(draw_street("test/outdoors", "sensors", kind=kind))
    for shape in SHAPES:
        if place == shape:
            return build_interior(draw_plan("test/room", shape, "sensors", library()), library())
    raise ValueError(place)


@cache
def walk(place: str, seconds: float = 8.0, rate: int = 15) -> Walk:
    return draw_walk(world(place), "sensors", seconds=seconds, rate=rate)
