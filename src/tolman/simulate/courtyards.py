"""Courtyards: an inner court with buildings on three or four sides, their doors and balconies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tolman.simulate.lanes import Lane, rounded
from tolman.simulate.masonry import REVEAL
from tolman.simulate.open_places import Area, OpenPlace, OpenPlacing, finished
from tolman.simulate.placing import Spot
from tolman.simulate.plan import Placed, rectangle

SIDES = ("south", "east", "north", "west")
GROUND_FLOOR, STOREY = 3.0, 2.8
"""Heights of storeys, metres."""
DOOR = (0.94, 0.06, 2.1)
"""Width, depth and height of a door's leaf, metres."""
_BALCONY = (2.1, 0.95, 1.15)
_REPEATED = ("bicycle", "chair", "flower pot", "bench", "dumpster", "bush", "lamp post")
"""Categories that courtyards have several of. Their counts are drawn evenly, so that no count is the usual one."""
_SINGLE = (
    "table",
    "bicycle rack",
    "patio umbrella",
    "sandbox",
    "flower bed",
    "rain barrel",
    "wheelbarrow",
    "soccer ball",
    "ping-pong table",
    "trash can",
    "picnic table",
    "utility box",
    "seesaw",
    "slide",
)
_AT_WALLS = (
    "bench",
    "dumpster",
    "flower pot",
    "rain barrel",
    "bicycle",
    "bicycle rack",
    "utility box",
    "trash can",
)
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
    way = [
        (_INSET, _INSET),
        (size[0] - _INSET, _INSET),
        (size[0] - _INSET, size[1] - _INSET),
        (_INSET, size[1] - _INSET),
    ]
    lane = Lane("bicycle", rounded(way, _RADIUS), 0.0, (2.0, 4.0))
    closed = (
        SIDES
        if generator.random() < 0.5
        else tuple(side for side in SIDES if side != SIDES[int(generator.integers(4))])
    )
    storeys = tuple(int(generator.integers(2, 5)) for _ in closed)
    placing = OpenPlacing(size, _areas(generator, size), lane, generator)
    fixtures = _doors(generator, size, closed)
    placing.placed += fixtures
    placing.placed += _balconies(generator, size, closed, storeys)
    _put_tree(placing)
    placing.put_all(_wanted(objects - len(placing.placed), generator), lambda name, own: _spots(placing, name, own))
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
    """How many windows a wall has beside each other, and the metres from one to the next."""
    count = max(3, int(length // 2.7))
    return count, length / count


def _areas(generator: np.random.Generator, size: tuple[float, float]) -> tuple[Area, ...]:
    """What covers the middle of the court."""
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
    generator: np.random.Generator,
    size: tuple[float, float],
    closed: tuple[str, ...],
    storeys: tuple[int, ...],
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
    import shapely

    generator = placing.generator
    width, depth = placing.size
    inner = shapely.box(_INSET + 1, _INSET + 1, width - _INSET - 1, depth - _INSET - 1)
    names = ("round", "oval", "birch", "maple", "cherry")
    for _ in range(int(generator.integers(1, 4))):
        name = names[int(generator.integers(len(names)))]
        height = float(np.round(generator.uniform(3.4, 6.4), 2))
        wide = float(np.round(min(height * 0.5, 2.9), 2))
        placing.put("tree", f"tree:{name}", (wide, wide, height), ((x, y, 0.0) for x, y, _ in placing.anywhere(inner)))


def _wanted(objects: int, generator: np.random.Generator) -> dict[str, int]:
    """Number of each category that is not there yet."""
    repeated = [str(name) for name in generator.permutation(_REPEATED)]
    single = [str(name) for name in generator.permutation(_SINGLE)]
    wanted = {name: int(generator.integers(2, 5)) for name in repeated[:3]}
    wanted.update(dict.fromkeys(single[:8], 1))
    for name in [*repeated[3:5], *single[8:]]:
        if sum(wanted.values()) < objects:
            wanted[name] = 1
    return wanted


def _spots(placing: OpenPlacing, category: str, size: tuple[float, float, float]) -> Iterator[Spot]:
    """Where such a thing may stand: along the walls but not before doors, or in the middle."""
    import shapely

    generator = placing.generator
    doors = [thing for thing in placing.placed if thing.category == "door"]
    ways = [
        shapely.Polygon(
            rectangle((d.center[0] - np.sin(d.yaw) * 0.6, d.center[1] + np.cos(d.yaw) * 0.6), d.yaw, 1.2, 1.4)
        )
        for d in doors
    ]
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
