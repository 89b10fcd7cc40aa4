"""From one figure to another in pieces that add up exactly: the Shapley values of the causes.

The causes are players; the worth of a set of them is the figure with their switches at B and all others at A. A piece
is a cause's Shapley value, the mean over all orders of switching of what it adds (Shapley, A Value for n-Person Games,
1953). It is computed from Harsanyi's dividends, the part of a worth that only all of a set bring together: a player
gets an equal share of every dividend of a set that it is in. An item has few switches, so few sets have a dividend, and
no order is ever enumerated.

A figure is a weighted sum of ratios (`scoring.table`). Where causes change which items are in a denominator, the
ratios are formed for every set of those causes, and dividends taken of the ratios.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations

from tolman.analyze.reconciling.causes import Label, in_order
from tolman.analyze.reconciling.switching import Switches, Value
from tolman.scoring.table import Column, Node, Pool, coefficients, pools_of

Coalition = frozenset[Label]
Worth = dict[Coalition, Fraction]


@dataclass(frozen=True)
class Unit:
    """What counts as one in a figure: an item, or a group of items of which all must be right.

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
        pieces: what each cause adds; in the order of `causes.in_order`.
    """

    a: Fraction
    b: Fraction
    pieces: Mapping[Label, Fraction]


def waterfall(units: Iterable[Unit], column: Column) -> Waterfall:
    """Split the difference of a figure between two sides.

    Args:
        units: all of the benchmark's that at least one side has.
        column: the figure; its pools must be means of scores, or chance-adjusted.
    """
    pools = pools_of([column.node])
    numerators: dict[Pool, Worth] = {leaf: defaultdict(Fraction) for leaf in pools}
    denominators: dict[Pool, Worth] = {leaf: defaultdict(Fraction) for leaf in pools}
    for unit, times in Counter(units).items():
        labels, values = joint(unit.switches)
        for leaf in pools:
            if leaf.tasks is not None and unit.task not in leaf.tasks:
                continue
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
    return Waterfall(a, a + sum(ordered.values(), Fraction(0)), ordered)


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
