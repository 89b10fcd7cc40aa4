"""Fronts of houses and shops, as the background of streets."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tolman.geometry.boxes import Floats
from tolman.simulate import textures
from tolman.simulate.mesh import Mesh, Texture, block, joined, quads

_Covers = tuple[Texture, Texture, Texture]

_BRICKS = ((0.56, 0.29, 0.22), (0.63, 0.45, 0.34), (0.45, 0.25, 0.21))
_PLASTERS = ((0.86, 0.81, 0.7), (0.78, 0.7, 0.6), (0.7, 0.76, 0.76), (0.87, 0.74, 0.62), (0.74, 0.66, 0.68))
_GLASS = (0.3, 0.38, 0.44)
_FRAME = (0.9, 0.9, 0.87)
_STOREY = 2.9


def row_of_houses(
    generator: np.random.Generator, start: float, end: float, *, shops: bool, depth: float = 9.0
) -> list[Mesh]:
    """Houses side by side along x, their fronts in the plane y = 0, facing +y."""
    found: list[Mesh] = []
    covers = _covers(generator)
    at = start
    while at < end - 1e-6:
        width = float(generator.uniform(5.2, 8.5))
        if end - at - width < 4.5:
            width = end - at
        found.append(_house(generator, covers, at, at + width, depth, shop=shops and bool(generator.random() < 0.65)))
        at += width
    return found


def _covers(generator: np.random.Generator) -> _Covers:
    """The materials that all houses of a row are made of: few pictures, since each takes memory."""
    return (
        textures.bricks(generator, np.ones(3) * 0.78),
        textures.plaster(generator, np.ones(3) * 0.95),
        textures.tiles(generator, np.ones(3) * 0.85, across=4),
    )


def _house(
    generator: np.random.Generator, covers: _Covers, left: float, right: float, depth: float, *, shop: bool
) -> Mesh:
    storeys = int(generator.integers(2, 4))
    ground = 3.4 if shop else 3.0
    height = ground + _STOREY * (storeys - 1) + 0.5
    brick = bool(generator.random() < 0.5)
    colours = _BRICKS if brick else _PLASTERS
    colour = np.array(colours[int(generator.integers(len(colours)))]) * generator.uniform(0.9, 1.1)
    cover, picture = (covers[0], 1.0) if brick else (covers[1], 2.5)
    walls = [_tinted(block((left, -depth, -0.2), (right, 0.0, height)).papered(cover, picture), colour * 1.2)]
    trim = colour * 0.75 if not brick else np.array([0.82, 0.79, 0.72])
    parts = [
        block((left, -0.1, height), (right, 0.3, height + 0.22), trim),
        block((left, -0.1, height - 0.2), (right, 0.16, height), trim * 0.95),
        block((left, -0.05, -0.2), (right, 0.05, 0.45), colour * 0.6),
    ]
    parts += _roof(generator, covers[2], left, right, depth, height + 0.22)
    bays = max(2, int((right - left) // 2.3))
    pitch = (right - left) / bays
    door = int(generator.integers(bays))
    if shop:
        parts += _shop(generator, left + 0.3, right - 0.3)
    for storey in range(storeys):
        for bay in range(bays):
            middle = left + (bay + 0.5) * pitch
            if storey == 0 and shop:
                continue
            if storey == 0 and bay == door:
                parts += _door(generator, middle)
                continue
            low = 0.95 if storey == 0 else ground + _STOREY * (storey - 1) + 0.75
            parts += _window(middle, low, 1.15, 1.6 if storey else 1.5, trim)
    return joined([*walls, *parts])


def _tinted(mesh: Mesh, colour: Floats) -> Mesh:
    """A papered mesh whose picture is coloured."""
    return replace(mesh, tints=np.tile(np.append(np.clip(colour, 0, 1), 0.0), (len(mesh.points), 1)))


def _roof(
    generator: np.random.Generator, cover: Texture, left: float, right: float, depth: float, height: float
) -> list[Mesh]:
    """A slope that rises from the front."""
    colour = np.array([(0.42, 0.22, 0.17), (0.3, 0.3, 0.33), (0.36, 0.27, 0.22)][int(generator.integers(3))])
    top, back = height + 2.6, -depth / 2
    slope = np.array(
        [
            [[left, 0.3, height], [right, 0.3, height], [right, back, top], [left, back, top]],
            [[right, -depth, height], [left, -depth, height], [left, back, top], [right, back, top]],
        ]
    )
    mesh = quads(slope)
    gables = []
    for x, turn in ((left, 1), (right, -1)):
        side = np.array([[x, 0.0, height], [x, -depth / 2, top], [x, -depth, height], [x, -depth / 2, height]])
        gables.append(side[::turn])
    return [_tinted(mesh.papered(cover, 1.2), colour * 1.25), quads(np.array(gables), colour * 1.2)]


def _window(middle: float, low: float, width: float, height: float, trim: ArrayLike) -> list[Mesh]:
    left, right, high = middle - width / 2, middle + width / 2, low + height
    bar = 0.07
    sill = np.asarray(trim, dtype=np.float64)
    return [
        block((left, -0.02, low), (right, 0.012, high)).painted(_GLASS, 0.12),
        block((left - bar, -0.02, low), (left, 0.05, high), _FRAME),
        block((right, -0.02, low), (right + bar, 0.05, high), _FRAME),
        block((left - bar, -0.02, high), (right + bar, 0.06, high + bar), _FRAME),
        block((left, -0.02, low + height * 0.62), (right, 0.035, low + height * 0.62 + 0.05), _FRAME),
        block((middle - 0.025, -0.02, low), (middle + 0.025, 0.035, high), _FRAME),
        block((left - 0.15, -0.02, low - 0.09), (right + 0.15, 0.15, low), sill),
    ]


def _door(generator: np.random.Generator, middle: float) -> list[Mesh]:
    colour = np.array([(0.16, 0.28, 0.24), (0.45, 0.14, 0.12), (0.16, 0.2, 0.34)][int(generator.integers(3))])
    return [
        block((middle - 0.48, -0.02, 0.0), (middle + 0.48, 0.03, 2.1), colour),
        block((middle - 0.48, -0.02, 2.12), (middle + 0.48, 0.03, 2.5)).painted(_GLASS, 0.12),
        block((middle - 0.56, -0.02, 0.0), (middle - 0.48, 0.07, 2.58), _FRAME),
        block((middle + 0.48, -0.02, 0.0), (middle + 0.56, 0.07, 2.58), _FRAME),
        block((middle - 0.56, -0.02, 2.5), (middle + 0.56, 0.07, 2.58), _FRAME),
        block((middle - 0.33, 0.02, 0.25), (middle + 0.33, 0.042, 0.95), colour * 0.8),
        block((middle - 0.33, 0.02, 1.1), (middle + 0.33, 0.042, 1.9), colour * 0.8),
        block((middle + 0.36, 0.02, 1.0), (middle + 0.4, 0.08, 1.1), (0.8, 0.7, 0.4)),
    ]


def _shop(generator: np.random.Generator, left: float, right: float) -> list[Mesh]:
    """A shop's windows, door, sign and awning."""
    colour = generator.uniform((0.12, 0.2, 0.2), (0.5, 0.4, 0.42))
    door = right - 1.25
    parts = [
        block((left, -0.02, 0.0), (right, 0.04, 0.55), colour * 0.8),
        block((left, -0.02, 0.55), (right, 0.015, 2.55)).painted(_GLASS, 0.12),
        block((left, -0.02, 2.55), (right, 0.12, 3.15), colour),
        block((door, 0.0, 0.0), (door + 1.1, 0.05, 2.4), colour * 0.9),
        block((door + 0.15, 0.0, 0.9), (door + 0.95, 0.06, 2.25)).painted(_GLASS, 0.12),
    ]
    parts += [block((x - 0.04, -0.02, 0.0), (x + 0.04, 0.07, 2.55), colour) for x in np.linspace(left, door, 4)]
    light = np.array([0.92, 0.9, 0.84])
    letters = np.arange(left + 0.6, right - 0.8, 0.34)
    parts += [block((x, 0.1, 2.72), (x + float(generator.uniform(0.12, 0.24)), 0.135, 2.98), light) for x in letters]
    stripes = np.linspace(left, door - 0.1, max(4, int((door - left) / 0.4) // 2 * 2 + 1))
    bright = generator.uniform((0.45, 0.1, 0.1), (0.8, 0.45, 0.4))
    for number, (a, b) in enumerate(itertools.pairwise(stripes)):
        tone = light if number % 2 else bright
        slope = [[a, 0.05, 2.85], [a, 1.0, 2.35], [b, 1.0, 2.35], [b, 0.05, 2.85]]
        edge = [[a, 1.0, 2.35], [a, 1.0, 2.17], [b, 1.0, 2.17], [b, 1.0, 2.35]]
        parts.append(quads(np.array([slope, edge]), tone))
    return parts
