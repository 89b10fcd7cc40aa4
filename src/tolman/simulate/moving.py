"""Moving things as ground truth: their boxes and their tracks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.scenes import OrientedBox, SceneObject, TrackPoint, Vector
from tolman.simulate.figure import Limb, stance
from tolman.simulate.mesh import Mesh, placed

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
        axes = matrix[:3, :3].T
        points.append(TrackPoint(seconds=number / TRACK, center=_vector(matrix[:3, 3]), axes=_axes(axes)))
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


def _vector(numbers: Floats) -> Vector:
    x, y, z = (float(number) for number in numbers)
    return x, y, z


def _axes(matrix: Floats) -> tuple[Vector, Vector, Vector]:
    return _vector(matrix[0]), _vector(matrix[1]), _vector(matrix[2])
