"""The cylinder through noisy points: RANSAC on pairs of points with their normals, then least squares, seeded.

What its bounds hold is said in `fitting`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.clouds import Cloud, Surface
from tolman.geometry.fitting import ALONG, LEAST, FitError, across_of, bound_of, end_of, enough, sample_of


@dataclass(frozen=True)
class Cylinder:
    """An upright or lying cylinder.

    Attributes:
        center: the middle of its axis, metres.
        axis: unit vector.
        radius, length: metres.
        inliers: which of the points lie on it, shape (n,).
        residual: their standard deviation about it, metres.
        error: 95 % bound of the radius, metres.
        length_error: of the length.
        share: of the full turn that points are on, 0 … 1.
    """

    center: Floats
    axis: Floats
    radius: float
    length: float
    inliers: NDArray[np.bool_]
    residual: float
    error: float
    length_error: float
    share: float


def fit_cylinder(surface: Surface, *, reach: float = 0.03, seed: int = 0, trials: int = 200) -> Cylinder:
    """The cylinder that most points lie on.

    Two points with their normals tell an axis (Schnabel et al. 2007); that of most support is refined by least squares
    over axis, place and radius.

    Args:
        surface: the points, with normals.
        reach: a point farther from it is none of its own, metres.
        seed: of the pairs that are tried.
        trials: how many.

    Raises:
        FitError: there are too few points, or no cylinder holds a third of them.
    """
    from scipy.optimize import least_squares

    cloud = enough(Cloud(surface.raw, surface.weights))
    generator = np.random.default_rng(seed)
    sample = sample_of(len(cloud), 3000, generator)
    axis, place, radius = _best_of_pairs(cloud.points[sample], surface.normals[sample], reach, trials, generator)
    across = across_of(axis)

    def moved(values: Floats) -> tuple[Floats, Floats, float]:
        way = axis + values[0] * across[0] + values[1] * across[1]
        return way / np.linalg.norm(way), place + values[2] * across[0] + values[3] * across[1], float(values[4])

    def off_surface(values: Floats) -> Floats:
        way, through, wide = moved(values)
        local = cloud.points - through
        return np.asarray(np.linalg.norm(local - np.outer(local @ way, way), axis=1) - wide)

    def on_surface(values: Floats) -> NDArray[np.bool_]:
        way, through, _ = moved(values)
        local = cloud.points - through
        outward = local - np.outer(local @ way, way)
        # Points of the caps near the rim would draw the radius in: their normals point along the axis.
        facing = np.abs((surface.normals * outward).sum(1)) > ALONG * np.linalg.norm(outward, axis=1)
        return np.asarray((np.abs(off_surface(values)) < reach) & facing)

    def weighted(values: Floats, root: Floats) -> Floats:
        return off_surface(values) * root

    inliers = np.zeros(len(cloud), dtype=bool)
    values = np.array([0.0, 0.0, 0.0, 0.0, radius])
    for _ in range(4):
        new = on_surface(values)
        if new.sum() < LEAST or (new == inliers).all():
            break
        inliers = new
        root = np.where(inliers, np.sqrt(cloud.weights), 0.0)
        values = least_squares(weighted, values, args=(root,)).x
    way, through, wide = moved(values)
    if not inliers.any() or wide <= 0:
        raise FitError("lie on no cylinder")
    if way[np.abs(way).argmax()] < 0:
        way = -way
    own = cloud.take(inliers)
    off = off_surface(values)[inliers]
    residual = float(np.sqrt(np.average(off**2, weights=own.weights)))
    local = own.points - through
    turn = np.arctan2(local @ across_of(way)[1], local @ across_of(way)[0])
    share = float(len(np.unique(np.floor(turn / np.radians(10)))) / 36)
    apart = np.linalg.norm(surface.points - through - np.outer((surface.points - through) @ way, way), axis=1)
    body = surface.take(apart < wide + reach)
    ends = [end_of(body, way * sign) for sign in (-1, 1)]
    low, high = -ends[0].place, ends[1].place
    # On less than half the way around, radius and place can hardly be told apart: the error grows with the missing arc.
    sagitta = max(1e-3, 1 - np.cos(np.pi * min(share, 0.5)))
    error = bound_of(max(residual, surface.noise), float(own.weights.sum())) / sagitta**2
    center = through + way * ((low + high) / 2 - through @ way)
    edge = float(np.hypot(ends[0].error, ends[1].error))
    return Cylinder(center, way, wide, float(high - low), inliers, residual, float(error), edge, share)


def _best_of_pairs(
    points: Floats, normals: Floats, reach: float, trials: int, generator: np.random.Generator
) -> tuple[Floats, Floats, float]:
    """Axis, a place on it, and radius of the cylinder that most points lie on, of those that pairs of points tell."""
    best: tuple[float, Floats] = (0.0, np.zeros(7))
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    for i, j in generator.integers(0, len(points), (trials, 2)):
        axis = np.cross(normals[i], normals[j])
        length = np.linalg.norm(axis)
        if length < 0.2:
            continue
        axis /= length
        across, own = across_of(axis), np.stack([normals[i], normals[j]])
        flat, ways = points[[i, j]] @ across.T, own @ across.T
        # Where the two normals meet, seen along the axis.
        try:
            steps = np.linalg.solve(np.column_stack([ways[0], -ways[1]]), flat[1] - flat[0])
        except np.linalg.LinAlgError:
            continue
        middle = flat[0] + steps[0] * ways[0]
        radius = float(np.abs(steps).mean())
        if not 0.005 < radius < size:
            continue
        off = points @ across.T - middle
        apart = np.linalg.norm(off, axis=1)
        outward = np.abs((normals @ across.T * off).sum(1)) / np.maximum(apart, 1e-9)
        support = float((np.abs(apart - radius) < reach)[outward > ALONG].sum())
        if support > best[0]:
            best = (support, np.concatenate([axis, middle @ across, [radius]]))
    if best[0] < max(LEAST, len(points) / 3):
        raise FitError("lie on no cylinder")
    return best[1][:3], best[1][3:6], float(best[1][6])
