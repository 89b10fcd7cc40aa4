"""Figures that rest on a part, and names that mean nothing."""

import pytest

from tolman.errors import UsageError
from tolman.scoring.score_table import Column, Mean, Pool, Table, attainable, coefficients, pool

LEVELS = Mean((pool("a"), pool("b")), weights=(1.0, 3.0), missing="zero")
TABLE = Table((Column("a", "A", pool("a")), Column("b", "B", pool("b")), Column("all", "All", LEVELS)), "all")
ONLY_A = frozenset({pool("a")})


@pytest.mark.parametrize("make", [pool, lambda *tasks, metric: Pool(frozenset(tasks), metric)])
def test_an_unknown_metric_is_refused(make: type[Pool]) -> None:
    with pytest.raises(
        UsageError, match=r"no metric 'within25'; did you mean 'within-X'\? known: mean, chance-adjusted, "
    ):
        make("object_abs_distance", metric="within25")


def test_names_and_weights_that_mean_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match="no column 'c'; known: a, b, all"):
        TABLE.column("c")
    with pytest.raises(UsageError, match="no column 'avg'"):
        Table(TABLE.columns, "avg")
    with pytest.raises(UsageError, match="two columns of the table have the key 'a'"):
        Table((*TABLE.columns, TABLE.columns[0]), "all")
    with pytest.raises(UsageError, match="no treatment of missing parts 'skip'; known: drop, zero"):
        Mean((pool("a"),), missing="skip")  # type: ignore[arg-type]
    for weights in ((1.0,), (0.0, 0.0), (-1.0, 2.0)):
        with pytest.raises(UsageError, match="a mean of 2 parts has the weights"):
            Mean((pool("a"), pool("b")), weights=weights)


def test_a_missing_part_is_named_and_renormalised_or_counted_as_zero() -> None:
    column, renormalised = TABLE.column("all"), TABLE.renormalised().column("all")
    assert coefficients(column.node, ONLY_A) == {pool("a"): 0.25}
    assert attainable(column.node, ONLY_A) == 0.25
    assert coefficients(renormalised.node, ONLY_A) == {pool("a"): 1.0}
    assert TABLE.absent(column, ONLY_A, {"a"}) == TABLE.renormalised().absent(renormalised, ONLY_A, {"a"}) == ("B",)
    assert TABLE.absent(column, ONLY_A | {pool("b")}, {"a", "b"}) == ()
    assert TABLE.absent(column, frozenset(), set()) == ()  # there is no figure


def test_parts_of_parts_are_named_by_their_question_types() -> None:
    direction = Mean((pool("easy"), pool("hard")))
    table = Table(
        (Column("dir", "Direction", direction), Column("avg", "Avg.", Mean((direction, pool("size"))))), "avg"
    )
    assert table.absent(table.column("avg"), frozenset({pool("easy")}), {"easy"}) == ("hard", "size")
    assert table.absent(table.column("avg"), frozenset({pool("size")}), {"size"}) == ("Direction",)


def test_question_types_have_the_titles_of_their_columns() -> None:
    columns = (
        Column("a", "A", pool("a")),
        Column("again", "A again", pool("a")),
        Column("near", "Near", pool("b", metric="within-25")),
        Column("c", "C", pool("c", metric="chance-adjusted")),
        Column("both", "Both", pool("d", "e")),
        Column("f", "Same", pool("f")),
        Column("g", "Same", pool("g")),
    )
    assert Table(columns, "a").task_titles == {"a": "A", "c": "C"}


def test_a_pool_of_a_question_type_that_there_is_not_is_refused() -> None:
    table = Table(
        (Column("side", "Side", pool("sides")), Column("avg", "Avg.", Mean((pool("distance"), pool("sides"))))), "avg"
    )
    said = r"the table of T has a pool of the question type 'sides', which no question is of; did you mean 'side'\? known: side"
    with pytest.raises(UsageError, match=said):
        table.check_tasks({"side", "distance"}, "T", complete=False)
    with pytest.raises(UsageError, match="known: other, distance"):
        table.check_tasks({"other", "distance"}, "T", complete=True)
    table.check_tasks({"other", "distance"}, "T", complete=False)  # a part of the questions: 'sides' may be in the rest
    table.check_tasks({"distance"}, "T", complete=True)  # an empty column, which is marked
    table.check_tasks({"sides", "distance", "more"}, "T", complete=True)
    Table((Column("all", "All", pool()),), "all").check_tasks({"a"}, "T", complete=True)


def test_a_table_for_some_question_types_weighs_what_is_left_among_itself() -> None:
    only = TABLE.restricted({"a"})
    assert coefficients(only.column("all").node, ONLY_A) == {pool("a"): 1.0}
    assert attainable(only.column("all").node, ONLY_A) == 1
    assert only.absent(only.column("all"), ONLY_A, {"a"}) == ()
    assert coefficients(only.column("b").node, ONLY_A) == {}
    whole = Table((Column("all", "All", pool()), Column("ab", "AB", pool("a", "b"))), "all").restricted({"b"})
    assert [column.node for column in whole.columns] == [pool(), pool("b")]


def test_a_column_is_found_that_is_of_all_questions_what_another_is_of_some_types() -> None:
    found = TABLE.same_as(TABLE.column("all"), {"a"})
    assert found is not None
    assert found.key == "a"
    assert TABLE.same_as(TABLE.column("all"), {"a", "b"}) == TABLE.column("all")
    assert TABLE.same_as(TABLE.column("all"), set()) is None
    pooled = Table((Column("all", "All", pool()), Column("a", "A", pool("a")), Column("b", "B", pool("b"))), "all")
    assert pooled.same_as(pooled.column("all"), {"b"}) == pooled.column("b")
    assert pooled.places_of_tasks == {"a": (1,), "b": (2,)}
