"""Surfaces of the ground outdoors: what pavements, roads and lawns of a place are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tolman.simulate import outdoor_textures, textures
from tolman.simulate.mesh import Texture


@dataclass(frozen=True)
class Surfaces:
    """Pictures of the ground.

    Attributes:
        walk: of pavements, and `walk_size` its metres.
        road: asphalt, in pictures of 3 m.
        lawn: grass, in pictures of 2.4 m.
    """

    walk: Texture
    walk_size: float
    road: Texture
    lawn: Texture


def draw_surfaces(generator: np.random.Generator) -> Surfaces:
    """The ground of a place."""
    walk, size = draw_paving(generator)
    road = outdoor_textures.road(generator, np.array([0.36, 0.36, 0.37]) * generator.uniform(0.8, 1.25))
    return Surfaces(walk, size, road, draw_lawn(generator))


def draw_paving(generator: np.random.Generator) -> tuple[Texture, float]:
    """A paving, and the metres of its picture."""
    grey = np.array([0.64, 0.62, 0.59]) * generator.uniform(0.85, 1.1)
    red = np.array([0.6, 0.42, 0.35]) * generator.uniform(0.9, 1.1)
    kind = int(generator.integers(5))
    if kind == 0:
        return textures.paving(generator, grey), 2.4
    if kind == 1:
        return textures.paving(generator, grey, across=8), 2.4
    if kind == 2:
        return outdoor_textures.herringbone(generator, red if generator.random() < 0.6 else grey), 0.9
    if kind == 3:
        return outdoor_textures.cobbles(generator, grey * 0.92), 1.4
    return textures.tiles(generator, grey, across=5), 2.0


def draw_lawn(generator: np.random.Generator) -> Texture:
    """A lawn, greener or drier."""
    green = np.array([0.36, 0.44, 0.21]) + generator.uniform(-0.03, 0.04, 3) * (1, 1, 0.5)
    return outdoor_textures.meadow(generator, green)
