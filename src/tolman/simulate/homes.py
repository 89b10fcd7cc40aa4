"""Homes: a rectangle cut into two to six rooms, with doorways between them so that each can be reached."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

from tolman.simulate.rooms import CORNER, INNER, Opening, OpeningSizes, Shell, between, rectangle_from, room_of

MOST_ROOMS = 6
LEAST_SIDE = 2.4
"""Metres; no room is narrower."""
_ROOM_AREA = (10.0, 17.0)
"""Square metres for each room of a home."""
_ASPECT = (1.0, 1.6)
_LOOP = 0.35
"""Probability of a doorway more than are needed."""
_NARROWEST = 0.9
"""Metres; a doorway of a home is at least as wide, so that a walker gets through."""
_TRIES = 200

Rectangle = tuple[float, float, float, float]
"""Least x, least y, greatest x, greatest y."""


@dataclass
class _Cut:
    """Rooms and what has been opened between them: by room and side, where along the wall."""

    rooms: list[Rectangle]
    open: dict[tuple[int, int], list[Opening]] = field(default_factory=dict)
    floors: list[tuple[tuple[float, float], ...]] = field(default_factory=list)


def draw_home(generator: np.random.Generator, openings: OpeningSizes, *, most: int = MOST_ROOMS) -> Shell:
    """Rooms of a home: the more of them, the larger it is.

    Args:
        generator: what is drawn comes from it.
        openings: sizes of doors and windows.
        most: rooms at most, from 2.
    """
    height = float(np.round(generator.uniform(2.45, 2.8), 2))
    for _ in range(_TRIES):
        count = int(generator.integers(2, most, endpoint=True))
        cut = _opened(_cut(count, generator), generator, openings)
        if cut is not None:
            break
    else:  # pragma: no cover  every second draw or so can be opened
        raise AssertionError("no home could be drawn")
    outline = _bounds(cut.rooms)
    entrance = int(generator.integers(len(cut.rooms)))
    rooms = []
    for number, own in enumerate(cut.rooms):
        inner = {
            side: tuple(sorted(cut.open.get((number, side), []), key=lambda opening: opening.start))
            for side in range(4)
            if not _outer(own, side, outline)
        }
        rooms.append(room_of(rectangle_from(*own), generator, openings, inner, doors=int(number == entrance)))
    return Shell("home", tuple(rooms), height, tuple(cut.floors))


def _cut(count: int, generator: np.random.Generator) -> list[Rectangle]:
    """A rectangle cut again and again, each time the largest part across its longer side."""
    area = count * generator.uniform(*_ROOM_AREA)
    aspect = generator.uniform(*_ASPECT)
    width, depth = float(np.round(np.sqrt(area * aspect), 2)), float(np.round(np.sqrt(area / aspect), 2))
    parts: list[Rectangle] = [(0.0, 0.0, width, depth)]
    while len(parts) < count:
        parts.sort(key=lambda part: (part[2] - part[0]) * (part[3] - part[1]))
        x, y, right, top = parts.pop()
        share = float(generator.uniform(0.38, 0.62))
        if right - x >= top - y:
            at = round(x + share * (right - x), 2)
            parts += [(x, y, at - INNER / 2, top), (at + INNER / 2, y, right, top)]
        else:
            at = round(y + share * (top - y), 2)
            parts += [(x, y, right, at - INNER / 2), (x, at + INNER / 2, right, top)]
    return parts


def _opened(parts: list[Rectangle], generator: np.random.Generator, openings: OpeningSizes) -> _Cut | None:
    """Rooms with doorways that join them all; None where a room is too narrow or can't be reached."""
    if any(min(right - x, top - y) < LEAST_SIDE for x, y, right, top in parts):
        return None
    cut = _Cut(parts)
    pairs = [
        (i, j, *found)
        for i, j in itertools.permutations(range(len(parts)), 2)
        if (found := _shared(parts[i], parts[j]))
    ]
    reached = list(range(len(parts)))
    for number in generator.permutation(len(pairs)):
        i, j, upright, low, high = pairs[int(number)]
        joined = reached[i] == reached[j]
        if joined and generator.random() > _LOOP / len(pairs):
            continue
        wide = max(_NARROWEST, between(generator, openings.door))
        if high - low < wide + 2 * CORNER:
            continue
        start = float(np.round(generator.uniform(low + CORNER, high - CORNER - wide), 3))
        _open(cut, i, j, upright, (start, start + wide), between(generator, openings.head))
        old, new = reached[j], reached[i]
        reached = [new if group == old else group for group in reached]
    return cut if len(set(reached)) == 1 else None


def _shared(one: Rectangle, other: Rectangle) -> tuple[bool, float, float] | None:
    """Whether a second rectangle lies right of (True) or above (False) a first, a partition between, and along what."""
    if abs(other[0] - one[2] - INNER) < 1e-6:
        low, high = max(one[1], other[1]), min(one[3], other[3])
        return (True, low, high) if high - low > _NARROWEST else None
    if abs(other[1] - one[3] - INNER) < 1e-6:
        low, high = max(one[0], other[0]), min(one[2], other[2])
        return (False, low, high) if high - low > _NARROWEST else None
    return None


def _open(cut: _Cut, i: int, j: int, upright: bool, span: tuple[float, float], head: float) -> None:
    """Open a doorway in the two faces of a partition; each wall counts from its own beginning."""
    one, other = cut.rooms[i], cut.rooms[j]
    start, end = span
    if upright:
        # The right wall of the one runs up from its lower corner, the left wall of the other down from its upper one.
        cut.open.setdefault((i, 1), []).append(Opening("passage", start - one[1], end - one[1], 0.0, head))
        cut.open.setdefault((j, 3), []).append(Opening("passage", other[3] - end, other[3] - start, 0.0, head))
        floor = rectangle_from(one[2], start, other[0], end)
    else:
        cut.open.setdefault((i, 2), []).append(Opening("passage", one[2] - end, one[2] - start, 0.0, head))
        cut.open.setdefault((j, 0), []).append(Opening("passage", start - other[0], end - other[0], 0.0, head))
        floor = rectangle_from(start, one[3], end, other[1])
    cut.floors.append(tuple(floor))


def _bounds(parts: list[Rectangle]) -> Rectangle:
    x, y, right, top = np.array(parts).T
    return float(x.min()), float(y.min()), float(right.max()), float(top.max())


def _outer(own: Rectangle, side: int, outline: Rectangle) -> bool:
    """Whether a room's lower, right, upper or left side (0 to 3) is the home's own."""
    place = (1, 2, 3, 0)[side]
    return abs(own[place] - outline[place]) < 1e-6
