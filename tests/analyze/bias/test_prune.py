"""Pruning takes out what learners find, and subsets are judged on the folds of the whole."""

import numpy as np
import polars as pl
import pytest

from guessing.planted import choices, numbers
from tolman.analyze.bias import ALL_ITEMS, analyze, prune
from tolman.errors import UsageError
from tolman.guessing.blind import CONSTANT, guess
from tolman.guessing.folds import assign
from tolman.guessing.learners import LEARNERS
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_table import Column, Table, pool

RULES = careful()
TABLE = Table((Column("all", "All", pool()),), headline="all")


@pytest.mark.full
def test_pruning_takes_out_what_is_guessed_and_keeps_each_types_share() -> None:
    items = choices(60, planted=1.0) + choices(60, planted=0.0, seed=1, start=60) + numbers(40)
    kept = prune(items, 80, RULES, folds=3, workers=1, rounds=2)
    assert (kept[:120].sum(), kept[120:].sum()) == (60, 20)
    assert kept[:60].sum() < 12
    with pytest.raises(UsageError, match="160 at most"):
        prune(items, 161, RULES, folds=3, workers=1)


@pytest.mark.full
def test_pruning_keeps_what_counts_as_one_together_and_the_same_again() -> None:
    items = [item.model_copy(update={"all_of": str(i // 4)}) for i, item in enumerate(choices(80, planted=0.5))]
    kept = prune(items, 42, RULES, folds=3, workers=1, rounds=1)
    assert set(kept.reshape(20, 4).sum(axis=1).tolist()) == {0, 4}
    assert np.array_equal(kept, prune(items, 42, RULES, folds=3, workers=1, rounds=1))


@pytest.mark.full
def test_a_subset_is_judged_on_the_folds_of_the_whole() -> None:
    items = choices(150, planted=1.0) + choices(150, planted=0.0, seed=1, start=150)
    easy = {item.id for item in items[:150]}
    found = analyze(items, TABLE, RULES, folds=3, keep=150, rounds=1, given={"given": easy}, workers=1)
    assert [(row.subset, row.trained) for row in found.rows[::3]] == [
        ("all", "all items"), ("pruned", "all items"), ("pruned", "the subset"), ("given", "all items"), ("given", "the subset"),
    ]  # fmt: skip
    score = {(r.subset, r.trained, r.learner): r.figures["all"].value for r in found.rows}
    assert score["all", "all items", "random-forest"] > 55
    assert score["given", "the subset", "random-forest"] < 40
    assert score["pruned", "the subset", "random-forest"] < 40
    own = guess(items[150:], assign(items, 3, 0)[150:], RULES, workers=1)
    assert own.scores(RULES)["random-forest"]["score"].mean() * 100 == pytest.approx(score["given", "the subset", "random-forest"])  # fmt: skip
    frame = found.frame()
    assert frame.columns == ["id", "task", "fold", "guessability", "answer", CONSTANT, *LEARNERS, "kept"]
    assert frame.filter(pl.col("kept"))["guessability"].mean() < frame.filter(~pl.col("kept"))["guessability"].mean()
    assert ALL_ITEMS not in [column.key for column in found.table.columns]
