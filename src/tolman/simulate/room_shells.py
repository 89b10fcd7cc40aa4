"""Shells of rooms and homes, drawn from a seed: floors, walls with thickness, doors, windows and passages.

A home is a rectangle cut into two to six rooms, with doorways between them so that each can be reached.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

import numpy as np
import shapely
from shapely import Polygon

from tolman.geometry.boxes import Floats

Shape = Literal["rectangle", "l-shape", "two-rooms", "home"]
ROOM_SHAPES: tuple[Shape, ...] = get_args(Shape)
SINGLE_ROOMS = ("rectangle", "l-shape")
OUTER, INNER = 0.24, 0.12
"""Thickness of walls in metres."""
CORNER = 0.35
"""Metres between an opening and a corner."""
_LINTEL = 2.1
"""Metres above the floor at which windows end."""


_DOOR, _HEAD, _WINDOW, _PANE = (0.85, 1.05), (1.95, 2.1), (0.8, 1.9), (0.55, 1.25)
"""Metres: least and greatest width of doors and passages, height of these, width of windows, height of these. Medians
are those of the boxes of real rooms (83 windows, 172 doors of VSI-Bench's scenes)."""


@dataclass(frozen=True)
class Opening:
    """A hole in a wall.

    Attributes:
        kind: a door with its leaf, a window with its pane, or a passage without either.
        start, end: along the wall from its beginning, in metres.
        low, high: above the floor, in metres.
    """

    kind: Literal["door", "window", "passage"]
    start: float
    end: float
    low: float
    high: float


@dataclass(frozen=True)
class Wall:
    """One straight wall; the room is to the left of the way from `a` to `b`.

    Attributes:
        a, b: its ends on the room's side, metres.
        thickness: in metres.
        openings: in order along the wall.
    """

    a: tuple[float, float]
    b: tuple[float, float]
    thickness: float
    openings: tuple[Opening, ...] = ()

    @property
    def length(self) -> float:
        """Metres."""
        return float(np.hypot(self.b[0] - self.a[0], self.b[1] - self.a[1]))

    @property
    def along(self) -> Floats:
        """Unit vector from a to b."""
        return np.asarray((np.array(self.b) - np.array(self.a)) / self.length)

    @property
    def inward(self) -> Floats:
        """Unit vector into the room."""
        x, y = self.along
        return np.array([-y, x])

    def point(self, along: float, inward: float = 0.0) -> Floats:
        """A point so far along the wall and into the room."""
        return np.asarray(np.array(self.a) + self.along * along + self.inward * inward)


@dataclass(frozen=True)
class Room:
    """One room.

    Attributes:
        outline: corners counter-clockwise, metres.
        walls: one for each side.
    """

    outline: tuple[tuple[float, float], ...]
    walls: tuple[Wall, ...]

    @property
    def polygon(self) -> Polygon:
        """Its floor."""
        return shapely.Polygon(self.outline)

    @property
    def is_end(self) -> bool:
        """Whether no way leads through it: it has one passage, and no door."""
        return [o.kind for wall in self.walls for o in wall.openings if o.kind != "window"] == ["passage"]


@dataclass(frozen=True)
class Shell:
    """Shell of a room before anything is furnished.

    Attributes:
        shape: of the whole.
        rooms: one to six.
        height: of the ceiling, metres.
        passages: the floors of the passages between rooms.
    """

    shape: Shape
    rooms: tuple[Room, ...]
    height: float
    passages: tuple[tuple[tuple[float, float], ...], ...] = ()

    @property
    def floor(self) -> Polygon:
        """All floor of the rooms, the passages' included."""
        parts = [room.polygon for room in self.rooms]
        # A turned passage touches its rooms up to rounding only.
        parts += [shapely.Polygon(passage).buffer(1e-6, join_style="mitre") for passage in self.passages]
        return cast("Polygon", shapely.union_all(parts))


def draw_shell(shape: Shape, generator: np.random.Generator, *, size: float = 1.0) -> Shell:
    """Draw rooms of a shape other than 'home', whose rooms `draw_home` draws.

    Args:
        shape: which.
        generator: source of the random draws.
        size: scale of the floor's sides.
    """
    height = float(np.round(generator.uniform(2.45, 2.8), 2))
    if shape == "rectangle":
        width, depth = _sides(generator, (3.8, 6.2), (3.4, 5.2), size)
        return Shell(shape, (room_of(rectangle_from(0, 0, width, depth), generator),), height)
    if shape == "l-shape":
        width, depth = _sides(generator, (5.0, 7.0), (4.6, 6.2), size)
        x, y = width * generator.uniform(0.45, 0.6), depth * generator.uniform(0.45, 0.6)
        outline = [(0.0, 0.0), (width, 0.0), (width, y), (x, y), (x, depth), (0.0, depth)]
        return Shell(shape, (room_of(outline, generator),), height)
    left, depth = _sides(generator, (3.4, 4.6), (3.4, 4.6), size)
    right, _ = _sides(generator, (3.0, 4.2), (3.4, 4.6), size)
    wide, high = _between(generator, _DOOR), _between(generator, _HEAD)
    door = float(generator.uniform(0.6, depth - 0.6 - wide))
    # Seen from the left room, its partition runs up; from the right room, the same wall runs down.
    leading = {1: (Opening("passage", door, door + wide, 0, high),)}
    first = room_of(rectangle_from(0, 0, left, depth), generator, leading)
    begin = left + INNER
    back = depth - door - wide
    leading = {3: (Opening("passage", back, back + wide, 0, high),)}
    second = room_of(rectangle_from(begin, 0, begin + right, depth), generator, leading, doors=0)
    return Shell(shape, (first, second), height, (tuple(rectangle_from(left, door, begin, door + wide)),))


def _between(generator: np.random.Generator, ends: tuple[float, float]) -> float:
    """A length between two, to the millimetre."""
    return float(np.round(generator.uniform(*ends), 3))


def _sides(
    generator: np.random.Generator, width: tuple[float, float], depth: tuple[float, float], size: float
) -> tuple[float, float]:
    return float(np.round(size * generator.uniform(*width), 2)), float(np.round(size * generator.uniform(*depth), 2))


def rectangle_from(x: float, y: float, right: float, top: float) -> list[tuple[float, float]]:
    """Its corners, counter-clockwise."""
    return [(x, y), (right, y), (right, top), (x, top)]


def room_of(
    outline: list[tuple[float, float]],
    generator: np.random.Generator,
    partitions: Mapping[int, tuple[Opening, ...]] | None = None,
    doors: int = 1,
) -> Room:
    """Make a room, with doors and windows drawn for its outer walls.

    Args:
        outline: its corners, counter-clockwise, metres.
        generator: source of the random draws.
        partitions: the walls to other rooms, by their numbers, with their passages in order.
        doors: how many lead out.
    """
    partitions = partitions or {}
    ends = [*outline[1:], outline[0]]
    walls = [
        Wall(a, b, INNER if i in partitions else OUTER, partitions.get(i, ()))
        for i, (a, b) in enumerate(zip(outline, ends, strict=True))
    ]
    free = [i for i, wall in enumerate(walls) if i not in partitions and wall.length > 2 * CORNER + _DOOR[1]]
    order = [int(i) for i in generator.permutation(free)]
    for number, i in enumerate(order):
        wall = walls[i]
        if number < doors:
            width, high = _between(generator, _DOOR), _between(generator, _HEAD)
            start = float(generator.uniform(CORNER, wall.length - CORNER - width))
            opening = Opening("door", start, start + width, 0.0, high)
        elif number < doors + 2 and wall.length > 1.8:
            width = float(min(generator.uniform(*_WINDOW), wall.length - 2 * CORNER))
            start = float(generator.uniform(CORNER, max(CORNER, wall.length - CORNER - width)))
            pane = _between(generator, _PANE)
            opening = Opening("window", start, start + width, round(_LINTEL - pane, 3), _LINTEL)
        else:
            continue
        walls[i] = Wall(wall.a, wall.b, wall.thickness, (opening,))
    return Room(tuple(outline), tuple(walls))


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
    """Rooms and the openings between them: by room and side, with their places along the wall."""

    rooms: list[Rectangle]
    open: dict[tuple[int, int], list[Opening]] = field(default_factory=dict)
    floors: list[tuple[tuple[float, float], ...]] = field(default_factory=list)

    def doorways(self, number: int) -> int:
        """How many a room has."""
        return sum(len(own) for (room, _), own in self.open.items() if room == number)


def draw_home(generator: np.random.Generator) -> Shell:
    """Draw rooms of a home: the more of them, the larger it is."""
    height = float(np.round(generator.uniform(2.45, 2.8), 2))
    for _ in range(_TRIES):
        count = int(generator.integers(2, MOST_ROOMS, endpoint=True))
        cut = _opened(_cut(count, generator), generator)
        if cut is not None:
            break
    else:  # pragma: no cover  every second draw or so can be opened
        raise AssertionError("no home could be drawn")
    outline = _bounds(cut.rooms)
    # The front door opens into the room with most doorways, the larger one of two.
    entrance = max(range(len(cut.rooms)), key=lambda number: (cut.doorways(number), _area(cut.rooms[number])))
    rooms = []
    for number, own in enumerate(cut.rooms):
        inner = {
            side: tuple(sorted(cut.open.get((number, side), []), key=lambda opening: opening.start))
            for side in range(4)
            if not _outer(own, side, outline)
        }
        rooms.append(room_of(rectangle_from(*own), generator, inner, doors=int(number == entrance)))
    return Shell("home", tuple(rooms), height, tuple(cut.floors))


def _cut(count: int, generator: np.random.Generator) -> list[Rectangle]:
    """A rectangle cut again and again, each time the largest part across its longer side."""
    area = count * generator.uniform(*_ROOM_AREA)
    aspect = generator.uniform(*_ASPECT)
    width, depth = float(np.round(np.sqrt(area * aspect), 2)), float(np.round(np.sqrt(area / aspect), 2))
    parts: list[Rectangle] = [(0.0, 0.0, width, depth)]
    while len(parts) < count:
        parts.sort(key=_area)
        x, y, right, top = parts.pop()
        share = float(generator.uniform(0.38, 0.62))
        if right - x >= top - y:
            at = round(x + share * (right - x), 2)
            parts += [(x, y, at - INNER / 2, top), (at + INNER / 2, y, right, top)]
        else:
            at = round(y + share * (top - y), 2)
            parts += [(x, y, right, at - INNER / 2), (x, at + INNER / 2, right, top)]
    return parts


def _opened(parts: list[Rectangle], generator: np.random.Generator) -> _Cut | None:
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
        wide = max(_NARROWEST, _between(generator, _DOOR))
        if high - low < wide + 2 * CORNER:
            continue
        start = float(np.round(generator.uniform(low + CORNER, high - CORNER - wide), 3))
        _open(cut, i, j, upright, (start, start + wide), _between(generator, _HEAD))
        old, new = reached[j], reached[i]
        reached = [new if group == old else group for group in reached]
    return cut if len(set(reached)) == 1 else None


def _shared(one: Rectangle, other: Rectangle) -> tuple[bool, float, float] | None:
    """Return whether a second rectangle is right of (True) or above (False) a first, across a partition, and where."""
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


def _area(part: Rectangle) -> float:
    return (part[2] - part[0]) * (part[3] - part[1])


def _bounds(parts: list[Rectangle]) -> Rectangle:
    x, y, right, top = np.array(parts).T
    return float(x.min()), float(y.min()), float(right.max()), float(top.max())


def _outer(own: Rectangle, side: int, outline: Rectangle) -> bool:
    """Check whether a room's lower, right, upper or left side (0 to 3) is the home's own."""
    place = (1, 2, 3, 0)[side]
    return abs(own[place] - outline[place]) < 1e-6
