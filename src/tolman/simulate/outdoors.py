"""Streets and parking lots: what stands along them, and their worlds; any place outdoors by the name of its shape.

A street has ground, kerbs, markings, houses, hedges, and things.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from tolman.errors import UsageError
from tolman.simulate import facades, greenery
from tolman.simulate.fittings import fitting
from tolman.simulate.mesh import Mesh, block, joined, placed, quads
from tolman.simulate.open_worlds import (
    CORNER,
    EDGING,
    GROUNDS,
    ISLAND,
    KERB,
    KINDS,
    MARK,
    ROAD,
    SIDE_ROAD,
    STEP,
    STONE,
    WHITE,
    Kind,
    build_open_place,
    covers_and_drains,
    draw_surfaces,
    feet,
    fence,
    flat,
    scene_outdoors,
    side_roads,
    street_marks,
)
from tolman.simulate.parks_and_courtyards import OPEN_KINDS, draw_courtyard, draw_park
from tolman.simulate.placing import walking_floor
from tolman.simulate.plan import Placed
from tolman.simulate.vehicles import COLOURS, PATTERNS, vehicle
from tolman.simulate.world import Body, World, draw_daylight

if TYPE_CHECKING:
    pass
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shapely import Polygon

from tolman.simulate.fittings import SIZES
from tolman.simulate.open_worlds import street_lanes
from tolman.simulate.placing import Spot, in_one_piece, stands_clear
from tolman.simulate.plan import scaled, turn_things
from tolman.simulate.vehicles import VANS
from tolman.simulate.world import Lane

REPEATED = ("bollard", "traffic cone", "bush", "flower pot", "bench", "lamp post", "parking meter", "trash can")
"""Categories that streets have several of. Their counts are drawn evenly, so that no count is the usual one."""
SINGLE = ("mailbox", "fire hydrant", "stop sign", "utility box", "bus stop", "bicycle")
_GAP = 0.12
_TRIES = 40


@dataclass(frozen=True)
class Street:
    """A street or a parking lot.

    Attributes:
        id: the scene's.
        kind: which.
        length: metres along the houses.
        turn: the whole's turn about the origin, radians.
        placed: everything that is asked about, turned already.
        islands: middles of planted islands along x and the numbers of their rows, not turned.
        notes: requested things that didn't fit.
        style: seed of colours and materials.
    """

    id: str
    kind: Kind
    length: float
    turn: float
    placed: tuple[Placed, ...]
    islands: tuple[tuple[float, int], ...] = ()
    notes: tuple[str, ...] = ()
    style: int = 0

    @property
    def floor(self) -> Polygon:
        """The ground that holds everything that is asked about."""
        return self._strip(GROUNDS[self.kind].floor)

    @property
    def walked(self) -> Polygon:
        """The ground on which people walk."""
        return self._strip(GROUNDS[self.kind].walked)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The ways of traffic, turned already."""
        return tuple(lane.turned(self.turn) for lane in street_lanes(self.kind, self.length))

    def _strip(self, end: float) -> Polygon:
        c, s = np.cos(self.turn), np.sin(self.turn)
        corners = np.array([[0, 0], [self.length, 0], [self.length, end], [0, end]])
        return shapely.Polygon(corners @ np.array([[c, s], [-s, c]]))


def draw_street(identity: str, seed: str, *, kind: Kind | None = None, objects: int = 26) -> Street:
    """A street or a parking lot.

    Args:
        identity: the scene's id.
        seed: of all that is drawn.
        kind: which; drawn if None.
        objects: how many things are asked for.
    """
    generator = np.random.default_rng(np.frombuffer(f"street:{seed}".encode(), dtype=np.uint8))
    drawn = KINDS[int(generator.integers(len(KINDS)))]
    kind = kind or drawn
    length = float(np.round(generator.uniform(*((28, 34) if kind == "street" else (22, 28))), 2))
    placing = _Placing(kind, length, generator)
    wanted = _wanted(objects, generator)
    notes = []
    for category, count in wanted.items():
        put = sum(placing.put(category) for _ in range(count))
        if put < count:
            notes.append(f"no room for {count - put} more {category}")
    turn = float(generator.uniform(-np.pi, np.pi))
    placed = turn_things(placing.placed, turn)
    style = int(generator.integers(1 << 30))
    return Street(identity, kind, length, turn, placed, tuple(placing.islands), tuple(notes), style)


def _wanted(objects: int, generator: np.random.Generator) -> dict[str, int]:
    """Number of each category, large things first."""
    wanted = {"car": int(generator.integers(2, 7)), "tree": int(generator.integers(2, 7))}
    if generator.random() < 0.6:
        wanted["van"] = 1
    repeated = [str(name) for name in generator.permutation(REPEATED)]
    single = [str(name) for name in generator.permutation(SINGLE)]
    for name in repeated[:3]:
        wanted[name] = int(generator.integers(2, 6))
    wanted.update(dict.fromkeys(single[:5], 1))
    for name in [*repeated[3:6], *single[5:]]:
        if sum(wanted.values()) < objects:
            wanted[name] = 1

    def area(name: str) -> float:
        return SIZES[name][0] * SIZES[name][1] if name in SIZES else {"car": 9.0, "van": 10.0}.get(name, 8.0)

    return {name: wanted[name] for name in sorted(wanted, key=lambda name: (-area(name), name))}


@dataclass
class _Placing:
    """Ground on which things are being put, not turned yet."""

    kind: Kind
    length: float
    generator: np.random.Generator
    placed: list[Placed] = field(default_factory=list)
    islands: list[tuple[float, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ground = GROUNDS[self.kind]
        self._floor = shapely.box(0, 0, self.length, self.ground.floor)
        self._walked = shapely.box(0, 0, self.length, self.ground.walked)
        count = int((self.length - 1.0) // self.ground.slot)
        slots = [(row, i) for row in range(len(self.ground.rows)) for i in range(count)]
        self._slots = [slots[int(i)] for i in self.generator.permutation(len(slots))]
        self._first = (self.length - count * self.ground.slot) / 2

    def put(self, category: str) -> bool:
        """Put one more thing somewhere; whether there was room."""
        if category in ("car", "van"):
            return self._vehicle(category)
        if category == "tree":
            return self._tree()
        size = scaled(SIZES[category], self.generator.uniform(0.94, 1.06))
        return self._try(category, category, size, self._spots(category, size[:2]))

    def _vehicle(self, category: str) -> bool:
        models = [*VANS] if category == "van" else [name for name in PATTERNS if name not in VANS]
        model = models[int(self.generator.integers(len(models)))]
        size = scaled(PATTERNS[model].size, self.generator.uniform(0.97, 1.03))
        if not self._slots:
            return False
        row, number = self._slots.pop()
        low, high = self.ground.rows[row]
        x = self._first + (number + 0.5) * self.ground.slot
        aside, askew = self.generator.normal(0, 0.06), self.generator.normal(0, 0.012)
        if self.kind == "street":
            spot = (x + 4 * aside, (low + high) / 2 + aside / 2, -np.pi / 2 + askew)
        else:
            backward = self.generator.random() < 0.35
            outward = np.pi if row == 0 else 0.0
            spot = (x + aside, (low + high) / 2 + aside, outward + np.pi * backward + askew)
        return self._try(category, model, size, [spot], base=self.ground.base, gap=0.05)

    def _tree(self) -> bool:
        width = float(np.round(self.generator.uniform(2.2, 2.6), 2))
        height = float(np.round(self.generator.uniform(4.6, 6.2), 2))
        if self.kind == "street":
            middle = (self.ground.verge[0] + self.ground.verge[1]) / 2

            spots = ((float(self.generator.uniform(1.5, self.length - 1.5)), middle, 0.0) for _ in range(_TRIES))
            return self._try("tree", "tree", (width, width, height), spots)
        if not self._slots:
            return False
        row, number = self._slots.pop()
        x = self._first + (number + 0.5) * self.ground.slot
        middle = sum(self.ground.rows[row]) / 2
        done = self._try("tree", "tree", (width, width, height), [(x, middle, 0.0)], base=ISLAND)
        if done:
            self.islands.append((x, row))
        return done

    def _spots(self, category: str, size: tuple[float, float]) -> Iterator[Spot]:
        """Yield possible places of such a thing."""
        width, depth = size
        pavement, verge = self.ground.pavement, self.ground.verge
        for _ in range(_TRIES):
            x = float(self.generator.uniform(0.8, self.length - 0.8))
            shake = float(self.generator.normal(0, 0.05))
            at_wall = self.kind == "parking-lot" or self.generator.random() < 0.45
            if category == "bicycle":
                yield x, 0.2 + width / 2, float(np.pi / 2 * self.generator.choice([-1, 1])) + shake / 3
            elif category == "traffic cone":
                yield x, self._in_a_row(), float(self.generator.uniform(-np.pi, np.pi))
            elif category in ("bench", "flower pot", "trash can") and at_wall:
                yield x, 0.15 + depth / 2, shake / 3 if category == "bench" else shake
            elif self.kind == "street":
                if category in ("mailbox", "fire hydrant", "bollard", "stop sign", "parking meter"):
                    # Their fronts face the walker, a sign's the traffic.
                    yield x, verge[1] - 0.25 - depth / 2, np.pi / 2 if category == "stop sign" else np.pi + shake
                else:
                    low, high = verge[0] + 0.1 + depth / 2, verge[1] - 0.2 - depth / 2
                    facing = 0.0 if category == "bus stop" else np.pi
                    yield x, float(self.generator.uniform(low, max(low, high))), facing + shake
            elif category in ("bush", "lamp post"):
                yield x, (verge[0] + verge[1]) / 2 + shake, float(np.pi + shake)
            else:
                yield x, pavement[1] - 0.2 - depth / 2 - abs(shake), float(np.pi + shake)

    def _in_a_row(self) -> float:
        low, high = self.ground.rows[int(self.generator.integers(len(self.ground.rows)))]
        return float(self.generator.uniform(low + 0.4, high - 0.3))

    def _try(
        self,
        category: str,
        model: str,
        size: tuple[float, float, float],
        spots: Iterable[Spot],
        *,
        base: float | None = None,
        gap: float = _GAP,
    ) -> bool:
        number = sum(p.category == category for p in self.placed)
        for x, y, yaw in spots:
            low = base if base is not None else self._height(y)
            center = (float(x), float(y), low + size[2] / 2)
            thing = Placed(f"{category.replace(' ', '-')}-{number}", category, model, center, float(yaw), size)
            if not self._floor.covers(thing.footprint) or not stands_clear(thing, self.placed, gap):
                continue
            if any(self._on_island(thing, x, row) for x, row in self.islands):
                continue
            if base is None and self._on_edging(thing):
                continue
            if self._reachable([*self.placed, thing]):
                self.placed.append(thing)
                return True
        return False

    def _on_edging(self, thing: Placed) -> bool:
        """Check whether a thing is on the stones along the pavement, which are a little higher."""
        low, high = (self.ground.pavement[1] + side for side in EDGING[self.kind])
        return float(thing.footprint.bounds[1]) < high and float(thing.footprint.bounds[3]) > low

    def _on_island(self, thing: Placed, x: float, row: int) -> bool:
        low, high = self.ground.rows[row]
        reach = self.ground.slot / 2 + thing.size[0] / 2
        return low - 0.3 < thing.center[1] < high + 0.3 and abs(thing.center[0] - x) < reach

    def _height(self, y: float) -> float:
        return self.ground.base if any(low < y < high for low, high in self.ground.rows) else 0.0

    def _reachable(self, placed: Sequence[Placed]) -> bool:
        """Check that one can walk up to everything."""
        area = in_one_piece(self._walked, walking_floor(self._walked, list(placed)))
        return area is not None and all(area.distance(p.footprint) < 1.2 for p in placed)


STREET_TREES = ("round", "oval", "birch", "maple", "cherry")
"""Species of trees along streets."""


def build_street(plan: Street) -> World:
    """The world of a street's plan."""
    generator = np.random.default_rng(plan.style)
    around = _street(plan, generator) if plan.kind == "street" else _parking_lot(plan, generator)
    turn = placed((0.0, 0.0, 0.0), plan.turn)
    bodies = [Body(mesh.moved(turn)) for mesh in around]
    colours = [COLOURS[int(i)] for i in generator.permutation(len(COLOURS))]
    for number, thing in enumerate(plan.placed):
        bottom = (thing.center[0], thing.center[1], thing.low)
        mesh = _thing(thing, colours[number % len(colours)], generator)
        bodies.append(Body(mesh.moved(placed(bottom, thing.yaw)), thing.id))
    return World(
        scene_outdoors(plan.id, plan.placed, plan.floor),
        tuple(bodies),
        walking_floor(plan.walked, list(plan.placed)),
        draw_daylight(generator, plan.turn + np.pi / 2, 0.42 * np.pi),
        (shapely.box(*plan.floor.buffer(6.0).bounds), feet(plan.placed, {"tree": 0.35})),
        lanes=plan.lanes,
    )


def _thing(thing: Placed, colour: tuple[float, float, float], generator: np.random.Generator) -> Mesh:
    if thing.model in PATTERNS:
        return vehicle(thing.model, colour).fitted(thing.size)
    if thing.model == "tree":
        return greenery.tree(generator, thing.size, STREET_TREES[int(generator.integers(len(STREET_TREES)))])
    return fitting(thing.model, thing.size, generator)


def _edging(kind: Kind, whole: tuple[float, float]) -> Mesh:
    """The stones along a pavement."""
    low, high = (GROUNDS[kind].pavement[1] + side for side in EDGING[kind])
    return block((whole[0], low, -0.1), (whole[1], high, 0.012), STONE)


def _street(plan: Street, generator: np.random.Generator) -> list[Mesh]:
    ground, length, corner = GROUNDS["street"], plan.length, CORNER["street"]
    whole, houses = (-corner - 2.0, length + corner + 2.0), (-corner, length + corner)
    paved = draw_surfaces(generator)
    lane, wide = ground.rows[0], (whole[0] - SIDE_ROAD, whole[1] + SIDE_ROAD)
    far = lane[1] + ROAD
    behind = far + 7.0
    found = [
        flat(whole, ground.pavement).papered(paved.walk, paved.walk_size),
        flat(whole, ground.verge).papered(paved.lawn, 2.4),
        block((whole[0], ground.verge[1], -STEP - 0.1), (whole[1], ground.verge[1] + KERB, 0.0), STONE),
        _edging("street", whole),
        flat(wide, (ground.verge[1], far + 0.1), -STEP).papered(paved.road, 3.0),
        block((whole[0], far, -STEP - 0.1), (whole[1], far + KERB, 0.0), STONE),
        flat(whole, (far + KERB, far + 2.2)).papered(paved.walk, paved.walk_size),
        flat(whole, (far + 2.2, behind)).papered(paved.lawn, 2.4),
    ]
    count = int((length - 1.0) // ground.slot)
    first = (length - count * ground.slot) / 2
    slots = [first + ground.slot * n for n in range(count + 1)]
    found += side_roads(paved, whole, -STEP, (ground.verge[1], far), 34.0)
    found.append(street_marks(generator, whole, slots, lane, -STEP))
    found.append(covers_and_drains(generator, whole, (lane[1] + 0.4, far - 0.4), ground.verge[1] + KERB, -STEP))
    if generator.random() < 0.6:
        found.append(greenery.hedge(generator, (whole[0], far + 2.5, -0.1), (whole[1], far + 3.3, 1.1), leaves=24))
    else:
        found.append(fence(generator, houses, far + 2.6))
    covers, style = facades.draw_covers(generator), facades.draw_style(generator)
    found += facades.row_of_houses(generator, *houses, covers=covers, style=style, shops=True)
    across = facades.row_of_houses(generator, *houses, covers=covers, style=facades.draw_style(generator), shops=False)
    found += [mesh.moved(placed((length, behind, 0.0), np.pi)) for mesh in across]
    far_side = far + 22.0
    for x, yaw in ((whole[0] - SIDE_ROAD - 2.0, -np.pi / 2), (whole[1] + SIDE_ROAD + 2.0, np.pi / 2)):
        end = facades.row_of_houses(generator, -30.0, far_side, covers=covers, style=style, shops=False)
        # Along x, which becomes -y or y.
        shift = 0.0 if yaw > 0 else -30.0 + far_side
        found += [mesh.moved(placed((x, shift, 0.0), yaw)) for mesh in end]
    found += greenery.trees(generator, [(float(x), far + 4.6) for x in np.arange(-30, length + 30, 8.5)], (5.0, 9.0))
    return [*found, *greenery.horizon(generator, (length / 2, 8.0))]


def _parking_lot(plan: Street, generator: np.random.Generator) -> list[Mesh]:
    ground, length, corner = GROUNDS["parking-lot"], plan.length, CORNER["parking-lot"]
    whole, houses = (-corner - 2.0, length + corner + 2.0), (-corner, length + corner)
    wide = (whole[0] - SIDE_ROAD, whole[1] + SIDE_ROAD)
    paved = draw_surfaces(generator)
    last = ground.rows[1][1]
    found = [
        flat(houses, ground.pavement).papered(paved.walk, paved.walk_size),
        _edging("parking-lot", houses),
        flat(wide, (ground.pavement[1] + KERB, last)).papered(paved.road, 3.0),
        block((wide[0], last - 0.1, -0.1), (wide[1], last + 0.05, 0.06), STONE),
        flat(wide, (last, last + 22)).papered(paved.lawn, 2.4),
        greenery.hedge(generator, (wide[0], ground.floor + 0.1, -0.1), (wide[1], ground.floor + 0.9, 1.5), leaves=30),
    ]
    for low, high in ((wide[0], houses[0]), (houses[1], wide[1])):
        found.append(flat((low, high), (-30.0, ground.pavement[1] + KERB)).papered(paved.road, 3.0))
    count = int((length - 1.0) // ground.slot)
    first = (length - count * ground.slot) / 2
    paint = []
    for low, high in ground.rows:
        for x in first + ground.slot * np.arange(count + 1):
            paint.append(flat((x - 0.05, x + 0.05), (low + 0.1, high - 0.1), MARK))
    middle = (ground.rows[0][1] + ground.rows[1][0]) / 2
    for x in np.arange(first + 2, length - 2, 8.0):
        paint += _arrow(float(x), middle + 0.6)
    found.append(joined(paint))
    found.append(covers_and_drains(generator, (0.0, length), (middle - 2, middle + 2), None, 0.0))
    for x, row in plan.islands:
        low, high = ground.rows[row]
        half = ground.slot / 2 - 0.2
        rim = block((x - half, low + 0.15, -0.1), (x + half, high - 0.15, 0.05), STONE)
        grown = flat((x - half + 0.12, x + half - 0.12), (low + 0.27, high - 0.27), ISLAND).papered(paved.lawn, 2.4)
        found += [rim, grown]
    covers, style = facades.draw_covers(generator), facades.draw_style(generator)
    found += facades.row_of_houses(generator, *houses, covers=covers, style=style, shops=True)
    behind = facades.row_of_houses(generator, *wide, covers=covers, style=facades.draw_style(generator), shops=False)
    found += [mesh.moved(placed((length, last + 13.0, 0.0), np.pi)) for mesh in behind]
    for x, yaw in ((wide[0] - 1.0, -np.pi / 2), (wide[1] + 1.0, np.pi / 2)):
        end = facades.row_of_houses(generator, -28.0, last + 14.0, covers=covers, style=style, shops=False)
        shift = 0.0 if yaw > 0 else last - 14.0
        found += [mesh.moved(placed((x, shift, 0.0), yaw)) for mesh in end]
    places = [(float(x), last + float(generator.uniform(4, 9))) for x in np.arange(-12, length + 12, 7.0)]
    found += greenery.trees(generator, places, (5.0, 10.0))
    return [*found, *greenery.horizon(generator, (length / 2, 10.0))]


def _arrow(x: float, y: float) -> list[Mesh]:
    """An arrow on the road, along +x."""
    head = np.array([[[x + 1.6, y - 0.35, MARK], [x + 2.5, y, MARK], [x + 1.6, y + 0.35, MARK], [x + 1.6, y, MARK]]])
    return [flat((x, x + 1.6), (y - 0.08, y + 0.08), MARK), quads(head, WHITE)]


OUTDOOR_SHAPES: tuple[str, ...] = (*KINDS, *OPEN_KINDS)
"""Shapes of places without a roof."""


def outdoor_place(shape: str, identity: str, seed: str, objects: int = 26) -> tuple[World, tuple[str, ...]]:
    """Make a world of one of the OUTDOOR_SHAPES, and notes of requested things that didn't fit.

    Args:
        shape: which.
        identity: the scene's id.
        seed: of all that is drawn.
        objects: how many things are asked for.

    Raises:
        UsageError: there is no such shape.
    """
    for kind in KINDS:
        if shape == kind:
            street = draw_street(identity, seed, kind=kind, objects=objects)
            return build_street(street), street.notes
    if shape not in OPEN_KINDS:
        raise UsageError(f"'{shape}' is no shape outdoors; known: {', '.join(OUTDOOR_SHAPES)}.")
    draw = draw_park if shape == "park" else draw_courtyard
    place = draw(identity, seed, objects=objects)
    return build_open_place(place), place.notes
