"""Casting: what rays meet first in a world. It shares no code with the renderer, so that each checks the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.casting import Tree
from tolman.simulate.mesh import Mesh
from tolman.simulate.world import Body, World

_MOMENTS = 5


@dataclass(frozen=True)
class Hits:
    """Hits of rays.

    Attributes:
        distances: in lengths of the rays' directions, shape (n,); infinite where nothing is.
        numbers: of `World.numbers`, 0 for no object, shape (n,).
    """

    distances: Floats
    numbers: NDArray[np.int64]


@dataclass(frozen=True)
class Echoes:
    """What the surfaces that rays met send back.

    Attributes:
        cosines: between the surface and the way back, 0 … 1, shape (n,).
        tones: the surface's brightness, 0 … 1, shape (n,).
        shines: how much light of its own it has, as panes do through which daylight comes, 0 … 1, shape (n,).
    """

    cosines: Floats
    tones: Floats
    shines: Floats


class Caster:
    """A world, ready for rays.

    Args:
        world: its bodies that don't move are one tree; each that moves has its own, and rays are brought into its
            coordinates for the time at which they are cast. Rays that are cast together should be cast within a short
            time, as a sweep's are: between five moments of it, a body may move no farther than from one to the next.

    Raises:
        MissingExtraError: embreex is not installed.
    """

    def __init__(self, world: World) -> None:
        numbers = world.numbers
        still = [body for body in world.bodies if body.pose is None]
        self._still = _Tree([(numbers[b.object] if b.object else 0, b.mesh) for b in still]) if still else None
        self._moving: list[tuple[Body, _Tree]] = [
            (body, _Tree([(numbers[body.object] if body.object else 0, body.mesh)]))
            for body in world.bodies
            if body.pose is not None
        ]

    def cast(self, origins: Floats, directions: Floats, seconds: Floats | float = 0.0) -> Hits:
        """The first thing on each ray.

        Args:
            origins: metres, shape (n, 3).
            directions: of any length, shape (n, 3).
            seconds: when each is cast, one number or shape (n,); it matters where something moves.
        """
        return self._cast(origins, directions, seconds, None)

    def cast_with_echoes(
        self, origins: Floats, directions: Floats, seconds: Floats | float = 0.0
    ) -> tuple[Hits, Echoes]:
        """`cast`, and what a sensor reads of the surfaces."""
        echoes = Echoes(*(np.zeros(len(origins)) for _ in range(3)))
        return self._cast(origins, directions, seconds, echoes), echoes

    def _cast(self, origins: Floats, directions: Floats, seconds: Floats | float, echoes: Echoes | None) -> Hits:
        count = len(origins)
        hits = Hits(np.full(count, np.inf), np.zeros(count, dtype=np.int64))
        if self._still is not None:
            self._still.cast(origins, directions, hits, echoes, np.arange(count))
        times = np.broadcast_to(np.asarray(seconds, dtype=np.float64), (count,))
        for body, tree in self._moving:
            assert body.pose is not None
            near = np.flatnonzero(_nears(body, origins, directions, times))
            # Most rays pass far from a body; its pose is asked for only where one doesn't.
            when, inverse = np.unique(times[near], return_inverse=True)
            if len(near):
                poses = np.array([np.linalg.inv(body.pose(float(t))) for t in when])[inverse]
                own_origins = np.einsum("nij,nj->ni", poses[:, :3, :3], origins[near]) + poses[:, :3, 3]
                own_directions = np.einsum("nij,nj->ni", poses[:, :3, :3], directions[near])
                tree.cast(own_origins, own_directions, hits, echoes, near)
        return hits


class _Tree:
    """Some meshes with what rays tell of them."""

    def __init__(self, meshes: list[tuple[int, Mesh]]) -> None:
        points = np.concatenate([mesh.points[mesh.faces] for _, mesh in meshes])
        self._numbers = np.repeat([number for number, _ in meshes], [len(mesh.faces) for _, mesh in meshes])
        self._tones = np.concatenate([_tones(mesh) for _, mesh in meshes])
        self._shines = np.concatenate([mesh.tints[mesh.faces[:, 0], 3] for _, mesh in meshes])
        normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        self._normals = normals / np.where(lengths > 0, lengths, 1.0)
        corners = points.reshape(-1, 3)
        self._tree = Tree(corners, np.arange(len(corners)).reshape(-1, 3), "simulate")

    def cast(
        self, origins: Floats, directions: Floats, hits: Hits, echoes: Echoes | None, index: NDArray[np.intp]
    ) -> None:
        """Write what is nearer than the hits so far."""
        faces, distances = self._tree.cast(origins, directions)
        nearer = (faces >= 0) & (distances < hits.distances[index])
        at, faces = index[nearer], faces[nearer]
        hits.distances[at] = distances[nearer]
        hits.numbers[at] = self._numbers[faces]
        if echoes is not None:
            echoes.tones[at] = self._tones[faces]
            echoes.shines[at] = self._shines[faces]
            ways = directions[nearer] / np.linalg.norm(directions[nearer], axis=1, keepdims=True)
            echoes.cosines[at] = np.abs((self._normals[faces] * ways).sum(1))


def _tones(mesh: Mesh) -> Floats:
    """The brightness of each face: its colours, and its picture's mean."""
    pictures = np.array([float(texture.mean()) / 255 for texture in mesh.textures])
    tones = mesh.tints[:, :3].mean(1) * mesh.by_texture(pictures, 1.0)
    return np.asarray(tones[mesh.faces].mean(1))


def _nears(body: Body, origins: Floats, directions: Floats, times: Floats) -> NDArray[np.bool_]:
    """Rays that may meet a moving body: those through a ball around it, as large as its motion between some times."""
    assert body.pose is not None
    low, high = body.mesh.bounds
    moments = np.linspace(times.min(), times.max(), _MOMENTS) if times.min() < times.max() else times[:1]
    middles = np.array([(body.pose(float(t)) @ np.append((low + high) / 2, 1.0))[:3] for t in moments])
    moved = float(np.linalg.norm(np.diff(middles, axis=0), axis=1).max(initial=0.0))
    radius = float(np.linalg.norm(high - low)) / 2 + moved
    found = np.zeros(len(origins), dtype=bool)
    squares = (directions**2).sum(1)
    for middle in middles:
        away = middle - origins
        along = np.maximum((away * directions).sum(1) / squares, 0.0)
        found |= ((away - along[:, None] * directions) ** 2).sum(1) <= radius**2
    return found
