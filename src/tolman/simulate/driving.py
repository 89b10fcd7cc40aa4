"""Driving: a low camera on a robot that drives straight ahead, turns on the spot and stops to look."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.gaze import Views, find_views
from tolman.simulate.ground import WalkableFloor
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
from tolman.simulate.walks import Motion, intrinsics_of
from tolman.simulate.world import World

HEIGHTS = 0.3, 0.6
"""Metres between which a robot's camera is."""
PACE = CameraPace(0.6, float(np.radians(50)), pitch=0.0)
"""The mean speed of a drive and of a turn; halfway they are half as fast again."""
_DWELL = 0.8
"""Seconds for a look."""
_GLANCE = 0.6
"""Radians to look around where there is one look alone."""
_LEAST_TURN = 1e-6


def draw_drive(
    world: World, seed: str, *, seconds: float, rate: int, size: tuple[int, int] = (640, 480)
) -> tuple[Floats, Motion]:
    """A robot's drive past as many objects as its time allows, level and without bumping into anything.

    Args:
        world: where.
        seed: of what is drawn.
        seconds: how long.
        rate: frames a second.
        size: of the picture, for what its angle of view shows.

    Returns:
        Times of the frames, seconds, and the camera's motion.
    """
    generator = np.random.default_rng(np.frombuffer(f"drive:{seed}".encode(), dtype=np.uint8))
    height = float(generator.uniform(*HEIGHTS))
    views = find_views(world, intrinsics_of(size), size, height)
    ground = WalkableFloor(world.walkable, views.eyes[:, :2])
    looks = choose_looks(views)
    cost = _costs(looks, views, ground)
    reach = np.isfinite(cost).sum(1)
    start = int(generator.choice(np.flatnonzero(reach == reach.max())))
    tour = short_tour([i for i in range(len(looks)) if np.isfinite(cost[start, i])], start, cost)
    seconds_left = seconds - PRELUDE * min(1.0, seconds / 10)
    if duration(tour, cost) > seconds_left:
        tour = tour_within(seconds_left, looks, views, cost)
    order = [looks[i] for i in tour]
    order.insert(0, opening_look(world, views, ground, order[0], PACE))
    times = np.arange(round(seconds * rate)) / rate
    return times, _motion(order, views, ground, times)


def _costs(looks: Sequence[Look], views: Views, ground: WalkableFloor) -> Floats:
    """Seconds from each look to each other, shape (k, k); infinite where no way leads."""
    cost = np.zeros((len(looks), len(looks)))
    for i, j in itertools.permutations(range(len(looks)), 2):
        if np.isfinite(ground.length(looks[i][0], looks[j][0])):
            cost[i, j] = sum(seconds for _, _, seconds in _steps(looks[i], looks[j], views, ground)) + _DWELL
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


def _motion(order: Sequence[Look], views: Views, ground: WalkableFloor, times: Floats) -> Motion:
    """The camera at each time: one step after the other, each with a soft beginning and end."""
    places, yaws, moments = [views.eyes[order[0][0], :2]], [order[0][1]], [0.0]

    def onward(place: Floats, yaw: float, seconds: float) -> None:
        places.append(place)
        yaws.append(yaws[-1] + (yaw - yaws[-1] + np.pi) % (2 * np.pi) - np.pi)
        moments.append(moments[-1] + seconds)

    for a, b in itertools.pairwise(order):
        for step in _steps(a, b, views, ground):
            onward(*step)
        onward(places[-1], yaws[-1], _DWELL)
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
