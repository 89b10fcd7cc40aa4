"""Plan: things and their places. Numbers alone, so that the same seed gives the same plan on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely import Polygon

from tolman.geometry.boxes import Floats
from tolman.scenes import OrientedBox, SceneObject, Vector
from tolman.simulate.room_shells import Opening, Room, Shell, Wall


@dataclass(frozen=True)
class Placed:
    """One thing in its place.

    Attributes:
        id: unique in its scene.
        category: as questions name it.
        model: a piece of the furniture library, or a body that is made in code.
        center: of its box, metres.
        yaw: counter-clockwise, radians; at 0 its front is along +y.
        size: width, depth, height in metres.
    """

    id: str
    category: str
    model: str
    center: Vector
    yaw: float
    size: Vector

    @property
    def low(self) -> float:
        """Lower end above the floor, metres."""
        return self.center[2] - self.size[2] / 2

    @property
    def high(self) -> float:
        """Upper end above the floor, metres."""
        return self.center[2] + self.size[2] / 2

    @property
    def footprint(self) -> Polygon:
        """Its box on the floor plan."""
        return shapely.Polygon(rectangle(self.center[:2], self.yaw, self.size[0], self.size[1]))

    @property
    def box(self) -> OrientedBox:
        """Its oriented bounding box."""
        c, s = float(np.cos(self.yaw)), float(np.sin(self.yaw))
        return OrientedBox(center=self.center, axes=((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)), extents=self.size)

    @property
    def scene_object(self) -> SceneObject:
        """It as ground truth."""
        return SceneObject(id=self.id, category=self.category, box=self.box)


@dataclass(frozen=True)
class FloorLayout:
    """A furnished shell.

    Attributes:
        id: the scene's.
        theme: the kind of each room.
        shell: rooms.
        placed: everything that is asked about, doors and windows included.
        notes: requested things that didn't fit.
        style: seed of colours and materials.
        lamps: where lamps hang under the ceiling, x and y, for each room.
        twins: for each twin, the things in which it differs from the others; none without twins.
        shared: ids of the things in `placed` that these take the place of.
    """

    id: str
    theme: tuple[str, ...]
    shell: Shell
    placed: tuple[Placed, ...]
    notes: tuple[str, ...] = ()
    style: int = 0
    lamps: tuple[tuple[tuple[float, float], ...], ...] = ()
    twins: tuple[tuple[Placed, ...], ...] = ()
    shared: tuple[str, ...] = ()


def counts_of(things: Sequence[Placed]) -> dict[str, int]:
    """The number of things of each category."""
    return dict(Counter(thing.category for thing in things))


def rectangle(center: tuple[float, float], yaw: float, width: float, depth: float) -> Floats:
    """The corners of a turned rectangle, counter-clockwise, shape (4, 2)."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, depth / 2)
    return np.asarray(corners @ _turn(yaw).T + np.asarray(center))


def scaled(size: Vector, *by: float) -> Vector:
    """A size times one factor, or three, to the millimetre."""
    width, depth, height = np.round(np.array(size) * by, 3).tolist()
    return width, depth, height


def turned(plan: FloorLayout, yaw: float) -> FloorLayout:
    """Turn the whole plan about the origin: no scan is aligned with its axes."""
    matrix = _turn(yaw)

    def point(p: tuple[float, float]) -> tuple[float, float]:
        x, y = matrix @ np.asarray(p)
        return float(x), float(y)

    def wall(w: Wall) -> Wall:
        return replace(w, a=point(w.a), b=point(w.b))

    rooms = tuple(Room(tuple(point(p) for p in r.outline), tuple(wall(w) for w in r.walls)) for r in plan.shell.rooms)
    passages = tuple(tuple(point(p) for p in passage) for passage in plan.shell.passages)
    shell = replace(plan.shell, rooms=rooms, passages=passages)
    lamps = tuple(tuple(point(place) for place in room) for room in plan.lamps)
    twins = tuple(turn_things(own, yaw) for own in plan.twins)
    return replace(plan, shell=shell, placed=turn_things(plan.placed, yaw), lamps=lamps, twins=twins)


def turn_things(things: Sequence[Placed], yaw: float) -> tuple[Placed, ...]:
    """Things turned together about the origin."""
    middles = np.array([p.center[:2] for p in things]) @ _turn(yaw).T
    return tuple(
        replace(p, center=(float(x), float(y), p.center[2]), yaw=p.yaw + yaw)
        for p, (x, y) in zip(things, middles, strict=True)
    )


def fixtures(shell: Shell) -> list[Placed]:
    """The doors and windows of a shell as things that can be asked about."""
    found: list[Placed] = []
    for room in shell.rooms:
        for wall in room.walls:
            for opening in wall.openings:
                if opening.kind != "passage":
                    found.append(_fixture(wall, opening, sum(p.category == opening.kind for p in found)))
    return found


FRAME = 0.06
"""Depth in metres of doors' leaves and windows' frames."""
RECESS = 0.08
"""Metres by which they stand back behind the wall's face."""


def _fixture(wall: Wall, opening: Opening, number: int) -> Placed:
    x, y = wall.point((opening.start + opening.end) / 2, -RECESS - FRAME / 2)
    yaw = float(np.arctan2(wall.along[1], wall.along[0]))
    size = (opening.end - opening.start, FRAME, opening.high - opening.low)
    height = (opening.low + opening.high) / 2
    return Placed(f"{opening.kind}-{number}", opening.kind, opening.kind, (float(x), float(y), height), yaw, size)


def _turn(yaw: float) -> Floats:
    return np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
