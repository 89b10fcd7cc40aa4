"""Walks: a camera carried through a world, past everything, without bumping into anything."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.gaze import EYE, Views, find_views
from tolman.simulate.ground import WalkableFloor, round_path
from tolman.simulate.outlook import PITCH, outlook
from tolman.simulate.world import World

if TYPE_CHECKING:
    pass

SPEED, TURN = 1.0, np.radians(70)
"""The fastest that a walker goes and looks around, metres and radians for each second."""
_DWELL = 0.35
"""Seconds for a look."""
_PRELUDE = 2.0
"""Seconds at most between a walk's first look, at little, and its second."""
_OPEN, _NOTABLE = 2.2, 0.12
"""A walk doesn't begin with its eyes on a wall, a pane or a wardrobe's side: half of its first view reaches at least so
many metres, and things fill at least such a share of it."""
_ON_THE_WAY = (0.0, 0.3, 0.6)
"""Shares of the way from the first look to the second at which that is asked for."""
_YAWS = 24
_MOST_VIEWS = 40


@dataclass(frozen=True)
class Walk:
    """Trajectory of a camera.

    Attributes:
        times: of the frames, seconds, shape (n,).
        poses: camera → scene, shape (n, 4, 4); the camera looks along +z with y down.
    """

    times: Floats
    poses: Floats


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
    generator = np.random.default_rng(np.frombuffer(f"walk:{seed}".encode(), dtype=np.uint8))
    views = find_views(world, intrinsics_of(size), size)
    ground = WalkableFloor(world.walkable, views.eyes[:, :2])
    looks = _choose(views)
    cost = _costs(looks, views, ground)
    # A walk begins with a look at little, so that things come into view one after the other.
    seconds_left = seconds - _PRELUDE * min(1.0, seconds / 10)
    # A neck narrower than the grid parts the floor: walk where most is to be seen.
    reach = np.isfinite(cost).sum(1)
    start = int(generator.choice(np.flatnonzero(reach == reach.max())))
    tour = _tour([i for i in range(len(looks)) if np.isfinite(cost[start, i])], start, cost)
    if _total(tour, cost) > seconds_left:
        tour = _within(seconds_left, looks, views, cost)
    order = [looks[i] for i in tour]
    order.insert(0, _opening(world, views, ground, order[0]))
    times = np.arange(round(seconds * rate)) / rate
    return Walk(times, _poses(order, views, ground, times, generator))


Look = tuple[int, float]
"""The number of an eye, and a yaw in radians."""


def _opening(world: World, views: Views, ground: WalkableFloor, then: Look) -> Look:
    """The look with which a walk begins: an open view of few objects, from where the next look is reached soon."""
    turns = np.linspace(-1, 1, 17) * TURN * _PRELUDE
    worths: list[tuple[float, float, int, float]] = []
    for eye in range(len(views.eyes)):
        way = ground.length(then[0], eye)
        if way > SPEED * _PRELUDE:
            continue
        found = [
            outlook(
                world,
                views.eyes[eye] * (1 - share) + views.eyes[then[0]] * share,
                then[1] + turns * (1 - share),
                views.half_angle,
            )
            for share in _ON_THE_WAY
        ]
        # Of views that reach far enough and show something, now and on the way, that of fewest objects; else the best.
        open_to = np.minimum(found[0].distance / _OPEN, 1.0)
        notable = np.minimum(np.min([view.things for view in found], axis=0) / _NOTABLE, 1.0)
        for turn, worst in zip(turns, open_to + notable, strict=True):
            shown = int(views.seen(eye, then[1] + float(turn), 0.05).sum())
            effort = 0.1 * round(abs(float(turn)), 6) + 0.2 * round(way, 6)
            worths.append((-round(float(worst), 6), shown + effort, eye, then[1] + float(turn)))
    _, _, eye, yaw = min(worths)
    return eye, yaw


def _choose(views: Views) -> list[Look]:
    """Looks that show everything: first each object once, then again from elsewhere; the most telling look first."""
    yaws = np.linspace(-np.pi, np.pi, _YAWS, endpoint=False)
    candidates = [(eye, float(yaw)) for eye in range(len(views.eyes)) for yaw in yaws]
    seen = np.array([views.seen(eye, yaw) for eye, yaw in candidates])
    # A glimpse is better than nothing for what stands half hidden.
    faint = np.array([views.seen(eye, yaw, 0.05) for eye, yaw in candidates])
    chosen: list[Look] = []
    for sight, least_apart in ((seen, 0.0), (faint, 0.0), (seen, 1.2), (seen, 1.2)):
        missing = np.ones(sight.shape[1], dtype=bool)
        if sight is faint:
            for eye, yaw in chosen:
                missing &= ~views.seen(eye, yaw)
        places: list[Floats] = [views.eyes[eye] for eye, _ in chosen] if least_apart else []
        while missing.any() and len(chosen) < _MOST_VIEWS:
            gain = (sight & missing).sum(1).astype(float)
            if places:
                away = np.min([np.linalg.norm(views.eyes - place, axis=1) for place in places], axis=0)
                gain *= np.array([away[eye] >= least_apart / 2 for eye, _ in candidates])
            best = int(gain.argmax())
            if gain[best] < 1:
                break
            chosen.append(candidates[best])
            missing &= ~sight[best]
    return chosen or [(0, 0.0)]


def _costs(looks: Sequence[Look], views: Views, ground: WalkableFloor) -> Floats:
    """Seconds from each look to each other at full speed, shape (k, k); infinite where no way leads."""
    cost = np.zeros((len(looks), len(looks)))
    for i, j in itertools.permutations(range(len(looks)), 2):
        turn = abs((looks[i][1] - looks[j][1] + np.pi) % (2 * np.pi) - np.pi)
        cost[i, j] = max(ground.length(looks[i][0], looks[j][0]) / SPEED, turn / TURN) + _DWELL
    return cost


def _tour(usable: Sequence[int], start: int, cost: Floats) -> list[int]:
    """A short order of looks: the nearest next, then pieces turned round while that helps."""
    tour = [start]
    while len(tour) < len(usable):
        rest = [i for i in usable if i not in tour]
        tour.append(min(rest, key=lambda i: (cost[tour[-1], i], i)))
    better = True
    while better:
        better = False
        for i, j in itertools.combinations(range(len(tour)), 2):
            other = tour[:i] + tour[i : j + 1][::-1] + tour[j + 1 :]
            if _total(other, cost) < _total(tour, cost) - 1e-9:
                tour, better = other, True
    return tour


def _within(seconds: float, looks: Sequence[Look], views: Views, cost: Floats) -> list[int]:
    """A tour that shows as many objects as a time allows: looks are added where they show most for their time."""
    seen = np.array([views.seen(*look, 0.05) for look in looks])
    best: tuple[int, list[int]] = (-1, [0])
    for start in range(len(looks)):
        tour, spent = [start], 0.0
        while True:
            missing = ~seen[tour].any(0)
            options = [
                (float((seen[i] & missing).sum() + 0.1) / (extra + 0.3), -extra, -i, -place)
                for i in range(len(looks))
                if i not in tour
                for extra, place in [_insertion(tour, i, cost)]
                if spent + extra <= seconds
            ]
            if not options:
                break
            _, extra, i, place = max(options)
            tour.insert(int(-place), int(-i))
            spent -= extra
        shown = int(seen[tour].any(0).sum())
        if shown > best[0]:
            best = (shown, tour)
    return best[1]


def _insertion(tour: Sequence[int], i: int, cost: Floats) -> tuple[float, int]:
    """The seconds that a look adds to a tour at its best place, and that place."""
    ends = [(float(cost[i, tour[0]]), 0), (float(cost[tour[-1], i]), len(tour))]
    between = [
        (float(cost[a, i] + cost[i, b] - cost[a, b]), place + 1)
        for place, (a, b) in enumerate(itertools.pairwise(tour))
    ]
    return min(ends + between)


def _total(tour: Sequence[int], cost: Floats) -> float:
    return float(sum(cost[a, b] for a, b in itertools.pairwise(tour)))


def _poses(
    order: Sequence[Look], views: Views, ground: WalkableFloor, times: Floats, generator: np.random.Generator
) -> Floats:
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
    return looking(np.column_stack([places, height]), yaw_at, pitch, roll)


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
