"""Packing: a world's bodies as one buffer of vertices, one of indices and one stack of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import PLAIN, Mesh, Texture
from tolman.simulate.mirrors import MirrorPlane, mirrors_of
from tolman.simulate.viewing import corners_of
from tolman.simulate.world import World

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
    from PIL import Image

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
