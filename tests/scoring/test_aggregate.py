"""Figures of repeated answers: an item that was asked several times is still one item."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Outcome, Response
from tolman.scoring.aggregate import Cell, cells, cells_of, prepare
from tolman.scoring.further_figures import further_figures
from tolman.scoring.metrics import metrics_named
from tolman.scoring.rule_sets import RuleSet, careful
from tolman.scoring.run_differences import differences
from tolman.scoring.score_items import score
from tolman.scoring.score_table import Column, Mean, Table, pool

Make = Callable[..., Item]
TABLE = Table(
    (
        Column("one", "One", pool("one")),
        Column("two", "Two", pool("two", metric="chance-adjusted")),
        Column("mean", "Mean", Mean((pool("one"), pool("two", metric="chance-adjusted")))),
    ),
    headline="mean",
)

WHOLE = Table((Column("all", "All", pool()),), headline="all")


def asked(answers: dict[str, Sequence[str]]) -> list[Outcome]:
    return [Response(id=name, response=text, repeat=i) for name, own in answers.items() for i, text in enumerate(own)]


def figures(items: list[Item], answers: dict[str, Sequence[str]], rules: RuleSet, table: Table) -> dict[str, Cell]:
    times = max(map(len, answers.values()))
    return cells(score(items, asked(answers), [rules], repeats=times), table)


def assert_same(one: Cell, other: Cell) -> None:
    assert one.value == pytest.approx(other.value)
    assert (one.interval is None) == (other.interval is None)
    if one.interval is not None and other.interval is not None:
        assert one.interval.low == pytest.approx(other.interval.low)
        assert one.interval.high == pytest.approx(other.interval.high)
    assert replace(one, value=0, interval=None, effective_scenes=0, left_out=0, unread=0) == replace(
        other, value=0, interval=None, effective_scenes=0, left_out=0, unread=0
    )
    assert one.effective_scenes == pytest.approx(other.effective_scenes)


@pytest.mark.parametrize("times", [5, 50])
@pytest.mark.parametrize(("scenes", "wrong"), [(40, 3), (10, 0), (10, 11)])
def test_the_same_answers_several_times_have_the_interval_of_one(
    choice: Make, times: int, scenes: int, wrong: int
) -> None:
    items = [choice(id=str(i), scene=str(i % scenes), task="one" if i % 3 else "two") for i in range(40)]
    once = {item.id: ["B" if i < wrong else "A"] for i, item in enumerate(items)}
    single = figures(items, once, careful(), TABLE)
    several = figures(items, {name: own * times for name, own in once.items()}, careful(), TABLE)
    assert single["mean"].interval is not None
    for key in single:
        assert_same(single[key], several[key])


def test_mean_relative_accuracy_and_further_metrics_count_an_item_once(number: Make) -> None:
    rules = benchmarks.get("vsi-bench").rule_set("official")
    metrics = metrics_named(["within-25", "median-relative-error", "signed-bias"])
    items = [number("2", id=str(i), scene=str(i % 12), task="room_size_estimation") for i in range(36)]
    once = {item.id: [f"{1 + (i * 7 % 20) / 10}"] for i, item in enumerate(items)}

    def found(times: int) -> dict[str, Cell]:
        answers = {name: own * times for name, own in once.items()}
        rows = score(items, asked(answers), [rules], repeats=times, metrics=metrics)
        further = {name: by_task["all"] for name, by_task in further_figures(rows, metrics).items()}
        return further | {"mra": cells(rows, benchmarks.get("vsi-bench").table)["room_size"]}

    single, several = found(1), found(5)
    assert single["mra"].interval is not None
    assert all(cell.n == 36 for cell in several.values())
    for key in single:
        assert_same(single[key], several[key])


def test_different_answers_to_one_item_are_averaged(choice: Make) -> None:
    items = [choice(id=str(i), scene=str(i % 10), task="one") for i in range(40)]
    draws = np.random.default_rng(3).random((40, 4)) < 0.6
    answers = {item.id: ["A" if right else "B" for right in own] for item, own in zip(items, draws, strict=True)}
    found = figures(items, answers, careful(), TABLE)["one"]
    means = pl.DataFrame(
        {
            "id": [i.id for i in items], "task": "one", "cluster": [i.scene for i in items], "options": 4,
            "status": "scored", "score": draws.mean(1), "state": "read",
        }
    )  # fmt: skip
    own = cells(means, TABLE)["one"]
    assert found.value == pytest.approx(own.value)
    assert found.interval is not None
    assert own.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((own.interval.low, own.interval.high))


def test_items_with_failed_repeats_count_as_much_as_others(choice: Make) -> None:
    items = [choice(id=str(i), scene=str(i % 10), task="one") for i in range(20)]
    outcomes: list[Outcome] = [
        Response(id=item.id, response="A" if (i + r) % 3 else "B", repeat=r)
        for i, item in enumerate(items)
        for r in range(3)
        if (i, r) != (0, 1)
    ]
    outcomes.append(Failure(id="0", repeat=1, kind=FailureKind.TIMEOUT, message="late"))
    rows = score(items, outcomes, [careful()], repeats=3)
    found = cells(rows, TABLE)["one"]
    means = rows.drop_nulls("score").group_by("id").agg(pl.col("score").mean())["score"]
    assert found.value == pytest.approx(100 * means.mean())  # type: ignore[operator]
    assert (found.n, found.unanswered) == (20, 1)
    assert found.interval is not None


UNEVEN = {
    str(i): ["A"] * right + ["B"] * wrong
    for i, (right, wrong) in enumerate([(5, 0), (0, 1), (2, 1), (0, 4), (3, 2), (1, 0)] * 10)
}


@pytest.mark.parametrize("column", [0, 1, 2])
def test_figures_are_means_of_the_means_of_items(choice: Make, column: int) -> None:
    items = [choice(id=name, scene=str(int(name) % 12), task="one" if int(name) % 3 else "two") for name in UNEVEN]
    found = figures(items, UNEVEN, careful(), TABLE)
    means = pl.DataFrame(
        {
            "id": [i.id for i in items], "task": [i.task for i in items], "cluster": [i.scene for i in items],
            "options": 4, "status": "scored", "state": "read",
            "score": [UNEVEN[i.id].count("A") / len(UNEVEN[i.id]) for i in items],
        }
    )  # fmt: skip
    key = TABLE.columns[column].key
    assert_same(replace(found[key], unanswered=0), cells(means, TABLE)[key])


def test_items_count_as_much_in_further_metrics_and_in_parts(number: Make) -> None:
    metrics = metrics_named(["within-25", "median-relative-error", "signed-bias"])
    items = [number("2", id=str(i), scene=str(i % 12), task="size") for i in range(36)]
    uneven = {item.id: [f"{1 + (i * 7 % 20) / 10}"] * (1 + i % 3) for i, item in enumerate(items)}
    once = {name: own[:1] for name, own in uneven.items()}
    several, single = (
        further_figures(score(items, asked(own), [careful()], repeats=3, metrics=metrics), metrics)
        for own in (uneven, once)
    )
    for metric in metrics:
        assert several[metric.name]["all"].value == pytest.approx(single[metric.name]["all"].value)

    rows = score(items, asked(uneven), [careful()], repeats=3)
    whole = prepare(rows, WHOLE)
    for kept in (pl.col("repeat") < 2, pl.col("repeat") == 0, pl.col("id").cast(pl.Int64) < 20):
        inside = rows.select(kept).to_series()
        part, own = (cells_of(whole.part(inside.to_numpy()), WHOLE), cells(rows.filter(inside), WHOLE))
        assert_same(replace(part["all"], unanswered=0), replace(own["all"], unanswered=0))


def test_intervals_of_repeated_answers_hold_the_truth(choice: Make) -> None:
    """93 % are right, each item asked five times with the same answer: 95.5 % of the intervals hold it."""
    items = [choice(id=str(i), scene=str(i), task="one") for i in range(40)]
    generator = np.random.default_rng(0)
    held = []
    for right in generator.random((150, 40)) < 0.93:
        answers = {item.id: ["A" if one else "B"] * 5 for item, one in zip(items, right, strict=True)}
        interval = figures(items, answers, careful(), TABLE)["one"].interval
        assert interval is not None
        held.append(interval.low <= 93 <= interval.high)
    assert np.mean(held) >= 0.93


def test_a_comparison_counts_items_too(choice: Make) -> None:
    items = [choice(id=str(i), scene=str(i % 10), task="one") for i in range(40)]
    a = {item.id: ["A" if i % 4 else "B"] for i, item in enumerate(items)}
    b = {item.id: ["A" if i % 3 else "B"] for i, item in enumerate(items)}
    single, several = (
        differences(
            *(
                score(items, asked({k: v * times for k, v in own.items()}), [careful()], repeats=times)
                for own in (a, b)
            ),
            TABLE,
        )["one"]
        for times in (1, 5)
    )
    assert several == single


PARTS = ("one", "two", "three")
THREE = Table(
    (
        *(Column(name, name.title(), pool(name)) for name in PARTS),
        Column("mean", "Mean", Mean(tuple(map(pool, PARTS)))),
    ),
    headline="mean",
)


def test_a_headline_without_an_interval_has_one_over_the_parts_that_have_one(choice: Make) -> None:
    def scored(scenes_of_three: int, table: Table = THREE) -> dict[str, Cell]:
        items = [choice(id=f"{t}{i}", task=t, scene=str(i)) for t in PARTS[:2] for i in range(20)]
        items += [choice(id=f"three{i}", task="three", scene=str(i % scenes_of_three)) for i in range(20)]
        answers = {item.id: ["A" if place % 3 else "B"] for place, item in enumerate(items)}
        return figures(items, answers, careful(), table)

    found = scored(2)
    rest = found["mean"].rest
    assert (found["mean"].interval, found["three"].interval) == (None, None)
    assert rest is not None
    assert rest.without == ("Three",)
    two = Table((Column("mean", "Mean", Mean((pool("one"), pool("two")))),), headline="mean")
    whole = scored(2, two)["mean"]
    assert whole.value is not None
    assert whole.interval is not None
    assert (rest.value, rest.low, rest.high) == pytest.approx((whole.value, whole.interval.low, whole.interval.high))
    assert scored(20)["mean"].rest is None
    one = Table((*THREE.columns[:3], Column("mean", "Mean", Mean((pool("one"), pool("three"))))), headline="mean")
    assert scored(2, one)["mean"].rest is None  # that of a single part is in the table
    assert found["one"].rest is None
