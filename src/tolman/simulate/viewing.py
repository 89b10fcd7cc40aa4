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
    axes = light_axes(world.light.toward)
    # Only what casts shadows has to be on the map: the ground of a street would make it coarse.
    still = [body for body in world.bodies if body.pose is None]
    casting = [body for body in still if body.object is not None] or still
    seen = np.concatenate([corners_of(*body.mesh.bounds) for body in casting]) @ axes.T
    return parallel_view(axes, seen.min(0), seen.max(0))


def light_axes(toward: tuple[float, float, float]) -> Floats:
    """The axes of a view against parallel light, whose unit vector to its source is the last one, shape (3, 3)."""
    back = np.array(toward)
    side = np.cross([0.0, 0.0, 1.0], back) if abs(back[2]) < 0.999 else np.array([1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    return np.array([side, np.cross(back, side), back])


def parallel_view(axes: Floats, low: Floats, high: Floats) -> Floats:
    """Scene → clip coordinates of a parallel view.

    Args:
        axes: right, up and back, shape (3, 3).
        low, high: what it covers along them, shape (3,); 10 cm are added on every side.
    """
    low, high = low - 0.1, high + 0.1
    scale = 2.0 / (high - low)
    matrix = np.eye(4)
    matrix[:3, :3] = axes * (scale * (1, 1, -1))[:, None]
    matrix[:3, 3] = -(low + high) / 2 * scale * (1, 1, -1)
    return matrix


def texel_metres(view: Floats, side: int) -> float:
    """Metres that a texel covers of a map, so many texels a side, of a parallel view."""
    return float(2.0 / np.linalg.norm(view[:2, :3], axis=1).min() / side)


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
