"""The distance that VSI-Bench's answers were made with: between grids of points in the boxes, not between the boxes.

Source: VITA-Group/VLM-3R, `sample_points_in_oriented_bbox_uniform`, whose results equal the released answers. Each
box is filled with a grid of about 5 cm, the inner half is left out, and a crop to the box itself drops most points of
its boundary by rounding; so distances come out too long (3.4 cm on average over the released questions). Which points
rounding drops depends on the order of operations below, and on a matrix product with fused multiply-add, as numpy's has
on every current processor.
"""

from __future__ import annotations

import numpy as np

from tolman.geometry.boxes import Boxes, Floats


def grid_points(boxes: Boxes, number: int, spacing: float = 0.05) -> Floats:
    """The points of one box, shape (n, 3). What rounding leaves depends on the order of operations: it is theirs."""
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
    from scipy.spatial import cKDTree

    small, large = sorted((a, b), key=len)
    # Only what lies nearer to the other set's bounds than two points that lie close can be nearest.
    one = small[_squares(small - large.mean(0)).argmin()]
    other = large[_squares(large - one).argmin()]
    bound = float(np.sqrt(_squares(small - other).min())) * (1 + 1e-9) + 1e-9
    small = _near(small, large, bound)
    large = _near(large, small, bound)
    nearest, _ = cKDTree(large).query(small, distance_upper_bound=bound)
    return float(np.min(nearest))


def _near(points: Floats, others: Floats, distance: float) -> Floats:
    """The points that are no further from the others' bounds."""
    beyond = np.maximum(np.maximum(others.min(0) - points, points - others.max(0)), 0)
    return points[_squares(beyond) <= distance**2]


def _squares(vectors: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", vectors, vectors))
