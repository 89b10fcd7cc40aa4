"""Geometry seen from above: room areas and centres, egocentric directions, and outlines of boxes.

A room's area is that of the alpha shape of its points: the union of the Delaunay triangles whose circumscribed circle
has a radius below 1/alpha. VSI-Bench's areas are alpha = 5 (a radius of 0.2 m) with holes filled, on 10,000 points
drawn from the cloud. These are too few for rooms over 100 m²; here the cloud is thinned on a grid, so that its density
and not its size decides.

Egocentric directions answer: standing at one place, facing another, where is a third? Angles are in degrees,
counter-clockwise seen from above, from the facing direction: 0 is ahead, 90 left, 180 behind, 270 right.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tolman.extras import scipy, shapely
from tolman.geometry.boxes import Floats
from tolman.geometry.clouds import groups
from tolman.scenes import OrientedBox

ALPHA = 5.0
"""The inverse of the largest radius of a triangle's circle that belongs to a room, in 1/m."""
CELL = 0.025
"""Metres of the side of a square in which one point is kept; well below 1/ALPHA."""
BLUR, _NOISE = 0.03, 0.01
"""How far around a point its ridge is looked for, a Gaussian's standard deviation in metres, and the longest shift onto
it that is let pass: three times the noise, and the noise."""
_DEPTH = 0.35
"""Metres below the ceiling that are included; less than the height of wall above the doors."""
_LEAST_SHARE = 0.02
"""Share of all points below which a group is left out."""
_MANY = 1000
"""Points of which the convex hull's corners are looked for first."""


def alpha_area(points: Floats, alpha: float = ALPHA) -> float:
    """Return the area of the alpha shape of some points with its holes filled, in square metres.

    Args:
        points: shape (n, 2).
        alpha: the inverse of the largest radius that belongs to the shape, in 1/m.

    Returns:
        0 where fewer than three points are given or all are on a line.
    """
    if len(points) < 3:
        return 0.0
    try:
        triangles: NDArray[np.intp] = scipy.spatial.Delaunay(points).simplices.astype(np.intp)
    except scipy.spatial.QhullError:
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
    # An edge of one triangle only is on the boundary. Both ends in one whole number sort much faster than pairs.
    edges = np.concatenate([kept[:, [0, 1]], kept[:, [1, 2]], kept[:, [2, 0]]])
    keys, counts = np.unique(edges.min(1) * len(points) + edges.max(1), return_counts=True)
    once = keys[counts == 1]
    boundary = shapely.linestrings(points[np.stack([once // len(points), once % len(points)], axis=1)])
    faces = shapely.get_parts(shapely.polygonize(boundary))
    return float(shapely.area(shapely.union_all(faces)))


def thin(points: Floats) -> Floats:
    """One point for each occupied square of a grid, the first of them; any number of points, density kept even.

    Args:
        points: shape (n, 2) or (n, 3); only x and y count.
    """
    keys = np.floor(points[:, :2] / CELL).astype(np.int64)
    _, index = np.unique(keys, axis=0, return_index=True)
    return np.asarray(points[np.sort(index), :2])


def without_outliers(points: Floats) -> Floats:
    """Remove small groups of points apart from the rooms: reflections, or surfaces seen through a window.

    Args:
        points: shape (n, 2), thinned.
    """
    if len(points) < 2:
        return points
    group = groups(points, 1 / ALPHA)
    sizes = np.bincount(group)
    return np.asarray(points[(sizes >= _LEAST_SHARE * len(points))[group]])


def without_blur(points: Floats) -> Floats:
    """Remove the blur of walls from a dense scan: points far from the densest place around them are left out.

    A wall is seen from above as a ridge as wide as the sensor's noise. In a scan of a million points, the farthest
    strays are four standard deviations outside it, all around the room. A step of mean shift (Fukunaga and Hostetler
    1975) gives a point's distance from its ridge; it is small for even spreads, as on floors.

    Args:
        points: all points of the scan, seen from above, shape (n, 2): the method reads their density.
    """
    cell = CELL / 2
    away = points - (points.min(0) - 4 * BLUR)
    keys = np.floor(away / cell).astype(np.int64)
    shape = keys.max(0) + 1 + round(4 * BLUR / cell)
    flat = keys[:, 0] * shape[1] + keys[:, 1]

    def smooth(weights: Floats | None) -> Floats:
        sums = np.bincount(flat, weights, minlength=int(shape.prod())).reshape(shape)
        return np.asarray(scipy.ndimage.gaussian_filter(sums.astype(np.float64), BLUR / cell).ravel()[flat])

    crowd = smooth(None)
    shift = np.stack([smooth(away[:, i]) / crowd for i in range(2)], axis=1) - away
    return np.asarray(points[np.linalg.norm(shift, axis=1) <= _NOISE])


def floor_plan(points: Floats) -> Floats:
    """Return the cross-section of a scan of rooms just below the ceiling, seen from above, without blur.

    There are no doors, no windows' reveals and hardly any furniture, and the ceiling fills the space between walls.

    Args:
        points: of the scan, shape (n, 3), z up, with the ceiling; a level one.

    Returns:
        For `room_area`, shape (m, 2).
    """
    ceiling = np.quantile(points[:, 2], 0.999)
    return without_blur(points[points[:, 2] > ceiling - _DEPTH, :2])


def room_area(points: Floats) -> float:
    """A room's or several rooms' area from a scan: thinned, without outliers, alpha shape.

    Args:
        points: of the scan, shape (n, 2) or (n, 3), z up.
    """
    finite = points[np.isfinite(points).all(1)]
    return alpha_area(without_outliers(thin(finite)))


def room_center(points: Floats) -> Floats:
    """The centre of the least upright box around some points, shape (3,).

    The box is the smallest rotated rectangle in x and y, and the range of z.
    """
    flat = points[:, :2]
    if len(flat) > _MANY:
        with suppress(scipy.spatial.QhullError):
            flat = flat[scipy.spatial.ConvexHull(flat).vertices]
    rectangle = shapely.minimum_rotated_rectangle(shapely.multipoints(flat))
    center = shapely.get_coordinates(shapely.centroid(rectangle))[0]
    x, y = float(center[0]), float(center[1])
    return np.array([x, y, (points[:, 2].min() + points[:, 2].max()) / 2])


QUADRANTS = (
    (0.0, 90.0, "front-left"),
    (90.0, 180.0, "back-left"),
    (180.0, 270.0, "back-right"),
    (270.0, 360.0, "front-right"),
)
"""The hard question's sectors."""
THIRDS = ((0.0, 135.0, "left"), (135.0, 225.0, "back"), (225.0, 360.0, "right"))
"""The medium question's sectors: behind is where one turns by at least 135°."""
HALVES = ((0.0, 180.0, "left"), (180.0, 360.0, "right"))
"""The easy question's sectors."""

Sectors = Sequence[tuple[float, float, str]]


def egocentric_angle(position: ArrayLike, facing: ArrayLike, query: ArrayLike) -> Floats:
    """The direction of a query, 0 ≤ angle < 360.

    Args:
        position, facing, query: points, shapes (…, 2) or (…, 3) that broadcast.
    """
    origin = np.asarray(position, dtype=np.float64)[..., :2]
    ahead = np.asarray(facing, dtype=np.float64)[..., :2] - origin
    toward = np.asarray(query, dtype=np.float64)[..., :2] - origin
    cross = ahead[..., 0] * toward[..., 1] - ahead[..., 1] * toward[..., 0]
    dot = (ahead * toward).sum(-1)
    return np.asarray(np.degrees(np.arctan2(cross, dot)) % 360.0)


def sector_of(angle: float, sectors: Sectors) -> str:
    """Return the name of the sector that contains an angle; a boundary belongs to the sector that begins there."""
    return _sector(angle % 360.0, sectors)[2]


def boundary_gap(angle: float, sectors: Sectors) -> tuple[float, float]:
    """Margins of an angle to the boundary behind it and to the one ahead, in degrees."""
    angle = angle % 360.0
    low, high, _ = _sector(angle, sectors)
    return angle - low, high - angle


def _sector(angle: float, sectors: Sectors) -> tuple[float, float, str]:
    """Return the sector that contains an angle from 0 to 360."""
    for sector in sectors:
        if sector[0] <= angle < sector[1]:
            return sector
    raise ValueError(f"{angle} is no direction")


def outline(box: OrientedBox) -> Floats:
    """A box's shadow on the floor, counter-clockwise, shape (6, 2): the sum of its three edges seen from above."""
    edges = np.array(box.axes)[:, :2] * np.array(box.extents)[:, None]
    edges = np.where((edges[:, 1] < 0) | ((edges[:, 1] == 0) & (edges[:, 0] < 0)), -1.0, 1.0)[:, None] * edges
    edges = edges[np.argsort(np.arctan2(edges[:, 1], edges[:, 0]))]
    corners = np.cumsum(np.vstack([-edges.sum(0) / 2, edges, -edges[:-1]]), axis=0)
    return np.asarray(corners + np.array(box.center)[:2])
