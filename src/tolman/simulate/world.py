"""A world: a scene as triangles, each belonging to an object or to none, with its lamps or its daylight.

Daylight is the sun, sky and haze over places outdoors, drawn from a seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Tree
from tolman.scenes import Scene, SceneObject
from tolman.simulate.mesh import Mesh
from tolman.simulate.path_geometry import Lane

if TYPE_CHECKING:
    from shapely import Polygon
    from shapely.geometry.base import BaseGeometry

    from tolman.simulate.lighting import BakedLight


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
    """Reflections of rays by the surfaces that they met.

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
        """Cast rays as `cast` does, and also return their echoes."""
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
    """Some meshes with their properties for rays."""

    def __init__(self, meshes: list[tuple[int, Mesh]]) -> None:
        points = np.concatenate([mesh.points[mesh.faces] for _, mesh in meshes])
        self._numbers = np.repeat([number for number, _ in meshes], [len(mesh.faces) for _, mesh in meshes])
        self._tones = np.concatenate([_tones(mesh) for _, mesh in meshes])
        self._shines = np.concatenate([mesh.tints[mesh.faces[:, 0], 3] for _, mesh in meshes])
        normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        self._normals = normals / np.where(lengths > 0, lengths, 1.0)
        corners = points.reshape(-1, 3)
        self._tree = Tree(corners, np.arange(len(corners)).reshape(-1, 3), "worlds")

    def cast(
        self, origins: Floats, directions: Floats, hits: Hits, echoes: Echoes | None, index: NDArray[np.intp]
    ) -> None:
        """Write hits that are nearer than those so far."""
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


@dataclass(frozen=True)
class Body:
    """Part of a world.

    Attributes:
        mesh: in the scene's coordinates; for a moving body in its own.
        object: the id of the object it belongs to; None for walls, floors and the like.
        pose: seconds → its 4×4 transform into the scene, for a moving body.
    """

    mesh: Mesh
    object: str | None = None
    pose: Callable[[float], Floats] | None = None


@dataclass(frozen=True)
class Light:
    """Lighting of a world.

    Attributes:
        toward: unit vector to the light that casts shadows.
        sun, sky, ground: its colour and those of the light from above and from below.
        background, horizon: the sky above and near the horizon, seen where nothing is.
    """

    toward: tuple[float, float, float] = (0.35, 0.25, 0.9)
    sun: tuple[float, float, float] = (0.62, 0.6, 0.56)
    sky: tuple[float, float, float] = (0.58, 0.6, 0.63)
    ground: tuple[float, float, float] = (0.3, 0.28, 0.26)
    background: tuple[float, float, float] = (0.62, 0.74, 0.88)
    horizon: tuple[float, float, float] = (0.8, 0.86, 0.92)


@dataclass(frozen=True)
class World:
    """A place to be recorded.

    Attributes:
        scene: its truth.
        bodies: its triangles.
        walkable: where the middle of a walker can be.
        light: how it is lit.
        contact: the floor's outline and the footprints of things on it, for the dimness beneath them.
        lighting: light from lamps and windows at every place; None where all is lit by the sky.
        lanes: ways on which vehicles may drive.
    """

    scene: Scene
    bodies: tuple[Body, ...]
    walkable: BaseGeometry
    light: Light = field(default_factory=Light)
    contact: tuple[Polygon, tuple[Polygon, ...]] | None = None
    lighting: BakedLight | None = None
    lanes: tuple[Lane, ...] = ()

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each object in a picture of instances; 0 is no object."""
        return {thing.id: number for number, thing in enumerate(self.scene.objects, start=1)}

    def adding(self, bodies: Sequence[Body], objects: Sequence[SceneObject]) -> World:
        """The same world with more in it."""
        counts = dict(self.scene.counts)
        for thing in objects:
            counts[thing.category] = counts.get(thing.category, 0) + 1
        scene = self.scene.model_copy(update={"objects": (*self.scene.objects, *objects), "counts": counts})
        return replace(self, scene=scene, bodies=(*self.bodies, *bodies))


@dataclass(frozen=True)
class Daylight(Light):
    """Light of a place outdoors, which is drawn by `outdoor_shaders`.

    Attributes:
        cover: share of the sky that clouds hide, 0 … 1.
        drift: where the clouds are, metres in their own plane.
        haze: share of a surface's light that is lost in a metre of air.
        exposure: by which light is multiplied before it is mapped to a picture's tones.
        shadow: how sharp shadows are: 1 under a clear sky, less under clouds.
    """

    cover: float = 0.4
    drift: tuple[float, float] = (0.0, 0.0)
    haze: float = 0.0025
    exposure: float = 1.0
    shadow: float = 1.0


_WEATHERS = (
    # share, sun, sky, ground,
    # zenith, horizon, cover, haze, exposure
    (0.34, (2.6, 2.4, 2.1), (0.62, 0.74, 0.97), (0.36, 0.34, 0.3),
     (0.2, 0.42, 0.78), (0.7, 0.83, 0.95), 0.36, 0.0018, 0.6),
    (0.28, (2.35, 2.2, 2.0), (0.72, 0.8, 0.94), (0.36, 0.35, 0.32),
     (0.27, 0.47, 0.78), (0.77, 0.86, 0.94), 0.6, 0.0026, 0.61),
    (0.2, (2.6, 2.05, 1.45), (0.62, 0.67, 0.84), (0.36, 0.31, 0.27),
     (0.27, 0.44, 0.74), (0.93, 0.85, 0.72), 0.45, 0.003, 0.63),
    (0.18, (0.7, 0.69, 0.67), (1.1, 1.15, 1.22), (0.46, 0.45, 0.43),
     (0.62, 0.68, 0.75), (0.84, 0.87, 0.9), 0.95, 0.0034, 0.76),
)  # fmt: skip
"""Clear, fair, a low warm sun, overcast: shares and colours."""
_WARM, _OVERCAST = 2, 3


def draw_daylight(generator: np.random.Generator, ahead: float, spread: float) -> Daylight:
    """Draw the light of a day.

    Args:
        generator: source of the random draws.
        ahead: the middle of the directions from which the sun may shine, counter-clockwise from +x, radians.
        spread: the most that it may be off that, radians.
    """
    shares = np.array([weather[0] for weather in _WEATHERS])
    kind = int(generator.choice(len(_WEATHERS), p=shares / shares.sum()))
    _, sun, sky, ground, zenith, horizon, cover, haze, exposure = _WEATHERS[kind]
    angle = ahead + float(generator.uniform(-spread, spread))
    height = np.radians(float(generator.uniform(*((24, 34) if kind == _WARM else (36, 58)))))
    toward = (float(np.cos(angle) * np.cos(height)), float(np.sin(angle) * np.cos(height)), float(np.sin(height)))
    return Daylight(
        toward=toward,
        sun=sun,
        sky=sky,
        ground=ground,
        background=zenith,
        horizon=horizon,
        cover=float(np.clip(cover + generator.uniform(-0.12, 0.12), 0, 1)),
        drift=(float(generator.uniform(0, 50)), float(generator.uniform(0, 50))),
        haze=haze,
        exposure=exposure,
        shadow=0.35 if kind == _OVERCAST else 1.0,
    )
