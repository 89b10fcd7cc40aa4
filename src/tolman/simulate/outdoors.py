"""Streets and parking lots as worlds, and any place outdoors by the name of its shape.

A street has ground, kerbs, markings, houses, hedges, and things.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from tolman.errors import UsageError
from tolman.simulate import facades, greenery
from tolman.simulate.fittings import fitting
from tolman.simulate.mesh import Mesh, block, joined, placed, quads
from tolman.simulate.open_places import OPEN_KINDS
from tolman.simulate.open_worlds import (
    CORNER,
    EDGING,
    GROUNDS,
    ISLAND,
    KERB,
    KINDS,
    MARK,
    ROAD,
    SIDE_ROAD,
    STEP,
    STONE,
    WHITE,
    Kind,
    build_open_place,
    covers_and_drains,
    draw_surfaces,
    feet,
    fence,
    flat,
    scene_outdoors,
    side_roads,
    street_marks,
)
from tolman.simulate.parks_and_courtyards import draw_courtyard, draw_park
from tolman.simulate.placing import walking_floor
from tolman.simulate.plan import Placed
from tolman.simulate.street import Street, draw_street
from tolman.simulate.vehicles import COLOURS, PATTERNS, vehicle
from tolman.simulate.world import Body, World, draw_daylight

if TYPE_CHECKING:
    pass


STREET_TREES = ("round", "oval", "birch", "maple", "cherry")
"""Species of trees along streets."""


def build_street(plan: Street) -> World:
    """The world of a street's plan."""
    generator = np.random.default_rng(plan.style)
    around = _street(plan, generator) if plan.kind == "street" else _parking_lot(plan, generator)
    turn = placed((0.0, 0.0, 0.0), plan.turn)
    bodies = [Body(mesh.moved(turn)) for mesh in around]
    colours = [COLOURS[int(i)] for i in generator.permutation(len(COLOURS))]
    for number, thing in enumerate(plan.placed):
        bottom = (thing.center[0], thing.center[1], thing.low)
        mesh = _thing(thing, colours[number % len(colours)], generator)
        bodies.append(Body(mesh.moved(placed(bottom, thing.yaw)), thing.id))
    return World(
        scene_outdoors(plan.id, plan.placed, plan.floor),
        tuple(bodies),
        walking_floor(plan.walked, list(plan.placed)),
        draw_daylight(generator, plan.turn + np.pi / 2, 0.42 * np.pi),
        (shapely.box(*plan.floor.buffer(6.0).bounds), feet(plan.placed, {"tree": 0.35})),
        lanes=plan.lanes,
    )


def _thing(thing: Placed, colour: tuple[float, float, float], generator: np.random.Generator) -> Mesh:
    if thing.model in PATTERNS:
        return vehicle(thing.model, colour).fitted(thing.size)
    if thing.model == "tree":
        return greenery.tree(generator, thing.size, STREET_TREES[int(generator.integers(len(STREET_TREES)))])
    return fitting(thing.model, thing.size, generator)


def _edging(kind: Kind, whole: tuple[float, float]) -> Mesh:
    """The stones along a pavement."""
    low, high = (GROUNDS[kind].pavement[1] + side for side in EDGING[kind])
    return block((whole[0], low, -0.1), (whole[1], high, 0.012), STONE)


def _street(plan: Street, generator: np.random.Generator) -> list[Mesh]:
    ground, length, corner = GROUNDS["street"], plan.length, CORNER["street"]
    whole, houses = (-corner - 2.0, length + corner + 2.0), (-corner, length + corner)
    paved = draw_surfaces(generator)
    lane, wide = ground.rows[0], (whole[0] - SIDE_ROAD, whole[1] + SIDE_ROAD)
    far = lane[1] + ROAD
    behind = far + 7.0
    found = [
        flat(whole, ground.pavement).papered(paved.walk, paved.walk_size),
        flat(whole, ground.verge).papered(paved.lawn, 2.4),
        block((whole[0], ground.verge[1], -STEP - 0.1), (whole[1], ground.verge[1] + KERB, 0.0), STONE),
        _edging("street", whole),
        flat(wide, (ground.verge[1], far + 0.1), -STEP).papered(paved.road, 3.0),
        block((whole[0], far, -STEP - 0.1), (whole[1], far + KERB, 0.0), STONE),
        flat(whole, (far + KERB, far + 2.2)).papered(paved.walk, paved.walk_size),
        flat(whole, (far + 2.2, behind)).papered(paved.lawn, 2.4),
    ]
    count = int((length - 1.0) // ground.slot)
    first = (length - count * ground.slot) / 2
    slots = [first + ground.slot * n for n in range(count + 1)]
    found += side_roads(paved, whole, -STEP, (ground.verge[1], far), 34.0)
    found.append(street_marks(generator, whole, slots, lane, -STEP))
    found.append(covers_and_drains(generator, whole, (lane[1] + 0.4, far - 0.4), ground.verge[1] + KERB, -STEP))
    if generator.random() < 0.6:
        found.append(greenery.hedge(generator, (whole[0], far + 2.5, -0.1), (whole[1], far + 3.3, 1.1), leaves=24))
    else:
        found.append(fence(generator, houses, far + 2.6))
    covers, style = facades.draw_covers(generator), facades.draw_style(generator)
    found += facades.row_of_houses(generator, *houses, covers=covers, style=style, shops=True)
    across = facades.row_of_houses(generator, *houses, covers=covers, style=facades.draw_style(generator), shops=False)
    found += [mesh.moved(placed((length, behind, 0.0), np.pi)) for mesh in across]
    far_side = far + 22.0
    for x, yaw in ((whole[0] - SIDE_ROAD - 2.0, -np.pi / 2), (whole[1] + SIDE_ROAD + 2.0, np.pi / 2)):
        end = facades.row_of_houses(generator, -30.0, far_side, covers=covers, style=style, shops=False)
        # Along x, which becomes -y or y.
        shift = 0.0 if yaw > 0 else -30.0 + far_side
        found += [mesh.moved(placed((x, shift, 0.0), yaw)) for mesh in end]
    found += greenery.trees(generator, [(float(x), far + 4.6) for x in np.arange(-30, length + 30, 8.5)], (5.0, 9.0))
    return [*found, *greenery.horizon(generator, (length / 2, 8.0))]


def _parking_lot(plan: Street, generator: np.random.Generator) -> list[Mesh]:
    ground, length, corner = GROUNDS["parking-lot"], plan.length, CORNER["parking-lot"]
    whole, houses = (-corner - 2.0, length + corner + 2.0), (-corner, length + corner)
    wide = (whole[0] - SIDE_ROAD, whole[1] + SIDE_ROAD)
    paved = draw_surfaces(generator)
    last = ground.rows[1][1]
    found = [
        flat(houses, ground.pavement).papered(paved.walk, paved.walk_size),
        _edging("parking-lot", houses),
        flat(wide, (ground.pavement[1] + KERB, last)).papered(paved.road, 3.0),
        block((wide[0], last - 0.1, -0.1), (wide[1], last + 0.05, 0.06), STONE),
        flat(wide, (last, last + 22)).papered(paved.lawn, 2.4),
        greenery.hedge(generator, (wide[0], ground.floor + 0.1, -0.1), (wide[1], ground.floor + 0.9, 1.5), leaves=30),
    ]
    for low, high in ((wide[0], houses[0]), (houses[1], wide[1])):
        found.append(flat((low, high), (-30.0, ground.pavement[1] + KERB)).papered(paved.road, 3.0))
    count = int((length - 1.0) // ground.slot)
    first = (length - count * ground.slot) / 2
    paint = []
    for low, high in ground.rows:
        for x in first + ground.slot * np.arange(count + 1):
            paint.append(flat((x - 0.05, x + 0.05), (low + 0.1, high - 0.1), MARK))
    middle = (ground.rows[0][1] + ground.rows[1][0]) / 2
    for x in np.arange(first + 2, length - 2, 8.0):
        paint += _arrow(float(x), middle + 0.6)
    found.append(joined(paint))
    found.append(covers_and_drains(generator, (0.0, length), (middle - 2, middle + 2), None, 0.0))
    for x, row in plan.islands:
        low, high = ground.rows[row]
        half = ground.slot / 2 - 0.2
        rim = block((x - half, low + 0.15, -0.1), (x + half, high - 0.15, 0.05), STONE)
        grown = flat((x - half + 0.12, x + half - 0.12), (low + 0.27, high - 0.27), ISLAND).papered(paved.lawn, 2.4)
        found += [rim, grown]
    covers, style = facades.draw_covers(generator), facades.draw_style(generator)
    found += facades.row_of_houses(generator, *houses, covers=covers, style=style, shops=True)
    behind = facades.row_of_houses(generator, *wide, covers=covers, style=facades.draw_style(generator), shops=False)
    found += [mesh.moved(placed((length, last + 13.0, 0.0), np.pi)) for mesh in behind]
    for x, yaw in ((wide[0] - 1.0, -np.pi / 2), (wide[1] + 1.0, np.pi / 2)):
        end = facades.row_of_houses(generator, -28.0, last + 14.0, covers=covers, style=style, shops=False)
        shift = 0.0 if yaw > 0 else last - 14.0
        found += [mesh.moved(placed((x, shift, 0.0), yaw)) for mesh in end]
    places = [(float(x), last + float(generator.uniform(4, 9))) for x in np.arange(-12, length + 12, 7.0)]
    found += greenery.trees(generator, places, (5.0, 10.0))
    return [*found, *greenery.horizon(generator, (length / 2, 10.0))]


def _arrow(x: float, y: float) -> list[Mesh]:
    """An arrow on the road, along +x."""
    head = np.array([[[x + 1.6, y - 0.35, MARK], [x + 2.5, y, MARK], [x + 1.6, y + 0.35, MARK], [x + 1.6, y, MARK]]])
    return [flat((x, x + 1.6), (y - 0.08, y + 0.08), MARK), quads(head, WHITE)]


OUTDOOR_SHAPES: tuple[str, ...] = (*KINDS, *OPEN_KINDS)
"""Shapes of places without a roof."""


def outdoor_place(shape: str, identity: str, seed: str, objects: int = 26) -> tuple[World, tuple[str, ...]]:
    """Make a world of one of the OUTDOOR_SHAPES, and notes of requested things that didn't fit.

    Args:
        shape: which.
        identity: the scene's id.
        seed: of all that is drawn.
        objects: how many things are asked for.

    Raises:
        UsageError: there is no such shape.
    """
    for kind in KINDS:
        if shape == kind:
            street = draw_street(identity, seed, kind=kind, objects=objects)
            return build_street(street), street.notes
    if shape not in OPEN_KINDS:
        raise UsageError(f"'{shape}' is no shape outdoors; known: {', '.join(OUTDOOR_SHAPES)}.")
    draw = draw_park if shape == "park" else draw_courtyard
    place = draw(identity, seed, objects=objects)
    return build_open_place(place), place.notes
