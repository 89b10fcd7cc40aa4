"""The buildings around a courtyard: fronts with windows where the plan has no doors and balconies, and those."""

from __future__ import annotations

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate import facades, greenery, roads, scenery
from tolman.simulate.courtyards import GROUND_FLOOR, SIDES, STOREY, bays, wall_length, wall_point
from tolman.simulate.facades import STYLES, Covers
from tolman.simulate.masonry import REVEAL, Masonry, WallOpening
from tolman.simulate.mesh import Mesh, placed
from tolman.simulate.open_places import OpenPlace
from tolman.simulate.openings import DOORS, GLASS_SHINE, draw_glazing, fill, leaf, window
from tolman.simulate.plan import Placed, turn_things
from tolman.simulate.roofs import draw_roof

_DEEP = 7.0
"""Metres from a court's wall to the building's back."""


def court_fronts(generator: np.random.Generator, plan: OpenPlace, covers: Covers) -> list[Mesh]:
    """The buildings on the closed sides of a courtyard, and what is seen over the wall of an open one."""
    things = turn_things(plan.placed, -plan.turn)
    name = ("terrace", "old town", "modern")[int(generator.integers(3))]
    found = []
    for side, storeys in zip(plan.closed, plan.storeys, strict=True):
        x, y, yaw = wall_point(plan.size, side, 0.0, 0.0)
        own = [
            thing for thing in things if thing.category in ("door", "balcony") and _at(plan, side, thing) is not None
        ]
        at = placed((x, y, 0.0), yaw)
        style = name if generator.random() < 0.75 else "terrace"
        found.append(_front(generator, plan, covers, style, side, storeys, own).moved(at))
    for side in SIDES:
        if side not in plan.closed:
            x, y, yaw = wall_point(plan.size, side, 0.0, 0.0)
            found += [mesh.moved(placed((x, y, 0.0), yaw)) for mesh in _open_side(generator, plan, covers, name, side)]
    return found


def _at(plan: OpenPlace, side: str, thing: Placed) -> float | None:
    """Metres along a side at which something is on it; None where it is elsewhere."""
    x, y, yaw = wall_point(plan.size, side, 0.0, 0.0)
    way, out = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
    away = np.array(thing.center[:2]) - (x, y)
    if abs(np.cos(thing.yaw - yaw) - 1) > 1e-6 or abs(float(away @ out)) > 0.6:
        return None
    return float(away @ way)


def _front(
    generator: np.random.Generator,
    plan: OpenPlace,
    covers: Covers,
    name: str,
    side: str,
    storeys: int,
    things: list[Placed],
) -> Mesh:
    """One building, its front in the plane y = 0 from x = 0."""
    style, length = STYLES[name], wall_length(plan.size, side)
    height = GROUND_FLOOR + STOREY * (storeys - 1) + 0.4
    texture, size, colour, trim = facades.draw_walls(generator, covers, style)
    glazing = draw_glazing(generator, style.glazing, shutters=generator.random() < style.shutters)
    count, pitch = bays(length)
    doors = [at for thing in things if thing.category == "door" if (at := _at(plan, side, thing)) is not None]
    railed = [
        (at, thing.low + 0.08)
        for thing in things
        if thing.category == "balcony" and (at := _at(plan, side, thing)) is not None
    ]
    made = Masonry()
    openings: list[WallOpening] = []
    for at in doors:
        openings.append(_door_frame(made, at, trim))
    for storey in range(storeys):
        floor = 0.9 if storey == 0 else GROUND_FLOOR + STOREY * (storey - 1)
        for bay in range(count):
            middle = (bay + 0.5) * pitch
            if storey == 0 and any(abs(middle - at) < 0.7 for at in doors):
                continue
            if any(abs(middle - at) < 0.7 and abs(floor - low) < 0.3 for at, low in railed):
                opening = WallOpening(middle - 0.6, middle + 0.6, floor + 0.1, floor + 2.25)
                fill(made, generator, opening, "french", glazing.frame)
                openings.append(opening)
                continue
            openings.append(window(made, generator, glazing, middle, floor, storey > 0, pitch, trim))
    # Where two buildings meet in a corner, both go on behind it.
    left, right = (_DEEP if SIDES[(SIDES.index(side) + step) % 4] in plan.closed else 0.0 for step in (-1, 1))
    span = (-left, length + right)
    made.wall(span, (-0.2, height), openings, texture, size, colour)
    facades.add_core(made, texture, size, colour, span, _DEEP, height)
    made.box((span[0], -0.02, height - 0.2), (span[1], 0.12, height), trim)
    draw_roof(made, generator, style.roofs, covers.roofs, span, _DEEP, height, trim, (texture, size, colour))
    return made.mesh()


def _door_frame(made: Masonry, middle: float, trim: Floats) -> WallOpening:
    """What is around a door's leaf."""
    left, right, high = middle - 0.49, middle + 0.49, 2.12
    frame = np.array([0.88, 0.87, 0.84])
    for a, b in ((left - 0.07, left), (right, right + 0.07)):
        made.box((a, -REVEAL - 0.01, 0.0), (b, -0.04, high + 0.07), frame)
    made.box((left, -REVEAL - 0.01, high), (right, -0.04, high + 0.07), frame)
    made.box((left - 0.35, -0.02, high + 0.2), (right + 0.35, 0.75, high + 0.27), trim * 0.9)
    return WallOpening(left - 0.07, right + 0.07, 0.0, high + 0.07)


def door_leaf(generator: np.random.Generator, size: tuple[float, float, float]) -> Mesh:
    """A door's leaf of a width, depth and height, its front along +y."""
    made = Masonry()
    colour = np.array(DOORS[int(generator.integers(len(DOORS)))])
    leaf(made, generator, (-size[0] / 2, size[0] / 2), size[2], colour)
    return made.mesh().fitted(size)


def balcony(generator: np.random.Generator, size: tuple[float, float, float]) -> Mesh:
    """A balcony of a width, depth and height: a slab with bars, boards or panes; the house is behind it."""
    width, out, high = size[0] / 2, size[1], size[2]
    made = Masonry()
    made.box((-width, 0.0, 0.0), (width, out, 0.18), (0.7, 0.69, 0.66))
    kind, tone = int(generator.integers(3)), np.array(DOORS[int(generator.integers(len(DOORS)))])
    if kind == 0:
        for x in np.linspace(-width + 0.03, width - 0.03, int(width / 0.06)):
            made.box((x - 0.009, out - 0.06, 0.18), (x + 0.009, out - 0.04, high), (0.1, 0.1, 0.1))
        for x in (-width + 0.02, width - 0.02):
            for y in np.linspace(0.05, out - 0.08, 7):
                made.box((x - 0.009, y, 0.18), (x + 0.009, y + 0.018, high), (0.1, 0.1, 0.1))
    else:
        shine = GLASS_SHINE if kind == 1 else 0.0
        colour = np.array([0.5, 0.6, 0.6]) if kind == 1 else tone * 0.6 + 0.3
        made.box((-width + 0.02, out - 0.06, 0.22), (width - 0.02, out - 0.04, high - 0.04), colour, shine)
        for x in (-width + 0.02, width - 0.04):
            made.box((x, 0.0, 0.22), (x + 0.02, out - 0.06, high - 0.04), colour, shine)
    made.box((-width, out - 0.08, high - 0.04), (width, out, high), (0.3, 0.3, 0.31))
    for x in (-width, width - 0.05):
        made.box((x, 0.0, high - 0.04), (x + 0.05, out - 0.08, high), (0.3, 0.3, 0.31))
    if generator.random() < 0.5:
        made.box((-0.4, out - 0.3, 0.18), (0.4, out - 0.1, 0.38), (0.5, 0.3, 0.2))
        made.box((-0.37, out - 0.27, 0.38), (0.37, out - 0.13, 0.55), np.array([0.3, 0.45, 0.2]))
    return made.mesh().moved(placed((0.0, -out / 2, 0.0))).fitted(size)


def _open_side(generator: np.random.Generator, plan: OpenPlace, covers: Covers, name: str, side: str) -> list[Mesh]:
    """A wall, a fence or a hedge along y = 0, a road and houses beyond it, towards -y."""
    length = wall_length(plan.size, side)
    kind = int(generator.integers(3))
    if kind == 0:
        made = Masonry()
        texture = covers.walls["brick"]
        made.wall((0.0, length), (-0.2, 1.9), [], texture, 1.0, (0.66, 0.42, 0.34))
        made.box((0.0, -0.25, 1.9), (length, 0.03, 1.98), (0.6, 0.58, 0.55))
        barrier = made.mesh()
    elif kind == 1:
        barrier = roads.fence(generator, (0.0, length), -0.06, 1.4)
    else:
        barrier = greenery.hedge(generator, (0.0, -0.8, -0.05), (length, -0.08, 1.6), leaves=45)
    ground = roads.flat((-30.0, length + 30.0), (-16.0, -0.9), -0.12, (0.3, 0.3, 0.31))
    row = facades.row_of_houses(generator, -26.0, length + 26.0, covers=covers, style=name, shops=False)
    beyond = [mesh.moved(placed((0.0, -16.0, 0.0))) for mesh in row]
    places = [(float(x), -11.0) for x in np.arange(-20.0, length + 20.0, 9.0)]
    return [barrier, ground, *beyond, *scenery.trees(generator, places, (5.0, 9.0))]
