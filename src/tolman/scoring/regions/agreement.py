"""How well a place that was answered agrees with the right one: shares inside, distances, overlap of boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from tolman.scoring.regions.place import WITHIN, Place
from tolman.scoring.regions.shapes import Box, Mask, Point, Polygon, Region, intersection_over_union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Thing = TypeVar("Thing")
MAX_SAMPLES = 1 << 16
"""Points of a region that are looked at for its share inside another, at most."""
MAX_TESTS = 20_000_000
"""Points times edges of polygons that are looked at, at most."""


def inside(truth: Place, said: Place) -> list[float]:
    """Find which of the points that were answered are right.

    Args:
        truth: a region, or points of which one is right that is near enough.
        said: points; or a region, which stands for all points in it.

    Returns:
        1 or 0 for each point, in order; of a region the share of its area inside.

    Raises:
        ValueError: both are masks of pictures of different sizes.
    """
    import numpy as np

    said = said.on(truth.size)
    if said.points:
        if truth.points:
            return near_points(truth, said.points)
        return [float(hit) for hit in _in_any(truth, np.array(said.points, dtype=np.float64))]
    if said == truth:
        return [1.0]
    return [_share(truth, region) for region in regions_of(said)]


def regions_of(place: Place) -> list[Region]:
    """The regions of a place."""
    return [place.region] if place.region is not None else list(place.boxes)


def near_points(truth: Place, points: Sequence[Point]) -> list[float]:
    """Find which points have a right point of their own near enough, the nearest pairs first.

    Returns:
        1 or 0 for each point.
    """
    limit = truth.within if truth.within is not None else WITHIN * math.hypot(*truth.size)
    matched = _pairs(points, truth.points, lambda one, other: math.dist(one, other), at_most=limit * (1 + 1e-9))
    return [float(i in matched) for i in range(len(points))]


def distances(truth: Place, said: Place) -> list[float]:
    """Distances of the points that were answered from the right region or the nearest right point, as shares of the
    picture's diagonal; 0 inside. Of a region its centre is taken."""
    said = said.on(truth.size)
    points = said.points or tuple(region.middle for region in regions_of(said))
    diagonal = math.hypot(*truth.size)
    if truth.points:
        return [min(math.dist(point, right) for right in truth.points) / diagonal for point in points]
    return [min(region.distance(point) for region in regions_of(truth)) / diagonal for point in points]


def overlaps(truth: Place, said: Place) -> list[float]:
    """Overlap of boxes: for each right box the intersection over union with the box that was answered for it.

    Boxes are put together one to one, the greatest overlap first, as in COCO's matching. Where more boxes were answered
    than are right, as many zeros are added.
    """
    boxes = said.on(truth.size).boxes
    paired = _pairs(truth.boxes, boxes, lambda one, other: 1.0 - intersection_over_union(one, other), at_most=1.0)
    found = [1.0 - paired.get(i, 1.0) for i in range(len(truth.boxes))]
    return found + [0.0] * (len(boxes) - len(truth.boxes))


def _pairs(
    ones: Sequence[Thing], others: Sequence[Thing], cost: Callable[[Thing, Thing], float], at_most: float
) -> dict[int, float]:
    """One-to-one pairs, the least cost first: the place of the first in each → its cost."""
    costs = sorted((cost(one, other), i, j) for i, one in enumerate(ones) for j, other in enumerate(others))
    found: dict[int, float] = {}
    taken: set[int] = set()
    for value, i, j in costs:
        if value > at_most:
            break
        if i not in found and j not in taken:
            found[i] = value
            taken.add(j)
    return found


def _in_any(place: Place, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    import numpy as np

    found = np.zeros(len(points), dtype=bool)
    for region in regions_of(place):
        found |= region.contains(points)
    for point in place.points:
        limit = place.within if place.within is not None else WITHIN * math.hypot(*place.size)
        found |= np.hypot(*(points - np.array(point)).T) <= limit
    return found


def _share(truth: Place, region: Region) -> float:
    """The share of a region's area inside the right place."""
    if isinstance(region, Box) and isinstance(truth.region, Box):
        own = truth.region
        width, height = min(region.x1, own.x1) - max(region.x0, own.x0), min(region.y1, own.y1) - max(region.y0, own.y0)
        return min(1.0, max(width, 0.0) * max(height, 0.0) / region.area)
    if isinstance(region, Box) and isinstance(truth.region, Mask):
        share = truth.region.share_of(region)
        if share is not None:
            return share
    samples = _samples(region, truth)
    return float(_in_any(truth, samples).mean())


def _samples(region: Region, truth: Place) -> NDArray[np.float64]:
    """Points spread evenly over a region, centres of pixels where the truth is in pixels and they are not too many; a
    point inside where it holds none. Shape (points, 2)."""
    import numpy as np

    edges = sum(len(one.vertices) for one in (region, *regions_of(truth)) if isinstance(one, Polygon))
    most = max(64, min(MAX_SAMPLES, MAX_TESTS // max(edges, 1)))
    bounds = region.bounds
    step = max(1.0, math.sqrt(bounds.area / most)) if truth.size != (1.0, 1.0) else math.sqrt(bounds.area / most)
    if isinstance(region, Mask) or step == 1.0:
        step = math.ceil(step)
        xs = np.arange(math.floor(bounds.x0), math.ceil(bounds.x1), step) + 0.5
        ys = np.arange(math.floor(bounds.y0), math.ceil(bounds.y1), step) + 0.5
    else:
        across = min(most, max(1, round((bounds.x1 - bounds.x0) / step)))
        down = max(1, most // across)
        xs = bounds.x0 + (np.arange(across) + 0.5) * (bounds.x1 - bounds.x0) / across
        ys = bounds.y0 + (np.arange(down) + 0.5) * (bounds.y1 - bounds.y0) / down
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    found = grid[region.contains(grid)]
    return found if len(found) else np.array([region.middle])
