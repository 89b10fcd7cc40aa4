"""The least oriented box around some points.

The least-volume box has two adjacent sides that are each flush with an edge of the convex hull (O'Rourke 1985). Here a
side is flush with a whole face of the hull and another with an edge of that face: the least of finitely many boxes,
exact for points of a cuboid, for others sometimes larger than the least of all. Open3D's minimal oriented box, whose
form VSI-Bench's boxes have, is made in the same way.
"""

from __future__ import annotations

import numpy as np

from tolman.geometry.boxes import Floats

_CHUNK = 256
_SAME = 1e-9
"""Share by which volumes differ at least; of those that don't, the first is taken."""


def least_box(points: Floats) -> tuple[Floats, Floats, Floats] | None:
    """The least box around points that lies on a face of their hull and on an edge of that face.

    Args:
        points: metres, shape (n, 3).

    Returns:
        Its centre, its axes in the rows of a rotation, and its full extents, as in `scenes.OrientedBox`. The third axis
        is the one nearest to upwards, the first the longer of the others. A flat box for points on a plane; None for
        points on a line and for none.
    """
    from scipy.spatial import ConvexHull, QhullError

    points = np.asarray(points, dtype=np.float64)
    if len(points) < 3:
        return None
    middle = points.mean(0)
    try:
        hull = ConvexHull(points - middle)
    except QhullError:
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
            np.ptp(candidates[start : start + _CHUNK] @ corners.T, axis=2).prod(1)
            for start in range(0, len(candidates), _CHUNK)
        ]
    )
    best = int(np.flatnonzero(volumes <= volumes.min() * (1 + _SAME))[0])
    return _canonical(candidates[best], points)


def _flat(points: Floats) -> Floats | None:
    """The axes of the least rectangle around points of a plane; None where they lie on a line."""
    import shapely

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
