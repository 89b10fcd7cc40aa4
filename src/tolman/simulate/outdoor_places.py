"""Outdoor places by the names of their shapes."""

from __future__ import annotations

from tolman.errors import UsageError
from tolman.simulate.courtyards import draw_courtyard
from tolman.simulate.open_places import OPEN_KINDS
from tolman.simulate.open_worlds import build_open_place
from tolman.simulate.outdoors import build_street
from tolman.simulate.parks import draw_park
from tolman.simulate.street import draw_street
from tolman.simulate.street_ground import KINDS
from tolman.simulate.world import World

OUTDOOR_SHAPES: tuple[str, ...] = (*KINDS, *OPEN_KINDS)
"""Shapes of places without a roof."""


def outdoor_place(shape: str, identity: str, seed: str, objects: int = 26) -> tuple[World, tuple[str, ...]]:
    """A world of one of the OUTDOOR_SHAPES, and notes of what was asked for and didn't fit.

    Args:
        shape: which.
        identity: the scene's id.
        seed: of all that is drawn.
        objects: how many things are asked for.

    Raises:
        UsageError: there is no such shape.
    """
    for kind in KINDS:
        if shape == kind:
            street = draw_street(identity, seed, kind=kind, objects=objects)
            return build_street(street), street.notes
    if shape not in OPEN_KINDS:
        raise UsageError(f"'{shape}' is no shape outdoors; known: {', '.join(OUTDOOR_SHAPES)}.")
    draw = draw_park if shape == "park" else draw_courtyard
    place = draw(identity, seed, objects=objects)
    return build_open_place(place), place.notes
