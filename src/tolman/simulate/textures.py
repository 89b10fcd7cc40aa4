"""Textures of floors, walls, roads, pavings and roofs, and of the face of a stop sign, all drawn from a seed."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import Texture

SIDE = 512


def planks(generator: np.random.Generator, colour: Floats, *, rows: int = 6) -> Texture:
    """Wooden boards in rows of staggered joints, `rows` in a picture."""
    shade = np.empty((SIDE, SIDE))
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    row = y * rows // SIDE
    joints = generator.uniform(0, 1, (rows, 2))
    board = (x / SIDE > joints[row, 0]).astype(int) + (x / SIDE > joints[row, 1])
    tone = generator.normal(1.0, 0.09, (rows, 3))[row, board % 2]
    grain = smooth_noise(generator, (SIDE, 24))
    shade = tone * (0.94 + 0.1 * grain)
    edge = (y * rows % SIDE < 2 * rows) | (np.abs(x / SIDE - joints[row, 0]) < 0.003)
    edge |= np.abs(x / SIDE - joints[row, 1]) < 0.003
    return _picture(np.where(edge, 0.62, shade), colour)


def tiles(generator: np.random.Generator, colour: Floats, *, across: int = 3) -> Texture:
    """Square tiles with grout between them."""
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    tone = generator.normal(1.0, 0.035, (across, across))[y * across // SIDE, x * across // SIDE]
    grout = (y * across % SIDE < 5 * across) | (x * across % SIDE < 5 * across)
    mottled = 0.97 + 0.05 * smooth_noise(generator, (40, 40))
    return _picture(np.where(grout, 0.72, tone * mottled), colour)


def carpet(generator: np.random.Generator, colour: Floats) -> Texture:
    """Short pile."""
    return _picture(0.86 + 0.2 * generator.random((SIDE, SIDE)) + 0.06 * smooth_noise(generator, (12, 12)), colour)


def plaster(generator: np.random.Generator, colour: Floats) -> Texture:
    """A painted wall."""
    fine, broad = smooth_noise(generator, (160, 160)), smooth_noise(generator, (10, 10))
    return _picture(0.965 + 0.03 * fine + 0.02 * broad, colour)


def wallpaper(generator: np.random.Generator, colour: Floats) -> Texture:
    """Broad stripes."""
    stripe = (np.arange(SIDE) * 8 // SIDE) % 2
    return _picture(np.tile(0.94 + 0.06 * stripe, (SIDE, 1)) + 0.02 * smooth_noise(generator, (120, 120)), colour)


def weave(generator: np.random.Generator, colour: Floats) -> Texture:
    """A rug: a border, a field, a pattern of diamonds."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    rim = np.minimum.reduce([x, y, 1 - x, 1 - y])
    diamonds = (np.abs((x * 6) % 1 - 0.5) + np.abs((y * 6) % 1 - 0.5)) < 0.3
    shade = np.where(rim < 0.05, 0.55, np.where(rim < 0.09, 1.15, np.where(diamonds, 0.82, 1.0)))
    return _picture(shade + 0.06 * generator.random((SIDE, SIDE)), colour)


def bricks(generator: np.random.Generator, colour: Floats, *, rows: int = 12) -> Texture:
    """A wall of bricks in stretcher bond."""
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    row = y * rows // SIDE
    along = (x * rows // 2 + (row % 2) * SIDE // 2) % (SIDE * rows // 2)
    brick = along // SIDE
    tone = generator.normal(1.0, 0.1, (rows, rows))[row, brick % rows]
    mortar = (y * rows % SIDE < 3 * rows) | (along % SIDE < 2 * rows)
    return _picture(np.where(mortar, 1.25, tone), colour)


def paving(generator: np.random.Generator, colour: Floats, *, across: int = 4) -> Texture:
    """Concrete slabs in rows that are staggered by half a slab."""
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    row = y * across // SIDE
    along = x * across + (row % 2) * SIDE // 2
    tone = generator.normal(1.0, 0.04, (across, across))[row, along // SIDE % across]
    joint = (y * across % SIDE < 4 * across) | (along % SIDE < 4 * across)
    spots = 0.94 + 0.1 * generator.random((SIDE, SIDE)) + 0.03 * smooth_noise(generator, (24, 24))
    return _picture(np.where(joint, 0.7, tone * spots), colour)


def smooth_noise(generator: np.random.Generator, cells: tuple[int, int]) -> Floats:
    """Noise between -1 and 1 that changes over so many cells in height and width, and repeats."""
    coarse = generator.uniform(-1, 1, cells)
    rows = np.linspace(0, cells[0], SIDE, endpoint=False)
    columns = np.linspace(0, cells[1], SIDE, endpoint=False)
    r, c = rows.astype(int), columns.astype(int)
    fr, fc = (rows - r)[:, None], (columns - c)[None, :]
    a, b = coarse[r][:, c], coarse[r][:, (c + 1) % cells[1]]
    d, e = coarse[(r + 1) % cells[0]][:, c], coarse[(r + 1) % cells[0]][:, (c + 1) % cells[1]]
    return np.asarray((a * (1 - fc) + b * fc) * (1 - fr) + (d * (1 - fc) + e * fc) * fr)


def _picture(shade: Floats, colour: Floats) -> Texture:
    return np.asarray(np.clip(shade[..., None] * colour * 255, 0, 255), dtype=np.uint8)


def road(generator: np.random.Generator, colour: Floats) -> Texture:
    """Asphalt: fine stones, cracks."""
    grains = generator.random((SIDE, SIDE))
    shade = 0.86 + 0.2 * grains + 0.06 * smooth_noise(generator, (9, 9)) + 0.05 * smooth_noise(generator, (40, 40))
    shade = np.where(grains > 0.985, 1.3, shade)
    bent = smooth_noise(generator, (5, 5)) + 0.35 * smooth_noise(generator, (16, 16))
    bent += 0.1 * smooth_noise(generator, (60, 60))
    shade = np.where(np.abs(bent) < 0.005, 0.72, shade)
    return _picture(shade, colour)


def cobbles(generator: np.random.Generator, colour: Floats, *, across: int = 12) -> Texture:
    """Small square setts with worn edges, in rows."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * across
    row = y.astype(int)
    shift = generator.uniform(0, 1, across)[row]
    along = (x + shift) % across
    inside = np.minimum.reduce([along % 1, 1 - along % 1, y % 1, 1 - y % 1])
    tone = generator.normal(1.0, 0.11, (across, across))[row, along.astype(int)]
    stone = np.clip(inside / 0.16, 0, 1) ** 0.7
    spots = 0.94 + 0.12 * generator.random((SIDE, SIDE))
    return _picture(np.where(inside < 0.055, 0.5, tone * spots * (0.72 + 0.3 * stone)), colour)


def herringbone(generator: np.random.Generator, colour: Floats, *, across: int = 8) -> Texture:
    """Bricks of two squares each, laid in a herringbone."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * across
    i, j = x.astype(int), y.astype(int)
    phase = (i + j) % 4
    # Of four squares along a diagonal two belong to a lying brick, two to a standing one.
    lying = phase < 2
    u = np.where(lying, x % 1 + (phase == 1), x % 1)
    v = np.where(lying, y % 1, y % 1 + (phase == 2))
    inside = np.minimum.reduce([u, np.where(lying, 2 - u, 1 - u), v, np.where(lying, 1 - v, 2 - v)])
    first_i = np.where(lying, i - (phase == 1), i) % across
    first_j = np.where(lying, j, j - (phase == 2)) % across
    tone = generator.normal(1.0, 0.1, (across, across))[first_j, first_i]
    spots = 0.93 + 0.14 * generator.random((SIDE, SIDE))
    return _picture(np.where(inside < 0.05, 0.6, tone * spots), colour)


def gravel(generator: np.random.Generator, colour: Floats) -> Texture:
    """Small stones of many tones."""
    distance, tone = _cells(generator, 46)
    return _picture((0.7 + 0.5 * tone) * (1.12 - 0.75 * np.clip(distance * 1.1, 0, 0.8)), colour)


def soil(generator: np.random.Generator, colour: Floats) -> Texture:
    """Earth, or chips of bark."""
    distance, tone = _cells(generator, 30)
    return _picture((0.6 + 0.6 * tone) * (1.1 - 0.5 * distance) + 0.12 * generator.random((SIDE, SIDE)), colour)


def sand(generator: np.random.Generator, colour: Floats) -> Texture:
    """Sand with hollows."""
    shade = 0.9 + 0.1 * generator.random((SIDE, SIDE)) + 0.07 * smooth_noise(generator, (22, 22))
    return _picture(shade + 0.04 * smooth_noise(generator, (60, 60)), colour)


def meadow(generator: np.random.Generator, colour: Floats) -> Texture:
    """A lawn: blades of grass, darker and yellower spots, clover."""
    blades = 0.7 + 0.42 * generator.random((SIDE, SIDE)) + 0.12 * smooth_noise(generator, (90, 180))
    shade = blades + 0.09 * smooth_noise(generator, (7, 7)) + 0.06 * smooth_noise(generator, (22, 22))
    dry = np.clip(smooth_noise(generator, (5, 5)) * 0.5 + 0.3 * smooth_noise(generator, (30, 30)), 0, 1)[..., None]
    tone = np.asarray(colour) * (1 - dry) + np.array([0.52, 0.5, 0.27]) * dry
    return _picture(shade, tone)


def roof_tiles(generator: np.random.Generator, colour: Floats, *, across: int = 8) -> Texture:
    """Tiles in rows, each row over the next, round across."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * across
    row = y.astype(int)
    column = (x + 0.5 * (row % 2)) % across
    tone = generator.normal(1.0, 0.09, (across, across))[row, column.astype(int)]
    shade = tone * (0.74 + 0.28 * np.sin(np.pi * (column % 1))) * (0.72 + 0.34 * np.clip((y % 1) * 1.6, 0, 1))
    return _picture(shade * (0.95 + 0.08 * generator.random((SIDE, SIDE))), colour)


def slates(generator: np.random.Generator, colour: Floats, *, across: int = 10) -> Texture:
    """Flat slates in a stretcher bond."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * across
    row = y.astype(int)
    column = (x + 0.5 * (row % 2)) % across
    tone = generator.normal(1.0, 0.09, (across, across))[row, column.astype(int)]
    edge = np.minimum(column % 1, 1 - column % 1) < 0.03
    return _picture(np.where(edge | (y % 1 < 0.07), 0.6, tone), colour)


def ashlar(generator: np.random.Generator, colour: Floats, *, rows: int = 4) -> Texture:
    """Cut stone in courses of different lengths."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    row = (y * rows).astype(int)
    cuts = np.sort(generator.uniform(0, 1, (rows, 3)), axis=1)
    number = (x[..., None] > cuts[row]).sum(-1) % 3
    tone = generator.normal(1.0, 0.05, (rows, 3))[row, number]
    joint = (np.abs(x[..., None] - cuts[row]).min(-1) < 0.004) | (y * rows % 1 < 0.022)
    spots = 0.95 + 0.06 * generator.random((SIDE, SIDE)) + 0.05 * smooth_noise(generator, (20, 20))
    return _picture(np.where(joint, 0.74, tone * spots), colour)


def siding(generator: np.random.Generator, colour: Floats, *, rows: int = 14) -> Texture:
    """Draw painted, overlapping boards."""
    y = np.mgrid[0:SIDE, 0:SIDE][0] / SIDE
    row = (y * rows).astype(int)
    tone = generator.normal(1.0, 0.025, rows)[row]
    across = y * rows % 1
    shade = tone * (0.9 + 0.12 * across) + 0.02 * smooth_noise(generator, (rows * 3, 6))
    return _picture(np.where(across > 0.93, 0.6, shade), colour)


def render_coat(generator: np.random.Generator, colour: Floats) -> Texture:
    """Rough plaster with the marks of rain."""
    shade = 0.955 + 0.05 * generator.random((SIDE, SIDE)) + 0.02 * smooth_noise(generator, (8, 8))
    return _picture(shade + 0.018 * smooth_noise(generator, (3, 60)), colour)


def water(generator: np.random.Generator, colour: Floats) -> Texture:
    """Ripples."""
    shade = 1.0 + 0.12 * smooth_noise(generator, (18, 26)) + 0.08 * smooth_noise(generator, (50, 60))
    return _picture(shade, colour)


def stop_face() -> Texture:
    """Draw a stop sign's face, red with a white rim and four letters, as one picture, without stacked surfaces."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * 2 - 1
    y = -y
    around = np.max([np.abs(x), np.abs(y), (np.abs(x) + np.abs(y)) / np.sqrt(2)], axis=0)
    white = around > 0.86 * np.cos(np.pi / 8)
    for number, letter in enumerate(_LETTERS):
        left = -0.66 + number * 0.345
        white |= _stroked((x - left) / 0.285, (y + 0.27) / 0.54, letter)
    tone = np.where(white[..., None], (0.93, 0.93, 0.92), (0.72, 0.06, 0.08))
    return np.asarray(tone * 255, dtype=np.uint8)


_LETTERS = (
    (((0.95, 0.82), (0.72, 0.93), (0.3, 0.93), (0.12, 0.75), (0.25, 0.56), (0.78, 0.44), (0.9, 0.25), (0.7, 0.07),
      (0.28, 0.07), (0.05, 0.18)),),
    (((0.05, 0.93), (0.95, 0.93)), ((0.5, 0.93), (0.5, 0.02))),
    (((0.3, 0.07), (0.1, 0.25), (0.1, 0.75), (0.3, 0.93), (0.7, 0.93), (0.9, 0.75), (0.9, 0.25), (0.7, 0.07),
      (0.3, 0.07)),),
    (((0.12, 0.02), (0.12, 0.93), (0.7, 0.93), (0.9, 0.8), (0.9, 0.56), (0.7, 0.44), (0.12, 0.44)),),
)  # fmt: skip
"""S, T, O and P as lines through points of a unit square."""


def _stroked(u: Floats, v: Floats, lines: tuple[tuple[tuple[float, float], ...], ...]) -> NDArray[np.bool_]:
    found = np.zeros(u.shape, dtype=bool)
    for line in lines:
        for (a, b), (c, d) in itertools.pairwise(line):
            share = np.clip(((u - a) * (c - a) + (v - b) * (d - b)) / ((c - a) ** 2 + (d - b) ** 2), 0, 1)
            # Letters are narrower than high: lines are as thick both ways.
            found |= np.hypot((u - a - share * (c - a)) * 0.55, v - b - share * (d - b)) < 0.075
    return found


def _cells(generator: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """Distance from the nearest of `count` × `count` shaken places, in their mean distance, and a tone of each."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * count
    i, j = x.astype(int), y.astype(int)
    shaken = generator.uniform(0.1, 0.9, (count, count, 2))
    tones = generator.random((count, count))
    best, tone = np.full((SIDE, SIDE), 9.0), np.zeros((SIDE, SIDE))
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            a, b = (j + dj) % count, (i + di) % count
            away = np.hypot(i + di + shaken[a, b, 0] - x, j + dj + shaken[a, b, 1] - y)
            nearer = away < best
            best, tone = np.where(nearer, away, best), np.where(nearer, tones[a, b], tone)
    return best, tone
