"""People's averages and tiers: laws that hold whatever the times are."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from score_frames import score_frame
from tolman.analyze.humans import averages, difficulty, natural_cuts, tier_of
from tolman.errors import UsageError
from tolman.scoring.score_table import Column, Table, pool


def answers(*rows: tuple[str, str, float, float | None]) -> pl.DataFrame:
    schema = {"person": pl.String, "id": pl.String, "score": pl.Float64, "seconds": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(task=pl.lit("t"))


def scored(**scores: float) -> pl.DataFrame:
    return score_frame((i, 0, "t", i, s) for i, s in scores.items())


@given(st.lists(st.integers(1, 400), min_size=3, max_size=14).filter(lambda x: len(set(x)) >= 3))
def test_the_cuts_leave_the_least_variance_of_all_cuts(seconds: list[int]) -> None:
    x = np.sort(np.log(np.array(seconds, dtype=float)))

    def within(cuts: tuple[int, int]) -> float:
        return sum(float(part.var() * len(part)) for part in np.split(x, cuts))

    low, high = natural_cuts(np.array(seconds, dtype=float))
    parts = [int((x <= np.log(cut)).sum()) for cut in (low, high)]
    best = min(within(cuts) for cuts in combinations(range(1, len(x)), 2))
    assert within((parts[0], parts[1])) == pytest.approx(best, abs=1e-9)


@given(st.floats(0.2, 8), st.lists(st.integers(1, 300), min_size=12, max_size=12))
def test_a_slow_person_changes_the_scale_and_nothing_else(slower: float, seconds: list[int]) -> None:
    rows = [(p, str(i), 1.0, float(seconds[6 * k + i])) for k, p in enumerate("ab") for i in range(6)]
    base = difficulty(answers(*rows), (1, 2))
    slowed = [(p, i, s, t * slower if p == "b" else t) for p, i, s, t in rows]
    other = difficulty(answers(*slowed), (1, 2))
    root = slower**0.5  # the geometric mean of the two paces grows by the root
    assert other.frame["seconds"].to_numpy() == pytest.approx(base.frame["seconds"].to_numpy() * root)
    assert other.paces == pytest.approx({"a": base.paces["a"], "b": base.paces["b"] * slower})


def test_an_item_that_anybody_answered_wrongly_is_hard() -> None:
    rows = [(p, str(i), 1.0, 10.0 * 3 ** (i // 2)) for p in "ab" for i in range(6)]
    found = difficulty(answers(*rows, ("a", "w", 1.0, 5.0), ("b", "w", 0.0, 5.0)), cuts=(20, 60))
    assert tier_of(found, "easy") == ["0", "1"]
    assert tier_of(found, "medium") == ["2", "3"]
    assert tier_of(found, "hard") == ["4", "5", "w"]


def test_a_number_is_right_from_half_the_score_or_as_told() -> None:
    rows = answers(("a", "x", 0.4, 3.0), ("a", "y", 0.6, 3.0), ("a", "z", 1.0, 3.0))
    assert tier_of(difficulty(rows, (5, 9)), "hard") == ["x"]
    assert tier_of(difficulty(rows, (5, 9), right_from=0.7), "hard") == ["x", "y"]


def test_answers_without_a_time_are_counted() -> None:
    found = difficulty(answers(("a", "x", 1.0, 3.0), ("a", "y", 1.0, None)), (5, 9))
    assert (found.untimed, found.frame["id"].to_list()) == (1, ["x"])


@pytest.mark.parametrize(
    ("rows", "cuts", "sentence"),
    [
        ([("a", "x", 1.0, None)], None, "no answer has a time"),
        ([("a", "x", 1.0, 3.0)], None, "at least three items"),
        ([("a", "x", 1.0, 3.0)], (9.0, 5.0), "two rising numbers"),
    ],
)
def test_what_can_not_be_sorted_is_said(rows: list[tuple], cuts: tuple[float, float] | None, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        difficulty(answers(*rows), cuts)


def test_figures_are_averaged_over_people_not_answers() -> None:
    table = Table((Column("t", "T", pool("t")), Column("u", "U", pool("u"))), headline="t")
    own, found = averages({"a": scored(x=1.0), "b": scored(x=1.0, y=0.0, z=0.0, w=0.0)}, table)
    assert own == {"a": {"t": 100.0}, "b": {"t": 25.0}}
    assert set(found) == {"t"}
    average = found["t"]
    assert (average.value, average.people, average.lowest, average.highest) == (62.5, 2, 25.0, 100.0)
    assert average.interval is not None
    assert (average.interval.low, average.interval.high) == (0.0, 100.0)
    assert averages({"a": scored(x=1.0)}, table)[1]["t"].interval is None
