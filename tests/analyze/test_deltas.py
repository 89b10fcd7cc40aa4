"""What is compared with what, and that the mean over models is the models' mean."""

import numpy as np
import polars as pl
import pytest

from score_frames import score_frame
from tolman.analyze.deltas import ProtocolRun, deltas
from tolman.scoring.run_differences import differences
from tolman.scoring.score_table import Column, Mean, Table, pool

TABLE = Table(
    (Column("a", "A", pool("a")), Column("b", "B", pool("b")), Column("avg", "Avg.", Mean((pool("a"), pool("b"))))),
    headline="avg",
)


def run(seed: int, share: float, skip: int = 0, repeats: int = 1) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    return score_frame(
        (str(i), repeat, "ab"[i % 2], f"s{i // 5}", float(generator.random() < share))
        for i in range(skip, 100)
        for repeat in range(repeats)
    )


def test_each_model_is_compared_with_itself_and_with_chance() -> None:
    runs = [
        ProtocolRun("m", "direct", run(1, 0.6)),
        ProtocolRun("m", "blind", run(2, 0.4)),
        ProtocolRun("n", "direct", run(3, 0.5)),
    ]
    runs.append(ProtocolRun("n", "chain-of-thought", run(4, 0.5)))
    chance = run(5, 0.25)
    found = deltas(runs, TABLE, chance=chance)
    assert [(d.what, d.model) for d in found] == [
        ("enabled − disabled", "m"),
        ("disabled − chance", "m"),
        ("chain-of-thought − direct", "n"),
    ]
    assert found[0].figures == differences(runs[0].scores, runs[1].scores, TABLE)
    assert [d.what for d in deltas(runs, TABLE)] == ["enabled − disabled", "chain-of-thought − direct"]
    assert deltas(runs[2:3], TABLE, chance=chance) == []


def test_the_mean_over_models_weighs_every_model_once() -> None:
    runs = [
        ProtocolRun("m", "direct", run(1, 0.7, repeats=3)),
        ProtocolRun("m", "blind", run(2, 0.4)),
        ProtocolRun("n", "direct", run(3, 0.9)),
        ProtocolRun("n", "blind", run(4, 0.3)),
    ]
    one, other, mean = deltas(runs, TABLE)
    assert mean.model == "mean of 2 models"
    for key in ("a", "b", "avg"):
        assert mean.figures[key].value == pytest.approx((one.figures[key].value + other.figures[key].value) / 2)
    narrow, wide = mean.figures["avg"].interval, one.figures["avg"].interval
    assert narrow is not None
    assert wide is not None
    assert narrow.high - narrow.low < wide.high - wide.low


def test_the_mean_is_over_items_that_all_models_answered() -> None:
    runs = [
        ProtocolRun("m", "direct", run(1, 0.7)),
        ProtocolRun("m", "blind", run(2, 0.4)),
        ProtocolRun("n", "direct", run(3, 0.9, skip=40)),
        ProtocolRun("n", "blind", run(4, 0.3)),
    ]
    assert [d.figures["avg"].n for d in deltas(runs, TABLE)] == [100, 60, 60]
