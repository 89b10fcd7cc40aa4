"""Greenery, made in code: trees, bushes, hedges and flower beds, and the scenery beyond a place outdoors.

Trees and bushes are dark bodies covered with leaves. Scenery belongs to no object: trees, towers, hills.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import Masonry, Mesh, block, flat_shaded, joined, pane, placed, quads, rod, smoothed, turned

_LEAF = np.array([[0.0, -0.5], [0.32, 0.0], [0.0, 0.5], [-0.32, 0.0]])
_BARK = (0.3, 0.24, 0.18)
_FEET = np.array([[0.5, 0.0], [0.15, 0.48], [-0.4, 0.29], [-0.4, -0.29], [0.15, -0.48]])
"""Places of a bush's stems on the ground, in halves of its width and depth."""
GREENS = ((0.3, 0.45, 0.16), (0.24, 0.4, 0.18), (0.38, 0.47, 0.16), (0.22, 0.36, 0.2))


@dataclass(frozen=True)
class Species:
    """A kind of tree.

    Attributes:
        crown: height of the crown's lower end, as a share of the tree's height where that is more than `CLEAR`.
        profile: half widths of the crown, from its lower end to its upper, as shares of the widest.
        greens: colours of its leaves.
        bark: colour of its trunk.
        leaf: length of a leaf, as a share of the tree's width.
        leaves: their number.
        balls: number of the bodies that leaves sit on.
    """

    crown: float
    profile: tuple[float, ...]
    greens: tuple[tuple[float, float, float], ...]
    bark: tuple[float, float, float]
    leaf: float
    leaves: int
    balls: int


CLEAR = 2.1
"""Metres below the lowest leaves of trees that people walk up to."""
SPECIES: dict[str, Species] = {
    "round": Species(0.3, (0.55, 0.92, 1.0, 0.9, 0.5), GREENS, (0.34, 0.27, 0.2), 0.062, 2600, 12),
    "oval": Species(0.32, (0.5, 0.85, 1.0, 0.85, 0.4), GREENS, (0.36, 0.31, 0.26), 0.058, 2600, 14),
    "column": Species(
        0.2, (0.7, 1.0, 1.0, 0.85, 0.4), ((0.26, 0.4, 0.17), (0.33, 0.45, 0.2)), (0.4, 0.36, 0.28), 0.11, 2400, 14
    ),
    "birch": Species(
        0.28, (0.6, 1.0, 0.9, 0.62, 0.25), ((0.42, 0.52, 0.2), (0.48, 0.54, 0.24)), (0.8, 0.79, 0.75), 0.046, 2000, 16
    ),
    "maple": Species(
        0.3, (0.6, 1.0, 0.95, 0.75, 0.4), ((0.58, 0.26, 0.12), (0.68, 0.44, 0.13), (0.42, 0.14, 0.14)),
        (0.32, 0.27, 0.23), 0.066, 2400, 12,
    ),
    "cherry": Species(
        0.34, (0.8, 1.0, 0.9, 0.55), ((0.86, 0.62, 0.68), (0.9, 0.8, 0.82)), (0.27, 0.2, 0.17), 0.05, 2600, 12
    ),
}  # fmt: skip
"""Broad-leaved trees, by name; `tree` makes spruces too."""
SPRUCE = "spruce"


def tree(generator: np.random.Generator, size: tuple[float, float, float], species: str = "round") -> Mesh:
    """A tree of a width, depth and height in metres, of one of the SPECIES or a SPRUCE.

    The lowest leaves of broad-leaved trees are above a walker's head.
    """
    if species == SPRUCE:
        return _spruce(generator, size)
    kind = SPECIES[species]
    width, depth, height = size
    low = max(CLEAR, kind.crown * height)
    levels = np.linspace(0.04, 0.96, kind.balls) + generator.uniform(-0.03, 0.03, kind.balls)
    steps = np.linspace(0, 1, len(kind.profile))
    half = np.interp(levels, steps, kind.profile) * width / 2
    around = np.arange(kind.balls) * np.pi * (1 + 5**0.5) + generator.uniform(-0.5, 0.5, kind.balls)
    radii = np.minimum(width * generator.uniform(0.17, 0.24, kind.balls), (height - low) * 0.22)
    out = np.maximum(half - radii, 0) * generator.uniform(0.75, 1.0, kind.balls)
    up = low + radii + levels * (height - low - 2 * radii)
    centers = np.column_stack([out * np.cos(around), out * np.sin(around) * depth / width, up])
    # The middle is closed: else one would look through the crown.
    shares = (0.3, 0.55, 0.75)
    bodies = np.concatenate([centers, [[0.0, 0.0, low + share * (height - low)] for share in shares]])
    sizes = np.concatenate([radii, np.interp(shares, steps, kind.profile) * width * 0.3])
    sizes = np.minimum(sizes, bodies[:, 2] - low + 0.02)
    colour = np.array(kind.greens[int(generator.integers(len(kind.greens)))]) * generator.uniform(0.9, 1.1)
    bark = np.array(kind.bark) * generator.uniform(0.85, 1.1)
    thick = 0.032 * width + 0.009 * height
    base = low + 0.45 * (height - low)
    trunk = [(2.3, 0.0), (1.9, 0.02), (1.25, 0.14), (1.0, 0.6), (0.8, low), (0.4, base)]
    parts = [smoothed(turned([(thick * wide, z) for wide, z in trunk], bark, 12))]
    for center in centers[: min(7, kind.balls)]:
        parts.append(rod((0, 0, low - 0.35 * thick), center, thick * 0.3, bark, 6))
    if species == "birch":
        for _ in range(14):
            z, angle = float(generator.uniform(0.3, low)), float(generator.uniform(0, 2 * np.pi))
            place = np.array([np.cos(angle), np.sin(angle), 0.0]) * thick * 0.93
            mark = block((-0.035, -0.035, z), (0.035, 0.035, z + 0.03), (0.16, 0.15, 0.14))
            parts.append(mark.moved(placed(place)))
    parts += [_blob(center, radius * 0.84, colour * 0.5) for center, radius in zip(bodies, sizes, strict=True)]
    middle = np.array([0.0, 0.0, low + 0.4 * (height - low)])
    parts.append(_leaves(generator, bodies, sizes, middle, colour, kind.leaves, kind.leaf * width + 0.035))
    return joined(parts).fitted(size)


def _spruce(generator: np.random.Generator, size: tuple[float, float, float]) -> Mesh:
    """A conifer: tiers of branches that hang a little, almost down to the ground."""
    width, _, height = size
    colour = np.array([(0.14, 0.28, 0.16), (0.2, 0.32, 0.22), (0.17, 0.3, 0.12)][int(generator.integers(3))])
    trunk = [(0.13 * width, 0.0), (0.11 * width, 0.02), (0.05 * width, 0.1), (0.03 * width, height * 0.6)]
    parts = [smoothed(turned([*trunk, (0.005, height)], (0.3, 0.23, 0.17), 10))]
    tiers = int(9 + height)
    places, normals, shades = [], [], []
    for tier in range(tiers):
        share = tier / tiers
        low = 0.06 * height + share * 0.92 * height
        radius = width / 2 * (1 - share) ** 0.85 * float(generator.uniform(0.88, 1.0)) + 0.04
        drop = 0.28 * radius + 0.05
        cone = turned([(radius * 0.8, max(low - drop * 0.6, 0.2)), (0.002, low + radius * 0.35)], colour * 0.45, 12)
        parts.append(smoothed(cone, 80))
        count = int(170 * (1 - share) + 24)
        angle, out = generator.uniform(0, 2 * np.pi, count), np.sqrt(generator.uniform(0.2, 1, count))
        r = radius * out
        # The trunk alone touches the ground.
        hung = np.maximum(low + 0.3 * radius * (1 - out) - drop * out**2, 0.25)
        places.append(np.column_stack([r * np.cos(angle), r * np.sin(angle), hung]))
        normals.append(np.column_stack([np.cos(angle), np.sin(angle), np.full(count, 0.9)]))
        shades.append(0.72 + 0.5 * out * (0.7 + 0.3 * share))
    ways = np.concatenate(normals)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    parts.append(_cards(generator, np.concatenate(places), ways, colour, np.concatenate(shades), 0.05 * width + 0.06))
    return joined(parts).fitted(size)


def bush(generator: np.random.Generator, size: tuple[float, float, float]) -> Mesh:
    """Make a bush on the ground."""
    half = np.array(size) / 2
    count = 7
    centers = half * (0, 0, 0.9) + _directions(generator, count) * half * generator.uniform(0.3, 0.5, (count, 1))
    centers[:, 2] = np.maximum(centers[:, 2], half[2] * 0.6)
    radii = half.min() * generator.uniform(0.5, 0.62, count)
    colour = np.array(GREENS[int(generator.integers(len(GREENS)))])
    parts = [_blob(center, radius * 0.88, colour * 0.5) for center, radius in zip(centers, radii, strict=True)]
    parts.append(_leaves(generator, centers, radii, half * (0, 0, 0.8), colour, 700, 0.11 * size[0]))
    crown = joined(parts)
    (left, near, low), (right, far, _) = crown.bounds
    middle = np.array([(left + right) / 2, (near + far) / 2])
    stems = []
    for (x, y), center in zip(middle + _FEET * half[:2], centers, strict=False):
        # Upright at the ground: a slanting rod would touch it with one edge, deeper the more it slants.
        bend = (x, y, low + 0.06)
        stems += [rod((x, y, low), bend, 0.02, _BARK, 7), rod(bend, center, 0.02, _BARK, 7)]
    return joined([crown, *stems]).fitted(size)


def hedge(generator: np.random.Generator, low: ArrayLike, high: ArrayLike, *, leaves: float = 70.0) -> Mesh:
    """A clipped hedge between two corners, with so many leaves on a square metre."""
    lowest, highest = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    colour = np.array(GREENS[1]) * generator.uniform(0.85, 1.1)
    spans = highest - lowest
    parts = [block(lowest, highest, colour * 0.55)]
    for axis, sign in ((0, -1), (0, 1), (1, -1), (1, 1), (2, 1)):
        others = [i for i in range(3) if i != axis]
        count = int(leaves * spans[others[0]] * spans[others[1]])
        if not count:
            continue
        places = lowest + generator.random((count, 3)) * spans
        places[:, axis] = (highest if sign > 0 else lowest)[axis] + generator.uniform(-0.02, 0.05, count) * sign
        normals = np.zeros((count, 3))
        normals[:, axis] = sign
        shade = 0.62 + 0.45 * (places[:, 2] - lowest[2]) / spans[2]
        parts.append(_cards(generator, places, normals, colour, shade, 0.13))
    return joined(parts)


def _directions(generator: np.random.Generator, count: int) -> Floats:
    """Unit vectors, evenly spread and then shaken, shape (count, 3)."""
    steps = np.arange(count) + 0.5
    polar, around = np.arccos(1 - 2 * steps / count), np.pi * (1 + 5**0.5) * steps
    spread = np.column_stack([np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)])
    shaken = spread + generator.normal(0, 0.2, (count, 3))
    return np.asarray(shaken / np.linalg.norm(shaken, axis=1, keepdims=True))


def _blob(center: Floats, radius: float, colour: Floats) -> Mesh:
    angles = np.linspace(-np.pi / 2, np.pi / 2, 8)
    ball = turned([(max(radius * float(np.cos(a)), 1e-4), radius * float(np.sin(a))) for a in angles], colour, 12)
    return smoothed(ball, 80).moved(placed(center))


def _leaves(
    generator: np.random.Generator,
    centers: Floats,
    radii: Floats,
    middle: Floats,
    colour: Floats,
    count: int,
    size: float,
) -> Mesh:
    """Leaves over the outside of some balls."""
    owner = generator.choice(len(radii), count * 2, p=radii**2 / (radii**2).sum())
    ways = generator.normal(size=(count * 2, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    places = centers[owner] + ways * (radii[owner] * generator.uniform(0.9, 1.12, count * 2))[:, None]
    apart = np.linalg.norm(places[:, None] - centers[None], axis=2) / radii
    apart[np.arange(count * 2), owner] = 2.0
    outside = np.flatnonzero(apart.min(1) > 0.85)[:count]
    places, ways = places[outside], ways[outside]
    normals = ways + 0.8 * (places - middle) / np.linalg.norm(places - middle, axis=1, keepdims=True)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    low, high = places[:, 2].min(), places[:, 2].max()
    shade = 0.68 + 0.42 * (places[:, 2] - low) / (high - low)
    return _cards(generator, places, normals, colour, shade, size)


def _cards(
    generator: np.random.Generator, places: Floats, normals: Floats, colour: Floats, shade: Floats, size: float
) -> Mesh:
    """A leaf at each place, lit as the surface that it belongs to."""
    count = len(places)
    facing = normals + generator.normal(0, 0.45, (count, 3))
    facing /= np.linalg.norm(facing, axis=1, keepdims=True)
    side = np.cross(facing, generator.normal(size=(count, 3)))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(facing, side)
    sizes = size * generator.uniform(0.7, 1.3, count)
    leaves = _LEAF[None, :, :1] * side[:, None] * 1.5 + _LEAF[None, :, 1:] * up[:, None] * 1.5
    mesh = quads(places[:, None] + sizes[:, None, None] * leaves)
    tone = (shade * generator.uniform(0.82, 1.2, count))[:, None] * colour * generator.uniform(0.93, 1.07, (count, 3))
    tints = np.column_stack([np.clip(tone, 0.02, 1), np.zeros(count)])
    normals, tints = (np.repeat(np.tile(rows, (2, 1)), 3, 0) for rows in (normals, tints))
    return replace(mesh, normals=normals, tints=tints)


_FLOWERS = (
    (0.82, 0.2, 0.26), (0.92, 0.74, 0.18), (0.72, 0.4, 0.74), (0.92, 0.9, 0.86), (0.9, 0.5, 0.2), (0.4, 0.36, 0.75),
)  # fmt: skip


def flower_bed(generator: np.random.Generator) -> Mesh:
    """Flowers in rows within an edging of stone or wood."""
    edge = np.array([(0.6, 0.58, 0.54), (0.45, 0.32, 0.2)][int(generator.integers(2))])
    parts = [
        block((-1.1, -0.5, 0), (1.1, 0.5, 0.16), edge),
        block((-1.02, -0.42, 0.16), (1.02, 0.42, 0.175), (0.2, 0.14, 0.1)),
    ]
    tones = [np.array(_FLOWERS[int(i)]) for i in generator.permutation(len(_FLOWERS))[:3]]
    leaves, blossoms, greens, colours = [], [], [], []
    for x in np.arange(-0.94, 0.95, 0.13):
        for row, y in enumerate(np.arange(-0.34, 0.35, 0.17)):
            place = np.array([x, y, 0.17]) + generator.uniform(-0.03, 0.03, 3) * (1, 1, 0)
            high = float(generator.uniform(0.16, 0.3))
            for _ in range(5):
                angle, lean = generator.uniform(0, 2 * np.pi), generator.uniform(0.04, 0.1)
                way = np.array([np.cos(angle), np.sin(angle), 0.0])
                side = np.array([-way[1], way[0], 0.0]) * 0.02
                leaves.append([place - side, place + side, place + way * lean + np.array([0, 0, high * 0.7])])
                greens.append(np.array([0.24, 0.4, 0.16]) * generator.uniform(0.7, 1.2))
            top = place + np.array([0, 0, high])
            for angle in np.arange(6) * np.pi / 3 + generator.uniform(0, 1):
                a, b = (np.array([np.cos(angle + d), np.sin(angle + d), 0.35]) * 0.05 for d in (-0.42, 0.42))
                blossoms.append([top, top + a, top + b])
                colours.append(tones[row % 3] * generator.uniform(0.85, 1.1))
    for corners, shades in ((leaves, greens), (blossoms, colours)):
        mesh = flat_shaded(np.array(corners))
        mesh.tints[:, :3] = np.repeat(np.clip(shades, 0, 1), 3, axis=0)
        # Lit as the bed that they cover.
        mesh.normals[:] = (0.0, 0.0, 1.0)
        parts.append(mesh)
    return joined(parts)


_GREENS = ((0.3, 0.38, 0.26), (0.34, 0.4, 0.28), (0.28, 0.35, 0.28))


def trees(
    generator: np.random.Generator, places: Sequence[tuple[float, float]], heights: tuple[float, float]
) -> list[Mesh]:
    """Make trees at some places, most of one species; a few are drawn, the others are turned and scaled copies."""
    names = [*SPECIES, SPRUCE]
    models = []
    for species in generator.permutation(names)[:3]:
        high = float(generator.uniform(*heights))
        wide = high * (0.38 if species in ("column", SPRUCE) else 0.62)
        models.append(tree(generator, (wide, wide, high), str(species)))
    found = []
    for x, y in places:
        model = models[int(generator.choice(len(models), p=(0.6, 0.25, 0.15)))]
        scale = float(generator.uniform(0.8, 1.15))
        turn, shift = float(generator.uniform(-np.pi, np.pi)), generator.uniform(-0.8, 0.8, 2)
        found.append(model.moved(placed((x + shift[0], y + shift[1], -0.05), turn, (scale, scale, scale))))
    return found


def horizon(generator: np.random.Generator, middle: tuple[float, float]) -> list[Mesh]:
    """Ground far around, hills, and some towers that show above the roofs."""
    return [_hills(generator, middle), _towers(generator, middle), _plain(middle)]


def _plain(middle: tuple[float, float]) -> Mesh:
    """Level ground below everything else, out to the hills."""
    angles = np.linspace(0, 2 * np.pi, 25)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    near, far = ring * 40.0 + middle, ring * 270.0 + middle
    corners = np.stack([near[:-1], far[:-1], far[1:], near[1:]], axis=1)
    level = np.concatenate([corners, np.full((*corners.shape[:2], 1), -0.6)], axis=2)
    inner = np.array([[[middle[0] + a, middle[1] + b, -0.6] for a, b in ((-40, -40), (40, -40), (40, 40), (-40, 40))]])
    return quads(np.concatenate([level, inner]), (0.36, 0.42, 0.3))


def _hills(generator: np.random.Generator, middle: tuple[float, float]) -> Mesh:
    """A ridge all around, rough as a forest's edge."""
    angles = np.linspace(0, 2 * np.pi, 181)
    phases = generator.uniform(0, 2 * np.pi, 5)
    parts = []
    for radius, high, tone in ((230.0, 9.0, 0), (265.0, 19.0, 2)):
        height = high * (0.8 + sum(0.32 / (k + 1) * np.sin((k + 2) * angles + phases[k] + radius) for k in range(5)))
        height = np.maximum(height, 2.0) + np.append(generator.uniform(0, 1.1, 180), 0.0)
        height[-1] = height[0]
        ring = np.column_stack([np.cos(angles), np.sin(angles)]) * radius + middle
        low = np.column_stack([ring, np.full(len(ring), -1.0)])
        top = np.column_stack([ring, height])
        corners = np.stack([low[:-1], top[:-1], top[1:], low[1:]], axis=1)
        parts.append(quads(corners, np.array(_GREENS[tone]) * generator.uniform(0.9, 1.1)))
    return joined(parts)


def _towers(generator: np.random.Generator, middle: tuple[float, float]) -> Mesh:
    """High houses with rows of windows, and sometimes a steeple."""
    parts = []
    for _ in range(int(generator.integers(2, 6))):
        angle, away = float(generator.uniform(0, 2 * np.pi)), float(generator.uniform(85, 180))
        wide, high = float(generator.uniform(12, 20)), float(generator.uniform(16, 40))
        made = Masonry()
        tone = np.array([0.7, 0.68, 0.65]) * generator.uniform(0.75, 1.15, 3)
        made.box((-wide / 2, -10, -1), (wide / 2, 0, high), tone)
        for z in np.arange(2.0, high - 1.5, 3.0):
            made.face(pane(-wide / 2 + 0.8, wide / 2 - 0.8, z, z + 1.5, 0.05), (0.28, 0.32, 0.36), 0.15)
        for x in np.arange(-wide / 2 + 3, wide / 2 - 1, 3.2):
            made.box((x - 0.45, -0.1, 0.0), (x + 0.45, 0.12, high), tone * 0.94)
        place = (middle[0] + away * np.cos(angle), middle[1] + away * np.sin(angle), 0.0)
        parts.append(made.mesh().moved(placed(place, angle + np.pi / 2)))
    if generator.random() < 0.5:
        angle, away = float(generator.uniform(0, 2 * np.pi)), float(generator.uniform(90, 150))
        made = Masonry()
        made.box((-3, -3, -1), (3, 3, 22), (0.6, 0.55, 0.48))
        tip = np.array([0.0, 0.0, 36.0])
        base = np.array([[-3.2, -3.2, 22.0], [3.2, -3.2, 22.0], [3.2, 3.2, 22.0], [-3.2, 3.2, 22.0]])
        for a, b in zip(base, np.roll(base, -1, axis=0), strict=True):
            made.face([a, b, tip, tip], (0.3, 0.32, 0.34))
        place = (middle[0] + away * np.cos(angle), middle[1] + away * np.sin(angle), 0.0)
        parts.append(made.mesh().moved(placed(place, angle)))
    return joined(parts)
