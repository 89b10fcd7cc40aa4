"""How a room is dressed by its type: floor and walls, lamps, curtains, windows, views, and their light."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tolman.geometry.boxes import Floats
from tolman.simulate import textures
from tolman.simulate.lighting import Emitter
from tolman.simulate.mesh import Mesh, Texture, block, joined, placed, quads, rod, smoothed, turned
from tolman.simulate.plan import RECESS, FloorLayout, Placed
from tolman.simulate.textures import SIDE, smooth_noise

PANELS = frozenset({"office", "classroom", "shop", "corridor", "kitchen"})
"""Room types that are lit by flat panels."""
WARM, COOL = (1.0, 0.88, 0.72), (0.95, 0.98, 1.0)
_DAY = (0.92, 0.97, 1.08)
"""Colour of what comes in through windows."""
_BEFORE_PANE = 0.03
"""Metres before a pane from which its light is counted."""
_AIR = 0.28
"""Share of white that a day seen from a room has: haze, and the brightness of what is outside."""


def ceiling_lamp(
    kind: str, place: tuple[float, float], ceiling: float, yaw: float, generator: np.random.Generator
) -> tuple[Mesh, Emitter]:
    """A lamp under the ceiling and its light.

    Args:
        kind: the room's type.
        place: x and y, metres.
        ceiling: its height, metres.
        yaw: of the room, radians.
        generator: of its looks.
    """
    x, y = place
    c, s = np.cos(yaw), np.sin(yaw)
    if kind in PANELS:
        wide, deep = (0.6, 0.15) if generator.random() < 0.5 else (0.3, 0.3)
        along, aside = np.array([c, s, 0.0]) * wide, np.array([-s, c, 0.0]) * deep
        low = ceiling - 0.05
        middle = np.array([x, y, low])
        corners = np.array(
            [middle - along - aside, middle + along - aside, middle + along + aside, middle - along + aside]
        )
        face = quads(corners[None, ::-1]).painted((1.0, 1.0, 0.98), 1.0)
        above = corners + np.array([0.0, 0.0, 0.05])
        rim = np.stack([corners, np.roll(corners, -1, 0), np.roll(above, -1, 0), above], axis=1)
        return joined([face, quads(rim, (0.8, 0.8, 0.8))]), _downwards(middle, along, aside, COOL, 9.0)
    radius = float(generator.uniform(0.16, 0.24))
    drop = 0.0 if generator.random() < 0.6 else float(generator.uniform(0.25, 0.45))
    low = ceiling - drop - 0.11
    dome = [(0.001, low), (0.6 * radius, low + 0.012), (0.9 * radius, low + 0.045), (radius, low + 0.09)]
    dome += [(radius, low + 0.11), (0.001, low + 0.11)]
    parts = [smoothed(turned(dome, sides=28)).painted((1.0, 0.96, 0.88), 1.0)]
    if drop:
        parts.append(rod((0, 0, low + 0.1), (0, 0, ceiling), 0.006, (0.2, 0.2, 0.2), 6))
    side = 0.85 * radius
    emitter = _downwards(np.array([x, y, low]), np.array([side, 0, 0]), np.array([0, side, 0]), WARM, 22.0)
    return joined(parts).moved(placed((x, y, 0.0))), emitter


def _downwards(
    center: Floats, along: Floats, aside: Floats, colour: tuple[float, float, float], power: float
) -> Emitter:
    return emitter_of(center - (0, 0, 0.02), along, aside, (0.0, 0.0, -1.0), power * np.array(colour))


def emitter_of(center: ArrayLike, across: ArrayLike, up: ArrayLike, normal: ArrayLike, radiance: ArrayLike) -> Emitter:
    """An emitter from vectors of any kind."""
    return Emitter(*(_three(vector) for vector in (center, across, up, normal, radiance)))


def _three(vector: ArrayLike) -> tuple[float, float, float]:
    x, y, z = np.asarray(vector).tolist()
    return x, y, z


def daylight(window: Placed) -> Emitter:
    """Return the light of a window."""
    inward = np.array([-np.sin(window.yaw), np.cos(window.yaw)])
    width, depth, height = window.size
    center = np.array(window.center)
    center[:2] += inward * (depth / 2 + _BEFORE_PANE)
    across = np.array([np.cos(window.yaw), np.sin(window.yaw), 0.0]) * 0.46 * width
    return emitter_of(center, across, (0.0, 0.0, 0.46 * height), (*inward, 0.0), 5.0 * np.array(_DAY))


def view_outside(generator: np.random.Generator) -> Texture:
    """Draw a day seen from a window: sky, objects at the horizon, a lawn or street before it."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    up = 1 - y
    sky = np.array([0.55, 0.72, 0.92]) * generator.uniform(0.9, 1.05)
    haze = np.array([0.86, 0.9, 0.94])
    share = np.clip((up - 0.4) / 0.6, 0, 1)[..., None]
    picture = haze * (1 - share) + sky * share
    clouds = np.clip(smooth_noise(generator, (9, 5)) + 0.5 * smooth_noise(generator, (22, 11)) - 0.15, 0, 0.8)
    hidden = (0.75 * clouds * share[..., 0])[..., None]
    picture = picture * (1 - hidden) + 0.97 * hidden
    horizon = generator.uniform(0.36, 0.46)
    for level, tone in ((0.08, 0.75), (0.03, 0.55)):
        rough = smooth_noise(generator, (2, int(generator.integers(4, 9))))[0]
        line = horizon + level * (0.7 + 0.5 * rough) * generator.uniform(0.6, 1.4)
        green = np.array([0.42, 0.55, 0.36]) * tone + haze * (1 - tone) * 0.6
        leaves = 1 + 0.1 * smooth_noise(generator, (190, 190)) + 0.09 * smooth_noise(generator, (80, 80))
        leaves += 0.06 * smooth_noise(generator, (26, 26))
        picture = np.where((up < line)[..., None], green * leaves[..., None], picture)
    for _ in range(int(generator.integers(0, 4))):
        left, wide = generator.uniform(-0.1, 0.9), generator.uniform(0.1, 0.26)
        top = horizon + generator.uniform(0.06, 0.26)
        tone = generator.uniform(0.6, 0.85)
        wall = tone * np.array([1.0, generator.uniform(0.86, 0.97), generator.uniform(0.72, 0.93)])
        house = (x > left) & (x < left + wide) & (up < top) & (up > horizon - 0.12)
        across, rows = int(generator.integers(4, 8)), generator.uniform(18, 26)
        panes = (((x - left) / wide * across) % 1 > 0.45) & (((up * rows) % 1) > 0.45) & house & (up < top - 0.03)
        shade = 0.92 + 0.08 * smooth_noise(generator, (80, 80))
        picture = np.where(house[..., None], wall * shade[..., None], picture)
        picture = np.where(panes[..., None], wall * 0.4 + np.array([0.08, 0.1, 0.14]), picture)
    ground = np.array([0.45, 0.56, 0.32]) if generator.random() < 0.6 else np.array([0.6, 0.59, 0.57])
    near = (up < horizon - 0.1)[..., None]
    picture = np.where(near, ground * (0.9 + 0.1 * smooth_noise(generator, (90, 40)))[..., None], picture)
    # Whoever exposes for a room has a bright day outside, and its far things out of focus.
    picture = _blurred(picture) * (1 - _AIR) + np.array([0.97, 0.985, 1.0]) * _AIR
    return np.asarray(np.clip(picture * 250, 0, 255), dtype=np.uint8)


def _blurred(picture: Floats) -> Floats:
    """A picture out of focus: binomial means over five by five pixels; at its edges the last ones go on."""
    for axis in (0, 1):
        beside = np.pad(picture, [(2, 2) if way == axis else (0, 0) for way in range(3)], mode="edge")
        rows = [np.take(beside, np.arange(n, n + SIDE), axis) for n in range(5)]
        picture = (rows[0] + rows[4] + 4 * (rows[1] + rows[3]) + 6 * rows[2]) / 16
    return picture


def glazed(thing: Placed, view: Texture, generator: np.random.Generator) -> Mesh:
    """Model a window with a frame, its view, and mostly a curtain inside its niche; around its own centre."""
    width, depth, height = (length / 2 for length in thing.size)
    bar, white = 0.05, (0.9, 0.9, 0.88)
    parts = [
        block((-width, -depth, -height), (-width + bar, depth, height), white),
        block((width - bar, -depth, -height), (width, depth, height), white),
        block((-width + bar, -depth, -height), (width - bar, depth, -height + bar), white),
        block((-width + bar, -depth, height - bar), (width - bar, depth, height), white),
    ]
    if 2 * width > 1.0:
        parts.append(block((-bar / 2, -depth * 0.5, -height + bar), (bar / 2, depth * 0.7, height - bar), white))
    pane = block((-width + bar, -depth * 0.2, -height + bar), (width - bar, 0, height - bar))
    # One picture of 2.4 m for all windows of a room, each showing a part of it.
    scale = 2.4
    shift = float(generator.uniform(0, 1))
    uvs = np.column_stack([pane.points[:, 0] / scale + shift, (pane.points[:, 2] + height) / scale + 0.25])
    count = len(pane.points)
    tints = np.tile([1.0, 1.0, 1.0, 1.0], (count, 1))
    shown = Mesh(pane.points, pane.normals, uvs, tints, np.zeros(count, dtype=np.int64), pane.faces, (view,))
    return joined([*parts, shown])


def curtain(
    opening: tuple[float, float], high: float, depth: float, side: float, generator: np.random.Generator
) -> Mesh:
    """A gathered curtain at one end of a window's niche, in the niche's own plane: x along the wall, y into the room.

    Args:
        opening: where it begins and ends along the wall, metres.
        high: of the window, metres; z runs from 0.
        depth: of the niche before the frame, metres; y runs from 0 at the frame.
        side: -1 for the beginning of the opening, 1 for its end.
        generator: of its folds.
    """
    start, end = opening
    wide = (end - start) * float(generator.uniform(0.14, 0.24))
    left = start if side < 0 else end - wide
    folds = max(2, round(wide / 0.07))
    x = np.linspace(0, 1, 8 * folds + 1)
    y = depth * (0.5 + 0.36 * np.sin(2 * np.pi * folds * x))
    along = left + wide * x
    low = np.column_stack([along, y, np.full(len(x), 0.015)])
    top = np.column_stack([along, y, np.full(len(x), high - 0.015)])
    corners = np.stack([low[:-1], low[1:], top[1:], top[:-1]], axis=1)
    return smoothed(quads(corners), 80)


def cloth_colour(generator: np.random.Generator) -> Floats:
    """Draw the colour of curtains."""
    palette = np.array(
        [(0.86, 0.83, 0.76), (0.55, 0.6, 0.66), (0.72, 0.52, 0.42), (0.45, 0.52, 0.42), (0.8, 0.72, 0.55)]
    )
    return np.asarray(palette[int(generator.integers(len(palette)))] * generator.uniform(0.85, 1.1))


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
    """Details that a plan leaves to its style.

    Args:
        plan: of the rooms.
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
        """Return lamps and curtains, which no question is about."""
        found = [mesh for mesh, _ in self._lamps]
        if self._cloth is not None:
            for thing in self._windows:
                width, depth, height = thing.size
                for side in (-1.0, 1.0):
                    sheet = curtain((-width / 2, width / 2), height, RECESS, side, self._generator)
                    own = sheet.painted(self._cloth).moved(placed((0.0, depth / 2, -height / 2)))
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
