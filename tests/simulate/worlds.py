"""Worlds that several tests look at, built once."""

import hashlib
import json
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import pytest
import shapely

from tolman.geometry.boxes import Boxes, Floats, distances
from tolman.geometry.camera_geometry import pixel_rays
from tolman.scenes import OrientedBox, SceneObject, Vector
from tolman.simulate.agents import places_at
from tolman.simulate.furniture import Library
from tolman.simulate.interior import build_interior, draw_plan
from tolman.simulate.made.kind import MadeLibrary
from tolman.simulate.outdoors import OUTDOOR_SHAPES, outdoor_place
from tolman.simulate.plan import FloorLayout
from tolman.simulate.render import Frame
from tolman.simulate.room_shells import Shape
from tolman.simulate.walks import Walk, draw_trajectory, intrinsics_of, looking
from tolman.simulate.world import Caster, World

FURNITURE = Path(__file__).parents[2] / "tolman-1" / "furniture.sh3f"
SHAPES: tuple[Shape, ...] = ("rectangle", "l-shape", "two-rooms")
"""Quickly drawn rooms."""
PLACES: tuple[str, ...] = (*SHAPES, *OUTDOOR_SHAPES)
MADE_HOME = "made home"
"""A home with made furniture."""
SLOW_PLACES = dict.fromkeys(("parking-lot", "street", "park", "courtyard", "two-rooms", MADE_HOME), pytest.mark.full)
"""Places whose slowest tests `make test` leaves to `make test-full`."""


@lru_cache(maxsize=1)
def library() -> Library:
    return Library(FURNITURE)


@cache
def world(place: str) -> World:
    """A room of a shape, a place outdoors, or a home with types of rooms."""
    if place in OUTDOOR_SHAPES:
        return outdoor_place(place, "test/outdoors", "sensors")[0]
    for shape in SHAPES:
        if place == shape:
            return build_interior(draw_plan("test/room", shape, "sensors", library()), library())
    if place == MADE_HOME:
        made = MadeLibrary("sensors", library())
        return build_interior(draw_plan("test/room", "home", "sensors", made), made)
    raise ValueError(place)


@cache
def walk(place: str, seconds: float = 8.0, rate: int = 15) -> Walk:
    return draw_trajectory(world(place), "sensors", seconds=seconds, rate=rate)


def thing_at(name: str, center: Vector, extents: Vector) -> SceneObject:
    """An upright thing."""
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    return SceneObject(id=f"{name}-0", category=name, box=OrientedBox(center=center, axes=axes, extents=extents))


def gaze(eye: Vector, yaw: float = 0.0, pitch: float = 0.0) -> Floats:
    """A camera's pose at a place, shape (4, 4)."""
    return np.asarray(looking(np.array([eye]), np.full(1, yaw), np.full(1, pitch), np.zeros(1))[0])


def corners_of(box: OrientedBox) -> Floats:
    """Of an oriented box, shape (8, 3)."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return np.asarray(np.array(box.center) + (signs * np.array(box.extents) / 2) @ np.array(box.axes))


def check_rays_agree(caster: Caster, pose: Floats, frame: Frame, least: float) -> None:
    """Rays meet what a picture shows, in at least such a share of its pixels, and as far off."""
    size = frame.depth.shape[::-1]
    rays = pixel_rays(pose, intrinsics_of(size), size)
    hits = caster.cast(np.tile(pose[:3, 3], (len(rays), 1)), rays)
    depth = frame.depth.ravel()
    assert (hits.numbers == frame.instances.ravel()).mean() >= least
    assert ((depth > 0) == np.isfinite(hits.distances)).mean() >= least
    both = (depth > 0) & np.isfinite(hits.distances)
    assert both.any()
    assert np.median(np.abs(depth - hits.distances)[both]) < 0.0005


def fingerprint(plan: FloorLayout) -> str:
    """A hash of everything in a plan, numbers to a tenth of a micrometre."""

    def rounded(*numbers: float) -> list[int]:
        return [round(number * 1e7) for number in numbers]

    content = {
        "id": plan.id, "rooms": [[rounded(*corner) for corner in room.outline] for room in plan.shell.rooms],
        "height": rounded(plan.shell.height),
        "placed": [[thing.id, thing.model, rounded(*thing.center, thing.yaw, *thing.size)] for thing in plan.placed],
    }  # fmt: skip
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def staring(place: World, walk: Walk) -> float:
    """Seconds for which nine tenths of a walk's first pictures are walls, ceilings, doors and panes, by rays."""
    size = (48, 36)
    caster = Caster(place)
    fixed = [place.numbers[thing.id] for thing in place.scene.objects if thing.category in ("door", "window")]
    for seconds, pose in zip(walk.times, walk.poses, strict=True):
        rays = pixel_rays(pose, intrinsics_of(size), size)
        hits = caster.cast(np.tile(pose[:3, 3], (len(rays), 1)), rays)
        off_the_floor = pose[2, 3] + hits.distances * rays[:, 2] > 0.05
        wall = off_the_floor & ((hits.numbers == 0) | np.isin(hits.numbers, fixed))
        if wall.mean() < 0.9:
            return float(seconds)
    return float(walk.times[-1])


def added(still: World, moving: World) -> list[SceneObject]:
    """What a world has more than another, the first of whose objects are the other's."""
    return list(moving.scene.objects[len(still.scene.objects) :])


def in_their_boxes(moving: World, thing: SceneObject, seconds: float) -> Floats:
    """The points of something that moves in its box's coordinates, metres, shape (n, 3)."""
    point = next(point for point in thing.track if point.seconds == seconds)
    found = [
        body.mesh.moved(body.pose(seconds)).points
        for body in moving.bodies
        if body.object == thing.id and body.pose is not None
    ]
    local: Floats = (np.concatenate(found) - np.array(point.center)) @ np.array(point.axes).T
    return local


def check_nothing_is_touched(still: World, things: Sequence[SceneObject]) -> None:
    """What moves touches nothing that stands there and stays on the floor."""
    floor = shapely.Polygon(still.scene.floor[0])
    boxes = [thing.box for thing in still.scene.objects if thing.box.center[2] + thing.box.extents[2] / 2 > 0.03]
    fixed = Boxes(*(np.array([getattr(box, name) for box in boxes]) for name in ("center", "axes", "extents")))
    for thing in things:
        for point in thing.track:
            own = Boxes(np.array([point.center]), np.array([point.axes]), np.array([thing.box.extents]))
            assert distances(own.take(np.zeros(len(boxes), dtype=np.intp)), fixed).min() > 0
            assert shapely.contains_xy(floor, *own.vertices()[0, :, :2].T).all()


def least_distance(thing: SceneObject, carried: Walk) -> float:
    """How near something that moves comes to a camera on the floor plan, in metres."""
    camera = places_at(carried.times, carried.poses[:, :2, 3], np.array([point.seconds for point in thing.track]))
    return float(np.linalg.norm(np.array([point.center[:2] for point in thing.track]) - camera, axis=1).min())
