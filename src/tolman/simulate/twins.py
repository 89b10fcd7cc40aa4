"""Counterfactual twins: places that differ in one thing only, which stands elsewhere in each.

So the same question about it has another answer in each twin, and its text tells none of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tolman.simulate.furniture import Furniture
from tolman.simulate.habits import FLAT_TOPS
from tolman.simulate.names import look_alikes
from tolman.simulate.placing import Placing
from tolman.simulate.plan import FloorLayout, Placed

APART = 1.2
"""Metres between any two places of the thing that is moved."""
_TRIES = 12
"""Draws of one further place."""
_HABITS = ("floor", "seat")
"""Of what can be moved: it belongs to no wall and to nothing else."""
_SMALL = 0.9
"""Metres that a thing which is added for being moved is wide at most."""
_MOST_ADDED = 4
"""Pieces that are tried for that."""
_ON_FLOOR = 0.03
"""Metres; what stands lower than this stands on the floor or on a rug."""
_NEAR_WALL = 0.7
"""Share of further places that are near a wall, as those of most things are."""


def further_places(placing: Placing, count: int) -> tuple[str, ...]:
    """Put copies of one thing at further places of a furnished shell, clear of everything and of each other.

    Args:
        placing: the furnished shell; the copies are added to it.
        count: of places, its first one too.

    Returns:
        Ids of the thing and of its copies, `count` of them; none where nothing has room at so many places.
    """
    for thing in _movable(placing):
        copies = _spread(placing, placing.library.pieces[thing.model], [thing], count)
        if len(copies) == count:
            return tuple(copy.id for copy in copies)
        for copy in reversed(copies[1:]):
            placing.remove(copy)
    for piece in _added(placing)[:_MOST_ADDED]:
        copies = _spread(placing, piece, [], count)
        if len(copies) == count:
            return tuple(copy.id for copy in copies)
        for copy in reversed(copies):
            placing.remove(copy)
    return ()


def _spread(placing: Placing, piece: Furniture, there: list[Placed], count: int) -> list[Placed]:
    """Copies of a piece at up to so many places, those that are there first."""
    copies = list(there)
    while len(copies) < count and (copy := _further(placing, piece, copies)):
        copies.append(copy)
    return copies


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


def _further(placing: Placing, piece: Furniture, copies: list[Placed]) -> Placed | None:
    rooms = placing.shell.rooms
    areas = np.array([room.polygon.area for room in rooms])
    for _ in range(_TRIES):
        room = rooms[int(placing.generator.choice(len(rooms), p=areas / areas.sum()))]
        near = bool(placing.generator.random() < _NEAR_WALL)
        copy = placing.anywhere(room, piece, near_wall=near)
        if copy is None:
            return None
        if all(np.hypot(*np.subtract(copy.center[:2], other.center[:2])) >= APART for other in copies):
            return copy
        placing.remove(copy)
    return None


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
