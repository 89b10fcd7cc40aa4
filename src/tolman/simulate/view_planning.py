"""View planning: which views show which objects, how far each reaches, and the tours that show everything.

Views are computed from boxes and the floor's outline alone, so that a walk doesn't depend on how a machine draws or
casts rays. A tour has the looks that show everything, in an order, and those with which a recording begins.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.simulate.world import WalkableFloor, World

EYE = 1.5
"""Height of the camera in metres."""
_GRID = 0.45
_SHRINK = 0.03
"""Metres by which occluders are thinner than their boxes: furniture doesn't fill its box."""
_FAR = 7.0
_PIXELS = 600.0
"""Pixels that an object should have in a view that is planned for it."""
EDGE = np.radians(7)
"""Angle to a picture's edge within which nothing is counted on."""


@dataclass(frozen=True)
class Views:
    """Places of the camera and ways to look.

    Attributes:
        eyes: places of the camera, shape (e, 3), metres.
        bearings: of each object's middle from each eye, radians, shape (e, n).
        shown: how much of each object is open to each eye, 0 … 1, shape (e, n); 0 where it would be too small.
        half_angle: half of the horizontal angle of view, radians.
    """

    eyes: Floats
    bearings: Floats
    shown: Floats
    half_angle: float

    def seen(self, eye: int | NDArray[np.intp], yaw: float | Floats, least: float = 0.35) -> NDArray[np.bool_]:
        """Find objects that are seen well from an eye that looks along `yaw` (radians), shape (n,).

        For several eyes and a yaw of each, shape (k, n).
        """
        off = np.abs((self.bearings[eye] - np.asarray(yaw)[..., None] + np.pi) % (2 * np.pi) - np.pi)
        return np.asarray((self.shown[eye] >= least) & (off < self.half_angle - EDGE))


def find_views(
    world: World, intrinsics: tuple[float, float, float, float], size: tuple[int, int], height: float = EYE
) -> Views:
    """All places on a grid over the walkable floor, `height` metres above it."""
    area = max(shapely.get_parts(world.walkable), key=lambda part: float(part.area))
    low_x, low_y, high_x, high_y = area.bounds
    x, y = np.meshgrid(np.arange(low_x, high_x, _GRID), np.arange(low_y, high_y, _GRID))
    inside = shapely.contains_xy(area, x, y)
    places = np.column_stack([x[inside], y[inside]])
    if not len(places):
        middle = shapely.point_on_surface(area)
        places = np.array([[middle.x, middle.y]])
    eyes = np.column_stack([places, np.full(len(places), height)])
    centers = np.array([thing.box.center for thing in world.scene.objects])
    bearings = np.arctan2(centers[None, :, 1] - eyes[:, None, 1], centers[None, :, 0] - eyes[:, None, 0])
    half_angle = float(np.arctan(size[0] / 2 / intrinsics[0]))
    return Views(eyes, bearings, _shown(world, eyes, intrinsics[0]), half_angle)


def _shown(world: World, eyes: Floats, focal: float) -> Floats:
    """The share of some points of each object that each eye sees."""
    things = world.scene.objects
    floor = shapely.Polygon(world.scene.floor[0], world.scene.floor[1:]) if world.scene.floor else None
    if floor is not None:
        shapely.prepare(floor)
    axes = np.array([thing.box.axes for thing in things])
    centers = np.array([thing.box.center for thing in things])
    halves = np.array([thing.box.extents for thing in things]) / 2
    shown = np.zeros((len(eyes), len(things)))
    # What stands on a desk below its raised part is inside the desk's box and yet open to the eye.
    offsets = np.einsum("bij,tbj->tbi", axes, centers[:, None] - centers[None])
    holds = (np.abs(offsets) < halves).all(-1)
    for number in range(len(things)):
        targets = centers[number] + (_SAMPLES * halves[number]) @ axes[number]
        if floor is not None and not floor.contains(shapely.Point(centers[number, :2])):
            # A door or a window stands back in its wall: look at where its front would meet the room.
            targets = centers[number] + (_FRONT * halves[number] + (0.0, 0.15, 0.0)) @ axes[number]
        distance = np.linalg.norm(centers[number] - eyes, axis=1)
        face = np.sort(halves[number])[1:].prod() * 4
        near = (distance <= _FAR) & (face * (focal / np.maximum(distance, 0.3)) ** 2 >= _PIXELS)
        others = ~holds[number]
        solid = np.maximum(halves[others] - _SHRINK, 1e-3)
        blocked = _blocked(eyes[near], targets, centers[others], axes[others], solid)
        if floor is not None:
            ends = np.broadcast_arrays(eyes[near][:, None, :2], targets[None, :, :2])
            blocked |= ~shapely.covers(floor, shapely.linestrings(np.stack(ends, axis=2)))
        shown[near, number] = 1.0 - blocked.mean(1)
    return shown


_SAMPLES = np.array(
    [[x, y, z] for x in (-0.6, 0.6) for y in (-0.6, 0.6) for z in (-0.6, 0.6)] + [[0, 0, 0.8], [0, 0, 0]]
)
_FRONT = np.array([[x, 1.0, z] for x in (-0.6, 0.0, 0.6) for z in (-0.6, 0.0, 0.6)])


def _blocked(eyes: Floats, targets: Floats, centers: Floats, axes: Floats, halves: Floats) -> NDArray[np.bool_]:
    """Check whether boxes are between eyes and points (slab test), shape (eyes, targets)."""
    blocked = np.zeros((len(eyes), len(targets)), dtype=bool)
    for center, turn, half in zip(centers, axes, halves, strict=True):
        origin = ((eyes - center) @ turn.T)[:, None]
        ways = (targets[None] - eyes[:, None]) @ turn.T
        safe = np.where(np.abs(ways) < 1e-12, 1e-12, ways)
        one, two = (-half - origin) / safe, (half - origin) / safe
        enter, leave = np.minimum(one, two).max(-1), np.maximum(one, two).min(-1)
        blocked |= (enter < leave) & (leave > 0) & (enter < 0.98)
    return blocked


PITCH = np.radians(-13)
"""The mean pitch of a walker's camera, upwards."""
_COLUMNS, _ROWS = 11, 7
"""Rays across and up a view."""
_ASPECT = 0.75
_FILLED = 0.8
"""Share of a box's sides that its thing is counted to fill."""
FIXTURES = frozenset({"door", "window", "rug"})
"""Categories that belong to walls and floors."""
_RIGHT_BEFORE = 1.2
"""Metres within which something stands in the way of a view."""


@dataclass(frozen=True)
class Outlook:
    """Distances and things in views.

    Attributes:
        distance: median distance of the view, metres, shape (k,).
        things: share of the view that shows things other than walls, floors and their fixtures, 0 … 1, shape (k,).
        blocked: share of the view in which something is nearer than 1.2 m, 0 … 1, shape (k,).
    """

    distance: Floats
    things: Floats
    blocked: Floats


def outlook(world: World, eye: Floats, yaws: Floats, half_angle: float, pitch: float = PITCH) -> Outlook:
    """Measure the views of an eye in some directions.

    Args:
        world: its still objects count, and its floor's outline as a wall.
        eye: metres, shape (3,).
        yaws: counter-clockwise from +x, radians, shape (k,).
        half_angle: half of the horizontal angle of view, radians.
        pitch: of the camera, upwards, radians.
    """
    views = (len(yaws), _COLUMNS * _ROWS)
    distances, shown = (met.reshape(views) for met in _met(world, eye, _ways(yaws, half_angle, pitch)))
    blocked = (distances < _RIGHT_BEFORE).mean(1)
    return Outlook(np.median(distances, axis=1), shown.mean(1), blocked)


def _met(world: World, eye: Floats, ways: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Metres to the first surface on each way from an eye, and whether it is a thing's, shape (n,)."""
    distances = _to_the_shell(world, eye, ways)
    shown = np.zeros(len(ways), dtype=bool)
    for thing in world.scene.objects:
        if thing.category in FIXTURES or thing.track:
            continue
        axes, half = np.array(thing.box.axes), np.array(thing.box.extents) / 2 * _FILLED
        away = np.array(thing.box.center) - eye
        onward, beyond = ways @ away, away @ away - half @ half
        some = np.flatnonzero((beyond <= 0) | (onward * np.abs(onward) >= beyond))  # the ball around the box
        if not len(some):
            continue
        origin, along = axes @ -away, ways[some] @ axes.T
        safe = np.where(np.abs(along) < 1e-12, 1e-12, along)
        one, two = (-half - origin) / safe, (half - origin) / safe
        enter, leave = np.minimum(one, two).max(1), np.maximum(one, two).min(1)
        hit = (enter < leave) & (leave > 0) & (np.maximum(enter, 0) < distances[some])
        distances[some[hit]] = np.maximum(enter, 0)[hit]
        shown[some[hit]] = True
    return distances, shown


def _ways(yaws: Floats, half_angle: float, pitch: float) -> Floats:
    """Unit vectors through the pixels of coarse pictures, one picture after the other, shape (n, 3)."""
    across = np.tan(half_angle)
    x, y = np.meshgrid(np.linspace(-0.92, 0.92, _COLUMNS) * across, np.linspace(-0.92, 0.92, _ROWS) * across * _ASPECT)
    ahead = np.cos(pitch) + y.ravel() * np.sin(-pitch)
    up = np.sin(pitch) + y.ravel() * np.cos(pitch)
    c, s = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    ways = np.stack([c * ahead + s * x.ravel(), s * ahead - c * x.ravel(), np.tile(up, (len(yaws), 1))], axis=-1)
    return np.asarray((ways / np.linalg.norm(ways, axis=-1, keepdims=True)).reshape(-1, 3))


def _to_the_shell(world: World, eye: Floats, ways: Floats) -> Floats:
    """Metres to the ground or to the wall on each way, infinite where there is neither, shape (n,)."""
    down = np.minimum(ways[:, 2], -1e-12)
    distances = np.where(ways[:, 2] < 0, -eye[2] / down, np.inf)
    for ring in world.scene.floor:
        corners = np.array(ring)
        for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            side, toward = end - start, start - eye[:2]
            across = ways[:, 0] * side[1] - ways[:, 1] * side[0]
            safe = np.where(np.abs(across) < 1e-12, 1e-12, across)
            distance = (toward[0] * side[1] - toward[1] * side[0]) / safe
            place = (toward[0] * ways[:, 1] - toward[1] * ways[:, 0]) / safe
            hit = (distance > 0) & (place >= 0) & (place <= 1)
            distances = np.where(hit & (distance < distances), distance, distances)
    return distances


DIRECTIONS = 72
"""Directions around an eye, from +x counter-clockwise, whose views are measured."""
_STEEPS = np.radians(np.linspace(-29, 29, 7))
"""Up and down a view, from its middle."""
_MIDDLE_COLUMNS, _MIDDLE_ROWS = 2, slice(2, 5)
"""Directions to each side, and rows, that are a view's middle third."""
CLEAR = 1.7
"""Metres that the middle third of a view should be away in the median."""


@dataclass(frozen=True)
class Surroundings:
    """Distances from eyes in each of `DIRECTIONS`.

    Attributes:
        ahead: median distance of the view's middle third, metres, shape (k, d).
        blocked: as an `Outlook`'s, shape (k, d).
    """

    ahead: Floats
    blocked: Floats


def surroundings(world: World, eyes: Floats, half_angle: float, pitch: float = PITCH) -> Surroundings:
    """Measure the views of eyes, shape (k, 3), by rays that neighbouring views share; the rest as for `outlook`."""
    yaws, steep = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS, _STEEPS + pitch
    around = np.stack(np.broadcast_arrays(
        np.cos(yaws)[:, None] * np.cos(steep), np.sin(yaws)[:, None] * np.cos(steep), np.sin(steep)
    ), axis=-1)  # fmt: skip
    met = [_met(world, eye, around.reshape(-1, 3))[0] for eye in eyes]
    distances = np.reshape(met, (len(eyes), *around.shape[:2]))

    def views(reach: int) -> NDArray[np.intp]:
        return (np.arange(DIRECTIONS)[:, None] + np.arange(-reach, reach + 1)) % DIRECTIONS

    middle, whole = views(_MIDDLE_COLUMNS), views(int(half_angle * DIRECTIONS / (2 * np.pi)))
    return Surroundings(
        np.median(distances[:, middle, _MIDDLE_ROWS], axis=(2, 3)),
        (distances < _RIGHT_BEFORE)[:, whole].mean((2, 3)),
    )


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
        found = []
        for share in _ON_THE_WAY:
            place = views.eyes[eye] * (1 - share) + views.eyes[then[0]] * share
            found.append(outlook(world, place, then[1] + turns * (1 - share), views.half_angle, pace.pitch))
        # Of views that reach far enough and show something, now and on the way, that of fewest objects; else the best.
        open_to = np.minimum(found[0].distance / _OPEN, 1.0)
        notable = np.minimum(np.min([view.things for view in found], axis=0) / _NOTABLE, 1.0)
        for turn, worst in zip(turns, open_to + notable, strict=True):
            shown = int(views.seen(eye, then[1] + float(turn), 0.05).sum())
            effort = 0.1 * round(abs(float(turn)), 6) + 0.2 * round(way, 6)
            worths.append((-round(float(worst), 6), shown + effort, eye, then[1] + float(turn)))
    _, _, eye, yaw = min(worths)
    return eye, yaw


_AXIS = np.radians(20)
"""How far an object's bearing may be off the axes of a look for it to be clearly ahead, left, right or behind."""


def central_look(views: Views) -> tuple[int, float, float]:
    """The eye around which the most sets of four objects are to be seen well, one in each quarter, and two yaws.

    Along the first is the middle of a quarter; along the second, or across it, the most objects are. Radians.
    """
    quarters = np.arange(0.0, np.pi / 2, np.pi / 12)
    well = views.shown >= 0.35
    among = ((views.bearings[:, None] - quarters[:, None]) % (2 * np.pi) // (np.pi / 2)).astype(int)
    counts = [((among == quarter) & well[:, None]).sum(2) for quarter in range(4)]
    eye, place = np.unravel_index(int(np.prod(counts, axis=0).argmax()), counts[0].shape)
    bearings, yaws = views.bearings[eye, well[eye]], np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    off = (bearings - yaws[:, None] + np.pi / 4) % (np.pi / 2) - np.pi / 4
    end = int((np.abs(off) < _AXIS).sum(1).argmax())
    return int(eye), float(quarters[place] + np.pi / 4), float(yaws[end])


def choose_looks(views: Views, ahead: Floats | None = None) -> list[Look]:
    """Choose looks that show everything: first each object once, then again from elsewhere; the best look first.

    Args:
        views: to choose from.
        ahead: of the eyes' `Surroundings`: looks that are `CLEAR` come first, others for objects that those don't show.
    """
    eyes = np.repeat(np.arange(len(views.eyes)), _YAWS)
    yaws = np.tile(np.linspace(-np.pi, np.pi, _YAWS, endpoint=False), len(views.eyes))
    seen = views.seen(eyes, yaws)
    # A glimpse is better than nothing for what stands half hidden.
    faint = views.seen(eyes, yaws, 0.05)
    chosen: list[Look] = []
    rounds = [(seen, 0.0), (faint, 0.0), (seen, 1.2), (seen, 1.2)]
    if ahead is not None:
        clear = (ahead[:, :: DIRECTIONS // _YAWS] >= CLEAR)[eyes, (_YAWS // 2 + np.arange(len(yaws))) % _YAWS, None]
        rounds = [(seen & clear, 0.0), (faint & clear, 0.0), (faint, 0.0), (seen & clear, 1.2), (seen & clear, 1.2)]
    for number, (sight, least_apart) in enumerate(rounds):
        missing = np.ones(sight.shape[1], dtype=bool)
        if number and not least_apart:
            for eye, yaw in chosen:
                missing &= ~views.seen(eye, yaw)
        places: list[Floats] = [views.eyes[eye] for eye, _ in chosen] if least_apart else []
        while missing.any() and len(chosen) < _MOST_VIEWS:
            gain = (sight & missing).sum(1).astype(float)
            if places:
                away = np.min([np.linalg.norm(views.eyes - place, axis=1) for place in places], axis=0)
                gain *= away[eyes] >= least_apart / 2
            best = int(gain.argmax())
            if gain[best] < 1:
                break
            chosen.append((int(eyes[best]), float(yaws[best])))
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
    gaps = enumerate(itertools.pairwise(tour), start=1)
    between = [(float(cost[a, i] + cost[i, b] - cost[a, b]), place) for place, (a, b) in gaps]
    return min(ends + between)


def duration(tour: Sequence[int], cost: Floats) -> float:
    """The seconds of a tour."""
    return float(sum(cost[a, b] for a, b in itertools.pairwise(tour)))
