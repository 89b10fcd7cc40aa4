"""Scenery: what is seen beyond a place outdoors, and is nobody's object: trees, towers, hills."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tolman.simulate import greenery
from tolman.simulate.masonry import Masonry, pane
from tolman.simulate.mesh import Mesh, joined, placed, quads

_GREENS = ((0.3, 0.38, 0.26), (0.34, 0.4, 0.28), (0.28, 0.35, 0.28))


def trees(
    generator: np.random.Generator, places: Sequence[tuple[float, float]], heights: tuple[float, float]
) -> list[Mesh]:
    """Trees at some places, most of one species; few are drawn anew, the others are turned and scaled."""
    names = [*greenery.SPECIES, greenery.SPRUCE]
    models = []
    for species in generator.permutation(names)[:3]:
        high = float(generator.uniform(*heights))
        wide = high * (0.38 if species in ("column", greenery.SPRUCE) else 0.62)
        models.append(greenery.tree(generator, (wide, wide, high), str(species)))
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
