"""Shapley values of causes: against their definition, a mean over all orders."""

from fractions import Fraction
from functools import cache
from itertools import permutations

import pytest
from hypothesis import given, settings, strategies as st

from tolman.analyze.score_causes import Cause, Label, Switches, Value
from tolman.analyze.score_waterfall import Unit, joint, waterfall
from tolman.scoring.score_table import Column, Mean, Pool, coefficients, pool, pools_of

TASKS = ("near", "far", "wide")
LABELS: tuple[Label, ...] = (
    frozenset([Cause.ROWS]),
    frozenset([Cause.PARSER]),
    frozenset([Cause.PROMPT, Cause.FRAMES]),
    frozenset([Cause.UNEXPLAINED]),
)
COLUMNS = (
    Column("pooled", "Pooled", pool()),
    Column("macro", "Macro", Mean(tuple(pool(task) for task in TASKS))),
    Column("zero", "Zero", Mean(tuple(pool(task) for task in TASKS), (3, 1, 2), missing="zero")),
    Column("adjusted", "Adjusted", Mean((Pool(None, "chance-adjusted"), pool("near")))),
)
value = st.sampled_from([None, Fraction(0), Fraction(1, 3), Fraction(7, 10), Fraction(1)])


@st.composite
def item(draw: st.DrawFn) -> Switches:
    labels = tuple(draw(st.permutations(LABELS))[: draw(st.integers(0, 3))])
    return Switches(labels, tuple(draw(value) for _ in range(2 ** len(labels))))


@st.composite
def unit(draw: st.DrawFn) -> Unit:
    items = tuple(draw(st.lists(item(), min_size=1, max_size=2)))
    return Unit(draw(st.sampled_from(TASKS)), draw(st.sampled_from([0, 2, 4])), items)


def figure(units: list[Unit], column: Column, at: frozenset[Label]) -> Fraction:
    """A figure with some causes at B, as the table defines it; 0 where nothing is scored."""
    sums: dict[Pool, list[Fraction]] = {}
    for one in units:
        labels, values = joint(one.switches)
        score = values[sum(1 << i for i, label in enumerate(labels) if label in at)]
        for leaf in pools_of([column.node]) if score is not None else ():
            if leaf.tasks is None or one.task in leaf.tasks:
                chance = Fraction(1, one.options) if leaf.metric != "mean" and one.options else Fraction(0)
                found = sums.setdefault(leaf, [Fraction(0), Fraction(0)])
                found[0] += score - chance
                found[1] += 1 - chance
    weights = coefficients(column.node, frozenset(sums))
    return 100 * sum(
        (Fraction(w).limit_denominator(1000) * sums[leaf][0] / sums[leaf][1] for leaf, w in weights.items()),
        Fraction(0),
    )


def by_orders(units: list[Unit], column: Column) -> dict[Label, Fraction]:
    """The definition: what each cause adds, over all orders of switching."""
    orders = list(permutations(LABELS))
    worth = cache(lambda at: figure(units, column, at))
    added = dict.fromkeys(LABELS, Fraction(0))
    for order in orders:
        at: frozenset[Label] = frozenset()
        for label in order:
            added[label] += worth(at | {label}) - worth(at)
            at |= {label}
    return {label: points / len(orders) for label, points in added.items() if points}


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)
@settings(max_examples=10, deadline=None)
@given(units=st.lists(unit(), min_size=1, max_size=5))
def test_pieces_are_the_means_over_all_orders_and_add_up(column: Column, units: list[Unit]) -> None:
    found = waterfall(units, column)
    assert {label: points for label, points in found.pieces.items() if points} == by_orders(units, column)
    assert found.a == figure(units, column, frozenset())
    assert found.b == figure(units, column, frozenset(LABELS)) == found.a + sum(found.pieces.values())


@settings(max_examples=10, deadline=None)
@given(units=st.lists(unit(), min_size=1, max_size=6))
def test_from_b_to_a_every_piece_is_the_negative(units: list[Unit]) -> None:
    def turned(one: Switches) -> Switches:
        return Switches(one.labels, one.values[::-1])

    back = [Unit(one.task, one.options, tuple(map(turned, one.switches))) for one in units]
    there, again = waterfall(units, COLUMNS[1]), waterfall(back, COLUMNS[1])
    assert (there.a, there.b) == (again.b, again.a)
    signed = {label: -points for label, points in again.pieces.items() if points}
    assert {label: points for label, points in there.pieces.items() if points} == signed


def test_causes_that_are_only_both_together_enough_share_evenly() -> None:
    parser, prompt = frozenset([Cause.PARSER]), frozenset([Cause.PROMPT])
    values: tuple[Value, ...] = (Fraction(0), Fraction(0), Fraction(0), Fraction(1))
    found = waterfall([Unit("near", 4, (Switches((parser, prompt), values),))], COLUMNS[0])
    assert found.pieces == {prompt: 50, parser: 50}
