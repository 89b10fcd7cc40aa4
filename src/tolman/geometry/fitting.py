"""Planes, boxes and cylinders through noisy points, by seeded RANSAC and least squares.

RANSAC is that of Fischler and Bolles (1981); for cylinders it draws pairs of points with their normals. Every fit
reports its error as 95 % bounds in metres, which combine three parts as squares.

- noise: 1.96 standard errors of the fitted place of a face, σ/√n for n returns on it. Returns of one sweep share the
  error of its pose, so no more than a hundred are counted as independent of each other;
- residuals: where a shape bends or bulges, the standard deviation of the residuals takes the place of σ;
- coverage: an end that no face makes is only known by the outermost points: 1.96 σ of one return, and half the
  distance of neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.extras import scipy
from tolman.geometry.boxes import Floats, least_box
from tolman.geometry.clouds import Cloud, Surface, as_cloud, not_strays
from tolman.scenes import OrientedBox

LEAST = 12
"""Fewer points are not fitted."""
_Z = 1.96
_INDEPENDENT = 100
_AGREED = 0.5
"""Mean resultant length of four times the angles, 1 where all normals are at right angles, 0 for a cylinder."""
_FACE = 0.06
"""So far inside the outermost points is looked for the face that ends them, metres."""
_BEYOND, _FEWEST_BEYOND = 0.003, 6
"""A larger share of points beyond a face, and at least so many, say that it isn't the end: handles are thin."""
_TIP = 40
"""Number of outermost points that show how an end without a face tapers."""
ALONG = 0.9
_TRIM = 0.001
_TRIALS = 200
"""Triples of points, or pairs, that are tried."""


class FitError(ValueError):
    """Points that no such shape can be put through; its text is the reason, as the rest of a sentence."""


@dataclass(frozen=True)
class Plane:
    """A plane: normal · x = offset.

    Attributes:
        normal: unit vector, the half with the greatest component positive.
        offset: metres.
        inliers: which of the points are on it, shape (n,).
        residual: their standard deviation about it, metres.
        error: 95 % bound of its place at their centre, metres.
        tilt: 95 % bound of its direction, radians.
    """

    normal: Floats
    offset: float
    inliers: NDArray[np.bool_]
    residual: float
    error: float
    tilt: float

    def distances(self, points: Floats) -> Floats:
        """Signed distances of points from the plane, positive on the side of its normal, metres, shape (n,)."""
        return np.asarray(points @ self.normal - self.offset)


@dataclass(frozen=True)
class FittedBox:
    """The smallest box around points, with its faces on the points' surfaces.

    Attributes:
        box: the box.
        errors: 95 % bounds of its extents, metres.
        seen: whether points are on the face at the low and the high end of each axis.
        residual: the standard deviation of points about their faces, metres.
        gaps: how far the object may go on unseen at the low and the high end of each axis, metres; 0 until looked at.
        cut: whether the picked points end there only because the region does; False until looked at.
        tapers: where no face ends the object, the length along which its outermost points are, and by which smoothing
            moved them, metres.
    """

    box: OrientedBox
    errors: tuple[float, float, float]
    seen: tuple[tuple[bool, bool], tuple[bool, bool], tuple[bool, bool]]
    residual: float
    gaps: tuple[tuple[float, float], tuple[float, float], tuple[float, float]] = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    cut: tuple[tuple[bool, bool], tuple[bool, bool], tuple[bool, bool]] = ((False,) * 2, (False,) * 2, (False,) * 2)
    tapers: tuple[tuple[float, float], tuple[float, float], tuple[float, float]] = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))


def fit_plane(points: Floats | Cloud, *, reach: float = 0.03, seed: int = 0, normals: Floats | None = None) -> Plane:
    """Fit the plane with the most inliers.

    Args:
        points: shape (n, 3).
        reach: a point farther from it is none of its own, metres; about three times the noise.
        seed: of the triples that are tried.
        normals: of the surface at each point, where known: those that point elsewhere are none of its own.

    Raises:
        FitError: there are too few points, or they are on a line.
    """
    cloud = enough(points)
    generator = np.random.default_rng(seed)
    triples = generator.integers(0, len(cloud), (_TRIALS, 3))
    a, b, c = (cloud.points[triples[:, i]] for i in range(3))
    found = np.cross(b - a, c - a) if normals is None else normals[triples[:, 0]]
    lengths = np.linalg.norm(found, axis=1)
    usable = lengths > 1e-9
    if not usable.any():
        raise FitError("lie on a line")
    found, a = found[usable] / lengths[usable, None], a[usable]
    # All trials against a sample of the points; the best of them against all.
    sample = sample_of(len(cloud), 4000, generator)
    near = np.abs(cloud.points[sample] @ found.T - (a * found).sum(1)) < reach
    if normals is not None:
        near &= np.abs(normals[sample] @ found.T) > ALONG
    best = int((near * cloud.weights[sample, None]).sum(0).argmax())
    normal, offset = found[best], float(a[best] @ found[best])
    inliers = np.zeros(len(cloud), dtype=bool)
    for _ in range(5):
        new = np.abs(cloud.points @ normal - offset) < reach
        if normals is not None:
            new &= np.abs(normals @ normal) > ALONG
        if new.sum() < 3 or (new == inliers).all():
            break
        inliers = new
        mean, values, vectors = main_axes(cloud.take(inliers))
        normal, offset = vectors[:, 0], float(mean @ vectors[:, 0])
    if inliers.sum() < 3:
        raise FitError("lie on no plane")
    own = cloud.take(inliers)
    _, values, _ = main_axes(own)
    if values[1] < 1e-6:
        raise FitError("lie on a line")
    residual, count = float(np.sqrt(max(values[0], 0.0))), float(own.weights.sum())
    if normal[np.abs(normal).argmax()] < 0:
        normal, offset = -normal, -offset
    tilt = bound_of(residual, count) / np.sqrt(values[1])
    return Plane(normal, offset, inliers, residual, bound_of(residual, count), float(tilt))


def fit_box(surface: Surface, *, upright: bool = True, seed: int = 0) -> FittedBox:
    """Fit the smallest box around points, upright or in any direction.

    The direction is that of the faces if they hold most of the points (least squares over the normals), else that of
    the least box. Along each axis, an end is where the points of the outermost face are, by their median; or, where no
    face ends it, where the points end.

    Args:
        surface: the points, with normals.
        upright: whether z is one of its axes.
        seed: of the random draws.

    Raises:
        FitError: there are too few points.
    """
    enough(Cloud(surface.points, surface.weights))
    axes = _upright_axes(surface) if upright else _free_axes(surface, seed)
    axes = _turned(axes, surface, upright)
    ends, errors, seen, residuals, tapers = np.zeros((3, 2)), [], [], [], []
    for i in range(3):
        pair = [end_of(surface, axes[i] * sign) for sign in (-1, 1)]
        ends[i] = -pair[0].place, pair[1].place
        errors.append(float(np.hypot(pair[0].error, pair[1].error)))
        seen.append((pair[0].face, pair[1].face))
        tapers.append((pair[0].taper, pair[1].taper))
        residuals += [end.residual for end in pair if end.face]
    ends[:, 1] = np.maximum(ends[:, 1], ends[:, 0])
    extents = np.maximum(ends[:, 1] - ends[:, 0], 1e-6)
    box = OrientedBox.model_validate(
        {"center": tuple(ends.mean(1) @ axes), "axes": axes.tolist(), "extents": tuple(extents)}
    )
    residual = float(np.sqrt(np.mean(np.square(residuals)))) if residuals else surface.noise
    return FittedBox(
        box,
        (errors[0], errors[1], errors[2]),
        (seen[0], seen[1], seen[2]),
        residual,
        tapers=(tapers[0], tapers[1], tapers[2]),
    )


@dataclass(frozen=True)
class End:
    """End of points in one direction.

    Attributes:
        place: along it, metres.
        error: 95 % bound of the place, metres.
        face: whether a face ends them.
        residual: the standard deviation of points about the face, metres.
        taper: without a face, the length along which the outermost points are, and by which smoothing moved them,
            metres: tips and edges that are thinner than the distance of returns go on beyond them.
    """

    place: float
    error: float
    face: bool
    residual: float
    taper: float = 0.0


def end_of(surface: Surface, way: Floats) -> End:
    along = surface.points @ way
    spared = _spared(len(along))
    last = float(np.partition(along, -spared)[-spared])
    noise = max(surface.noise, 1e-6)
    deep = max(3 * noise, 0.01)
    facing = surface.flat & (np.abs(surface.normals @ way) > ALONG) & (along > last - max(_FACE, deep))
    least = max(LEAST, 0.003 * len(along))
    if facing.sum() >= least:
        middle = _median(along[facing], surface.weights[facing])
        facing &= np.abs(along - middle) < deep
        # Smoothing leaves a third of the noise.
        beyond = int((along > middle + max(1.5 * noise, 0.01)).sum())
        if facing.sum() >= least and beyond < max(_FEWEST_BEYOND, _BEYOND * len(along)):
            place = _median(along[facing], surface.weights[facing])
            # A face that bends reaches on beyond its middle; what it leaves unexplained is its bound.
            residual = float(np.std(along[facing]))
            error = bound_of(max(noise, residual), float(surface.weights[facing].sum()))
            strays = max(0.0, last - place) / 2
            return End(place, float(np.linalg.norm([error, residual / 2, strays])), True, residual)
    # The noise of the outermost points doesn't average out.
    tip = min(len(along) - 1, _TIP)
    taper = max(0.0, last - float(np.partition(along, -tip)[-tip]))
    # Smoothing moves the tips of leaves and straps inwards.
    taper += max(0.0, float(np.partition(surface.raw @ way, -spared)[-spared]) - last)
    return End(last, float(np.hypot(surface.spacing / 2, _Z * noise)), False, noise, taper)


def bound_of(deviation: float, count: float) -> float:
    """The 95 % bound of a mean of so many returns."""
    return float(_Z * deviation / np.sqrt(min(max(count, 1.0), _INDEPENDENT)))


def _spared(count: int) -> int:
    """Number of the outermost points that are taken for strays, the last spared one counted."""
    return min(count, max(3, round(_TRIM * count)))


def _median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values)
    sums = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(sums, sums[-1] / 2)])


def _upright_axes(surface: Surface) -> Floats:
    """The directions of an upright box: of its sides where they agree on a right angle, else of the least box; rows."""
    points = surface.points
    level = surface.flat & (np.abs(surface.normals[:, 2]) < 0.3)
    yaw = _right_angle(surface.normals[level, :2], surface.weights[level], len(points))
    if yaw is None:
        yaw = _least_turn(points[:, :2])
    c, s = np.cos(yaw), np.sin(yaw)
    axes = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    spans = np.ptp(points[:, :2] @ axes[:2, :2].T, axis=0)
    if spans[1] > spans[0]:
        axes = np.array([axes[1], -axes[0], axes[2]])
    return axes


def _right_angle(ways: Floats, weights: Floats, among: int) -> float | None:
    """Return the turn of two directions at right angles that normals in a plane point along, if most of them do.

    If two sides of a thing are seen, its least box is turned across the corner, so its sides are tried first.
    """
    if len(ways) < max(LEAST, 0.1 * among):
        return None
    angles = np.arctan2(ways[:, 1], ways[:, 0])
    together = np.average(np.exp(4j * angles), weights=weights)
    return float(np.angle(together) / 4) if abs(together) > _AGREED else None


def _least_turn(flat: Floats) -> float:
    """The turn of the least rectangle around points of a plane, a thousandth of them left out at each side."""
    flat = flat[sample_of(len(flat), 20_000, np.random.default_rng(0))]

    def area(turn: float) -> float:
        c, s = np.cos(turn), np.sin(turn)
        spans = [
            float(np.ptp(np.quantile(flat @ way, [_TRIM, 1 - _TRIM]))) for way in (np.array([c, s]), np.array([-s, c]))
        ]
        return spans[0] * spans[1]

    best = min(np.radians(np.arange(0.0, 90.0, 2.0)).tolist(), key=area)
    for step in (0.5, 0.1):
        best = min((best + np.radians(np.arange(-4, 5) * step)).tolist(), key=area)
    return float(best)


def _free_axes(surface: Surface, seed: int) -> Floats:
    """The directions of a box around points: of its largest face, and within it those of the least rectangle; or of
    the least box around them all, where that is less."""
    candidates = []
    try:
        reach = max(3 * surface.noise, 0.01)
        cloud = Cloud(surface.points, surface.weights)
        normal = fit_plane(cloud, reach=reach, seed=seed, normals=surface.normals).normal
        across = across_of(normal)
        beside = surface.flat & (np.abs(surface.normals @ normal) < 0.3)
        found = _right_angle(surface.normals[beside] @ across.T, surface.weights[beside], len(surface.points))
        yaw = _least_turn(surface.points @ across.T) if found is None else found
        c, s = np.cos(yaw), np.sin(yaw)
        axes = np.vstack([np.array([[c, s], [-s, c]]) @ across, normal])
        axes = np.asarray(axes * np.sign(np.linalg.det(axes)))
        if found is not None:
            return axes
        candidates.append(axes)
    except FitError:
        pass
    tight = least_box(surface.points[not_strays(surface.points)])
    if tight is not None:
        candidates.append(tight[1])
    if not candidates:
        raise FitError("lie on a line")

    def volume(axes: Floats) -> float:
        trimmed = np.quantile(surface.points @ axes.T, [_TRIM, 1 - _TRIM], axis=0)
        return float(np.prod(np.maximum(np.ptp(trimmed, axis=0), 1e-3)))

    return min(candidates, key=volume)


def _turned(axes: Floats, surface: Surface, upright: bool) -> Floats:
    """Axes turned by least squares to the normals of points on faces, where those are half of all flat ones."""
    for _ in range(5):
        along = surface.normals @ axes.T
        nearest = np.abs(along).argmax(1)
        sign = np.sign(along[np.arange(len(along)), nearest])
        use = surface.flat & (np.abs(along).max(1) > np.cos(np.radians(10)))
        if upright:
            use &= nearest < 2
            level = surface.flat & (np.abs(surface.normals[:, 2]) < 0.3)
        else:
            level = surface.flat
        if use.sum() < LEAST or use.sum() < 0.5 * level.sum():
            return axes
        normals, target = surface.normals[use] * sign[use, None], axes[nearest[use]]
        if upright:
            turn = np.arctan2(
                (target[:, 0] * normals[:, 1] - target[:, 1] * normals[:, 0]).sum(),
                (target[:, :2] * normals[:, :2]).sum(),
            )
            c, s = np.cos(turn), np.sin(turn)
            axes = axes @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        else:
            u, _, vt = np.linalg.svd(target.T @ normals)
            axes = axes @ (u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt)
            u, _, vt = np.linalg.svd(axes)
            axes = u @ vt
    return axes


def enough(points: Floats | Cloud) -> Cloud:
    cloud = as_cloud(points)
    if len(cloud) < LEAST:
        raise FitError(f"are only {len(cloud)}, and {LEAST} are needed")
    return cloud


def main_axes(cloud: Cloud) -> tuple[Floats, Floats, Floats]:
    """Weighted mean, and the values (rising) and vectors (columns) of the covariance."""
    mean = np.average(cloud.points, axis=0, weights=cloud.weights)
    local = cloud.points - mean
    values, vectors = np.linalg.eigh((local * cloud.weights[:, None]).T @ local / cloud.weights.sum())
    return mean, values, vectors


def across_of(axis: Floats) -> Floats:
    """Two unit vectors across another, shape (2, 3)."""
    helper = np.eye(3)[np.abs(axis).argmin()]
    first = np.cross(axis, helper)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(axis, first)])


def sample_of(count: int, most: int, generator: np.random.Generator) -> NDArray[np.intp]:
    if count <= most:
        return np.arange(count)
    return np.sort(generator.choice(count, most, replace=False))


@dataclass(frozen=True)
class Cylinder:
    """An upright or horizontal cylinder.

    Attributes:
        center: the middle of its axis, metres.
        axis: unit vector.
        radius, length: metres.
        inliers: which of the points are on it, shape (n,).
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


def fit_cylinder(surface: Surface, *, reach: float = 0.03, seed: int = 0) -> Cylinder:
    """Fit the cylinder with the most inliers.

    Two points with their normals give an axis (Schnabel et al. 2007); the one with most support is refined by least
    squares over axis, place and radius.

    Args:
        surface: the points, with normals.
        reach: a point farther from it is none of its own, metres.
        seed: of the pairs that are tried.

    Raises:
        FitError: there are too few points, or no cylinder holds a third of them.
    """
    cloud = enough(Cloud(surface.raw, surface.weights))
    generator = np.random.default_rng(seed)
    sample = sample_of(len(cloud), 3000, generator)
    axis, place, radius = _best_of_pairs(cloud.points[sample], surface.normals[sample], reach, generator)
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
        values = scipy.optimize.least_squares(weighted, values, args=(root,)).x
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
    points: Floats, normals: Floats, reach: float, generator: np.random.Generator
) -> tuple[Floats, Floats, float]:
    """Return axis, a point on it, and radius of the cylinder with the most inliers among those from pairs of points."""
    best: tuple[float, Floats] = (0.0, np.zeros(7))
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    for i, j in generator.integers(0, len(points), (_TRIALS, 2)):
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
