"""Room area and centre from a point cloud.

The area is that of the alpha shape of the points seen from above: the union of the Delaunay triangles whose
circumscribed circle is smaller than 1/alpha. VSI-Bench's areas are alpha = 5 (a radius of 0.2 m) with holes filled, on
10,000 points drawn from the cloud, which are too few for rooms over 100 m²; here the cloud is thinned on a grid, so
that its density and not its size decides.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.clouds import groups

ALPHA = 5.0
CELL = 0.025
BLUR = 0.03
_LEAST_SHARE = 0.02
_MANY = 1000
"""Points of which the convex hull's corners are looked for first."""


def alpha_area(points: Floats, alpha: float = ALPHA, *, fill_holes: bool = True) -> float:
    """The area of the alpha shape of some points, in square metres.

    Args:
        points: shape (n, 2).
        alpha: the inverse of the largest radius that belongs to the shape, in 1/m.
        fill_holes: count what the shape encloses, as the `alphashape` package and VSI-Bench do.

    Returns:
        0 where fewer than three points are given or all lie on a line.
    """
    import shapely
    from scipy.spatial import Delaunay, QhullError

    if len(points) < 3:
        return 0.0
    try:
        triangles: NDArray[np.intp] = Delaunay(points).simplices.astype(np.intp)
    except QhullError:
        return 0.0
    corners = points[triangles]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = sides.prod(1) / (4 * areas)
    kept = triangles[(areas > 0) & (radii < 1 / alpha)]
    if not len(kept):
        return 0.0
    if not fill_holes:
        return float(areas[(areas > 0) & (radii < 1 / alpha)].sum())
    # An edge of one triangle only is on the boundary. Both ends in one whole number sort much faster than pairs.
    edges = np.concatenate([kept[:, [0, 1]], kept[:, [1, 2]], kept[:, [2, 0]]])
    keys, counts = np.unique(edges.min(1) * len(points) + edges.max(1), return_counts=True)
    once = keys[counts == 1]
    boundary = shapely.linestrings(points[np.stack([once // len(points), once % len(points)], axis=1)])
    faces = shapely.get_parts(shapely.polygonize(boundary))
    return float(shapely.area(shapely.union_all(faces)))


def thin(points: Floats, cell: float = CELL) -> Floats:
    """One point for each occupied square of a grid, the first of them; any number of points, density kept even.

    Args:
        points: shape (n, 2) or (n, 3); only x and y count.
        cell: the side of a square in metres.
    """
    keys = np.floor(points[:, :2] / cell).astype(np.int64)
    _, index = np.unique(keys, axis=0, return_index=True)
    return np.asarray(points[np.sort(index), :2])


def without_outliers(points: Floats, reach: float = 0.2, least_share: float = _LEAST_SHARE) -> Floats:
    """Without small groups of points that lie apart from the rooms: reflections, what is seen through a window.

    Args:
        points: shape (n, 2), thinned.
        reach: points nearer than this belong together, in metres.
        least_share: a group with a smaller share of all points is left out.
    """
    if len(points) < 2:
        return points
    group = groups(points, reach)
    sizes = np.bincount(group)
    return np.asarray(points[(sizes >= least_share * len(points))[group]])


def without_blur(points: Floats, blur: float = BLUR, most: float = 0.01) -> Floats:
    """A dense scan without the blur of its walls: points far from where the points around them crowd are left out.

    A wall is seen from above as a ridge as wide as the sensor's noise, and in a scan of a million points the farthest
    strays lie four standard deviations outside it, all around the room. How far a point lies from its ridge is told by
    a step of mean shift (Fukunaga and Hostetler 1975); what is evenly spread, as floors are, is nowhere far.

    Args:
        points: of the scan, shape (n, 2), seen from above, all of them: density is what is read.
        blur: how far around a point is looked, a Gaussian's standard deviation in metres; three times the noise.
        most: the longest shift that is let pass, in metres; the noise.
    """
    from scipy.ndimage import gaussian_filter

    cell = CELL / 2
    away = points - (points.min(0) - 4 * blur)
    keys = np.floor(away / cell).astype(np.int64)
    shape = keys.max(0) + 1 + round(4 * blur / cell)
    flat = keys[:, 0] * shape[1] + keys[:, 1]

    def smooth(weights: Floats | None) -> Floats:
        sums = np.bincount(flat, weights, minlength=int(shape.prod())).reshape(shape)
        return np.asarray(gaussian_filter(sums.astype(np.float64), blur / cell).ravel()[flat])

    crowd = smooth(None)
    shift = np.stack([smooth(away[:, i]) / crowd for i in range(2)], axis=1) - away
    return np.asarray(points[np.linalg.norm(shift, axis=1) <= most])


def floor_plan(points: Floats, depth: float = 0.35) -> Floats:
    """Cross-section of a scan of rooms just below the ceiling, seen from above, without blur.

    There are no doors, no windows' reveals and hardly any furniture, and the ceiling fills what walls enclose.

    Args:
        points: of the scan, shape (n, 3), z up, with the ceiling; a level one.
        depth: how far below the ceiling is looked, in metres; less than lies above the doors.

    Returns:
        For `room_area`, shape (m, 2).
    """
    ceiling = np.quantile(points[:, 2], 0.999)
    return without_blur(points[points[:, 2] > ceiling - depth, :2])


def room_area(points: Floats, alpha: float = ALPHA, *, cell: float = CELL, fill_holes: bool = True) -> float:
    """A room's or several rooms' area from a scan: thinned, without outliers, alpha shape.

    Args:
        points: of the scan, shape (n, 2) or (n, 3), z up.
        alpha, fill_holes: as in `alpha_area`.
        cell: as in `thin`; well below 1/alpha.
    """
    finite = points[np.isfinite(points).all(1)]
    return alpha_area(without_outliers(thin(finite, cell), 1 / alpha), alpha, fill_holes=fill_holes)


def room_center(points: Floats) -> Floats:
    """The centre of the least upright box around some points, shape (3,).

    The box is the smallest rotated rectangle in x and y, and the range of z.
    """
    import shapely

    flat = points[:, :2]
    if len(flat) > _MANY:
        from scipy.spatial import ConvexHull, QhullError

        with suppress(QhullError):
            flat = flat[ConvexHull(flat).vertices]
    rectangle = shapely.minimum_rotated_rectangle(shapely.multipoints(flat))
    center = shapely.get_coordinates(shapely.centroid(rectangle))[0]
    x, y = float(center[0]), float(center[1])
    return np.array([x, y, (points[:, 2].min() + points[:, 2].max()) / 2])
