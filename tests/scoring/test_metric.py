"""Metrics as objects: several on the same answers, by name, with a range, a direction and a word on unread responses."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from tolman.errors import UsageError
from tolman.items import Item
from tolman.plugins import load_plugin
from tolman.responses import Failure, FailureKind, Response
from tolman.scoring.aggregate import cells, column_of
from tolman.scoring.answer_values import ParsedAnswer, mra_exact, mra_spatialbench, mra_vsi_bench
from tolman.scoring.clusters import NO_CLASS, macro_f1, pair_code, weighted_median
from tolman.scoring.further_figures import further_figures
from tolman.scoring.metrics import Metric, composite, metric_named, metric_names, metrics_named, metrics_of_plugins
from tolman.scoring.rule_sets import careful
from tolman.scoring.run_differences import differences
from tolman.scoring.score_items import SCHEMA, expected_scores, score
from tolman.scoring.score_table import Column, Mean, Table, pool
from tolman.scoring.significance import METHOD

Make = Callable[..., Item]


def table_of(*metrics: str | Metric, task: str = "n") -> Table:
    names = [one if isinstance(one, str) else one.name for one in metrics]
    columns = [Column(name, name, pool(task, metric=one)) for name, one in zip(names, metrics, strict=True)]
    return Table((*columns, Column("score", "Score", pool(task))), headline="score")


def rows_of(items: list[Item], texts: list[str], table: Table) -> pl.DataFrame:
    outcomes = [Response(id=item.id, response=text) for item, text in zip(items, texts, strict=True)]
    return score(items, outcomes, [careful()], metrics=table.metrics)


def test_several_metrics_stand_side_by_side_on_the_same_answers(number: Make) -> None:
    items = [number("10", unit="m", id=str(i), scene=str(i)) for i in range(4)]
    table = table_of("within-25", "within-10", "relative-error", "median-relative-error", "signed-bias", "mra")
    found = cells(rows_of(items, ["10", "12", "14", "5"], table), table)
    assert found["within-25"].value == 50.0
    assert found["within-10"].value == 25.0
    assert found["relative-error"].value == pytest.approx(100 * (0 + 0.2 + 0.4 + 0.5) / 4)
    assert found["median-relative-error"].value == pytest.approx(30.0)
    assert found["signed-bias"].value == pytest.approx(100 * (0 + 0.2 + 0.4 - 0.5) / 4)
    assert found["mra"].value == found["score"].value == pytest.approx(100 * (1 + 0.6 + 0.2 + 0.0) / 4)


def test_an_unknown_metric_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no metric 'within25'; did you mean 'within-X'"):
        pool("n", metric="within25")
    with pytest.raises(UsageError, match=r"no metric 'median-relative-eror'; did you mean 'median-relative-error'"):
        metric_named("median-relative-eror")
    with pytest.raises(UsageError, match="above 0 and at most 1000"):
        metric_named("within-0")
    assert {"accuracy", "mra", "mra-vsi-bench", "mra-spatialbench", "f1", "within-X", "signed-bias"} <= set(
        metric_names()
    )


@pytest.mark.parametrize("name", [name for name in metric_names() if "X" not in name] + ["within-12.5"])
def test_every_metric_says_what_it_is(name: str) -> None:
    found = metric_named(name)
    assert found.name == name
    assert found.source
    assert found.kinds
    low, high = found.range
    assert low < high
    assert found.direction == "higher" or (low, high) != (0.0, 1.0)
    assert metrics_named([f"{name},{name}"]) == [found]


def test_unread_is_zero_or_left_out_as_the_metric_says_and_is_counted(number: Make) -> None:
    items = [number("10", unit="m", id=str(i), scene=str(i)) for i in range(4)]
    table = table_of("within-25", "median-relative-error")
    found = cells(rows_of(items, ["10", "11", "I can't tell.", "13"], table), table)
    share, median = found["within-25"], found["median-relative-error"]
    assert (share.value, share.n, share.left_out, share.unread) == (50.0, 4, 0, 1)
    assert (median.value, median.n, median.left_out, median.unread) == (pytest.approx(10.0), 3, 1, 0)


def test_items_that_a_metric_is_not_for_are_in_no_figure_read_or_not(number: Make) -> None:
    items = [number(truth, unit="m", id=str(i), scene=str(i)) for i, truth in enumerate(("10", "10", "1", "1"))]
    long = Metric("long", "Long ways", lambda item, reading: 1.0, kinds=("number",), only=lambda i: i.float_answer > 5)
    figure = cells(rows_of(items, ["10", "I can't tell.", "1", "I can't tell."], table_of(long)), table_of(long))[
        "long"
    ]
    assert (figure.value, figure.n, figure.left_out, figure.unread) == (50.0, 2, 0, 1)
    with_any = composite("half", "Half", [(0.5, long), (0.5, metric_named("within-25"))])
    assert [with_any.applies(item) for item in items] == [True, True, False, False]
    broken = Metric("broken", "Broken", lambda item, reading: 1.0, only=lambda item: item.scan)  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="the metric 'broken' can't tell whether it is for question '0': AttributeErr"):
        rows_of(items, ["1"] * 4, table_of(broken))


def test_failures_are_in_no_metric_unless_they_count_as_wrong(number: Make) -> None:
    items = [number("10", unit="m", id=str(i), scene=str(i)) for i in range(2)]
    outcomes = [Response(id="0", response="10"), Failure(id="1", kind=FailureKind.TIMEOUT, message="late")]
    table = table_of("within-25")
    for wrong, value in ((False, 100.0), (True, 50.0)):
        rows = score(items, outcomes, [careful()], metrics=table.metrics, failures_are_wrong=wrong)
        assert cells(rows, table)["within-25"].value == value


def test_a_truth_of_zero_has_no_relative_error_and_is_left_out(number: Make) -> None:
    items = [number(answer, id=str(i), scene=str(i)) for i, answer in enumerate(("0", "4"))]
    table = table_of("relative-error", "within-10")
    found = cells(rows_of(items, ["1", "5"], table), table)
    assert (found["relative-error"].value, found["relative-error"].left_out) == (25.0, 1)
    assert (found["within-10"].value, found["within-10"].n) == (0.0, 2)


def test_absolute_errors_are_in_metres_and_of_lengths_alone(number: Make) -> None:
    items = [
        number("2", unit="m", id="a", scene="a"),
        number("100", unit="cm", id="b", scene="b"),
        number("3", unit="count", id="c", scene="c"),
    ]
    table = table_of("median-absolute-error", "median-absolute-count-error")
    found = cells(rows_of(items, ["2.5", "40", "9"], table), table)
    metres = found["median-absolute-error"]
    assert (metres.value, metres.unit, metres.n, metres.left_out) == (pytest.approx(0.55), "m", 2, 0)
    assert found["median-absolute-count-error"].value == 6.0


def test_released_arithmetics_have_names(number: Make) -> None:
    items = [number("2", id="a", scene="a")]
    table = table_of("mra", "mra-vsi-bench", "mra-spatialbench")
    found = cells(rows_of(items, ["3"], table), table)
    assert [round(found[name].value or 0, 6) for name in ("mra", "mra-vsi-bench", "mra-spatialbench")] == [0, 10, 0]


def test_chance_adjusted_accuracy_is_the_tables_own(choice: Make) -> None:
    items = [choice(id=str(i), scene=str(i)) for i in range(8)]
    table = Table(
        (
            Column("own", "", pool(metric="chance-adjusted")),
            Column("metric", "", pool(metric="chance-adjusted-accuracy")),
            Column("accuracy", "", pool(metric="accuracy")),
            Column("mean", "", pool()),
        ),
        "own",
    )
    found = cells(rows_of(items, list("AAAAABBB"), table), table)
    assert found["own"].value == pytest.approx(50.0)
    for one, other in (("own", "metric"), ("mean", "accuracy")):
        assert found[one].value == found[other].value
        assert found[one].interval == found[other].interval
        assert found[one].method == found[other].method


def test_a_sum_of_metrics_can_be_written_where_a_name_is_taken(number: Make) -> None:
    items = [number("10", unit="m", id=str(i), scene=str(i)) for i in range(8)]
    table = Table((Column("sum", "Sum", pool("n", metric="0.5*mra + 0.5*within-25")),), "sum")
    found = cells(rows_of(items, ["12"] * 8, table), table)["sum"]
    assert found.value == pytest.approx(100 * (0.5 * 0.6 + 0.5))
    assert found.interval is not None
    with pytest.raises(UsageError, match="'median-relative-error' can't be a part of the sum"):
        metric_named("0.5*mra+0.5*median-relative-error")
    with pytest.raises(UsageError, match="different directions"):
        metric_named("mra+relative-error")
    with pytest.raises(UsageError, match="no item has them all"):
        metric_named("mra+accuracy")
    with pytest.raises(UsageError, match="is no sum of metrics"):
        metric_named("half*mra+0.5*within-25")


def test_what_is_declared_wrong_is_refused() -> None:
    def per_item(item: Item, reading: ParsedAnswer) -> float:
        return 1.0

    for wrong, words in (
        ({"name": "a b"}, "can't be named 'a b'"),
        ({"aggregate": "median"}, "has the aggregate 'median'"),
        ({"aggregate": np.median, "chance_adjusted": True}, "chance-adjusted and no mean"),
        ({"range": (1.0, 0.0)}, "the least value first"),
    ):
        with pytest.raises(UsageError, match=words):
            Metric(**{"name": "one", "title": "One", "per_item": per_item} | wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="parts in % and m; give parts of one unit"):
        Mean((pool("a"), pool("b", metric="median-absolute-error")))
    with pytest.raises(UsageError, match="a sum of nothing"):
        composite("none", "None", [])


def test_the_expectation_of_guessing_is_that_of_the_metric(number: Make) -> None:
    items = [number(answer, unit="m", id=answer, scene=answer) for answer in ("10", "11", "20")]
    answers = [("10", 0.5), ("20", 0.5)]
    table = table_of("within-25", "median-relative-error")
    rows = expected_scores(items, {item.id: answers for item in items}, [careful()], table.metrics)
    assert rows[column_of(metric_named("within-25"))].to_list() == [0.5, 0.5, 0.5]
    found = cells(rows, table)
    assert found["within-25"].value == 50.0
    assert found["median-relative-error"].value is None


def test_a_group_of_items_has_the_worst_of_its_values(number: Make) -> None:
    items = [number("10", unit="m", id=str(i), scene="s").model_copy(update={"all_of": "ab"[i // 2]}) for i in range(4)]
    names = ["within-25", "relative-error", "signed-bias", "f1"]
    metrics = metrics_named(names)
    rows = score(
        items,
        [Response(id=str(i), response=text) for i, text in enumerate(["10", "5", "10", "none"])],
        [careful()],
        metrics=metrics,
    )
    kept = rows.filter(pl.col("status") == "scored")
    assert kept["id"].to_list() == ["0", "2"]
    values = [kept[column_of(metric)].to_list() for metric in metrics]
    assert values[0] == [0.0, 0.0]
    assert values[1][0] == 0.5
    assert math.isnan(values[1][1])
    assert values[2][0] == -0.5
    assert all(math.isnan(value) for value in values[3] if value is not None)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12), st.data())
def test_the_weighted_median_is_numpys_of_repeated_values(values: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    array, counts = np.array(values, float), np.array([weights, [1] * len(values)], float)
    found = weighted_median(array, counts)
    repeated = np.repeat(array, weights)
    assert found[0] == np.median(repeated) if len(repeated) else math.isnan(found[0])
    assert found[1] == np.median(array)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30))
def test_macro_f1_is_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    learn = pytest.importorskip("sklearn.metrics")
    codes = np.array([pair_code(*pair) for pair in pairs])
    truths, answers = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = learn.f1_score(truths, answers, average="macro", zero_division=0)
    assert float(macro_f1(codes, np.ones(len(codes)))) == pytest.approx(expected)
    twice = learn.f1_score(truths * 2, answers * 2, average="macro", zero_division=0)
    assert float(macro_f1(codes, np.full((1, len(codes)), 2.0))[0]) == pytest.approx(twice)


def test_f1_of_letters_counts_what_is_unread_as_missed(choice: Make) -> None:
    items = [choice("x", "y", answer=answer, id=str(i), scene=str(i)) for i, answer in enumerate("AABB")]
    table = table_of("f1", task="t")
    found = cells(rows_of(items, ["A", "", "B", "A"], table), table)["f1"]
    # A: one hit, two items, two answers; B: one hit, two items, one answer.
    assert found.value == pytest.approx(100 * (2 / 4 + 2 / 3) / 2)
    assert (found.n, found.unread) == (4, 1)
    assert macro_f1(np.array([pair_code(1, NO_CLASS)]), np.ones(1)) == 0.0


def many(number: Make, count: int = 120, scenes: int = 20) -> list[Item]:
    return [number(str(10 + i % 7), unit="m", id=str(i), scene=str(i % scenes)) for i in range(count)]


def answers(items: list[Item], seed: int, spread: float = 0.4) -> list[str]:
    generator = np.random.default_rng(seed)
    by_scene = {item.cluster: generator.normal(0, spread / 2) for item in items}
    return [
        f"{item.float_answer * max(0.01, 1 + by_scene[item.cluster] + generator.normal(0, spread)):.3f}"
        for item in items
    ]


def test_intervals_come_by_bootstrap_where_there_is_no_closed_form_and_always_the_same(number: Make) -> None:
    items = many(number)
    table = table_of("median-relative-error", "signed-bias", "within-25")
    rows = rows_of(items, answers(items, 0), table)
    found, again = cells(rows, table), cells(rows, table)
    assert found == again
    for name in ("median-relative-error", "signed-bias"):
        cell = found[name]
        assert cell.method == METHOD
        assert cell.value is not None
        assert cell.interval is not None
        assert cell.interval.low < cell.value < cell.interval.high
    assert found["within-25"].method != METHOD
    few = [item.model_copy(update={"scene": str(i % 3)}) for i, item in enumerate(items)]
    cell = cells(rows_of(few, answers(items, 0), table), table)["median-relative-error"]
    assert (cell.interval, cell.reason) == (None, "3.0 effective scenes; an interval needs 6")


def test_two_runs_are_compared_in_any_metric(number: Make) -> None:
    items = many(number)
    table = table_of("median-relative-error", "within-25", "f1")
    good, bad = (rows_of(items, answers(items, 1, spread), table) for spread in (0.1, 0.6))
    found = differences(good, bad, table)
    error = found["median-relative-error"]
    assert error.value < 0
    assert error.interval is not None
    assert error.interval.low <= error.value <= error.interval.high < 0
    assert error.p < 0.01
    assert error.won > error.lost  # a smaller error is better
    assert found["within-25"].value > 0
    same = differences(good, good, table)["median-relative-error"]
    assert (same.value, same.p) == (0.0, 1.0)


def test_comparing_leaves_out_what_one_run_has_no_value_for(number: Make) -> None:
    items = many(number, 24, 12)
    table = table_of("relative-error")
    texts = answers(items, 2)
    whole, partly = rows_of(items, texts, table), rows_of(items, ["?", *texts[1:]], table)
    found = differences(whole, partly, table)["relative-error"]
    assert (found.n, found.value) == (23, 0.0)


def test_scores_without_a_metrics_values_say_so(number: Make) -> None:
    items = many(number, 8)
    with pytest.raises(UsageError, match="hold no values of the metric 'within-25'; 'tolman score RUN' computes them"):
        cells(rows_of(items, answers(items, 0), table_of()), table_of("within-25"))


def test_further_figures_are_by_question_type_and_for_all(number: Make, choice: Make) -> None:
    items = [
        number("10", unit="m", id="a", task="distance", scene="a"),
        number("4", id="b", task="count", scene="b"),
        choice(id="c", task="side", scene="c"),
    ]
    metrics = metrics_named(["within-25,median-absolute-error", "accuracy"])
    outcomes = [Response(id=i, response=text) for i, text in (("a", "11"), ("b", "9"), ("c", "A"))]
    rows = score(items, outcomes, [careful()], metrics=metrics)
    assert list(rows.columns)[: len(SCHEMA)] == list(SCHEMA)
    found = further_figures(rows, metrics)
    assert {name: {task: cell.value for task, cell in one.items()} for name, one in found.items()} == {
        "within-25": {"distance": 100.0, "count": 0.0, "all": 50.0},
        "median-absolute-error": {"distance": pytest.approx(1.0), "all": pytest.approx(1.0)},
        "accuracy": {"side": 100.0, "all": 100.0},
    }


PLUGIN = """
from tolman.scoring.metrics import Metric


METRIC = Metric(
    name="on-the-spot", title="Exact", kinds=("number",), per_item=lambda item, reading: float(reading.value == item.exact_answer)
)
"""


def test_a_plugins_metric_has_a_name_like_any_other(tmp_path: Path, number: Make) -> None:
    file = tmp_path / "exact.py"
    file.write_text(PLUGIN)
    with pytest.raises(UsageError, match="no metric 'on-the-spot'"):
        metric_named("on-the-spot")
    load_plugin(file)
    assert "on-the-spot" in metrics_of_plugins()
    table = table_of("on-the-spot")
    items = [number("2", id=str(i), scene=str(i)) for i in range(2)]
    assert cells(rows_of(items, ["2", "3"], table), table)["on-the-spot"].value == 50.0
    assert metric_named("on-the-spot").value(items[0], ParsedAnswer(Fraction(2))) == 1.0


def test_a_metric_that_fails_or_leaves_its_range_is_told_with_the_question() -> None:
    item = Item(id="q7", question="How many?", kind="number", unit="count", answer="2", task="n")
    three = ParsedAnswer(Fraction(3))
    broken = Metric(name="broken", title="B", per_item=lambda item, reading: 1 / 0, kinds=("number",))
    with pytest.raises(UsageError, match=r"'broken' can't be computed of '3' as the answer to question 'q7': ZeroDiv"):
        broken.value(item, three)
    wide = Metric(name="wide", title="W", per_item=lambda item, reading: 7.0, kinds=("number",))
    with pytest.raises(UsageError, match=r"'wide' gives 7.0 for '3' as the answer to question 'q7', outside its range"):
        wide.value(item, three)
    endless = Metric(name="e", title="E", per_item=lambda item, reading: float("inf"), range=(0, float("inf")))
    assert endless.value(item, three) is None


def test_the_unit_follows_from_the_range_unless_it_is_stated() -> None:
    def unit(**fields: Any) -> str:
        return Metric(name="m", title="M", per_item=lambda item, reading: 0.0, **fields).unit

    assert unit() == "%"
    assert unit(range=(0, float("inf"))) == ""
    assert unit(range=(0, float("inf")), unit="%") == "%"


# (prediction, truth): VSI-Bench's released code, SpatialBench's released code, the formula's `<` in exact arithmetic.
TIES = [
    ("1.05", "1", 1.0, 0.9, 0.9),
    ("1.1", "1", 0.9, 0.8, 0.8),
    ("9", "10", 0.9, 0.8, 0.8),
    ("1", "2", 0.1, 0.0, 0.0),
    ("3", "2", 0.1, 0.0, 0.0),
    ("3", "4", 0.6, 0.5, 0.5),
    ("5", "4", 0.6, 0.5, 0.5),
    ("4", "5", 0.6, 0.6, 0.6),
    ("6", "5", 0.6, 0.6, 0.6),
    ("17", "20", 0.8, 0.8, 0.7),
    ("7", "7", 1.0, 1.0, 1.0),
    ("0", "7", 0.0, 0.0, 0.0),
    ("-7", "7", 0.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("prediction", "truth", "vsi", "spatialbench", "exact"), TIES)
def test_ties_are_decided_as_each_code_decides_them(
    prediction: str, truth: str, vsi: float, spatialbench: float, exact: float
) -> None:
    assert mra_vsi_bench(float(prediction), float(truth)) == vsi
    assert mra_spatialbench(float(prediction), float(truth)) == spatialbench
    assert mra_exact(Fraction(prediction), Fraction(truth)) == exact


def test_a_truth_of_zero_needs_exactly_zero() -> None:
    assert mra_spatialbench(0.0, 0.0) == 1.0
    assert mra_spatialbench(0.1, 0.0) == 0.0
    assert mra_exact(Fraction(0), Fraction(0)) == 1.0
    assert mra_exact(Fraction(1, 10), Fraction(0)) == 0.0


def test_a_truth_below_zero_is_scored_as_each_code_scores_it() -> None:
    assert mra_vsi_bench(5.0, -2.0) == 1.0  # as released; loading refuses such a truth
    assert mra_spatialbench(5.0, -2.0) == 0.0
    assert mra_exact(Fraction(5), Fraction(-2)) == 0.0
    assert mra_exact(Fraction(-2), Fraction(-2)) == 1.0
    with pytest.raises(ZeroDivisionError):
        mra_vsi_bench(5.0, 0.0)


@given(st.floats(allow_nan=True), st.floats(0.001, 1e6))
def test_the_released_metrics_are_their_comparisons_threshold_by_threshold(prediction: float, truth: float) -> None:
    error = abs(prediction - truth) / truth
    assert mra_vsi_bench(prediction, truth) == sum(error <= limit for limit in 1 - np.linspace(0.5, 0.95, 10)) / 10
    assert mra_spatialbench(prediction, truth) == sum(error < 1 - p / 100 for p in range(50, 100, 5)) / 10


@given(st.fractions(-100, 100), st.fractions(-100, 100).filter(bool))
def test_the_exact_metric_is_its_formula_threshold_by_threshold(prediction: Fraction, truth: Fraction) -> None:
    error = abs(prediction - truth) / abs(truth)
    assert mra_exact(prediction, truth) == sum(error < Fraction(p, 100) for p in range(5, 55, 5)) / 10


def test_infinities_and_nan_score_nothing() -> None:
    for value in (float("inf"), float("-inf"), float("nan")):
        assert mra_vsi_bench(value, 2.0) == 0.0
        assert mra_spatialbench(value, 2.0) == 0.0


@given(st.floats(0.01, 1e4), st.floats(0, 2))
def test_the_three_agree_away_from_ties(truth: float, share: float) -> None:
    prediction = truth * share
    error = abs(Fraction(prediction) - Fraction(truth)) / Fraction(truth)
    if any(abs(error - Fraction(p, 100)) < Fraction(1, 10**9) for p in range(5, 55, 5)):
        return
    exact = mra_exact(Fraction(prediction), Fraction(truth))
    assert mra_vsi_bench(prediction, truth) == exact == mra_spatialbench(prediction, truth)


@given(st.fractions(0, 100), st.fractions(0, 100), st.fractions(Fraction(1, 10), 100))
def test_a_closer_prediction_never_scores_less(one: Fraction, other: Fraction, truth: Fraction) -> None:
    nearer, farther = sorted((one, other), key=lambda p: abs(p - truth))
    assert mra_exact(nearer, truth) >= mra_exact(farther, truth)


@given(st.fractions(0, 100), st.fractions(Fraction(1, 10), 100), st.fractions(Fraction(1, 1000), 1000))
def test_the_unit_does_not_matter(prediction: Fraction, truth: Fraction, factor: Fraction) -> None:
    assert mra_exact(prediction * factor, truth * factor) == mra_exact(prediction, truth)


RIGHT = json.dumps({"size": [4, 2], "mask": {"size": [2, 4], "counts": [4, 4]}})
"""The right half."""


@pytest.mark.parametrize(
    ("points", "pixels", "points_inside"),
    [([[3, 1]], 1.0, 1.0), ([[4, 1]], 0.0, 1.0), ([[3, 2]], 0.0, 1.0), ([[3, 0], [4, 0], [0, 0], [2, 0]], 0.5, 0.75)],
)
def test_the_far_edges_are_outside(points: list[list[int]], pixels: float, points_inside: float) -> None:
    item = Item(id="1", question="Where?", kind="points", answer=RIGHT, task="pointing")
    reading = ParsedAnswer(json.dumps({"size": [4, 2], "points": points}))
    assert metric_named("pixels-inside").value(item, reading) == pixels
    assert metric_named("points-inside").value(item, reading) == points_inside
