"""Quaternions of files as rotation matrices."""

from __future__ import annotations

import numpy as np

from tolman.geometry.boxes import Floats

_TOLERANCE = 1e-3


def rotations(w: Floats, x: Floats, y: Floats, z: Floats) -> Floats:
    """Rotation matrices of quaternions, which are made to be of length 1 first.

    Args:
        w, x, y, z: the real part and the three others, shape (…,) each. Files differ in which stands first.

    Returns:
        Shape (…, 3, 3).

    Raises:
        ValueError: one isn't of length 1, but for rounding.
    """
    lengths = np.sqrt(w * w + x * x + y * y + z * z)
    if not np.all(np.abs(lengths - 1) < _TOLERANCE):
        worst = float(np.ravel(lengths)[int(np.argmax(np.abs(np.ravel(np.nan_to_num(lengths, nan=np.inf)) - 1)))])
        raise ValueError(f"a quaternion has the length {worst:.4g}, not 1")
    w, x, y, z = w / lengths, x / lengths, y / lengths, z / lengths
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
        ],
        axis=-2,
    )


def rigid(rotation: Floats, translation: Floats) -> Floats:
    """Rigid transforms, shape (…, 4, 4), of rotations of shape (…, 3, 3) and translations of shape (…, 3)."""
    matrix = np.zeros((*rotation.shape[:-2], 4, 4))
    matrix[..., :3, :3], matrix[..., :3, 3], matrix[..., 3, 3] = rotation, translation, 1.0
    return matrix
