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

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_CHUNK = 2048
_SIGNS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))  # (8, 3)
_EDGE_SIGNS = np.array(list(itertools.product((-0.5, 0.5), repeat=2)))  # (4, 2)


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
    found = np.empty(len(a))
    for start in range(0, len(a), _CHUNK):
        index = np.arange(start, min(start + _CHUNK, len(a)))
        found[index] = _distances(a.take(index), b.take(index))
    return found


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
    pairs = [np.triu_indices(len(scenes[number]), k=1) for number in several]
    rows, columns = (
        np.concatenate([first + own[side] for first, own in zip(firsts, pairs, strict=False)]) for side in (0, 1)
    )
    boxes = Boxes(
        np.concatenate([scenes[number].centers for number in several]),
        np.concatenate([scenes[number].axes for number in several]),
        np.concatenate([scenes[number].extents for number in several]),
    )
    found, start = distances(boxes.take(rows), boxes.take(columns)), 0
    for number, (own_rows, own_columns) in zip(several, pairs, strict=True):
        own = found[start : start + len(own_rows)]
        matrices[number][own_rows, own_columns] = matrices[number][own_columns, own_rows] = own
        start += len(own_rows)
    return matrices


def _distances(a: Boxes, b: Boxes) -> Floats:
    found = np.minimum(_vertices_to_boxes(a, b), _vertices_to_boxes(b, a))
    apart = _separated(a, b)
    # Only for boxes that are apart can two edges be nearer than any vertex; for the others the answer is zero.
    index = np.flatnonzero(apart & (found > 0))
    if len(index):
        found[index] = np.minimum(found[index], _edges_to_edges(a.take(index), b.take(index)))
    found[~apart] = 0.0
    return found


def _vertices_to_boxes(a: Boxes, b: Boxes) -> Floats:
    """The least distance of a corner of `a` from the solid box `b`."""
    local = np.einsum("nvk,nik->nvi", a.vertices() - b.centers[:, None, :], b.axes)
    outside = np.maximum(np.abs(local) - b.extents[:, None, :] / 2, 0.0)
    return np.asarray(np.sqrt((outside**2).sum(-1)).min(-1))


def _separated(a: Boxes, b: Boxes) -> NDArray[np.bool_]:
    """Tell whether one of the fifteen candidate axes separates the boxes."""
    apart = _has_gap(a, b, np.concatenate([a.axes, b.axes], axis=1))
    rest = np.flatnonzero(~apart)  # faces separate most boxes that are apart
    if len(rest):
        apart[rest] = _has_gap_across(a.take(rest), b.take(rest))
    return apart


def _has_gap_across(a: Boxes, b: Boxes) -> NDArray[np.bool_]:
    """Tell whether an axis at right angles to an edge of each separates the boxes."""
    crosses = np.cross(a.axes[:, :, None, :], b.axes[:, None, :, :]).reshape(len(a), 9, 3)
    length = np.linalg.norm(crosses, axis=-1, keepdims=True)
    crosses = np.where(length > 1e-9, crosses / np.where(length > 1e-9, length, 1.0), 0.0)
    return _has_gap(a, b, crosses)


def _has_gap(a: Boxes, b: Boxes, candidates: Floats) -> NDArray[np.bool_]:
    """Tell whether one of some axes separates the boxes; candidates have the shape (n, axes, 3)."""
    offset = b.centers - a.centers
    reach = sum(
        (np.abs(np.einsum("nck,nik->nci", candidates, box.axes)) * box.extents[:, None, :] / 2).sum(-1)
        for box in (a, b)
    )
    gap = np.abs(np.einsum("nck,nk->nc", candidates, offset)) - reach
    # Zero axes (of parallel edges) have no gap; rounding must not make a touch a gap.
    scale = np.abs(offset).max(-1) + a.extents.max(-1) + b.extents.max(-1)
    return np.asarray((gap > 1e-12 * scale[:, None]).any(-1))


def _edges_to_edges(a: Boxes, b: Boxes) -> Floats:
    """The least distance between points inside two edges, where the common perpendicular meets both."""
    best = np.full(len(a), np.inf)
    edges_b = [(_edge_starts(b, j), b.axes[:, j] * b.extents[:, j, None]) for j in range(3)]
    for i in range(3):
        starts_a = _edge_starts(a, i)  # (n, 4, 3)
        along_a = a.axes[:, i] * a.extents[:, i, None]  # (n, 3)
        uu = (along_a**2).sum(-1)
        for starts_b, along_b in edges_b:
            vv, uv = (along_b**2).sum(-1), (along_a * along_b).sum(-1)
            determinant = uu * vv - uv**2
            usable = determinant > 1e-12 * uu * vv
            if not usable.any():
                continue
            between = starts_a[:, :, None, :] - starts_b[:, None, :, :]  # (n, 4, 4, 3)
            uw = np.einsum("nk,nijk->nij", along_a, between)
            vw = np.einsum("nk,nijk->nij", along_b, between)
            safe = np.where(usable, determinant, 1.0)[:, None, None]
            s = (uv[:, None, None] * vw - vv[:, None, None] * uw) / safe
            t = (uu[:, None, None] * vw - uv[:, None, None] * uw) / safe
            inside = usable[:, None, None] & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
            met = np.nonzero(inside)  # few are
            gap = between[met] + s[met][:, None] * along_a[met[0]] - t[met][:, None] * along_b[met[0]]
            np.minimum.at(best, met[0], np.sqrt((gap**2).sum(-1)))
    return best


def _edge_starts(box: Boxes, direction: int) -> Floats:
    """Starts of the four edges along one axis, shape (n, 4, 3)."""
    others = [k for k in range(3) if k != direction]
    offsets = np.zeros((len(box), 4, 3))
    offsets[:, :, others] = _EDGE_SIGNS[None] * box.extents[:, None, others]
    offsets[:, :, direction] = -box.extents[:, None, direction] / 2
    return np.asarray(box.centers[:, None, :] + offsets @ box.axes)
