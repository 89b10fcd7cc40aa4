"""What is held to the numbers of every scan, whatever its format, and the rules by which they are mended.

| what is found | what is done |
|---|---|
| a pose with a number that isn't finite (lost tracking) | it stays in the video, shows nothing, is counted |
| all poses like that | refused |
| a pose whose axes are left-handed, or no rotation | refused: which axis is mirrored can't be known |
| a room wider than 200 m or higher than 60 m | refused: another unit than metres |
| a room less than 20 cm wide | refused, the same |
| no camera within 3 m of the mesh | refused: mesh and poses are in two frames |
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats

_RIGID = 0.02
"""The most that the product of a rotation with its transpose may be off; text files have few digits."""
_WIDEST, _HIGHEST, _NARROWEST = 200.0, 60.0, 0.2
_NEAR = 3.0
_FARTHEST = 1e7


def checked_poses(path: Path, poses: Floats, *, first: int = 0) -> tuple[Floats, list[str]]:
    """Poses camera → scene, with nan throughout where tracking was lost.

    Args:
        path: the file that they are from.
        poses: shape (n, 4, 4).
        first: the number of the first frame, for what is said.

    Returns:
        The poses, and what was mended.

    Raises:
        InputError: one is mirrored or no rigid transform.
    """
    found = np.array(poses, dtype=np.float64)
    lost = np.asarray(~np.isfinite(found).all((1, 2)))
    found[lost] = np.nan
    turns = found[~lost, :3, :3]
    numbers = np.flatnonzero(~lost) + first
    with np.errstate(all="ignore"):
        off = np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max((1, 2), initial=0.0)
        ends = np.abs(found[~lost, 3] - (0, 0, 0, 1)).max(1, initial=0.0)
        mirrored = np.linalg.det(turns) < 0
    far = np.abs(found[~lost, :3, 3]).max(1, initial=0.0) > _FARTHEST
    for wrong, what in (
        (~(off <= _RIGID), "is no rotation"),
        (~(ends <= _RIGID), "has another last row than 0 0 0 1"),
        (mirrored, "is mirrored: its axes are left-handed"),
        (far, "is farther than 10,000 km away"),
    ):
        if wrong.any():
            raise InputError(path, f"the pose of frame {numbers[int(wrong.argmax())]} {what}")
    if lost.all() and len(lost):
        raise InputError(path, f"none of its {len(lost):,} frames has a pose: tracking was lost throughout")
    said = f"{path.name}: {int(lost.sum()):,} of {len(lost):,} frames have no pose (lost tracking); they show nothing"
    return found, [said] if lost.any() else []


def check_scale(path: Path, points: Floats) -> None:
    """Hold the size of a room to what rooms are.

    Args:
        path: the file that it is from.
        points: of its surface, or its boxes' corners, shape (n, 3).

    Raises:
        InputError: it is too large or too small.
    """
    if not len(points):
        return
    spans = np.ptp(points, axis=0)
    wide, high = float(spans[:2].max()), float(spans[2])
    if wide > _WIDEST or high > _HIGHEST:
        raise InputError(
            path,
            f"the room is {wide:,.0f} m wide and {high:,.0f} m high: its numbers are in another unit than metres",
            fix="give it in metres, with its poses",
        )
    if max(wide, high) < _NARROWEST:
        raise InputError(
            path,
            f"the room is {100 * wide:.2g} cm wide: its numbers are in another unit than metres",
            fix="give it in metres, with its poses",
        )


def check_together(path: Path, points: Floats, poses: Floats) -> None:
    """Hold a mesh and the poses to one frame.

    Raises:
        InputError: no camera is near the mesh.
    """
    places = poses[np.isfinite(poses).all((1, 2)), :3, 3]
    if not len(places) or not len(points):
        return
    low, high = points.min(0) - _NEAR, points.max(0) + _NEAR
    if not ((places >= low) & (places <= high)).all(1).any():
        raise InputError(
            path, f"no camera is within {_NEAR:.0f} m of the mesh: mesh and poses are in two frames or units"
        )


def check_intrinsics(path: Path, intrinsics: NDArray[np.floating], size: tuple[int, int]) -> None:
    """Hold intrinsics to what cameras have.

    Raises:
        InputError: a focal length is not positive, or the middle is far outside the picture.
    """
    if not len(intrinsics):
        return
    if not np.isfinite(intrinsics).all() or (intrinsics[:, :2] <= 0).any():
        raise InputError(path, "its intrinsics have a focal length that isn't positive")
    if (np.abs(intrinsics[:, 2:] - np.array(size) / 2) > np.array(size)).any():
        raise InputError(path, "its intrinsics have their middle outside the picture: they are another size's")
