"""Survey: what a recording shows of each object and of the room, gathered from its depth and instances.

What no camera saw can't be known from the recording. Its measure is the bound on the error of any answer that is
computed from the recording alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.rooms import room_area
from tolman.scenes import Recorded, Scene, SceneObject
from tolman.simulate.render import Frame

_CELL = 0.04
_POINTS = 800
"""Points of an object that are taken from one frame, at most. Fewer make the bounds wider, never wrong."""
_MANY_CELLS = 1_000_000
_MIDDLE = 1 << 20
"""Added to the numbers of cells, so that they are positive."""
_ANGLES = np.radians(np.arange(0.0, 90.0, 0.25))


class Survey:
    """Visibility gathered from frames.

    Args:
        scene: whose objects are seen; its numbers are those of the frames.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._ways = _directions().astype(np.float32)
        count = len(scene.objects) + 1
        self._reach = np.full((count, len(self._ways)), -np.inf)
        self._extremes = np.zeros((count, len(self._ways), 3))
        self._cells: set[int] = set()

    def add(self, frame: Frame, pose: Floats, intrinsics: tuple[float, float, float, float], stride: int) -> None:
        """Take in every `stride`-th pixel of a frame."""
        points, numbers = points_of(frame, pose, intrinsics, stride)
        self._cells.update(_cells_of(points).tolist())
        for number in np.flatnonzero(np.bincount(numbers)).tolist():
            if number:
                own = points[numbers == number]
                own = own[:: -(-len(own) // _POINTS)]
                along = self._ways @ own.T.astype(np.float32)
                best = along.argmax(1)
                value = along[np.arange(len(self._ways)), best]
                further = value > self._reach[number]
                self._reach[number, further] = value[further]
                self._extremes[number, further] = own[best[further]]

    def recorded(self) -> tuple[Recorded, ...]:
        """Every object that stays where it is and was seen at all."""
        found = []
        for number, thing in enumerate(self.scene.objects, start=1):
            if np.isfinite(self._reach[number]).all() and not thing.track:
                points = self._extremes[number]
                found.append(
                    Recorded(object=thing.id, missing=_missing(thing, points), longest=_longest(thing, points))
                )
        return tuple(found)

    def area(self) -> float | None:
        """The area of everything seen, by the alpha shape; None where too little was."""
        if len(self._cells) < 4:
            return None
        cells = np.array(sorted(self._cells))
        return room_area((np.column_stack(np.divmod(cells, 2 * _MIDDLE)) - _MIDDLE + 0.5) * _CELL)


def _cells_of(points: Floats) -> NDArray[np.int64]:
    """The numbers of the cells that points are over, each once."""
    if not len(points):
        return np.zeros(0, dtype=np.int64)
    cells = np.floor(points[:, :2] / _CELL).astype(np.int64)
    low = cells.min(0)
    wide, deep = (cells.max(0) - low + 1).tolist()
    if wide * deep > _MANY_CELLS:  # Outdoors, where a grid would be larger than what is in it.
        numbers: NDArray[np.int64] = np.unique((cells[:, 0] + _MIDDLE) * 2 * _MIDDLE + cells[:, 1] + _MIDDLE)
        return numbers
    there = np.zeros(wide * deep, dtype=bool)
    there[(cells[:, 0] - low[0]) * deep + cells[:, 1] - low[1]] = True
    along, across = np.divmod(np.flatnonzero(there), deep)
    return np.asarray((along + low[0] + _MIDDLE) * 2 * _MIDDLE + across + low[1] + _MIDDLE)


def points_of(
    frame: Frame, pose: Floats, intrinsics: tuple[float, float, float, float], stride: int = 1
) -> tuple[Floats, NDArray[np.uint16]]:
    """A frame's pixels in the scene.

    Returns:
        Points with depth, shape (n, 3), and the number of the object that each belongs to, shape (n,).
    """
    height, width = frame.depth.shape
    rows, columns = np.mgrid[0:height:stride, 0:width:stride]
    depth = frame.depth[::stride, ::stride].astype(np.float64)
    fx, fy, cx, cy = intrinsics
    local = np.stack([(columns + 0.5 - cx) / fx * depth, (rows + 0.5 - cy) / fy * depth, depth], axis=-1)
    hit = depth > 0
    return np.asarray(local[hit] @ pose[:3, :3].T + pose[:3, 3]), frame.instances[::stride, ::stride][hit]


def _directions(count: int = 128) -> Floats:
    """Unit vectors spread evenly over the sphere (a Fibonacci lattice), shape (count, 3)."""
    z = 1 - (2 * np.arange(count) + 1) / count
    around = np.pi * (1 + 5**0.5) * np.arange(count)
    flat = np.sqrt(1 - z**2)
    return np.stack([flat * np.cos(around), flat * np.sin(around), z], axis=1)


def _missing(thing: SceneObject, points: Floats) -> float:
    """The farthest that a corner of the box is from the points' convex hull, metres."""
    from scipy.optimize import nnls

    axes = np.array(thing.box.axes)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = np.array(thing.box.center) + (signs * np.array(thing.box.extents) / 2) @ axes
    weight = 100.0  # of the condition that the shares of the points add up to 1
    farthest = 0.0
    for corner in corners:
        system = np.vstack([(points - corner).T, np.full(len(points), weight)])
        shares, _ = nnls(system, np.array([0.0, 0.0, 0.0, weight]))
        nearest = shares @ points / shares.sum()
        farthest = max(farthest, float(np.linalg.norm(nearest - corner)))
    return farthest


def _longest(thing: SceneObject, points: Floats) -> tuple[float, float]:
    """The range of the longest extent of a least upright box around the recorded surface.

    Whoever fits such a box picks a direction in which the points' rectangle is no larger than the true one. In that
    direction each side is at least as long as that of these points, and at most as long as that of the box.
    """
    axes, extents = np.array(thing.box.axes), np.array(thing.box.extents)
    across = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
    sides = np.stack([across, np.stack([-across[:, 1], across[:, 0]], axis=1)])
    seen = np.ptp(points[:, :2] @ sides.transpose(0, 2, 1), axis=1)
    true = np.abs(np.einsum("sad,kd->sak", sides, axes[:, :2])) @ extents
    best = true.prod(0).min()
    # Readings may lie a hair outside the box.
    possible = seen.prod(0) <= max(best, float(seen.prod(0).min())) * 1.01
    tall = float(np.abs(axes[:, 2]) @ extents)
    low = max(float(seen.max(0)[possible].min()), float(np.ptp(points[:, 2])))
    high = max(float(true.max(0)[possible].max()), tall)
    return low, high
