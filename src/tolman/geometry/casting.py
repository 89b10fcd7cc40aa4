"""Casting rays on triangles, by embree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.extras import needs
from tolman.geometry.boxes import Floats


class Tree:
    """Triangles in one embree scene.

    Args:
        points: metres, shape (n, 3).
        faces: three points each, shape (m, 3).
        extra: the extra that brings embreex, named where it is missing.

    Raises:
        MissingExtraError: embreex is not installed.
    """

    def __init__(self, points: NDArray[np.floating], faces: NDArray[np.integer], extra: str) -> None:
        with needs(extra, "Casting rays"):
            from embreex import rtcore_scene  # type: ignore[import-untyped]
            from embreex.mesh_construction import TriangleMesh  # type: ignore[import-untyped]
        self._scene: Any = rtcore_scene.EmbreeScene()
        self._mesh = TriangleMesh(self._scene, np.array(points, dtype=np.float32), np.array(faces, dtype=np.int32))

    def cast(self, origins: Floats, directions: Floats) -> tuple[NDArray[np.int64], Floats]:
        """The first triangle on each ray.

        Args:
            origins: metres, shape (n, 3).
            directions: of any length, shape (n, 3).

        Returns:
            Its number, -1 where nothing is, shape (n,); and how far it is in lengths of the ray's direction, to
            single precision, shape (n,).
        """
        found = self._scene.run(origins.astype(np.float32), directions.astype(np.float32), query="INTERSECT", output=1)
        return found["primID"].astype(np.int64), found["tfar"].astype(np.float64)


def pixel_rays(pose: Floats, intrinsics: tuple[float, float, float, float], size: tuple[int, int]) -> Floats:
    """The ways of a camera's pixels through their middles, 1 m ahead each, so that distances are depths.

    Returns:
        Shape (height · width, 3), row by row, in the scene's coordinates.
    """
    fx, fy, cx, cy = intrinsics
    columns, rows = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    ways = np.stack([(columns - cx) / fx, (rows - cy) / fy, np.ones_like(rows)], axis=-1).reshape(-1, 3)
    return np.asarray(ways @ np.asarray(pose)[:3, :3].T)
