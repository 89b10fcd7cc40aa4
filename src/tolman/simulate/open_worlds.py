"""A park or a courtyard as a world: its ground, its things, and its surroundings.

The buildings around a courtyard have windows in their fronts where the plan has no doors and no balconies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely
from numpy.typing import ArrayLike
from shapely import Polygon

from tolman.geometry.boxes import Floats
from tolman.scenes import Scene
from tolman.simulate import facades, greenery, textures
from tolman.simulate.facades import STYLES, Covers, draw_roof
from tolman.simulate.fittings import SIZES, fitting
from tolman.simulate.mesh import (
    REVEAL,
    Masonry,
    Mesh,
    Texture,
    WallOpening,
    block,
    flat_shaded,
    joined,
    placed,
    quads,
    turned,
)
from tolman.simulate.openings import DOORS, GLASS_SHINE, draw_glazing, fill, leaf, window
from tolman.simulate.parks_and_courtyards import (
    GROUND_FLOOR,
    LAYER,
    SIDES,
    STOREY,
    Area,
    OpenPlace,
    bays,
    wall_length,
    wall_point,
)
from tolman.simulate.placing import walking_floor
from tolman.simulate.plan import Placed, counts_of, rectangle, turn_things
from tolman.simulate.room_shells import rectangle_from
from tolman.simulate.world import Body, Lane, World, draw_daylight, rounded
from tolman.simulate.yard_things import yard_thing

Kind = Literal["street", "parking-lot"]
KINDS: tuple[Kind, ...] = ("street", "parking-lot")
STEP = 0.12
"""Metres by which a street lies below its pavement."""
KERB = 0.15
ISLAND = 0.056
"""Height of the planted islands on a parking lot, metres."""


@dataclass(frozen=True)
class GroundStrips:
    """Strips of ground along x, each from its first to its second y, in metres. Houses are at y < 0.

    Attributes:
        pavement: along the houses.
        verge: grass.
        rows: of parked vehicles.
        slot: metres along x for each vehicle.
        base: height of the rows.
        floor: up to which y the scene reaches.
        walked: up to which y people walk.
    """

    pavement: tuple[float, float]
    verge: tuple[float, float]
    rows: tuple[tuple[float, float], ...]
    slot: float
    base: float
    floor: float
    walked: float


GROUNDS: dict[Kind, GroundStrips] = {
    "street": GroundStrips((0.0, 2.5), (2.5, 5.2), ((5.35, 7.6),), 5.6, -STEP, 7.6, 5.2),
    "parking-lot": GroundStrips((0.0, 2.8), (19.05, 20.3), ((2.95, 8.0), (14.0, 19.05)), 2.65, 0.0, 20.3, 19.05),
}
EDGING: dict[Kind, tuple[float, float]] = {"street": (-0.05, 0.05), "parking-lot": (0.0, KERB)}
"""From where to where the stones along a pavement reach, metres from its edge."""
BIKE_LANE, CAR_LANE = 1.3, 3.0
"""Widths of a street's lanes, metres: a bicycle lane, two lanes for cars, a bicycle lane."""
ROAD = 2 * (BIKE_LANE + CAR_LANE)
"""Metres from the parked vehicles to the other side of a street."""
CORNER: dict[Kind, float] = {"street": 33.0, "parking-lot": 12.0}
"""Metres from the ends of a place to the corners of its houses, behind which roads lead away."""
SIDE_ROAD = 7.0


def street_lanes(kind: Kind, length: float) -> tuple[Lane, ...]:
    """Rounds: along the street or across the lot, and back out of sight, behind the houses."""
    out = CORNER[kind] + 2.0
    if kind == "street":
        edge = GROUNDS["street"].rows[0][1]
        near, far = edge + BIKE_LANE + CAR_LANE / 2, edge + BIKE_LANE + 1.5 * CAR_LANE

        def around(aside: float) -> list[tuple[float, float]]:
            # Counter-clockwise in plan; `aside` is to the right of those who drive.
            y0, y1 = near - aside, far + aside
            inner, outer = out + 1.75 - aside, out + 5.25 + aside
            back = -18.0 - aside
            right = [(length + inner, y0), (length + inner, back), (length + outer, back), (length + outer, y1)]
            return [(-inner, y0), *right, (-outer, y1), (-outer, back), (-inner, back)]

        cycle = CAR_LANE / 2 + BIKE_LANE / 2
        return (
            Lane("car", rounded(around(0.0), 3.6), GROUNDS["street"].base, (4.0, 8.0)),
            Lane("bicycle", rounded(around(cycle), 2.4), GROUNDS["street"].base, (3.0, 5.0)),
        )
    rows = GROUNDS["parking-lot"].rows
    low, high = rows[0][1], rows[1][0]

    def loop(y: float, aside: float) -> list[tuple[float, float]]:
        return rectangle_from(-out - 2.5 + aside, y, length + out + 2.5 - aside, -14.0 + aside)

    return (
        Lane("car", rounded(loop((low + high) / 2 + 0.6, 0.0), 4.0), 0.0, (3.0, 5.0)),
        Lane("bicycle", rounded(loop(low + 0.95, 1.7), 2.0), 0.0, (3.0, 4.5)),
    )


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
    road = textures.road(generator, np.array([0.36, 0.36, 0.37]) * generator.uniform(0.8, 1.25))
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
        return textures.herringbone(generator, red if generator.random() < 0.6 else grey), 0.9
    if kind == 3:
        return textures.cobbles(generator, grey * 0.92), 1.4
    return textures.tiles(generator, grey, across=5), 2.0


def draw_lawn(generator: np.random.Generator) -> Texture:
    """A lawn, greener or drier."""
    green = np.array([0.36, 0.44, 0.21]) + generator.uniform(-0.03, 0.04, 3) * (1, 1, 0.5)
    return textures.meadow(generator, green)


MARK = 0.004
"""Height of paint above the road: less, and the two flicker at a distance."""
WHITE = (0.84, 0.84, 0.82)
STONE = (0.62, 0.61, 0.58)


def flat(x: tuple[float, float], y: tuple[float, float], z: float = 0.0, colour: ArrayLike = WHITE) -> Mesh:
    """A level rectangle."""
    corners = [[x[0], y[0], z], [x[1], y[0], z], [x[1], y[1], z], [x[0], y[1], z]]
    return quads(np.array([corners], dtype=np.float64), colour)


def street_marks(
    generator: np.random.Generator,
    whole: tuple[float, float],
    slots: Sequence[float],
    row: tuple[float, float],
    base: float,
) -> Mesh:
    """Lines: of parking places, along bicycle lanes, between the two directions."""
    z, edge = base + MARK, row[1]
    paint = [flat((x - 0.05, x + 0.05), row, z) for x in slots]
    paint.append(flat((slots[0], slots[-1]), (edge, edge + 0.1), z))
    middle = edge + BIKE_LANE + CAR_LANE
    dash, gap = [(2.0, 3.0), (3.0, 3.0), (1.5, 1.5)][int(generator.integers(3))]
    paint += [flat((x, x + dash), (middle - 0.06, middle + 0.06), z) for x in np.arange(*whole, dash + gap)]
    for y in (edge + BIKE_LANE, middle + CAR_LANE):
        paint += [flat((x, x + 1.0), (y - 0.05, y + 0.05), z) for x in np.arange(*whole, 2.0)]
    if generator.random() < 0.4:
        red = np.array([0.5, 0.27, 0.22])
        for y in (edge + 0.1, middle + CAR_LANE + 0.05):
            paint.append(flat(whole, (y, y + BIKE_LANE - 0.15), base + MARK / 2, red))
    return joined(paint)


def side_roads(
    surfaces: Surfaces, whole: tuple[float, float], base: float, road: tuple[float, float], reach: float
) -> list[Mesh]:
    """Roads across both ends of a street, with the pavements along them."""
    found = []
    low, high = road[0] - reach, road[1] + reach
    for inner, way in ((whole[0], -1.0), (whole[1], 1.0)):
        outer = inner + way * SIDE_ROAD
        span = (min(inner, outer), max(inner, outer))
        for y in ((low, road[0]), (road[1] + 0.1, high)):
            found.append(flat(span, y, base).papered(surfaces.road, 3.0))
        for start, end in ((low, road[0] + KERB), (road[1], high)):
            a, b = sorted((inner, inner - way * KERB))
            found.append(block((a, start, base - 0.1), (b, end, 0.0), STONE))
        a, b = sorted((outer, outer + way * KERB))
        found.append(block((a, low, base - 0.1), (b, high, 0.0), STONE))
        beyond = sorted((outer + way * KERB, outer + way * 2.0))
        found.append(flat((beyond[0], beyond[1]), (low, high)).papered(surfaces.walk, surfaces.walk_size))
        beside = sorted((inner - way * KERB, inner - way * 2.0))
        found.append(flat((beside[0], beside[1]), (low, 0.0)).papered(surfaces.walk, surfaces.walk_size))
        found.append(flat((beside[0], beside[1]), (road[1] + 7.0, high)).papered(surfaces.walk, surfaces.walk_size))
    return found


def covers_and_drains(
    generator: np.random.Generator,
    along: tuple[float, float],
    across: tuple[float, float],
    kerb: float | None,
    base: float,
) -> Mesh:
    """Make round covers in the road, and drains next to a kerb."""
    iron = np.array([0.2, 0.2, 0.21])
    parts = []
    for _ in range(4):
        x, y = float(generator.uniform(*along)), float(generator.uniform(*across))
        lid = turned([(0.31, 0.0), (0.27, 0.001), (0.0005, 0.0015)], iron, 20)
        parts.append(lid.moved(placed((x, y, base + MARK))))
    for x in np.arange(along[0] + 4, along[1], 14.0) if kerb is not None else ():
        low = (kerb or 0.0) + 0.02
        parts.append(flat((x, x + 0.45), (low, low + 0.32), base + MARK / 2, iron * 0.7))
        for y in np.linspace(low + 0.03, low + 0.26, 5):
            parts.append(flat((x + 0.03, x + 0.42), (y, y + 0.03), base + MARK, iron * 1.5))
    return joined(parts)


def fence(generator: np.random.Generator, span: tuple[float, float], y: float, high: float = 1.0) -> Mesh:
    """A fence along x: iron bars, or boards."""
    made = Masonry()
    if generator.random() < 0.5:
        tone = np.array([0.1, 0.11, 0.11])
        for z in (0.15, high - 0.1):
            made.box((span[0], y - 0.015, z), (span[1], y + 0.015, z + 0.03), tone)
        for x in np.arange(*span, 0.16):
            made.box((x - 0.01, y - 0.01, -0.05), (x + 0.01, y + 0.01, high), tone)
    else:
        tone = np.array([(0.88, 0.87, 0.83), (0.45, 0.33, 0.23)][int(generator.integers(2))])
        for z in (0.2, high - 0.3):
            made.box((span[0], y - 0.03, z), (span[1], y, z + 0.08), tone * 0.9)
        for x in np.arange(*span, 0.14):
            made.box((x - 0.045, y, -0.05), (x + 0.045, y + 0.02, high), tone)
    return made.mesh()


_DEEP = 7.0
"""Metres from a court's wall to the building's back."""


def court_fronts(generator: np.random.Generator, plan: OpenPlace, covers: Covers) -> list[Mesh]:
    """Make the buildings on the closed sides of a courtyard, and the view over the wall of an open one."""
    things = turn_things(plan.placed, -plan.turn)
    name = ("terrace", "old town", "modern")[int(generator.integers(3))]
    found = []
    for side, storeys in zip(plan.closed, plan.storeys, strict=True):
        x, y, yaw = wall_point(plan.size, side, 0.0, 0.0)
        style = name if generator.random() < 0.75 else "terrace"
        front = _front(generator, plan, covers, style, side, storeys, things)
        found.append(front.moved(placed((x, y, 0.0), yaw)))
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
    things: Sequence[Placed],
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
    openings = [_door_frame(made, at, trim) for at in doors]
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
    """Make the frame around a door's leaf."""
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
        barrier = fence(generator, (0.0, length), -0.06, 1.4)
    else:
        barrier = greenery.hedge(generator, (0.0, -0.8, -0.05), (length, -0.08, 1.6), leaves=45)
    ground = flat((-30.0, length + 30.0), (-16.0, -0.9), -0.12, (0.3, 0.3, 0.31))
    row = facades.row_of_houses(generator, -26.0, length + 26.0, covers=covers, style=name, shops=False)
    beyond = [mesh.moved(placed((0.0, -16.0, 0.0))) for mesh in row]
    places = [(float(x), -11.0) for x in np.arange(-20.0, length + 20.0, 9.0)]
    return [barrier, ground, *beyond, *greenery.trees(generator, places, (5.0, 9.0))]


_AROUND = 2.0
"""Metres by which the ground of a park goes on beyond its floor."""


def build_open_place(plan: OpenPlace) -> World:
    """The world of a park's or a courtyard's plan."""
    generator = np.random.default_rng(plan.style)
    around = _park(plan, generator) if plan.kind == "park" else _courtyard(plan, generator)
    turn = placed((0.0, 0.0, 0.0), plan.turn)
    bodies = [Body(mesh.moved(turn)) for mesh in around]
    for thing in plan.placed:
        bottom = (thing.center[0], thing.center[1], thing.low)
        bodies.append(Body(_thing(thing, generator).moved(placed(bottom, thing.yaw)), thing.id))
    floor = plan.floor
    low = [thing for thing in plan.placed if thing.low < 1.0 and thing.category != "door"]
    return World(
        scene_outdoors(plan.id, plan.placed, floor),
        tuple(bodies),
        walking_floor(floor, low),
        draw_daylight(generator, plan.turn, np.pi),
        (
            floor if plan.kind == "courtyard" else shapely.box(*floor.buffer(6.0).bounds),
            feet(low, {"tree": 0.3, "patio umbrella": 0.3}),
        ),
        lanes=(plan.round,),
    )


def scene_outdoors(identity: str, things: Sequence[Placed], floor: Polygon) -> Scene:
    """The truth of a place without a roof."""
    middle = shapely.centroid(floor)
    return Scene(
        id=identity,
        dataset=identity.split("/")[0],
        objects=tuple(thing.scene_object for thing in things),
        counts=counts_of(things),
        room_center=(float(middle.x), float(middle.y), 1.0),
        floor=(tuple((float(x), float(y)) for x, y in shapely.get_coordinates(floor.exterior)[:-1]),),
    )


def feet(things: Sequence[Placed], slender: Mapping[str, float]) -> tuple[Polygon, ...]:
    """The footprints of things on the ground; of what is on a pole or trunk, only that, so wide."""
    sizes = [(thing, slender.get(thing.category)) for thing in things]
    return tuple(
        shapely.Polygon(rectangle(thing.center[:2], thing.yaw, *((wide, wide) if wide else thing.size[:2])))
        for thing, wide in sizes
    )


def _thing(thing: Placed, generator: np.random.Generator) -> Mesh:
    if thing.category == "tree":
        return greenery.tree(generator, thing.size, thing.model.partition(":")[2])
    if thing.category == "door":
        return door_leaf(generator, thing.size)
    if thing.category == "balcony":
        return balcony(generator, thing.size)
    if thing.model in SIZES:
        return fitting(thing.model, thing.size, generator)
    return yard_thing(thing.model, thing.size, generator)


def _cover(area: Area, texture: Texture, size: float) -> Mesh:
    """An area of the ground as a mesh."""
    z = area.layer * LAYER
    outline = np.column_stack([area.outline, np.full(len(area.outline), z)])
    if area.ring:
        outer, inner = np.split(outline, 2)
        corners = np.stack([outer, np.roll(outer, -1, axis=0), np.roll(inner, -1, axis=0), inner], axis=1)
        return quads(corners).papered(texture, size)
    middle = np.tile(outline.mean(0), (len(outline), 1))
    return flat_shaded(np.stack([middle, outline, np.roll(outline, -1, axis=0)], axis=1)).papered(texture, size)


def _flagged(generator: np.random.Generator, areas: tuple[Area, ...], lawn: Texture) -> list[Mesh]:
    """The areas of a place, each cover of one material."""
    tan = np.array([0.72, 0.63, 0.5]) * generator.uniform(0.85, 1.1)
    kind = int(generator.integers(3))
    if kind == 0:
        path: tuple[Texture, float] = (textures.gravel(generator, tan), 1.0)
    elif kind == 1:
        path = (textures.road(generator, np.array([0.46, 0.45, 0.44])), 3.0)
    else:
        path = draw_paving(generator)
    covers: dict[str, tuple[Texture, float]] = {
        "path": path,
        "plaza": draw_paving(generator),
        "lawn": (lawn, 2.4),
        "gravel": (textures.gravel(generator, tan), 1.0),
    }
    soft = textures.soil(generator, np.array([0.5, 0.34, 0.22]))
    if generator.random() < 0.4:
        soft = textures.sand(generator, np.array([0.82, 0.72, 0.54]))
    covers["bark"] = (soft, 1.6)
    return [_cover(area, *covers[area.cover]) for area in areas]


def _park(plan: OpenPlace, generator: np.random.Generator) -> list[Mesh]:
    """Lawn and paths, a hedge or a fence around, trees and houses beyond."""
    width, depth = plan.size
    lawn = draw_lawn(generator)
    out = 14.0
    found = [flat((-out, width + out), (-out, depth + out)).papered(lawn, 2.4)]
    found += _flagged(generator, plan.areas, lawn)
    covers, style = facades.draw_covers(generator), facades.draw_style(generator)
    hedged = bool(generator.random() < 0.6)
    for x, y, yaw, length in _sides(plan.size, _AROUND):
        span = (-_AROUND, length + _AROUND)
        if hedged:
            high = float(generator.uniform(0.9, 1.4))
            one = greenery.hedge(generator, (span[0], -0.4, -0.05), (span[1], 0.4, high), leaves=30)
        else:
            one = fence(generator, span, 0.0)
        found.append(one.moved(placed((x, y, 0.0), yaw)))
    sides = generator.permutation(4)[: int(generator.integers(1, 4))].tolist()
    for number, (x, y, yaw, length) in enumerate(_sides(plan.size, out + 8)):
        if number in sides:
            row = facades.row_of_houses(generator, -24.0, length + 24.0, covers=covers, style=style, shops=False)
            found += [mesh.moved(placed((x, y, -0.1), yaw)) for mesh in row]
    found += greenery.trees(generator, _scattered(generator, plan.size, out), (6.0, 12.0))
    return [*found, *greenery.horizon(generator, (width / 2, depth / 2))]


def _sides(size: tuple[float, float], away: float) -> list[tuple[float, float, float, float]]:
    """Fronts around a place, so far off: origin, yaw and length of each."""
    width, depth = size
    return [
        (0.0, -away, 0.0, width),
        (width + away, 0.0, np.pi / 2, depth),
        (width, depth + away, np.pi, width),
        (-away, depth, -np.pi / 2, depth),
    ]


def _scattered(generator: np.random.Generator, size: tuple[float, float], out: float) -> list[tuple[float, float]]:
    """Places around a park, far enough off that no crown reaches into it."""
    found: list[tuple[float, float]] = []
    for _ in range(400):
        x, y = generator.uniform((-out, -out), np.array(size) + out)
        away = max(-x, x - size[0], -y, y - size[1])
        if away > 5.5 and all(np.hypot(x - a, y - b) > 4.2 for a, b in found):
            found.append((float(x), float(y)))
    return found[: int(generator.integers(16, 27))]


def _courtyard(plan: OpenPlace, generator: np.random.Generator) -> list[Mesh]:
    """Paving, buildings on the closed sides, a wall and a street on an open one."""
    width, depth = plan.size
    paving, size = draw_paving(generator)
    lawn = draw_lawn(generator)
    found = [flat((-1.0, width + 1.0), (-1.0, depth + 1.0)).papered(paving, size)]
    found += _flagged(generator, plan.areas, lawn)
    covers = facades.draw_covers(generator)
    found += court_fronts(generator, plan, covers)
    return [*found, *greenery.horizon(generator, (width / 2, depth / 2))]
