"""A subset's size and mixture, that models left out take no part, and that it beats a draw where it can."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import tolman.analyze.representative as module
from score_frames import score_frame
from tolman.analyze.representative import quotas, representative
from tolman.errors import UsageError
from tolman.scoring.score_table import Column, Mean, Table, pool

TABLE = Table(
    (Column("a", "A", pool("a")), Column("b", "B", pool("b")), Column("avg", "Avg.", Mean((pool("a"), pool("b"))))),
    headline="avg",
)


def frame(scores: np.ndarray) -> pl.DataFrame:
    return score_frame((str(i), 0, "aab"[i % 3], f"s{i // 7}", s) for i, s in enumerate(scores.tolist()))


def models(count: int, noise: float, items: int = 900) -> list[pl.DataFrame]:
    """Models whose scores follow one difficulty, with noise of their own."""
    generator = np.random.default_rng(7)
    difficulty = generator.normal(size=items)
    abilities = np.linspace(-1, 1, count)
    return [
        frame((abilities[m] + generator.normal(scale=noise, size=items) > difficulty).astype(float))
        for m in range(count)
    ]


def test_size_mixture_and_order() -> None:
    found = representative(models(4, 0.5), TABLE, 60)
    assert len(found.ids) == len(set(found.ids)) == 60
    assert found.tasks == {"a": 40, "b": 20}
    assert [int(i) for i in found.ids] == sorted(int(i) for i in found.ids)
    assert found == representative(models(4, 0.5), TABLE, 60)
    assert found.ids != representative(models(4, 0.5), TABLE, 60, seed=1).ids


def test_figures_are_those_of_the_table() -> None:
    runs = models(3, 0.5)
    found = representative(runs, TABLE, 90)
    own = runs[1].filter(pl.col("id").is_in(found.ids))
    a, b = (100 * own.filter(pl.col("task") == t)["score"].mean() for t in "ab")
    assert found.figures[1]["avg"] == pytest.approx((a + b) / 2)
    assert found.errors[1].headline == pytest.approx(abs(found.figures[1]["avg"] - found.full[1]["avg"]))


def test_it_beats_a_draw_on_models_at_hand_and_on_those_left_out() -> None:
    found = representative(models(6, 0.3), TABLE, 60)
    assert max(error.mean for error in found.errors) < 0.3 * found.drawn.mean
    chosen, drawn = (np.mean([getattr(check, side).mean for check in found.held_out]) for side in ("chosen", "drawn"))
    assert chosen < 0.8 * drawn


def test_a_model_left_out_takes_no_part_in_choosing() -> None:
    runs = models(4, 0.5)
    changed = [*runs[:3], frame(np.random.default_rng(1).random(900))]
    before, after = (module._arrays(one, TABLE) for one in (runs, changed))
    subsets = [module._choose(arrays.only([0, 1, 2]), tasks, 60, 0) for _, tasks, arrays in (before, after)]
    assert (subsets[0] == subsets[1]).all()


def test_only_items_that_all_answered_are_taken() -> None:
    runs = models(3, 0.5)
    runs[1] = runs[1].filter(pl.col("id").cast(int) >= 300)
    found = representative(runs, TABLE, 50)
    assert found.items == 600
    assert min(int(i) for i in found.ids) >= 300


def test_what_can_not_be_chosen_is_said() -> None:
    runs = models(3, 0.5, items=30)
    with pytest.raises(UsageError, match="at least three"):
        representative(runs[:2], TABLE, 10)
    with pytest.raises(UsageError, match="30 at most"):
        representative(runs, TABLE, 31)
    with pytest.raises(UsageError, match="no item that all runs answered belongs to 'B'"):
        representative([run.filter(pl.col("task") == "a") for run in runs], TABLE, 5)
    with pytest.raises(UsageError, match="no item that all runs answered"):
        representative([runs[0].head(5), runs[1].tail(5), runs[2]], TABLE, 2)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=80), st.data())
def test_quotas_add_up_and_are_near_each_share(strata: list[str], data: st.DataObject) -> None:
    counts = Counter(strata)
    size = data.draw(st.integers(len(counts), len(strata)))
    found = quotas(strata, size)
    assert sum(found.values()) == size
    assert all(1 <= found[key] <= counts[key] for key in counts)
    # A stratum that is lifted to one item takes it from others, at most one for each that is lifted.
    assert all(abs(found[key] - size * counts[key] / len(strata)) < len(counts) for key in counts)


def test_quotas_are_largest_remainders() -> None:
    assert quotas("aaaaabbbcc", 5) == {"a": 3, "b": 1, "c": 1}
    assert quotas("aaaaabbbcc", 10) == {"a": 5, "b": 3, "c": 2}
    with pytest.raises(UsageError, match="3 at least"):
        quotas("aabc", 2)
