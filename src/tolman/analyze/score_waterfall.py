"""Two sides of a reconciliation compared: differing items with causes, and the waterfall between figures.

The pieces of the waterfall add up exactly: they are the Shapley values of the causes, in exact fractions. The causes
are players; the worth of a set of them is the figure with their switches at B and all others at A. A cause's Shapley
value is the mean of its contribution over all orders of switching (Shapley, A Value for n-Person Games, 1953). It is
computed from Harsanyi's dividends, the part of a worth that only all members of a set bring together: each player gets
an equal share of every dividend of a set that it is in. An item has few switches, so few sets have a dividend, and no
order is ever enumerated.

A figure is a weighted sum of ratios (`scoring.score_table`). If causes change which items are in a denominator, the
ratios are formed for every set of those causes. Dividends are taken of the ratios.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, combinations

from tolman.analyze.score_causes import Cause, Label, ReconciledSide, SideItem, Switches, Value, in_order, switches
from tolman.scoring.score_table import Column, Node, Pool, coefficients, pools_of

Coalition = frozenset[Label]
Worth = dict[Coalition, Fraction]


@dataclass(frozen=True)
class Unit:
    """A unit of a figure: an item, or a group of items that must all be right.

    Attributes:
        task: its question type.
        options: how many options it has, for chance-adjusted figures; 0 for none.
        switches: of its items.
    """

    task: str
    options: int
    switches: tuple[Switches, ...]


@dataclass(frozen=True)
class Waterfall:
    """The way from A's figure to B's.

    Attributes:
        a, b: the figures, in the table's unit (points of 100).
        pieces: the contribution of each cause; in the order of `causes.in_order`.
        scored: whether A, and whether B, has a unit with a score; its figure has no value otherwise.
    """

    a: Fraction
    b: Fraction
    pieces: Mapping[Label, Fraction]
    scored: tuple[bool, bool]


def waterfall(units: Iterable[Unit], column: Column) -> Waterfall:
    """Split the difference of a figure between two sides.

    Args:
        units: all of the benchmark's that at least one side has.
        column: the figure; its pools must be means of scores, or chance-adjusted.
    """
    pools = pools_of([column.node])
    numerators: dict[Pool, Worth] = {leaf: defaultdict(Fraction) for leaf in pools}
    denominators: dict[Pool, Worth] = {leaf: defaultdict(Fraction) for leaf in pools}
    scored = [False, False]
    for unit, times in Counter(units).items():
        labels, values = joint(unit.switches)
        for leaf in pools:
            if leaf.tasks is not None and unit.task not in leaf.tasks:
                continue
            scored = [scored[side] or values[-side] is not None for side in (0, 1)]
            chance = Fraction(1, unit.options) if leaf.metric == "chance-adjusted" and unit.options else Fraction(0)
            tops = [Fraction(0) if value is None else value - chance for value in values]
            lows = [Fraction(0) if value is None else 1 - chance for value in values]
            for worth, own in ((numerators[leaf], tops), (denominators[leaf], lows)):
                for coalition, dividend in dividends(labels, own).items():
                    worth[coalition] += times * dividend
    found = _of_figure(column.node, numerators, denominators)
    scale = Fraction(column.scale)
    pieces: dict[Label, Fraction] = defaultdict(Fraction)
    for coalition, dividend in found.items():
        for label in coalition:
            pieces[label] += scale * dividend / len(coalition)
    a = scale * found.get(frozenset(), Fraction(0))
    ordered = {label: pieces[label] for label in sorted(pieces, key=in_order)}
    return Waterfall(a, a + sum(ordered.values(), Fraction(0)), ordered, (scored[0], scored[1]))


def dividends(labels: Sequence[Label], values: Sequence[Fraction]) -> Worth:
    """Harsanyi's dividends of a game that is given by the worth of every set.

    Args:
        labels: the players.
        values: the worth of each set; bit i of the place is whether player i is in it.

    Returns:
        Set → dividend, without those that are 0. The worth of a set is the sum over all its subsets.
    """
    own = list(values)
    for i in range(len(labels)):
        for setting in range(len(own)):
            if setting >> i & 1:
                own[setting] -= own[setting ^ 1 << i]
    return {
        frozenset(label for i, label in enumerate(labels) if setting >> i & 1): value
        for setting, value in enumerate(own)
        if value
    }


def joint(items: Sequence[Switches]) -> tuple[tuple[Label, ...], tuple[Value, ...]]:
    """The switches and scores of a group: its least score, and none where one of its items has none."""
    if len(items) == 1:
        return items[0].labels, items[0].values
    labels = tuple(sorted({label for item in items for label in item.labels}, key=in_order))
    values = []
    for setting in range(2 ** len(labels)):
        at = {label for i, label in enumerate(labels) if setting >> i & 1}
        own = [item.values[sum(1 << i for i, label in enumerate(item.labels) if label in at)] for item in items]
        scores = [value for value in own if value is not None]
        values.append(min(scores) if len(scores) == len(own) else None)
    return labels, tuple(values)


def _of_figure(node: Node, numerators: Mapping[Pool, Worth], denominators: Mapping[Pool, Worth]) -> Worth:
    """The dividends of a figure from those of its pools' sums."""
    moving = sorted({label for worth in denominators.values() for own in worth for label in own}, key=in_order)
    subsets = [frozenset(s) for s in chain.from_iterable(combinations(moving, n) for n in range(len(moving) + 1))]
    # For each set of causes that change denominators: the dividends among the other causes.
    among: dict[Coalition, Worth] = {}
    for inside in subsets:
        totals = {leaf: _worth(worth, inside) for leaf, worth in denominators.items()}
        weights = coefficients(node, frozenset(leaf for leaf, total in totals.items() if total))
        own: Worth = defaultdict(Fraction)
        for leaf, weight in weights.items():
            share = Fraction(weight).limit_denominator(1_000_000) / totals[leaf]
            for coalition, dividend in numerators[leaf].items():
                if coalition.isdisjoint(moving) or coalition & frozenset(moving) <= inside:
                    own[coalition - frozenset(moving)] += share * dividend
        among[inside] = own
    found: Worth = defaultdict(Fraction)
    for rest in {coalition for own in among.values() for coalition in own}:
        values = [
            among[frozenset(label for i, label in enumerate(moving) if setting >> i & 1)].get(rest, Fraction(0))
            for setting in range(2 ** len(moving))
        ]
        for coalition, dividend in dividends(moving, values).items():
            found[coalition | rest] += dividend
    return found


def _worth(dividends_of: Worth, inside: Coalition) -> Fraction:
    return sum((value for coalition, value in dividends_of.items() if coalition <= inside), Fraction(0))


@dataclass(frozen=True)
class PlaceInTable:
    """The place of an item in a benchmark's figures.

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
        switches: the layers that move its score.
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
        """Return whether the two scores differ; not so where causes cancel out."""
        return self.scores[0] != self.scores[1]


@dataclass(frozen=True)
class Piece:
    """The contribution of one cause, or of several indistinguishable ones, to a figure.

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
        scored: whether A's figure, and whether B's, has a value; it is 0 otherwise.
    """

    a: Fraction
    b: Fraction
    pieces: tuple[Piece, ...]
    items: tuple[ItemDifference, ...]
    compared: int
    unrecorded: Mapping[str, int] = field(default_factory=dict)
    scored: tuple[bool, bool] = (True, True)


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
    return Reconciled(split.a, split.b, (*pieces, *absent), items, len(found), _unrecorded(items), split.scored)


def _units(found: Mapping[str, Switches], places: Mapping[str, PlaceInTable]) -> list[Unit]:
    """Return items and groups; a group takes its first item's place, and has no score if one of its items has no
    record."""
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
    """Count conditions that a side doesn't record and that could be behind unexplained differences."""
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
