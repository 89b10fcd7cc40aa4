"""Room types: what rooms of a kind hold, how often and how many, where there is furniture of every kind to choose from.

They stand in `data/room_types.toml`. What a room has is drawn: first what its type can't be without, then each of its
usual things with its own probability, then perhaps something that no room of the type usually has. Counts are drawn
evenly, so that none is the usual one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from tolman.simulate.names import look_alikes

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
_AT_HOME = ("living room", "bedroom", "kitchen", "bathroom", "dining room", "office")
MOST_PER_AREA = 1.3
"""Things for each square metre of floor, at most."""


@dataclass(frozen=True)
class Content:
    """What rooms of a type have of a category.

    Attributes:
        share: of such rooms that have it; 1 for what is placed first.
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
    """

    name: str
    size: tuple[float, float]
    contents: Mapping[str, Content]

    def wanted(
        self, most: int, offered: Collection[str], generator: np.random.Generator, present: Collection[str] = ()
    ) -> dict[str, int]:
        """How many of which category, what the type can't be without first; nothing that is taken for something else.

        Args:
            most: things in all.
            offered: categories that there are.
            generator: what is drawn comes from it.
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


def home_types(areas: Sequence[float], types: Sequence[RoomType], generator: np.random.Generator) -> list[RoomType]:
    """Types for the rooms of a home, none twice: its largest room is for living in, its smallest, of three, a bathroom.

    Args:
        areas: of the rooms, square metres.
        types: to choose from; of none, none.
        generator: what is drawn comes from it.
    """
    by_name = {kind.name: kind for kind in types}
    order = [int(i) for i in np.argsort(areas)[::-1]]
    ends = ["living room", "bathroom"] if len(areas) > 2 else ["living room"]
    others = [str(name) for name in generator.permutation([name for name in _AT_HOME if name not in ends])]
    names = [ends[0], *others[: len(areas) - len(ends)], *ends[1:]]
    found = dict(zip(order, names, strict=True))
    return [by_name[found[number]] for number in range(len(areas))] if types else []


@lru_cache(maxsize=1)
def room_types() -> tuple[RoomType, ...]:
    """The types of the package."""
    table = tomllib.loads(files("tolman.simulate").joinpath("data/room_types.toml").read_text(encoding="utf-8"))
    return tuple(
        RoomType(
            name,
            (float(own["size"][0]), float(own["size"][1])),
            {
                key: Content(*value) if isinstance(value, list) else Content(value)
                for key, value in own["contents"].items()
            },
        )
        for name, own in table.items()
    )
