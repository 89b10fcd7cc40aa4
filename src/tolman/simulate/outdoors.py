"""A street or a parking lot as a world: ground, kerbs, markings, houses, hedges, and what stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tolman.scenes import Scene
from tolman.simulate import fronts, greenery, textures
from tolman.simulate.fittings import fitting
from tolman.simulate.mesh import Mesh, Texture, block, joined, placed, quads
from tolman.simulate.placing import walking_floor
from tolman.simulate.plan import Placed, rectangle
from tolman.simulate.street import EDGING, GROUNDS, ISLAND, KERB, STEP, Kind, Street
from tolman.simulate.vehicles import COLOURS, PATTERNS, vehicle
from tolman.simulate.world import Body, Light, World

if TYPE_CHECKING:
    from shapely import Polygon

_WHITE = (0.84, 0.84, 0.82)
_STONE = (0.66, 0.65, 0.62)
_AHEAD = 42.0
"""Metres by which the surroundings go on at both ends."""
_MARK = 0.004
"""Height of paint above the road: less, and the two flicker at a distance."""


def build_street(plan: Street) -> World:
    """The world of a street's plan."""
    import shapely

    generator = np.random.default_rng(plan.style)
    around = _street(plan, generator) if plan.kind == "street" else _parking_lot(plan, generator)
    turn = placed((0.0, 0.0, 0.0), plan.turn)
    bodies = [Body(mesh.moved(turn)) for mesh in around]
    colours = [COLOURS[int(i)] for i in generator.permutation(len(COLOURS))]
    for number, thing in enumerate(plan.placed):
        bottom = (thing.center[0], thing.center[1], thing.low)
        mesh = _thing(thing, colours[number % len(colours)], generator)
        bodies.append(Body(mesh.moved(placed(bottom, thing.yaw)), thing.id))
    ring = tuple((float(x), float(y)) for x, y in shapely.get_coordinates(plan.floor.exterior)[:-1])
    middle = shapely.centroid(plan.floor)
    scene = Scene(
        id=plan.id,
        dataset=plan.id.split("/")[0],
        objects=tuple(thing.scene_object for thing in plan.placed),
        counts=plan.counts,
        room_center=(float(middle.x), float(middle.y), 1.0),
        floor=(ring,),
    )
    standing = tuple(_foot(thing) for thing in plan.placed)
    return World(
        scene,
        tuple(bodies),
        walking_floor(plan.walked, list(plan.placed)),
        _sun(plan, generator),
        (shapely.box(*plan.floor.buffer(6.0).bounds), standing),
    )


def _sun(plan: Street, generator: np.random.Generator) -> Light:
    """A low sun from across the street: fronts are bright, and shadows fall on the pavement."""
    angle = plan.turn + float(generator.uniform(0.25, 0.75)) * np.pi
    toward = np.array([np.cos(angle), np.sin(angle), float(generator.uniform(0.75, 1.15))])
    toward /= np.linalg.norm(toward)
    return Light(
        toward=(float(toward[0]), float(toward[1]), float(toward[2])),
        sun=(1.02, 0.94, 0.82),
        sky=(0.46, 0.52, 0.62),
        ground=(0.26, 0.25, 0.23),
        background=(0.36, 0.58, 0.88),
        horizon=(0.78, 0.87, 0.95),
    )


def _foot(thing: Placed) -> Polygon:
    """Footprint of a thing on the ground."""
    import shapely

    width, depth = (0.35, 0.35) if thing.category == "tree" else thing.size[:2]
    return shapely.Polygon(rectangle(thing.center[:2], thing.yaw, width, depth))


def _thing(thing: Placed, colour: tuple[float, float, float], generator: np.random.Generator) -> Mesh:
    if thing.model in PATTERNS:
        return vehicle(thing.model, colour).fitted(thing.size)
    if thing.model == "tree":
        return greenery.tree(generator, thing.size)
    return fitting(thing.model, thing.size, generator)


def _flat(x: tuple[float, float], y: tuple[float, float], z: float = 0.0, colour: ArrayLike = _WHITE) -> Mesh:
    corners = [[x[0], y[0], z], [x[1], y[0], z], [x[1], y[1], z], [x[0], y[1], z]]
    return quads(np.array([corners], dtype=np.float64), colour)


def _edging(kind: Kind, whole: tuple[float, float]) -> Mesh:
    """The stones along a pavement."""
    low, high = (GROUNDS[kind].pavement[1] + side for side in EDGING[kind])
    return block((whole[0], low, -0.1), (whole[1], high, 0.012), _STONE)


def _street(plan: Street, generator: np.random.Generator) -> list[Mesh]:
    ground, length = GROUNDS["street"], plan.length
    whole = (-_AHEAD, length + _AHEAD)
    slabs, lawn, tar = _materials(generator)
    lane = ground.rows[0]
    far = lane[1] + 6.2
    found = [
        _flat(whole, ground.pavement).papered(slabs, 2.0),
        _flat(whole, ground.verge).papered(lawn, 2.4),
        block((whole[0], ground.verge[1], -STEP - 0.1), (whole[1], ground.verge[1] + KERB, 0.0), _STONE),
        _edging("street", whole),
        _flat(whole, (ground.verge[1], far + 0.1), -STEP).papered(tar, 2.5),
        block((whole[0], far, -STEP - 0.1), (whole[1], far + KERB, 0.0), _STONE),
        _flat(whole, (far + KERB, far + 2.2)).papered(slabs, 2.0),
        _flat(whole, (far + 2.2, far + 16)).papered(lawn, 2.4),
    ]
    paint = [_flat((x, x + 2.0), (far - 3.16, far - 3.04), -STEP + _MARK) for x in np.arange(whole[0], whole[1], 5.0)]
    count = int((length - 1.0) // ground.slot)
    first = (length - count * ground.slot) / 2
    for x in first + ground.slot * np.arange(count + 1):
        paint.append(_flat((x - 0.05, x + 0.05), (lane[0], lane[1]), -STEP + _MARK))
    paint.append(_flat((first, first + count * ground.slot), (lane[1], lane[1] + 0.1), -STEP + _MARK))
    found.append(joined(paint))
    found.append(greenery.hedge(generator, (whole[0], far + 2.5, -0.1), (whole[1], far + 3.3, 1.1), leaves=28))
    found += fronts.row_of_houses(generator, *whole, shops=True)
    across = fronts.row_of_houses(generator, *whole, shops=False)
    found += [mesh.moved(placed((length, far + 7.0, 0.0), np.pi)) for mesh in across]
    for x, yaw in ((whole[0] - 0.5, -np.pi / 2), (whole[1] + 0.5, np.pi / 2)):
        end = fronts.row_of_houses(generator, -24, 24, shops=False)
        found += [mesh.moved(placed((x, 8.0, 0.0), yaw)) for mesh in end]
    return found


def _parking_lot(plan: Street, generator: np.random.Generator) -> list[Mesh]:
    ground, length = GROUNDS["parking-lot"], plan.length
    whole = (-_AHEAD / 2, length + _AHEAD / 2)
    slabs, lawn, tar = _materials(generator)
    last = ground.rows[1][1]
    found = [
        _flat(whole, ground.pavement).papered(slabs, 2.0),
        _edging("parking-lot", whole),
        _flat(whole, (ground.pavement[1] + KERB, last)).papered(tar, 2.5),
        block((whole[0], last - 0.1, -0.1), (whole[1], last + 0.05, 0.06), _STONE),
        _flat(whole, (last, last + 22)).papered(lawn, 2.4),
        greenery.hedge(generator, (whole[0], ground.floor + 0.1, -0.1), (whole[1], ground.floor + 0.9, 1.5), leaves=34),
    ]
    count = int((length - 1.0) // ground.slot)
    first = (length - count * ground.slot) / 2
    paint = []
    for low, high in ground.rows:
        for x in first + ground.slot * np.arange(count + 1):
            paint.append(_flat((x - 0.05, x + 0.05), (low + 0.1, high - 0.1), _MARK))
    middle = (ground.rows[0][1] + ground.rows[1][0]) / 2
    for x in np.arange(first + 2, length - 2, 8.0):
        paint += _arrow(float(x), middle)
    found.append(joined(paint))
    for x, row in plan.islands:
        low, high = ground.rows[row]
        half = ground.slot / 2 - 0.2
        rim = block((x - half, low + 0.15, -0.1), (x + half, high - 0.15, 0.05), _STONE)
        grown = _flat((x - half + 0.12, x + half - 0.12), (low + 0.27, high - 0.27), ISLAND).papered(lawn, 2.4)
        found += [rim, grown]
    found += fronts.row_of_houses(generator, *whole, shops=True)
    behind = fronts.row_of_houses(generator, *whole, shops=False)
    found += [mesh.moved(placed((length, last + 13.0, 0.0), np.pi)) for mesh in behind]
    for x, yaw in ((whole[0] - 0.5, -np.pi / 2), (whole[1] + 0.5, np.pi / 2)):
        end = fronts.row_of_houses(generator, -20, 20, shops=False)
        found += [mesh.moved(placed((x, 13.0, 0.0), yaw)) for mesh in end]
    return found


def _arrow(x: float, y: float) -> list[Mesh]:
    """An arrow on the road, along +x."""
    head = np.array(
        [[[x + 1.6, y - 0.35, _MARK], [x + 2.5, y, _MARK], [x + 1.6, y + 0.35, _MARK], [x + 1.6, y, _MARK]]]
    )
    return [_flat((x, x + 1.6), (y - 0.08, y + 0.08), _MARK), quads(head, _WHITE)]


def _materials(generator: np.random.Generator) -> tuple[Texture, Texture, Texture]:
    """Slabs, a lawn and tar."""
    return (
        textures.paving(generator, np.array([0.66, 0.63, 0.59]) * generator.uniform(0.9, 1.08)),
        textures.grass(generator, np.array([0.36, 0.47, 0.2]) * generator.uniform(0.9, 1.05)),
        textures.asphalt(generator, np.array([0.3, 0.3, 0.31]) * generator.uniform(0.9, 1.2)),
    )
