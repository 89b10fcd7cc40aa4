"""Two sides held against each other: items that differ and why, and the waterfall between their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tolman.analyze.reconciling.causes import Cause, Label
from tolman.analyze.reconciling.sides import ReconciledSide, SideItem
from tolman.analyze.reconciling.switching import Switches, Value, switches
from tolman.analyze.reconciling.waterfall import Unit, waterfall
from tolman.scoring.table import Column


@dataclass(frozen=True)
class PlaceInTable:
    """Where an item stands in a benchmark's figures.

    Attributes:
        task: its question type.
        options: how many options it has; 0 for none.
        group: items of one group count as one, right only if all are; None for an item by itself.
    """

    task: str
    options: int = 0
    group: str | None = None


@dataclass(frozen=True)
class ItemDifference:
    """An item whose score differs, or would for one of its causes alone.

    Attributes:
        id: the item's.
        a, b: its records; None on a side that lacks it.
        switches: what moves its score.
    """

    id: str
    a: SideItem | None
    b: SideItem | None
    switches: Switches

    @property
    def scores(self) -> tuple[Value, Value]:
        """Under A and under B; None where it is in no denominator."""
        return self.switches.values[0], self.switches.values[-1]

    @property
    def is_net(self) -> bool:
        """Whether the two scores differ; not so where causes cancel out."""
        return self.scores[0] != self.scores[1]


@dataclass(frozen=True)
class Piece:
    """What one cause, or several that can't be told apart, adds to a figure.

    Attributes:
        label: the cause.
        points: in the figure's unit.
        items: how many items it moves.
        up, down: how many of them have a higher score under B, or a lower one; where one side has none, neither.
    """

    label: Label
    points: Fraction
    items: int
    up: int
    down: int


@dataclass(frozen=True)
class Reconciled:
    """Why two figures differ.

    Attributes:
        a, b: the figures.
        pieces: of the difference; they add up to b − a exactly.
        items: those with a cause, in the order of the benchmark.
        compared: how many items at least one side has.
        unrecorded: condition → how many of the unexplained items have it on one side only, or on none.
    """

    a: Fraction
    b: Fraction
    pieces: tuple[Piece, ...]
    items: tuple[ItemDifference, ...]
    compared: int
    unrecorded: Mapping[str, int] = field(default_factory=dict)


def reconcile(a: ReconciledSide, b: ReconciledSide, places: Mapping[str, PlaceInTable], column: Column) -> Reconciled:
    """Find the causes of every difference between two sides, and split the difference of a figure among them.

    Args:
        a, b: the sides; records of items without a place are left out.
        places: of the benchmark's items, in their order.
        column: the figure.
    """
    found: dict[str, Switches] = {}
    for id in places:
        one, other = a.records.get(id), b.records.get(id)
        if one is not None or other is not None:
            found[id] = switches(one, other, a.rules, b.rules)
    split = waterfall(_units(found, places), column)
    items = tuple(
        ItemDifference(id, a.records.get(id), b.records.get(id), own) for id, own in found.items() if own.labels
    )
    pieces = tuple(_piece(label, points, items) for label, points in split.pieces.items())
    absent = tuple(_piece(label, Fraction(0), items) for label in _labels(items) if label not in split.pieces)
    return Reconciled(split.a, split.b, (*pieces, *absent), items, len(found), _unrecorded(items))


def _units(found: Mapping[str, Switches], places: Mapping[str, PlaceInTable]) -> list[Unit]:
    """Items and groups; a group stands at its first item, and lacks a score where one of its items has no record."""
    groups: dict[str, list[str]] = {}
    for id, place in places.items():
        groups.setdefault(f"group {place.group}" if place.group is not None else f"item {id}", []).append(id)
    units = []
    for ids in groups.values():
        own = tuple(found.get(id, Switches((), (None,))) for id in ids)
        if any(id in found for id in ids):
            units.append(Unit(places[ids[0]].task, places[ids[0]].options, own))
    return units


def _labels(items: Sequence[ItemDifference]) -> list[Label]:
    return list(dict.fromkeys(label for item in items for label in item.switches.labels))


def _piece(label: Label, points: Fraction, items: Sequence[ItemDifference]) -> Piece:
    own = [item.scores for item in items if label in item.switches.labels]
    scored = [(a, b) for a, b in own if a is not None and b is not None]
    return Piece(label, points, len(own), sum(a < b for a, b in scored), sum(a > b for a, b in scored))


def _unrecorded(items: Sequence[ItemDifference]) -> dict[str, int]:
    """Conditions that could be behind what is unexplained, and that a side doesn't record."""
    counts: Counter[str] = Counter()
    for item in items:
        if Cause.UNEXPLAINED not in item.switches.causes or item.a is None or item.b is None:
            continue
        for name, values in (
            ("the prompt", (item.a.prompt, item.b.prompt)),
            ("the frames", (item.a.frames, item.b.frames)),
            ("whether the token limit ended it", (item.a.cut_off, item.b.cut_off)),
        ):
            counts[name] += None in values
    return {name: count for name, count in counts.items() if count}
