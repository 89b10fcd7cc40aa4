"""Counterfactual twins: rooms that differ in one thing, which has another place or number in each.

So the same question about it has another answer in each twin, and its text reveals none of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tolman.simulate.furniture import Furniture
from tolman.simulate.placing import Placing, Spot
from tolman.simulate.plan import FloorLayout, Placed, counts_of
from tolman.simulate.room_contents import FLAT_TOPS, look_alikes
from tolman.simulate.room_shells import Room

LANDMARK, SIDE, NUMBER = "landmark", "side", "number"
DIFFERENCES = (LANDMARK, SIDE, NUMBER)
"""In what twins differ: one thing stands beside another landmark in each, to another side of one, or is there in other
numbers."""
APART = 1.2
"""Metres between any two places of the thing that is moved."""
LEAD = 0.4
"""Metres by which a place beside a landmark is nearer to it than to the others."""
COUNTS = (2, 3, 5, 8)
"""Numbers of the thing in up to four twins; more have every number from 2 on."""
_TRIES = 24
"""Draws of one further place."""
_MOST_HUBS = 4
"""Things that are tried as hubs."""
_AWAY, _SWAY = (0.5, 3.5), 0.55
"""Metres between hub and places, and radians by which a place is off its even share of the circle."""
_BESIDE = (0.1, 0.7)
"""Metres between a landmark's half diagonal and a place beside it."""
_HABITS = ("floor", "seat")
"""Of what can be moved: it belongs to no wall and to nothing else."""
_SMALL = 0.9
"""Metres that a thing which is added for being moved is wide at most."""
_MOST_ADDED = 6
"""Pieces that are tried for that."""
_ON_FLOOR = 0.03
"""Metres; what stands lower than this stands on the floor or on a rug."""
_NO_LANDMARKS = ("rug", "door", "window")


def copies_for_twins(placing: Placing, count: int, differ: str) -> tuple[tuple[str, ...], ...]:
    """Put copies of one thing into a furnished shell, clear of everything and of each other.

    Which twin keeps which is drawn: a twin's number, and so its video's name, reveals nothing of it.

    Args:
        placing: the furnished shell; the copies are added to it.
        count: of twins.
        differ: their difference, of `DIFFERENCES`; where landmarks have no room next to them, the side.

    Returns:
        For each twin the ids of the copies that it keeps, as `FloorLayout.twins`; none where nothing has room.
    """
    kept = _numbers(placing, count) if differ == NUMBER else _places(placing, count, differ)
    return tuple(kept[int(i)] for i in placing.generator.permutation(len(kept)))


def _places(placing: Placing, count: int, differ: str) -> tuple[tuple[str, ...], ...]:
    """Place one copy for each twin, next to or around other things."""
    movable = [(placing.library.pieces[thing.model], [thing]) for thing in _movable(placing)]
    added: list[tuple[Furniture, list[Placed]]] = [(piece, []) for piece in _added(placing)[:_MOST_ADDED]]
    if differ == LANDMARK:
        for piece, there in [*added, *movable]:
            if copies := _beside(placing, piece, there, count):
                return tuple((copy.id,) for copy in copies)
    for piece, there in [*movable, *added]:
        for hub in _landmarks(placing, piece, there)[:_MOST_HUBS]:
            if copies := _around(placing, piece, hub, there, count):
                return tuple((copy.id,) for copy in copies)
    return ()


def _numbers(placing: Placing, count: int) -> tuple[tuple[str, ...], ...]:
    """Place copies of a piece that isn't there yet, in each twin more of them."""
    counts = COUNTS[:count] if count <= len(COUNTS) else range(2, 2 + count)
    for piece in _added(placing):
        copies: list[Placed] = []
        rooms = sorted(placing.shell.rooms, key=lambda room: -room.polygon.area)
        while len(copies) < max(counts):
            copy = next((c for room in rooms if (c := placing.anywhere(room, piece))), None)
            if copy is None:
                break
            copies.append(copy)
        if len(copies) == max(counts):
            return tuple(tuple(copy.id for copy in copies[:number]) for number in counts)
        _take_away(placing, copies)
    return ()


def _beside(placing: Placing, piece: Furniture, there: list[Placed], count: int) -> list[Placed]:
    """Place copies of a piece, each next to another landmark of one room; none where they don't fit.

    So each of these landmarks is the nearest of them in one twin.
    """
    for room in placing.shell.rooms:
        near = [one for one in _landmarks(placing, piece, there) if _is_in(room, one)]
        if len(near) < count:
            continue
        copies, chosen = list(there), list[Placed]()
        if there:
            chosen.append(min(near, key=lambda one: _gap(one, there[0])))
        for number in placing.generator.permutation(len(near)).tolist():
            landmark = near[number]
            if landmark in chosen:
                continue
            copy = placing.at(room, piece, _spots_beside(placing, landmark, piece), off_doors=True)
            if copy is None:
                continue
            if _too_near([*copies, copy]) or not _each_nearest([*copies, copy], [*chosen, landmark]):
                placing.remove(copy)
                continue
            copies.append(copy)
            chosen.append(landmark)
            if len(copies) == count:
                return copies
        _take_away(placing, copies[len(there) :])
    return []


def _spots_beside(placing: Placing, landmark: Placed, piece: Furniture) -> list[Spot]:
    reach = (np.hypot(*landmark.size[:2]) + np.hypot(*piece.size[:2])) / 2
    spots: list[Spot] = []
    for _ in range(_TRIES):
        angle, away = placing.generator.uniform(-np.pi, np.pi), reach + placing.generator.uniform(*_BESIDE)
        x, y = landmark.center[0] + away * np.cos(angle), landmark.center[1] + away * np.sin(angle)
        spots.append((float(x), float(y), float(placing.generator.uniform(-np.pi, np.pi))))
    return spots


def _each_nearest(copies: Sequence[Placed], landmarks: Sequence[Placed]) -> bool:
    """Check that each copy is clearly nearer to its landmark than to all others."""
    gaps = np.array([[_gap(copy, one) for one in landmarks] for copy in copies])
    own = np.diag(gaps).copy()
    np.fill_diagonal(gaps, np.inf)
    return bool((gaps.min(1) - own >= LEAD).all())


def _gap(one: Placed, other: Placed) -> float:
    return float(one.footprint.distance(other.footprint))


def _around(placing: Placing, piece: Furniture, hub: Placed, there: list[Placed], count: int) -> list[Placed]:
    """Copies of a piece at so many places around a hub, each to another side of it; none where they don't fit."""
    copies, generator = list(there), placing.generator
    middle = np.array(hub.center[:2])
    way = np.array(there[0].center[:2]) - middle if there else generator.normal(size=2)
    begin = float(np.arctan2(way[1], way[0]))
    room = next(room for room in placing.shell.rooms if room.polygon.buffer(0.3).covers(hub.footprint))
    while len(copies) < count:
        towards = begin + 2 * np.pi * len(copies) / count
        spots: list[Spot] = []
        for _ in range(_TRIES):
            angle, away = towards + generator.uniform(-_SWAY, _SWAY), generator.uniform(*_AWAY)
            x, y = middle + away * np.array([np.cos(angle), np.sin(angle)])
            spots.append((float(x), float(y), float(generator.uniform(-np.pi, np.pi))))
        copy = placing.at(room, piece, spots, off_doors=True)
        if copy is None:
            break
        copies.append(copy)
    if len(copies) < count or _too_near(copies):
        _take_away(placing, copies[len(there) :])
        return []
    return copies


def _take_away(placing: Placing, copies: Sequence[Placed]) -> None:
    for copy in reversed(copies):
        placing.remove(copy)


def _too_near(copies: Sequence[Placed]) -> bool:
    pairs = itertools.combinations(copies, 2)
    return any(np.hypot(a.center[0] - b.center[0], a.center[1] - b.center[1]) < APART for a, b in pairs)


def _landmarks(placing: Placing, piece: Furniture, there: list[Placed]) -> list[Placed]:
    """Return things next to or around which places are sought: the only ones of their names, on the floor.

    Those nearest to a room's middle come first: from there, the moved thing can be found on every side.
    """
    counts = counts_of(placing.placed)
    found: list[tuple[float, Placed]] = []
    for room in placing.shell.rooms:
        middle = room.polygon.centroid
        if there and not room.polygon.covers(there[0].footprint):
            continue
        for thing in placing.placed:
            fits = counts[thing.category] == 1 and thing.category not in (piece.category, *_NO_LANDMARKS)
            if fits and thing.low < _ON_FLOOR and _is_in(room, thing):
                off = float(thing.footprint.centroid.distance(middle)) / float(np.sqrt(room.polygon.area))
                found.append((off, thing))
    return [thing for _, thing in sorted(found, key=lambda pair: pair[0])]


def _is_in(room: Room, thing: Placed) -> bool:
    return bool(room.polygon.buffer(0.1).covers(thing.footprint))


def _added(placing: Placing) -> list[Furniture]:
    """Return small pieces for any place, absent so far like their look-alikes, in a drawn order."""
    there = {thing.category for thing in placing.placed}
    found = [
        piece
        for piece in placing.library.usable()
        if piece.habit in _HABITS
        and max(piece.size[:2]) <= _SMALL
        and piece.category not in (FLAT_TOPS | there)
        and not look_alikes(piece.category) & there
        and placing.library.stands(piece)
    ]
    return [found[int(i)] for i in placing.generator.permutation(len(found))]


def _movable(placing: Placing) -> list[Placed]:
    """Return movable things, in a drawn order: the only ones of their kind, on the floor, that carry nothing."""
    counts, pieces = counts_of(placing.placed), placing.library.pieces
    movable = [thing for thing in placing.placed if thing.model in pieces and pieces[thing.model].habit in _HABITS]
    alone = [thing for thing in movable if counts[thing.category] == 1 and thing.low < _ON_FLOOR]
    found = [thing for thing in alone if thing.category not in FLAT_TOPS]
    return [found[int(i)] for i in placing.generator.permutation(len(found))]


def twin_of(plan: FloorLayout, number: int) -> FloorLayout:
    """The plan with the copies that a twin keeps, under the first ids.

    Args:
        plan: with all of them (`FloorLayout.twins`).
        number: of the twin, from 0.
    """
    if not plan.twins:
        return plan
    any_twin = set(itertools.chain.from_iterable(plan.twins))
    copies = [thing for thing in plan.placed if thing.id in any_twin]
    kept = [thing for thing in copies if thing.id in plan.twins[number]]
    others = [thing for thing in plan.placed if thing.id not in any_twin]
    named = [replace(thing, id=first.id) for thing, first in zip(kept, copies, strict=False)]
    return replace(plan, placed=(*others, *named), twins=())
