"""Materials of furniture: colours drawn from palettes by family, and a grain over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from tolman.simulate.mesh import Mesh, Texture

Colour = tuple[float, float, float]

GRAINY = {"wood": 0.6, "fabric": 0.25}
"""Families with a grain, and the metres of surface that its picture covers."""
_GRAIN_SIDE = 256

PALETTES: dict[str, tuple[Colour, ...]] = {
    "wood": (
        (0.80, 0.64, 0.44), (0.70, 0.51, 0.32), (0.56, 0.37, 0.22), (0.40, 0.25, 0.15), (0.24, 0.16, 0.11),
        (0.86, 0.74, 0.57), (0.62, 0.32, 0.20), (0.62, 0.57, 0.50),
    ),
    "paint": (
        (0.92, 0.91, 0.88), (0.92, 0.91, 0.88), (0.84, 0.82, 0.76), (0.16, 0.16, 0.17), (0.45, 0.47, 0.49),
        (0.35, 0.45, 0.52), (0.45, 0.54, 0.42), (0.20, 0.27, 0.36), (0.72, 0.56, 0.34), (0.62, 0.28, 0.24),
    ),
    "metal": ((0.75, 0.76, 0.78), (0.60, 0.61, 0.63), (0.12, 0.12, 0.13), (0.72, 0.60, 0.36), (0.90, 0.90, 0.89)),
    "fabric": (
        (0.55, 0.55, 0.56), (0.32, 0.33, 0.36), (0.76, 0.71, 0.62), (0.24, 0.32, 0.46), (0.36, 0.44, 0.32),
        (0.60, 0.30, 0.24), (0.74, 0.55, 0.24), (0.28, 0.44, 0.47), (0.68, 0.47, 0.46), (0.87, 0.85, 0.80),
        (0.44, 0.30, 0.42),
    ),
    "leather": ((0.30, 0.18, 0.11), (0.47, 0.29, 0.16), (0.11, 0.10, 0.10), (0.80, 0.74, 0.64), (0.42, 0.13, 0.12)),
    "plastic": (
        (0.92, 0.92, 0.91), (0.14, 0.14, 0.15), (0.50, 0.51, 0.53), (0.78, 0.24, 0.20), (0.22, 0.43, 0.66),
        (0.90, 0.72, 0.24), (0.38, 0.60, 0.40), (0.86, 0.50, 0.26),
    ),
    "appliance": ((0.93, 0.93, 0.92), (0.93, 0.93, 0.92), (0.68, 0.69, 0.71), (0.58, 0.59, 0.61), (0.13, 0.13, 0.14)),
    "casing": ((0.09, 0.09, 0.10), (0.09, 0.09, 0.10), (0.20, 0.20, 0.22), (0.70, 0.71, 0.73), (0.90, 0.90, 0.90)),
    "ceramic": ((0.95, 0.95, 0.94), (0.95, 0.95, 0.94), (0.90, 0.87, 0.80), (0.80, 0.82, 0.83)),
    "pottery": (
        (0.72, 0.42, 0.28), (0.90, 0.89, 0.86), (0.30, 0.32, 0.34), (0.46, 0.56, 0.60), (0.80, 0.70, 0.54),
        (0.35, 0.47, 0.40), (0.28, 0.36, 0.56), (0.78, 0.36, 0.30), (0.93, 0.80, 0.42),
    ),
    "leaf": ((0.22, 0.42, 0.18), (0.32, 0.52, 0.24), (0.16, 0.34, 0.20), (0.42, 0.54, 0.30), (0.36, 0.46, 0.36)),
    "cardboard": ((0.70, 0.55, 0.38), (0.76, 0.62, 0.45), (0.90, 0.89, 0.86)),
    "bedding": ((0.93, 0.93, 0.91), (0.86, 0.84, 0.79), (0.70, 0.76, 0.82), (0.78, 0.80, 0.74), (0.86, 0.76, 0.74)),
    "stone": ((0.86, 0.85, 0.83), (0.30, 0.30, 0.32), (0.62, 0.60, 0.57), (0.72, 0.66, 0.58)),
    "glass": ((0.70, 0.80, 0.82), (0.62, 0.72, 0.74)),
}  # fmt: skip
"""Colours of each family; one that is listed twice is drawn twice as often."""

SCREEN: Colour = (0.05, 0.055, 0.065)
"""A screen that is off."""
DARK: Colour = (0.06, 0.06, 0.065)
"""Gaps, holes and seals."""
STEEL: Colour = (0.74, 0.75, 0.77)
SOIL: Colour = (0.20, 0.14, 0.10)
MIRROR: Colour = (0.66, 0.72, 0.76)


@dataclass(frozen=True)
class Material:
    """A colour, and whether there is a grain over it.

    Attributes:
        family: of its palette.
        colour: RGB, 0 … 1.
    """

    family: str
    colour: Colour

    def on(self, *meshes: Mesh, turn: int = 0) -> list[Mesh]:
        """Bodies of this material.

        Args:
            meshes: the bodies.
            turn: by how many right angles the grain is turned.
        """
        return [self._on(mesh, turn) for mesh in meshes]

    def shade(self, by: float) -> Material:
        """The same lighter or darker."""
        r, g, b = (min(0.96, max(0.02, part * by)) for part in self.colour)
        return Material(self.family, (r, g, b))

    def _on(self, mesh: Mesh, turn: int) -> Mesh:
        if self.family not in GRAINY:
            return mesh.painted(self.colour)
        covered = mesh.papered(grain(self.family), GRAINY[self.family])
        covered.tints[:, :3] = self.colour
        if turn % 2:
            covered.uvs[:] = covered.uvs[:, ::-1].copy()
        return covered


def drawn_material(generator: np.random.Generator, family: str) -> Material:
    """A material of a family, its colour a little off that of the palette."""
    palette = PALETTES[family]
    base = np.array(palette[int(generator.integers(len(palette)))])
    colour = np.clip(base * generator.uniform(0.9, 1.08) + generator.normal(0, 0.012, 3), 0.03, 0.96)
    return Material(family, (float(colour[0]), float(colour[1]), float(colour[2])))


@cache
def grain(family: str) -> Texture:
    """The picture of a grain, near white; the same object at each call, so that a renderer keeps it once."""
    generator = np.random.default_rng(len(family))
    y, x = np.mgrid[0:_GRAIN_SIDE, 0:_GRAIN_SIDE] / _GRAIN_SIDE
    if family == "wood":
        waves = sum(
            generator.uniform(0.3, 1.0) * np.sin(2 * np.pi * (n * y + 0.4 * np.sin(2 * np.pi * x + n)))
            for n in (3, 5, 8, 13, 21)
        )
        shade = 0.93 + 0.022 * waves + 0.02 * generator.random((_GRAIN_SIDE, 1))
    else:
        shade = 0.9 + 0.05 * np.sign(np.sin(64 * np.pi * x)) * np.sign(np.sin(64 * np.pi * y))
        shade = shade + 0.05 * generator.random((_GRAIN_SIDE, _GRAIN_SIDE))
    picture = np.clip(255 * np.asarray(shade), 0, 255).astype(np.uint8)
    return np.repeat(picture[..., None], 3, axis=2)
