"""Point clouds: thinning, strays, connected groups, and the surface under noisy points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.extras import scipy
from tolman.geometry.boxes import Floats

_BITS = 21
_SPAN = 1 << (_BITS - 1)
_CHUNK = 8192


@dataclass(frozen=True)
class Cloud:
    """Points with their weights.

    Attributes:
        points: metres, shape (n, 3).
        weights: number of returns that each represents, shape (n,).
    """

    points: Floats
    weights: Floats

    def __len__(self) -> int:
        return len(self.points)

    def take(self, index: NDArray[np.bool_] | NDArray[np.intp]) -> Cloud:
        """Those of a mask or of some numbers."""
        return Cloud(self.points[index], self.weights[index])


def as_cloud(points: Floats | Cloud) -> Cloud:
    """Return bare points as a cloud in which each counts once; points that aren't finite are left out."""
    if isinstance(points, Cloud):
        return points
    finite = np.asarray(points, dtype=np.float64)[np.isfinite(points).all(1)]
    return Cloud(finite, np.ones(len(finite)))


class VoxelGrid:
    """The mean of the points in each cell of a grid, for any number of points in bounded memory.

    If more cells fill up than are allowed, cells are made twice as wide, repeatedly if needed.

    Args:
        cell: the side of a cell in metres.
        most: cells; each takes about 50 bytes, and three times as much while sweeps are added.
    """

    def __init__(self, cell: float, most: int = 4_000_000) -> None:
        self.cell, self.most = cell, most
        self.strays = 0
        """Points farther than a million cells from the first, left out."""
        self._origin: Floats | None = None
        self._keys = np.zeros((0, 3), dtype=np.int32)
        self._sums = np.zeros((0, 4))
        self._pending: list[tuple[NDArray[np.int32], Floats]] = []
        self._waiting = 0

    def add(self, points: Floats) -> None:
        """Add points in metres, shape (n, 3)."""
        points = points[np.isfinite(points).all(1)]
        if not len(points):
            return
        if self._origin is None:
            self._origin = np.floor(np.median(points, axis=0))
        away = points - self._origin
        near = np.abs(away).max(1) < self.cell * (_SPAN - 1)
        self.strays += int((~near).sum())
        away = away[near]
        keys = np.floor(away / self.cell).astype(np.int32)
        self._pending.append(_merged(keys, np.column_stack([away, np.ones(len(away))])))
        self._waiting += len(self._pending[-1][0])
        if self._waiting > max(100_000, min(self.most, len(self._keys))):
            self._merge()

    def cloud(self) -> Cloud:
        """Cloud of all points added so far, in the order of cells."""
        self._merge()
        if self._origin is None:
            return Cloud(np.zeros((0, 3)), np.zeros(0))
        return Cloud(self._sums[:, :3] / self._sums[:, 3:] + self._origin, self._sums[:, 3].copy())

    def _merge(self) -> None:
        parts = [(self._keys, self._sums), *self._pending]
        self._pending, self._waiting = [], 0
        self._keys, self._sums = _merged(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        while len(self._keys) > self.most:
            self.cell *= 2
            self._keys, self._sums = _merged(self._keys >> 1, self._sums)


def _merged(keys: NDArray[np.int32], sums: Floats) -> tuple[NDArray[np.int32], Floats]:
    """One row for each cell."""
    wide = keys.astype(np.int64) + _SPAN
    flat = (wide[:, 0] << 2 * _BITS) | (wide[:, 1] << _BITS) | wide[:, 2]
    order = np.argsort(flat, kind="stable")
    flat = flat[order]
    starts = np.flatnonzero(np.diff(flat, prepend=-1))
    if not len(starts):
        return keys, sums
    return keys[order[starts]], np.add.reduceat(sums[order], starts, axis=0)


def voxel_means(points: Floats | Cloud, cell: float) -> Cloud:
    """A cloud thinned to the weighted mean of each cell of a grid, in the order of cells.

    Args:
        points: shape (n, 3).
        cell: the side of a cell in metres.
    """
    cloud = as_cloud(points)
    if not len(cloud):
        return cloud
    origin = np.floor(np.median(cloud.points, axis=0))
    away = cloud.points - origin
    near = np.abs(away).max(1) < cell * (_SPAN - 1)
    away, weights = away[near], cloud.weights[near]
    _, sums = _merged(np.floor(away / cell).astype(np.int32), np.column_stack([away * weights[:, None], weights]))
    return Cloud(sums[:, :3] / sums[:, 3:] + origin, sums[:, 3])


_NEIGHBOURS, _DEVIATIONS, _LEAST_NEAR = 8, 3.0, 3


def not_strays(points: Floats, radius: float = 0.1) -> NDArray[np.bool_]:
    """Find points that are neither sparse nor alone: the statistical and the radius outlier filter (Rusu et al. 2008).

    Args:
        points: shape (n, 3). A point is left out whose mean distance from its 8 nearest neighbours is greater than the
            mean of all by three standard deviations;
        radius: or that has fewer than three others within so many metres.
    """
    if len(points) <= _NEIGHBOURS:
        return np.ones(len(points), dtype=bool)
    tree = scipy.spatial.cKDTree(points, balanced_tree=False, compact_nodes=False)
    means, reach = np.empty(len(points)), np.empty(len(points))
    for start in range(0, len(points), _CHUNK):
        part = slice(start, start + _CHUNK)
        away = np.asarray(tree.query(points[part], k=_NEIGHBOURS + 1)[0])
        means[part], reach[part] = away[:, 1:].mean(1), away[:, _LEAST_NEAR]
    return np.asarray((means <= means.mean() + _DEVIATIONS * means.std()) & (reach <= radius))


def groups(points: Floats, reach: float) -> NDArray[np.int64]:
    """The number of the group that each point belongs to; points nearer than `reach` belong together.

    Args:
        points: shape (n, 2) or (n, 3), thinned: pairs within reach are listed.
        reach: metres.
    """
    # In a dense cloud most points hang together by short links, of which there are far fewer than long ones.
    near = _linked(points, np.arange(len(points)), reach / 4)
    between = _beside_others(points, near, reach)
    return _linked(points[between], near[between], reach, near)


def _linked(
    points: Floats, numbers: NDArray[np.int64], reach: float, of: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return the connected group of each of `of`; two numbers are connected where points of theirs are within reach."""
    asked = numbers if of is None else of
    count = int(asked.max(initial=-1)) + 1
    if not len(points):
        return asked
    pairs = numbers[scipy.spatial.cKDTree(points).query_pairs(reach, output_type="ndarray")]
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    graph = scipy.sparse.coo_matrix(
        (np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], pairs[:, 1])), shape=(count, count)
    )
    return np.asarray(scipy.sparse.csgraph.connected_components(graph, directed=False)[1], dtype=np.int64)[asked]


def _beside_others(points: Floats, numbers: NDArray[np.int64], reach: float) -> NDArray[np.bool_]:
    """Find points that may have one of another number in reach: those with two numbers in the squares around them."""
    if not len(points):
        return np.zeros(0, dtype=bool)
    places = np.floor((points - points.min(0)) / reach) + 1
    shape = places.max(0) + 2
    if not shape.prod() < 2**62:
        return np.ones(len(points), dtype=bool)
    steps = np.append(np.cumprod(shape[:0:-1])[::-1], 1).astype(np.int64)
    squares, square = np.unique(places.astype(np.int64) @ steps, return_inverse=True)
    least, most = np.full(len(squares), len(numbers)), np.full(len(squares), -1)
    np.minimum.at(least, square, numbers)
    np.maximum.at(most, square, numbers)
    lowest, highest = least.copy(), most.copy()
    for offset in np.ndindex(*[3] * points.shape[1]):
        beside = squares + (np.array(offset) - 1) @ steps
        found = np.minimum(np.searchsorted(squares, beside), len(squares) - 1)
        there = squares[found] == beside
        lowest[there] = np.minimum(lowest[there], least[found[there]])
        highest[there] = np.maximum(highest[there], most[found[there]])
    return np.asarray((lowest != highest)[square])


@dataclass(frozen=True)
class Surface:
    """Surface under noisy points.

    Attributes:
        points: moved onto the plane of their neighbours, shape (n, 3).
        raw: where they were; a plane through neighbours cuts into round things, so those are fitted to these points.
        weights: as they were, shape (n,).
        normals: of those planes, either way round, shape (n, 3).
        flat: whether the neighbours form a plane rather than surround the point, as at corners; shape (n,).
        noise: the standard deviation of a return about the surface, in metres.
        spacing: the median distance between neighbours, in metres.
    """

    points: Floats
    raw: Floats
    weights: Floats
    normals: Floats
    flat: NDArray[np.bool_]
    noise: float
    spacing: float

    def take(self, index: NDArray[np.bool_] | NDArray[np.intp]) -> Surface:
        """Those of a mask or of some numbers."""
        return Surface(
            self.points[index],
            self.raw[index],
            self.weights[index],
            self.normals[index],
            self.flat[index],
            self.noise,
            self.spacing,
        )


_LOOKED_AT = 48
"""Neighbours of a point that decide its plane, at most."""


def surface_of(points: Floats | Cloud, reach: float = 0.05) -> Surface:
    """Find the surface under points: each is moved onto the weighted plane through its neighbours, twice.

    One step of moving least squares of first order (Alexa et al. 2003); along the surface nothing moves, so edges stay
    where they are.

    Args:
        points: shape (n, 3).
        reach: the standard deviation of the Gaussian by which neighbours count, in metres; about three times the noise.
    """
    cloud = as_cloud(points)
    count = min(_LOOKED_AT, len(cloud))
    if count < 3:
        normals = np.tile([0.0, 0.0, 1.0], (len(cloud), 1))
        return Surface(cloud.points, cloud.points, cloud.weights, normals, np.zeros(len(cloud), dtype=bool), 0.0, 0.0)
    tree = scipy.spatial.cKDTree(cloud.points)
    moved, normals = cloud.points.copy(), np.zeros_like(cloud.points)
    flat, off = np.zeros(len(cloud), dtype=bool), np.zeros(len(cloud))
    gaps = np.zeros(len(cloud))
    for start in range(0, len(cloud), _CHUNK):
        part = slice(start, start + _CHUNK)
        for _ in range(2):
            away, index = (np.asarray(found) for found in tree.query(moved[part], k=count))
            near = np.exp(-0.5 * (away / reach) ** 2) * cloud.weights[index]
            near[:, 0] += 1e-12
            around = cloud.points[index]
            means = np.einsum("nk,nki->ni", near, around) / near.sum(1)[:, None]
            local = around - means[:, None]
            spread = np.einsum("nk,nki,nkj->nij", near, local, local) / near.sum(1)[:, None, None]
            values, vectors = np.linalg.eigh(spread)
            normals[part] = vectors[:, :, 0]
            moved[part] -= ((moved[part] - means) * normals[part]).sum(1)[:, None] * normals[part]
        # At a right-angled edge the least spread is 0.28 of the next.
        flat[part] = values[:, 0] < 0.2 * values[:, 1]
        off[part] = ((cloud.points[part] - moved[part]) * normals[part]).sum(1)
        gaps[part] = away[:, min(4, count - 1)]
    ready = flat if flat.any() else np.ones_like(flat)
    noise, spacing = float(1.4826 * np.median(np.abs(off[ready]))), float(np.median(gaps))
    return Surface(moved, cloud.points, cloud.weights, normals, flat, noise, spacing)
