"""Gaps between a public form and fresh ones: against published and outside results, and on scores with a known gap."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tolman.analyze import deltas
from tolman.analyze.deltas import WANTED, form_gaps
from tolman.scoring.score_table import Column, Mean, Table, pool

SCHEMA = {
    "id": pl.String, "task": pl.String, "cluster": pl.String, "options": pl.Int64, "state": pl.String,
    "status": pl.String, "score": pl.Float64,
}  # fmt: skip
COLUMNS = tuple(Column(task, task, pool(task)) for task in ("near", "far"))
TABLE = Table((*COLUMNS, Column("all", "Avg.", Mean(tuple(c.node for c in COLUMNS)))), headline="all")
ONE = Table((Column("near", "near", pool("near")),), headline="near")


def frame(form: str, scenes: Sequence[Sequence[float]], task: str = "near", options: int = 4) -> pl.DataFrame:
    """Rows of scores, a list of them for each scene."""
    rows = [
        (f"{form}-{task}-{i}-{j}", task, f"{form}-{i}", options, "read", "answered", float(score))
        for i, own in enumerate(scenes)
        for j, score in enumerate(own)
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def answers(
    dice: np.random.Generator, scenes: int, right: float, *, memory: float = 0.0, each: int = 8
) -> list[list[float]]:
    """Scores of scenes that differ in difficulty; a share of the questions is remembered."""
    levels = dice.beta(right * 12, (1 - right) * 12, scenes)
    return [[float(dice.random() < memory or dice.random() < level) for _ in range(each)] for level in levels]


def test_the_interval_is_newcombes_where_every_question_is_its_own_scene() -> None:
    # Newcombe 1998, Statistics in Medicine 17, 873-890, table II, example a, method 10: 56/70 and 48/80.
    one = [[1.0]] * 56 + [[0.0]] * 14
    other = [[1.0]] * 48 + [[0.0]] * 32
    gap = form_gaps(frame("p", one), frame("f", other), ONE)["near"]
    assert gap.value == pytest.approx(20.0)
    assert gap.interval is not None
    assert gap.interval.low == pytest.approx(5.24, abs=1.0)
    assert gap.interval.high == pytest.approx(33.39, abs=1.0)
    assert gap.questions == gap.scenes == (70, 80)


def test_the_test_is_scipys_permutation_test_of_scenes() -> None:
    dice = np.random.default_rng(3)
    for shift in (0.0, 0.08, 0.15):
        one, other = answers(dice, 30, 0.5 + shift), answers(dice, 30, 0.5)
        gap = form_gaps(frame("p", one), frame("f", other), ONE)["near"]
        outside = stats.permutation_test(
            ([np.mean(s) for s in one], [np.mean(s) for s in other]), lambda a, b: np.mean(a) - np.mean(b),
            n_resamples=9_999, rng=1,
        )  # fmt: skip
        assert gap.p == pytest.approx(outside.pvalue, abs=0.015)


def test_chance_adjusted_figures_are_compared_as_such() -> None:
    table = Table((Column("near", "near", pool("near", metric="chance-adjusted")),), headline="near")
    one, other = [[1.0, 1.0, 0.0, 1.0]] * 10, [[1.0, 0.0, 0.0, 1.0]] * 10
    gap = form_gaps(frame("p", one), frame("f", other), table)["near"]
    assert (gap.public, gap.fresh) == (pytest.approx(100 * (0.75 - 0.25) / 0.75), pytest.approx(100 * 0.25 / 0.75))


def test_figures_without_enough_scenes_have_neither_interval_nor_p() -> None:
    gaps = form_gaps(
        pl.concat([frame("p", [[1, 0]] * 20), frame("p", [[1, 1]] * 3, "far")]),
        pl.concat([frame("f", [[1, 0]] * 20), frame("f", [[0, 1]] * 3, "far")]),
        TABLE,
    )
    assert gaps["far"].interval is None
    assert gaps["far"].p is None
    assert "effective scenes" in str(gaps["far"].reason)
    assert gaps["far"].is_small
    assert gaps["far"].needed is None
    assert gaps["near"].interval is not None
    only = form_gaps(frame("p", [[1, 0]] * 20), frame("f", [[1, 0]] * 20, "far"), TABLE)
    assert not only


def test_honest_scores_show_a_gap_as_rarely_as_the_level_says_and_planted_ones_are_covered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deltas, "DRAWS", 999)
    dice = np.random.default_rng(11)
    found, inside = 0, 0
    for trial in range(120):
        honest = [frame(name, answers(dice, 30, 0.6)) for name in "pf"]
        gap = form_gaps(*honest, ONE, seed=trial)["near"]
        assert gap.p is not None
        found += gap.p < 0.05
        # What is remembered is right: the gap is the share of what an honest model gets wrong.
        taught = form_gaps(frame("p", answers(dice, 30, 0.6, memory=0.3)), honest[1], ONE, seed=trial)["near"]
        assert taught.interval is not None
        inside += taught.interval.low <= 100 * 0.3 * 0.4 <= taught.interval.high
    assert found <= 12  # 6 expected; more than 12 has a probability below 0.01
    assert inside >= 108  # 114 expected


def test_the_detectable_gap_is_found_in_four_of_five_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deltas, "DRAWS", 999)
    dice = np.random.default_rng(5)
    known = form_gaps(frame("p", answers(dice, 60, 0.5)), frame("f", answers(dice, 60, 0.5)), ONE)["near"]
    assert known.detectable is not None
    share = known.detectable / 100 / 0.5
    found = 0
    for trial in range(100):
        one, other = answers(dice, 60, 0.5, memory=share), answers(dice, 60, 0.5)
        p = form_gaps(frame("p", one), frame("f", other), ONE, seed=trial)["near"].p
        found += p is not None and p < 0.05
    assert 70 <= found <= 95


def test_needed_questions_would_show_ten_points() -> None:
    dice = np.random.default_rng(7)
    few = form_gaps(frame("p", answers(dice, 20, 0.5)), frame("f", answers(dice, 20, 0.5)), ONE)["near"]
    assert few.needed is not None
    scenes = -(-few.needed // 8)
    many = form_gaps(frame("p", answers(dice, scenes, 0.5)), frame("f", answers(dice, scenes, 0.5)), ONE)["near"]
    assert many.detectable == pytest.approx(WANTED, rel=0.25)
