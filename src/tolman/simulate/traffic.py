"""Traffic: cars and bicycles that drive along the lanes of a place outdoors and stop before obstacles.

A timetable moves a vehicle along a closed lane that others use too, without ever touching known obstacles. Everything
that moves is known for the whole time, so a vehicle never has to guess. Backwards from the end, the places and speeds
are found from which it can go on for ever without meeting anything. They are the viability kernel (Aubin, Viability
Theory, 1991). Forwards the vehicle goes as fast as it likes, as long as it stays within that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from tolman.geometry.boxes import Floats
from tolman.scenes import SceneObject
from tolman.simulate.agents import followed, moving_object, places_at
from tolman.simulate.human_figure import AXLES, WHEEL, Leg, bicycle_frame, bicycle_wheel, draw_rider
from tolman.simulate.mesh import pitched, placed
from tolman.simulate.vehicles import COLOURS, PATTERNS, VANS, vehicle, vehicle_body, wheel, wheel_places
from tolman.simulate.walks import Walk
from tolman.simulate.world import Body, Lane, World

STEP = 0.5
"""Seconds between changes of speed."""
LEVEL = 0.5
"""Metres a second between speeds: one level more or less in a step is 1 m/s²."""
GRID = STEP * LEVEL / 2
"""Metres between places; each step ends on one."""
LOOKS = 4
"""Times within a step at which places are compared."""
_CHANGES = (1, 0, -1, -2, -3)
"""Levels by which speed changes in a step: it brakes harder than it starts."""


@dataclass(frozen=True)
class Timetable:
    """Metres along a way, and speed, every STEP.

    Attributes:
        along: metres, not wrapped round, shape (k + 1,).
        speeds: metres a second, shape (k + 1,).
    """

    along: Floats
    speeds: Floats

    def at(self, seconds: float) -> float:
        """Metres along the way at a time; at rest before and after."""
        last = len(self.along) - 1
        step = min(max(int(seconds / STEP), 0), last - 1)
        time = min(max(seconds - step * STEP, 0.0), STEP)
        change = (self.speeds[step + 1] - self.speeds[step]) / STEP
        return float(self.along[step] + self.speeds[step] * time + change * time**2 / 2)


def moments(seconds: float) -> Floats:
    """The times at which places are compared, seconds."""
    steps = int(np.ceil(seconds / STEP)) + 1
    return np.arange(steps * LOOKS + 1) * STEP / LOOKS


def places(lane: Lane) -> Floats:
    """Metres along a way of the places that are compared: `GRID` apart, a little more or less, shape (n,)."""
    count = round(lane.length / GRID)
    return np.arange(count) * lane.length / count


def near_discs(lane: Lane, middles: Floats, radius: float) -> NDArray[np.bool_]:
    """Which places of a way are within a radius of something that moves.

    Args:
        lane: the way.
        middles: where it is at each moment, shape (m, 2).
        radius: metres.

    Returns:
        Shape (m, n).
    """
    spots = lane.at(places(lane))
    found = np.zeros((len(middles), len(spots)), dtype=bool)
    low, high = spots.min(0) - radius, spots.max(0) + radius
    for number in np.flatnonzero(((middles > low) & (middles < high)).all(1)):
        found[number] = ((spots - middles[number]) ** 2).sum(1) < radius**2
    return found


def widened(taken: NDArray[np.bool_], reach: float) -> NDArray[np.bool_]:
    """Return places at which a vehicle's middle is within `reach` metres along the way of taken ones, shape (m, n)."""
    size = 2 * int(np.ceil(reach / GRID)) + 1
    return np.asarray(maximum_filter1d(taken.astype(np.uint8), size, axis=1, mode="wrap").astype(bool))


def draw_timetable(taken: NDArray[np.bool_], wanted: float, generator: np.random.Generator) -> Timetable | None:
    """How a vehicle goes along a way; None where there is no place from which it could.

    Args:
        taken: places at which its middle must not be at each moment of `moments`, shape (m, n).
        wanted: metres a second where nothing is in the way.
        generator: draws where it is at first.
    """
    count = (taken.shape[0] - 1) // LOOKS
    top = max(1, round(wanted / LEVEL))
    free = ~taken
    viable = np.empty((count + 1, top + 1, free.shape[1]), dtype=bool)
    # Where it stands at the end it must be able to stand.
    viable[count] = free[-1]
    for step in range(count - 1, -1, -1):
        for speed in range(top + 1):
            ways = [
                _clear(free, step, speed, change) & np.roll(viable[step + 1, speed + change], -_moved(speed, change))
                for change in _CHANGES
                if 0 <= speed + change <= top
            ]
            viable[step, speed] = np.logical_or.reduce(ways)
    startable = [first for first in (top, top // 2, 0) if viable[0, first].any()]
    if not startable:
        return None
    speed = startable[0]
    place = int(generator.choice(np.flatnonzero(viable[0, speed])))
    along, speeds, size = [place], [speed], free.shape[1]
    for step in range(count):
        for change in _CHANGES:
            if not 0 <= speed + change <= top:
                continue
            there = (place + _moved(speed, change)) % size
            if viable[step + 1, speed + change, there] and _clear(free, step, speed, change)[place]:
                along.append(along[-1] + _moved(speed, change))
                place, speed = there, speed + change
                break
        else:
            raise AssertionError("a viable place without a way on")
        speeds.append(speed)
    return Timetable(np.array(along) * GRID, np.array(speeds) * LEVEL)


def _moved(speed: int, change: int) -> int:
    """Places that it gets on in a step."""
    return 2 * speed + change


def _clear(free: NDArray[np.bool_], step: int, speed: int, change: int) -> NDArray[np.bool_]:
    """Check that nothing is met during a step, from each place, shape (n,)."""
    found: NDArray[np.bool_] = free[step * LOOKS].copy()
    for look in range(1, LOOKS + 1):
        share = look / LOOKS
        moved = round(2 * speed * share + change * share**2)
        found &= np.roll(free[step * LOOKS + look], -moved)
    return found


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
        return np.asarray(self.ground(seconds) @ own @ pitched((0, 0, 0), angle))

    def leg(self, leg: Leg, seconds: float) -> Floats:
        """The transform of a part of a rider's leg."""
        return np.asarray(self.ground(seconds) @ leg.pose(self.timetable.at(seconds)))


def with_traffic(
    world: World, seed: str, *, seconds: float, count: int = 1, walk: Walk | None = None
) -> tuple[World, tuple[str, ...]]:
    """Return a world with cars and bicycles that drive along its ways.

    They keep their ways, and touch neither obstacles nor people, robots, the camera or one another.

    Args:
        world: people and robots may be in it.
        seed: of the random draws.
        seconds: how long they drive.
        count: how many vehicles.
        walk: of the camera, to be kept away from.

    Returns:
        The world with the objects 'moving-car-0', 'moving-bicycle-0', 'cyclist-0', …, their boxes at time 0 and their
        tracks; and notes of those that didn't fit.
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
        made = _car(generator) if user == "car" else _bicycle(generator)
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
            found.append((followed(thing, times), float(np.hypot(*thing.box.extents[:2])) / 2))
    if walk is not None:
        found.append((places_at(walk.times, walk.poses[:, :2, 3], times), _WALKER))
    return found


def _standing(world: World, lane: Lane, half: float) -> NDArray[np.bool_]:
    """Find the places of a way that obstacles take, shape (n,)."""
    along = places(lane)
    spots = np.asarray(shapely.points(lane.at(along)))
    found: NDArray[np.bool_] = np.zeros(len(along), dtype=np.bool_)
    for thing in world.scene.objects:
        low, high = (thing.box.center[2] + side * thing.box.extents[2] / 2 for side in (-1, 1))
        if thing.track or low > _TALL or high < lane.height + _FLAT:
            continue
        axes, extents = np.array(thing.box.axes), np.array(thing.box.extents) / 2
        right, ahead = axes[0, :2] * extents[0], axes[1, :2] * extents[1]
        turns = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = [np.array(thing.box.center[:2]) + a * right + b * ahead for a, b in turns]
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
    frame, (body, legs) = bicycle_frame(colour), draw_rider(generator)
    round_wheel = bicycle_wheel()
    still = [frame, *(round_wheel.moved(placed(axle)) for axle in AXLES)]
    bounds = _around([mesh.bounds for mesh in still])
    rounds = np.linspace(0, 2 * np.pi * WHEEL * 2.4, 25)
    turns = [leg.mesh.moved(leg.pose(float(along))).bounds for leg in legs for along in rounds]
    rider_bounds = _around([body.bounds, *turns])
    reach = np.abs([bounds, rider_bounds]).max((0, 1))

    def parts(drive: _Drive, number: int, seconds: float) -> tuple[list[Body], list[SceneObject]]:
        name, who = f"moving-bicycle-{number}", f"cyclist-{number}"
        bodies = [Body(frame, name, drive.ground), Body(body, who, drive.ground)]
        bodies += [Body(round_wheel, name, partial(drive.wheel, placed(axle), WHEEL)) for axle in AXLES]
        bodies += [Body(leg.mesh, who, partial(drive.leg, leg)) for leg in legs]
        bicycle = _tracked(name, "bicycle", drive, bounds, seconds)
        return bodies, [bicycle, _tracked(who, "cyclist", drive, rider_bounds, seconds)]

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
