"""Paths: where what moves can go without touching anything, and how it gets going and stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tolman.geometry.boxes import Boxes, Floats, distances
from tolman.simulate.ground import WalkableFloor, round_path
from tolman.simulate.moving import TRACK, Pose
from tolman.simulate.walks import Walk
from tolman.simulate.world import World

if TYPE_CHECKING:
    from shapely import Polygon

RATE = 60
"""Steps a second in which a path is worked out."""
LEAST = 1.0
"""Metres that one goes at least from one place to another."""
_PLACES = 40
_FLAT = 0.03
"""Metres; one walks over what is no higher."""


def ground_of(world: World, generator: np.random.Generator, spare: float) -> WalkableFloor | None:
    """Floor for the middle of what moves, with places to go between; None where there is no room.

    Args:
        world: with what stands in it.
        generator: draws the places.
        spare: metres to keep from things beyond what a walker needs.
    """
    import shapely

    area = world.walkable.buffer(-spare)
    if area.is_empty:
        return None
    largest = max(shapely.get_parts(area), key=lambda part: float(part.area))
    low_x, low_y, high_x, high_y = largest.bounds
    drawn = generator.uniform((low_x, low_y), (high_x, high_y), (600, 2))
    inside = drawn[shapely.contains_xy(largest, drawn[:, 0], drawn[:, 1])][:_PLACES]
    ground = WalkableFloor(largest, inside)
    return ground if ground.first >= _PLACES and len(inside) > 2 else None


def travel(leg: Floats, ground: WalkableFloor) -> tuple[Floats, Floats]:
    """A way with its corners cut round, every two centimetres: metres along it (n,), and the points, shape (n, 2)."""
    line = float(np.linalg.norm(np.diff(leg, axis=0), axis=1).sum())
    along = np.linspace(0, line, max(8, int(line / 0.02)))
    return along, round_path(leg, ground, along)


def ease(share: Floats) -> Floats:
    """From 0 to 1 with a soft beginning and end, and 0 and 1 outside."""
    u = np.clip(share, 0, 1)
    return np.asarray(u + (u**2 * (3 - 2 * u) - u) * 0.6)


@dataclass
class KeepOff:
    """Obstacles: things, the floor's edge, the camera, whatever else moves.

    Attributes:
        world: with what stands in it.
        walk: of the camera.
        apart: metres to keep from the camera and from whatever else moves.
        others: where what else moves is, `RATE` times a second, each of shape (n, 2).
    """

    world: World
    walk: Walk | None
    apart: float
    others: list[Floats] = field(default_factory=list)

    def allows(self, places: Floats, parts: Sequence[tuple[Floats, Pose]], begin: float, end: float) -> bool:
        """Tell whether nothing is touched from one time to another.

        Args:
            places: where the middle is, `RATE` times a second from time 0, shape (n, 2).
            parts: the extents of each box that moves, and the pose of its middle.
            begin, end: seconds.
        """
        own = slice(round(begin * RATE), round(end * RATE) + 1)
        times = np.arange(len(places))[own] / RATE
        if self.walk is not None:
            camera = np.column_stack([np.interp(times, self.walk.times, self.walk.poses[:, i, 3]) for i in range(2)])
            if np.linalg.norm(camera - places[own], axis=1).min() < self.apart:
                return False
        if any(np.linalg.norm(other[own] - places[own], axis=1).min() < self.apart for other in self.others):
            return False
        return all(self._free(size, pose, begin, end) for size, pose in parts)

    @cached_property
    def _still(self) -> Boxes:
        """Standing things that aren't walked over."""
        standing = [thing.box for thing in self.world.scene.objects if not thing.track]
        things = [box for box in standing if box.center[2] + box.extents[2] / 2 > _FLAT]
        centers, axes, extents = (
            np.array([getattr(b, part) for b in things]) for part in ("center", "axes", "extents")
        )
        return Boxes(centers, axes, extents)

    @cached_property
    def _floor(self) -> Polygon | None:
        import shapely

        if not self.world.scene.floor:
            return None
        floor = shapely.Polygon(self.world.scene.floor[0])
        shapely.prepare(floor)
        return floor

    def _free(self, size: Floats, pose: Pose, begin: float, end: float) -> bool:
        """Tell whether a box touches nothing that stands there, and stays on the floor."""
        import shapely

        still = self._still
        moved = np.array([pose(t) for t in np.arange(begin, end, 1 / TRACK)])
        boxes = Boxes(moved[:, :3, 3], moved[:, :3, :3].transpose(0, 2, 1), np.tile(size, (len(moved), 1)))
        corners = boxes.vertices().reshape(-1, 3)
        if self._floor is not None and not shapely.contains_xy(self._floor, corners[:, 0], corners[:, 1]).all():
            return False
        # Only what is near enough to be touched.
        apart = np.linalg.norm(boxes.centers[:, None] - still.centers[None], axis=2)
        reach = np.linalg.norm(size) / 2 + np.linalg.norm(still.extents, axis=1) / 2
        mine, its = np.nonzero(apart < reach)
        return not len(mine) or bool(distances(boxes.take(mine), still.take(its)).min() > 0)
