"""Quarter turns of pictures, with the intrinsics and poses that go with them.

A picture turned clockwise by a quarter shows what a camera turned counter-clockwise about its view sees. Pixels are
continuous: the middle of the one in column i and row j is (i + 0.5, j + 0.5).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats

_QUARTER = np.array([[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""Turned camera → camera: its x points where y pointed up from, its y along the old x."""


def turned_size(size: tuple[int, int], turns: int) -> tuple[int, int]:
    """Width and height after quarter turns."""
    return (size[1], size[0]) if turns % 2 else size


def turned_picture(picture: NDArray[np.generic], turns: int) -> NDArray[np.generic]:
    """A picture or mask, shape (height, width, …), after quarter turns clockwise."""
    return np.rot90(picture, -turns)


def turned_pixels(pixels: Floats, size: tuple[int, int], turns: int) -> Floats:
    """Move pixels with their picture by quarter turns clockwise.

    Args:
        pixels: x, y, shape (…, 2).
        size: width and height before.
        turns: any whole number.
    """
    for _ in range(turns % 4):
        pixels = np.stack([size[1] - pixels[..., 1], pixels[..., 0]], axis=-1)
        size = (size[1], size[0])
    return pixels


def turned_intrinsics(intrinsics: Floats, size: tuple[int, int], turns: int) -> Floats:
    """Intrinsics that go with a turned picture.

    Args:
        intrinsics: fx, fy, cx, cy, shape (…, 4).
        size: width and height before.
        turns: quarter turns clockwise.
    """
    found = np.array(intrinsics, dtype=np.float64)
    middle = turned_pixels(found[..., 2:], size, turns)
    focal = found[..., 1::-1] if turns % 2 else found[..., :2]
    return np.concatenate([focal, middle], axis=-1)


def turned_poses(poses: Floats, turns: int) -> Floats:
    """Poses camera → scene, shape (…, 4, 4), that go with turned pictures; no pose (nan) stays none."""
    return np.asarray(poses @ np.linalg.matrix_power(_QUARTER, turns % 4))


def scaled_intrinsics(intrinsics: Floats, size: tuple[int, int], other: tuple[int, int]) -> Floats:
    """Intrinsics, shape (…, 4), of the same picture brought to another width and height."""
    across, down = other[0] / size[0], other[1] / size[1]
    return np.asarray(intrinsics * np.array([across, down, across, down]))
