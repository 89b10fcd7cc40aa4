"""Counterfactual twins: places that differ in one thing only, which stands elsewhere in each.

So the same question about it has another answer in each twin, and its text tells none of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tolman.simulate.furniture import Furniture
from tolman.simulate.habits import FLAT_TOPS
from tolman.simulate.names import look_alikes
from tolman.simulate.placing import Placing, Spot
from tolman.simulate.plan import FloorLayout, Placed

APART = 1.2
"""Metres between any two places of the thing that is moved."""
_TRIES = 24
"""Draws of one further place."""
_MOST_HUBS = 4
"""Things that are tried as hubs."""
_AWAY, _SWAY = (0.5, 3.5), 0.55
"""Metres between hub and places, and radians by which a place is off its even share of the circle."""
_HABITS = ("floor", "seat")
"""Of what can be moved: it belongs to no wall and to nothing else."""
_SMALL = 0.9
"""Metres that a thing which is added for being moved is wide at most."""
_MOST_ADDED = 6
"""Pieces that are tried for that."""
_ON_FLOOR = 0.03
"""Metres; what stands lower than this stands on the floor or on a rug."""


def further_places(placing: Placing, count: int) -> tuple[str, ...]:
    """Put copies of one thing at further places of a furnished shell, clear of everything and of each other.

    Args:
        placing: the furnished shell; the copies are added to it.
        count: of places, its first one too.

    Returns:
        Ids of the thing and of its copies, `count` of them; none where nothing has room at so many places.
    """
    for thing in _movable(placing):
        if copies := _spread(placing, placing.library.pieces[thing.model], [thing], count):
            return tuple(copy.id for copy in copies)
    for piece in _added(placing)[:_MOST_ADDED]:
        if copies := _spread(placing, piece, [], count):
            return tuple(copy.id for copy in copies)
    return ()


def _spread(placing: Placing, piece: Furniture, there: list[Placed], count: int) -> list[Placed]:
    """Copies of a piece at so many places around a hub, each to another side of it; none where they don't fit."""
    for hub in _hubs(placing, piece, there)[:_MOST_HUBS]:
        if copies := _around(placing, piece, hub, there, count):
            return copies
    return []


def _around(placing: Placing, piece: Furniture, hub: Placed, there: list[Placed], count: int) -> list[Placed]:
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
        for copy in reversed(copies[len(there) :]):
            placing.remove(copy)
        return []
    return copies


def _too_near(copies: list[Placed]) -> bool:
    places = np.array([copy.center[:2] for copy in copies])
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    return bool((apart[np.triu_indices(len(places), 1)] < APART).any())


def _hubs(placing: Placing, piece: Furniture, there: list[Placed]) -> list[Placed]:
    """Things around which places are sought: those that stand on the floor, the nearest to a room's middle first.

    Whoever stands at one finds the moved thing to every side.
    """
    counts: dict[str, int] = {}
    for thing in placing.placed:
        counts[thing.category] = counts.get(thing.category, 0) + 1
    found: list[tuple[float, Placed]] = []
    for room in placing.shell.rooms:
        middle = room.polygon.centroid
        if there and not room.polygon.covers(there[0].footprint):
            continue
        for thing in placing.placed:
            hub = counts[thing.category] == 1 and thing.category not in (piece.category, "rug", "door", "window")
            if hub and thing.low < _ON_FLOOR and room.polygon.buffer(0.1).covers(thing.footprint):
                off = float(thing.footprint.centroid.distance(middle)) / float(np.sqrt(room.polygon.area))
                found.append((off, thing))
    return [thing for _, thing in sorted(found, key=lambda pair: pair[0])]


def _added(placing: Placing) -> list[Furniture]:
    """Small pieces that stand anywhere and of which, and of whose look-alikes, there is none yet, in a drawn order."""
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
    """What can be moved, in a drawn order: things of which there is one, that stand on the floor and carry nothing."""
    counts: dict[str, int] = {}
    for thing in placing.placed:
        counts[thing.category] = counts.get(thing.category, 0) + 1
    found = []
    for thing in placing.placed:
        piece = placing.library.pieces.get(thing.model)
        if (
            piece is not None
            and piece.habit in _HABITS
            and counts[thing.category] == 1
            and thing.low < _ON_FLOOR
            and thing.category not in FLAT_TOPS
        ):
            found.append(thing)
    return [found[int(i)] for i in placing.generator.permutation(len(found))]


def twin_of(plan: FloorLayout, number: int) -> FloorLayout:
    """The plan with the moved thing at one of its places, under its first id.

    Args:
        plan: with all of them (`FloorLayout.moved`).
        number: of the place, from 0.
    """
    if not plan.moved:
        return plan
    kept, name = plan.moved[number], plan.moved[0]
    placed = tuple(
        replace(thing, id=name) if thing.id == kept else thing
        for thing in plan.placed
        if thing.id == kept or thing.id not in plan.moved
    )
    return replace(plan, placed=placed, moved=())
