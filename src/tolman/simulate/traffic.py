"""Traffic: cars and bicycles that drive along the ways of a place outdoors and stop before what is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.scenes import SceneObject
from tolman.simulate.bicycles import AXLES, WHEEL, Leg, bicycle_frame, bicycle_wheel, draw_rider
from tolman.simulate.lanes import Lane
from tolman.simulate.mesh import placed
from tolman.simulate.moving import moving_object
from tolman.simulate.timetable import Timetable, draw_timetable, moments, near_discs, places, widened
from tolman.simulate.vehicle_patterns import COLOURS, PATTERNS, VANS
from tolman.simulate.vehicles import vehicle, vehicle_body, wheel, wheel_places
from tolman.simulate.walks import Walk
from tolman.simulate.world import Body, World

_SHARE_OF_CARS = 0.65
"""Of vehicles, where both cars and bicycles drive."""
_ASIDE = 0.35
"""Metres that a vehicle keeps to its sides from what moves, and `_STILL` from what stands."""
_STILL = 0.08
_AHEAD = {"car": 2.2, "bicycle": 1.2}
"""Metres that it keeps ahead and behind."""
_WALKER = 0.45
"""Half width in metres of who carries the camera."""
_TALL = 2.6
"""Metres; what begins higher is in no vehicle's way."""
_FLAT = 0.03
_TURN_BASE = 0.7
"""Metres ahead and behind between which a vehicle's direction is taken."""


@dataclass(frozen=True)
class _Drive:
    """A vehicle on its way."""

    lane: Lane
    timetable: Timetable

    def ground(self, seconds: float) -> Floats:
        """The transform of the ground below its middle, facing as it drives."""
        along = self.timetable.at(seconds)
        spots = self.lane.at(along + np.array([0.0, -_TURN_BASE, _TURN_BASE]))
        way = spots[2] - spots[1]
        return placed((*spots[0], self.lane.height), float(np.arctan2(way[1], way[0])) - np.pi / 2)

    def part(self, own: Floats, seconds: float) -> Floats:
        """The transform of a part that doesn't move against the vehicle."""
        return np.asarray(self.ground(seconds) @ own)

    def wheel(self, own: Floats, radius: float, seconds: float) -> Floats:
        """The transform of a wheel, whose axis is its own x."""
        # A wheel on the other side is turned round: its own x points the other way.
        angle = -self.timetable.at(seconds) / radius * np.sign(own[0, 0])
        c, s = np.cos(angle), np.sin(angle)
        roll = np.eye(4)
        roll[1:3, 1:3] = [[c, -s], [s, c]]
        return np.asarray(self.ground(seconds) @ own @ roll)

    def leg(self, leg: Leg, seconds: float) -> Floats:
        """The transform of a part of a rider's leg."""
        return np.asarray(self.ground(seconds) @ leg.pose(self.timetable.at(seconds)))


def with_traffic(
    world: World, seed: str, *, seconds: float, count: int = 1, walk: Walk | None = None
) -> tuple[World, tuple[str, ...]]:
    """A world with cars and bicycles that drive along its ways.

    They keep their ways, and touch neither what stands there nor people, robots, the camera or one another.

    Args:
        world: people and robots may be in it.
        seed: of what is drawn.
        seconds: how long they drive.
        count: how many vehicles.
        walk: of the camera, to be kept away from.

    Returns:
        The world with the objects 'moving-car-0', 'moving-bicycle-0', 'cyclist-0', …, their boxes at time 0 and their
        tracks; and notes of what found no room.
    """
    generator = np.random.default_rng(np.frombuffer(f"traffic:{seed}".encode(), dtype=np.uint8))
    times = moments(seconds)
    discs = _discs(world, walk, times)
    lanes = {lane.user: lane for lane in world.lanes}
    taken: dict[str, NDArray[np.bool_]] = {}
    bodies: list[Body] = []
    objects: list[SceneObject] = []
    notes: list[str] = []
    numbers = {"car": 0, "van": 0, "bicycle": 0}
    for left in range(count, 0, -1):
        user = "car" if "car" in lanes and generator.random() < _SHARE_OF_CARS else "bicycle"
        if user not in lanes:
            notes.append(f"no way for {left} more vehicle")
            break
        lane = lanes[user]
        make = _car if user == "car" else _bicycle
        made = make(generator)
        half = made.size / 2
        if user not in taken:
            taken[user] = _standing(world, lane, float(half[0]))[None] | np.zeros((len(times), 1), dtype=bool)
            for middles, radius in discs:
                taken[user] |= near_discs(lane, middles, radius + (1.05 if user == "car" else 0.35) + _ASIDE)
        blocked = widened(taken[user], float(half[1]) + _AHEAD[user])
        speed = float(generator.uniform(*lane.speeds))
        timetable = draw_timetable(blocked, speed, generator)
        if timetable is None:
            notes.append(f"no room for 1 more {user}")
            continue
        drive = _Drive(lane, timetable)
        number = numbers[made.category]
        numbers[made.category] += 1
        own_bodies, own_objects = made.parts(drive, number, seconds)
        bodies += own_bodies
        objects += own_objects
        where = np.array([timetable.at(float(t)) for t in times])
        apart = np.abs((places(lane)[None] - where[:, None] + lane.length / 2) % lane.length - lane.length / 2)
        taken[user] |= apart < half[1]
    return world.adding(bodies, objects), tuple(notes)


def _discs(world: World, walk: Walk | None, times: Floats) -> list[tuple[Floats, float]]:
    """Everything else that moves: where its middle is, shape (m, 2), and its greatest half width, metres."""
    found = []
    for thing in world.scene.objects:
        if thing.track:
            known = [point.seconds for point in thing.track]
            middles = [np.interp(times, known, [point.center[i] for point in thing.track]) for i in range(2)]
            found.append((np.column_stack(middles), float(np.hypot(*thing.box.extents[:2])) / 2))
    if walk is not None:
        middles = [np.interp(times, walk.times, walk.poses[:, i, 3]) for i in range(2)]
        found.append((np.column_stack(middles), _WALKER))
    return found


def _standing(world: World, lane: Lane, half: float) -> NDArray[np.bool_]:
    """Which places of a way are taken by what stands there, shape (n,)."""
    import shapely

    along = places(lane)
    spots = np.asarray(shapely.points(lane.at(along)))
    found: NDArray[np.bool_] = np.zeros(len(along), dtype=np.bool_)
    for thing in world.scene.objects:
        low, high = (thing.box.center[2] + side * thing.box.extents[2] / 2 for side in (-1, 1))
        if thing.track or low > _TALL or high < lane.height + _FLAT:
            continue
        axes, extents = np.array(thing.box.axes), np.array(thing.box.extents) / 2
        corners = [
            np.array(thing.box.center[:2]) + a * axes[0, :2] * extents[0] + b * axes[1, :2] * extents[1]
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        found = found | np.asarray(shapely.distance(spots, shapely.Polygon(corners)) < half + _STILL)
    return found


@dataclass(frozen=True)
class _Made:
    """A vehicle that is made: its category, its box's extents, and how it becomes part of a world."""

    category: str
    size: Floats
    parts: Callable[[_Drive, int, float], tuple[list[Body], list[SceneObject]]]


def _car(generator: np.random.Generator) -> _Made:
    models = list(PATTERNS)
    model = models[int(generator.integers(len(models)))]
    colour = COLOURS[int(generator.integers(len(COLOURS)))]
    scale = float(np.round(generator.uniform(0.97, 1.03), 3))
    whole = vehicle(model, colour).moved(placed((0, 0, 0), 0.0, (scale,) * 3))
    low, high = whole.bounds
    centred = placed((-(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2, 0.0), 0.0, (scale,) * 3)
    category = "van" if model in VANS else "car"

    def parts(drive: _Drive, number: int, seconds: float) -> tuple[list[Body], list[SceneObject]]:
        name = f"moving-{category}-{number}"
        bodies = [Body(vehicle_body(model, colour).moved(centred), name, drive.ground)]
        for place in wheel_places(PATTERNS[model]):
            # The turn stays rigid: the wheel itself is scaled.
            round_wheel = wheel(PATTERNS[model]).moved(placed((0, 0, 0), 0.0, (scale,) * 3))
            at = place.copy()
            at[:3, 3] = (centred @ place)[:3, 3]
            bodies.append(Body(round_wheel, name, partial(drive.wheel, at, PATTERNS[model].wheel * scale)))
        return bodies, [_tracked(name, category, drive, np.array([low - 0.002, high + 0.002]), seconds)]

    return _Made(category, high - low, parts)


def _bicycle(generator: np.random.Generator) -> _Made:
    colour = COLOURS[int(generator.integers(len(COLOURS)))]
    frame, rider = bicycle_frame(colour), draw_rider(generator)
    round_wheel = bicycle_wheel()
    still = [frame, *(round_wheel.moved(placed(axle)) for axle in AXLES)]
    bounds = _around([mesh.bounds for mesh in still])
    body, legs = rider
    rounds = np.linspace(0, 2 * np.pi * WHEEL * 2.4, 25)
    turns = [leg.mesh.moved(leg.pose(float(along))).bounds for leg in legs for along in rounds]
    rider_bounds = _around([body.bounds, *turns])
    reach = np.abs([bounds, rider_bounds]).max((0, 1))

    def parts(drive: _Drive, number: int, seconds: float) -> tuple[list[Body], list[SceneObject]]:
        name, who = f"moving-bicycle-{number}", f"cyclist-{number}"
        bodies = [Body(frame, name, drive.ground), Body(body, who, drive.ground)]
        bodies += [Body(round_wheel, name, partial(drive.wheel, placed(axle), WHEEL)) for axle in AXLES]
        bodies += [Body(leg.mesh, who, partial(drive.leg, leg)) for leg in legs]
        return bodies, [
            _tracked(name, "bicycle", drive, bounds, seconds),
            _tracked(who, "cyclist", drive, rider_bounds, seconds),
        ]

    return _Made("bicycle", np.array([2 * reach[0], 2 * reach[1], reach[2]]), parts)


def _around(bounds: list[Floats]) -> Floats:
    """Least and greatest coordinates of all of some bounds, and two millimetres to spare, shape (2, 3)."""
    found = np.array(bounds)
    return np.array([found[:, 0].min(0) - 0.002, found[:, 1].max(0) + 0.002])


def _tracked(name: str, category: str, drive: _Drive, bounds: Floats, seconds: float) -> SceneObject:
    """A vehicle or its rider as ground truth, from its bounds in the vehicle's coordinates."""
    middle = bounds.mean(0)
    if category in ("car", "van"):
        middle[:2] = 0.0
    return moving_object(name, category, bounds[1] - bounds[0], partial(drive.part, placed(middle)), seconds)
