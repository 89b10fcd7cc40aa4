"""Contents of rooms: names of things and their habitual places, categories that are mistaken, and room types.

`data/room_types.toml` defines the room types, for libraries with furniture of every kind. A room's contents are drawn:
first the things that its type requires, then each of its usual things with its own probability. Sometimes a room also
gets something that no room of its type usually has. Counts are drawn evenly, so that none is the usual one.

`data/names.toml` lists categories that people confused from pictures alone, counted by benchmarks/naming.py. The file
benchmarks/naming.json holds every name that was given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tolman.toml_catalogue import read_table

Habit = Literal["wall", "table", "desk", "chair", "seat", "bedside", "surface", "floor", "hung", "never"]
"""
wall      stands with its back to a wall            bedside   stands beside a bed
table     stands free, with chairs around it        surface   stands on a table, a desk, a low cabinet
desk      stands at a wall, with a chair before it  floor     stands anywhere on the floor
chair     belongs to a table or a desk              hung      hangs on a wall
seat      stands near a wall, turned to the room    never     isn't put into rooms
"""

FLAT_TOPS = frozenset(
    (
        "table", "desk", "nightstand", "cabinet", "shelf", "sideboard", "chest of drawers", "tv stand", "coffee table",
        "kitchen counter",
    )
)  # fmt: skip
"""Categories on whose level surfaces things stand."""
TALL = 1.2
"""Metres; what is higher doesn't stand before a window."""
_LOW, _SMALL, _HIGH, _WIDE = 0.6, 0.45, 3.0, 3.0
_HUNG_FROM = 0.05
"""Metres of elevation from which what stands with its back to a wall hangs on it, as radiators do."""
_ELSEWHERE = frozenset({"bathroom", "characters", "exterior", "staircases", "vehicles"})
"""Parts of a catalogue whose unknown models don't belong into living rooms, bedrooms, offices and kitchens."""


def habit_of(name: str, part: str, height: float, widest: float, elevation: float) -> tuple[str, Habit]:
    """Return the category of a model and its habit; for an unknown name, by its size in metres.

    Args:
        name: in the catalogue.
        part: of the catalogue that lists it.
        height, widest: of the model.
        elevation: above the floor at which the catalogue hangs it.
    """
    known = name.lower()
    if known in _models():
        category, habit = _models()[known]
        return category, "hung" if habit == "wall" and elevation >= _HUNG_FROM else habit
    if part.lower() in _ELSEWHERE or height > _HIGH or widest > _WIDE or elevation > 1.0:
        return known, "never"
    if known.endswith("armchair"):
        return "armchair", "seat"
    if known.endswith("chair"):
        return "chair", "chair"
    if elevation > 0.3:
        return known, "hung"
    if widest < 0.1:
        return known, "never"
    return known, "surface" if height < _LOW and widest < _SMALL else "floor"


@cache
def _models() -> dict[str, tuple[str, Habit]]:
    return {name: (category, habit) for name, (category, habit) in _table("models").items()}


def _table(name: str) -> dict[str, Any]:
    return read_table(Path(__file__).with_name("data") / f"{name}.toml")[1]


@cache
def _look_alikes() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for one, other in _table("names")["look_alikes"]:
        found[one].add(other)
        found[other].add(one)
    return {name: frozenset(others) for name, others in found.items()}


def look_alikes(category: str) -> frozenset[str]:
    """The categories for which some take things of a category, or the other way round."""
    return _look_alikes().get(category, frozenset())


ODD_ONES = 2
"""Things at most that no room of the type usually has."""
PORTABLE = frozenset(
    (
        "backpack", "basketball", "box", "briefcase", "clock", "crate", "cup", "fire extinguisher",
        "guitar", "lamp", "laptop", "plant", "speaker", "stool", "suitcase", "teddy bear",
        "trash can",
    )
)  # fmt: skip
"""What may be one: things that people carry from room to room."""
_BEDROOM = 0.8
"""Share of homes with a bedroom, of those with a room for it."""
MOST_PER_AREA = 1.3
"""Things for each square metre of floor, at most."""


@dataclass(frozen=True)
class Content:
    """Amount of a category in rooms of a type.

    Attributes:
        share: of such rooms that have it; 1 for required things, which are placed first.
        least, most: of it, where a room has it.
    """

    share: float
    least: int = 1
    most: int = 1


@dataclass(frozen=True)
class RoomType:
    """A kind of room.

    Attributes:
        name: of it.
        size: least and greatest scale of the floor's sides.
        contents: by category.
        home: differences in the contents of those that are part of a home.
    """

    name: str
    size: tuple[float, float]
    contents: Mapping[str, Content]
    home: Mapping[str, Content] = field(default_factory=dict)

    @property
    def at_home(self) -> RoomType:
        """The same kind of room as part of a home."""
        return replace(self, contents={**self.contents, **self.home})

    def wanted(
        self, most: int, offered: Collection[str], generator: np.random.Generator, present: Collection[str] = ()
    ) -> dict[str, int]:
        """Draw the number of things by category, required ones first, without look-alikes.

        Args:
            most: things in all.
            offered: categories that there are.
            generator: source of the random draws.
            present: categories that other rooms of the scene have.
        """
        needed = [name for name, content in self.contents.items() if content.share >= 1]
        others = [str(name) for name in generator.permutation(sorted(set(self.contents) - set(needed)))]
        usual = [name for name in others if generator.random() < self.contents[name].share]
        strange = generator.permutation(sorted(PORTABLE.intersection(offered) - set(self.contents)))
        odd = [str(name) for name in strange[: int(generator.integers(ODD_ONES + 1))]]
        found: dict[str, int] = {}
        for name in (*needed, *usual, *odd):
            content = self.contents.get(name, Content(0.0))
            count = int(generator.integers(content.least, content.most, endpoint=True))
            count = min(count, most - sum(found.values()))
            if name in offered and count > 0 and look_alikes(name).isdisjoint((*found, *present)):
                found[name] = count
        return found


def home_types(
    areas: Sequence[float], ends: Sequence[bool], types: Sequence[RoomType], generator: np.random.Generator
) -> list[RoomType]:
    """Draw types for a home's rooms, none twice.

    The largest is the living room. The smallest of three or more through which no way leads is the bathroom. A bedroom
    is another such room, where there is one.

    Args:
        areas: of the rooms, square metres.
        ends: whether no way leads through them.
        types: to choose from.
        generator: source of the random draws.
    """
    order = [int(number) for number in np.argsort(areas)[::-1]]
    found = {order.pop(0): "living room"}
    quiet = [number for number in order if ends[number]]
    if len(areas) > 2 and quiet:
        found[quiet.pop()] = "bathroom"
    if quiet and generator.random() < _BEDROOM:
        found[quiet[0]] = "bedroom"
    rest = [number for number in order if number not in found]
    others = [str(name) for name in generator.permutation(["dining room", "office", "corridor"])]
    names = ["kitchen", *others, *({"bedroom"} - set(found.values()))][: len(rest)]
    found |= {rest[int(i)]: name for i, name in zip(generator.permutation(len(rest)), names, strict=True)}
    by_name = {kind.name: kind for kind in types}
    return [by_name[found[number]].at_home for number in range(len(areas))]


@lru_cache(maxsize=1)
def room_types() -> tuple[RoomType, ...]:
    """The types of the package."""
    table = _table("room_types")
    return tuple(
        RoomType(name, (low, high), _contents(own["contents"]), _contents(own.get("home", {})))
        for name, own in table.items()
        for low, high in [map(float, own["size"])]
    )


def _contents(table: Mapping[str, Any]) -> dict[str, Content]:
    return {name: Content(*value) if isinstance(value, list) else Content(value) for name, value in table.items()}
