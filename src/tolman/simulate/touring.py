"""Touring: which looks show everything, in which order, and with which a recording begins."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.gaze import Views
from tolman.simulate.ground import WalkableFloor
from tolman.simulate.outlook import PITCH, outlook
from tolman.simulate.world import World

PRELUDE = 2.0
"""Seconds at most between a recording's first look, at little, and its second."""
_OPEN, _NOTABLE = 2.2, 0.12
"""A walk doesn't begin with its eyes on a wall, a pane or a wardrobe's side: half of its first view reaches at least so
many metres, and things fill at least such a share of it."""
_ON_THE_WAY = (0.0, 0.3, 0.6)
"""Shares of the way from the first look to the second at which that is asked for."""
_YAWS = 24
_MOST_VIEWS = 40

Look = tuple[int, float]
"""The number of an eye, and a yaw in radians."""


@dataclass(frozen=True)
class CameraPace:
    """How fast a camera is moved.

    Attributes:
        speed, turn: metres and radians a second.
        pitch: its mean pitch, upwards, radians.
    """

    speed: float
    turn: float
    pitch: float = PITCH


def opening_look(world: World, views: Views, ground: WalkableFloor, then: Look, pace: CameraPace) -> Look:
    """The look with which a recording begins: an open view of few objects, from where the next look is reached soon."""
    turns = np.linspace(-1, 1, 17) * pace.turn * PRELUDE
    worths: list[tuple[float, float, int, float]] = []
    for eye in range(len(views.eyes)):
        way = ground.length(then[0], eye)
        if way > pace.speed * PRELUDE:
            continue
        found = [
            outlook(
                world,
                views.eyes[eye] * (1 - share) + views.eyes[then[0]] * share,
                then[1] + turns * (1 - share),
                views.half_angle,
                pace.pitch,
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


def choose_looks(views: Views) -> list[Look]:
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


def short_tour(usable: Sequence[int], start: int, cost: Floats) -> list[int]:
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
            if duration(other, cost) < duration(tour, cost) - 1e-9:
                tour, better = other, True
    return tour


def tour_within(seconds: float, looks: Sequence[Look], views: Views, cost: Floats) -> list[int]:
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


def duration(tour: Sequence[int], cost: Floats) -> float:
    """The seconds of a tour."""
    return float(sum(cost[a, b] for a, b in itertools.pairwise(tour)))
