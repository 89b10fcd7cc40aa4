"""Conventions that poses may be written in, and the check that a scan's cameras are upright in it.

A convention is a choice of camera axes, direction, the axis that is up, units and focal lengths. A scan was read under
one of them. `readings` gives its poses and intrinsics under each other one, so that the one under which a scan fits can
be named.

Up is known from two sources. One is the axis about which the cameras turn, towards their mean up: a camera that is held
level has its x axis level however it is pitched. The other is the floor: the band with the bottoms of most things and
most of the mesh. Cameras that look straight down, that never turn or whose pictures are on their side contradict only
if the floor doesn't support the declared up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import turned_poses
from tolman.geometry.motion import cameras_up, floor_share, path_length
from tolman.ingest.scan_format import Axes, CameraRecording, Direction, Up

UP_TURNS: dict[Up, Floats] = {
    "z": np.eye(3),
    "-z": np.diag([1.0, -1.0, -1.0]),
    "y": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "-y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "x": np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]]),
    "-x": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
}
"""The rotation that brings the axis that is up to z, and keeps what is right-handed right-handed."""
FOCAL_FACTORS = (0.25, 1 / 3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
UNIT_RATIOS = (2.54, 3.2808399, 4.0, 5.0, 10.0, 12.0, 25.4, 30.48, 100.0, 304.8, 1000.0)
"""Ratios of the units that lengths and depths are written in: inches, feet, cm, mm, and scales of depth pictures."""
FACTORS = tuple(sorted([*UNIT_RATIOS, *(1 / ratio for ratio in UNIT_RATIOS)]))
SHIFTS = (1, -1, 2, -2, 3, -3, 6, -6, 12, -12)
"""Frames by which poses may be late."""
_OTHER_AXES = np.diag([1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True)
class Declared:
    """The conventions that a recording's poses were read under.

    Attributes:
        axes: of its cameras.
        direction: of its poses.
        up: of its scene.
    """

    axes: Axes
    direction: Direction
    up: Up

    @property
    def other_axes(self) -> Axes:
        """Axes that the poses may have instead."""
        return "opengl" if self.axes == "opencv" else "opencv"

    @property
    def other_direction(self) -> Direction:
        """Direction that the poses may have instead."""
        return "scene_to_camera" if self.direction == "camera_to_scene" else "camera_to_scene"


@dataclass(frozen=True)
class Convention:
    """A recording's cameras under one convention.

    Attributes:
        name: of the convention, as it would be declared.
        poses: camera → scene, shape (n, 4, 4).
        intrinsics: shape (n, 4).
        depths: the factor of depths.
    """

    name: str
    poses: Floats
    intrinsics: Floats
    depths: float = 1.0


def oriented_candidates(poses: Floats, intrinsics: Floats, declared: Declared) -> Iterator[Convention]:
    """The cameras under other axes, another direction, and both.

    Args:
        poses: as they were read, camera → scene, z up, x right, y down, shape (n, 4, 4), all finite.
        intrinsics: shape (n, 4).
        declared: the convention under which they were read.
    """
    axes, direction = f"axes: {declared.other_axes}", f"direction: {declared.other_direction}"
    yield Convention(axes, poses @ _OTHER_AXES, intrinsics)
    inverse = invert(poses, declared)
    yield Convention(direction, inverse, intrinsics)
    yield Convention(f"{direction} and {axes}", inverse @ _OTHER_AXES, intrinsics)


def invert(poses: Floats, declared: Declared) -> Floats:
    """The poses as they are if the files have them in the other direction, shape (n, 4, 4)."""
    # Read poses are P = T·M·F of what the files hold: T turns the scene upright, F is the cameras' axes, M the matrix
    # or its inverse; so the other direction is T·M⁻¹·F = T·F·P⁻¹·T·F.
    turn, axes = np.eye(4), _OTHER_AXES if declared.axes == "opengl" else np.eye(4)
    turn[:3, :3] = UP_TURNS[declared.up]
    return np.asarray(turn @ axes @ np.linalg.inv(poses) @ turn @ axes)


def detached_candidates(poses: Floats, intrinsics: Floats, declared: Declared) -> Iterator[Convention]:
    """The cameras with poses that have another up or unit than boxes and mesh have."""
    back = UP_TURNS[declared.up].T
    for up, turn in UP_TURNS.items():
        if up != declared.up:
            whole = np.eye(4)
            whole[:3, :3] = turn @ back
            name = f"poses whose up is {up}, but boxes and mesh whose up is {declared.up}"
            yield Convention(name, whole @ poses, intrinsics)
    for factor in FACTORS:
        scaled = poses.copy()
        scaled[:, :3, 3] *= factor
        yield Convention(f"positions of the cameras {factor:.4g} times as large", scaled, intrinsics)


def depth_candidates(poses: Floats, intrinsics: Floats) -> Iterator[Convention]:
    """The cameras with depths in another unit than positions."""
    for factor in FACTORS:
        name = f"depths {factor:.4g} times as large, or lengths {1 / factor:.4g} times as large"
        yield Convention(name, poses, intrinsics, factor)


def late_candidates(every: Floats, frames: Sequence[int], intrinsics: Floats) -> Iterator[Convention]:
    """The cameras with the poses of other frames.

    Args:
        every: the poses of all frames, shape (f, 4, 4).
        frames: that are looked at.
        intrinsics: of those, shape (n, 4).
    """
    last = len(every) - 1
    for name, others in (
        ("poses in reverse order", [last - frame for frame in frames]),
        *(
            (f"each pose {counted(abs(k), 'frame')} {'earlier' if k > 0 else 'later'}",
             [frame + k for frame in frames])
            for k in SHIFTS
        ),
    ):  # fmt: skip
        poses = every[np.clip(others, 0, last)]
        if np.isfinite(poses).all():
            yield Convention(name, poses, intrinsics)


def focal_candidates(poses: Floats, intrinsics: Floats) -> Iterator[Convention]:
    """The cameras with other focal lengths."""
    for factor in FOCAL_FACTORS:
        scaled = intrinsics * [factor, factor, 1, 1]
        yield Convention(
            f"focal lengths {factor:.3g} times as large (fx {scaled[0, 0]:.4g}, fy {scaled[0, 1]:.4g})", poses, scaled
        )


def up_named(direction: Floats, declared: Up) -> Up | None:
    """The axis of the files that some direction of the scene as read is nearest to, if it is within 25° of it."""
    files = UP_TURNS[declared].T @ direction / max(float(np.linalg.norm(direction)), 1e-12)
    axis = int(np.abs(files).argmax())
    if abs(files[axis]) < np.cos(np.radians(25)):
        return None
    names: tuple[tuple[Up, Up], ...] = (("x", "-x"), ("y", "-y"), ("z", "-z"))
    return names[axis][int(files[axis] < 0)]


def axis_of(up: Up, declared: Up) -> Floats:
    """The direction, in the scene as read, of an axis of the files, shape (3,)."""
    sign = -1.0 if up.startswith("-") else 1.0
    return np.asarray(sign * UP_TURNS[declared] @ np.eye(3)["xyz".index(up[-1])])


UPRIGHT = 0.5
"""Cosine between the cameras' vertical and the declared up from which they agree: 60°."""
FITS = 0.9
"""Cosine from which a proposed convention fits: 26°."""
SAME_UP = 0.8
"""Length of the cameras' mean up from which all of them are held alike."""
SPEAKS = 2.0
"""Least ratio of what stands along one direction to what stands along another for the floor to speak for it."""
MIN_BOXES, MIN_POINTS = 5, 1000
MIN_POSES = 4


@dataclass(frozen=True)
class StandingThings:
    """Things on a scan's floor.

    Attributes:
        surface: points of the mesh, shape (n, 3).
        boxes: of its things.
    """

    surface: Floats
    boxes: Boxes

    def speaks(self, a: Floats, b: Floats) -> int:
        """Return the direction that the floor supports: the first (1), the second (-1), or neither (0)."""
        votes = 0
        if len(self.boxes) >= MIN_BOXES:
            corners = self.boxes.vertices()
            shares = [floor_share((corners @ way).min(1)) for way in (a, b)]
            votes += int(shares[0] > SPEAKS * shares[1]) - int(shares[1] > SPEAKS * shares[0])
        # A room's ceiling is as level as its floor.
        if len(self.surface) >= MIN_POINTS and abs(a @ b) < 0.5:
            shares = [max(floor_share(self.surface @ way), floor_share(-self.surface @ way)) for way in (a, b)]
            votes += int(shares[0] > SPEAKS * shares[1]) - int(shares[1] > SPEAKS * shares[0])
        return int(np.sign(votes))


def check_up(
    path: Path, recording: CameraRecording, declared: Declared, standing: StandingThings, shown: str, *, held: bool
) -> list[str]:
    """Check a camera against the scene's up.

    Args:
        path: of the scan, for messages.
        recording: with checked poses.
        declared: the convention under which it was read.
        standing: the things on the floor.
        shown: the recording's name, for messages.
        held: whether masks or depth agree with the recording's axes and direction.

    Returns:
        The notes.

    Raises:
        InputError: the camera contradicts the declared up; the sentence names the fields that fit.
    """
    tracked = recording.poses[np.isfinite(recording.poses).all((1, 2))] if len(recording.poses) else recording.poses
    if len(tracked) < MIN_POSES:
        return []
    poses = turned_poses(tracked, recording.turns)
    found = cameras_up(poses)
    length = float(np.linalg.norm(found.mean))
    along = found.vertical if found.vertical is not None else found.mean / max(length, 1e-12)
    cosine = float(along[2])
    turns = _turns(replace(recording, poses=tracked))
    advice = f"turns: {turns} makes its pictures upright"
    if found.vertical is None and length < SAME_UP:
        if not held:
            _check_direction(path, poses, declared, shown)
        if turns is not None and recording.turns:
            raise InputError(path, f"the pictures of the camera{shown} lie on their side", fix=advice)
        return [] if turns is None else [f"the pictures of the camera{shown} lie on their side; {advice}"]
    if cosine >= UPRIGHT:
        return []
    speaks = standing.speaks(np.array([0.0, 0, 1]), along)
    fixed = found.vertical is None and cosine > -UPRIGHT
    fields = [] if held or speaks < 0 else _fields(tracked, recording.turns, declared)
    named = up_named(along, declared.up)
    # A floor can be mistaken for a wall; cameras that turn about an axis without lying on their side can't.
    if named is not None and (speaks <= 0 or turns is None):
        fields.append(f"up: {named} ({_degrees(float(along @ axis_of(named, declared.up)))}°)")
    on_their_side = turns is not None and speaks > 0 and (held or not fields)
    if on_their_side or (fixed and speaks >= 0) or not (fields or turns is not None):
        said = f"the up of the camera{shown} is {_degrees(cosine)}° from the scene's up ({declared.up})"
        return [said if turns is None else f"{said}; {advice}"]
    if turns is not None and speaks >= 0:
        fields.append(f"turns: {turns}")
    raise InputError(
        path,
        f"the cameras{shown} stand {_degrees(cosine)}° from the declared up ({declared.up})",
        fix="they fit with " + " or ".join(fields),
    )


def is_upright(recording: CameraRecording) -> bool:
    """Check that a recording's cameras have a common up, which is the scene's."""
    tracked = recording.poses[np.isfinite(recording.poses).all((1, 2))]
    return len(tracked) > 0 and cameras_up(turned_poses(tracked, recording.turns)).mean[2] > SAME_UP


def _check_direction(path: Path, poses: Floats, declared: Declared, shown: str) -> None:
    """Distinguish cameras without a common up that roll from poses in the other direction.

    Raises:
        InputError: it is the latter.
    """
    other = invert(poses, declared)
    found, mean = cameras_up(other), cameras_up(poses).mean
    if (
        found.vertical is not None
        and found.vertical[2] > FITS
        and found.mean[2] > FITS
        and path_length(other) <= path_length(poses)
    ):
        raise InputError(
            path,
            f"the cameras{shown} have no common up (their mean up is {mean[2]:.2f} along the declared one)",
            fix=f"they fit with direction: {declared.other_direction}: {found.mean[2]:.2f} against {mean[2]:.2f}",
        )


def _fields(poses: Floats, turns: int, declared: Declared) -> list[str]:
    """Return other axes and directions under which the cameras are upright, with degrees from the declared up."""
    fits = []
    for candidate in oriented_candidates(poses, np.ones((len(poses), 4)), declared):
        found = cameras_up(turned_poses(candidate.poses, turns))
        along = found.vertical if found.vertical is not None else found.mean
        if along[2] > FITS:
            fits.append(f"{candidate.name} ({_degrees(float(along[2]))}°)")
    return [fit for fit in fits if " and " not in fit] or fits


def _turns(recording: CameraRecording) -> int | None:
    """The quarter turns under which the pictures are upright, 0 to 3, if they are under any but those declared."""
    for turns in range(4):
        if turns != recording.turns and cameras_up(turned_poses(recording.poses, turns)).mean[2] > SAME_UP:
            return turns
    return None


def _degrees(cosine: float) -> int:
    return round(float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))))
