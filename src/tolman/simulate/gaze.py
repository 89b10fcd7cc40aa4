"""Gaze: from where, looking which way, which objects can be seen. Computed from boxes alone, so that a walk doesn't
depend on how a machine draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.simulate.world import World

EYE = 1.5
"""Height of the camera in metres."""
_GRID = 0.45
_SHRINK = 0.03
"""Metres by which occluders are thinner than their boxes: furniture doesn't fill its box."""
_FAR = 7.0
_PIXELS = 600.0
"""Pixels that an object should have in a view that is planned for it."""
_EDGE = np.radians(7)
"""Angle to a picture's edge within which nothing is counted on."""


@dataclass(frozen=True)
class Views:
    """Places to stand and ways to look.

    Attributes:
        eyes: places of the camera, shape (e, 3), metres.
        bearings: of each object's middle from each eye, radians, shape (e, n).
        shown: how much of each object is open to each eye, 0 … 1, shape (e, n); 0 where it would be too small.
        half_angle: half of the horizontal angle of view, radians.
    """

    eyes: Floats
    bearings: Floats
    shown: Floats
    half_angle: float

    def seen(self, eye: int, yaw: float, least: float = 0.35) -> NDArray[np.bool_]:
        """Find objects that are seen well from an eye that looks along `yaw` (radians), shape (n,)."""
        off = np.abs((self.bearings[eye] - yaw + np.pi) % (2 * np.pi) - np.pi)
        return np.asarray((self.shown[eye] >= least) & (off < self.half_angle - _EDGE))


def find_views(
    world: World, intrinsics: tuple[float, float, float, float], size: tuple[int, int], height: float = EYE
) -> Views:
    """All places on a grid over the walkable floor, `height` metres above it."""
    import shapely

    area = max(shapely.get_parts(world.walkable), key=lambda part: float(part.area))
    low_x, low_y, high_x, high_y = area.bounds
    x, y = np.meshgrid(np.arange(low_x, high_x, _GRID), np.arange(low_y, high_y, _GRID))
    inside = shapely.contains_xy(area, x, y)
    places = np.column_stack([x[inside], y[inside]])
    if not len(places):
        middle = shapely.point_on_surface(area)
        places = np.array([[middle.x, middle.y]])
    eyes = np.column_stack([places, np.full(len(places), height)])
    centers = np.array([thing.box.center for thing in world.scene.objects])
    bearings = np.arctan2(centers[None, :, 1] - eyes[:, None, 1], centers[None, :, 0] - eyes[:, None, 0])
    half_angle = float(np.arctan(size[0] / 2 / intrinsics[0]))
    return Views(eyes, bearings, _shown(world, eyes, intrinsics[0]), half_angle)


def _shown(world: World, eyes: Floats, focal: float) -> Floats:
    """The share of some points of each object that each eye sees."""
    import shapely

    things = world.scene.objects
    floor = shapely.Polygon(world.scene.floor[0]) if world.scene.floor else None
    if floor is not None:
        shapely.prepare(floor)
    axes = np.array([thing.box.axes for thing in things])
    centers = np.array([thing.box.center for thing in things])
    halves = np.array([thing.box.extents for thing in things]) / 2
    shown = np.zeros((len(eyes), len(things)))
    # What stands on a desk below its raised part is inside the desk's box and yet open to the eye.
    offsets = np.einsum("bij,tbj->tbi", axes, centers[:, None] - centers[None])
    holds = (np.abs(offsets) < halves).all(-1)
    for number in range(len(things)):
        targets = centers[number] + (_SAMPLES * halves[number]) @ axes[number]
        if floor is not None and not floor.contains(shapely.Point(centers[number, :2])):
            # A door or a window stands back in its wall: look at where its front would meet the room.
            targets = centers[number] + (_FRONT * halves[number] + (0.0, 0.15, 0.0)) @ axes[number]
        for e, eye in enumerate(eyes):
            distance = float(np.linalg.norm(centers[number] - eye))
            face = np.sort(halves[number])[1:].prod() * 4
            if distance > _FAR or face * (focal / max(distance, 0.3)) ** 2 < _PIXELS:
                continue
            others = ~holds[number]
            blocked = _blocked(eye, targets, centers[others], axes[others], np.maximum(halves[others] - _SHRINK, 1e-3))
            if floor is not None:
                lines = shapely.linestrings(np.stack([np.tile(eye[:2], (len(targets), 1)), targets[:, :2]], axis=1))
                blocked |= ~shapely.covers(floor, lines)
            shown[e, number] = 1.0 - blocked.mean()
    return shown


_SAMPLES = np.array(
    [[x, y, z] for x in (-0.6, 0.6) for y in (-0.6, 0.6) for z in (-0.6, 0.6)] + [[0, 0, 0.8], [0, 0, 0]]
)
_FRONT = np.array([[x, 1.0, z] for x in (-0.6, 0.0, 0.6) for z in (-0.6, 0.0, 0.6)])


def _blocked(eye: Floats, targets: Floats, centers: Floats, axes: Floats, halves: Floats) -> NDArray[np.bool_]:
    """Tell whether boxes stand between an eye and points (slab test), shape (targets,)."""
    if not len(centers):
        return np.zeros(len(targets), dtype=bool)
    origin = np.einsum("bij,bj->bi", axes, eye - centers)[:, None]
    ways = np.einsum("bij,tj->bti", axes, targets - eye)
    safe = np.where(np.abs(ways) < 1e-12, 1e-12, ways)
    one, two = (-halves[:, None] - origin) / safe, (halves[:, None] - origin) / safe
    enter, leave = np.minimum(one, two).max(-1), np.maximum(one, two).min(-1)
    return np.asarray(((enter < leave) & (leave > 0) & (enter < 0.98)).any(0))
