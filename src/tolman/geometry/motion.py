"""Motion: poses between known poses, and deskewing of points."""

from __future__ import annotations

import numpy as np

from tolman.geometry.boxes import Floats


def poses_at(times: Floats, poses: Floats, seconds: Floats) -> Floats:
    """Interpolate poses: linear positions, slerp of rotations; beyond the ends both go on as in the nearest interval.

    scipy's `Slerp` has the same formula, but refuses times beyond the ends, which recordings have.

    Args:
        times: seconds, rising, shape (n,).
        poses: 4×4 each, shape (n, 4, 4).
        seconds: when, shape (m,).

    Returns:
        Shape (m, 4, 4).
    """
    from scipy.spatial.transform import Rotation

    if len(times) == 1:
        return np.repeat(poses, len(seconds), axis=0)
    before = np.clip(np.searchsorted(times, seconds, side="right") - 1, 0, len(times) - 2)
    share = (seconds - times[before]) / (times[before + 1] - times[before])
    first = Rotation.from_matrix(poses[:-1, :3, :3])
    turns = (first.inv() * Rotation.from_matrix(poses[1:, :3, :3])).as_rotvec()
    found = np.tile(np.eye(4), (len(seconds), 1, 1))
    found[:, :3, :3] = (first[before] * Rotation.from_rotvec(turns[before] * share[:, None])).as_matrix()
    start, end = poses[before, :3, 3], poses[before + 1, :3, 3]
    found[:, :3, 3] = start + (end - start) * share[:, None]
    return found


def deskew(points: Floats, fired: Floats, times: Floats, poses: Floats) -> Floats:
    """Deskew points of a moving sensor: move each into the scene by the sensor's pose at its own time.

    Args:
        points: in the sensor's coordinates at their firing, metres, shape (n, 3).
        fired: when, seconds, shape (n,).
        times: of the poses, by the same clock, rising, shape (k,).
        poses: sensor → scene, shape (k, 4, 4).

    Returns:
        Points in the scene, metres, shape (n, 3).
    """
    moments, index = np.unique(fired, return_inverse=True)
    at = poses_at(times, poses, moments)[index]
    return np.asarray(np.einsum("nij,nj->ni", at[:, :3, :3], points) + at[:, :3, 3])
