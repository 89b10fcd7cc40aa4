"""Adaptive testing: which items are drawn, and that the estimates of all items are right whatever the bank says."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import mean, stdev

import numpy as np
import polars as pl
import pytest

from score_frames import score_frame
from tolman.scoring.adaptive_testing import (
    BATCH,
    LEAST_DRAWS,
    AdaptiveEstimate,
    AdaptiveRecord,
    AdaptiveTest,
    BankedItem,
    Draw,
    DrawableItem,
    ItemBank,
    Stratum,
    TaskScale,
    estimates,
    task_bank,
)
from tolman.scoring.aggregate import cells
from tolman.scoring.score_table import Column, Mean, Table, pool

SEEDS = 120
SIZES = {"a": 240, "b": 60}
TABLE = Table(
    (
        Column("a", "A", pool("a")),
        Column("b", "B", pool("b")),
        Column("avg", "Avg.", Mean((pool("a"), pool("b")))),
        Column("caa", "CAA", pool("a", "b", metric="chance-adjusted")),
    ),
    headline="avg",
)
TASKS = {f"{task}{i}": task for task, size in SIZES.items() for i in range(size)}
HARD = dict(zip(TASKS, np.random.default_rng(0).normal(0, 1.5, len(TASKS)).tolist(), strict=True))


def bank(difficulties: dict[str, float], error: float = 0.3) -> ItemBank:
    """A bank of these difficulties."""
    scale = TaskScale(ability=0.0, spread=0.8, difficulties=1.5, noise=1.0)
    items = [
        BankedItem(id=id, task=TASKS[id], difficulty=hard, error=error, discrimination=1.0)
        for id, hard in difficulties.items()
    ]
    return ItemBank(
        benchmark="b", subset="all", data_hash="0", scorer="careful", models=("m",), tasks={"a": scale, "b": scale}, items=items
    )  # fmt: skip


def answers(ability: float, seed: int) -> pl.DataFrame:
    """The rows of a model that answers as the Rasch model says."""
    generator = np.random.default_rng(seed)
    chances = 1 / (1 + np.exp(-(ability - np.array(list(HARD.values())))))
    right = (generator.random(len(TASKS)) < chances).astype(float)
    return score_frame((id, 0, task, id, own) for (id, task), own in zip(TASKS.items(), right.tolist(), strict=True))


def made_test(items: ItemBank, *, most: int = 75, error: float | None = None, seed: int = 0) -> AdaptiveTest:
    candidates = [DrawableItem(id, task, 0.25) for id, task in TASKS.items()]
    return AdaptiveTest(items, candidates, TABLE, most=most, error=error, seed=seed)


def estimated(test: AdaptiveTest, rows: pl.DataFrame) -> dict[str, AdaptiveEstimate]:
    """Ask all batches, and estimate the figures."""
    known = asked(test, rows)
    return estimates(test.record, known, TABLE)


def asked(test: AdaptiveTest, rows: pl.DataFrame) -> pl.DataFrame:
    """Ask all batches, and give the rows of the answers."""
    known = rows.head(0)
    while test.next_batch(known):
        known = rows.filter(pl.col("id").is_in([draw.id for draw in test.record.draws]))
    return known


def test_everything_asked_is_the_score_itself() -> None:
    rows = answers(0.5, 1)
    test = made_test(bank(HARD), most=len(TASKS))
    found = estimated(test, rows)
    for key, cell in cells(rows, TABLE).items():
        assert found[key].value == pytest.approx(cell.value)
        assert found[key].error == pytest.approx(0, abs=1e-9)


def test_equal_chances_give_the_mean_and_error_of_simple_random_sampling() -> None:
    size, n = 40, 12
    rows = answers(0.0, 2).filter(pl.col("task") == "a").head(n)
    draws = tuple(
        Draw(id=id, task="a", chance=1 / (size - k), expected=0.4, rest=0.4 * (size - k)) for k, id in enumerate(rows["id"])
    )  # fmt: skip
    record = AdaptiveRecord(strata={"a": Stratum(items=size, chance=10.0)}, batches=(draws,))
    found = estimates(record, rows, TABLE)["a"]
    own = rows["score"].to_list()
    assert found.value == pytest.approx(100 * mean(own))
    assert found.error == pytest.approx(100 * stdev(own) * ((1 - n / size) / n) ** 0.5)


@pytest.mark.parametrize("known", [HARD, {id: -hard for id, hard in HARD.items()}], ids=["right", "upside down"])
def test_estimates_are_unbiased_and_intervals_hold_whether_or_not_the_bank_is_right(known: dict[str, float]) -> None:
    rows = answers(0.6, 3)
    true = {key: cell.value for key, cell in cells(rows, TABLE).items()}
    found = []
    for seed in range(SEEDS):
        test = made_test(bank(known), seed=seed)
        found.append(estimated(test, rows))
    for key in ("avg", "caa"):
        values = [one[key].value for one in found]
        stated = mean(one[key].error for one in found)
        assert mean(values) == pytest.approx(true[key], abs=3.5 * stdev(values) / SEEDS**0.5)
        assert stated == pytest.approx(stdev(values), rel=0.25)
        held = mean(one[key].interval.low <= true[key] <= one[key].interval.high for one in found)
        assert 0.9 <= held <= 0.99


def test_a_good_bank_makes_the_error_smaller() -> None:
    rows = answers(0.6, 3)
    flat = dict.fromkeys(HARD, 0.0)
    errors = []
    for items in (bank(HARD, 0.0), bank(flat, 0.0)):
        tests = [made_test(items, seed=seed) for seed in range(20)]
        errors.append(mean(estimated(test, rows)["avg"].error for test in tests))
    assert errors[0] < 0.9 * errors[1]


def test_items_come_in_batches_balanced_by_the_headline_and_uncertain_ones_first() -> None:
    test = made_test(bank(HARD, 0.0), most=100)
    asked(test, answers(0.0, 4))
    assert [len(batch) for batch in test.record.batches] == [BATCH, BATCH, BATCH, 4]
    draws = test.record.draws
    assert len({draw.id for draw in draws}) == 100
    counts = {task: sum(draw.task == task for draw in draws) for task in SIZES}
    assert abs(counts["a"] - counts["b"]) <= 10  # each is half of the headline, though b has a fifth of the items
    of_a = [abs(HARD[draw.id]) for draw in draws if draw.task == "a"]
    assert mean(of_a) < 0.96 * mean(abs(hard) for id, hard in HARD.items() if TASKS[id] == "a")


def test_the_choice_depends_on_answers_and_seed_and_not_on_the_order_of_items() -> None:
    rows = answers(0.6, 5)
    one, same, other = made_test(bank(HARD)), made_test(bank(HARD)), made_test(bank(HARD), seed=1)
    candidates = [DrawableItem(id, task, 0.25) for id, task in reversed(TASKS.items())]
    turned = AdaptiveTest(bank(HARD), candidates, TABLE, most=75, error=None, seed=0)
    for test in (one, same, other, turned):
        asked(test, rows)
    assert one.record == same.record
    assert [draw.id for draw in turned.record.draws] == [draw.id for draw in one.record.draws]
    assert one.record != other.record
    weak = made_test(bank(HARD))
    asked(weak, answers(-2.0, 5))
    assert weak.record.batches[0] == one.record.batches[0]
    assert weak.record.batches[1] != one.record.batches[1]


def test_a_larger_share_goes_on_with_the_same_items() -> None:
    rows = answers(0.6, 6)
    small, large = made_test(bank(HARD), most=64), made_test(bank(HARD), most=160)
    for test in (small, large):
        asked(test, rows)
    assert large.record.batches[:2] == small.record.batches


def test_it_stops_at_the_standard_error() -> None:
    test = made_test(bank(HARD), most=300, error=4.0)
    known = asked(test, answers(0.6, 7))
    assert test.estimate(known).error <= 4.0
    assert BATCH < len(known) < 300
    *_, last = test.record.batches
    before = known.filter(~pl.col("id").is_in([draw.id for draw in last]))
    assert error_before(test, before) > 4.0


def error_before(test: AdaptiveTest, known: pl.DataFrame) -> float:
    record = test.record.model_copy(update={"batches": test.record.batches[:-1]})
    return estimates(record, known, TABLE)["avg"].error or 0.0


def test_failed_items_count_as_expected_and_too_few_answers_give_no_estimate() -> None:
    rows = answers(0.6, 8)
    test = made_test(bank(HARD))
    known = asked(test, rows)
    lost = known.filter(pl.col("id") != test.record.draws[3].id)
    found = estimates(test.record, lost, TABLE)["avg"]
    assert found.value == pytest.approx(estimates(test.record, known, TABLE)["avg"].value, abs=5)
    few = known.filter(pl.col("task") == "a")
    none = estimates(test.record, few, TABLE)["avg"]
    assert (none.value, none.reason) == (None, f"fewer than {LEAST_DRAWS} answers of b")


def test_abilities_follow_the_answers() -> None:
    rising = [abilities(score) for score in (0.0, 0.5, 1.0)]
    assert all(low < high for low, high in pairwise(rising))


def abilities(score: float) -> float:
    ids: Sequence[str] = [id for id, task in TASKS.items() if task == "b"]
    own = task_bank(bank(HARD), "b", ids)
    return own.ability(np.arange(20), np.full(20, score)).mean
