"""Moving objects: their boxes and tracks as ground truth, and where they can go without touching anything.

An object's motion along its path eases in and out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import shapely

from tolman.geometry.boxes import Boxes, Floats, distances
from tolman.scenes import OrientedBox, SceneObject, TrackPoint, Vector
from tolman.simulate.human_figure import Limb, stance
from tolman.simulate.mesh import Mesh, placed
from tolman.simulate.path_geometry import WalkableFloor, round_path
from tolman.simulate.walks import Walk
from tolman.simulate.world import World

if TYPE_CHECKING:
    from shapely import Polygon


TRACK = 10
"""Points of a track a second."""
_SPARE = 0.01
"""Metres by which a person's box is larger than what it was measured at."""
Pose = Callable[[float], Floats]


def moving_object(identity: str, category: str, size: Floats, pose: Pose, seconds: float) -> SceneObject:
    """A moving thing as ground truth: `pose` is of its box's middle."""
    points = []
    for number in range(int(np.ceil(seconds * TRACK)) + 1):
        matrix = pose(number / TRACK)
        right, ahead, up = map(_vector, matrix[:3, :3].T)
        points.append(TrackPoint(seconds=number / TRACK, center=_vector(matrix[:3, 3]), axes=(right, ahead, up)))
    box = OrientedBox(center=points[0].center, axes=points[0].axes, extents=_vector(size))
    return SceneObject(id=identity, category=category, box=box, track=tuple(points))


def shift(pose: Pose, middle: Floats, seconds: float) -> Floats:
    """The pose of a point of a moving thing, given in the thing's own coordinates."""
    return np.asarray(pose(seconds) @ placed(middle))


def reach_of(body: Mesh, limbs: tuple[Limb, ...]) -> Floats:
    """Least and greatest coordinates of a figure over all that it does, from the ground below it, shape (2, 3)."""
    bounds = []
    for swing in np.linspace(-1, 1, 9):
        lift = np.array([0.0, 0.0, stance(float(swing))])
        bounds.append(body.bounds + lift)
        for limb in limbs:
            for raised in np.linspace(0, 1, 9) if limb.arm else (0.0,):
                bounds.append(limb.mesh.moved(limb.pose(float(swing), float(raised))).bounds + lift)
    low, high = np.min([b[0] for b in bounds], axis=0), np.max([b[1] for b in bounds], axis=0)
    return np.array([low - _SPARE, high + _SPARE])


class WalkingFigure(ABC):
    """The poses of a figure on its way: metres in the scene, at a time in seconds."""

    @abstractmethod
    def person(self, seconds: float) -> Floats:
        """The transform of the ground below the person, facing as it does."""

    @abstractmethod
    def stride(self, seconds: float) -> tuple[float, float]:
        """How far the legs swing, -1 … 1, and the arms are raised, 0 … 1."""

    def body(self, seconds: float) -> Floats:
        """The transform of the person's body, which a step lifts and lowers."""
        return np.asarray(self.person(seconds) @ placed((0.0, 0.0, stance(self.stride(seconds)[0]))))

    def limb(self, limb: Limb, seconds: float) -> Floats:
        """The transform of one of the person's limbs."""
        return np.asarray(self.body(seconds) @ limb.pose(*self.stride(seconds)))


def followed(thing: SceneObject, times: Floats) -> Floats:
    """Positions of something that moves at some times, shape (n, 2)."""
    known = np.array([[point.seconds, *point.center] for point in thing.track])
    return places_at(known[:, 0], known[:, 1:], times)


def places_at(known: Floats, places: Floats, times: Floats) -> Floats:
    """Places on the floor plan at some times, straight between those at known times, shape (n, 2)."""
    return np.column_stack([np.interp(times, known, places[:, i]) for i in range(2)])


def _vector(numbers: Floats) -> Vector:
    x, y, z = (float(number) for number in numbers)
    return x, y, z


RATE = 60
"""Steps a second in which a path is worked out."""
LEAST = 1.0
"""Metres that one goes at least from one place to another."""
_PLACES = 40
_FLAT = 0.03
"""Metres; one walks over what is no higher."""


def ground_of(world: World, generator: np.random.Generator, spare: float) -> WalkableFloor | None:
    """Return floor for the middles of moving things, with places to go between; None where there is no room.

    Args:
        world: with its obstacles.
        generator: draws the places.
        spare: metres to keep from things in addition to a walker's.
    """
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
    """Obstacles: things, the floor's edge, the camera, other moving things.

    Attributes:
        world: with its obstacles.
        walk: of the camera.
        apart: metres to keep from the camera and from other moving things.
        others: places of other moving things, `RATE` times a second, each of shape (n, 2).
    """

    world: World
    walk: Walk | None
    apart: float
    others: list[Floats] = field(default_factory=list)

    def allows(self, places: Floats, parts: Sequence[tuple[Floats, Pose]], begin: float, end: float) -> bool:
        """Check that nothing is touched from one time to another.

        Args:
            places: where the middle is, `RATE` times a second from time 0, shape (n, 2).
            parts: the extents of each box that moves, and the pose of its middle.
            begin, end: seconds.
        """
        own = slice(round(begin * RATE), round(end * RATE) + 1)
        times = np.arange(len(places))[own] / RATE
        if self.walk is not None:
            camera = places_at(self.walk.times, self.walk.poses[:, :2, 3], times)
            if np.linalg.norm(camera - places[own], axis=1).min() < self.apart:
                return False
        if any(np.linalg.norm(other[own] - places[own], axis=1).min() < self.apart for other in self.others):
            return False
        return all(self._free(size, pose, begin, end) for size, pose in parts)

    @cached_property
    def _still(self) -> Boxes:
        """Static things that aren't walked over."""
        standing = [thing.box for thing in self.world.scene.objects if not thing.track]
        things = [box for box in standing if box.center[2] + box.extents[2] / 2 > _FLAT]
        return Boxes(*(np.array([getattr(box, part) for box in things]) for part in ("center", "axes", "extents")))

    @cached_property
    def _floor(self) -> Polygon | None:
        if not self.world.scene.floor:
            return None
        floor = shapely.Polygon(self.world.scene.floor[0])
        shapely.prepare(floor)
        return floor

    def _free(self, size: Floats, pose: Pose, begin: float, end: float) -> bool:
        """Check that a box touches no obstacle, and stays on the floor."""
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
