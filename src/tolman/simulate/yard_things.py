"""Things of parks and courtyards, made in code: play equipment, balls, fountains, racks, tables.

Each maker gives a thing with its front along +y; `yard_thing` brings it to the size that a plan says.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate import textures
from tolman.simulate.greenery import flower_bed
from tolman.simulate.mesh import (
    Mesh,
    block,
    extruded,
    flat_shaded,
    joined,
    pitched,
    placed,
    quads,
    rod,
    smoothed,
    turned,
)

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
    """Make two swings between splayed legs."""
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
    """Make a plank on a support; one end is down."""
    colour = bright(generator)
    pivot = 0.46
    plank = [block((-0.12, -1.45, -0.03), (0.12, 1.45, 0.03), colour)]
    for y in (-1.25, 1.25):
        plank.append(block((-0.17, y - 0.15, 0.03), (0.17, y + 0.15, 0.06), np.array(_IRON) * 1.5))
        inner = y - 0.3 * np.sign(y)
        plank.append(rod((-0.15, inner, 0.24), (0.15, inner, 0.24), 0.014, _STEEL))
        plank.append(rod((0, inner, 0), (0, inner, 0.24), 0.014, _STEEL))
    stand = [block((-0.24, -0.24, 0), (0.24, 0.24, 0.05), _IRON)]
    stand += [rod((x, 0, 0.02), (x * 0.7, 0, pivot), 0.03, _STEEL) for x in (-0.18, 0.18)]
    stand.append(rod((-0.16, 0, pivot - 0.02), (0.16, 0, pivot - 0.02), 0.03, _STEEL))
    return joined([joined(plank).moved(pitched((0, 0, pivot), float(np.radians(13)))), *stand])


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
        parts.append(rod((-0.3, a, 1.68), (0.3, a, 1.68), 0.018, other, 6))
        parts.append(rod((a, -0.3, 1.68), (a, 0.3, 1.68), 0.018, other, 6))
    return joined(parts)


def sandbox(generator: np.random.Generator) -> Mesh:
    """Sand within boards, with buckets."""
    wood = _WOOD * generator.uniform(0.85, 1.25)
    sand = textures.sand(generator, np.array([0.83, 0.73, 0.54]))
    level = np.array([[[-1, -1, 0.16], [1, -1, 0.16], [1, 1, 0.16], [-1, 1, 0.16]]], dtype=np.float64)
    parts = [quads(level).papered(sand, 1.5)]
    edges = (-1.1, -0.95), (0.95, 1.1)
    parts += [block((-1.1, a, 0), (1.1, b, 0.28), wood) for a, b in edges]
    parts += [block((a, -0.95, 0), (b, 0.95, 0.28), wood) for a, b in edges]
    parts += [block((-1.15, a, 0.28), (1.15, b, 0.31), wood * 1.12) for a, b in ((-1.15, -0.85), (0.85, 1.15))]
    for number in range(3):
        # Each in its own third of the sand, so that none stands in another.
        angle, away = 2 * np.pi * number / 3 + generator.uniform(-0.6, 0.6), generator.uniform(0.3, 0.7)
        x, y = away * np.cos(angle), away * np.sin(angle)
        profile = [(0.001, 0.16), (0.08, 0.16), (0.1, 0.32), (0.09, 0.32), (0.07, 0.18), (0.001, 0.18)]
        bucket = turned(profile, bright(generator), 14)
        parts.append(smoothed(bucket).moved(placed((x, y, 0.0))))
    return joined(parts)


def ping_pong_table(generator: np.random.Generator) -> Mesh:
    """A table of concrete or steel with its net."""
    colour = np.array([(0.12, 0.3, 0.42), (0.13, 0.34, 0.22), (0.5, 0.5, 0.48)][int(generator.integers(3))])
    table = block((-0.76, -1.37, 0.7), (0.76, 1.37, 0.76), colour)
    line = block((-0.008, -1.37, 0.76), (0.008, 1.37, 0.762), (0.9, 0.9, 0.9))
    net = block((-0.765, -0.015, 0.76), (0.765, 0.015, 0.92), _STEEL)
    feet = [block((-0.55, y - 0.12, 0), (0.55, y + 0.12, 0.7), (0.58, 0.57, 0.54)) for y in (-0.8, 0.8)]
    return joined([table, line, net, *feet])


def soccer_ball(generator: np.random.Generator) -> Mesh:
    """White with dark spots."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, 15)
    profile = [(max(0.11 * float(np.cos(a)), 1e-4), 0.11 * float(np.sin(a))) for a in angles]
    ball = smoothed(turned(profile, (0.9, 0.9, 0.9), 20), 80)
    steps = np.arange(12) + 0.5
    polar, around = np.arccos(1 - steps / 6), np.pi * (1 + 5**0.5) * steps
    spots = np.column_stack([np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)])
    tints = ball.tints.copy()
    tints[(ball.points / 0.11 @ spots.T).max(1) > 0.93, :3] = 0.08
    return replace(ball, tints=tints)


def yard_thing(category: str, size: tuple[float, float, float], generator: np.random.Generator) -> Mesh:
    """Make a thing of one of the categories in YARD_SIZES, its base centred on (0, 0, 0)."""
    make, _ = _THINGS[category]
    return make(generator).fitted(size)


def _fountain(generator: np.random.Generator) -> Mesh:
    """A basin with water, a column, one or two bowls."""
    stone = np.array([0.7, 0.67, 0.61]) * generator.uniform(0.85, 1.08)
    basin = [(1.3, 0.0), (1.36, 0.06), (1.28, 0.12), (1.28, 0.4), (1.4, 0.44), (1.4, 0.52), (1.2, 0.52), (1.18, 0.1)]
    column = [(0.3, 0.1), (0.26, 0.5), (0.14, 0.6), (0.13, 1.0), (0.2, 1.05)]
    bowl = [(0.12, 1.02), (0.4, 1.1), (0.62, 1.22), (0.6, 1.24), (0.001, 1.14)]
    tip = [(0.07, 1.14), (0.06, 1.4), (0.12, 1.48), (0.07, 1.58), (0.001, 1.62)]
    parts = [smoothed(turned(profile, stone, 32), 50) for profile in (basin, column, bowl, tip)]
    sheet = textures.water(generator, np.array([0.3, 0.45, 0.48]))
    for radius, height in ((1.19, 0.4), (0.52, 1.2)):
        disc = turned([(radius, height), (0.001, height + 0.001)], (0.3, 0.45, 0.48), 32)
        parts.append(disc.papered(sheet, 2.0) if height < 1 else disc)
    angles = np.arange(10) * 2 * np.pi / 10
    for angle in angles:
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        spots = [way * r + (0, 0, z) for r, z in ((0.6, 1.22), (0.68, 1.12), (0.73, 0.85), (0.76, 0.4))]
        parts += [rod(a, b, 0.012, (0.82, 0.88, 0.9), 5) for a, b in itertools.pairwise(spots)]
    parts += [rod((0, 0, 1.6), (0, 0, 1.72), 0.02, (0.86, 0.91, 0.93), 6)]
    return joined(parts)


def _pond(generator: np.random.Generator) -> Mesh:
    """Water within a rim of stones, with leaves on it."""
    angles = np.linspace(0, 2 * np.pi, 49)
    phase = generator.uniform(0, 2 * np.pi, 3)
    radius = 1 + 0.12 * np.sin(2 * angles + phase[0]) + 0.07 * np.sin(3 * angles + phase[1])
    radius += 0.04 * np.sin(5 * angles + phase[2])
    ring = np.column_stack([radius * np.cos(angles) * 2.0, radius * np.sin(angles) * 1.4])
    level = 0.07
    inner = np.column_stack([ring, np.full(len(ring), level)])
    middle = np.tile([0.0, 0.0, level], (len(ring) - 1, 1))
    sheet = flat_shaded(np.stack([middle, inner[:-1], inner[1:]], axis=1))
    sheet = sheet.papered(textures.water(generator, np.array([0.9, 0.95, 0.95])), 2.5)
    parts = [sheet.painted((0.16, 0.24, 0.23), 0.15)]
    for place in ring[:-1]:
        high = float(generator.uniform(0.12, 0.2))
        corners = np.array([[np.cos(a), np.sin(a)] for a in np.arange(6) * np.pi / 3 + generator.uniform(0, 1)])
        outline = place + corners * generator.uniform(0.13, 0.2)
        parts.append(extruded(outline, 0.0, high, np.array([0.55, 0.54, 0.5]) * generator.uniform(0.75, 1.15)))
    for _ in range(14):
        r, a = np.sqrt(generator.random()) * 0.75, generator.uniform(0, 2 * np.pi)
        rim = (float(generator.uniform(0.09, 0.17)), level + 0.008)
        pad = turned([rim, (0.001, level + 0.009)], (0.2, 0.38, 0.16), 10)
        parts.append(pad.moved(placed((r * np.cos(a) * 2.0, r * np.sin(a) * 1.4, 0.0))))
    return joined(parts)


def _statue(generator: np.random.Generator) -> Mesh:
    """A figure on a pedestal, of stone or bronze."""
    from tolman.simulate.human_figure import draw_figure

    stone = np.array([0.66, 0.64, 0.6])
    tone = np.array([(0.26, 0.33, 0.28), (0.32, 0.25, 0.17), (0.74, 0.72, 0.68)][int(generator.integers(3))])
    parts = [
        block((-0.45, -0.45, 0), (0.45, 0.45, 0.12), stone * 0.9),
        block((-0.36, -0.36, 0.12), (0.36, 0.36, 0.85), stone),
        block((-0.42, -0.42, 0.85), (0.42, 0.42, 0.95), stone * 0.95),
        block((-0.2, 0.355, 0.4), (0.2, 0.37, 0.62), (0.3, 0.25, 0.15)),
    ]
    body, limbs = draw_figure(generator)
    up = np.diag([0.76, 0.76, 0.76, 1.0])
    up[2, 3] = 0.95
    raised = float(generator.uniform(0, 1))
    for number, limb in enumerate(limbs):
        bent = limb.mesh.moved(limb.pose(0.2, raised if number == 1 else 0.15) if limb.arm else np.eye(4))
        parts.append(bent.painted(tone, 0.0).moved(up))
    parts.append(body.painted(tone, 0.0).moved(up))
    return joined(parts)


def _board(generator: np.random.Generator) -> Mesh:
    wood = _WOOD * generator.uniform(0.7, 1.2)
    parts = [block((x - 0.05, -0.05, 0), (x + 0.05, 0.05, 1.75), wood) for x in (-0.62, 0.62)]
    parts.append(block((-0.57, -0.03, 0.8), (0.57, 0.03, 1.6), (0.35, 0.42, 0.36)))
    parts.append(block((-0.7, -0.14, 1.75), (0.7, 0.14, 1.82), wood * 0.8))
    for _ in range(5):
        x, z = float(generator.uniform(-0.5, 0.25)), float(generator.uniform(0.85, 1.25))
        parts.append(block((x, 0.03, z), (x + 0.2, 0.036, z + 0.28), generator.uniform(0.7, 0.95, 3)))
    return joined(parts)


def _rack(generator: np.random.Generator) -> Mesh:
    """Hoops on two rails."""
    parts = [block((-1.1, y - 0.03, 0), (1.1, y + 0.03, 0.05), _IRON) for y in (-0.27, 0.27)]
    for x in np.linspace(-0.95, 0.95, 5):
        angles = np.linspace(0, np.pi, 9)
        hoop = [(x, 0.25 * np.cos(a), 0.55 + 0.25 * np.sin(a)) for a in angles]
        ends = [(x, 0.25, 0.03), *hoop, (x, -0.25, 0.03)]
        parts += [rod(a, b, 0.02, _STEEL, 7) for a, b in itertools.pairwise(ends)]
    return joined(parts)


def _table(generator: np.random.Generator) -> Mesh:
    tone = np.array([(0.88, 0.88, 0.86), (0.2, 0.24, 0.22), (0.55, 0.39, 0.24)][int(generator.integers(3))])
    parts = [smoothed(turned([(0.001, 0.71), (0.45, 0.71), (0.46, 0.725), (0.45, 0.74), (0.001, 0.74)], tone, 28))]
    parts += [rod((0, 0, 0.03), (0, 0, 0.71), 0.035, _IRON)]
    return joined([*parts, turned([(0.001, 0.0), (0.3, 0.0), (0.3, 0.025), (0.001, 0.04)], _IRON, 24)])


def _chair(generator: np.random.Generator) -> Mesh:
    """A garden chair of slats; who sits there looks along +y."""
    tones = (0.55, 0.39, 0.24), (0.2, 0.36, 0.3), (0.86, 0.85, 0.82), (0.5, 0.2, 0.17)
    tone = np.array(tones[int(generator.integers(4))])
    parts = [block((-0.23, y, 0.42), (0.23, y + 0.075, 0.445), tone) for y in np.arange(-0.2, 0.2, 0.088)]
    for z in (0.52, 0.64, 0.76):
        lean = 0.05 * (z - 0.5)
        parts.append(block((-0.22, -0.25 - lean, z), (0.22, -0.225 - lean, z + 0.09), tone))
    for x in (-0.21, 0.21):
        parts += [rod((x, y, 0), (x, y, 0.43), 0.014, _IRON) for y in (0.2, -0.22)]
        parts.append(rod((x, -0.22, 0.43), (x, -0.26, 0.86), 0.014, _IRON))
        parts.append(rod((x, -0.22, 0.4), (x, 0.2, 0.4), 0.012, _IRON))
    return joined(parts)


def _umbrella(generator: np.random.Generator) -> Mesh:
    cloth, other = bright(generator) * 0.9, np.array([0.9, 0.88, 0.82])
    parts = [
        turned([(0.001, 0.0), (0.26, 0.0), (0.26, 0.07), (0.06, 0.1)], (0.4, 0.4, 0.4), 20),
        rod((0, 0, 0.05), (0, 0, 2.6), 0.024, _WOOD),
    ]
    angles = np.arange(9) * np.pi / 4
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * 1.08
    for number, (a, b) in enumerate(itertools.pairwise(ring)):
        tone = cloth if number % 2 else (other if generator.random() < 0.9 else cloth)
        parts.append(flat_shaded(np.array([[[*a, 2.12], [*b, 2.12], [0, 0, 2.56]]]), tone))
        parts.append(quads(np.array([[[*a, 1.98], [*b, 1.98], [*b, 2.12], [*a, 2.12]]]), tone))
        parts.append(rod((0, 0, 2.0), (*(a * 0.9), 2.14), 0.008, _WOOD, 4))
    return joined(parts)


def _dumpster(generator: np.random.Generator) -> Mesh:
    tones = (0.16, 0.32, 0.22), (0.16, 0.24, 0.4), (0.3, 0.32, 0.33), (0.5, 0.38, 0.12)
    colour = np.array(tones[int(generator.integers(4))])
    base = np.array([[-0.62, -0.4], [0.62, -0.4], [0.62, 0.4], [-0.62, 0.4]])
    low, high = np.column_stack([base, np.full(4, 0.16)]), np.column_stack([base * (1.08, 1.16), np.full(4, 1.08)])
    around = np.stack([low, np.roll(low, -1, 0), np.roll(high, -1, 0), high], axis=1)
    parts = [
        quads(np.concatenate([around, low[None, ::-1]]), colour),
        block((-0.69, -0.48, 1.08), (0.69, 0.48, 1.14), colour * 0.85),
    ]
    profile = np.array([[-0.48, 1.14], [0.48, 1.14], [0.3, 1.24], [-0.3, 1.24]])
    parts.append(smoothed(extruded(profile, -0.67, 0.67, colour * 0.75).moved(_along_x(0, 0, 0)), 20))
    wheel = turned([(0.09, -0.025), (0.1, 0.0), (0.09, 0.025)], _IRON, 16)
    for x in (-0.5, 0.5):
        for y in (-0.3, 0.3):
            parts.append(wheel.moved(_along_x(x, y, 0.1)))
            parts.append(block((x - 0.05, y - 0.04, 0.1), (x + 0.05, y + 0.04, 0.2), _STEEL))
    parts.append(rod((-0.5, 0.5, 0.95), (0.5, 0.5, 0.95), 0.018, _STEEL))
    return joined(parts)


def _barrel(generator: np.random.Generator) -> Mesh:
    colour = np.array([(0.2, 0.3, 0.24), (0.45, 0.3, 0.18), (0.22, 0.3, 0.42)][int(generator.integers(3))])
    body = turned([(0.001, 0.0), (0.25, 0.0), (0.3, 0.3), (0.31, 0.5), (0.27, 0.93), (0.001, 0.95)], colour, 24)
    bands = [
        turned([(r, z), (r + 0.008, z + 0.01), (r + 0.008, z + 0.05), (r, z + 0.06)], _IRON, 24)
        for r, z in ((0.278, 0.16), (0.3, 0.66))
    ]
    return joined([smoothed(body), *bands, rod((0, 0.27, 0.14), (0, 0.33, 0.14), 0.02, _STEEL)])


def _wheelbarrow(generator: np.random.Generator) -> Mesh:
    colour = bright(generator)
    low = np.array([[-0.2, -0.2, 0.3], [0.2, -0.2, 0.3], [0.17, 0.3, 0.26], [-0.17, 0.3, 0.26]])
    high = np.array([[-0.3, -0.35, 0.56], [0.3, -0.35, 0.56], [0.28, 0.5, 0.6], [-0.28, 0.5, 0.6]])
    around = np.stack([low, np.roll(low, -1, 0), np.roll(high, -1, 0), high], axis=1)
    parts = [quads(np.concatenate([around, low[None, ::-1]]), colour)]
    for x in (-0.22, 0.22):
        parts += [
            rod((x, -0.75, 0.55), (x, -0.2, 0.3), 0.017, _IRON),
            rod((x, -0.2, 0.3), (x * 0.25, 0.6, 0.2), 0.017, _IRON),
            rod((x, -0.26, 0), (x, -0.26, 0.36), 0.017, _IRON),
            rod((x, -0.86, 0.56), (x, -0.74, 0.55), 0.022, (0.1, 0.1, 0.1)),
        ]
    tyre = turned([(0.15, -0.035), (0.2, 0.0), (0.15, 0.035)], _IRON, 24)
    return joined([*parts, tyre.moved(_along_x(0, 0.6, 0.2))])


def _along_x(x: float, y: float, z: float) -> Floats:
    """The 4×4 transform that lays an upright axis along x and moves it to a point."""
    return np.array([[0.0, 0, 1, x], [1, 0, 0, y], [0, 1, 0, z], [0, 0, 0, 1]])


def _drinking(generator: np.random.Generator) -> Mesh:
    stone = np.array([(0.6, 0.6, 0.58), (0.2, 0.32, 0.28)][int(generator.integers(2))])
    profile = [(0.001, 0.0), (0.2, 0.0), (0.2, 0.04), (0.11, 0.08), (0.1, 0.7), (0.21, 0.8), (0.21, 0.88)]
    stand = turned([*profile, (0.17, 0.86), (0.001, 0.82)], stone, 20)
    pipe = rod((0, -0.1, 0.82), (0, -0.1, 0.94), 0.015, _STEEL)
    return joined([smoothed(stand, 50), pipe, rod((0, -0.1, 0.94), (0, -0.02, 0.94), 0.013, _STEEL)])


def _gazebo(generator: np.random.Generator) -> Mesh:
    """A roof on eight posts, with a railing but at the front."""
    wood = np.array([(0.85, 0.84, 0.8), (0.45, 0.32, 0.2), (0.3, 0.4, 0.34)][int(generator.integers(3))])
    roof = np.array([(0.36, 0.2, 0.16), (0.3, 0.31, 0.33), (0.25, 0.35, 0.28)][int(generator.integers(3))])
    angles = np.arange(8) * np.pi / 4 + np.pi / 8
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    parts = [extruded(ring * 1.55, 0.0, 0.14, wood * 0.8)]
    for number, (a, b) in enumerate(zip(ring, np.roll(ring, -1, 0), strict=True)):
        parts.append(rod((*(a * 1.42), 0.1), (*(a * 1.42), 2.3), 0.055, wood, 6))
        parts.append(rod((*(a * 1.42), 2.26), (*(b * 1.42), 2.26), 0.06, wood, 4))
        parts.append(flat_shaded(np.array([[[*(a * 1.72), 2.22], [*(b * 1.72), 2.22], [0, 0, 3.05]]]), roof))
        if number != 1:
            parts += [rod((*(a * 1.42), z), (*(b * 1.42), z), 0.03, wood, 4) for z in (0.3, 0.95)]
            for share in np.linspace(0.12, 0.88, 6):
                x, y = (a + (b - a) * share) * 1.42
                parts.append(rod((x, y, 0.3), (x, y, 0.95), 0.014, wood, 4))
    return joined([*parts, rod((0, 0, 3.0), (0, 0, 3.2), 0.03, wood, 6)])


_THINGS: dict[str, tuple[Callable[[np.random.Generator], Mesh], tuple[float, float, float]]] = {
    "slide": (slide, (0.62, 2.9, 1.95)),
    "swing set": (swing_set, (3.1, 1.7, 2.25)),
    "seesaw": (seesaw, (0.5, 2.9, 0.85)),
    "climbing frame": (climbing_frame, (1.9, 1.9, 1.75)),
    "sandbox": (sandbox, (2.2, 2.2, 0.32)),
    "fountain": (_fountain, (2.8, 2.8, 1.7)),
    "pond": (_pond, (4.4, 3.2, 0.22)),
    "flower bed": (flower_bed, (2.2, 1.0, 0.5)),
    "statue": (_statue, (0.9, 0.9, 2.3)),
    "notice board": (_board, (1.4, 0.3, 1.9)),
    "ping-pong table": (ping_pong_table, (1.53, 2.74, 0.92)),
    "bicycle rack": (_rack, (2.2, 0.6, 0.82)),
    "table": (_table, (0.95, 0.95, 0.74)),
    "chair": (_chair, (0.5, 0.54, 0.86)),
    "patio umbrella": (_umbrella, (2.2, 2.2, 2.6)),
    "dumpster": (_dumpster, (1.37, 0.98, 1.25)),
    "rain barrel": (_barrel, (0.62, 0.62, 0.95)),
    "wheelbarrow": (_wheelbarrow, (0.62, 1.4, 0.62)),
    "soccer ball": (soccer_ball, (0.22, 0.22, 0.22)),
    "drinking fountain": (_drinking, (0.42, 0.42, 0.95)),
    "gazebo": (_gazebo, (3.4, 3.4, 3.1)),
}
YARD_SIZES = {category: size for category, (_, size) in _THINGS.items()}
"""Width, depth and height in metres of each category that is made here."""
