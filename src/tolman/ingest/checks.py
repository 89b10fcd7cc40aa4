"""Checks of the numbers of every scan, in any format, and the rules by which they are repaired.

| what is found | what is done |
|---|---|
| a pose with a number that isn't finite (lost tracking) | it stays in the video, shows nothing, is counted |
| all poses like that | refused |
| a pose over 20 m from a room's usual place, and ten times as far as nine of ten frames | as a lost one |
| a pose whose axes are left-handed, or no rotation | refused: which axis is mirrored can't be known |
| a room wider than 200 m or higher than 60 m | refused: another unit than metres |
| a sensor that moves over 150 m/s, or over 200 m in a room; points mostly over 1 km from it | refused, the same |
| a room less than 20 cm wide | refused, the same |
| no camera within 3 m of the mesh | refused: mesh and poses are in two frames |
| a mesh farther than 100 km from the origin | refused: rays are cast in single precision |
| fx and fy that differ by more than a tenth, unless said to be anamorphic | refused |
| a field of view below 20° or above 140° | refused |
| a middle that isn't the pictures' | refused: intrinsics of another size |
| masks of another shape than the pictures, or with none of the objects' numbers | refused |
| a room below 2 m², or cameras that move less than 30 cm in all | ingested with a note that the unit may be wrong |
| a given area of a room over five times that of its mesh, or below a fifth | ingested with a note |

Checks of parts of a scan against each other are in `consistency`.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.geometry.motion import in_frames
from tolman.ingest.scan_format import CameraRecording

_RIGID = 0.02
"""The most that the product of a rotation with its transpose may be off; text files have few digits."""
_WIDEST, _HIGHEST, _NARROWEST = 200.0, 60.0, 0.2
_NEAR = 3.0
_SMALLEST_ROOM, _LEAST_MOVED, _STILL = 2.0, 0.3, 1e-6
"""Square metres of a room, and metres that a camera moves, below which the unit is doubted; metres that are no move."""
_JUMP, _TIMES = 20.0, 10.0
"""Metres from the middle of a camera's places, and times the distance of nine of ten, beyond which tracking jumped."""
_AREAS = 5.0
"""Times that a room's given area may be above or below that of its mesh without a note."""
_FASTEST, _REACH = 150.0, 1000.0
"""Metres a second of a carrier of sensors, and metres to most points of a LiDAR, beyond which the unit is another."""
_LONGEST, _SLOWEST = 12 * 3600.0, 10.0
"""Seconds that a recording lasts, and that lie between its frames, at most."""
_APART = (1e-3, 1.0)
"""Seconds that usually lie between frames, clouds or poses."""
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
_MASKS = 12
"""Masks of a camera that are looked at; the others only until one of them holds an object's number."""
_SHAPES = 0.02
"""Share of its width by which a mask may differ from the pictures' shape."""
_VALUES = 8
"""Values of masks that a sentence names."""


def checked_poses(path: Path, poses: Floats) -> tuple[Floats, list[str]]:
    """Return poses camera → scene, with nan throughout where tracking was lost.

    Args:
        path: the file that they are from.
        poses: shape (n, 4, 4).

    Returns:
        The poses, and the repairs.

    Raises:
        InputError: one is mirrored or no rigid transform.
    """
    found = np.array(poses, dtype=np.float64)
    lost = np.asarray(~np.isfinite(found).all((1, 2)))
    found[lost] = np.nan
    turns = found[~lost, :3, :3]
    numbers = np.flatnonzero(~lost)
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
        raise InputError(path, f"none of its {counted(len(lost), 'frame')} has a pose: tracking was lost throughout")
    have = "has no pose (lost tracking) and shows" if lost.sum() == 1 else "have no pose (lost tracking); they show"
    said = f"{path.name}: {int(lost.sum()):,} of {len(lost):,} frames {have} nothing"
    return found, [said] if lost.any() else []


def without_jumps(path: Path, poses: Floats) -> tuple[Floats, list[str]]:
    """Return a camera's poses in a room, with nan throughout where tracking jumped far away.

    Args:
        path: the file that they are from.
        poses: camera → scene in metres, nan where tracking was lost, shape (n, 4, 4).

    Returns:
        The poses, and the repairs.
    """
    tracked = np.flatnonzero(np.isfinite(poses).all((1, 2)))
    places = poses[tracked, :3, 3]
    if not len(tracked):
        return poses, []
    off = np.linalg.norm(places - np.median(places, axis=0), axis=1)
    far = off > max(_JUMP, _TIMES * float(np.quantile(off, 0.9, method="lower")))
    if not far.any():
        return poses, []
    found = poses.copy()
    found[tracked[far]] = np.nan
    of = f"of {len(poses):,} poses"
    said = (
        f"{path.name}: {counted(int(far.sum()), f'{of} is', f'{of} are')} far from all others, the first of them "
        f"{off[far][0]:,.0f} m (frame {tracked[far][0]}); these frames show nothing"
    )
    return found, [said]


def check_scale(path: Path, points: Floats) -> None:
    """Check the size of a room against usual ones.

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
            f"the room is {wide:,.0f} m wide and {high:,.0f} m high: its numbers are in another unit than metres"
            f"{in_millimetres(wide)}",
            fix="give it in metres, with its poses (in scene.json: or say its 'unit')",
        )
    if max(wide, high) < _NARROWEST:
        raise InputError(
            path,
            f"the room is {100 * wide:.2g} cm wide: its numbers are in another unit than metres",
            fix="give it in metres, with its poses",
        )


def in_millimetres(metres: float) -> str:
    """Return a length that is too large for metres as if in millimetres, in brackets."""
    return f" (in millimetres, {metres:,.0f} is {metres / 1000:,.3g} m)"


def check_track(path: Path, times: Floats, poses: Floats, *, outdoors: bool) -> None:
    """Hold the way of a sensor to metres and seconds.

    Args:
        path: the file that it is from.
        times: seconds, rising, shape (n,).
        poses: sensor → scene, shape (n, 4, 4).
        outdoors: whether it may be longer than rooms are.

    Raises:
        InputError: it is too fast, or too long.
    """
    places = poses[:, :3, 3]
    far = float(np.ptp(places, axis=0).max(initial=0.0)) if len(places) else 0.0
    speed = float(np.median(np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times))) if len(places) > 1 else 0
    unit = f"its positions are in another unit than metres{in_millimetres(far)}"
    if speed > _FASTEST:
        what = f"its sensor moves at {speed:,.0f} m/s: {unit}, or its times in another than seconds"
        raise InputError(path, what, fix="give metres and seconds")
    if far > _WIDEST and not outdoors:
        what = f"its sensor moves {far:,.0f} m through a room: {unit}"
        raise InputError(path, what, fix="give it in metres, or say 'outdoors' in rig.json")


def check_reach(path: Path, points: Floats) -> None:
    """Check that a LiDAR's points are in metres.

    Args:
        path: the file that it is from.
        points: in the sensor's coordinates, shape (n, 3).

    Raises:
        InputError: most of it is farther away than a LiDAR reaches.
    """
    far = float(np.median(np.linalg.norm(points, axis=1))) if len(points) else 0.0
    if far > _REACH:
        raise InputError(
            path,
            f"half of its points are over {far:,.0f} m from the sensor: they are in another unit than metres"
            f"{in_millimetres(far)}",
            fix="give clouds, trajectory and calibration in metres",
        )


def is_too_long(times: Floats) -> bool:
    """Check whether a recording with frames at some times, rising, lasts longer than recordings do."""
    seconds = float(times[-1] - times[0]) if len(times) else 0.0
    return seconds > _LONGEST or seconds > _SLOWEST * len(times) + 60


def check_seconds(path: Path, times: Floats) -> None:
    """Hold the times of poses or rates to seconds.

    Args:
        path: the file that they are from.
        times: rising, shape (n,).

    Raises:
        InputError: they span over 12 hours, and in another unit would be as close as those of sensors are.
    """
    seconds = float(times[-1] - times[0]) if len(times) else 0.0
    if seconds > _LONGEST and (doubt := seconds_doubted(times)):
        raise InputError(path, f"lasts {seconds:,.0f} s: its times {doubt}", fix="give them in seconds")


def seconds_doubted(times: Floats) -> str:
    """Find the unit that times seem to be in, as the rest of a sentence; '' where they seem to be seconds.

    Args:
        times: rising, shape (n,).
    """
    gaps = np.diff(times)
    gaps = gaps[gaps > 0]
    apart = float(np.median(gaps)) if len(gaps) else 0.0
    for unit, seconds in (("milliseconds", 1e-3), ("microseconds", 1e-6), ("nanoseconds", 1e-9)):
        if apart > _APART[1] and _APART[0] < apart * seconds <= _APART[1]:
            return f"are {apart:,.0f} s apart and may be {unit}"
    return ""


def clocks_apart(what: str, times: Floats, poses: Floats) -> str:
    """Describe two clocks that have no time in common, as the rest of a sentence.

    Args:
        what: has the first times.
        times, poses: seconds, rising, at least one of each.
    """
    doubts = ((what, seconds_doubted(times)), ("the trajectory", seconds_doubted(poses)))
    units = "".join(f"; those of {who} {doubt}" for who, doubt in doubts if doubt)
    spans = f"{what} are from {times[0]:.3f} to {times[-1]:.3f} s and the trajectory from {poses[0]:.3f} to "
    return f"{spans}{poses[-1]:.3f} s, so their clocks or units differ{units}"


def scale_doubts(area: float | None, trajectories: Sequence[Floats]) -> list[str]:
    """Find signs that lengths aren't in metres, as notes.

    Args:
        area: of the room, square metres; None where there is none.
        trajectories: camera → scene of each recording, shape (n, 4, 4); a camera on a tripod says nothing.
    """
    notes = []
    if area is not None and area < _SMALLEST_ROOM:
        notes.append(f"the room has only {area:.2g} m²: check the unit, or give it as unknown")
    moves = []
    for poses in trajectories:
        places = poses[np.isfinite(poses).all((1, 2)), :3, 3]
        moves.append(float(np.linalg.norm(np.ptp(places, axis=0))) if len(places) else 0.0)
    farthest = max(moves, default=0.0)
    if _STILL < farthest < _LEAST_MOVED:
        notes.append(f"its cameras move only {100 * farthest:.2g} cm in all: check the unit, or give it as unknown")
    return notes


def area_doubts(given: float, measured: float) -> list[str]:
    """Compare a room's given area with that of its mesh, both in square metres, as notes."""
    if measured <= 0 or measured / _AREAS <= given <= measured * _AREAS:
        return []
    return [f"the room's area is given as {given:.3g} m², and its mesh shows {measured:.3g} m²: check 'room_area'"]


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
    """Check that rays, which are in single precision, can be cast on a mesh.

    Raises:
        InputError: it is farther than 100 km from the origin, as with coordinates of a survey.
    """
    far = float(np.abs(points).max(initial=0.0))
    if far > FARTHEST_PLACE:
        raise InputError(path, f"its mesh is {far:,.0f} m from the origin of its coordinates", fix=SUBTRACT)


def check_intrinsics(
    path: Path, intrinsics: NDArray[np.floating], size: tuple[int, int], *, anamorphic: bool = False
) -> None:
    """Check intrinsics against those of real cameras.

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


def check_masks(path: Path, recordings: Sequence[CameraRecording], numbers: Set[int]) -> None:
    """Hold masks to the shape of the pictures and to the numbers of the scene's objects.

    Args:
        path: of the scene.
        recordings: with masks or without.
        numbers: of its objects; empty where they have none.

    Raises:
        InputError: a mask has another shape than the pictures, or a camera's masks hold none of the numbers.
    """
    shown: dict[str, set[int]] = {}
    for recording in recordings:
        if recording.masks is None:
            continue
        values: set[int] = set()
        frames = np.arange(len(recording.times))
        some = in_frames(frames, _MASKS)
        for i, frame in enumerate([*some, *np.setdiff1d(frames, some)]):
            if i >= len(some) and (not numbers or values & numbers):
                break
            mask = recording.masks(int(frame))
            if mask is not None:
                _check_shape(path, recording, mask.shape[::-1])
                values.update(np.unique(mask).tolist())
        if values:
            shown[recording.role] = values
    some_known = any(values & numbers for values in shown.values())
    for role, values in shown.items():
        # A camera may see none of the objects, but not only things that aren't in the scene.
        if numbers and not values & numbers and (values != {0} or not some_known):
            raise InputError(
                path,
                f"the masks of '{role}' hold the values {_listed(values)} and none of the objects' numbers, "
                f"{_listed(numbers)}",
                fix="write the objects' numbers into the masks",
            )


def _check_shape(path: Path, recording: CameraRecording, size: tuple[int, ...]) -> None:
    width, height = recording.size
    # Rounding may make a smaller mask a pixel wider or narrower.
    if abs(size[0] - size[1] * width / height) > 1 + width / height + _SHAPES * size[0]:
        raise InputError(
            path,
            f"a mask of '{recording.role}' has {size[0]}×{size[1]} pixels, which isn't the shape of its pictures, "
            f"{width}×{height}",
        )


def _listed(values: Set[int]) -> str:
    first = ", ".join(str(value) for value in sorted(values)[:_VALUES])
    return first + (f" and {len(values) - _VALUES:,} more" if len(values) > _VALUES else "")
