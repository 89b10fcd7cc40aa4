"""Oriented bounding boxes: their exact and sampled distances, and the smallest box around points.

A box is a centre, three orthonormal axes and full extents. The closest points of two disjoint convex polytopes are a
vertex of one and a point of the other, or points inside two edges. So the exact distance of two boxes is the least of
16 vertex-to-box and 144 edge-to-edge distances. It is zero where no axis separates them (Gottschalk, Lin and Manocha
1996). All of it is vectorised over pairs.

The least-volume box has two adjacent sides that are each flush with an edge of the convex hull (O'Rourke 1985). Here a
side is flush with a whole face of the hull and another with an edge of that face, which leaves finitely many boxes.
The least of them is exact for points of a cuboid, and for others sometimes larger than the least of all. Open3D's
minimal oriented box, whose form VSI-Bench's boxes have, is made in the same way.

VSI-Bench's distances were measured between grids of points in the boxes, not between the boxes. Source:
VITA-Group/VLM-3R, `sample_points_in_oriented_bbox_uniform`, whose results equal the released answers. Each box is
filled with a grid of about 5 cm, and the inner half is left out. A crop to the box drops most boundary points by
rounding. So distances come out too long (3.4 cm on average over the released questions). Which points rounding drops
depends on the order of operations, and on a matrix product with fused multiply-add, as in numpy on current processors.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tolman.extras import scipy, shapely

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
    """Check whether one of the fifteen candidate axes separates the boxes."""
    apart = _has_gap(a, b, np.concatenate([a.axes, b.axes]).swapaxes(0, 1))
    rest = np.flatnonzero(~apart)  # faces separate most boxes that are apart
    if len(rest):
        apart[rest] = _has_gap_across(a.take(rest), b.take(rest))
    return apart


def _has_gap_across(a: _Solids, b: _Solids) -> NDArray[np.bool_]:
    """Check whether an axis at right angles to an edge of each separates the boxes."""
    crosses = np.cross(a.axes[:, None], b.axes[None], axis=2).reshape(9, 3, -1).swapaxes(0, 1)
    length = np.linalg.norm(crosses, axis=0)
    crosses = np.where(length > 1e-9, crosses / np.where(length > 1e-9, length, 1.0), 0.0)
    return _has_gap(a, b, crosses)


def _has_gap(a: _Solids, b: _Solids, candidates: Floats) -> NDArray[np.bool_]:
    """Check whether one of some axes separates the boxes; candidates have the shape (3, axes, n)."""
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


_CANDIDATES_AT_ONCE = 256
_SAME = 1e-9
"""Share by which volumes differ at least; of those that don't, the first is taken."""


def least_box(points: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Find the smallest box around points that is flush with a face of their hull and with an edge of that face.

    Args:
        points: metres, shape (n, 3).

    Returns:
        Its centre, its axes in the rows of a rotation, and its full extents, as in `scenes.OrientedBox`. The third axis
        is the one nearest to upwards, the first the longer of the others. A flat box for points on a plane; None for
        points on a line and for none.
    """
    points = np.asarray(points, dtype=np.float64)
    if len(points) < 3:
        return None
    middle = points.mean(0)
    try:
        hull = scipy.spatial.ConvexHull(points - middle)
    except scipy.spatial.QhullError:
        found = _flat(points - middle)
        return None if found is None else _canonical(found, points)
    corners = (points - middle)[hull.vertices]
    triangles = (points - middle)[hull.simplices]
    edges = np.roll(triangles, -1, axis=1) - triangles
    normals = np.cross(edges[:, 0], edges[:, 1])
    along = edges.reshape(-1, 3)
    normal = np.repeat(normals, 3, axis=0)
    lengths = np.linalg.norm(along, axis=1) * np.linalg.norm(normal, axis=1)
    usable = lengths > 1e-12 * max(float(lengths.max()), 1e-300)
    along = along[usable] / np.linalg.norm(along[usable], axis=1, keepdims=True)
    normal = normal[usable] / np.linalg.norm(normal[usable], axis=1, keepdims=True)
    candidates = np.stack([along, np.cross(normal, along), normal], axis=1)
    volumes = np.concatenate(
        [
            np.ptp(candidates[start : start + _CANDIDATES_AT_ONCE] @ corners.T, axis=2).prod(1)
            for start in range(0, len(candidates), _CANDIDATES_AT_ONCE)
        ]
    )
    best = int(np.flatnonzero(volumes <= volumes.min() * (1 + _SAME))[0])
    return _canonical(candidates[best], points)


def _flat(points: Floats) -> Floats | None:
    """Return the axes of the smallest rectangle around points of a plane; None where they are on a line."""
    _, sizes, axes = np.linalg.svd(points, full_matrices=False)
    if sizes[1] <= 1e-9 * max(float(sizes[0]), 1e-300):
        return None
    rectangle = shapely.minimum_rotated_rectangle(shapely.multipoints(points @ axes[:2].T))
    corners = shapely.get_coordinates(rectangle)
    if len(corners) < 4:
        return None
    side = corners[1] - corners[0]
    first = (side / np.linalg.norm(side)) @ axes[:2]
    normal = np.cross(axes[0], axes[1])
    return np.stack([first, np.cross(normal, first), normal])


def _canonical(axes: Floats, points: Floats) -> tuple[Floats, Floats, Floats]:
    """The box along some axes, written one way."""
    upright = int(np.abs(axes[:, 2]).argmax())
    spans = np.ptp(points @ axes.T, axis=0)
    first = max((i for i in range(3) if i != upright), key=lambda i: spans[i])
    third = axes[upright] * (1.0 if axes[upright, 2] >= 0 else -1.0)
    main = axes[first]
    leading = main[np.abs(main).argmax()]
    main = main * (1.0 if leading >= 0 else -1.0)
    rows = np.stack([main, np.cross(third, main), third])
    rows = np.linalg.svd(rows)[0] @ np.linalg.svd(rows)[2]  # orthonormal to rounding
    reach = points @ rows.T
    low, high = reach.min(0), reach.max(0)
    extents = high - low
    # Rounding gives points of a plane a thickness.
    extents = np.where(extents < 1e-9 * extents.max(), 0.0, extents)
    return np.asarray(((low + high) / 2) @ rows), rows, extents


def grid_points(boxes: Boxes, number: int, spacing: float = 0.05) -> Floats:
    """Return the points of one box, shape (n, 3). Rounding depends on the order of operations, which is theirs."""
    center, rotation, extent = boxes.centers[number], boxes.axes[number].T, boxes.extents[number]
    sides = [np.linspace(-e / 2, e / 2, int(np.ceil(e / spacing))) for e in extent]
    grid = np.meshgrid(*sides)
    points = np.vstack([side.ravel() for side in grid]).T
    points = points[np.any(np.abs(points) > extent / 4, axis=1)]
    if len(points):
        points = np.dot(points, rotation.T)
        points += center
        x, y, z = (points - center).T
        inside = np.ones(len(points), dtype=bool)
        for (a, b, c), length in zip(boxes.axes[number], extent, strict=True):
            inside &= np.abs((x * a + y * b) + z * c) <= length / 2
        points = points[inside]
    if len(points) == 0:
        return grid_points(boxes, number, spacing / 2)
    return np.asarray(points)


def sampled_distance(a: Floats, b: Floats) -> float:
    """The least distance between two sets of points, in metres."""
    small, large = sorted((a, b), key=len)
    # Only what lies nearer to the other set's bounds than two points that lie close can be nearest.
    one = small[_squared_norms(small - large.mean(0)).argmin()]
    other = large[_squared_norms(large - one).argmin()]
    bound = float(np.sqrt(_squared_norms(small - other).min())) * (1 + 1e-9) + 1e-9
    small = _near(small, large, bound)
    large = _near(large, small, bound)
    nearest, _ = scipy.spatial.cKDTree(large).query(small, distance_upper_bound=bound)
    return float(np.min(nearest))


def _near(points: Floats, others: Floats, distance: float) -> Floats:
    """The points that are no further from the others' bounds."""
    beyond = np.maximum(np.maximum(others.min(0) - points, points - others.max(0)), 0)
    return points[_squared_norms(beyond) <= distance**2]


def _squared_norms(vectors: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", vectors, vectors))
