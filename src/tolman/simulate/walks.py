"""Walks: cameras that move through a world and touch nothing: walked with, held in a hand, or on a robot.

A robot's camera is low, drives straight ahead, turns on the spot and stops to look. Tremor is a hand's contribution to
a camera's motion, as noise of three bands of frequencies. Its amplitudes are root mean squares of two hand-held shots
that were tracked frame by frame, by Welch's spectrum. They are "Walk to the Store" and "Investigation" of Camera
Shakify, 123 and 372 frames at 24 frames a second (EatTheFuture/camera_shakify@a59d9f91, `shake_data.py`, CC0). In each
band the values are between those of the two shots. Steps are among them: 1 to 3 Hz up and down.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from tolman.errors import unknown
from tolman.geometry.boxes import Floats
from tolman.simulate.view_planning import (
    DIRECTIONS,
    EDGE,
    EYE,
    PITCH,
    PRELUDE,
    CameraPace,
    Look,
    Views,
    central_look,
    choose_looks,
    duration,
    find_views,
    opening_look,
    short_tour,
    surroundings,
    tour_within,
)
from tolman.simulate.world import WalkableFloor, World, round_path

SPEED, TURN = 1.0, np.radians(70)
"""The fastest that a walker goes and looks around, metres and radians for each second."""
_WALK_DWELL = 0.35
"""Seconds for a look."""
_PACE = CameraPace(SPEED, TURN)
_ROUND, _STEPS = 0.4, (12, 8, 4)
"""Share of its time that a look all round may take, and steps of one: the more, the slower it is."""
_DRAWN = 0.75
"""Share of its time that a drawn order of looks may take at full speed: splines between looks are faster."""


@dataclass(frozen=True)
class Walk:
    """Trajectory of a camera.

    Attributes:
        times: of the frames, seconds, shape (n,).
        poses: camera → scene, shape (n, 4, 4); the camera looks along +z with y down.
    """

    times: Floats
    poses: Floats


@dataclass(frozen=True)
class Motion:
    """A camera's places and directions, frame by frame.

    Attributes:
        places: metres, shape (n, 3).
        yaw, pitch, roll: radians, as `looking` takes them, shape (n,).
    """

    places: Floats
    yaw: Floats
    pitch: Floats
    roll: Floats

    @property
    def poses(self) -> Floats:
        """Camera → scene, shape (n, 4, 4)."""
        return looking(self.places, self.yaw, self.pitch, self.roll)


def intrinsics_of(size: tuple[int, int], angle: float = 72.0) -> tuple[float, float, float, float]:
    """A pinhole camera with a horizontal angle of view in degrees: fx, fy, cx, cy in pixels."""
    focal = size[0] / 2 / np.tan(np.radians(angle) / 2)
    return float(focal), float(focal), size[0] / 2, size[1] / 2


def draw_motion(
    world: World, seed: str, *, seconds: float, rate: int, size: tuple[int, int] = (640, 480), clear: bool = False,
    twin: int | None = None,
) -> tuple[Floats, Motion]:  # fmt: skip
    """Draw a walk that passes by as many objects as its time allows; arguments and results as for `draw_trajectory`."""
    generator = np.random.default_rng(np.frombuffer(f"walk:{seed}".encode(), dtype=np.uint8))
    views = find_views(world, intrinsics_of(size), size)
    ground = WalkableFloor(world.walkable, views.eyes[:, :2])
    ahead = surroundings(world, views.eyes, views.half_angle).ahead if clear else None
    if twin is None:
        order = _drawn_order(world, views, ground, _walk_costs, _PACE, seconds, generator, ahead)
    else:
        order = _order_of_twin(views, ground, _walk_costs, seconds, generator, twin, ahead)
    times = np.arange(round(seconds * rate)) / rate
    return times, _walk_motion(order, views, ground, times, generator, world if clear else None)


_Costs = Callable[[Sequence[Look], Views, WalkableFloor], Floats]


def _drawn_order(
    world: World, views: Views, ground: WalkableFloor, costs: _Costs,
    pace: CameraPace, seconds: float, generator: np.random.Generator, ahead: Floats | None = None,
) -> list[Look]:  # fmt: skip
    """The looks of a recording in their order, as many as its time allows."""
    looks = choose_looks(views, ahead)
    cost = costs(looks, views, ground)
    # A recording begins with a look at little, so that things come into view one after the other.
    seconds_left = seconds - PRELUDE * min(1.0, seconds / 10)
    # A neck narrower than the grid parts the floor: go where most is to be seen.
    reach = np.isfinite(cost).sum(1)
    start = int(generator.choice(np.flatnonzero(reach == reach.max())))
    tour = short_tour([i for i in range(len(looks)) if np.isfinite(cost[start, i])], start, cost)
    if duration(tour, cost) > seconds_left:
        tour = tour_within(seconds_left, looks, views, cost)
    order = [looks[i] for i in tour]
    return [opening_look(world, views, ground, order[0], pace), *order]


def _order_of_twin(
    views: Views, ground: WalkableFloor, costs: _Costs, seconds: float, generator: np.random.Generator, twin: int,
    ahead: Floats | None = None,
) -> list[Look]:  # fmt: skip
    """The looks of a twin's recording, so that what comes first, and what is where at the end, differs among twins.

    It begins in the middle with a look all round, in four twins either way from either side. Looks in a drawn order
    follow, as many as its time allows. It ends there, in each twin turned by a quarter from the one before.
    """
    eye, begin, end = central_look(views)
    way, start = (1, -1)[twin % 2], begin + np.pi * (twin // 2 % 2)
    begun: list[Look] = [(eye, start)]
    for steps in _STEPS:
        round_it = [(eye, start + way * step * 2 * np.pi / steps) for step in range(steps + 1)]
        if duration(range(steps + 1), costs(round_it, views, ground)) <= _ROUND * seconds:
            begun = round_it
            break
    looks = [*begun, *choose_looks(views, ahead), (eye, end + twin * np.pi / 2)]
    cost, last, fixed = costs(looks, views, ground), len(looks) - 1, len(begun)
    tour = [*range(fixed), last]
    for look in range(fixed, last):
        longer = [[*tour[:place], look, *tour[place:]] for place in range(fixed, len(tour))]
        fitting = [one for one in longer if duration(one, cost) <= _DRAWN * seconds]
        if fitting:
            tour = fitting[int(generator.integers(len(fitting)))]
    return [looks[i] for i in tour]


def _walk_costs(looks: Sequence[Look], views: Views, ground: WalkableFloor) -> Floats:
    """Seconds from each look to each other at full speed, shape (k, k); infinite where no way leads."""
    cost = np.zeros((len(looks), len(looks)))
    for i, j in itertools.permutations(range(len(looks)), 2):
        turn = abs((looks[i][1] - looks[j][1] + np.pi) % (2 * np.pi) - np.pi)
        cost[i, j] = max(ground.length(looks[i][0], looks[j][0]) / SPEED, turn / TURN) + _WALK_DWELL
    return cost


def _walk_motion(
    order: Sequence[Look], views: Views, ground: WalkableFloor, times: Floats, generator: np.random.Generator,
    world: World | None = None,
) -> Motion:  # fmt: skip
    """The camera at each time: along the ways, turning from look to look, with a walker's slight sway.

    Given a world, it turns away from near surfaces between the looks.
    """
    path, marks = [views.eyes[order[0][0], :2]], [0.0]
    yaws, moments = [order[0][1]], [0.0]
    for (a, _), (b, yaw) in itertools.pairwise(order):
        way = ground.way(a, b) if a != b else path[-1][None]
        length = 0.0
        for point in way[1:]:
            length += float(np.linalg.norm(point - path[-1]))
            path.append(point)
        turn = (yaw - yaws[-1] + np.pi) % (2 * np.pi) - np.pi
        marks.append(marks[-1] + length)
        yaws.append(yaws[-1] + turn)
        moments.append(moments[-1] + max(length / SPEED, abs(turn) / TURN) + _WALK_DWELL)
    count = len(times)
    rate = 1.0 / (times[1] - times[0]) if count > 1 else 1.0
    scaled = np.array(moments) * ((times[-1] or 1.0) / moments[-1] if moments[-1] > 0 else 0.0)  # 0 with one frame
    if len(order) == 1:
        along, yaw_at = np.zeros(count), np.full(count, yaws[0]) + np.linspace(-0.6, 0.6, count)
    else:
        along = np.asarray(PchipInterpolator(scaled, marks)(times))
        yaw_at = np.asarray(PchipInterpolator(scaled, yaws)(times))
    places = round_path(np.array(path), ground, along)
    smooth = 0.25 * rate
    places = gaussian_filter1d(places, smooth, axis=0, mode="nearest")
    if world is not None and count > 1:
        yaw_at = _clear_gaze(world, views, order, scaled, times, places, yaw_at)
    yaw_at = gaussian_filter1d(yaw_at, smooth, mode="nearest")
    phase = generator.uniform(0, 2 * np.pi, 4)
    moving = np.linalg.norm(np.gradient(places, axis=0), axis=1) * rate if count > 1 else np.zeros(count)
    sway = np.minimum(gaussian_filter1d(moving, smooth), 1.0)
    height = EYE + 0.012 * sway * np.sin(2 * np.pi * 1.8 * times + phase[0])
    yaw_at = yaw_at + np.radians(0.8) * np.sin(2 * np.pi * 0.45 * times + phase[1])
    pitch = PITCH + np.radians(2.0) * np.sin(2 * np.pi * 0.2 * times + phase[2])
    roll = np.radians(0.4) * sway * np.sin(2 * np.pi * 0.9 * times + phase[3])
    return Motion(np.column_stack([places, height]), yaw_at, pitch, roll)


_GAZE = 0.25
"""Seconds between the moments for which a gaze is chosen."""
_FASTEST = 3
"""Steps of `DIRECTIONS` that it turns from one moment to the next."""
_COMFORTABLE, _MANY = 2.0, 4
"""Metres from which nothing is too near; things from which a view has enough of them."""
_NEAR, _BLOCKED, _EMPTY, _OFF, _LOST, _ONCE, _EARLY, _TURNING = 4.0, 3.0, 1.5, 0.15, 2.0, 8.0, 1.0, 0.02
"""Costs: of the square of metres that lack, of a view that is blocked or empty, of the square of radians off the plan,
of a thing that looks, or one look alone, should show or the first shouldn't, and of the square of a turn."""


def _clear_gaze(
    world: World, views: Views, order: Sequence[Look], moments: Floats, times: Floats, places: Floats, planned: Floats
) -> Floats:
    """Choose yaws that keep looks' things in view and near surfaces out of its middle, radians, shape (n,).

    They are those of least cost, found by dynamic programming over moments and directions.
    """
    steps = max(2, round(float(times[-1]) / _GAZE) + 1)
    when = np.linspace(0.0, times[-1], steps)
    eyes = np.column_stack(
        [*(np.interp(when, times, places[:, i]) for i in range(2)), np.full(steps, views.eyes[0, 2])]
    )
    around = surroundings(world, eyes, views.half_angle)
    directions = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    near = np.clip(_COMFORTABLE - around.ahead, 0.0, 1.5) ** 2
    nearest = np.linalg.norm(views.eyes[:, None] - eyes, axis=2).argmin(0)
    things = views.seen(np.repeat(nearest, DIRECTIONS), np.tile(directions, steps)).sum(1).reshape(steps, DIRECTIONS)
    off = _apart(directions, np.interp(when, times, planned)[:, None])
    cost = _NEAR * near + _BLOCKED * around.blocked + _EMPTY * (1 - np.minimum(things / _MANY, 1)) + _OFF * off**2
    planned_for = np.array([views.seen(*look, 0.05) for look in order])
    worth = np.where(planned_for.sum(0) == 1, _ONCE, _LOST)
    for number, ((eye, _), moment, own) in enumerate(zip(order, moments, planned_for, strict=True)):
        apart, faint = _apart(directions[:, None], views.bearings[eye]), views.shown[eye] >= 0.05
        extra = (apart[:, own] > views.half_angle - EDGE) @ worth[own]
        if not number:  # What the first look leaves out comes into view later.
            extra = extra + _EARLY * (apart[:, faint & ~own] < views.half_angle).sum(1)
        cost[np.abs(when - moment).argmin()] += extra
    cost = cost.round(6)  # the last digits are the processor's
    turns = np.arange(-_FASTEST, _FASTEST + 1)
    before = (np.arange(DIRECTIONS)[:, None] - turns) % DIRECTIONS
    total, best = cost[0], np.zeros((steps, DIRECTIONS), dtype=np.intp)
    for step in range(1, steps):
        options = total[before] + _TURNING * turns**2
        best[step], total = options.argmin(1), options.min(1) + cost[step]
    at, yaws = int(total.argmin()), np.zeros(steps)
    for step in range(steps - 1, 0, -1):
        yaws[step], at = turns[best[step, at]], int(before[at, best[step, at]])
    yaws[0] = at
    return np.asarray(PchipInterpolator(when, yaws.cumsum() * 2 * np.pi / DIRECTIONS)(times))


def _apart(one: Floats, other: Floats) -> Floats:
    """The angle between directions, radians."""
    return np.asarray(np.abs((one - other + np.pi) % (2 * np.pi) - np.pi))


def looking(places: Floats, yaw: Floats, pitch: Floats, roll: Floats) -> Floats:
    """Camera poses, shape (n, 4, 4).

    Args:
        places: metres, shape (n, 3).
        yaw: counter-clockwise from +x, radians, shape (n,).
        pitch: upwards, radians.
        roll: clockwise as the camera sees it, radians.
    """
    ahead = np.stack([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)], axis=1)
    right = np.stack([np.sin(yaw), -np.cos(yaw), np.zeros_like(yaw)], axis=1)
    down = np.cross(ahead, right)
    poses = np.tile(np.eye(4), (len(places), 1, 1))
    poses[:, :3, 0] = right * np.cos(roll)[:, None] + down * np.sin(roll)[:, None]
    poses[:, :3, 1] = down * np.cos(roll)[:, None] - right * np.sin(roll)[:, None]
    poses[:, :3, 2] = ahead
    poses[:, :3, 3] = places
    return poses


HEIGHTS = 0.3, 0.6
"""Metres between which a robot's camera is."""
PACE = CameraPace(0.6, float(np.radians(50)), pitch=0.0)
"""The mean speed of a drive and of a turn; halfway they are half as fast again."""
_DRIVE_DWELL = 0.8
"""Seconds for a look."""
_GLANCE = 0.6
"""Radians to look around where there is one look alone."""
_LEAST_TURN = 1e-6


def draw_drive(
    world: World, seed: str, *, seconds: float, rate: int, size: tuple[int, int] = (640, 480), twin: int | None = None
) -> tuple[Floats, Motion]:
    """Draw a robot's drive past as many objects as its time allows, level and without bumping into anything.

    Args:
        world: where.
        seed: of the random draws.
        seconds: how long.
        rate: frames a second.
        size: of the picture, for its angle of view.
        twin: as for `draw_trajectory`.

    Returns:
        Times of the frames, seconds, and the camera's motion.
    """
    generator = np.random.default_rng(np.frombuffer(f"drive:{seed}".encode(), dtype=np.uint8))
    height = float(generator.uniform(*HEIGHTS))
    views = find_views(world, intrinsics_of(size), size, height)
    ground = WalkableFloor(world.walkable, views.eyes[:, :2])
    if twin is None:
        order = _drawn_order(world, views, ground, _drive_costs, PACE, seconds, generator)
    else:
        order = _order_of_twin(views, ground, _drive_costs, seconds, generator, twin)
    times = np.arange(round(seconds * rate)) / rate
    return times, _drive_motion(order, views, ground, times)


def _drive_costs(looks: Sequence[Look], views: Views, ground: WalkableFloor) -> Floats:
    """Seconds from each look to each other, shape (k, k); infinite where no way leads."""
    cost = np.zeros((len(looks), len(looks)))
    for i, j in itertools.permutations(range(len(looks)), 2):
        if np.isfinite(ground.length(looks[i][0], looks[j][0])):
            cost[i, j] = sum(seconds for _, _, seconds in _steps(looks[i], looks[j], views, ground)) + _DRIVE_DWELL
        else:
            cost[i, j] = np.inf
    return cost


def _steps(a: Look, b: Look, views: Views, ground: WalkableFloor) -> list[tuple[Floats, float, float]]:
    """Turns and drives from one look to another: each one's end, the yaw there (not unwrapped), and its seconds."""
    place, yaw = views.eyes[a[0], :2], a[1]
    found: list[tuple[Floats, float, float]] = []

    def turn(towards: float) -> None:
        nonlocal yaw
        angle = abs((towards - yaw + np.pi) % (2 * np.pi) - np.pi)
        if angle > _LEAST_TURN:
            found.append((place, towards, float(angle / PACE.turn)))
            yaw = towards

    for point in ground.way(a[0], b[0])[1:] if a[0] != b[0] else []:
        length = float(np.linalg.norm(point - place))
        if length > _LEAST_TURN:
            turn(float(np.arctan2(*(point - place)[::-1])))
            place = point
            found.append((place, yaw, length / PACE.speed))
    turn(b[1])
    return found


def _drive_motion(order: Sequence[Look], views: Views, ground: WalkableFloor, times: Floats) -> Motion:
    """The camera at each time: one step after the other, each with a soft beginning and end."""
    places, yaws, moments = [views.eyes[order[0][0], :2]], [order[0][1]], [0.0]

    def onward(place: Floats, yaw: float, seconds: float) -> None:
        places.append(place)
        yaws.append(yaws[-1] + (yaw - yaws[-1] + np.pi) % (2 * np.pi) - np.pi)
        moments.append(moments[-1] + seconds)

    for a, b in itertools.pairwise(order):
        for step in _steps(a, b, views, ground):
            onward(*step)
        onward(places[-1], yaws[-1], _DRIVE_DWELL)
    if not np.ptp(yaws) and not np.ptp(places, axis=0).any():
        # There is but one place to be and one thing to see: it looks around it.
        onward(places[-1], yaws[-1] + _GLANCE, _GLANCE / PACE.turn)
    # Slower where there is time for it, never faster: then the last looks are left out.
    scaled = np.array(moments) * max(1.0, times[-1] / moments[-1])
    begun = np.clip(np.searchsorted(scaled, times, side="right") - 1, 0, len(scaled) - 2)
    share = np.clip((times - scaled[begun]) / np.maximum(scaled[begun + 1] - scaled[begun], 1e-9), 0.0, 1.0)
    share = share * share * (3 - 2 * share)
    corners, angles = np.array(places), np.array(yaws)
    plan = corners[begun] + (corners[begun + 1] - corners[begun]) * share[:, None]
    yaw = angles[begun] + (angles[begun + 1] - angles[begun]) * share
    level = np.zeros(len(times))
    return Motion(np.column_stack([plan, np.full(len(times), views.eyes[0, 2])]), yaw, level, level)


WAVES = 8
"""Sine waves that make up the noise of one band."""


@dataclass(frozen=True)
class TremorBand:
    """Noise of a band of frequencies.

    Attributes:
        low, high: hertz.
        shift: root mean square of its shift of x, y and z, metres.
        turn: of its turn of yaw, pitch and roll, degrees.
    """

    low: float
    high: float
    shift: tuple[float, float, float]
    turn: tuple[float, float, float]


BANDS = (
    TremorBand(0.25, 1.0, (0.008, 0.008, 0.005), (0.5, 0.45, 0.3)),
    TremorBand(1.0, 3.0, (0.002, 0.002, 0.004), (0.22, 0.25, 0.1)),
    TremorBand(3.0, 8.0, (0.0003, 0.0003, 0.0002), (0.04, 0.015, 0.02)),
)


def most(rms: float) -> float:
    """The greatest amplitude that noise of a root mean square can have."""
    return float(rms * np.sqrt(2 * WAVES))


def with_tremor(motion: Motion, times: Floats, seed: str) -> Motion:
    """A camera's motion in a hand.

    The noise is a function of time: other rates show the same motion.

    Args:
        motion: of the camera.
        times: of its frames, seconds, shape (n,).
        seed: of the noise.
    """
    generator = np.random.default_rng(np.frombuffer(f"tremor:{seed}".encode(), dtype=np.uint8))
    added = np.zeros((6, len(times)))
    for band in BANDS:
        for row, rms in enumerate((*band.shift, *np.radians(band.turn))):
            # Evenly over the logarithm of frequency: a hand's spectrum falls steeply.
            pitch = np.exp(generator.uniform(np.log(band.low), np.log(band.high), WAVES))
            phase = generator.uniform(0, 2 * np.pi, WAVES)
            waves = np.sin(2 * np.pi * pitch[:, None] * times + phase[:, None])
            added[row] += rms * np.sqrt(2 / WAVES) * waves.sum(0)
    yaw, pitch, roll = np.array([motion.yaw, motion.pitch, motion.roll]) + added[3:]
    return Motion(motion.places + added[:3].T, yaw, pitch, roll)


WALK, HANDHELD, ROBOT = CAMERAS = ("walk", "handheld", "robot")


def draw_trajectory(
    world: World, seed: str, *, camera: str = WALK, seconds: float, rate: int, size: tuple[int, int] = (640, 480),
    clear: bool = False, twin: int | None = None,
) -> Walk:  # fmt: skip
    """Draw the trajectory of a moving camera.

    Args:
        world: where.
        seed: of the random draws.
        camera: one of `CAMERAS`: 'walk' passes by as many objects as its time allows, 'handheld' is the same walk with
            the tremor of a hand, 'robot' a drive.
        seconds: how long.
        rate: frames a second.
        size: of the picture, for its angle of view.
        clear: whether a walker turns from near surfaces, as in homes; robots don't.
        twin: its number among twins that differ in their walks; None for the walk that is shortest.

    Raises:
        UsageError: there is no such camera.
    """
    if camera not in CAMERAS:
        raise unknown("camera", camera, CAMERAS)
    if camera == ROBOT:
        times, motion = draw_drive(world, seed, seconds=seconds, rate=rate, size=size, twin=twin)
    else:
        times, motion = draw_motion(world, seed, seconds=seconds, rate=rate, size=size, clear=clear, twin=twin)
    if camera == HANDHELD:
        motion = with_tremor(motion, times, seed)
    return Walk(times, motion.poses)
