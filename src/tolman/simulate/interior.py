"""A furnished shell as a world: floors, walls with their openings, ceilings, furniture."""

from __future__ import annotations

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
    ring = tuple((float(x), float(y)) for x, y in shapely.get_coordinates(floor.exterior)[:-1])
    return Scene(
        id=plan.id,
        dataset=plan.id.split("/")[0],
        objects=tuple(thing.scene_object for thing in plan.placed),
        counts=counts_of(plan.placed),
        room_area=float(floor.area),
        rooms=len(plan.shell.rooms),
        room_center=center,
        floor=(ring,),
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
    if mesh is None:
        raise ValueError(f"the furniture library has no usable model '{thing.model}'")
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
