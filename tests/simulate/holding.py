"""What holds things up, found by rays on a world's final triangles. It shares no code with what puts things in place."""

from dataclasses import dataclass

import numpy as np
import shapely
import trimesh

from tolman.geometry.boxes import Floats
from tolman.scenes import SceneObject
from tolman.simulate.mesh import Mesh
from tolman.simulate.world import World

CONTACT = 0.005
"""Metres above a thing's lowest point within which it touches what carries it."""
ALLOWED = 0.01
"""Metres that a thing may hover over what carries it, or sink into it."""
ON_WALL = 0.02
"""Metres that a thing may be off the wall on which it hangs."""
IN_WALLS = ("door", "window")
HUNG = ("clock", "radiator", "picture", "mirror", "whiteboard", "balcony")
"""Categories of things that hang on walls."""


@dataclass(frozen=True)
class Fault:
    """A thing that isn't held as things are: it 'hovers', 'sinks', 'tips' or 'overlaps', by so many metres."""

    object: str
    kind: str
    by: float


def faults(
    world: World, seconds: float = 0.0, hung: tuple[str, ...] = ("clock", "radiator"), allowed: float = ALLOWED
) -> list[Fault]:
    """Everything in a world that hovers, sinks in or would tip over at a time.

    Args:
        world: its objects and surroundings.
        seconds: when; it matters where something moves.
        hung: categories that hang on walls; `off_the_wall` is theirs.
        allowed: metres that a thing may hover or sink in.
    """
    parts = [(body.object, body.mesh.moved(body.pose(seconds)) if body.pose else body.mesh) for body in world.bodies]
    found = []
    for thing in world.scene.objects:
        if thing.category in IN_WALLS or thing.category in hung:
            continue
        own = _joined([mesh for owner, mesh in parts if owner == thing.id])
        others = _joined([mesh for owner, mesh in parts if owner != thing.id and _meets(own, mesh)])
        found += _faults(thing.id, own, others, allowed)
    return found


def overlaps(world: World, allowed: float = ALLOWED) -> list[Fault]:
    """Pairs of things, and things and walls, whose boxes share more than `allowed` metres in each direction.

    What stands on another, inside its box, isn't among them: whether it sinks in is told by `faults`.
    """
    solid = [thing for thing in world.scene.objects if thing.category not in IN_WALLS and not thing.track]
    floors = [_footprint(thing) for thing in solid]
    heights = [(thing.box.center[2] - thing.box.extents[2] / 2, thing.box.extents[2]) for thing in solid]
    room = shapely.union_all([shapely.Polygon(ring) for ring in world.scene.floor])
    found = []
    for i, thing in enumerate(solid):
        if not room.is_empty and not room.buffer(allowed).contains(floors[i]):
            found.append(Fault(thing.id, "overlaps", float(floors[i].difference(room).area ** 0.5)))
        for j in range(i + 1, len(solid)):
            shared = min(sum(heights[i]), sum(heights[j])) - max(heights[i][0], heights[j][0])
            if shared <= allowed or not floors[i].buffer(-allowed / 2).intersects(floors[j].buffer(-allowed / 2)):
                continue
            upper, lower = (i, j) if heights[i][0] > heights[j][0] else (j, i)
            stands = heights[upper][0] > heights[lower][0] + allowed and floors[lower].contains(floors[upper].centroid)
            if not stands:
                found.append(Fault(f"{thing.id} and {solid[j].id}", "overlaps", float(shared)))
    return found


def _footprint(thing: SceneObject) -> shapely.Polygon:
    (across, along, _), center = (
        np.array(thing.box.axes)[:, :2] * np.array(thing.box.extents)[:, None] / 2,
        thing.box.center[:2],
    )
    return shapely.Polygon([center + a * across + b * along for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


def _meets(own: trimesh.Trimesh, mesh: Mesh) -> bool:
    """Whether a mesh lies below, in or above a thing: others are met by no vertical ray."""
    return bool((mesh.bounds[0, :2] < own.bounds[1, :2]).all() and (mesh.bounds[1, :2] > own.bounds[0, :2]).all())


def _joined(meshes: list[Mesh]) -> trimesh.Trimesh:
    return trimesh.util.concatenate([trimesh.Trimesh(m.points, m.faces, process=False) for m in meshes])


def _faults(name: str, own: trimesh.Trimesh, others: trimesh.Trimesh, allowed: float) -> list[Fault]:
    touching = contacts(own)
    bottom, top = own.bounds[:, 2]
    tops = np.minimum(_last(own, touching, bottom), top) - CONTACT
    above = np.clip(tops - bottom, 0.001, 0.03)
    below = _first(others, np.column_stack([touching, bottom + above]), (0, 0, -1))
    gaps = above - below  # of what is below to the thing's lowest point: negative where the thing is above it
    near = touching[np.abs(gaps) <= allowed]
    middle = shapely.Point(own.triangles_center.T @ own.area_faces / own.area)
    # Nothing else is inside the thing, above each point at which it touches: what it stands on would be.
    depth = _highest(others, touching, bottom, tops)
    sunk = max(float(depth.max(initial=0.0)), float(gaps[np.isfinite(gaps)].max(initial=0.0)))
    if sunk > allowed:
        return [Fault(name, "sinks", sunk)]
    if not len(near):
        return [Fault(name, "hovers", float(-gaps.max()))]
    if not shapely.convex_hull(shapely.multipoints(near)).buffer(0.005).contains(middle):
        return [Fault(name, "tips", float(-gaps.min()))]
    return []


def contacts(own: trimesh.Trimesh) -> Floats:
    """Points on the floor plan in which a thing touches what carries it: of its lowest surface, shape (n, 2)."""
    low, high = own.bounds
    # Small things, and those with thin feet, are touched by few rays: their lowest corners are added.
    x, y = (np.linspace(low[i], high[i], 62)[1:-1] for i in range(2))
    grid = np.array(np.meshgrid(x, y)).reshape(2, -1).T
    under = np.column_stack([grid, np.full(len(grid), low[2] - 1.0)])
    distance = _first(own, under, (0, 0, 1))
    corners = own.vertices[np.unique(own.faces)]
    corners = corners[corners[:, 2] < low[2] + CONTACT, :2]
    inward = corners + (corners.mean(0) - corners) * 1e-3
    return np.concatenate([grid[distance < 1.0 + CONTACT], inward])


def off_the_wall(world: World, category: str) -> list[float]:
    """How far each thing of a category that hangs is from the wall behind it: the least distance of its back, metres."""
    still = [body for body in world.bodies if body.pose is None]
    found = []
    for thing in world.scene.objects:
        if thing.category != category:
            continue
        own = _joined([body.mesh for body in still if body.object == thing.id])
        others = _joined([body.mesh for body in still if body.object is None])
        across, ahead, up = np.array(thing.box.axes)
        half = np.array(thing.box.extents) / 2
        u, w = np.meshgrid(np.linspace(-0.95, 0.95, 40) * half[0], np.linspace(-0.95, 0.95, 40) * half[2])
        plane = np.array(thing.box.center) + u.reshape(-1, 1) * across + w.reshape(-1, 1) * up
        back = _first(own, plane - ahead * (half[1] + 0.001), ahead) - 0.001
        wall = _first(others, plane, -ahead) - half[1]
        gaps = (back + wall)[back < 0.02]
        found.append(float(np.abs(gaps).min()) if len(gaps) else np.inf)
    return found


def _first(mesh: trimesh.Trimesh, origins: Floats, way: tuple[float, ...] | Floats) -> Floats:
    """Metres from each origin to the first triangle on the way, infinite where there is none, shape (n,)."""
    distances = np.full(len(origins), np.inf)
    places, rays, _ = mesh.ray.intersects_location(origins, np.tile(way, (len(origins), 1)), multiple_hits=False)
    distances[rays] = np.linalg.norm(places - origins[rays], axis=1)
    return distances


def _last(mesh: trimesh.Trimesh, points: Floats, bottom: float) -> Floats:
    """The height at which a thing's matter over a point ends that begins at its bottom, metres."""
    origins = np.column_stack([points, np.full(len(points), bottom + 2 * CONTACT)])
    distance = _first(mesh, origins, (0, 0, 1))
    return np.where(np.isfinite(distance), bottom + 2 * CONTACT + distance, bottom)


def _highest(mesh: trimesh.Trimesh, points: Floats, bottom: float, tops: Floats) -> Floats:
    """How high above the bottom something else is, up to some heights; 0 where nothing is."""
    origins = np.column_stack([points, tops])
    distance = _first(mesh, origins, (0, 0, -1))
    depth = tops - distance - bottom
    return np.where(np.isfinite(distance) & (depth > 0), depth, 0.0)
