"""A world: a scene as triangles, each belonging to an object or to none, with its lamps or its daylight.

Daylight is the sun, sky and haze over places outdoors, drawn from a seed.

Paths are short ways over a walkable floor, with rounded corners, and closed lanes for vehicles.
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

if TYPE_CHECKING:
    from shapely import Polygon
    from shapely.geometry.base import BaseGeometry

    from tolman.simulate.lighting import BakedLight
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import shapely
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import KDTree

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

_CELL = 0.08


class WalkableFloor:
    """Shortest ways over a walkable floor.

    Args:
        walkable: where the middle of a walker can be.
        places: points that ways lead between, shape (n, 2).
    """

    def __init__(self, walkable: BaseGeometry, places: Floats) -> None:
        self.area = max(shapely.get_parts(walkable), key=lambda part: float(part.area))
        shapely.prepare(self.area)
        low_x, low_y, high_x, high_y = self.area.bounds
        x, y = np.meshgrid(np.arange(low_x, high_x, _CELL), np.arange(low_y, high_y, _CELL), indexing="ij")
        inside = shapely.contains_xy(self.area, x, y)
        numbers: NDArray[np.int64] = np.full(inside.shape, -1, dtype=np.int64)
        numbers[inside] = np.arange(inside.sum())
        self.nodes = np.concatenate([np.column_stack([x[inside], y[inside]]), places])
        rows, columns, costs = [], [], []
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            a = numbers[: numbers.shape[0] - dx, max(0, -dy) : numbers.shape[1] - max(0, dy)]
            b = numbers[dx:, max(0, dy) : numbers.shape[1] - max(0, -dy)]
            both = (a >= 0) & (b >= 0)
            rows.append(a[both])
            columns.append(b[both])
            costs.append(np.full(int(both.sum()), _CELL * np.hypot(dx, dy)))
        first = int(inside.sum())
        self.first = first
        # The four nearest cells, of those equally far the first: at most twelve of the sixteen are equally far.
        ranks = range(1, min(16, first) + 1)
        found = KDTree(self.nodes[:first]).query(places, k=ranks)[1] if first else np.empty((len(places), 0), np.intp)
        close = np.sort(found, axis=1)
        near = np.linalg.norm(self.nodes[close] - places[:, None], axis=2)
        nearest = np.argsort(near, axis=1, kind="stable")[:, :4]
        rows.append(np.repeat(first + np.arange(len(places)), nearest.shape[1]))
        columns.append(np.take_along_axis(close, nearest, axis=1).ravel())
        costs.append(np.take_along_axis(near, nearest, axis=1).ravel() + 1e-9)
        shape = (len(self.nodes), len(self.nodes))
        graph = coo_matrix((np.concatenate(costs), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
        self._graph = graph.tocsr()
        self.room = self.area.buffer(0.1)
        shapely.prepare(self.room)
        self._trees: dict[int, tuple[Floats, Floats]] = {}
        self._ways: dict[tuple[int, int], Floats] = {}

    def length(self, a: int, b: int) -> float:
        """Metres from one place to another; infinite where no way leads."""
        return float(self._from(a)[0][self.first + b])

    def way(self, a: int, b: int) -> Floats:
        """The points of a short way, the ends included, pulled straight where that is free, shape (k, 2)."""
        if (a, b) in self._ways:
            return self._ways[a, b]
        before = self._from(a)[1]
        node, path = self.first + b, []
        while node >= 0:
            path.append(self.nodes[node])
            node = int(before[node])
        points = np.array(path[::-1])
        kept, at = [points[0]], 0
        while at < len(points) - 1:
            reach = len(points) - 1
            while reach > at + 1 and not self.area.covers(shapely.LineString([points[at], points[reach]])):
                reach -= 1
            kept.append(points[reach])
            at = reach
        self._ways[a, b] = np.array(kept)
        return self._ways[a, b]

    def _from(self, a: int) -> tuple[Floats, Floats]:
        if a not in self._trees:
            found = dijkstra(self._graph, directed=False, indices=[self.first + a], return_predecessors=True)
            self._trees[a] = (found[0][0], found[1][0])
        return self._trees[a]


def round_path(path: Floats, ground: WalkableFloor, along: Floats) -> Floats:
    """Points so far along a path whose corners are cut round where that is free, shape (n, 2)."""
    line = path[np.append(True, np.linalg.norm(np.diff(path, axis=0), axis=1) > 1e-6)]
    if len(line) == 1:
        return np.repeat(line, len(along), axis=0)
    length = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    for _ in range(3):
        cut = np.stack([line[:-1] * 0.75 + line[1:] * 0.25, line[:-1] * 0.25 + line[1:] * 0.75], axis=1).reshape(-1, 2)
        softer = np.concatenate([line[:1], cut, line[-1:]])
        if not ground.room.covers(shapely.LineString(softer)):
            break
        line = softer
    steps = np.append(0.0, np.linalg.norm(np.diff(line, axis=0), axis=1).cumsum())
    wanted = along / length * steps[-1]
    return np.column_stack([np.interp(wanted, steps, line[:, i]) for i in range(2)])


Traveller = Literal["car", "bicycle"]
_STEP = 0.25
"""Metres between the points of an arc."""


@dataclass(frozen=True)
class Lane:
    """A closed way.

    Attributes:
        user: the vehicles that drive there.
        points: of the way on the floor plan, the first not repeated, shape (n, 2), metres.
        height: of the ground, metres.
        speeds: the least and the greatest that is driven where nothing is in the way, metres a second.
    """

    user: Traveller
    points: Floats
    height: float
    speeds: tuple[float, float]

    @property
    def length(self) -> float:
        """Metres once around."""
        return float(self._marks[-1])

    @cached_property
    def _closed(self) -> Floats:
        return np.concatenate([self.points, self.points[:1]])

    @cached_property
    def _marks(self) -> Floats:
        return np.append(0.0, np.linalg.norm(np.diff(self._closed, axis=0), axis=1).cumsum())

    def at(self, along: Floats) -> Floats:
        """Points so many metres along the way, shape (n, 2)."""
        wrapped = np.mod(along, self._marks[-1])
        return np.stack([np.interp(wrapped, self._marks, self._closed[:, i]) for i in range(2)], axis=-1)

    def turned(self, yaw: float) -> Lane:
        """The same, turned about the origin (radians)."""
        c, s = np.cos(yaw), np.sin(yaw)
        return Lane(self.user, self.points @ np.array([[c, s], [-s, c]]), self.height, self.speeds)


def rounded(corners: Sequence[tuple[float, float]], radius: float) -> Floats:
    """A closed polygon whose corners are arcs of a radius, or of less where there is no room, shape (n, 2)."""
    places = np.array(corners, dtype=np.float64)
    found: list[Floats] = []
    for before, here, after in zip(np.roll(places, 1, axis=0), places, np.roll(places, -1, axis=0), strict=True):
        back, on = before - here, after - here
        reach = min(np.linalg.norm(back), np.linalg.norm(on)) * 0.499
        back, on = back / np.linalg.norm(back), on / np.linalg.norm(on)
        half = np.arccos(np.clip(back @ on, -1, 1)) / 2
        cut = min(radius / np.tan(half), reach)
        own = cut * np.tan(half)
        middle = here + (back + on) / np.linalg.norm(back + on) * own / np.sin(half)
        first, last = here + back * cut - middle, here + on * cut - middle
        start = np.arctan2(first[1], first[0])
        turn = (np.arctan2(last[1], last[0]) - start + np.pi) % (2 * np.pi) - np.pi
        angles = start + np.linspace(0, turn, max(3, int(abs(turn) * own / _STEP)))
        found.append(middle + own * np.column_stack([np.cos(angles), np.sin(angles)]))
    return np.concatenate(found)


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
