"""Things that children and grown-ups play with outdoors, made in code."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate import outdoor_textures
from tolman.simulate.mesh import Mesh, block, flat_shaded, joined, quads, rod, smoothed, turned

_STEEL, _IRON = (0.55, 0.57, 0.59), (0.12, 0.13, 0.14)
_WOOD = np.array([0.52, 0.37, 0.23])


_BRIGHT = ((0.8, 0.16, 0.12), (0.12, 0.36, 0.68), (0.92, 0.72, 0.1), (0.16, 0.52, 0.28), (0.9, 0.45, 0.1))


def bright(generator: np.random.Generator) -> Floats:
    """A bright colour."""
    return np.array(_BRIGHT[int(generator.integers(len(_BRIGHT)))])


def slide(generator: np.random.Generator) -> Mesh:
    """A ladder at the back, a chute to the front."""
    colour, other = bright(generator), bright(generator)
    top, back, front = 1.3, -0.75, 1.4
    profile = [(back + 0.35, top), (back + 0.6, top - 0.06), (0.95, 0.3), (1.15, 0.22), (front, 0.2)]
    parts = [block((-0.26, back, top - 0.05), (0.26, back + 0.4, top), colour * 0.8)]
    for (y0, z0), (y1, z1) in itertools.pairwise(profile):
        for x0, x1, lift in ((-0.25, 0.25, 0.0), (-0.29, -0.25, 0.14), (0.25, 0.29, 0.14)):
            corners = [[x0, y0, z0 + lift], [x1, y0, z0 + lift], [x1, y1, z1 + lift], [x0, y1, z1 + lift]]
            below = [[x, y, z - 0.05 - lift] for x, y, z in corners]
            sides = [[below[i], below[(i + 1) % 4], corners[(i + 1) % 4], corners[i]] for i in range(4)]
            parts.append(quads(np.array([corners, below[::-1], *sides], dtype=np.float64), colour))
    for x in (-0.27, 0.27):
        parts.append(rod((x, back, 0), (x, back, 1.9), 0.024, other))
        parts.append(rod((x, back + 0.38, 0), (x, back + 0.38, 1.9), 0.024, other))
        parts.append(rod((x, back, 1.88), (x, back + 0.38, 1.88), 0.022, other))
        parts.append(rod((x, front - 0.08, 0), (x, front - 0.08, 0.2), 0.024, other))
    parts += [rod((-0.27, back, z), (0.27, back, z), 0.018, _STEEL) for z in np.arange(0.22, top, 0.26)]
    return joined(parts)


def swing_set(generator: np.random.Generator) -> Mesh:
    """Two swings between legs that stand apart."""
    colour, seat = bright(generator), bright(generator)
    parts = [rod((-1.5, 0, 2.2), (1.5, 0, 2.2), 0.045, colour)]
    for x in (-1.42, 1.42):
        for y in (-0.8, 0.8):
            parts.append(rod((x, y, 0.04), (x, 0, 2.2), 0.038, colour))
            parts.append(block((x - 0.05, y - 0.05, 0), (x + 0.05, y + 0.05, 0.06), _IRON))
        parts.append(rod((x, -0.42, 1.05), (x, 0.42, 1.05), 0.025, colour))
    for x in (-0.68, 0.68):
        parts.append(block((x - 0.23, -0.08, 0.48), (x + 0.23, 0.08, 0.51), seat * 0.6))
        parts += [rod((x + side, 0, 0.5), (x + side, 0, 2.2), 0.009, _STEEL, 5) for side in (-0.21, 0.21)]
    return joined(parts)


def seesaw(generator: np.random.Generator) -> Mesh:
    """A plank on a stand; one end is down."""
    colour = bright(generator)
    tilt, pivot = np.radians(13), 0.46
    turn = np.eye(4)
    turn[1:3, 1:3] = [[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]]
    turn[2, 3] = pivot
    plank = [block((-0.12, -1.45, -0.03), (0.12, 1.45, 0.03), colour)]
    for y in (-1.25, 1.25):
        plank.append(block((-0.17, y - 0.15, 0.03), (0.17, y + 0.15, 0.06), np.array(_IRON) * 1.5))
        inner = y - 0.3 * np.sign(y)
        plank += [
            rod((-0.15, inner, 0.24), (0.15, inner, 0.24), 0.014, _STEEL),
            rod((0, inner, 0), (0, inner, 0.24), 0.014, _STEEL),
        ]
    stand = [block((-0.24, -0.24, 0), (0.24, 0.24, 0.05), _IRON)]
    stand += [rod((x, 0, 0.02), (x * 0.7, 0, pivot), 0.03, _STEEL) for x in (-0.18, 0.18)]
    stand.append(rod((-0.16, 0, pivot - 0.02), (0.16, 0, pivot - 0.02), 0.03, _STEEL))
    return joined([joined(plank).moved(turn), *stand])


def climbing_frame(generator: np.random.Generator) -> Mesh:
    """Bars in cubes."""
    colour, other = bright(generator), bright(generator)
    steps = (-0.9, -0.3, 0.3, 0.9)
    parts = []
    for x in steps:
        for y in steps:
            high = 1.7 if abs(x) < 0.5 and abs(y) < 0.5 else 1.15
            parts.append(rod((x, y, 0), (x, y, high), 0.018, colour, 6))
    for z in (0.55, 1.13):
        parts += [rod((-0.9, y, z), (0.9, y, z), 0.016, other, 6) for y in steps]
        parts += [rod((x, -0.9, z), (x, 0.9, z), 0.016, other, 6) for x in steps]
    for a in (-0.3, 0.3):
        parts += [
            rod((-0.3, a, 1.68), (0.3, a, 1.68), 0.018, other, 6),
            rod((a, -0.3, 1.68), (a, 0.3, 1.68), 0.018, other, 6),
        ]
    return joined(parts)


def sandbox(generator: np.random.Generator) -> Mesh:
    """Sand within boards, with buckets."""
    wood = _WOOD * generator.uniform(0.85, 1.25)
    sand = outdoor_textures.sand(generator, np.array([0.83, 0.73, 0.54]))
    parts = [
        flat_shaded(
            np.array(
                [[[-1, -1, 0.16], [1, -1, 0.16], [1, 1, 0.16]], [[-1, -1, 0.16], [1, 1, 0.16], [-1, 1, 0.16]]],
                dtype=np.float64,
            )
        ).papered(sand, 1.5)
    ]
    for a, b in (
        ((-1.1, -1.1), (1.1, -0.95)),
        ((-1.1, 0.95), (1.1, 1.1)),
        ((-1.1, -0.95), (-0.95, 0.95)),
        ((0.95, -0.95), (1.1, 0.95)),
    ):
        parts.append(block((*a, 0), (*b, 0.28), wood))
    for a, b in (((-1.15, -1.15), (1.15, -0.85)), ((-1.15, 0.85), (1.15, 1.15))):
        parts.append(block((*a, 0.28), (*b, 0.31), wood * 1.12))
    for number in range(3):
        # Each in its own third of the sand, so that none stands in another.
        angle, away = 2 * np.pi * number / 3 + generator.uniform(-0.6, 0.6), generator.uniform(0.3, 0.7)
        x, y = away * np.cos(angle), away * np.sin(angle)
        bucket = turned(
            [(0.001, 0.16), (0.08, 0.16), (0.1, 0.32), (0.09, 0.32), (0.07, 0.18), (0.001, 0.18)],
            bright(generator),
            14,
        )
        shift = np.eye(4)
        shift[:2, 3] = (x, y)
        parts.append(smoothed(bucket).moved(shift))
    return joined(parts)


def ping_pong_table(generator: np.random.Generator) -> Mesh:
    """A table of concrete or steel with its net."""
    colour = np.array([(0.12, 0.3, 0.42), (0.13, 0.34, 0.22), (0.5, 0.5, 0.48)][int(generator.integers(3))])
    parts = [block((-0.76, -1.37, 0.7), (0.76, 1.37, 0.76), colour)]
    parts += [
        block((-0.008, -1.37, 0.76), (0.008, 1.37, 0.762), (0.9, 0.9, 0.9)),
        block((-0.765, -0.015, 0.76), (0.765, 0.015, 0.92), _STEEL),
    ]
    parts += [block((-0.55, y - 0.12, 0), (0.55, y + 0.12, 0.7), (0.58, 0.57, 0.54)) for y in (-0.8, 0.8)]
    return joined(parts)


def soccer_ball(generator: np.random.Generator) -> Mesh:
    """White with dark spots."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, 15)
    ball = smoothed(
        turned([(max(0.11 * float(np.cos(a)), 1e-4), 0.11 * float(np.sin(a))) for a in angles], (0.9, 0.9, 0.9), 20), 80
    )
    steps = np.arange(12) + 0.5
    polar, around = np.arccos(1 - steps / 6), np.pi * (1 + 5**0.5) * steps
    spots = np.column_stack([np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)])
    tints = ball.tints.copy()
    tints[(ball.points / 0.11 @ spots.T).max(1) > 0.93, :3] = 0.08
    return replace(ball, tints=tints)
