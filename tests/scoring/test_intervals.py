import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tolman.scoring.intervals import (
    bootstrap_intervals,
    closed_form_interval,
    clustered_sums,
    standard_errors,
    t_quantile,
    wilson_interval,
)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 30, 143, 287, 5129])
@pytest.mark.parametrize("probability", [0.6, 0.9, 0.975, 0.995, 0.025])
def test_quantiles_of_t_are_scipys(probability: float, degrees: int) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-8)


def single(values: list[float], cluster: list[int] | None = None):
    column = np.array(values, dtype=float)[:, None]
    clusters = np.arange(len(values)) if cluster is None else np.array(cluster)
    return clustered_sums(clusters.astype(np.intp), column, np.ones_like(column))


ONE = np.array([[1.0]])


@given(st.lists(st.floats(0, 1), min_size=3, max_size=40))
def test_without_clusters_the_closed_form_is_the_standard_error_of_the_mean(values: list[float]) -> None:
    sums = single(values)
    assert standard_errors(sums, ONE)[0] == pytest.approx(np.std(values, ddof=1) / math.sqrt(len(values)), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=20), st.integers(2, 5))
def test_copies_of_a_question_in_its_scene_add_no_certainty(values: list[float], copies: int) -> None:
    once = standard_errors(single(values), ONE)[0]
    cluster = [i for i in range(len(values)) for _ in range(copies)]
    assert standard_errors(single(list(np.repeat(values, copies)), cluster), ONE)[0] == pytest.approx(once, abs=1e-12)


def test_the_bootstrap_agrees_with_the_closed_form_on_many_clusters() -> None:
    generator = np.random.default_rng(1)
    values = generator.random(600)
    sums = single(list(values), [int(c) for c in np.repeat(np.arange(200), 3)])
    boot = bootstrap_intervals(sums, ONE, [200], seed=3, resamples=4000)[0]
    closed = closed_form_interval(float(values.mean()), standard_errors(sums, ONE)[0], 200)
    assert boot is not None
    assert closed is not None
    assert boot.low == pytest.approx(closed.low, abs=0.003)
    assert boot.high == pytest.approx(closed.high, abs=0.003)


def test_the_bootstrap_depends_on_its_seed_alone() -> None:
    sums = single([0.12, 0.9, 0.71, 0.33, 0.58, 0.04, 0.27, 0.66])
    assert bootstrap_intervals(sums, ONE, [8], seed=5) == bootstrap_intervals(sums, ONE, [8], seed=5)
    assert bootstrap_intervals(sums, ONE, [8], seed=5) != bootstrap_intervals(sums, ONE, [8], seed=6)


def test_a_paired_difference_of_a_run_with_itself_is_exactly_nothing() -> None:
    sums = single([0, 1, 1, 0, 0.5, 0.3])
    assert standard_errors(sums, ONE, minus=sums) == [0.0]
    interval = bootstrap_intervals(sums, ONE, [6], seed=0, minus=sums)[0]
    assert interval is not None
    assert (interval.low, interval.high) == (0.0, 0.0)


def test_one_cluster_has_no_interval() -> None:
    sums = single([0, 1], [0, 0])
    assert bootstrap_intervals(sums, ONE, [1], seed=0) == [None]
    assert standard_errors(sums, ONE) == [None]


@given(st.integers(0, 50), st.integers(50, 80))
def test_wilson_stays_within_bounds_and_always_has_width(right: int, n: int) -> None:
    share = right / n
    interval = wilson_interval(share, math.sqrt(share * (1 - share) / (n - 1)), n)
    assert interval is not None
    assert 0 <= interval.low <= share + 1e-12
    assert share - 1e-12 <= interval.high <= 1
    assert interval.high > interval.low


def test_wilson_is_the_textbooks_for_unclustered_answers() -> None:
    share, n = 0.4, 5000
    error = math.sqrt(share * (1 - share) / n)
    interval = wilson_interval(share, error, n)
    textbook = stats.binomtest(2000, n).proportion_ci(method="wilson")
    assert interval is not None
    assert interval.low == pytest.approx(textbook.low, abs=2e-5)
    assert interval.high == pytest.approx(textbook.high, abs=2e-5)
