"""Mirrors: the planes of a world's mirrors, and the camera behind each that sees what it reflects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import MIRRORED, Mesh
from tolman.simulate.viewing import NEAR, Intrinsics

LEAST_AREA = 0.01
"""Square metres of a mirror that reflects."""
_ALIKE = 4
"""Decimals to which the planes of a mirror's triangles are compared."""


@dataclass(frozen=True)
class MirrorPlane:
    """A flat mirror.

    Attributes:
        faces: its triangles, numbers of vertices of its mesh, shape (m, 3).
        points: their corners, metres, shape (3 · m, 3).
        plane: unit normal towards what it reflects, and minus the distance from the origin along it, shape (4,).
    """

    faces: NDArray[np.int64]
    points: Floats
    plane: Floats

    @property
    def reflection(self) -> Floats:
        """The 4×4 transform that takes each point to its mirror image."""
        matrix = np.eye(4)
        matrix[:3] -= 2 * self.plane[:3, None] * self.plane
        return matrix

    def window(self, pose: Floats, intrinsics: Intrinsics, size: tuple[int, int]) -> tuple[int, int, int, int] | None:
        """The part of a picture in which the mirror may be seen: left, top, width, height; None where it isn't.

        Args:
            pose: camera → scene, shape (4, 4).
            intrinsics: of the camera.
            size: width and height of the picture.
        """
        if self.plane[:3] @ pose[:3, 3] + self.plane[3] <= 0:
            return None
        local = (self.points - pose[:3, 3]) @ pose[:3, :3]
        ahead = local[:, 2] > NEAR
        if not ahead.any():
            return None
        if not ahead.all():
            return 0, 0, *size
        fx, fy, cx, cy = intrinsics
        pixels = local[:, :2] / local[:, 2:] * (fx, fy) + (cx, cy)
        left, top = np.maximum(np.floor(pixels.min(0)), 0).astype(int).tolist()
        right, bottom = np.minimum(np.ceil(pixels.max(0)), size).astype(int).tolist()
        return (left, top, right - left, bottom - top) if right > left and bottom > top else None


def mirrors_of(mesh: Mesh) -> Iterator[MirrorPlane]:
    """The flat mirrors of a mesh, seen from in front."""
    faces = mesh.faces[(mesh.textures_of[mesh.faces] == MIRRORED).all(1)]
    if not len(faces):
        return
    corners = mesh.points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    normals = normals / np.where(areas > 0, areas, 1.0)[:, None]
    planes = np.column_stack([normals, -(normals * corners[:, 0]).sum(1)])
    _, groups = np.unique(np.round(planes, _ALIKE), axis=0, return_inverse=True)
    for group in range(int(groups.max()) + 1):
        own = groups.ravel() == group
        if areas[own].sum() / 2 >= LEAST_AREA:
            yield MirrorPlane(faces[own], corners[own].reshape(-1, 3), planes[own][0])
