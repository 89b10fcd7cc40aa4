"""Walks: a camera carried through a world, past everything, without bumping into anything."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.gaze import EYE, Views, find_views
from tolman.simulate.ground import WalkableFloor, round_path
from tolman.simulate.outlook import PITCH
from tolman.simulate.touring import (
    PRELUDE,
    CameraPace,
    Look,
    choose_looks,
    duration,
    opening_look,
    short_tour,
    tour_within,
)
from tolman.simulate.world import World

SPEED, TURN = 1.0, np.radians(70)
"""The fastest that a walker goes and looks around, metres and radians for each second."""
_DWELL = 0.35
"""Seconds for a look."""
_PACE = CameraPace(SPEED, TURN)


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
    """Where a camera is and how it looks, frame by frame.

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


def draw_walk(world: World, seed: str, *, seconds: float, rate: int, size: tuple[int, int] = (640, 480)) -> Walk:
    """A walk that passes by as many objects as its time allows.

    Args:
        world: where.
        seed: of what is drawn.
        seconds: how long.
        rate: frames a second.
        size: of the picture, for what its angle of view shows.
    """
    times, motion = draw_motion(world, seed, seconds=seconds, rate=rate, size=size)
    return Walk(times, motion.poses)


def draw_motion(
    world: World, seed: str, *, seconds: float, rate: int, size: tuple[int, int] = (640, 480)
) -> tuple[Floats, Motion]:
    """The times of a walk's frames, seconds, and how its camera is moved; see `draw_walk`."""
    generator = np.random.default_rng(np.frombuffer(f"walk:{seed}".encode(), dtype=np.uint8))
    views = find_views(world, intrinsics_of(size), size)
    ground = WalkableFloor(world.walkable, views.eyes[:, :2])
    looks = choose_looks(views)
    cost = _costs(looks, views, ground)
    # A walk begins with a look at little, so that things come into view one after the other.
    seconds_left = seconds - PRELUDE * min(1.0, seconds / 10)
    # A neck narrower than the grid parts the floor: walk where most is to be seen.
    reach = np.isfinite(cost).sum(1)
    start = int(generator.choice(np.flatnonzero(reach == reach.max())))
    tour = short_tour([i for i in range(len(looks)) if np.isfinite(cost[start, i])], start, cost)
    if duration(tour, cost) > seconds_left:
        tour = tour_within(seconds_left, looks, views, cost)
    order = [looks[i] for i in tour]
    order.insert(0, opening_look(world, views, ground, order[0], _PACE))
    times = np.arange(round(seconds * rate)) / rate
    return times, _motion(order, views, ground, times, generator)


def _costs(looks: Sequence[Look], views: Views, ground: WalkableFloor) -> Floats:
    """Seconds from each look to each other at full speed, shape (k, k); infinite where no way leads."""
    cost = np.zeros((len(looks), len(looks)))
    for i, j in itertools.permutations(range(len(looks)), 2):
        turn = abs((looks[i][1] - looks[j][1] + np.pi) % (2 * np.pi) - np.pi)
        cost[i, j] = max(ground.length(looks[i][0], looks[j][0]) / SPEED, turn / TURN) + _DWELL
    return cost


def _motion(
    order: Sequence[Look], views: Views, ground: WalkableFloor, times: Floats, generator: np.random.Generator
) -> Motion:
    """The camera at each time: along the ways, turning from look to look, with a walker's slight sway."""
    from scipy.interpolate import PchipInterpolator
    from scipy.ndimage import gaussian_filter1d

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
        moments.append(moments[-1] + max(length / SPEED, abs(turn) / TURN) + _DWELL)
    count = len(times)
    rate = 1.0 / (times[1] - times[0]) if count > 1 else 1.0
    scaled = np.array(moments) * (times[-1] / moments[-1] if moments[-1] > 0 else 0.0)
    if len(order) == 1:
        along, yaw_at = np.zeros(count), np.full(count, yaws[0]) + np.linspace(-0.6, 0.6, count)
    else:
        along = np.asarray(PchipInterpolator(scaled, marks)(times))
        yaw_at = np.asarray(PchipInterpolator(scaled, yaws)(times))
    places = round_path(np.array(path), ground, along)
    smooth = 0.25 * rate
    places = gaussian_filter1d(places, smooth, axis=0, mode="nearest")
    yaw_at = gaussian_filter1d(yaw_at, smooth, mode="nearest")
    phase = generator.uniform(0, 2 * np.pi, 4)
    moving = gaussian_filter1d(
        np.linalg.norm(np.gradient(places, axis=0), axis=1) * rate if count > 1 else np.zeros(count), smooth
    )
    sway = np.minimum(moving, 1.0)
    height = EYE + 0.012 * sway * np.sin(2 * np.pi * 1.8 * times + phase[0])
    yaw_at = yaw_at + np.radians(0.8) * np.sin(2 * np.pi * 0.45 * times + phase[1])
    pitch = PITCH + np.radians(2.0) * np.sin(2 * np.pi * 0.2 * times + phase[2])
    roll = np.radians(0.4) * sway * np.sin(2 * np.pi * 0.9 * times + phase[3])
    return Motion(np.column_stack([places, height]), yaw_at, pitch, roll)


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
