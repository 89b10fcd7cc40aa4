"""Plans of parks and of courtyards: their areas, their paths, and their things.

A park has a round path, a plaza or a pond in the middle, a playground, and lawns with trees. A courtyard is an inner
court with buildings on three or four sides, and with their doors and balconies.

A plan is numbers alone, as a room's plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np
import shapely
from shapely import Polygon

from tolman.geometry.boxes import Floats
from tolman.scenes import Vector
from tolman.simulate.fittings import SIZES
from tolman.simulate.greenery import SPECIES, SPRUCE
from tolman.simulate.mesh import REVEAL
from tolman.simulate.placing import Spot, in_one_piece, stands_clear, walking_floor
from tolman.simulate.plan import Placed, rectangle, scaled, turn_things
from tolman.simulate.room_shells import rectangle_from
from tolman.simulate.world import Lane, rounded
from tolman.simulate.yard_things import YARD_SIZES

OpenKind = Literal["park", "courtyard"]
OPEN_KINDS: tuple[OpenKind, ...] = ("park", "courtyard")
LAYER = 0.004
"""Metres by which a path lies above a lawn: less, and the two flicker at a distance."""
LANE_ROOM = 0.95
"""Metres that things keep from the middle of a way on which bicycles ride."""
_GAP = 0.12
_TRIES = 40


@dataclass(frozen=True)
class Area:
    """A part of the ground that is covered with something else than the rest.

    Attributes:
        cover: 'path', 'plaza', 'bark', 'lawn' or 'gravel'.
        outline: corners on the floor plan, not turned, shape (n, 2).
        layer: how many of the ground's layers it is above the lowest.
        ring: whether the second half of the corners is the inner edge, backwards.
    """

    cover: str
    outline: Floats
    layer: int = 1
    ring: bool = False

    @property
    def polygon(self) -> Polygon:
        """It on the floor plan."""
        if self.ring:
            half = len(self.outline) // 2
            return shapely.Polygon(self.outline[:half], [self.outline[half:]])
        return shapely.Polygon(self.outline)


@dataclass(frozen=True)
class OpenPlace:
    """A park or a courtyard.

    Attributes:
        id: the scene's.
        kind: which.
        size: metres along x and y; its lower left corner is the origin.
        turn: the whole's turn about the origin, radians.
        placed: everything that is asked about, turned already.
        areas: of the ground, not turned.
        round: the way on which bicycles ride, turned already.
        closed: sides with buildings, of 'south', 'east', 'north', 'west'.
        storeys: of the building on each side.
        notes: requested things that didn't fit.
        style: seed of colours and materials.
    """

    id: str
    kind: OpenKind
    size: tuple[float, float]
    turn: float
    placed: tuple[Placed, ...]
    areas: tuple[Area, ...]
    round: Lane
    closed: tuple[str, ...] = ()
    storeys: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    style: int = 0

    @property
    def floor(self) -> Polygon:
        """The ground that holds everything that is asked about, doors apart."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        corners = np.array([[0, 0], [self.size[0], 0], list(self.size), [0, self.size[1]]])
        return shapely.Polygon(corners @ np.array([[c, s], [-s, c]]))


@dataclass
class OpenPlacing:
    """Ground on which things are being put, not turned yet.

    Attributes:
        size: metres along x and y.
        areas: of the ground.
        lane: the way on which bicycles ride.
        generator: source of the random draws.
        placed: so far.
        notes: things that didn't fit.
    """

    size: tuple[float, float]
    areas: tuple[Area, ...]
    lane: Lane
    generator: np.random.Generator
    placed: list[Placed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.floor = shapely.box(0, 0, *self.size)
        self._shapes = [(area, area.polygon) for area in self.areas]
        self._lane = shapely.LinearRing(self.lane.points).buffer(LANE_ROOM)
        shapely.prepare(self._lane)

    def put_all(
        self, wanted: dict[str, int], spots: Callable[[str, tuple[float, float, float]], Iterator[Spot]]
    ) -> None:
        """Put so many things of each category where `spots` proposes, large ones first."""
        for category in sorted(wanted, key=lambda name: (-np.prod(size_of(name)[:2]), name)):
            put = 0
            for _ in range(wanted[category]):
                own = scaled(size_of(category), self.generator.uniform(0.94, 1.06))
                put += self.put(category, category, own, spots(category, own))
            if put < wanted[category]:
                self.notes.append(f"no room for {wanted[category] - put} more {category}")

    def put(
        self, category: str, model: str, size: tuple[float, float, float], spots: Iterator[Spot], gap: float = _GAP
    ) -> bool:
        """Put one more thing at the first of some spots where it fits; whether there was one."""
        number = sum(p.category == category for p in self.placed)
        for _, (x, y, yaw) in zip(range(_TRIES), spots, strict=False):
            base = self.base(x, y, yaw, size)
            if base is None:
                continue
            center = (float(x), float(y), base + size[2] / 2)
            thing = Placed(f"{category.replace(' ', '-')}-{number}", category, model, center, float(yaw), size)
            if not self.floor.buffer(-0.05).covers(thing.footprint) or not stands_clear(thing, self.placed, gap):
                continue
            if self._lane.intersects(thing.footprint) or not self._reachable([*self.placed, thing]):
                continue
            self.placed.append(thing)
            return True
        return False

    def base(self, x: float, y: float, yaw: float, size: tuple[float, float, float]) -> float | None:
        """Return the height of the ground below a thing; None where it would be on an edge of two surfaces."""
        own = shapely.Polygon(rectangle((x, y), yaw, *size[:2]))
        found = 0.0
        for area, shape in self._shapes:
            if shape.covers(own):
                found = max(found, area.layer * LAYER)
            elif shape.intersects(own):
                return None
        return found

    def anywhere(self, inside: Polygon | None = None) -> Iterator[Spot]:
        """Places all over the ground, or over a part of it, turned as it comes."""
        low_x, low_y, high_x, high_y = (inside or self.floor).bounds
        while True:
            x, y = self.generator.uniform((low_x, low_y), (high_x, high_y))
            if inside is None or inside.contains(shapely.Point(x, y)):
                yield float(x), float(y), float(self.generator.uniform(-np.pi, np.pi))

    def beside_lane(self, away: float, depth: float) -> Iterator[Spot]:
        """Yield places next to the way, `away` metres from its middle and turned to it."""
        while True:
            along = float(self.generator.uniform(0, self.lane.length))
            (x, y), (x1, y1) = self.lane.at(np.array([along, along + 0.3]))
            way = np.arctan2(y1 - y, x1 - x)
            side = float(self.generator.choice([-1, 1]))
            off = side * (away + depth / 2)
            # The front looks along +y of its own, towards the way.
            yield float(x - np.sin(way) * off), float(y + np.cos(way) * off), float(way + (np.pi if side > 0 else 0.0))

    def _reachable(self, placed: Sequence[Placed]) -> bool:
        area = in_one_piece(self.floor, walking_floor(self.floor, list(placed)))
        return area is not None and all(area.distance(p.footprint) < 1.2 for p in placed if p.low < 1.9)


def size_of(category: str) -> Vector:
    """Width, depth and height of a thing of a category before it is scaled, metres."""
    return YARD_SIZES.get(category) or SIZES[category]


def finished(
    identity: str, kind: OpenKind, placing: OpenPlacing, *, closed: tuple[str, ...] = (), storeys: tuple[int, ...] = ()
) -> OpenPlace:
    """Return the plan of a place with all its things, turned at random: no scan is aligned with its axes."""
    turn = float(placing.generator.uniform(-np.pi, np.pi))
    style = int(placing.generator.integers(1 << 30))
    placed = turn_things(placing.placed, turn)
    lane = replace(placing.lane, height=LAYER).turned(turn)
    return OpenPlace(
        identity, kind, placing.size, turn, placed, placing.areas, lane, closed, storeys, tuple(placing.notes), style
    )


_PLAY = ("slide", "swing set", "seesaw", "climbing frame", "sandbox")
_PARK_REPEATED = ("bench", "lamp post", "trash can", "bush", "picnic table", "flower bed", "bicycle")
"""Categories that parks have several of. Their counts are drawn evenly, so that no count is the usual one."""
_PARK_SINGLE = (
    "notice board", "statue", "ping-pong table", "bicycle rack", "drinking fountain", "wheelbarrow", "soccer ball",
    "utility box", "flower pot",
)  # fmt: skip
_OFF_THE_PATH = {
    "bench": 1.45, "lamp post": 1.5, "trash can": 1.6, "notice board": 1.6, "drinking fountain": 1.6,
    "bicycle rack": 1.6, "flower pot": 1.6,
}  # fmt: skip
"""Metres from the middle of a path to what stands along it."""
_SPEEDS = (2.0, 4.0)
_CROWNS = {"round": 0.62, "oval": 0.55, "column": 0.34, "birch": 0.45, "maple": 0.58, "cherry": 0.75, SPRUCE: 0.45}
"""Widths of trees in their heights."""


def draw_park(identity: str, seed: str, *, objects: int = 26) -> OpenPlace:
    """A park.

    Args:
        identity: the scene's id.
        seed: of all that is drawn.
        objects: how many things are asked for.
    """
    generator = np.random.default_rng(np.frombuffer(f"park:{seed}".encode(), dtype=np.uint8))
    size = (float(np.round(generator.uniform(25, 33), 2)), float(np.round(generator.uniform(21, 27), 2)))
    middle = np.array(size) / 2
    ring = _ring(generator, middle, (size[0] / 2 - 4.6, size[1] / 2 - 4.4))
    wide = float(generator.uniform(2.0, 2.6))
    lane = Lane("bicycle", ring, 0.0, _SPEEDS)
    areas = [_band(ring, wide), *_exits(generator, ring, size, wide * 0.8)]
    play = _play_ground(generator, middle)
    areas.append(Area("bark", play))
    feature = ("fountain", "pond", "gazebo", "")[int(generator.integers(4))]
    side = -np.sign(play[:, 0].mean() - middle[0])
    heart = middle + np.array([side * 2.9, float(generator.uniform(-0.6, 0.6))])
    if feature in ("fountain", ""):
        radius = float(generator.uniform(2.3, 2.7))
        angles = np.arange(40) * 2 * np.pi / 40
        areas.append(Area("plaza", heart + radius * np.column_stack([np.cos(angles), np.sin(angles)]), 1))
    placing = OpenPlacing(size, tuple(areas), lane, generator)
    if feature:
        _put_feature(placing, feature, heart)
    _put_play(placing, play)
    trees = int(generator.integers(3, 9))
    _put_trees(placing, trees)
    asked = objects - len(placing.placed)
    wanted = _wanted(generator, asked, _PARK_REPEATED, _PARK_SINGLE, most=5, once=4, further=6)
    placing.put_all(wanted, partial(_park_spots, placing))
    return finished(identity, "park", placing)


def _ring(generator: np.random.Generator, middle: Floats, half: tuple[float, float]) -> Floats:
    """A closed way around a place's middle, shape (96, 2)."""
    angles = np.arange(96) * 2 * np.pi / 96
    power = float(generator.uniform(2.0, 3.4))
    x, y = np.cos(angles), np.sin(angles)
    radius = (np.abs(x) ** power + np.abs(y) ** power) ** (-1 / power)
    swell = float(generator.uniform(0.0, 0.05))
    radius *= 1 + swell * np.sin(3 * angles + float(generator.uniform(0, 2 * np.pi))) - 0.04
    return middle + np.column_stack([x * radius * half[0], y * radius * half[1]])


def _band(ring: Floats, wide: float) -> Area:
    """A path along a closed way."""
    along = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
    normal = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1, keepdims=True)
    return Area("path", np.concatenate([ring + normal * wide / 2, ring - normal * wide / 2]), 2, ring=True)


def _exits(generator: np.random.Generator, ring: Floats, size: tuple[float, float], wide: float) -> list[Area]:
    """Paths from the round one to the edges, below it where they meet."""
    found = []
    for side in generator.permutation(4)[: int(generator.integers(2, 4))].tolist():
        axis, high = side % 2, side // 2
        shift = float(generator.uniform(-2.5, 2.5))
        across = 1 - axis
        at = size[across] / 2 + shift
        near = np.abs(ring[:, across] - at) < 0.8
        edge = ring[near, axis].max() if high else ring[near, axis].min()
        span = sorted((edge, float(size[axis]) if high else 0.0))
        corners = np.empty((4, 2))
        corners[:, axis] = [span[0], span[1], span[1], span[0]]
        corners[:, across] = [at - wide / 2, at - wide / 2, at + wide / 2, at + wide / 2]
        found.append(Area("path", corners if axis == 0 else corners[::-1]))
    return found


def _play_ground(generator: np.random.Generator, middle: Floats) -> Floats:
    """The corners of the ground that children play on, within the round path."""
    half = np.array([float(generator.uniform(2.7, 3.2)), float(generator.uniform(2.6, 3.4))])
    aside = float(generator.choice([-1, 1])) * float(generator.uniform(3.2, 3.6))
    at = middle + np.array([aside, float(generator.uniform(-0.5, 0.5))])
    return np.asarray(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half + at)


def _put_feature(placing: OpenPlacing, name: str, at: Floats) -> None:
    generator = placing.generator
    size = scaled(size_of(name), *generator.uniform(0.85, 1.05, 3))
    yaw = float(generator.uniform(-np.pi, np.pi)) if name == "gazebo" else float(generator.uniform(-0.2, 0.2))
    spots = iter([(float(at[0]), float(at[1]), yaw), (float(at[0]), float(at[1]), 0.0)])
    placing.put(name, name, size, spots)


def _put_play(placing: OpenPlacing, ground: Floats) -> None:
    inside = shapely.Polygon(ground)

    def spots() -> Iterator[Spot]:
        for x, y, _ in placing.anywhere(inside):
            yield x, y, float(placing.generator.integers(4)) * np.pi / 2 + float(placing.generator.normal(0, 0.03))

    for name in placing.generator.permutation(_PLAY)[: int(placing.generator.integers(2, 5))].tolist():
        size = scaled(size_of(name), placing.generator.uniform(0.88, 1.05))
        placing.put(name, name, size, spots(), gap=0.3)


def _put_trees(placing: OpenPlacing, count: int) -> None:
    generator = placing.generator
    names = [str(name) for name in generator.permutation([*SPECIES, SPRUCE])[: int(generator.integers(2, 5))]]
    for _ in range(count):
        name = names[int(generator.integers(len(names)))]
        height = float(np.round(generator.uniform(3.4, 8.2), 2))
        width = float(np.round(min(height * _CROWNS[name] * generator.uniform(0.85, 1.1), 4.2), 2))
        spots = ((x, y, 0.0) for x, y, _ in placing.anywhere())
        if not placing.put("tree", f"tree:{name}", (width, width, height), spots, gap=0.2):
            placing.notes.append("no room for 1 more tree")


def _wanted(
    generator: np.random.Generator, objects: int, repeated: Sequence[str], single: Sequence[str],
    *, most: int, once: int, further: int,
) -> dict[str, int]:  # fmt: skip
    """Draw the number of each category that is not there yet.

    Args:
        generator: source of the random draws.
        objects: how many things there are to be.
        repeated: categories that a place has several of: three of them have 2 or more, `most` at most.
        single: categories that a place has one of: so many (`once`) come in any case.
        further: the number of repeated categories that may come, those after the third once.
    """
    several = [str(name) for name in generator.permutation(repeated)]
    alone = [str(name) for name in generator.permutation(single)]
    wanted = {name: int(generator.integers(2, most + 1)) for name in several[:3]}
    wanted.update(dict.fromkeys(alone[:once], 1))
    for name in [*several[3:further], *alone[once:]]:
        if sum(wanted.values()) < objects:
            wanted[name] = 1
    return wanted


def _park_spots(placing: OpenPlacing, category: str, size: tuple[float, float, float]) -> Iterator[Spot]:
    """Yield possible places of such a thing: along the path, or on the lawn."""
    if category in _OFF_THE_PATH:
        yield from placing.beside_lane(_OFF_THE_PATH[category], size[1])
    yield from placing.anywhere()


SIDES: tuple[str, ...] = ("south", "east", "north", "west")
GROUND_FLOOR, STOREY = 3.0, 2.8
"""Heights of storeys, metres."""
DOOR = (0.94, 0.06, 2.1)
"""Width, depth and height of a door's leaf, metres."""
_BALCONY = (2.1, 0.95, 1.15)
_COURTYARD_REPEATED = ("bicycle", "chair", "flower pot", "bench", "dumpster", "bush", "lamp post")
"""Categories that courtyards have several of. Their counts are drawn evenly, so that no count is the usual one."""
_COURTYARD_SINGLE = (
    "table", "bicycle rack", "patio umbrella", "sandbox", "flower bed", "rain barrel", "wheelbarrow", "soccer ball",
    "ping-pong table", "trash can", "picnic table", "utility box", "seesaw", "slide",
)  # fmt: skip
_AT_WALLS = (
    "bench", "dumpster", "flower pot", "rain barrel", "bicycle", "bicycle rack", "utility box", "trash can",
)  # fmt: skip
_INSET, _RADIUS = 2.75, 2.0
"""Metres from the walls to the way around, and of its corners."""


def draw_courtyard(identity: str, seed: str, *, objects: int = 24) -> OpenPlace:
    """A courtyard.

    Args:
        identity: the scene's id.
        seed: of all that is drawn.
        objects: how many things are asked for.
    """
    generator = np.random.default_rng(np.frombuffer(f"courtyard:{seed}".encode(), dtype=np.uint8))
    size = (float(np.round(generator.uniform(15.5, 21), 2)), float(np.round(generator.uniform(13, 17.5), 2)))
    way = rectangle_from(_INSET, _INSET, size[0] - _INSET, size[1] - _INSET)
    lane = Lane("bicycle", rounded(way, _RADIUS), 0.0, _SPEEDS)
    closed = SIDES
    if generator.random() >= 0.5:
        closed = tuple(side for side in SIDES if side != SIDES[int(generator.integers(4))])
    storeys = tuple(int(generator.integers(2, 5)) for _ in closed)
    placing = OpenPlacing(size, _areas(generator, size), lane, generator)
    placing.placed += _doors(generator, size, closed)
    placing.placed += _balconies(generator, size, closed, storeys)
    _put_tree(placing)
    asked = objects - len(placing.placed)
    wanted = _wanted(generator, asked, _COURTYARD_REPEATED, _COURTYARD_SINGLE, most=4, once=8, further=5)
    placing.put_all(wanted, partial(_courtyard_spots, placing))
    return finished(identity, "courtyard", placing, closed=closed, storeys=storeys)


def wall_point(size: tuple[float, float], side: str, along: float, away: float) -> Spot:
    """A place before a side's wall, seen from which it is turned into the court: x, y and yaw."""
    width, depth = size
    return {
        "south": (along, away, 0.0),
        "north": (width - along, depth - away, np.pi),
        "west": (away, depth - along, -np.pi / 2),
        "east": (width - away, along, np.pi / 2),
    }[side]


def wall_length(size: tuple[float, float], side: str) -> float:
    """Metres of a side."""
    return size[0] if side in ("south", "north") else size[1]


def bays(length: float) -> tuple[int, float]:
    """Return the number of windows in a row of a wall, and the metres from one to the next."""
    count = max(3, int(length // 2.7))
    return count, length / count


def _areas(generator: np.random.Generator, size: tuple[float, float]) -> tuple[Area, ...]:
    """Return the areas in the middle of the court."""
    inner = _INSET + 1.05
    cover = ("lawn", "lawn", "gravel", "")[int(generator.integers(4))]
    if not cover:
        return ()
    low = np.array([inner, inner])
    high = np.array(size) - inner
    if generator.random() < 0.4:
        axis = int(generator.integers(2))
        high[axis] = low[axis] + (high[axis] - low[axis]) * float(generator.uniform(0.5, 0.7))
    return (Area(cover, np.array([low, [high[0], low[1]], high, [low[0], high[1]]])),)


def _doors(generator: np.random.Generator, size: tuple[float, float], closed: tuple[str, ...]) -> list[Placed]:
    found: list[Placed] = []
    for side in closed:
        count, pitch = bays(wall_length(size, side))
        for bay in generator.permutation(np.arange(1, count - 1))[: int(generator.integers(1, 3))].tolist():
            # A leaf stands back in its opening, as a room's does.
            x, y, yaw = wall_point(size, side, (bay + 0.5) * pitch, -REVEAL + DOOR[1] / 2)
            center = (float(x), float(y), DOOR[2] / 2)
            found.append(Placed(f"door-{len(found)}", "door", "door", center, float(yaw), DOOR))
    return found


def _balconies(
    generator: np.random.Generator, size: tuple[float, float], closed: tuple[str, ...], storeys: tuple[int, ...]
) -> list[Placed]:
    """Balconies before upper windows; none in some courts."""
    found: list[Placed] = []
    most = int(generator.integers(0, 9))
    places = [
        (side, bay, storey)
        for side, high in zip(closed, storeys, strict=True)
        for bay in range(1, bays(wall_length(size, side))[0] - 1, 2)
        for storey in range(1, high)
    ]
    width = float(np.round(_BALCONY[0] * generator.uniform(0.85, 1.1), 3))
    for number in generator.permutation(len(places))[:most].tolist():
        side, bay, storey = places[number]
        _, pitch = bays(wall_length(size, side))
        x, y, yaw = wall_point(size, side, (bay + 0.5) * pitch, _BALCONY[1] / 2)
        low = GROUND_FLOOR + STOREY * (storey - 1) - 0.08
        own = (min(width, pitch - 0.1), _BALCONY[1], _BALCONY[2])
        center = (float(x), float(y), low + own[2] / 2)
        found.append(Placed(f"balcony-{len(found)}", "balcony", "balcony", center, float(yaw), own))
    return found


def _put_tree(placing: OpenPlacing) -> None:
    generator = placing.generator
    width, depth = placing.size
    inner = shapely.box(_INSET + 1, _INSET + 1, width - _INSET - 1, depth - _INSET - 1)
    names = ("round", "oval", "birch", "maple", "cherry")
    for _ in range(int(generator.integers(1, 4))):
        name = names[int(generator.integers(len(names)))]
        height = float(np.round(generator.uniform(3.4, 6.4), 2))
        wide = float(np.round(min(height * 0.5, 2.9), 2))
        placing.put("tree", f"tree:{name}", (wide, wide, height), ((x, y, 0.0) for x, y, _ in placing.anywhere(inner)))


def _courtyard_spots(placing: OpenPlacing, category: str, size: tuple[float, float, float]) -> Iterator[Spot]:
    """Yield possible places of such a thing: along the walls but not before doors, or in the middle."""
    generator = placing.generator
    doors = [thing for thing in placing.placed if thing.category == "door"]
    before = [(d, (d.center[0] - np.sin(d.yaw) * 0.6, d.center[1] + np.cos(d.yaw) * 0.6)) for d in doors]
    ways = [shapely.Polygon(rectangle(middle, door.yaw, 1.2, 1.4)) for door, middle in before]
    if category in _AT_WALLS:
        for _ in range(30):
            side = SIDES[int(generator.integers(4))]
            along = float(generator.uniform(0.8, wall_length(placing.size, side) - 0.8))
            # A bicycle leans along its wall.
            sideways = category == "bicycle"
            x, y, yaw = wall_point(placing.size, side, along, 0.16 + size[0 if sideways else 1] / 2)
            yaw += np.pi / 2 * float(generator.choice([-1, 1])) if sideways else 0.0
            own = shapely.Polygon(rectangle((x, y), yaw, *size[:2]))
            if not any(way.intersects(own) for way in ways):
                yield x, y, float(yaw + generator.normal(0, 0.01))
    width, depth = placing.size
    inner = shapely.box(_INSET + 0.9, _INSET + 0.9, width - _INSET - 0.9, depth - _INSET - 0.9)
    tables = [thing for thing in placing.placed if thing.category == "table"]
    if category == "chair" and tables:
        for _ in range(20):
            angle = float(generator.uniform(-np.pi, np.pi))
            away = tables[0].size[0] / 2 + size[1] / 2 + 0.16
            x, y = tables[0].center[0] + away * np.cos(angle), tables[0].center[1] + away * np.sin(angle)
            yield float(x), float(y), angle + np.pi / 2
    yield from placing.anywhere(inner)
