"""Viewing: the matrices of cameras and of the light's view, as OpenGL takes them."""

from __future__ import annotations

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.world import World

Intrinsics = tuple[float, float, float, float]
"""fx, fy, cx, cy in pixels."""
NEAR, FAR = 0.05, 300.0
"""Metres between which something is drawn."""


def light_view(world: World) -> Floats:
    """Scene → clip coordinates of the light's parallel view of all objects that cast shadows."""
    toward = np.array(world.light.toward)
    side = np.cross([0.0, 0.0, 1.0], toward) if abs(toward[2]) < 0.999 else np.array([1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    axes = np.array([side, np.cross(toward, side), toward])
    corners = []
    # Only what casts shadows has to be on the map: the ground of a street would make it coarse.
    still = [body for body in world.bodies if body.pose is None]
    for body in [body for body in still if body.object is not None] or still:
        (x0, y0, z0), (x1, y1, z1) = body.mesh.bounds
        corners += [[x, y, z] for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)]
    seen = np.array(corners) @ axes.T
    low, high = seen.min(0) - 0.1, seen.max(0) + 0.1
    scale = 2.0 / (high - low)
    matrix = np.eye(4)
    matrix[:3, :3] = axes * (scale * (1, 1, -1))[:, None]
    matrix[:3, 3] = -(low + high) / 2 * scale * (1, 1, -1)
    return matrix


def projection(intrinsics: Intrinsics, size: tuple[int, int]) -> Floats:
    """Camera → clip coordinates; the picture's upper row comes first in memory."""
    fx, fy, cx, cy = intrinsics
    width, height = size
    return np.array(
        [
            [2 * fx / width, 0, 2 * cx / width - 1, 0],
            [0, 2 * fy / height, 2 * cy / height - 1, 0],
            [0, 0, (FAR + NEAR) / (FAR - NEAR), -2 * FAR * NEAR / (FAR - NEAR)],
            [0, 0, 1, 0],
        ]
    )


def corners_of(low: Floats, high: Floats) -> Floats:
    """The corners of an upright box, shape (8, 3)."""
    return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


def is_outside(corners: Floats, to_camera: Floats, intrinsics: Intrinsics, size: tuple[int, int]) -> bool:
    """Tell whether a body's box lies wholly outside the picture.

    Args:
        corners: of the box, shape (8, 3).
        to_camera: 4×4 transform of the corners to the camera.
        intrinsics: of the camera.
        size: width and height of the picture.
    """
    seen = corners @ to_camera[:3, :3].T + to_camera[:3, 3]
    if (seen[:, 2] < NEAR).all():
        return True
    fx, fy, cx, cy = intrinsics
    u, v, z = fx * seen[:, 0], fy * seen[:, 1], seen[:, 2]
    return bool(
        (u + cx * z < 0).all()
        or (u + (cx - size[0]) * z > 0).all()
        or (v + cy * z < 0).all()
        or (v + (cy - size[1]) * z > 0).all()
    )


def columns(matrix: Floats) -> bytes:
    """A matrix as OpenGL takes it, column after column."""
    return np.ascontiguousarray(matrix.T, dtype=np.float32).tobytes()
