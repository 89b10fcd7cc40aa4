"""Forms that furniture is made of: closed bodies whose normals point outwards, no triangle of which is degenerate.

Metres, z up. Angles in radians unless a name says otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tolman.geometry.boxes import Floats
from tolman.simulate.made.outlines import Outline, Point
from tolman.simulate.mesh import Mesh, flat_shaded, smoothed

if TYPE_CHECKING:
    from shapely import Polygon


CREASE = 50.0
"""Degrees; flatter edges are shaded as if they were round."""


def box(low: ArrayLike, high: ArrayLike, radius: float = 0.0, *, steps: int = 1) -> Mesh:
    """An upright box between two corners, its edges rounded.

    Args:
        low, high: corners.
        radius: of the edges, at most 0.49 of the shortest side; 0 leaves them sharp.
        steps: facets of a quarter of an edge's round.
    """
    return _lattice(low, high, radius, steps, 1)


def cushion(low: ArrayLike, high: ArrayLike, radius: float, *, puff: float = 0.02, axis: int = 2) -> Mesh:
    """A soft box, whose two faces across `axis` bulge inside its corners.

    Args:
        low, high: corners.
        radius: of the edges.
        puff: metres by which the middles of the two faces stand out over their rims.
        axis: 0, 1, 2 for x, y, z.
    """
    lowest, highest = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    middle, half = (lowest + highest) / 2, (highest - lowest) / 2
    # The rims lie inside the box by what the middles stand out.
    puff = min(puff, half[axis] * 0.9)
    inner_low, inner_high = lowest.copy(), highest.copy()
    inner_low[axis] += puff
    inner_high[axis] -= puff
    mesh = _lattice(inner_low, inner_high, radius, 2, 6)
    place = (mesh.points - middle) / np.where(half > 0, half, 1.0)
    others = [i for i in range(3) if i != axis]
    bulge = np.prod(1 - np.minimum(np.abs(place[:, others]), 1.0) ** 2, axis=1)
    points = mesh.points.copy()
    points[:, axis] += puff * bulge * np.clip(place[:, axis] * half[axis] / (half[axis] - puff), -1, 1)
    return _shaded(points[mesh.faces])


def lathe(profile: Outline, *, sides: int = 24, center: tuple[float, float] = (0.0, 0.0)) -> Mesh:
    """A body of revolution about an upright axis.

    Args:
        profile: (radius, height), up along the outside and, where it is hollow, down again inside. Ends that are not
            on the axis are closed by discs.
        sides: of a ring.
        center: of the axis, x and y.
    """
    rows = [profile[0]] if profile[0][0] <= 0 else [(0.0, profile[0][1]), profile[0]]
    for radius, height in profile[1:]:
        if np.hypot(radius - rows[-1][0], height - rows[-1][1]) > 1e-6:
            rows.append((radius, height))
    if rows[-1][0] > 0:
        rows.append((0.0, rows[-1][1]))
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    following = np.roll(ring, -1, axis=0)

    def at(circle: Floats, row: tuple[float, float]) -> Floats:
        return np.column_stack([circle * row[0] + center, np.full(sides, row[1])])

    corners = []
    for lower, upper in itertools.pairwise(rows):
        if lower[0] <= 0 and upper[0] <= 0:
            continue
        a, b, c, d = at(ring, lower), at(following, lower), at(following, upper), at(ring, upper)
        if lower[0] > 0:
            corners.append(np.stack([a, b, c if upper[0] > 0 else d], axis=1))
        if upper[0] > 0:
            corners.append(np.stack([a, c, d], axis=1))
    return _shaded(np.concatenate(corners))


def cylinder(center: Point, radius: float, height: float, *, sides: int = 24, bevel: float = 0.0) -> Mesh:
    """An upright cylinder that stands on a point."""
    x, y, z = center
    profile = [(radius, z), (radius, z + height)]
    if bevel:
        profile = [(radius - bevel, z), (radius, z + bevel), (radius, z + height - bevel), (radius - bevel, z + height)]
    return lathe(profile, sides=sides, center=(x, y))


def loft(rings: Sequence[Floats]) -> Mesh:
    """A skin over rings of equally many points, closed at the first and the last.

    Args:
        rings: shape (k, 3) each, counter-clockwise seen from where they go; the first and the last are star-shaped
            about their middles.
    """
    corners = []
    for lower, upper in itertools.pairwise(rings):
        after, above = np.roll(lower, -1, 0), np.roll(upper, -1, 0)
        corners += [np.stack([lower, after, above], axis=1), np.stack([lower, above, upper], axis=1)]
    for ring, outward in ((rings[0], -1), (rings[-1], 1)):
        fan = np.stack([np.broadcast_to(ring.mean(0), ring.shape), ring, np.roll(ring, -1, 0)], axis=1)
        corners.append(fan[:, ::outward])
    return _shaded(np.concatenate(corners))


def prism(outline: Outline | Polygon, low: float, high: float, *, along: int = 2) -> Mesh:
    """A flat outline, holes and all, drawn out along an axis.

    Args:
        outline: corners or a polygon, in the plane of the other two axes: (y, z) for x, (x, z) for y, (x, y) for z.
        low, high: where it begins and ends along the axis.
        along: 0, 1, 2 for x, y, z.
    """
    import shapely

    polygon = outline if isinstance(outline, shapely.Polygon) else shapely.Polygon(outline)
    polygon = shapely.orient_polygons(polygon)
    parts = shapely.get_parts(shapely.constrained_delaunay_triangles(polygon))
    flat = np.array([shapely.get_coordinates(part)[:3] for part in parts])
    first, second = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    turned = first[:, 0] * second[:, 1] < first[:, 1] * second[:, 0]
    flat[turned] = flat[turned][:, ::-1]
    corners = [_raised(flat, high), _raised(flat, low)[:, ::-1]]
    for ring in (polygon.exterior, *polygon.interiors):
        edge = shapely.get_coordinates(ring)[:-1]
        a, b = _raised(edge, low), _raised(np.roll(edge, -1, 0), low)
        c, d = _raised(np.roll(edge, -1, 0), high), _raised(edge, high)
        corners += [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    every = np.concatenate(corners)
    if along == 0:
        every = every[..., [2, 0, 1]]
    elif along == 1:
        every = every[..., [0, 2, 1]][:, ::-1]
    return _shaded(every, 30.0)


def tube(path: ArrayLike, radius: float | Sequence[float], *, sides: int = 10, square: bool = False) -> Mesh:
    """A bar along a path, closed at its ends.

    Args:
        path: of its middle, shape (n, 3), no two neighbours the same.
        radius: of its section, one for all points or one for each; for a square half its side.
        sides: of a round section.
        square: whether its section is a square, upright as far as the path allows.
    """
    points = np.asarray(path, dtype=np.float64)
    radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), len(points))
    steps = np.diff(points, axis=0)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    along = np.concatenate([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    count = 4 if square else sides
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False) + (np.pi / 4 if square else 0.0)
    scale = np.sqrt(2.0) if square else 1.0
    side = np.array([1.0, 0.0, 0.0]) if abs(along[0][0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    rings = []
    for spot, way, size in zip(points, along, radii, strict=True):
        side = side - way * (side @ way)
        side /= np.linalg.norm(side)
        other = np.cross(way, side)
        rings.append(spot + scale * size * (np.outer(np.cos(angles), side) + np.outer(np.sin(angles), other)))
    corners = []
    for lower, upper in itertools.pairwise(rings):
        after, above = np.roll(lower, -1, 0), np.roll(upper, -1, 0)
        corners += [np.stack([lower, after, above], axis=1), np.stack([lower, above, upper], axis=1)]
    for ring, center, outward in ((rings[0], points[0], -1), (rings[-1], points[-1], 1)):
        fan = np.stack([np.broadcast_to(center, ring.shape), ring, np.roll(ring, -1, 0)], axis=1)
        corners.append(fan[:, ::outward])
    return _shaded(np.concatenate(corners))


def bar(a: Point, b: Point, start: float, end: float | None = None, *, sides: int = 10, square: bool = False) -> Mesh:
    """A straight bar between two points, its section's radius from `start` to `end`."""
    return tube([a, b], (start, start if end is None else end), sides=sides, square=square)


def leg(a: Point, b: Point, start: float, end: float | None = None, *, sides: int = 10, square: bool = False) -> Mesh:
    """A bar between two heights, its ends level, so that it stands flat however it leans; see `bar`."""
    mesh = bar((0.0, 0.0, a[2]), (0.0, 0.0, b[2]), start, end, sides=sides, square=square)
    share = (mesh.points[:, 2:] - a[2]) / (b[2] - a[2])
    points = mesh.points.copy()
    points[:, :2] += np.asarray(a[:2]) + share * (np.asarray(b[:2]) - np.asarray(a[:2]))
    return _shaded(points[mesh.faces])


def ball(center: Point, radii: ArrayLike, *, sides: int = 16) -> Mesh:
    """An ellipsoid with upright poles."""
    heights = np.linspace(-np.pi / 2, np.pi / 2, max(4, sides // 2) + 1)
    profile = [(float(np.cos(h)), float(np.sin(h))) for h in heights]
    profile[0], profile[-1] = (0.0, -1.0), (0.0, 1.0)
    mesh = lathe(profile, sides=sides)
    return _shaded((mesh.points * np.asarray(radii) + center)[mesh.faces])


def sheet(points: ArrayLike, thickness: float) -> Mesh:
    """A bent board.

    Args:
        points: of its middle, shape (rows, columns, 3).
        thickness: metres, along its normals.
    """
    grid = np.asarray(points, dtype=np.float64)
    normals = np.cross(np.gradient(grid, axis=1), np.gradient(grid, axis=0))
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    front, back = grid + normals * thickness / 2, grid - normals * thickness / 2

    def faces(side: Floats) -> Floats:
        a, b, c, d = side[:-1, :-1], side[:-1, 1:], side[1:, 1:], side[1:, :-1]
        return np.concatenate([np.stack([a, c, b], 2).reshape(-1, 3, 3), np.stack([a, d, c], 2).reshape(-1, 3, 3)])

    rim = [(0, j) for j in range(grid.shape[1])] + [(i, -1) for i in range(1, grid.shape[0])]
    rim += [(-1, -1 - j) for j in range(1, grid.shape[1])] + [(-1 - i, 0) for i in range(1, grid.shape[0] - 1)]
    f = np.array([front[i] for i in rim])
    b = np.array([back[i] for i in rim])
    f2, b2 = np.roll(f, -1, 0), np.roll(b, -1, 0)
    corners = [faces(front), faces(back)[:, ::-1], np.stack([f, f2, b2], 1), np.stack([f, b2, b], 1)]
    mesh = _shaded(np.concatenate(corners))
    return mesh if volume(mesh) > 0 else _shaded(mesh.points[mesh.faces][:, ::-1])


def point(place: ArrayLike) -> Point:
    """Three numbers as a point."""
    x, y, z = (float(number) for number in np.asarray(place))
    return x, y, z


def bent(mesh: Mesh, points: Floats) -> Mesh:
    """The same with its points elsewhere, its normals anew."""
    return smoothed(replace(mesh, points=points), CREASE)


def shifted(mesh: Mesh, by: ArrayLike) -> Mesh:
    """The same elsewhere."""
    return replace(mesh, points=mesh.points + np.asarray(by, dtype=np.float64))


def rotated(mesh: Mesh, angle: float, *, about: ArrayLike = (0.0, 0.0, 0.0), axis: int = 2) -> Mesh:
    """The same turned counter-clockwise about an axis through a point."""
    c, s = np.cos(angle), np.sin(angle)
    first, second = [(1, 2), (2, 0), (0, 1)][axis]
    matrix = np.eye(3)
    matrix[first, first], matrix[first, second], matrix[second, first], matrix[second, second] = c, -s, s, c
    middle = np.asarray(about, dtype=np.float64)
    return replace(mesh, points=(mesh.points - middle) @ matrix.T + middle, normals=mesh.normals @ matrix.T)


def volume(mesh: Mesh) -> float:
    """The volume that a closed mesh encloses, cubic metres; negative where its normals point inwards."""
    a, b, c = (mesh.points[mesh.faces[:, i]] for i in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def _raised(flat: Floats, height: float) -> Floats:
    return np.concatenate([flat, np.full((*flat.shape[:-1], 1), height)], axis=-1)


def _shaded(corners: Floats, crease: float = CREASE) -> Mesh:
    return smoothed(flat_shaded(corners), crease)


def _lattice(low: ArrayLike, high: ArrayLike, radius: float, steps: int, flat: int) -> Mesh:
    """A box from six lattices that meet at its rounded edges.

    A point of a face has offsets of -1 … 1 along the face's two axes: -1 … 0 on the round of one edge, 0 … 1 on that of
    the other, and 0 between them, on the flat middle, which is cut into `flat` strips.
    """
    lowest, highest = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    middle, half = (lowest + highest) / 2, (highest - lowest) / 2
    radius = min(radius, 0.98 * float(half.min()))
    if radius <= 1e-5:
        steps, radius = 0, 0.0
    round_off = np.tan(np.linspace(-np.pi / 4, 0, steps + 1)) if steps else np.array([-1.0])
    inner = np.linspace(-1, 1, flat + 1)[1:-1]
    offsets = np.concatenate([round_off, np.zeros(len(inner)), -round_off[::-1]])
    cores = np.concatenate([-np.ones(len(round_off)), inner, np.ones(len(round_off))])
    core = half - radius
    corners = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for sign in (-1.0, 1.0):
            i, j = np.meshgrid(np.arange(len(offsets)), np.arange(len(offsets)), indexing="ij")
            way = np.zeros((*i.shape, 3))
            way[..., u], way[..., v], way[..., axis] = offsets[i], offsets[j], sign
            way /= np.linalg.norm(way, axis=2, keepdims=True)
            place = np.zeros_like(way)
            place[..., u], place[..., v], place[..., axis] = cores[i] * core[u], cores[j] * core[v], sign * core[axis]
            grid = middle + place + radius * way
            a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
            two = np.concatenate([np.stack([a, b, c], 2).reshape(-1, 3, 3), np.stack([a, c, d], 2).reshape(-1, 3, 3)])
            corners.append(two if sign > 0 else two[:, ::-1])
    return _shaded(np.concatenate(corners), CREASE if steps else 1.0)
