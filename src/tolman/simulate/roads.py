"""Roads: marks, kerbs at corners, roads that lead away, covers and drains, fences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tolman.simulate.masonry import Masonry
from tolman.simulate.mesh import Mesh, block, joined, quads, turned
from tolman.simulate.street_ground import BIKE_LANE, CAR_LANE, KERB, SIDE_ROAD
from tolman.simulate.surfaces import Surfaces

MARK = 0.004
"""Height of paint above the road: less, and the two flicker at a distance."""
WHITE = (0.84, 0.84, 0.82)
STONE = (0.62, 0.61, 0.58)


def flat(x: tuple[float, float], y: tuple[float, float], z: float = 0.0, colour: ArrayLike = WHITE) -> Mesh:
    """A level rectangle."""
    corners = [[x[0], y[0], z], [x[1], y[0], z], [x[1], y[1], z], [x[0], y[1], z]]
    return quads(np.array([corners], dtype=np.float64), colour)


def street_marks(
    generator: np.random.Generator,
    whole: tuple[float, float],
    slots: Sequence[float],
    row: tuple[float, float],
    base: float,
) -> Mesh:
    """Lines: of parking places, along bicycle lanes, between the two directions."""
    z, edge = base + MARK, row[1]
    paint = [flat((x - 0.05, x + 0.05), row, z) for x in slots]
    paint.append(flat((slots[0], slots[-1]), (edge, edge + 0.1), z))
    middle = edge + BIKE_LANE + CAR_LANE
    dash, gap = [(2.0, 3.0), (3.0, 3.0), (1.5, 1.5)][int(generator.integers(3))]
    paint += [flat((x, x + dash), (middle - 0.06, middle + 0.06), z) for x in np.arange(*whole, dash + gap)]
    for y in (edge + BIKE_LANE, middle + CAR_LANE):
        paint += [flat((x, x + 1.0), (y - 0.05, y + 0.05), z) for x in np.arange(*whole, 2.0)]
    if generator.random() < 0.4:
        red = np.array([0.5, 0.27, 0.22])
        for y in (edge + 0.1, middle + CAR_LANE + 0.05):
            paint.append(flat(whole, (y, y + BIKE_LANE - 0.15), base + MARK / 2, red))
    return joined(paint)


def side_roads(
    surfaces: Surfaces, whole: tuple[float, float], base: float, road: tuple[float, float], reach: float
) -> list[Mesh]:
    """Roads across both ends of a street, with the pavements along them."""
    found = []
    low, high = road[0] - reach, road[1] + reach
    for inner, way in ((whole[0], -1.0), (whole[1], 1.0)):
        outer = inner + way * SIDE_ROAD
        span = (min(inner, outer), max(inner, outer))
        for y in ((low, road[0]), (road[1] + 0.1, high)):
            found.append(flat(span, y, base).papered(surfaces.road, 3.0))
        for start, end in ((low, road[0] + KERB), (road[1], high)):
            a, b = sorted((inner, inner - way * KERB))
            found.append(block((a, start, base - 0.1), (b, end, 0.0), STONE))
        a, b = sorted((outer, outer + way * KERB))
        found.append(block((a, low, base - 0.1), (b, high, 0.0), STONE))
        beyond = sorted((outer + way * KERB, outer + way * 2.0))
        found.append(flat((beyond[0], beyond[1]), (low, high)).papered(surfaces.walk, surfaces.walk_size))
        beside = sorted((inner - way * KERB, inner - way * 2.0))
        found.append(flat((beside[0], beside[1]), (low, 0.0)).papered(surfaces.walk, surfaces.walk_size))
        found.append(flat((beside[0], beside[1]), (road[1] + 7.0, high)).papered(surfaces.walk, surfaces.walk_size))
    return found


def covers_and_drains(
    generator: np.random.Generator,
    along: tuple[float, float],
    across: tuple[float, float],
    kerb: float | None,
    base: float,
) -> Mesh:
    """Round covers in the road, and drains beside a kerb."""
    iron = np.array([0.2, 0.2, 0.21])
    parts = []
    for _ in range(4):
        x, y = float(generator.uniform(*along)), float(generator.uniform(*across))
        lid = turned([(0.31, 0.0), (0.27, 0.001), (0.0005, 0.0015)], iron, 20)
        matrix = np.eye(4)
        matrix[:3, 3] = (x, y, base + MARK)
        parts.append(lid.moved(matrix))
    for x in np.arange(along[0] + 4, along[1], 14.0) if kerb is not None else ():
        low = (kerb or 0.0) + 0.02
        parts.append(flat((x, x + 0.45), (low, low + 0.32), base + MARK / 2, iron * 0.7))
        for y in np.linspace(low + 0.03, low + 0.26, 5):
            parts.append(flat((x + 0.03, x + 0.42), (y, y + 0.03), base + MARK, iron * 1.5))
    return joined(parts)


def fence(generator: np.random.Generator, span: tuple[float, float], y: float, high: float = 1.0) -> Mesh:
    """A fence along x: iron bars, or boards."""
    made = Masonry()
    if generator.random() < 0.5:
        tone = np.array([0.1, 0.11, 0.11])
        for z in (0.15, high - 0.1):
            made.box((span[0], y - 0.015, z), (span[1], y + 0.015, z + 0.03), tone)
        for x in np.arange(*span, 0.16):
            made.box((x - 0.01, y - 0.01, -0.05), (x + 0.01, y + 0.01, high), tone)
    else:
        tone = np.array([(0.88, 0.87, 0.83), (0.45, 0.33, 0.23)][int(generator.integers(2))])
        for z in (0.2, high - 0.3):
            made.box((span[0], y - 0.03, z), (span[1], y, z + 0.08), tone * 0.9)
        for x in np.arange(*span, 0.14):
            made.box((x - 0.045, y, -0.05), (x + 0.045, y + 0.02, high), tone)
    return made.mesh()
