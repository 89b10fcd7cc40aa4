"""Checks of the numbers of every scan, whatever its format, and the rules by which they are repaired.

| what is found | what is done |
|---|---|
| a pose with a number that isn't finite (lost tracking) | it stays in the video, shows nothing, is counted |
| all poses like that | refused |
| a pose whose axes are left-handed, or no rotation | refused: which axis is mirrored can't be known |
| a room wider than 200 m or higher than 60 m | refused: another unit than metres |
| a room less than 20 cm wide | refused, the same |
| no camera within 3 m of the mesh | refused: mesh and poses are in two frames |
| a mesh farther than 100 km from the origin | refused: rays are cast in single precision |
| fx and fy that differ by more than a tenth, unless said to be anamorphic | refused |
| a field of view below 20° or above 140° | refused |
| a middle that isn't the pictures' | refused: intrinsics of another size |

What only shows when parts of a scan are held to each other is in `consistency`.
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
FARTHEST_PLACE = 1e5
"""Metres from the origin: beyond, single precision tells places apart by no better than 1 cm."""
SUBTRACT = "subtract one offset from every position, of boxes, mesh and poses alike (in scene.json: 'origin')"
NARROWEST_VIEW, WIDEST_VIEW = 20.0, 140.0
"""Degrees across a picture's wider side, of cameras without distortion."""
_SQUARE = (0.9, 1.1)
"""fx over fy of square pixels."""
_SAME = (0.75, 1.33)
"""The middle of a picture over half its size, beyond which intrinsics are another size's if both sides say so."""
_ALIKE = 0.1
_OFF_MIDDLE = 0.9
"""Share of half a picture by which the middle may be off."""


def checked_poses(path: Path, poses: Floats, *, first: int = 0) -> tuple[Floats, list[str]]:
    """Poses camera → scene, with nan throughout where tracking was lost.

    Args:
        path: the file that they are from.
        poses: shape (n, 4, 4).
        first: the number of the first frame, for what is said.

    Returns:
        The poses, and what was repaired.

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


def check_precision(path: Path, points: Floats) -> None:
    """Hold a mesh to where rays can be cast on it, which is done in single precision.

    Raises:
        InputError: it lies farther than 100 km from the origin, as with coordinates of a survey.
    """
    far = float(np.abs(points).max(initial=0.0))
    if far > FARTHEST_PLACE:
        raise InputError(path, f"its mesh is {far:,.0f} m from the origin of its coordinates", fix=SUBTRACT)


def check_intrinsics(
    path: Path, intrinsics: NDArray[np.floating], size: tuple[int, int], *, anamorphic: bool = False
) -> None:
    """Hold intrinsics to what cameras have.

    Args:
        path: that they are from.
        intrinsics: fx, fy, cx, cy in pixels, shape (n, 4).
        size: of the pictures.
        anamorphic: whether fx and fy may differ.

    Raises:
        InputError: a focal length isn't positive, fx and fy differ, the field of view is none that cameras have, or the
            middle says that the intrinsics are of pictures of another size.
    """
    if not len(intrinsics):
        return
    if not np.isfinite(intrinsics).all() or (intrinsics[:, :2] <= 0).any():
        raise InputError(path, "its intrinsics have a focal length that isn't positive")
    middles = 2 * intrinsics[:, 2:] / np.array(size)
    across, down = (float(value) for value in np.median(middles, axis=0))
    if max(across, down) > 0 and abs(across - down) < _ALIKE * max(across, down) and not _SAME[0] < across < _SAME[1]:
        width, height = size[0] * across, size[1] * down
        raise InputError(
            path,
            f"its intrinsics are of pictures of about {width:.0f}×{height:.0f} pixels, by their middle, and the "
            f"pictures are {size[0]}×{size[1]}",
            fix=f"multiply them by {1 / across:.4g}",
        )
    if (np.abs(middles - 1) > _OFF_MIDDLE).any():
        raise InputError(path, "its intrinsics have their middle outside the picture: they are another size's")
    ratios = intrinsics[:, 0] / intrinsics[:, 1]
    if not anamorphic and ((ratios < _SQUARE[0]) | (ratios > _SQUARE[1])).any():
        at = int(np.abs(np.log(ratios)).argmax())
        raise InputError(
            path,
            f"its focal lengths differ, fx is {intrinsics[at, 0]:.4g} and fy {intrinsics[at, 1]:.4g} pixels",
            fix="correct them, or say 'anamorphic' in scene.json where its pictures are stretched",
        )
    views = np.degrees(2 * np.arctan(np.array(size) / 2 / intrinsics[:, :2])).max(1)
    for at in (int(views.argmin()), int(views.argmax())):
        if not NARROWEST_VIEW <= views[at] <= WIDEST_VIEW:
            raise InputError(
                path,
                f"its field of view is {views[at]:.1f}° (fx {intrinsics[at, 0]:.4g}, fy {intrinsics[at, 1]:.4g} pixels "
                f"for pictures of {size[0]}×{size[1]}), not {NARROWEST_VIEW:.0f}° to {WIDEST_VIEW:.0f}°",
                fix="give focal lengths in pixels of these pictures",
            )
