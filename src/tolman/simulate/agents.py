"""Agents: people and robots that move through a world.

A person walks, picks something up, carries it elsewhere and puts it down. A robot is a round machine that drives from
place to place and stops there. Robots have no front, so no picture shows where one is going.

Moving objects have boxes and tracks as ground truth, and go where they touch nothing. An object's motion along its path
eases in and out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import shapely
from scipy.ndimage import gaussian_filter1d
from shapely import Polygon

from tolman.geometry.boxes import Boxes, Floats, distances
from tolman.scenes import OrientedBox, SceneObject, TrackPoint, Vector
from tolman.simulate.human_figure import STRIDE, Limb, draw_figure, stance
from tolman.simulate.mesh import Mesh, block, joined, placed, rod, smoothed, turned
from tolman.simulate.walks import Walk
from tolman.simulate.world import Body, WalkableFloor, World, round_path

TRACK = 10
"""Points of a track a second."""
_SPARE = 0.01
"""Metres by which a person's box is larger than what it was measured at."""
Pose = Callable[[float], Floats]


def moving_object(identity: str, category: str, size: Floats, pose: Pose, seconds: float) -> SceneObject:
    """A moving thing as ground truth: `pose` is of its box's middle."""
    points = []
    for number in range(int(np.ceil(seconds * TRACK)) + 1):
        matrix = pose(number / TRACK)
        right, ahead, up = map(_vector, matrix[:3, :3].T)
        points.append(TrackPoint(seconds=number / TRACK, center=_vector(matrix[:3, 3]), axes=(right, ahead, up)))
    box = OrientedBox(center=points[0].center, axes=points[0].axes, extents=_vector(size))
    return SceneObject(id=identity, category=category, box=box, track=tuple(points))


def shift(pose: Pose, middle: Floats, seconds: float) -> Floats:
    """The pose of a point of a moving thing, given in the thing's own coordinates."""
    return np.asarray(pose(seconds) @ placed(middle))


def reach_of(body: Mesh, limbs: tuple[Limb, ...]) -> Floats:
    """Least and greatest coordinates of a figure over all that it does, from the ground below it, shape (2, 3)."""
    bounds = []
    for swing in np.linspace(-1, 1, 9):
        lift = np.array([0.0, 0.0, stance(float(swing))])
        bounds.append(body.bounds + lift)
        for limb in limbs:
            for raised in np.linspace(0, 1, 9) if limb.arm else (0.0,):
                bounds.append(limb.mesh.moved(limb.pose(float(swing), float(raised))).bounds + lift)
    low, high = np.min([b[0] for b in bounds], axis=0), np.max([b[1] for b in bounds], axis=0)
    return np.array([low - _SPARE, high + _SPARE])


class WalkingFigure(ABC):
    """The poses of a figure on its way: metres in the scene, at a time in seconds."""

    @abstractmethod
    def person(self, seconds: float) -> Floats:
        """The transform of the ground below the person, facing as it does."""

    @abstractmethod
    def stride(self, seconds: float) -> tuple[float, float]:
        """How far the legs swing, -1 … 1, and the arms are raised, 0 … 1."""

    def body(self, seconds: float) -> Floats:
        """The transform of the person's body, which a step lifts and lowers."""
        return np.asarray(self.person(seconds) @ placed((0.0, 0.0, stance(self.stride(seconds)[0]))))

    def limb(self, limb: Limb, seconds: float) -> Floats:
        """The transform of one of the person's limbs."""
        return np.asarray(self.body(seconds) @ limb.pose(*self.stride(seconds)))


def followed(thing: SceneObject, times: Floats) -> Floats:
    """Positions of something that moves at some times, shape (n, 2)."""
    known = np.array([[point.seconds, *point.center] for point in thing.track])
    return places_at(known[:, 0], known[:, 1:], times)


def places_at(known: Floats, places: Floats, times: Floats) -> Floats:
    """Places on the floor plan at some times, straight between those at known times, shape (n, 2)."""
    return np.column_stack([np.interp(times, known, places[:, i]) for i in range(2)])


def _vector(numbers: Floats) -> Vector:
    x, y, z = (float(number) for number in numbers)
    return x, y, z


RATE = 60
"""Steps a second in which a path is worked out."""
LEAST = 1.0
"""Metres that one goes at least from one place to another."""
_PLACES = 40
_FLAT = 0.03
"""Metres; one walks over what is no higher."""


def ground_of(world: World, generator: np.random.Generator, spare: float) -> WalkableFloor | None:
    """Return floor for the middles of moving things, with places to go between; None where there is no room.

    Args:
        world: with its obstacles.
        generator: draws the places.
        spare: metres to keep from things in addition to a walker's.
    """
    area = world.walkable.buffer(-spare)
    if area.is_empty:
        return None
    largest = max(shapely.get_parts(area), key=lambda part: float(part.area))
    low_x, low_y, high_x, high_y = largest.bounds
    drawn = generator.uniform((low_x, low_y), (high_x, high_y), (600, 2))
    inside = drawn[shapely.contains_xy(largest, drawn[:, 0], drawn[:, 1])][:_PLACES]
    ground = WalkableFloor(largest, inside)
    return ground if ground.first >= _PLACES and len(inside) > 2 else None


def travel(leg: Floats, ground: WalkableFloor) -> tuple[Floats, Floats]:
    """A way with its corners cut round, every two centimetres: metres along it (n,), and the points, shape (n, 2)."""
    line = float(np.linalg.norm(np.diff(leg, axis=0), axis=1).sum())
    along = np.linspace(0, line, max(8, int(line / 0.02)))
    return along, round_path(leg, ground, along)


def ease(share: Floats) -> Floats:
    """From 0 to 1 with a soft beginning and end, and 0 and 1 outside."""
    u = np.clip(share, 0, 1)
    return np.asarray(u + (u**2 * (3 - 2 * u) - u) * 0.6)


@dataclass
class KeepOff:
    """Obstacles: things, the floor's edge, the camera, other moving things.

    Attributes:
        world: with its obstacles.
        walk: of the camera.
        apart: metres to keep from the camera and from other moving things.
        others: places of other moving things, `RATE` times a second, each of shape (n, 2).
    """

    world: World
    walk: Walk | None
    apart: float
    others: list[Floats] = field(default_factory=list)

    def allows(self, places: Floats, parts: Sequence[tuple[Floats, Pose]], begin: float, end: float) -> bool:
        """Check that nothing is touched from one time to another.

        Args:
            places: where the middle is, `RATE` times a second from time 0, shape (n, 2).
            parts: the extents of each box that moves, and the pose of its middle.
            begin, end: seconds.
        """
        own = slice(round(begin * RATE), round(end * RATE) + 1)
        times = np.arange(len(places))[own] / RATE
        if self.walk is not None:
            camera = places_at(self.walk.times, self.walk.poses[:, :2, 3], times)
            if np.linalg.norm(camera - places[own], axis=1).min() < self.apart:
                return False
        if any(np.linalg.norm(other[own] - places[own], axis=1).min() < self.apart for other in self.others):
            return False
        return all(self._free(size, pose, begin, end) for size, pose in parts)

    @cached_property
    def _still(self) -> Boxes:
        """Static things that aren't walked over."""
        standing = [thing.box for thing in self.world.scene.objects if not thing.track]
        things = [box for box in standing if box.center[2] + box.extents[2] / 2 > _FLAT]
        return Boxes(*(np.array([getattr(box, part) for box in things]) for part in ("center", "axes", "extents")))

    @cached_property
    def _floor(self) -> Polygon | None:
        if not self.world.scene.floor:
            return None
        floor = shapely.Polygon(self.world.scene.floor[0], self.world.scene.floor[1:])
        shapely.prepare(floor)
        return floor

    def _free(self, size: Floats, pose: Pose, begin: float, end: float) -> bool:
        """Check that a box touches no obstacle, and stays on the floor."""
        still = self._still
        moved = np.array([pose(t) for t in np.arange(begin, end, 1 / TRACK)])
        boxes = Boxes(moved[:, :3, 3], moved[:, :3, :3].transpose(0, 2, 1), np.tile(size, (len(moved), 1)))
        corners = boxes.vertices().reshape(-1, 3)
        if self._floor is not None and not shapely.contains_xy(self._floor, corners[:, 0], corners[:, 1]).all():
            return False
        # Only what is near enough to be touched.
        apart = np.linalg.norm(boxes.centers[:, None] - still.centers[None], axis=2)
        reach = np.linalg.norm(size) / 2 + np.linalg.norm(still.extents, axis=1) / 2
        mine, its = np.nonzero(apart < reach)
        return not len(mine) or bool(distances(boxes.take(mine), still.take(its)).min() > 0)


CARRIED: dict[str, tuple[float, float, float]] = {
    "parcel": (0.41, 0.28, 0.24),
    "toolbox": (0.42, 0.22, 0.2),
    "suitcase": (0.42, 0.2, 0.32),
}
"""Loads of people: width, depth and height in metres; as wide as the hands are apart."""
_TAKEN_FOR = {"parcel": {"box", "crate"}, "toolbox": {"box", "crate", "briefcase"}, "suitcase": {"briefcase"}}
"""What else a load would be counted as, in small pictures."""
_WALKING_SPEED = (0.7, 1.1)
_LIFT = 0.9
"""Seconds to pick up or to put down."""
_HANDS = (0.46, 1.02)
"""Metres ahead of the body and above the ground at which things are carried: to the box's middle."""
_PERSON_CLEARANCE = 0.7
"""Metres that a person keeps from the camera and from other people."""
_ROOMY = 0.12
"""Metres that a person keeps from things beyond what a walker needs: arms and loads reach out."""
_TRIES = 600
_TURN = 1.8
"""Radians a second."""
_IRON = (0.12, 0.12, 0.13)


@dataclass(frozen=True)
class _Way(WalkingFigure):
    """Positions of a person, `RATE` times a second.

    Attributes:
        places: shape (n, 2).
        yaws: the way that the person faces, counter-clockwise from +x, shape (n,).
        swing: of the legs, -1 … 1, shape (n,).
        raised: how far the arms are, 0 … 1, shape (n,).
        held: how far the load is from the ground to the hands, 0 … 1, shape (n,).
        pick, put: steps at which the load leaves the ground and is on it again.
    """

    places: Floats
    yaws: Floats
    swing: Floats
    raised: Floats
    held: Floats
    pick: int
    put: int

    def at(self, series: Floats, seconds: float) -> Floats:
        """A series at a time, straight between its steps; at rest before and after."""
        x = float(np.clip(seconds * RATE, 0, len(series) - 1))
        low = min(int(x), len(series) - 2)
        return np.asarray(series[low] + (series[low + 1] - series[low]) * (x - low))

    def person(self, seconds: float) -> Floats:
        """The transform of the ground below the person, facing as it does."""
        x, y = self.at(self.places, seconds)
        return placed((x, y, 0.0), float(self.at(self.yaws, seconds)) - np.pi / 2)

    def stride(self, seconds: float) -> tuple[float, float]:
        """How far the legs swing and the arms are raised."""
        return float(self.at(self.swing, seconds)), float(self.at(self.raised, seconds))

    def load(self, seconds: float) -> Floats:
        """The load's transform; its origin is in the middle of its lower side."""
        step = seconds * RATE
        moment = np.clip(step, self.pick, self.put) / RATE
        matrix = self.person(float(moment))
        high = float(self.at(self.held, float(moment))) * _HANDS[1]
        matrix[:3, 3] += matrix[:3, :3] @ np.array([0.0, _HANDS[0], high])
        return matrix


def with_actors(
    world: World, seed: str, *, seconds: float, count: int = 1, walk: Walk | None = None
) -> tuple[World, tuple[str, ...]]:
    """Return a world with people in it.

    Each walks to a thing on the ground, picks it up, carries it elsewhere and puts it down, without touching obstacles,
    other people, or the camera.

    Args:
        world: a still one.
        seed: of the random draws.
        seconds: how long they act; before and after they keep still.
        count: how many people.
        walk: of the camera, to be kept away from.

    Returns:
        The world with the objects 'person-0', … and their loads, with boxes at time 0 and tracks; and notes of those
        that didn't fit.
    """
    generator = np.random.default_rng(np.frombuffer(f"actors:{seed}".encode(), dtype=np.uint8))
    present = set(world.scene.categories)
    absent = [name for name in CARRIED if name not in present]
    names = [name for name in absent if _TAKEN_FOR[name].isdisjoint(present)] or absent or ["parcel"]
    bodies: list[Body] = []
    objects: list[SceneObject] = []
    notes = []
    keep_off = KeepOff(world, walk, _PERSON_CLEARANCE)
    ground = ground_of(world, generator, _ROOMY)
    for number in range(count):
        name = names[number % len(names)]
        figure, limbs = draw_figure(generator)
        load = _load(name, generator)
        reach = reach_of(figure, limbs)
        way = None if ground is None else _draw_person(ground, generator, seconds, reach, CARRIED[name], keep_off)
        if way is None:
            notes.append(f"no room for {count - number} more person")
            break
        keep_off.others.append(way.places)
        person, thing = f"person-{number}", f"{name}-{number}"
        bodies += [Body(figure, person, way.body), Body(load, thing, way.load)]
        bodies += [Body(limb.mesh, person, partial(way.limb, limb)) for limb in limbs]
        body_box = partial(shift, way.person, reach.mean(0))
        load_box = partial(shift, way.load, np.array([0.0, 0.0, CARRIED[name][2] / 2]))
        objects.append(moving_object(person, "person", reach[1] - reach[0], body_box, seconds))
        objects.append(moving_object(thing, name, np.array(CARRIED[name]), load_box, seconds))
    return world.adding(bodies, objects), tuple(notes)


def _draw_person(
    ground: WalkableFloor, generator: np.random.Generator, seconds: float, person: Floats,
    load: tuple[float, float, float], keep_off: KeepOff,
) -> _Way | None:  # fmt: skip
    """A way that touches nothing; None where none was found."""
    places = len(ground.nodes) - ground.first
    for _ in range(_TRIES):
        start, pick, put = (int(i) for i in generator.integers(places, size=3))
        lengths = ground.length(start, pick), ground.length(pick, put)
        if min(lengths) < LEAST or sum(lengths) > _WALKING_SPEED[1] * seconds:
            continue
        legs = ground.way(start, pick), ground.way(pick, put)
        speed, wait = float(generator.uniform(*_WALKING_SPEED)), float(generator.random())
        way = _walked(legs, lengths, ground, seconds, speed, wait)
        if way is None:
            continue
        own = person[1] - person[0], partial(shift, way.person, person.mean(0))
        held = np.array(load), partial(shift, way.load, np.array([0, 0, load[2] / 2]))
        if keep_off.allows(way.places, [own, held], 0.0, seconds):
            return way
    return None


def _walked(
    legs: tuple[Floats, Floats],
    lengths: tuple[float, float],
    ground: WalkableFloor,
    seconds: float,
    speed: float,
    wait: float,
) -> _Way | None:
    """Path of a person over two legs; None where the time is too short."""
    ends, tangents = [], []
    for leg in legs:
        along, path = travel(leg, ground)
        turn = np.unwrap(np.arctan2(*np.gradient(path, axis=0).T[::-1]))
        ends.append((along, path))
        tangents.append(gaussian_filter1d(turn, 8, mode="nearest"))
    jump = (tangents[1][0] - tangents[0][-1] + np.pi) % (2 * np.pi) - np.pi
    tangents[1] = tangents[1] + (tangents[0][-1] + jump - tangents[1][0])
    spans = [lengths[0] / speed + 0.4, _LIFT, abs(jump) / _TURN + 0.1, lengths[1] / speed + 0.4, _LIFT]
    spare = seconds - sum(spans)
    if spare < 0.2:
        return None
    moments = np.cumsum([0.1 + wait * 0.5 * spare, *spans])
    times = np.arange(int(np.ceil(seconds * RATE)) + 1) / RATE
    places, yaws = np.empty((len(times), 2)), np.empty(len(times))
    for number, (begin, end) in enumerate(((moments[0], moments[1]), (moments[3], moments[4]))):
        inside = times >= (begin if number else -1)
        along, path = ends[number]
        at = along[-1] * ease((times[inside] - begin) / (end - begin))
        places[inside] = np.column_stack([np.interp(at, along, path[:, i]) for i in range(2)])
        yaws[inside] = np.interp(at, along, tangents[number])
    turning = (times >= moments[2]) & (times < moments[3])
    share = (times[turning] - moments[2]) / (moments[3] - moments[2])
    yaws[turning] = tangents[0][-1] + jump * ease(share)
    moved = np.append(0.0, np.linalg.norm(np.diff(places, axis=0), axis=1).cumsum())
    pace = gaussian_filter1d(np.gradient(moved) * RATE, 0.12 * RATE, mode="nearest")
    swing = np.sin(2 * np.pi * moved / STRIDE) * np.clip(pace / 0.8, 0, 1)
    lifted = ease((times - moments[1]) / _LIFT) - ease((times - moments[4]) / _LIFT)
    raised = np.clip(2.5 * lifted, 0, 1)
    pick, put = int(moments[1] * RATE), int(np.ceil(moments[5] * RATE))
    return _Way(places, yaws, swing, raised, lifted, pick, min(put, len(times) - 1))


def _load(name: str, generator: np.random.Generator) -> Mesh:
    """Return the model of a load, its base centred on (0, 0, 0)."""
    width, depth, height = CARRIED[name]
    if name == "parcel":
        card = np.array([0.7, 0.52, 0.34]) * generator.uniform(0.85, 1.1)
        tape = block((-0.03, -0.501, -0.001), (0.03, 0.501, 1.001), (0.82, 0.74, 0.6))
        return joined([block((-0.5, -0.5, 0), (0.5, 0.5, 1), card), tape]).fitted((width, depth, height))
    colour = generator.uniform((0.5, 0.1, 0.08), (0.8, 0.3, 0.3))[generator.permutation(3)]
    parts = [
        block((-width / 2, -depth / 2, 0), (width / 2, depth / 2, height * 0.82), colour),
        block((-width / 2, -depth / 2 - 0.004, height * 0.42), (width / 2, depth / 2 + 0.004, height * 0.47), _IRON),
        rod((-0.07, 0, height * 0.95), (0.07, 0, height * 0.95), 0.013, _IRON),
        rod((-0.07, 0, height * 0.8), (-0.07, 0, height * 0.97), 0.011, _IRON),
        rod((0.07, 0, height * 0.8), (0.07, 0, height * 0.97), 0.011, _IRON),
    ]
    return joined(parts).fitted((width, depth, height))


COLOURS: dict[str, tuple[float, float, float]] = {
    "red robot": (0.75, 0.13, 0.1),
    "blue robot": (0.1, 0.27, 0.7),
    "yellow robot": (0.9, 0.72, 0.1),
    "green robot": (0.12, 0.5, 0.2),
}
"""Names and colours of robots."""
RADIUS, HEIGHT = 0.24, 1.1
"""Metres."""
_ROBOT_SPEED = (0.4, 0.9)
_STOP = (0.5, 2.0)
"""Seconds between two ways."""
_SLOW = 0.4
"""Seconds that starting and stopping take."""
_ROBOT_CLEARANCE = 0.6
"""Metres that a robot's middle keeps from the camera and from whatever else moves."""
_STARTS, _NEXT = 50, 8
"""Numbers of starts that are tried, and of ways on at each stop."""
_DARK, _PALE = (0.1, 0.1, 0.11), (0.86, 0.86, 0.84)


@dataclass(frozen=True)
class _Drive:
    """Positions of a robot, `RATE` times a second: metres on the floor plan, shape (n, 2)."""

    places: Floats

    def middle(self, seconds: float) -> Floats:
        """The pose of its box's middle."""
        return self._at(seconds, HEIGHT / 2)

    def foot(self, seconds: float) -> Floats:
        """Return the pose of its mesh, which rests on z = 0."""
        return self._at(seconds, 0.0)

    def _at(self, seconds: float, height: float) -> Floats:
        step = float(np.clip(seconds * RATE, 0, len(self.places) - 1))
        low = min(int(step), len(self.places) - 2)
        x, y = self.places[low] + (self.places[low + 1] - self.places[low]) * (step - low)
        return placed((x, y, height))


def with_robots(
    world: World, seed: str, *, seconds: float, count: int = 1, walk: Walk | None = None
) -> tuple[World, tuple[str, ...]]:
    """Return a world with robots in it, which touch no obstacles, one another, people or the camera.

    Args:
        world: people may be in it.
        seed: of the random draws.
        seconds: how long they drive about; before and after they keep still.
        count: how many robots.
        walk: of the camera, to be kept away from.

    Returns:
        The world with the objects 'robot-0', …, their boxes at time 0 and their tracks; and notes of those that didn't
        fit.
    """
    generator = np.random.default_rng(np.frombuffer(f"robots:{seed}".encode(), dtype=np.uint8))
    times = np.arange(int(np.ceil(seconds * RATE)) + 1) / RATE
    others = [followed(thing, times) for thing in world.scene.objects if thing.track]
    keep_off = KeepOff(world, walk, _ROBOT_CLEARANCE, others)
    names = list(COLOURS)
    generator.shuffle(names)
    bodies: list[Body] = []
    objects: list[SceneObject] = []
    ground = ground_of(world, generator, 0.0)
    for number in range(count):
        drive = None if ground is None else _draw_robot_drive(ground, generator, times, keep_off)
        if drive is None:
            return world.adding(bodies, objects), (f"no room for {count - number} more robot",)
        keep_off.others.append(drive.places)
        identity, name = f"robot-{number}", names[number % len(names)]
        bodies.append(Body(_robot(COLOURS[name]), identity, drive.foot))
        size = np.array([2 * RADIUS, 2 * RADIUS, HEIGHT])
        objects.append(moving_object(identity, name, size, drive.middle, seconds))
    return world.adding(bodies, objects), ()


def _draw_robot_drive(
    ground: WalkableFloor, generator: np.random.Generator, times: Floats, keep_off: KeepOff
) -> _Drive | None:
    """A drive that touches nothing; None where none was found."""
    for _ in range(_STARTS):
        at = int(generator.integers(len(ground.nodes) - ground.first))
        drive = _Drive(np.repeat(ground.nodes[ground.first + at][None], len(times), axis=0))
        begin = float(generator.uniform(*_STOP))
        if not _free(drive, keep_off, 0.0, begin):
            continue
        while (found := _onward(ground, generator, times, keep_off, drive, at, begin)) is not None:
            drive, at, begin = found
        if begin >= times[-1]:
            return drive
    return None


def _onward(
    ground: WalkableFloor,
    generator: np.random.Generator,
    times: Floats,
    keep_off: KeepOff,
    drive: _Drive,
    at: int,
    begin: float,
) -> tuple[_Drive, int, float] | None:
    """The drive with one way more and the stop after it, or with a longer stop; where it is then, and when it goes on.

    None where the time is over, or nothing is free.
    """
    if begin >= times[-1]:
        return None
    for goal in generator.permutation(len(ground.nodes) - ground.first)[:_NEXT].tolist():
        if not LEAST <= ground.length(at, goal) < np.inf:
            continue
        along, path = travel(ground.way(at, goal), ground)
        there = begin + along[-1] / float(generator.uniform(*_ROBOT_SPEED)) + _SLOW
        gone = along[-1] * ease((times - begin) / (there - begin))
        places = np.column_stack([np.interp(gone, along, path[:, i]) for i in range(2)])
        longer = _Drive(np.where(times[:, None] < begin, drive.places, places))
        end = there + float(generator.uniform(*_STOP))
        if _free(longer, keep_off, begin, min(end, float(times[-1]))):
            return longer, goal, end
    end = begin + _STOP[0]
    return (drive, at, end) if _free(drive, keep_off, begin, min(end, float(times[-1]))) else None


def _free(drive: _Drive, keep_off: KeepOff, begin: float, end: float) -> bool:
    size = np.array([2 * RADIUS, 2 * RADIUS, HEIGHT])
    return keep_off.allows(drive.places, [(size, drive.middle)], begin, end)


def _robot(colour: tuple[float, float, float]) -> Mesh:
    """A body of revolution: a dark base, a coloured body, a pale head with a dark band around it."""
    profiles = [
        ([(0.001, 0.0), (0.22, 0.0), (0.24, 0.03), (0.24, 0.12), (0.2, 0.16)], _DARK),
        ([(0.2, 0.14), (0.22, 0.2), (0.2, 0.45), (0.15, 0.75), (0.13, 0.82)], colour),
        ([(0.12, 0.8), (0.17, 0.86), (0.18, 0.92)], _PALE),
        ([(0.18, 0.91), (0.185, 0.93), (0.185, 0.98), (0.18, 1.0)], _DARK),
        ([(0.18, 0.99), (0.17, 1.04), (0.11, 1.085), (0.001, 1.1)], _PALE),
    ]
    return joined([smoothed(turned(profile, tint, 28), 50) for profile, tint in profiles])
