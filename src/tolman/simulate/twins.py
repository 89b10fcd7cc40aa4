"""Counterfactual twins: rooms that differ in a few things, which have another place, number or size in each.

So the same question about them has another answer in each twin, and its text reveals none of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tolman.scenes import Vector
from tolman.simulate.furniture import Furniture
from tolman.simulate.placing import Placing, Spot
from tolman.simulate.plan import FloorLayout, Placed, counts_of, scaled
from tolman.simulate.room_contents import FLAT_TOPS, look_alikes
from tolman.simulate.room_shells import Room

LANDMARK, SIDE, NUMBER = "landmark", "side", "number"
EXCHANGE, SCALE, KINDS, OTHER_WALK, WATCHED = "exchange", "scale", "kinds", "walk", "watched"
DIFFERENCES = (LANDMARK, SIDE, NUMBER, EXCHANGE, SCALE, KINDS, OTHER_WALK, WATCHED)
"""In what twins differ: one thing stands beside another landmark in each, to another side of one, or is there in other
numbers; several things exchange their places; some things have other sizes; three kinds are there in other numbers; or
the camera takes another walk, which a fixed camera may watch."""
WALKS = (OTHER_WALK, WATCHED)
"""Those of the walk alone."""
SIMPLER = {EXCHANGE: SIDE, SCALE: SIDE, KINDS: NUMBER}
"""Differences for which a plan may have no room, and those that take their places."""
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
_STEADY, _OFF_MIDDLE = 0.35, 0.4
"""`_SWAY` of places that things exchange, so that one is in each quarter around the hub, and metres (standard
deviation) by which the hub is off the room's middle."""
_HANDY = 0.65
"""Metres that a thing which is exchanged is wide at most."""
_KNEE_HIGH = 0.3
"""Metres; lower things are hardly seen from across a room, and aren't exchanged."""
_LATIN = ((8, 3, 5), (5, 8, 3), (3, 5, 8), (2, 2, 2))
"""Numbers of three kinds in four twins: each kind has each of `COUNTS` once, and is the most and the fewest once."""
_SMALLER, _MOST_TRIPLES = 0.5, 4
"""Metres that a thing of such a kind is wide at most, as there are sixteen, and sets of kinds that are tried."""
_SHOWING = 0.13
"""Square metres of such a thing's broadest side, at least: questions about kinds need all of them well in view."""
LEAST_SIZE, SIZES = 0.4525, 4.0
"""Metres of the longest side at which the sizes of a thing begin, and the ratio over which they are spread."""
_SCALABLE = (0.5, 1.5)
"""Metres of the longest side of things that are scaled."""
_MOST_SCALED = 5
"""Things of a room that are."""


@dataclass(frozen=True)
class TwinThings:
    """The things in which twins differ.

    Attributes:
        shared: ids of those in the furnished shell, which takes up the room of all of them.
        own: for each twin, the things that it has in their place; none where nothing has room.
    """

    shared: tuple[str, ...] = ()
    own: tuple[tuple[Placed, ...], ...] = ()


def things_for_twins(placing: Placing, count: int, differ: str) -> TwinThings:
    """Put the things in which twins differ into a furnished shell, clear of everything and of each other.

    Which twin has which is drawn: a twin's number, and so its video's name, reveals nothing of it.

    Args:
        placing: the furnished shell; the things are added to it.
        count: of twins.
        differ: their difference, of `DIFFERENCES`; where landmarks have no room next to them, the side.
    """
    makers = {EXCHANGE: _exchanged, SCALE: _scaled, KINDS: _kinds}
    if differ in makers:
        found = makers[differ](placing, count)
    else:
        copies = _numbers(placing, count) if differ == NUMBER else _places(placing, count, differ)
        ids = list(dict.fromkeys(copy.id for own in copies for copy in own))
        # The first ids, so that nothing but what differs does.
        named = [tuple(replace(copy, id=name) for copy, name in zip(own, ids, strict=False)) for own in copies]
        found = TwinThings(tuple(ids), tuple(named))
    return replace(found, own=tuple(found.own[int(i)] for i in placing.generator.permutation(len(found.own))))


def _places(placing: Placing, count: int, differ: str) -> tuple[tuple[Placed, ...], ...]:
    """Place one copy for each twin, next to or around other things."""
    movable = [(placing.library.pieces[thing.model], [thing]) for thing in _movable(placing)]
    added: list[tuple[Furniture, list[Placed]]] = [(piece, []) for piece in _added(placing)[:_MOST_ADDED]]
    if differ == LANDMARK:
        for piece, there in [*added, *movable]:
            if copies := _beside(placing, piece, there, count):
                return tuple((copy,) for copy in copies)
    for piece, there in [*movable, *added]:
        for hub in _landmarks(placing, piece, there)[:_MOST_HUBS]:
            if copies := _around(placing, piece, hub, there, count):
                return tuple((copy,) for copy in copies)
    return ()


def _numbers(placing: Placing, count: int) -> tuple[tuple[Placed, ...], ...]:
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
            return tuple(tuple(copies[:number]) for number in counts)
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


def _around(
    placing: Placing, piece: Furniture, hub: Placed, there: list[Placed], count: int, *, sway: float = _SWAY
) -> list[Placed]:
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
            angle, away = towards + generator.uniform(-sway, sway), generator.uniform(*_AWAY)
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


def _exchanged(placing: Placing, count: int) -> TwinThings:
    """Let as many things as there are twins exchange their places, if possible around another in the room's middle.

    Each is at each place once. With four, any three of them come in four different orders: places are exchanged as in
    Klein's four-group.
    """
    there = {thing.model: thing for thing in _movable(placing)}
    offered = [*_added(placing), *(placing.library.pieces[model] for model in there)]
    chosen = _unlike([p for p in offered if p.size[2] >= _KNEE_HIGH and max(p.size[:2]) <= _HANDY], count + 1)
    if len(chosen) < count:
        return TwinThings()
    for piece in chosen:
        if piece.id in there:
            placing.remove(there[piece.id])
    chosen, others = chosen[:count], chosen[count:]
    spots = _spots_to_exchange(
        placing, replace(chosen[0], size=_largest([piece.size for piece in chosen])), others, count
    )
    own = []
    for i in range(count if spots else 0):
        order = [i ^ j if count & (count - 1) == 0 else (i + j) % count for j in range(count)]
        own.append(tuple(_there(piece, 0, spots[j]) for piece, j in zip(chosen, order, strict=True)))
    return TwinThings(tuple(spot.id for spot in spots), tuple(own))


def _spots_to_exchange(placing: Placing, stand_in: Furniture, hubs: list[Furniture], count: int) -> list[Placed]:
    """Put stand-ins on so many spots of the floor, around a hub or at any distance of each other; none if they don't
    fit."""
    rooms = sorted(placing.shell.rooms, key=lambda room: -room.polygon.area)
    middle = rooms[0].polygon.centroid
    for piece in hubs:
        away = placing.generator.normal(0, _OFF_MIDDLE, (_TRIES, 2))
        near = [
            (middle.x + float(x), middle.y + float(y), float(placing.generator.uniform(-np.pi, np.pi))) for x, y in away
        ]
        hub = placing.at(rooms[0], piece, near)
        if hub is None:
            continue
        for _ in range(_MOST_HUBS):
            spots = _around(placing, stand_in, hub, [], count, sway=_STEADY)
            if spots and all(spot.low == 0 for spot in spots):
                return spots
            _take_away(placing, spots)
        placing.remove(hub)
    spots = []
    for _ in range(_TRIES):
        spot = next((found for room in rooms if (found := placing.anywhere(room, stand_in))), None)
        if spot is None:
            break
        spots.append(spot)
        if spot.low > 0 or _too_near(spots):
            placing.remove(spots.pop())
        if len(spots) == count:
            return spots
    _take_away(placing, spots)
    return []


def _kinds(placing: Placing, count: int) -> TwinThings:
    """Put three kinds of things into a room, in numbers as `_LATIN` has them."""
    small = [
        piece
        for piece in _added(placing)
        if max(piece.size[:2]) <= _SMALLER and max(piece.size[:2]) * piece.size[2] >= _SHOWING
    ]
    rooms = sorted(placing.shell.rooms, key=lambda room: -room.polygon.area)
    spots: list[Placed] = []
    for skipped in range(_MOST_TRIPLES if count == len(_LATIN) else 0):
        chosen = _unlike(small[skipped:], len(_LATIN[0]))
        if len(chosen) < len(_LATIN[0]):
            break
        stand_in = replace(chosen[0], size=_largest([piece.size for piece in chosen]))
        while len(spots) < max(map(sum, _LATIN)):
            spot = next((found for room in rooms if (found := placing.anywhere(room, stand_in))), None)
            if spot is None:
                break
            spots.append(spot)
            if spot.low > 0:
                break
        if len(spots) == max(map(sum, _LATIN)) and spots[-1].low == 0:
            break
        _take_away(placing, spots)
        spots = []
    if not spots:
        return TwinThings()
    kinds = [[piece] * max(COUNTS) for piece in chosen]
    own = []
    for numbers in _LATIN:
        drawn = [spots[int(i)] for i in placing.generator.permutation(len(spots))]
        things = [
            (piece, i) for kind, number in zip(kinds, numbers, strict=True) for i, piece in enumerate(kind[:number])
        ]
        own.append(tuple(_there(piece, i, spot) for (piece, i), spot in zip(things, drawn, strict=False)))
    return TwinThings(tuple(spot.id for spot in spots), tuple(own))


def _scaled(placing: Placing, count: int) -> TwinThings:
    """Put some things into a room, each in as many sizes as there are twins, one in each part of the range of sizes."""
    low, high = _SCALABLE
    offered = _unlike([piece for piece in _added(placing) if low <= max(piece.size) <= high], len(placing.placed))
    rooms = sorted(placing.shell.rooms, key=lambda room: -room.polygon.area)
    spots: list[Placed] = []
    sizes: list[list[Furniture]] = []
    for piece in offered:
        drawn = placing.generator.uniform(0.15, 0.85, count)
        # Whole centimetres, as questions print them: half ones would not be asked for.
        longest = np.round(LEAST_SIZE * SIZES ** ((np.arange(count) + drawn) / count), 2)
        of_sizes = [replace(piece, size=scaled(piece.size, float(one) / max(piece.size))) for one in longest]
        spot = next((found for room in rooms if (found := placing.anywhere(room, of_sizes[-1]))), None)
        if spot is None:
            continue
        if spot.low > 0:
            placing.remove(spot)
            continue
        spots.append(spot)
        sizes.append(of_sizes)
        if len(spots) == _MOST_SCALED:
            break
    own = (
        tuple(
            _there(of_sizes[(i + n) % count], 0, spot)
            for n, (of_sizes, spot) in enumerate(zip(sizes, spots, strict=True))
        )
        for i in range(count)
    )
    return TwinThings(tuple(spot.id for spot in spots), tuple(own) if spots else ())


def _unlike(pieces: Sequence[Furniture], most: int) -> list[Furniture]:
    """Return the first pieces of different categories, no two of them look-alikes."""
    found: list[Furniture] = []
    for piece in pieces:
        names = {one.category for one in found}
        if len(found) < most and piece.category not in names and not look_alikes(piece.category) & names:
            found.append(piece)
    return found


def _largest(sizes: Sequence[Vector]) -> Vector:
    width, depth, height = np.max(sizes, axis=0).tolist()
    return width, depth, height


def _there(piece: Furniture, number: int, spot: Placed) -> Placed:
    """A piece on the floor at a spot that is taken by a larger one."""
    center = (*spot.center[:2], piece.size[2] / 2)
    return Placed(
        f"{piece.category.replace(' ', '-')}-{number}", piece.category, piece.id, center, spot.yaw, piece.size
    )


def twin_of(plan: FloorLayout, number: int) -> FloorLayout:
    """The plan with the things that a twin has.

    Args:
        plan: with the things that take up the room of all of them (`FloorLayout.shared`).
        number: of the twin, from 0.
    """
    if not plan.twins:
        return plan
    others = [thing for thing in plan.placed if thing.id not in plan.shared]
    return replace(plan, placed=(*others, *plan.twins[number]), twins=(), shared=())
