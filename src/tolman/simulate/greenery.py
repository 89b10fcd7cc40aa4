"""Trees, bushes and hedges: dark bodies covered with leaves, made in code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import Mesh, block, joined, quads, rod, smoothed, turned

_LEAF = np.array([[0.0, -0.5], [0.32, 0.0], [0.0, 0.5], [-0.32, 0.0]])
_BARK = (0.3, 0.24, 0.18)
_FEET = np.array([[0.5, 0.0], [0.15, 0.48], [-0.4, 0.29], [-0.4, -0.29], [0.15, -0.48]])
"""Places of a bush's stems on the ground, in halves of its width and depth."""
GREENS = ((0.3, 0.45, 0.16), (0.24, 0.4, 0.18), (0.38, 0.47, 0.16), (0.22, 0.36, 0.2))


def tree(generator: np.random.Generator, size: tuple[float, float, float]) -> Mesh:
    """A tree of a width, depth and height, with its lowest leaves above a walker's head."""
    width, depth, height = size
    crown = np.array([width, depth, min(height - 2.1, 1.25 * width)]) / 2
    middle = np.array([0.0, 0.0, height - crown[2]])
    count = 9
    towards = _directions(generator, count)
    centers = middle + towards * crown * generator.uniform(0.42, 0.6, (count, 1))
    radii = crown.min() * generator.uniform(0.45, 0.58, count)
    colour = np.array(GREENS[int(generator.integers(len(GREENS)))])
    bark = np.array([0.34, 0.27, 0.2]) * generator.uniform(0.8, 1.15)
    thick = 0.045 * width + 0.02
    base = middle[2] - 0.35 * crown[2]
    trunk = turned([(thick * 1.5, 0.0), (thick * 1.1, 0.15), (thick, 0.8), (thick * 0.75, base)], bark, 14)
    parts = [smoothed(trunk)]
    for center in centers[:5]:
        parts.append(rod((0, 0, base - 0.3), center, thick * 0.38, bark, 7))
    parts += [_blob(center, radius * 0.86, colour * 0.5) for center, radius in zip(centers, radii, strict=True)]
    parts.append(_leaves(generator, centers, radii, middle, colour, 1500, 0.085 * width))
    return joined(parts).fitted(size)


def bush(generator: np.random.Generator, size: tuple[float, float, float]) -> Mesh:
    """A bush that stands on the ground."""
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
    matrix = np.eye(4)
    matrix[:3, 3] = center
    return smoothed(ball, 80).moved(matrix)


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
    corners = places[:, None] + sizes[:, None, None] * (
        _LEAF[None, :, :1] * side[:, None] * 1.5 + _LEAF[None, :, 1:] * up[:, None] * 1.5
    )
    mesh = quads(corners)
    tone = (shade * generator.uniform(0.82, 1.2, count))[:, None] * colour * generator.uniform(0.93, 1.07, (count, 3))
    tints = np.column_stack([np.clip(tone, 0.02, 1), np.zeros(count)])
    return replace(
        mesh, normals=np.repeat(np.tile(normals, (2, 1)), 3, 0), tints=np.repeat(np.tile(tints, (2, 1)), 3, 0)
    )
