"""Baked light: light from lamps, windows and lit surfaces at every place in a room, computed once.

A grid of probes holds how much light arrives and from where. Lamps and panes are sampled with shadow rays; then two
bounces are gathered by rays in fixed directions, coloured by the surfaces that they meet. The renderer looks a
surface's light up in the grid, so a frame costs no more. Moving things are lit by where they are. `Quality` says how
much work a frame's colours are worth; depth, instances and poses are the same at every level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt, gaussian_filter

from tolman.errors import unknown
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Tree
from tolman.simulate.mesh import Mesh, joined

STEP = 0.13
"""Metres between probes, unless other detail is wanted."""
SMOOTHING = 0.7
"""Standard deviation in steps by which the grid is blurred: the few rays leave blotches."""
_OFF_SURFACE = 0.9
"""Steps before a surface at which its light is looked up: probes on it lie half inside."""
_NEAREST = 0.25
"""Metres; nearer light is as bright as light from there."""
_BEHIND, _OUTSIDE = 0.35, 0.12
"""Shares of a probe's rays from which it counts as inside a thing, and as outdoors."""
_LEAPS = 8
"""Steps in which directions are taken that decide this."""


@dataclass(frozen=True)
class LightDetail:
    """How finely light is computed.

    Attributes:
        step: metres between probes.
        rays: directions in which a probe gathers reflected light.
        bounces: how often light is reflected.
    """

    step: float = STEP
    rays: int = 48
    bounces: int = 2


@dataclass(frozen=True)
class Emitter:
    """A rectangle that shines to one side.

    Attributes:
        center: metres.
        across, up: half of its sides, vectors.
        normal: the side to which it shines.
        radiance: RGB, of any unit: exposure adapts to it.
    """

    center: tuple[float, float, float]
    across: tuple[float, float, float]
    up: tuple[float, float, float]
    normal: tuple[float, float, float]
    radiance: tuple[float, float, float]

    def samples(self, columns: int = 3, rows: int = 3) -> tuple[Floats, float]:
        """Return points spread over it, shape (columns · rows, 3), and the square metres of each."""
        x, y = np.meshgrid((np.arange(columns) + 0.5) / columns * 2 - 1, (np.arange(rows) + 0.5) / rows * 2 - 1)
        across, up = np.array(self.across), np.array(self.up)
        points = np.array(self.center) + x.ravel()[:, None] * across + y.ravel()[:, None] * up
        return points, float(4 * np.linalg.norm(across) * np.linalg.norm(up) / (columns * rows))


@dataclass(frozen=True)
class LightGrid:
    """Light at places, as the renderer takes it.

    Attributes:
        low: the first probe's place, metres.
        step: metres between probes.
        shape: probes along x, y and z.
        amount: square root of the mean irradiance's RGB over `most`, uint8, shape (z, y, x, 4).
        flow: where the light comes from, -1 … 1 as 0 … 255, its length the share that comes from one side, uint8,
            shape (z, y, x, 4).
        most: the irradiance of 1.
        exposure: factor under which the middle place is neither dark nor bright.
    """

    low: tuple[float, float, float]
    step: float
    shape: tuple[int, int, int]
    amount: NDArray[np.uint8]
    flow: NDArray[np.uint8]
    most: float
    exposure: float


class BakedLight:
    """The light of a room, computed when it is first asked for.

    Args:
        meshes: all that don't move.
        emitters: lamps and panes.

    Raises:
        MissingExtraError: embreex is not installed.
    """

    def __init__(self, meshes: Sequence[Mesh], emitters: Sequence[Emitter]) -> None:
        self._meshes, self._emitters = tuple(meshes), tuple(emitters)
        self._grids: dict[LightDetail, LightGrid] = {}

    @property
    def grid(self) -> LightGrid:
        """The light that arrives at each probe."""
        return self.grid_of(LightDetail())

    def grid_of(self, detail: LightDetail) -> LightGrid:
        """Return the light that arrives at each probe, in the given detail."""
        if detail not in self._grids:
            self._grids[detail] = self._computed(detail)
        return self._grids[detail]

    def _computed(self, detail: LightDetail) -> LightGrid:
        mesh = joined(self._meshes)
        probes, space = _probes(mesh, detail.step)
        tree = Tree(mesh.points, mesh.faces, "worlds")
        reached = _Reached(tree, mesh, probes, space, detail.rays)
        total, vector = _direct(tree, probes[reached.open], self._emitters)
        arrived = reached.filled(total, vector)
        for _ in range(detail.bounces):
            more, flow = reached.gathered(arrived)
            arrived = reached.filled(total + more, vector + flow)
        return _packed(arrived, space, reached.open)


def _summed(values: Floats) -> Floats:
    """Return sums over a last axis of three: `sum` takes several times as long for so few."""
    return np.asarray(values[..., 0] + values[..., 1] + values[..., 2])


def facing_share(flow: Floats, normals: Floats) -> Floats:
    """Return the light of surfaces relative to the mean over all directions, shape (n,).

    The light is spread by its mean direction: none is lost where it comes from one side, and none is negative, as by
    spherical harmonics of the first order (Geomerics, "Reconstructing diffuse lighting", CEDEC 2015).

    Args:
        flow: where light comes from, its length the share that comes from one side, shape (n, 3).
        normals: of surfaces, shape (n, 3).
    """
    length = np.clip(np.sqrt(_summed(flow**2)), 1e-3, 1.0)
    power, even = 1 + 2 * length, (1 - length) / (1 + length)
    toward = np.maximum(0.5 + 0.5 * _summed(flow * normals) / length, 0.0)
    return np.asarray(even + (1 - even) * (power + 1) * toward**power)


@dataclass(frozen=True)
class _Space:
    """The grid: the first probe's place, how many there are along x, y and z, and metres from one to the next."""

    low: Floats
    shape: tuple[int, int, int]
    step: float

    def nearest(self, points: Floats) -> NDArray[np.intp]:
        """The probe nearest to each point."""
        cells = np.clip(np.round((points - self.low) / self.step).astype(np.intp), 0, np.array(self.shape) - 1)
        found: NDArray[np.intp] = np.ravel_multi_index((cells[:, 0], cells[:, 1], cells[:, 2]), self.shape)
        return found


@dataclass(frozen=True)
class _Arrived:
    """Light at probes: its sum over all directions, RGB, and its brightness times its direction."""

    total: Floats
    vector: Floats

    def irradiance(self, probes: NDArray[np.intp], normals: Floats) -> Floats:
        """Return the light on surfaces of given normals at probes, RGB."""
        sums = self.total[probes]
        flow = self.vector[probes] / np.maximum(_summed(sums) / 3, 1e-9)[:, None]
        return np.asarray(sums / 4 * facing_share(flow, normals)[:, None])


class _Reached:
    """Surfaces that the rays of each open probe meet: cast once, lit again for each bounce.

    Attributes:
        open: mask of the probes whose light is computed. Probes inside a thing or a wall see the backs of surfaces, and
            probes outdoors see nothing.
    """

    def __init__(self, tree: Tree, mesh: Mesh, probes: Floats, space: _Space, rays: int) -> None:
        self.ways = _directions(rays)
        colours = _albedo(mesh)
        corners = mesh.points[mesh.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = normals / np.where(lengths > 0, lengths, 1.0)
        numbers, hits = _open_probes(tree, normals, probes, self.ways, (_BEHIND * rays, _OUTSIDE * rays))
        if not len(numbers):
            numbers, hits = _open_probes(tree, normals, probes, self.ways, (rays, rays))
        self.count = len(numbers)
        self.open = np.zeros(len(probes), dtype=bool)
        self.open[numbers] = True
        self.seen: list[tuple[NDArray[np.intp], Floats, Floats]] = []
        for way, (faces, distances) in zip(self.ways, hits, strict=True):
            met = faces >= 0
            facing = normals[faces]
            facing = np.where((met & (facing @ way > 0))[:, None], -facing, facing)
            places = probes[numbers] + np.where(met, distances, 0.0)[:, None] * way
            places += _OFF_SURFACE * space.step * facing
            self.seen.append((space.nearest(places), facing, np.where(met[:, None], colours[faces], 0.0)))
        indices = distance_transform_edt(~self.open.reshape(space.shape), return_distances=False, return_indices=True)
        nearest = np.ravel_multi_index(tuple(indices), space.shape).ravel()
        self._stand_in = np.searchsorted(numbers, nearest)

    def filled(self, total: Floats, vector: Floats) -> _Arrived:
        """Light at all probes from that at open ones; the others have that of the nearest open one."""
        return _Arrived(total[self._stand_in], vector[self._stand_in])

    def gathered(self, arrived: _Arrived) -> tuple[Floats, Floats]:
        """Return the light that surfaces reflect to each probe, RGB, and its brightness times its direction."""
        total, vector = np.zeros((self.count, 3)), np.zeros((self.count, 3))
        share = 4 * np.pi / len(self.ways)
        for way, (places, facing, colours) in zip(self.ways, self.seen, strict=True):
            back = colours / np.pi * arrived.irradiance(places, facing) * share
            total += back
            vector += _summed(back)[:, None] / 3 * way
        return total, vector


_Hits = tuple[NDArray[np.int64], Floats]
"""Faces that rays meet, -1 for none, and how far they are."""


def _open_probes(
    tree: Tree, normals: Floats, probes: Floats, ways: Floats, most: tuple[float, float]
) -> tuple[NDArray[np.intp], list[_Hits]]:
    """Return the numbers of open probes in rising order, and the hits of their rays by direction.

    Args:
        tree, normals: the faces and their normals.
        probes, ways: places and directions.
        most: rays of an open probe that meet a face from behind, and that meet nothing, at most.
    """
    left = np.arange(len(probes))
    behind, outside = np.zeros(len(probes), dtype=int), np.zeros(len(probes), dtype=int)
    cast: dict[int, tuple[NDArray[np.intp], _Hits]] = {}
    # Neighbouring directions come one after the other: in steps, few of them find most closed probes.
    for number in (n for start in range(_LEAPS) for n in range(start, len(ways), _LEAPS)):
        way = ways[number]
        faces, distances = tree.cast(probes[left], np.broadcast_to(way, (len(left), 3)))
        cast[number] = left, (faces, distances)
        outside[left] += faces < 0
        behind[left] += (faces >= 0) & (normals @ way > 0)[faces]
        left = left[(behind[left] <= most[0]) & (outside[left] <= most[1])]
    hits = []
    for number in range(len(ways)):
        asked, (faces, distances) = cast[number]
        own = np.searchsorted(asked, left)
        hits.append((faces[own], distances[own]))
    return left, hits


def _probes(mesh: Mesh, step: float) -> tuple[Floats, _Space]:
    """Places on a grid over all that there is, x slowest, shape (n, 3)."""
    low, high = mesh.bounds
    counts = np.maximum(2, np.ceil((high - low) / step).astype(int) + 1)
    axes = [low[i] + step * np.arange(counts[i]) for i in range(3)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return grid.reshape(-1, 3), _Space(np.asarray(low), (int(counts[0]), int(counts[1]), int(counts[2])), step)


def _direct(tree: Tree, probes: Floats, emitters: Sequence[Emitter]) -> tuple[Floats, Floats]:
    """Return the direct light from lamps and panes: RGB, and brightness times direction."""
    total, vector = np.zeros((len(probes), 3)), np.zeros((len(probes), 3))
    for emitter in emitters:
        points, area = emitter.samples()
        radiance, normal = np.array(emitter.radiance), np.array(emitter.normal)
        for point in points:
            ways = point - probes
            distance = np.maximum(np.sqrt(_summed(ways**2)), 1e-6)
            ahead = -(ways @ normal) / distance
            lit = np.flatnonzero(ahead > 0)
            # The lamp's own surface is met, too, at the end of the ray.
            lit = lit[~tree.blocked(probes[lit], ways[lit], np.maximum(1 - 0.06 / distance[lit], 0.0))]
            power = area * ahead[lit] / np.maximum(distance[lit], _NEAREST) ** 2
            total[lit] += power[:, None] * radiance
            vector[lit] += (power * radiance.mean() / distance[lit])[:, None] * ways[lit]
    return total, vector


def _directions(count: int) -> Floats:
    """Unit vectors spread evenly over a sphere (Fibonacci's lattice), shape (count, 3)."""
    steps = np.arange(count) + 0.5
    height = 1 - 2 * steps / count
    around = np.pi * (1 + np.sqrt(5)) * steps
    wide = np.sqrt(1 - height**2)
    return np.column_stack([wide * np.cos(around), wide * np.sin(around), height])


def _albedo(mesh: Mesh) -> Floats:
    """Return the colour that each face reflects, linear RGB; lamps reflect nothing, as they are counted already."""
    means = np.array([texture.reshape(-1, 3).mean(0) / 255 for texture in mesh.textures])
    colours = (mesh.tints[:, :3] * mesh.by_texture(means, (1.0, 1.0, 1.0)))[mesh.faces].mean(1) ** 2.2
    shining = mesh.tints[:, 3][mesh.faces].mean(1) > 0.5
    return np.where(shining[:, None], 0.0, np.minimum(colours, 0.85))


def _packed(arrived: _Arrived, space: _Space, opened: NDArray[np.bool_]) -> LightGrid:
    """Light as textures, blurred a little."""
    blur = (SMOOTHING, SMOOTHING, SMOOTHING, 0)
    total = gaussian_filter(arrived.total.reshape(*space.shape, 3), blur)
    vector = gaussian_filter(arrived.vector.reshape(*space.shape, 3), blur)
    bright = np.maximum(total.mean(-1, keepdims=True), 1e-9)
    mean = total / 4
    most = float(np.quantile(mean, 0.999)) or 1.0
    nx, ny, nz = space.shape
    amount = np.zeros((nz, ny, nx, 4), dtype=np.uint8)
    amount[..., :3] = (np.sqrt(np.clip(mean / most, 0, 1)) * 255 + 0.5).astype(np.uint8).transpose(2, 1, 0, 3)
    flow = np.zeros((nz, ny, nx, 4), dtype=np.uint8)
    flow[..., :3] = (np.clip(vector / bright, -1, 1) * 127.5 + 127.5).astype(np.uint8).transpose(2, 1, 0, 3)
    middle = float(np.median(mean.reshape(-1, 3)[opened].mean(-1)))
    x, y, z = (float(value) for value in space.low)
    return LightGrid((x, y, z), space.step, space.shape, amount, flow, most, 1.0 / max(middle, 1e-9))


_FINEST_BIAS = 2048


@dataclass(frozen=True)
class Quality:
    """A level of quality.

    Attributes:
        name: its value of `--quality`.
        shadows: side of the map of shadows, texels.
        taps: places at which a pixel looks into that map, at most 16.
        samples: edges are drawn so many times as wide and as high, and averaged.
        mirrors: whether mirrors show a reflection.
        crevices: cell size, metres, of the grid of how closely surfaces face each other, in rooms whose light is baked;
            0 for none.
        light: of baked light.
    """

    name: str
    shadows: int
    taps: int
    samples: int
    mirrors: bool
    crevices: float
    light: LightDetail

    @property
    def bias_side(self) -> int:
        """Side of a map of shadows by whose texels surfaces are kept off their own shadow.

        Finer maps than of 2048 texels are looked into as far apart as one of these, so that no less will do.
        """
        return min(self.shadows, _FINEST_BIAS)


FAST = Quality("fast", 1024, 1, 1, mirrors=False, crevices=0.0, light=LightDetail(step=0.26))
DEFAULT = Quality("default", 2048, 4, 2, mirrors=True, crevices=0.04, light=LightDetail())
HIGH = Quality("high", 4096, 16, 3, mirrors=True, crevices=0.03, light=LightDetail(step=0.1, rays=128, bounces=4))
LEVELS = {level.name: level for level in (FAST, DEFAULT, HIGH)}
"""Levels by name."""


def quality_named(name: str) -> Quality:
    """The level of a name.

    Raises:
        UsageError: there is none.
    """
    if name not in LEVELS:
        raise unknown("quality", name, tuple(LEVELS))
    return LEVELS[name]
