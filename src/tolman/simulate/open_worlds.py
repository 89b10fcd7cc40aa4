"""A park or a courtyard as a world: its ground, what stands there, and what is around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.scenes import Scene
from tolman.simulate import court_walls, facades, greenery, outdoor_textures, roads, scenery
from tolman.simulate.daylight import draw_daylight
from tolman.simulate.fittings import SIZES, fitting
from tolman.simulate.mesh import Mesh, Texture, flat_shaded, placed, quads
from tolman.simulate.open_places import LAYER, Area, OpenPlace
from tolman.simulate.placing import walking_floor
from tolman.simulate.plan import Placed, rectangle
from tolman.simulate.surfaces import draw_lawn, draw_paving
from tolman.simulate.world import Body, World
from tolman.simulate.yard_things import yard_thing

if TYPE_CHECKING:
    from shapely import Polygon

_AROUND = 2.0
"""Metres by which the ground of a park goes on beyond its floor."""


def build_open_place(plan: OpenPlace) -> World:
    """The world of a park's or a courtyard's plan."""
    import shapely

    generator = np.random.default_rng(plan.style)
    around = _park(plan, generator) if plan.kind == "park" else _courtyard(plan, generator)
    turn = placed((0.0, 0.0, 0.0), plan.turn)
    bodies = [Body(mesh.moved(turn)) for mesh in around]
    for thing in plan.placed:
        bottom = (thing.center[0], thing.center[1], thing.low)
        bodies.append(Body(_thing(thing, generator).moved(placed(bottom, thing.yaw)), thing.id))
    floor = plan.floor
    ring = tuple((float(x), float(y)) for x, y in shapely.get_coordinates(floor.exterior)[:-1])
    middle = shapely.centroid(floor)
    scene = Scene(
        id=plan.id,
        dataset=plan.id.split("/")[0],
        objects=tuple(thing.scene_object for thing in plan.placed),
        counts=plan.counts,
        room_center=(float(middle.x), float(middle.y), 1.0),
        floor=(ring,),
    )
    low = [thing for thing in plan.placed if thing.low < 1.0 and thing.category != "door"]
    return World(
        scene,
        tuple(bodies),
        walking_floor(floor, low),
        draw_daylight(generator, plan.turn, np.pi),
        (floor if plan.kind == "courtyard" else shapely.box(*floor.buffer(6.0).bounds), tuple(_foot(t) for t in low)),
        lanes=plan.lanes,
    )


def _foot(thing: Placed) -> Polygon:
    """Footprint of a thing on the ground."""
    import shapely

    width, depth = (0.3, 0.3) if thing.category in ("tree", "patio umbrella") else thing.size[:2]
    return shapely.Polygon(rectangle(thing.center[:2], thing.yaw, width, depth))


def _thing(thing: Placed, generator: np.random.Generator) -> Mesh:
    if thing.category == "tree":
        return greenery.tree(generator, thing.size, thing.model.partition(":")[2])
    if thing.category == "door":
        return court_walls.door_leaf(generator, thing.size)
    if thing.category == "balcony":
        return court_walls.balcony(generator, thing.size)
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
        path: tuple[Texture, float] = (outdoor_textures.gravel(generator, tan), 1.0)
    elif kind == 1:
        path = (outdoor_textures.road(generator, np.array([0.46, 0.45, 0.44])), 3.0)
    else:
        path = draw_paving(generator)
    covers: dict[str, tuple[Texture, float]] = {
        "path": path,
        "plaza": draw_paving(generator),
        "lawn": (lawn, 2.4),
        "gravel": (outdoor_textures.gravel(generator, tan), 1.0),
    }
    soft = outdoor_textures.soil(generator, np.array([0.5, 0.34, 0.22]))
    if generator.random() < 0.4:
        soft = outdoor_textures.sand(generator, np.array([0.82, 0.72, 0.54]))
    covers["bark"] = (soft, 1.6)
    return [_cover(area, *covers[area.cover]) for area in areas]


def _park(plan: OpenPlace, generator: np.random.Generator) -> list[Mesh]:
    """Lawn and paths, a hedge or a fence around, trees and houses beyond."""
    width, depth = plan.size
    lawn = draw_lawn(generator)
    out = 14.0
    found = [roads.flat((-out, width + out), (-out, depth + out)).papered(lawn, 2.4)]
    found += _flagged(generator, plan.areas, lawn)
    covers, style = facades.draw_covers(generator), facades.draw_style(generator)
    hedged = bool(generator.random() < 0.6)
    for x, y, yaw, length in _sides(plan.size, _AROUND):
        span = (-_AROUND, length + _AROUND)
        if hedged:
            one = greenery.hedge(
                generator, (span[0], -0.4, -0.05), (span[1], 0.4, float(generator.uniform(0.9, 1.4))), leaves=30
            )
        else:
            one = roads.fence(generator, span, 0.0)
        found.append(one.moved(placed((x, y, 0.0), yaw)))
    sides = generator.permutation(4)[: int(generator.integers(1, 4))].tolist()
    for number, (x, y, yaw, length) in enumerate(_sides(plan.size, out + 8)):
        if number in sides:
            row = facades.row_of_houses(generator, -24.0, length + 24.0, covers=covers, style=style, shops=False)
            found += [mesh.moved(placed((x, y, -0.1), yaw)) for mesh in row]
    found += scenery.trees(generator, _scattered(generator, plan.size, out), (6.0, 12.0))
    return [*found, *scenery.horizon(generator, (width / 2, depth / 2))]


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
    found = [roads.flat((-1.0, width + 1.0), (-1.0, depth + 1.0)).papered(paving, size)]
    found += _flagged(generator, plan.areas, lawn)
    covers = facades.draw_covers(generator)
    found += court_walls.court_fronts(generator, plan, covers)
    middle: Floats = np.array(plan.size) / 2
    return [*found, *scenery.horizon(generator, (float(middle[0]), float(middle[1])))]
