"""Oriented bounding boxes and the exact distance between them.

A box is a centre, three orthonormal axes and full extents. The closest points of two disjoint convex polytopes are a
vertex of one and a point of the other, or points inside two edges; so the exact distance of two boxes is the least of
16 vertex-to-box and 144 edge-to-edge distances, and zero where no axis separates them (Gottschalk, Lin and Manocha
1996). All of it is vectorised over pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_CHUNK = 512
"""Pairs whose arrays fit into a processor's cache."""
_SIGNS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))  # (8, 3)


@dataclass(frozen=True)
class Boxes:
    """Some oriented bounding boxes.

    Attributes:
        centers: metres, shape (n, 3).
        axes: the rows of each matrix are the box's unit axes, shape (n, 3, 3).
        extents: full lengths along them in metres, shape (n, 3).
    """

    centers: Floats
    axes: Floats
    extents: Floats

    def __len__(self) -> int:
        return len(self.centers)

    def take(self, index: NDArray[np.intp]) -> Boxes:
        """Those of some numbers."""
        return Boxes(self.centers[index], self.axes[index], self.extents[index])

    def vertices(self) -> Floats:
        """The eight corners of each, shape (n, 8, 3)."""
        offsets = _SIGNS[None] * self.extents[:, None, :]
        return np.asarray(self.centers[:, None, :] + offsets @ self.axes)


def distances(a: Boxes, b: Boxes) -> Floats:
    """Exact distances between boxes, pair by pair; zero where they touch or overlap.

    Args:
        a, b: as many boxes each.

    Returns:
        Metres, shape (n,); exact to rounding (about 1e-12 of the coordinates).
    """
    index = np.arange(len(a))
    return _distances_of_pairs(_Solids.of(a), _Solids.of(b), index, index)


def pairwise_distances(boxes: Boxes) -> Floats:
    """Exact distances between all boxes of a scene, shape (n, n)."""
    return pairwise_distances_of_scenes([boxes])[0]


def pairwise_distances_of_scenes(scenes: Sequence[Boxes]) -> list[Floats]:
    """Exact distances between all boxes of each of some scenes, shapes (n, n)."""
    matrices = [np.zeros((len(boxes), len(boxes))) for boxes in scenes]
    several = [number for number, boxes in enumerate(scenes) if len(boxes) > 1]
    if not several:
        return matrices
    firsts = np.cumsum([0, *(len(scenes[number]) for number in several)])
    pairs = [_pairs(len(scenes[number])) for number in several]
    rows, columns = (
        np.concatenate([first + own[side] for first, own in zip(firsts, pairs, strict=False)]) for side in (0, 1)
    )
    boxes = Boxes(
        np.concatenate([scenes[number].centers for number in several]),
        np.concatenate([scenes[number].axes for number in several]),
        np.concatenate([scenes[number].extents for number in several]),
    )
    solids = _Solids.of(boxes)
    found, start = _distances_of_pairs(solids, solids, rows, columns), 0
    for number, (own_rows, own_columns) in zip(several, pairs, strict=True):
        own = found[start : start + len(own_rows)]
        matrices[number][own_rows, own_columns] = matrices[number][own_columns, own_rows] = own
        start += len(own_rows)
    return matrices


@lru_cache(maxsize=256)
def _pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of each pair of so many boxes; many scenes have as many."""
    first, second = np.triu_indices(count, k=1)
    return first, second


@dataclass(frozen=True)
class _Solids:
    """Boxes with their coordinates first and the boxes last: each step is then one run through long rows.

    Attributes:
        centers: shape (3, n).
        axes: shape (3, 3, n), axis by axis.
        extents: shape (3, n).
        corners: shape (3, 8, n).
    """

    centers: Floats
    axes: Floats
    extents: Floats
    corners: Floats

    @classmethod
    def of(cls, boxes: Boxes) -> _Solids:
        return cls(boxes.centers.T, boxes.axes.transpose(1, 2, 0), boxes.extents.T, boxes.vertices().transpose(2, 1, 0))

    def take(self, index: NDArray[np.intp]) -> _Solids:
        """Those of some numbers."""
        return _Solids(*(one.take(index, axis=-1) for one in (self.centers, self.axes, self.extents, self.corners)))


def _distances_of_pairs(a: _Solids, b: _Solids, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Floats:
    """The distances of those of `a` from those of `b` that have some numbers."""
    parts = [slice(start, start + _CHUNK) for start in range(0, len(rows), _CHUNK)]
    return np.concatenate([np.empty(0), *(_distances(a.take(rows[part]), b.take(columns[part])) for part in parts)])


def _distances(a: _Solids, b: _Solids) -> Floats:
    found = np.minimum(_corners_to_boxes(a, b), _corners_to_boxes(b, a))
    apart = _separated(a, b)
    # Only for boxes that are apart can two edges be nearer than any corner; for the others the answer is zero.
    index = np.flatnonzero(apart & (found > 0))
    if len(index) == len(found):
        return np.minimum(found, _edges_to_edges(a, b))
    if len(index):
        found[index] = np.minimum(found[index], _edges_to_edges(a.take(index), b.take(index)))
    found[~apart] = 0.0
    return found


def _dot(a: Floats, b: Floats) -> Floats:
    """Products of vectors whose coordinates come first; the order of their sum is the same on every machine."""
    return np.asarray((a[0] * b[0] + a[2] * b[2]) + a[1] * b[1])


def _squares(vectors: Floats) -> Floats:
    """Squared lengths of vectors whose coordinates come first."""
    return np.asarray((vectors[0] ** 2 + vectors[1] ** 2) + vectors[2] ** 2)


def _corners_to_boxes(a: _Solids, b: _Solids) -> Floats:
    """The least distance of a corner of `a` from the solid box `b`."""
    offsets = a.corners - b.centers[:, None]
    local = np.stack([np.abs(_dot(offsets, axis)) for axis in b.axes])
    return np.asarray(np.sqrt(_squares(np.maximum(local - b.extents[:, None] / 2, 0.0)).min(0)))


def _separated(a: _Solids, b: _Solids) -> NDArray[np.bool_]:
    """Tell whether one of the fifteen candidate axes separates the boxes."""
    apart = _has_gap(a, b, np.concatenate([a.axes, b.axes]).swapaxes(0, 1))
    rest = np.flatnonzero(~apart)  # faces separate most boxes that are apart
    if len(rest):
        apart[rest] = _has_gap_across(a.take(rest), b.take(rest))
    return apart


def _has_gap_across(a: _Solids, b: _Solids) -> NDArray[np.bool_]:
    """Tell whether an axis at right angles to an edge of each separates the boxes."""
    crosses = np.cross(a.axes[:, None], b.axes[None], axis=2).reshape(9, 3, -1).swapaxes(0, 1)
    length = np.linalg.norm(crosses, axis=0)
    crosses = np.where(length > 1e-9, crosses / np.where(length > 1e-9, length, 1.0), 0.0)
    return _has_gap(a, b, crosses)


def _has_gap(a: _Solids, b: _Solids, candidates: Floats) -> NDArray[np.bool_]:
    """Tell whether one of some axes separates the boxes; candidates have the shape (3, axes, n)."""
    offset = b.centers - a.centers
    gap = np.abs(_dot(candidates, offset))
    for box in (a, b):
        for axis, extent in zip(box.axes, box.extents, strict=True):
            gap -= np.abs(_dot(candidates, axis)) * (extent / 2)
    # Zero axes (of parallel edges) have no gap; rounding must not make a touch a gap.
    scale = np.abs(offset).max(0) + a.extents.max(0) + b.extents.max(0)
    return np.asarray((gap > 1e-12 * scale).any(0))


def _edges_to_edges(a: _Solids, b: _Solids) -> Floats:
    """The least distance between points inside two edges, where the common perpendicular meets both."""
    best = np.full(a.centers.shape[-1], np.inf)
    edges_b = [_edges(b, j) for j in range(3)]
    for i in range(3):
        starts_a, along_a = _edges(a, i)
        uu = _squares(along_a)
        for starts_b, along_b in edges_b:
            vv = _squares(along_b)
            uv = (along_a[0] * along_b[0] + along_a[1] * along_b[1]) + along_a[2] * along_b[2]
            determinant = uu * vv - uv**2
            usable = determinant > 1e-12 * uu * vv
            if not usable.any():
                continue
            between = starts_a[:, :, None] - starts_b[:, None]  # (3, 4, 4, n)
            uw, vw = _dot(along_a, between), _dot(along_b, between)
            safe = np.where(usable, determinant, 1.0)
            s = (uv * vw - vv * uw) / safe
            t = (uu * vw - uv * uw) / safe
            met = np.flatnonzero(usable & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1))  # few are
            pair = met % len(best)
            gap = between.reshape(3, -1)[:, met] + s.flat[met] * along_a[:, pair] - t.flat[met] * along_b[:, pair]
            np.minimum.at(best, pair, np.sqrt(_squares(gap)))
    return best


def _edges(box: _Solids, direction: int) -> tuple[Floats, Floats]:
    """The four edges along one axis: their starts, shape (3, 4, n), and how they run, shape (3, n)."""
    return box.corners[:, _SIGNS[:, direction] < 0], box.axes[direction] * box.extents[direction]
