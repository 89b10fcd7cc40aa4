"""How a room of a type is dressed: floor and walls, lamps, windows with what they show, and the light of these."""

from __future__ import annotations

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate import textures
from tolman.simulate.fixtures import ceiling_lamp, cloth_colour, curtain, daylight, glazed, view_outside
from tolman.simulate.lighting import Emitter
from tolman.simulate.mesh import Mesh, Texture, placed
from tolman.simulate.plan import RECESS, FloorLayout, Placed

_TILED = frozenset({"bathroom", "kitchen"})
_CARPETED = frozenset({"office", "classroom"})
_CURTAINS = 0.6
"""Share of scenes whose windows have curtains."""
_PILE = 0.4
"""Share of what a carpet's drawn colour differs from grey by that is left: full ones look like a stage's."""
_PAINTS: tuple[tuple[float, float, float], ...] = (
    (0.9, 0.88, 0.84), (0.86, 0.84, 0.78), (0.78, 0.82, 0.84), (0.8, 0.83, 0.76), (0.86, 0.79, 0.73),
    (0.72, 0.76, 0.8), (0.84, 0.8, 0.68), (0.88, 0.86, 0.86), (0.7, 0.74, 0.69), (0.8, 0.72, 0.7),
)  # fmt: skip


class Dressing:
    """What a plan leaves to its style.

    Args:
        plan: of rooms with types.
    """

    def __init__(self, plan: FloorLayout) -> None:
        self.plan = plan
        # A stream of its own: what furniture looks like doesn't depend on what else there is.
        self._generator = np.random.default_rng([plan.style, 1])
        self._view = view_outside(self._generator)
        self._cloth = cloth_colour(self._generator) if self._generator.random() < _CURTAINS else None
        self._lamps = [
            ceiling_lamp(plan.theme[number], place, plan.shell.height, self._yaw, self._generator)
            for number, places in enumerate(plan.lamps)
            for place in places
        ]

    def covers(self, number: int) -> tuple[tuple[Texture, float], Texture]:
        """A room's floor with the metres after which it repeats, and its walls."""
        theme, generator = self.plan.theme[number], self._generator
        wood = np.array([0.72, 0.52, 0.34]) * generator.uniform(0.55, 1.2)
        stone = np.array([0.78, 0.74, 0.68]) * generator.uniform(0.6, 1.1)
        pile = generator.uniform((0.35, 0.36, 0.4), (0.62, 0.6, 0.58))
        pile = pile.mean() + (pile - pile.mean()) * _PILE
        chance = generator.random()
        floor = textures.planks(generator, wood), 1.0
        if theme in _TILED or (theme == "corridor" and chance < 0.5):
            floor = textures.tiles(generator, stone, across=2 if chance < 0.3 else 3), 1.2
        elif theme in _CARPETED and chance < 0.7:
            floor = textures.carpet(generator, pile), 1.5
        paint = np.array(_PAINTS[int(generator.integers(len(_PAINTS)))]) * generator.uniform(0.94, 1.04)
        if theme == "bathroom":
            return floor, textures.tiles(generator, np.minimum(paint * 1.06, 0.95), across=8)
        return floor, (textures.wallpaper if generator.random() < 0.15 else textures.plaster)(generator, paint)

    def window(self, thing: Placed) -> Mesh:
        """A window in its place."""
        return glazed(thing, self._view, self._generator).moved(placed(thing.center, thing.yaw))

    def extras(self) -> list[Mesh]:
        """Lamps and curtains, which nobody asks about."""
        found = [mesh for mesh, _ in self._lamps]
        if self._cloth is not None:
            for thing in self._windows:
                width, depth, height = thing.size
                for side in (-1.0, 1.0):
                    sheet = curtain((-width / 2, width / 2), height, RECESS, side, self._generator)
                    shift = np.eye(4)
                    shift[:3, 3] = 0.0, depth / 2, -height / 2
                    own = sheet.painted(self._cloth).moved(shift)
                    found.append(own.moved(placed(thing.center, thing.yaw)))
        return found

    def emitters(self) -> list[Emitter]:
        """Lamps and windows."""
        return [emitter for _, emitter in self._lamps] + [daylight(thing) for thing in self._windows]

    @property
    def _windows(self) -> list[Placed]:
        return [thing for thing in self.plan.placed if thing.model == "window"]

    @property
    def _yaw(self) -> float:
        wall = self.plan.shell.rooms[0].walls[0]
        along: Floats = wall.along
        return float(np.arctan2(along[1], along[0]))
