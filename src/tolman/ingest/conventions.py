"""Conventions that poses may be written in: axes of cameras, direction, the axis that is up, units, focal lengths.

A scan was read under one of them. `readings` gives what its poses and intrinsics are under each other one, so that the
one under which a scan fits can be named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.ingest.base import Axes, Direction, Up

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
        depths: what depths are multiplied by.
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
        declared: what they were read under.
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
            name = f"poses whose up is {up}, beside boxes and mesh whose up is {declared.up}"
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
            (f"each pose {abs(k)} frame{'s' * (abs(k) > 1)} {'earlier' if k > 0 else 'later'}",
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
