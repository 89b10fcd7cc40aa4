"""Putting things into rooms: nothing intersects, doors open, and the floor stays one piece that can be walked on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import shapely

from tolman.simulate.furniture import Furniture, FurnitureSource, base_outline
from tolman.simulate.plan import Placed, fixtures, rectangle
from tolman.simulate.room_contents import FLAT_TOPS, TALL
from tolman.simulate.room_shells import Room, Shell, rectangle_from

if TYPE_CHECKING:
    from shapely import Polygon
    from shapely.geometry.base import BaseGeometry

BODY = 0.25
"""Metres that a walker needs on each side."""
HEAD = 1.9
"""Metres; what begins higher is in nobody's way."""
GAP = 0.02
"""Metres between any two things."""
OFF_WALL = 0.015
"""Metres between what stands on the floor and a wall: skirtings are thinner."""
HIGHEST_SURFACE = 1.3
"""Metres; on what is higher nobody puts things where they are seen."""
_EYE_LEVEL, _LOW_ON_WALL = 1.3, 0.5
"""Metres; what a catalogue hangs no higher than the second, as radiators, stays there, the rest hangs at eye level."""
_TRIES, _TRIES_ON_TOP = 40, 80
_REACHABLE = 0.9
"""Share of the free floor that must hang together."""

Spot = tuple[float, float, float]
"""x, y and yaw."""


@dataclass
class Placing:
    """A shell that is being furnished.

    Attributes:
        shell: the rooms.
        generator: source of the random draws.
        library: of all furniture that is put in.
        placed: so far, doors and windows first.
    """

    shell: Shell
    generator: np.random.Generator
    library: FurnitureSource
    placed: list[Placed] = field(default_factory=list)
    _kept_free: list[BaseGeometry] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.floor = self.shell.floor
        self.placed += fixtures(self.shell)
        self._counts.update(thing.category for thing in self.placed)
        for wall in (wall for room in self.shell.rooms for wall in room.walls):
            for opening in wall.openings:
                if opening.kind != "window":
                    corners = rectangle_from(opening.start, -wall.thickness, opening.end, 0.9)
                    self._kept_free.append(shapely.Polygon([wall.point(*corner) for corner in corners]))
        self._ways = len(self._kept_free)

    def against_wall(self, room: Room, piece: Furniture, access: float) -> Placed | None:
        """With its back to a wall, and `access` metres before it kept free."""

        def spot() -> Spot | None:
            wall = room.walls[int(self.generator.integers(len(room.walls)))]
            room_for_it = wall.length - piece.size[0] - 2 * GAP
            if room_for_it <= 0:
                return None
            along = piece.size[0] / 2 + GAP + float(self.generator.uniform(0, room_for_it))
            x, y = wall.point(along, piece.size[1] / 2 + GAP)
            return float(x), float(y), float(np.arctan2(wall.along[1], wall.along[0]))

        return self._try(room, piece, spot, access=access)

    def hung(self, room: Room, piece: Furniture) -> Placed | None:
        """On a wall, at the catalogue's height, or at eye level."""
        low = piece.at_elevation or piece.elevation <= _LOW_ON_WALL
        base = piece.elevation if low else max(piece.elevation, _EYE_LEVEL)
        return self._try(room, piece, lambda: self._on_wall(room, piece), base=base)

    def anywhere(self, room: Room, piece: Furniture, *, near_wall: bool = False) -> Placed | None:
        """On the floor, turned as it comes; near a wall and turned to the room if asked."""
        low_x, low_y, high_x, high_y = room.polygon.bounds

        def spot() -> Spot | None:
            if near_wall:
                wall = room.walls[int(self.generator.integers(len(room.walls)))]
                away = max(piece.size[:2]) / 2 + float(self.generator.uniform(0.1, 0.35))
                x, y = wall.point(float(self.generator.uniform(0.3, wall.length - 0.3)), away)
                base = float(np.arctan2(wall.along[1], wall.along[0]))
                return float(x), float(y), base + float(self.generator.uniform(-0.5, 0.5))
            x, y = self.generator.uniform((low_x, low_y), (high_x, high_y))
            return float(x), float(y), float(self.generator.uniform(-np.pi, np.pi))

        return self._try(room, piece, spot)

    def free_standing(self, room: Room, piece: Furniture, around: float) -> Placed | None:
        """In the room, along its walls' directions, with `around` metres kept free on all sides."""
        wall = room.walls[0]
        base = float(np.arctan2(wall.along[1], wall.along[0]))
        low_x, low_y, high_x, high_y = room.polygon.bounds

        def spot() -> Spot | None:
            x, y = self.generator.uniform((low_x, low_y), (high_x, high_y))
            return float(x), float(y), base + float(self.generator.integers(4)) * np.pi / 2

        return self._try(room, piece, spot, around=around)

    def at(
        self, room: Room, piece: Furniture, spots: list[Spot], *, access: float = 0.0, off_doors: bool = False
    ) -> Placed | None:
        """Place it at the first of some spots where it fits, even in ways kept free; outside doors' ways if asked."""
        remaining = iter(spots)
        free = self._ways if off_doors else 0
        return self._try(room, piece, lambda: next(remaining, None), access=access, tries=len(spots), kept_free=free)

    def on_top(self, room: Room, piece: Furniture) -> Placed | None:
        """Place it on a level surface of something in the room, as its triangles show."""
        tops = [p for p in self.placed if p.category in FLAT_TOPS and self._in_room(p, room)]
        if not tops:
            return None
        for _ in range(_TRIES_ON_TOP):
            top = tops[int(self.generator.integers(len(tops)))]
            turn = float(self.generator.normal(0, 0.12))
            spare = np.array(top.size[:2]) / 2 - min(piece.size[:2]) / 2
            if spare.min() <= 0:
                continue
            x, y = (float(length) for length in self.generator.uniform(-spare, spare))
            surface = self.library.support(self.library.pieces[top.model])
            height = surface.height_under((x, y), turn, piece.size[:2], GAP)
            if not 0 < top.low + height < HIGHEST_SURFACE:
                continue
            c, s = np.cos(top.yaw), np.sin(top.yaw)
            center = top.center[0] + c * x - s * y, top.center[1] + s * x + c * y
            thing = self._thing(piece, (float(center[0]), float(center[1]), top.yaw + turn), top.low + height)
            others = [p for p in self.placed if p is not top]
            if thing.high < self.shell.height and stands_clear(thing, others):
                return self._keep(thing)
        return None

    def flat(self, category: str, under: Placed, width: float, depth: float, height: float) -> Placed | None:
        """Place a rug under something; things with all of their base on it are lifted by its height."""
        center = (under.center[0], under.center[1], height / 2)
        rug = Placed(self._name(category), category, category, center, under.yaw, (width, depth, height))
        if not self.floor.buffer(-0.05).covers(rug.footprint) or not stands_clear(rug, self.placed):
            return None
        return self._keep(rug)

    def remove(self, thing: Placed) -> None:
        """Take the last thing away again."""
        self.placed.remove(thing)
        self._counts[thing.category] -= 1

    def _on_wall(self, room: Room, piece: Furniture) -> Spot | None:
        wall = room.walls[int(self.generator.integers(len(room.walls)))]
        spare = wall.length - piece.size[0] - 0.2
        if spare <= 0:
            return None
        along = piece.size[0] / 2 + 0.1 + float(self.generator.uniform(0, spare))
        if any(o.start - piece.size[0] / 2 < along < o.end + piece.size[0] / 2 for o in wall.openings):
            return None
        x, y = wall.point(along, piece.size[1] / 2 + 0.005)
        return float(x), float(y), float(np.arctan2(wall.along[1], wall.along[0]))

    def _try(
        self,
        room: Room,
        piece: Furniture,
        spot: Callable[[], Spot | None],
        *,
        base: float = 0.0,
        access: float = 0.0,
        around: float = 0.0,
        tries: int = _TRIES,
        kept_free: int | None = None,
    ) -> Placed | None:
        for _ in range(tries):
            place = spot()
            if place is None:
                continue
            thing = self._thing(piece, place, base)
            if base == 0:
                thing = self._thing(piece, place, self._lift(piece, thing))
            own = thing.footprint
            # What stands on the floor keeps off the skirting, what hangs is flush with the wall.
            inside = room.polygon.buffer(-OFF_WALL if base == 0 else 1e-6)
            if not inside.covers(own) or thing.high > self.shell.height - 0.02:
                continue
            if not stands_clear(thing, self.placed) or (base == 0 and self._blocks_window(thing)):
                continue
            if base < HEAD and any(free.intersects(own) for free in self._kept_free[:kept_free]):
                continue
            zone = self._zone(thing, access, around)
            in_the_way = [p for p in self.placed if p.category != "rug" and p.low < HEAD]
            if zone is not None and any(zone.intersects(p.footprint) for p in in_the_way):
                continue
            if base < HEAD and not self._walkable(own):
                continue
            if zone is not None:
                self._kept_free.append(shapely.difference(zone, own))
            return self._keep(thing)
        return None

    def _zone(self, thing: Placed, access: float, around: float) -> Polygon | None:
        if around:
            return thing.footprint.buffer(around, join_style="mitre")
        if not access:
            return None
        depth = thing.size[1] / 2 + access / 2
        middle = np.array(thing.center[:2]) + np.array([-np.sin(thing.yaw), np.cos(thing.yaw)]) * depth
        return shapely.Polygon(rectangle((middle[0], middle[1]), thing.yaw, thing.size[0] * 0.9, access - 2 * GAP))

    def _blocks_window(self, thing: Placed) -> bool:
        windows = [p for p in self.placed if p.category == "window"] if thing.high >= TALL else []
        return any(window.footprint.distance(thing.footprint) < 0.5 for window in windows)

    def _lift(self, piece: Furniture, thing: Placed) -> float:
        """Return the height of the rug below all of a thing's base.

        A thing that only reaches over a rug's edge isn't lifted, so that it meets the rug and is placed elsewhere.
        """
        own = base_outline(self.library.support(piece), thing.center[:2], thing.yaw)
        return max((p.high for p in self.placed if p.category == "rug" and p.footprint.covers(own)), default=0.0)

    def _walkable(self, added: Polygon) -> bool:
        """Check that the free floor is still connected and touches every door."""
        largest = in_one_piece(self.floor, walking_floor(self.floor, self.placed, [added]))
        if largest is None:
            return False
        doors = [p for p in self.placed if p.category == "door"]
        rooms = [room.polygon for room in self.shell.rooms]
        return all(largest.distance(p.footprint) < 0.6 for p in doors) and all(largest.intersects(r) for r in rooms)

    def _in_room(self, thing: Placed, room: Room) -> bool:
        return bool(room.polygon.buffer(0.01).covers(thing.footprint))

    def _thing(self, piece: Furniture, spot: Spot, base: float) -> Placed:
        x, y, yaw = spot
        center = (x, y, base + piece.size[2] / 2)
        return Placed(self._name(piece.category), piece.category, piece.id, center, yaw, piece.size)

    def _name(self, category: str) -> str:
        return f"{category.replace(' ', '-')}-{self._counts[category]}"

    def _keep(self, thing: Placed) -> Placed:
        self.placed.append(thing)
        self._counts[thing.category] += 1
        return thing


def stands_clear(thing: Placed, placed: Sequence[Placed], gap: float = GAP) -> bool:
    """Check that a thing keeps a gap (metres) to all things at its height."""
    own = thing.footprint.buffer(gap)
    return not any(
        p.low < thing.high - 1e-9 and thing.low < p.high - 1e-9 and own.intersects(p.footprint) for p in placed
    )


def in_one_piece(floor: Polygon, free: BaseGeometry) -> BaseGeometry | None:
    """The largest part of the free floor, or None where it isn't nearly all of it, or too little of the whole."""
    parts = shapely.get_parts(free)
    if not len(parts):
        return None
    largest = max(parts, key=lambda part: float(part.area))
    return largest if largest.area >= _REACHABLE * free.area and largest.area >= 0.1 * floor.area else None


def walking_floor(floor: Polygon, placed: list[Placed], more: list[Polygon] | None = None) -> BaseGeometry:
    """Floor for the middle of a walker: away from walls and from everything below its head."""
    in_the_way = [p.footprint for p in placed if p.low < HEAD and p.high > 0.03] + (more or [])
    return floor.buffer(-BODY, join_style="mitre").difference(shapely.union_all(in_the_way).buffer(BODY))
