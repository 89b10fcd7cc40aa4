"""Which figures are set off: models that can be compared, and no others."""

from dataclasses import replace

from tolman.reports.report_content import emphasis, rank_ranges, with_ranks
from tolman.reports.table_rows import Figure, ReportRow
from tolman.scoring.intervals import Interval
from tolman.scoring.score_table import Column, pool

COLUMN = Column("a", "A", pool())


def row(name: str, value: float, **changes: object) -> ReportRow:
    made = ReportRow(name=name, rules="official", figures={"a": Figure(value)}, headline=True, ranked=True)
    return replace(made, **changes)  # type: ignore[arg-type]


def ranks(*rows: ReportRow, column: Column = COLUMN) -> dict[str, int | None]:
    return {one.name: one.figures["a"].rank for one in with_ranks(rows, [column])}


def test_models_are_ranked_and_chance_is_not() -> None:
    rows = [row("chance", 99, ranked=False), row("low", 1), row("high", 3), row("mid", 2)]
    assert ranks(*rows) == {"chance": None, "low": 3, "high": 1, "mid": 2}
    found = with_ranks(rows, [COLUMN])
    assert [emphasis(one, COLUMN) for one in found] == ["", "", "best", "second"]


def test_equal_as_printed_is_one_rank_and_of_two_models_none_is_second_best() -> None:
    rows = with_ranks([row("x", 50.04), row("y", 49.96), row("z", 10)], [COLUMN])
    assert [one.figures["a"].rank for one in rows] == [1, 1, 3]
    assert [emphasis(one, COLUMN) for one in with_ranks([row("x", 2), row("y", 1)], [COLUMN])] == ["best", ""]


def test_one_model_alone_has_no_rank() -> None:
    assert ranks(row("x", 2), row("chance", 1, ranked=False)) == {"x": None, "chance": None}


def test_a_figure_that_lacks_parts_which_others_have_is_not_compared() -> None:
    part = row("part", 90, figures={"a": Figure(90, missing=("Causality",))})
    assert ranks(part, row("x", 1), row("y", 2)) == {"part": None, "x": 2, "y": 1}
    both = [part, replace(part, name="other", figures={"a": Figure(80, missing=("Causality",))})]
    assert ranks(*both) == {"part": 1, "other": 2}


def test_parts_of_the_questions_are_compared_with_their_like() -> None:
    rows = [
        row("x", 1, values=("easy",)),
        row("y", 2, values=("easy",)),
        row("x", 5, values=("hard",)),
        row("y", 3, values=("hard",)),
    ]
    assert [one.figures["a"].rank for one in with_ranks(rows, [COLUMN])] == [2, 1, 1, 2]


def test_a_metric_s_direction_says_what_is_best() -> None:
    """Of a relative error less is better, of a bias what is nearer to 0."""
    error, bias = (Column("a", "A", pool(metric=name)) for name in ("relative-error", "signed-bias"))
    assert ranks(row("x", 2.0), row("y", 1.0), column=error) == {"x": 2, "y": 1}
    assert ranks(row("x", -0.2), row("y", 0.9), column=bias) == {"x": 1, "y": 2}


def spanned(name: str, low: float, high: float, **changes: object) -> ReportRow:
    figure = Figure((low + high) / 2, Interval(low, high))
    return row(name, 0, **{"figures": {"a": figure}, **changes})  # type: ignore[arg-type]


def ranges(*rows: ReportRow, column: Column = COLUMN) -> list[str]:
    return rank_ranges(with_ranks(rows, [column]), column)


def test_a_range_of_ranks_is_what_the_intervals_allow() -> None:
    rows = [spanned("a", 80, 90), spanned("b", 60, 72), spanned("c", 70, 78), spanned("d", 10, 65)]
    assert ranges(*rows) == ["1", "2–4", "2–3", "3–4"]
    assert ranges(*rows, spanned("chance", 95, 99, ranked=False)) == ["1", "2–4", "2–3", "3–4", "–"]
    assert ranges(rows[0], rows[3], row("without", 85)) == ["1–2", "2–3", "1–3"]


def test_a_range_of_ranks_follows_the_metric_s_direction() -> None:
    error, bias = (Column("a", "A", pool(metric=name)) for name in ("relative-error", "signed-bias"))
    assert ranges(spanned("x", 2, 3), spanned("y", 0, 1), column=error) == ["2", "1"]
    rows = [spanned("x", -0.9, -0.6), spanned("y", -0.7, 0.8), spanned("z", 0.1, 0.2)]
    assert ranges(*rows, column=bias) == ["2–3", "1–3", "1–2"]
