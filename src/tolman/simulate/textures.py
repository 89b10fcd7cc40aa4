"""Materials of floors and walls, drawn from a seed."""

from __future__ import annotations

import numpy as np

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
    return _picture(
        0.965 + 0.03 * smooth_noise(generator, (160, 160)) + 0.02 * smooth_noise(generator, (10, 10)), colour
    )


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


def asphalt(generator: np.random.Generator, colour: Floats) -> Texture:
    """Coarse, dark and spotted."""
    grains = generator.random((SIDE, SIDE))
    return _picture(0.85 + 0.25 * grains + 0.12 * smooth_noise(generator, (16, 16)), colour)


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


def grass(generator: np.random.Generator, colour: Floats) -> Texture:
    """A lawn."""
    blades = 0.62 + 0.5 * generator.random((SIDE, SIDE)) + 0.12 * smooth_noise(generator, (110, 110))
    return _picture(blades + 0.08 * smooth_noise(generator, (7, 7)), colour)


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
