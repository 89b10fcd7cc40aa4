"""Forms and materials of furniture: closed bodies, the outlines they are made of, colours and grain.

The normals of bodies point outwards, and no triangle is degenerate. Outlines are flat closed lines, counter-clockwise.
Colours are drawn from palettes by family. Metres, z up. Angles in radians unless a name says otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import shapely
from numpy.typing import ArrayLike
from shapely import Polygon

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import Mesh, Texture, flat_shaded, smoothed

Point = tuple[float, float, float]
Outline = Sequence[tuple[float, float]]


def ring(center: Point, radii: tuple[float, float], power: float = 2.0, sides: int = 40) -> Floats:
    """A level superellipse, counter-clockwise, shape (sides, 3): 2 an ellipse, from 4 nearly a rectangle."""
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    c, s = np.cos(angles), np.sin(angles)
    x = radii[0] * np.sign(c) * np.abs(c) ** (2 / power)
    y = radii[1] * np.sign(s) * np.abs(s) ** (2 / power)
    return np.column_stack([x, y, np.zeros(sides)]) + center


def rounded_rectangle(low: tuple[float, float], high: tuple[float, float], radius: float, steps: int = 5) -> Outline:
    """The corners of a rectangle with round corners, counter-clockwise."""
    radius = min(radius, 0.499 * (high[0] - low[0]), 0.499 * (high[1] - low[1]))
    found = []
    quarters = [(high[0] - radius, high[1] - radius), (low[0] + radius, high[1] - radius)]
    quarters += [(low[0] + radius, low[1] + radius), (high[0] - radius, low[1] + radius)]
    for number, (x, y) in enumerate(quarters):
        for angle in np.linspace(number, number + 1, steps + 1) * np.pi / 2:
            found.append((float(x + radius * np.cos(angle)), float(y + radius * np.sin(angle))))
    return found


def ellipse(center: tuple[float, float], radii: tuple[float, float], sides: int = 32) -> Outline:
    """The corners of an ellipse, counter-clockwise."""
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    return [(float(center[0] + radii[0] * np.cos(a)), float(center[1] + radii[1] * np.sin(a))) for a in angles]


Colour = tuple[float, float, float]

GRAINY = {"wood": 0.6, "fabric": 0.25}
"""Families with a grain, and the metres of surface that its picture covers."""
_GRAIN_SIDE = 256

PALETTES: dict[str, tuple[Colour, ...]] = {
    "wood": (
        (0.80, 0.64, 0.44), (0.70, 0.51, 0.32), (0.56, 0.37, 0.22), (0.40, 0.25, 0.15), (0.24, 0.16, 0.11),
        (0.86, 0.74, 0.57), (0.62, 0.32, 0.20), (0.62, 0.57, 0.50),
    ),
    "paint": (
        (0.92, 0.91, 0.88), (0.92, 0.91, 0.88), (0.84, 0.82, 0.76), (0.16, 0.16, 0.17), (0.45, 0.47, 0.49),
        (0.35, 0.45, 0.52), (0.45, 0.54, 0.42), (0.20, 0.27, 0.36), (0.72, 0.56, 0.34), (0.62, 0.28, 0.24),
    ),
    "metal": ((0.75, 0.76, 0.78), (0.60, 0.61, 0.63), (0.12, 0.12, 0.13), (0.72, 0.60, 0.36), (0.90, 0.90, 0.89)),
    "fabric": (
        (0.55, 0.55, 0.56), (0.32, 0.33, 0.36), (0.76, 0.71, 0.62), (0.24, 0.32, 0.46), (0.36, 0.44, 0.32),
        (0.60, 0.30, 0.24), (0.74, 0.55, 0.24), (0.28, 0.44, 0.47), (0.68, 0.47, 0.46), (0.87, 0.85, 0.80),
        (0.44, 0.30, 0.42),
    ),
    "leather": ((0.30, 0.18, 0.11), (0.47, 0.29, 0.16), (0.11, 0.10, 0.10), (0.80, 0.74, 0.64), (0.42, 0.13, 0.12)),
    "plastic": (
        (0.92, 0.92, 0.91), (0.14, 0.14, 0.15), (0.50, 0.51, 0.53), (0.78, 0.24, 0.20), (0.22, 0.43, 0.66),
        (0.90, 0.72, 0.24), (0.38, 0.60, 0.40), (0.86, 0.50, 0.26),
    ),
    "appliance": ((0.93, 0.93, 0.92), (0.93, 0.93, 0.92), (0.68, 0.69, 0.71), (0.58, 0.59, 0.61), (0.13, 0.13, 0.14)),
    "casing": ((0.09, 0.09, 0.10), (0.09, 0.09, 0.10), (0.20, 0.20, 0.22), (0.70, 0.71, 0.73), (0.90, 0.90, 0.90)),
    "ceramic": ((0.95, 0.95, 0.94), (0.95, 0.95, 0.94), (0.90, 0.87, 0.80), (0.80, 0.82, 0.83)),
    "pottery": (
        (0.72, 0.42, 0.28), (0.90, 0.89, 0.86), (0.30, 0.32, 0.34), (0.46, 0.56, 0.60), (0.80, 0.70, 0.54),
        (0.35, 0.47, 0.40), (0.28, 0.36, 0.56), (0.78, 0.36, 0.30), (0.93, 0.80, 0.42),
    ),
    "leaf": ((0.22, 0.42, 0.18), (0.32, 0.52, 0.24), (0.16, 0.34, 0.20), (0.42, 0.54, 0.30), (0.36, 0.46, 0.36)),
    "cardboard": ((0.70, 0.55, 0.38), (0.76, 0.62, 0.45), (0.90, 0.89, 0.86)),
    "bedding": ((0.93, 0.93, 0.91), (0.86, 0.84, 0.79), (0.70, 0.76, 0.82), (0.78, 0.80, 0.74), (0.86, 0.76, 0.74)),
    "stone": ((0.86, 0.85, 0.83), (0.30, 0.30, 0.32), (0.62, 0.60, 0.57), (0.72, 0.66, 0.58)),
    "glass": ((0.70, 0.80, 0.82), (0.62, 0.72, 0.74)),
}  # fmt: skip
"""Colours of each family; one that is listed twice is drawn twice as often."""

SCREEN: Colour = (0.05, 0.055, 0.065)
"""A screen that is off."""
DARK: Colour = (0.06, 0.06, 0.065)
"""Gaps, holes and seals."""
STEEL: Colour = (0.74, 0.75, 0.77)
SOIL: Colour = (0.20, 0.14, 0.10)
MIRROR: Colour = (0.66, 0.72, 0.76)


@dataclass(frozen=True)
class Material:
    """A colour, and whether there is a grain over it.

    Attributes:
        family: of its palette.
        colour: RGB, 0 … 1.
    """

    family: str
    colour: Colour

    def on(self, *meshes: Mesh | Iterable[Mesh], turn: int = 0) -> list[Mesh]:
        """Bodies of this material.

        Args:
            meshes: the bodies, alone or several together.
            turn: by how many right angles the grain is turned.
        """
        bodies = itertools.chain.from_iterable([one] if isinstance(one, Mesh) else one for one in meshes)
        return [self._on(mesh, turn) for mesh in bodies]

    def shade(self, by: float) -> Material:
        """The same lighter or darker."""
        r, g, b = (min(0.96, max(0.02, part * by)) for part in self.colour)
        return Material(self.family, (r, g, b))

    def _on(self, mesh: Mesh, turn: int) -> Mesh:
        if self.family not in GRAINY:
            return mesh.painted(self.colour)
        covered = mesh.papered(grain(self.family), GRAINY[self.family])
        covered.tints[:, :3] = self.colour
        if turn % 2:
            covered.uvs[:] = covered.uvs[:, ::-1].copy()
        return covered


def drawn_material(generator: np.random.Generator, family: str) -> Material:
    """A material of a family, its colour a little off that of the palette."""
    palette = PALETTES[family]
    base = np.array(palette[int(generator.integers(len(palette)))])
    colour = np.clip(base * generator.uniform(0.9, 1.08) + generator.normal(0, 0.012, 3), 0.03, 0.96)
    return Material(family, (float(colour[0]), float(colour[1]), float(colour[2])))


@cache
def grain(family: str) -> Texture:
    """The picture of a grain, near white; the same object at each call, so that a renderer keeps it once."""
    generator = np.random.default_rng(len(family))
    y, x = np.mgrid[0:_GRAIN_SIDE, 0:_GRAIN_SIDE] / _GRAIN_SIDE
    if family == "wood":
        waves = sum(
            generator.uniform(0.3, 1.0) * np.sin(2 * np.pi * (n * y + 0.4 * np.sin(2 * np.pi * x + n)))
            for n in (3, 5, 8, 13, 21)
        )
        shade = 0.93 + 0.022 * waves + 0.02 * generator.random((_GRAIN_SIDE, 1))
    else:
        shade = 0.9 + 0.05 * np.sign(np.sin(64 * np.pi * x)) * np.sign(np.sin(64 * np.pi * y))
        shade = shade + 0.05 * generator.random((_GRAIN_SIDE, _GRAIN_SIDE))
    picture = np.clip(255 * np.asarray(shade), 0, 255).astype(np.uint8)
    return np.repeat(picture[..., None], 3, axis=2)


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
    """Make a soft box, whose two faces across `axis` bulge inside its corners.

    Args:
        low, high: corners.
        radius: of the edges.
        puff: metres by which the middles of the two faces bulge over their rims.
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
    """Make an upright cylinder on a point, the centre of its base."""
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
    return _skinned(rings, rings[0].mean(0), rings[-1].mean(0))


def _skinned(rings: Sequence[Floats], first: Floats, last: Floats) -> Mesh:
    """A skin over rings, closed by fans about two points."""
    corners = []
    for lower, upper in itertools.pairwise(rings):
        after, above = np.roll(lower, -1, 0), np.roll(upper, -1, 0)
        corners += [np.stack([lower, after, above], axis=1), np.stack([lower, above, upper], axis=1)]
    for ring, middle, outward in ((rings[0], first, -1), (rings[-1], last, 1)):
        fan = np.stack([np.broadcast_to(middle, ring.shape), ring, np.roll(ring, -1, 0)], axis=1)
        corners.append(fan[:, ::outward])
    return _shaded(np.concatenate(corners))


def prism(outline: Outline | Polygon, low: float, high: float, *, along: int = 2) -> Mesh:
    """A flat outline, holes and all, drawn out along an axis.

    Args:
        outline: corners or a polygon, in the plane of the other two axes: (y, z) for x, (x, z) for y, (x, y) for z.
        low, high: where it begins and ends along the axis.
        along: 0, 1, 2 for x, y, z.
    """
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
    return _skinned(rings, points[0], points[-1])


def bar(a: Point, b: Point, start: float, end: float | None = None, *, sides: int = 10, square: bool = False) -> Mesh:
    """A straight bar between two points, its section's radius from `start` to `end`."""
    return tube([a, b], (start, start if end is None else end), sides=sides, square=square)


def leg(a: Point, b: Point, start: float, end: float | None = None, *, sides: int = 10, square: bool = False) -> Mesh:
    """Make a bar between two heights, its ends level, so that it rests flat however it leans; see `bar`."""
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
    """Return the mesh with other points and new normals."""
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
