"""A scene's floor plan as a page shows it: drawn by the template, so that its things can be pressed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tolman.generate.geometry import SceneGeometry
from tolman.geometry.boxes import Floats
from tolman.geometry.shadows import outline

_WIDTH = 560.0
"""Units of the drawing."""
_MARGIN = 24.0
_LETTER = 7.5
"""Units that a letter of a name is wide."""


@dataclass(frozen=True)
class Thing:
    """An object from above.

    Attributes:
        category: what it is.
        points: of its outline, as SVG writes them.
        x, y: its middle.
        name: what is written on it; '' where there is no room.
        unique: whether a route may name it.
    """

    category: str
    points: str
    x: float
    y: float
    name: str
    unique: bool


@dataclass(frozen=True)
class FloorView:
    """A drawing, with north (the scene's y) at the top.

    Attributes:
        width, height: in units.
        floor: SVG path of the floor's rings.
        things: the largest first.
        metre: units that are one metre.
    """

    width: float
    height: float
    floor: str
    things: tuple[Thing, ...]
    metre: float


def plan_of(geometry: SceneGeometry) -> FloorView:
    """The plan of a scene that has objects and a floor."""
    scene = geometry.scene
    shadows = [outline(thing.box) for thing in scene.objects]
    rings = [np.array(ring, dtype=np.float64) for ring in scene.floor]
    points = np.concatenate([*shadows, *rings])
    low, high = points.min(0), points.max(0)
    metre = (_WIDTH - 2 * _MARGIN) / max(float(high[0] - low[0]), 0.5 * float(high[1] - low[1]), 0.5)

    def at(point: Sequence[float]) -> tuple[float, float]:
        x, y = float(point[0]), float(point[1])
        return round(_MARGIN + (x - float(low[0])) * metre, 1), round(_MARGIN + (float(high[1]) - y) * metre, 1)

    def path(ring: Sequence[Sequence[float]]) -> str:
        return "M" + " L".join(f"{x:g} {y:g}" for x, y in map(at, ring)) + " Z"

    order = sorted(range(len(shadows)), key=lambda i: -_area(shadows[i]))
    unique = set(geometry.unique)
    taken: list[tuple[float, float, float]] = []
    names: dict[int, str] = {}
    for i in reversed(order):  # the smallest first: of two that are in each other's way, the larger has other room
        x, y = at(shadows[i].mean(0))
        name = scene.objects[i].category[:24]
        half = len(name) * _LETTER / 2
        if all(abs(y - other) > 14 or abs(x - across) > half + width for across, other, width in taken):
            taken.append((x, y, half))
            names[i] = name
    things = []
    for i in order:
        x, y = at(shadows[i].mean(0))
        corners = " ".join(f"{a:g},{b:g}" for a, b in map(at, shadows[i].tolist()))
        category = scene.objects[i].category
        things.append(Thing(category, corners, x, y, names.get(i, ""), category in unique))
    height = math.ceil(2 * _MARGIN + float(high[1] - low[1]) * metre)
    return FloorView(_WIDTH, height, " ".join(path(ring.tolist()) for ring in rings), tuple(things), round(metre, 1))


def way(plan: FloorView, stops: Sequence[str]) -> list[tuple[float, float]]:
    """Points of a route's stops on a plan; those that aren't on it are left out."""
    places = {thing.category: (thing.x, thing.y) for thing in plan.things}
    return [places[name] for name in stops if name in places]


def _area(ring: Floats) -> float:
    x, y = ring[:, 0], ring[:, 1]
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)
