"""The furniture of a room, in the order in which it is placed, and the furnished shell as a world.

A world has floors, walls with their openings, ceilings and furniture.
"""

from __future__ import annotations

import copy
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import shapely

from tolman.geometry.boxes import Floats
from tolman.scenes import Scene, Vector
from tolman.simulate import textures
from tolman.simulate.dressing import Dressing
from tolman.simulate.furniture import FurnitureSource
from tolman.simulate.lighting import BakedLight
from tolman.simulate.mesh import Mesh, block, flat_shaded, joined, placed, quads
from tolman.simulate.placing import walking_floor
from tolman.simulate.plan import FRAME, RECESS, FloorLayout, Placed, counts_of
from tolman.simulate.room_shells import INNER, Wall
from tolman.simulate.world import Body, Light, World

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry
from collections.abc import Sequence

from tolman.simulate.furniture import Furniture
from tolman.simulate.placing import GAP, Placing, Spot
from tolman.simulate.plan import turned
from tolman.simulate.room_contents import MOST_PER_AREA, RoomType, home_types, room_types
from tolman.simulate.room_shells import Room, Shape, draw_home, draw_shell
from tolman.simulate.twins import KINDS, SIDE, TwinThings, things_for_twins

_RUG = 0.008
"""Thickness in metres. Less flickers at a distance; people walk over it as over the floor."""
_RUG_MARGIN = 0.7
"""Metres by which a rug reaches beyond its table, so that chairs stand on it with all legs."""
HOME_SHARE = 0.4
"""Things in each room of a home for each thing that is asked for in a place."""
_NEAR_WALLS = 0.93
"""Share of what stands anywhere on the floor that stands near a wall."""
MOST_OF_KINDS = 12
"""Other things in a room whose twins differ in the numbers of three kinds: these are up to sixteen more."""
LIT_AREA = 13.0
"""Square metres of floor for each lamp under the ceiling."""
_FITTED = frozenset({"kitchen counter", "stove", "dishwasher", "refrigerator"})
"""What stands in a row in kitchens with counters."""
_ACCESS = {"wall": 0.55, "desk": 0.9}


def draw_plan(
    identity: str,
    shape: Shape,
    seed: str,
    library: FurnitureSource,
    *,
    objects: int = 22,
    twins: int = 1,
    differ: str = SIDE,
    area: float | None = None,
) -> FloorLayout:
    """Draw a furnished shell.

    Args:
        identity: the scene's id.
        shape: of the shell.
        seed: of all that is drawn.
        library: the furniture.
        objects: the most things, doors and windows apart; in a home more, by its rooms.
        twins: how many the room is to have, `FloorLayout.twins`.
        differ: the property in which they differ, of `twins.DIFFERENCES`.
        area: of the floor, square metres; None for a usual one. Not for homes.
    """
    generator = np.random.default_rng(np.frombuffer(seed.encode(), dtype=np.uint8))
    if twins > 1 and differ == KINDS:
        objects = min(objects, MOST_OF_KINDS)
    types = room_types()
    drawn = [types[int(i)] for i in generator.permutation(len(types))]
    if shape == "home":
        shell = draw_home(generator)
        objects = round(objects * len(shell.rooms) * HOME_SHARE)
        sizes, ends = [room.polygon.area for room in shell.rooms], [room.is_end for room in shell.rooms]
        drawn = home_types(sizes, ends, types, generator)
    else:
        size = float(generator.uniform(*drawn[0].size)) if shape != "two-rooms" else 1.0
        if area is not None:
            size *= float(np.sqrt(area / draw_shell(shape, copy.deepcopy(generator), size=size).floor.area))
        shell = draw_shell(shape, generator, size=size)
    placing = Placing(shell, generator, library)
    pieces = [piece for piece in library.usable() if piece.habit == "hung" or library.stands(piece)]
    drawn = drawn[: len(shell.rooms)]
    areas = np.array([room.polygon.area for room in shell.rooms])
    shares = np.round(objects * areas / areas.sum()).astype(int)
    notes: list[str] = []
    # Each category is one room's own, so that what is unique in its room is unique in the scene.
    taken: set[str] = set()
    # Kitchens come first: their counters rule out other things that some people call cabinets.
    rooms = sorted(zip(shell.rooms, drawn, shares, strict=True), key=lambda own: own[1].name != "kitchen")
    for room, kind, share in rooms:
        missing = _furnish(placing, room, kind, int(share), pieces, taken)
        notes += [f"no room for {count} more {category}" for category, count in missing.items()]
    style = int(generator.integers(1 << 30))
    themes, lamps = tuple(kind.name for kind in drawn), tuple(_lamps(room) for room in shell.rooms)
    differing = things_for_twins(placing, twins, differ) if twins > 1 else TwinThings()
    if twins > 1 and not differing.own:
        notes.append(f"nothing can differ among {twins} twins by its {differ}")
    plan = FloorLayout(identity, themes, shell, tuple(placing.placed), tuple(notes), style, lamps)
    plan = replace(plan, twins=differing.own, shared=differing.shared)
    return turned(plan, float(generator.uniform(-np.pi, np.pi)))


def _furnish(
    placing: Placing, room: Room, kind: RoomType, objects: int, pieces: Sequence[Furniture], taken: set[str]
) -> dict[str, int]:
    """Fill a room; return the number of things that didn't fit, by category."""
    generator = placing.generator
    by_category: dict[str, list[Furniture]] = {}
    for piece in pieces:
        if piece.habit != "never" and piece.category not in taken:
            by_category.setdefault(piece.category, []).append(piece)
    most = min(objects, round(MOST_PER_AREA * room.polygon.area))
    wanted = kind.wanted(most, by_category, generator, taken)
    taken.update(wanted)
    models = {name: _drawn(by_category[name], generator) for name in wanted}
    missing: dict[str, int] = {}
    for name in sorted(wanted, key=lambda category: _turn(models[category])):
        put = sum(_put(placing, room, models[name]) is not None for _ in range(wanted[name]))
        if put < wanted[name]:
            missing[name] = wanted[name] - put
    return missing


def _lamps(room: Room) -> tuple[tuple[float, float], ...]:
    """Return the places of lamps: one for each so many square metres, in a row along a room."""
    polygon = room.polygon
    low_x, low_y, high_x, high_y = polygon.bounds
    count = max(1, round(polygon.area / LIT_AREA))
    found = []
    for number in range(count):
        begin, end = number / count, (number + 1) / count
        if high_x - low_x >= high_y - low_y:
            part = (low_x + begin * (high_x - low_x), low_y, low_x + end * (high_x - low_x), high_y)
        else:
            part = (low_x, low_y + begin * (high_y - low_y), high_x, low_y + end * (high_y - low_y))
        own = polygon.intersection(shapely.box(*part))
        middle = own.centroid if own.contains(own.centroid.buffer(0.3)) else own.representative_point()
        found.append((float(middle.x), float(middle.y)))
    return tuple(found)


def _drawn(pieces: Sequence[Furniture], generator: np.random.Generator) -> Furniture:
    """One of the pieces of a category, by their weights."""
    weights = np.array([piece.weight for piece in pieces])
    if (weights == weights[0]).all():
        return pieces[int(generator.integers(len(pieces)))]
    return pieces[int(np.searchsorted(weights.cumsum() / weights.sum(), generator.random(), side="right"))]


def _turn(piece: Furniture) -> tuple[int, float, str]:
    """Sort large things first, and things that belong to others after them."""
    order = ("bedside", "chair", "seat", "hung", "floor", "surface")
    area = piece.size[0] * piece.size[1] * (2 if piece.habit == "table" else 1)
    return (order.index(piece.habit) + 1 if piece.habit in order else 0), -area, piece.category


def _put(placing: Placing, room: Room, piece: Furniture) -> Placed | None:
    """Place one thing according to its habit."""
    if piece.category in _FITTED:
        units = [p for p in placing.placed if p.category == "kitchen counter"]
        spots = [spot for p in units for spot in _beside(p, piece, GAP)]
        if put := placing.at(room, piece, spots, access=_ACCESS["wall"], off_doors=True):
            return put
    if piece.habit in ("wall", "desk"):
        return placing.against_wall(room, piece, _ACCESS[piece.habit])
    if piece.habit == "table":
        return _table(placing, room, piece)
    if piece.habit == "bedside":
        spots = [spot for p in placing.placed if p.category == "bed" for spot in _beside(p, piece)]
        return placing.at(room, piece, spots) or placing.against_wall(room, piece, 0.3)
    if piece.habit == "chair":
        spots = [s for p in placing.placed if p.category in ("table", "desk") for s in _seats(p, piece)]
        return placing.at(room, piece, spots) or placing.anywhere(room, piece, near_wall=True)
    if piece.habit == "seat":
        return placing.anywhere(room, piece, near_wall=True)
    if piece.habit == "hung":
        return placing.hung(room, piece)
    if piece.habit == "surface":
        return placing.on_top(room, piece)
    return placing.anywhere(room, piece, near_wall=bool(placing.generator.random() < _NEAR_WALLS))


def _table(placing: Placing, room: Room, piece: Furniture) -> Placed | None:
    """A table, for two in three with a rug under it."""
    table = placing.free_standing(room, piece, 0.75) or placing.free_standing(room, piece, 0.45)
    if table is None or placing.generator.random() > 0.67:
        return table
    placing.remove(table)
    width, depth = (side + 2 * _RUG_MARGIN for side in table.size[:2])
    rug = placing.flat("rug", table, width, depth, _RUG)
    spot = (table.center[0], table.center[1], table.yaw)
    again = placing.at(room, piece, [spot])
    if again is None and rug is not None:
        placing.remove(rug)
        again = placing.at(room, piece, [spot])
    return again


def _seats(table: Placed, chair: Furniture) -> list[Spot]:
    """Places of chairs around a table, or before a desk, facing it."""
    spots: list[Spot] = []
    sides = [0] if table.category == "desk" else [0, 2, 1, 3]
    for side in sides:
        yaw = table.yaw + side * np.pi / 2
        width, depth = (table.size[0], table.size[1]) if side % 2 == 0 else (table.size[1], table.size[0])
        seats = max(1, int(width // (chair.size[0] + 0.15)))
        for i in range(seats if table.category != "desk" else 1):
            along = (i - (seats - 1) / 2) * width / seats if table.category != "desk" else 0.0
            away = depth / 2 + chair.size[1] / 2 + 0.06
            x = table.center[0] + np.cos(yaw) * along - np.sin(yaw) * away
            y = table.center[1] + np.sin(yaw) * along + np.cos(yaw) * away
            spots.append((float(x), float(y), float(yaw + np.pi)))
    return spots


def _beside(thing: Placed, piece: Furniture, gap: float = 0.06) -> list[Spot]:
    """Left and right of a thing, their backs in a line: of a bed, by its head."""
    spots: list[Spot] = []
    for side in (-1, 1):
        across = side * (thing.size[0] / 2 + piece.size[0] / 2 + gap + 0.001)
        back = -(thing.size[1] / 2 - piece.size[1] / 2)
        x = thing.center[0] + np.cos(thing.yaw) * across - np.sin(thing.yaw) * back
        y = thing.center[1] + np.sin(thing.yaw) * across + np.cos(thing.yaw) * back
        spots.append((float(x), float(y), thing.yaw))
    return spots


_WHITE = (0.9, 0.9, 0.88)
_LAMPLIT = (0.2, 0.195, 0.18)
"""Sharp shadows are faint, as lamps and windows give most of the light."""
_THRESHOLD = (0.42, 0.34, 0.26)
_SKIRTING, _SKIRTING_HIGH = 0.012, 0.07


def build_interior(plan: FloorLayout, library: FurnitureSource) -> World:
    """Build the world of a plan.

    Args:
        plan: the things and their places.
        library: the one it was drawn with.

    Raises:
        ValueError: the plan names a model that the library doesn't have.
    """
    generator = np.random.default_rng(plan.style)
    bodies = []
    dressing = Dressing(plan)
    for number, room in enumerate(plan.shell.rooms):
        floor_cover, wall_cover = dressing.covers(number)
        bodies.append(Body(_flat(shapely.Polygon(room.outline), 0.0, up=True).papered(*floor_cover)))
        for wall in room.walls:
            bodies.append(Body(_wall(wall, plan.shell.height).papered(wall_cover, 2.0)))
            bodies.append(Body(joined([*_reveals(wall), *_skirting(wall)])))
    for passage in plan.shell.passages:
        bodies.append(Body(_flat(shapely.Polygon(passage), 0.0, up=True).painted((0.45, 0.35, 0.26))))
    ceiling = shapely.union_all([room.polygon for room in plan.shell.rooms])
    bodies.append(Body(_flat(ceiling, plan.shell.height, up=False).painted(_WHITE)))
    for thing in plan.placed:
        mesh = dressing.window(thing) if thing.model == "window" else _body(thing, library, generator)
        bodies.append(Body(mesh, thing.id))
    light = _light(generator)
    bodies += [Body(mesh) for mesh in dressing.extras()]
    lighting = BakedLight([body.mesh for body in bodies], dressing.emitters())
    floor, low = plan.shell.floor, [p for p in plan.placed if p.low < 0.3]
    standing = tuple(p.footprint for p in low if p.category not in ("rug", "door", "window"))
    walkable = walking_floor(floor, list(plan.placed))
    return World(scene_of(plan), tuple(bodies), walkable, light, (floor, standing), lighting)


def scene_of(plan: FloorLayout) -> Scene:
    """A plan's truth."""
    floor = plan.shell.floor
    rectangle = shapely.minimum_rotated_rectangle(floor)
    middle = shapely.centroid(rectangle)
    center: Vector = (float(middle.x), float(middle.y), plan.shell.height / 2)
    rings = (shapely.get_coordinates(ring)[:-1] for ring in (floor.exterior, *floor.interiors))
    return Scene(
        id=plan.id,
        dataset=plan.id.split("/")[0],
        objects=tuple(thing.scene_object for thing in plan.placed),
        counts=counts_of(plan.placed),
        room_area=float(floor.area),
        rooms=len(plan.shell.rooms),
        room_center=center,
        floor=tuple(tuple((float(x), float(y)) for x, y in ring) for ring in rings),
    )


def _light(generator: np.random.Generator) -> Light:
    angle = float(generator.uniform(-np.pi, np.pi))
    toward = np.array([0.55 * np.cos(angle), 0.55 * np.sin(angle), 1.0])
    toward /= np.linalg.norm(toward)
    return Light(toward=(float(toward[0]), float(toward[1]), float(toward[2])), ground=(0.46, 0.44, 0.41), sun=_LAMPLIT)


def _flat(polygon: BaseGeometry, height: float, *, up: bool) -> Mesh:
    """A floor or ceiling."""
    parts = shapely.get_parts(shapely.constrained_delaunay_triangles(polygon))
    corners = np.array([np.column_stack([shapely.get_coordinates(part)[:3], np.full(3, height)]) for part in parts])
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
    wrong = (normal < 0) == up
    corners[wrong] = corners[wrong][:, ::-1]
    return flat_shaded(corners)


def _panel(wall: Wall, start: float, end: float, low: float, high: float, inward: float = 0.0) -> Floats:
    """A rectangle in a wall's face, corners counter-clockwise seen from the room, shape (4, 3)."""
    left, right = wall.point(start, inward), wall.point(end, inward)
    return np.array([[*right, low], [*left, low], [*left, high], [*right, high]])


def _wall(wall: Wall, height: float) -> Mesh:
    """A wall's face around its openings, and its back.

    All columns are cut at the same heights: where edges don't end together, single pixels shine through.
    """
    cuts = sorted({0.0, height, *(z for o in wall.openings for z in (o.low, o.high))})
    ends = sorted({0.0, wall.length, *(x for o in wall.openings for x in (o.start, o.end))})
    parts = []
    for start, end in itertools.pairwise(ends):
        for low, high in itertools.pairwise(cuts):
            if not any(o.start <= start < o.end and o.low <= low < o.high for o in wall.openings):
                parts.append(_panel(wall, start, end, low, high))
    # The back of a partition is the next room's wall.
    if wall.thickness > INNER:
        parts.append(_panel(wall, -wall.thickness, wall.length + wall.thickness, -0.05, height + 0.05, -wall.thickness))
    return quads(np.array(parts))


def _reveals(wall: Wall) -> list[Mesh]:
    """The wall's thickness, seen in its openings."""
    found = []
    for opening in wall.openings:
        # The two sides of a partition each show half of its thickness.
        depth = wall.thickness / 2 if opening.kind == "passage" else RECESS + FRAME
        front = _panel(wall, opening.start, opening.end, opening.low, opening.high)
        back = _panel(wall, opening.start, opening.end, opening.low, opening.high, -depth)
        # Side 0 is the lower one: in a passage the floor is there.
        sides = [[front[i], front[(i + 1) % 4], back[(i + 1) % 4], back[i]] for i in range(1, 4)]
        found.append(quads(np.array(sides)[:, ::-1], _WHITE))
        if opening.kind != "passage":
            lower = np.array([[front[0], front[1], back[1], back[0]]])[:, ::-1]
            found.append(quads(lower, _THRESHOLD if opening.low == 0 else _WHITE))
    return found


def _skirting(wall: Wall) -> list[Mesh]:
    """A low board along the wall, with gaps at doors and passages."""
    edges, at = [], 0.0
    for opening in wall.openings:
        if opening.low == 0:
            edges.append((at, opening.start))
            at = opening.end
    edges.append((at, wall.length))
    boards = []
    for start, end in edges:
        if end - start > 0.02:
            front = _panel(wall, start, end, 0, _SKIRTING_HIGH, _SKIRTING)
            back = _panel(wall, start, end, 0, _SKIRTING_HIGH)
            boards.append(quads(np.array([front, [front[3], front[2], back[2], back[3]]]), _WHITE))
    return boards


def _body(thing: Placed, library: FurnitureSource, generator: np.random.Generator) -> Mesh:
    """A thing's mesh in its place."""
    if thing.model in ("door", "rug"):
        made = _door(thing, generator) if thing.model == "door" else _rug(thing, generator)
        return made.moved(placed(thing.center, thing.yaw))
    piece = library.pieces.get(thing.model)
    mesh = library.copy(piece, int(thing.id.rpartition("-")[2])) if piece else None
    if piece is None or mesh is None:
        raise ValueError(f"the furniture library has no usable model '{thing.model}'")
    if thing.size != piece.size:
        mesh = mesh.fitted(thing.size)
    bottom = (thing.center[0], thing.center[1], thing.low)
    return mesh.moved(placed(bottom, thing.yaw))


def _door(thing: Placed, generator: np.random.Generator) -> Mesh:
    width, depth, height = (length / 2 for length in thing.size)
    colour = np.array([0.62, 0.45, 0.3]) * generator.uniform(0.6, 1.3)
    parts = [block((-width, -depth, -height), (width, depth * 0.6, height), colour)]
    for low, high in ((-0.85 * height, -0.1 * height), (0.05 * height, 0.88 * height)):
        parts.append(block((-width * 0.7, depth * 0.6, low), (width * 0.7, depth, high), colour * 0.85))
    # The handle ends where the leaf's box does.
    parts.append(block((width * 0.78, depth * 0.6, -0.05), (width * 0.9, depth, 0.0), (0.75, 0.72, 0.6)))
    return joined(parts)


def _rug(thing: Placed, generator: np.random.Generator) -> Mesh:
    width, depth, height = (length / 2 for length in thing.size)
    colour = generator.uniform((0.4, 0.2, 0.2), (0.75, 0.5, 0.55))
    colour = (colour + colour.mean()) / 2
    mesh = block((-width, -depth, -height), (width, depth, height))
    uvs = mesh.points[:, :2] / (2 * width, 2 * depth) + 0.5
    return replace(mesh.papered(textures.weave(generator, colour), 1.0), uvs=uvs)
