"""Input of the renderer: matrices of cameras and of the light's view, mirror planes, packed buffers.

Matrices are as OpenGL takes them. Behind each mirror of a world is a camera that sees its reflection. A world's bodies
are packed as one buffer of vertices, one of indices and one stack of pictures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import MIRRORED, PLAIN, Mesh, Texture
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
    """Return the transform from scene to clip coordinates of a parallel view.

    Args:
        axes: right, up and back, shape (3, 3).
        low, high: its range along them, shape (3,); 10 cm are added on every side.
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
    """Check whether a body's box is wholly outside the picture.

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
        plane: unit normal on the reflecting side, and minus the distance from the origin along it, shape (4,).
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


LAYER = 512
"""Side in pixels to which pictures on surfaces are brought."""


@dataclass(frozen=True)
class PackedBody:
    """A body's part of the buffers.

    Attributes:
        instance: the number of its object, 0 for none.
        first, count: of its indices.
        corners: of its box, in its own coordinates, shape (8, 3).
        pose: seconds → its 4×4 transform, for a moving body.
        casts: whether it casts a shadow.
    """

    instance: int
    first: int
    count: int
    corners: Floats
    pose: Any
    casts: bool


@dataclass(frozen=True)
class PackedWorld:
    """A world as OpenGL takes it.

    Attributes:
        vertices: point, normal, texture coordinates, tint and layer of each: 3 + 3 + 2 floats, 4 bytes, 1 float.
        indices: three vertices of each triangle, uint32.
        bodies: which of them belong to which body.
        mirrors: planes of still bodies, the number of their object, and the first vertex of their mesh.
        pictures: those on surfaces, each once.
    """

    vertices: bytes
    indices: bytes
    bodies: tuple[PackedBody, ...]
    mirrors: tuple[tuple[MirrorPlane, int, int], ...]
    pictures: tuple[Texture, ...]


def packed(world: World) -> PackedWorld:
    """All bodies of a world."""
    numbers = world.numbers
    layers: dict[int, int] = {}
    pictures: list[Texture] = []
    vertices, indices = [], []
    bodies: list[PackedBody] = []
    mirrors: list[tuple[MirrorPlane, int, int]] = []
    first_vertex = first_index = 0
    for body in world.bodies:
        mesh = body.mesh
        # Two more than there are pictures: the negative numbers of vertices without one count from the end.
        own = np.full(len(mesh.textures) + 2, PLAIN)
        for i, texture in enumerate(mesh.textures):
            if id(texture) not in layers:
                layers[id(texture)] = len(pictures)
                pictures.append(texture)
            own[i] = layers[id(texture)]
        vertices.append(_vertices(mesh, own))
        indices.append((mesh.faces + first_vertex).astype(np.uint32).ravel())
        number = numbers[body.object] if body.object else 0
        corners = corners_of(*mesh.bounds)
        bodies.append(PackedBody(number, first_index, mesh.faces.size, corners, body.pose, body.object is not None))
        if body.object and body.pose is None:
            mirrors += [(plane, number, first_vertex) for plane in mirrors_of(mesh)]
        first_vertex += len(mesh.points)
        first_index += mesh.faces.size
    return PackedWorld(
        np.concatenate(vertices).tobytes(),
        np.concatenate(indices).tobytes(),
        tuple(bodies),
        tuple(mirrors),
        tuple(pictures),
    )


def stacked(pictures: Sequence[Texture]) -> bytes:
    """Pictures of any size as the layers of an array, `LAYER` pixels a side, lowest row first."""
    if not pictures:
        return bytes(LAYER * LAYER * 3)
    resized = [np.asarray(Image.fromarray(p).resize((LAYER, LAYER), Image.Resampling.BILINEAR))[::-1] for p in pictures]
    return np.stack(resized).tobytes()


def _vertices(mesh: Mesh, layers: NDArray[np.int64]) -> NDArray[np.void]:
    layout = np.dtype([("point", "f4", 3), ("normal", "f4", 3), ("uv", "f4", 2), ("tint", "u1", 4), ("layer", "f4")])
    rows = np.zeros(len(mesh.points), dtype=layout)
    rows["point"], rows["normal"], rows["uv"] = mesh.points, mesh.normals, mesh.uvs
    rows["tint"] = np.clip(mesh.tints * 255 + 0.5, 0, 255)
    rows["layer"] = layers[mesh.textures_of]
    return rows
