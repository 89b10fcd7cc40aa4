"""Open places: the things in a park or a courtyard, and how they are placed. Numbers alone, as a room's plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import shapely

from tolman.geometry.boxes import Floats
from tolman.scenes import Vector
from tolman.simulate.fittings import SIZES
from tolman.simulate.path_geometry import Lane
from tolman.simulate.placing import Spot, in_one_piece, stands_clear, walking_floor
from tolman.simulate.plan import Placed, rectangle, scaled, turn_things
from tolman.simulate.yard_things import YARD_SIZES

if TYPE_CHECKING:
    from shapely import Polygon

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
