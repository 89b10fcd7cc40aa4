"""Tests of significance: exact ones held against SciPy and counting, randomisation, bootstrap intervals."""

import itertools
from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from tolman.scoring.clusters import clustered_sums
from tolman.scoring.intervals import estimates
from tolman.scoring.metrics import metric_named
from tolman.scoring.significance import (
    PoolValues,
    bootstrap,
    contributions,
    exact_chance_test,
    holm,
    interchange_test,
    sign_flip_tests,
    smallest_detectable,
)

contribution = st.integers(-20, 20).map(lambda tenth: tenth / 10)


def p_of(values: list[float], seed: int = 0) -> float:
    return sign_flip_tests(np.array(values, dtype=float)[:, None], seed=seed)[0].p


@given(st.lists(contribution, min_size=1, max_size=9))
def test_p_is_the_share_of_all_sign_patterns(values: list[float]) -> None:
    observed = abs(sum(values))
    patterns = [
        sum(s * v for s, v in zip(signs, values, strict=True))
        for signs in itertools.product((-1, 1), repeat=len(values))
    ]
    assert p_of(values) == pytest.approx(np.mean([abs(total) >= observed - 1e-9 for total in patterns]))


@given(st.lists(contribution, min_size=1, max_size=14))
def test_swapping_the_runs_leaves_p(values: list[float]) -> None:
    assert p_of(values) == p_of([-v for v in values]) == p_of(sorted(values))


@given(st.lists(contribution, min_size=1, max_size=14), st.floats(0.01, 1000))
def test_neither_the_unit_nor_a_tied_scene_matters(values: list[float], unit: float) -> None:
    assert p_of([unit * v for v in values]) == p_of([*values, 0.0]) == p_of(values)


def test_equal_differences_give_the_sign_test() -> None:
    assert p_of([0.2] * 9 + [-0.2]) == pytest.approx(stats.binomtest(9, 10).pvalue)
    assert p_of([0.0] * 5) == 1.0


def test_thirty_scenes_are_enumerated_and_more_are_drawn_by_a_seed() -> None:
    values = np.random.default_rng(1).normal(0.3, 1, (40, 1))
    exact = sign_flip_tests(values[:30])[0]
    assert exact.exact
    drawn = sign_flip_tests(values, seed=3)[0]
    assert (drawn.exact, drawn.scenes) == (False, 40)
    assert drawn == sign_flip_tests(values, seed=3)[0]
    assert drawn.p == pytest.approx(sign_flip_tests(values, seed=4)[0].p, abs=0.02)
    assert sign_flip_tests(np.ones((40, 1)))[0].p == 1 / 10_000  # never 0


@pytest.mark.parametrize("scenes", [6, 12, 40])
def test_the_test_is_valid_for_clustered_items(scenes: int) -> None:
    """Two runs of one skill, uneven scenes: at most 5 % of p-values are below 5 %."""
    generator = np.random.default_rng(7)
    sizes = np.maximum(1, 60 // np.arange(1, scenes + 1))
    small, draws = 0, 400
    for _ in range(draws):
        skill = generator.beta(2, 2, (2, scenes))  # a scene may suit one run and not the other
        difference = generator.binomial(sizes, skill[0]) - generator.binomial(sizes, skill[1])
        small += p_of(list(difference.astype(float))) <= 0.05
    assert small / draws <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / draws)


def test_a_scene_adds_its_part_to_a_composite() -> None:
    cluster = np.array([0, 0, 1, 1, 2], dtype=np.intp)
    member = np.array([[1.0, 0], [0, 1], [1, 0], [1, 0], [0, 1]])
    gain = np.array([[1.0, 0], [0, -1], [0, 0], [1, 0], [0, 1]])
    sums = clustered_sums(cluster, gain, member, lowest=-member)
    parts = contributions(sums, np.array([[0.5, 0.5]]))
    assert parts[:, 0] == pytest.approx([0.5 / 3 - 0.25, 0.5 / 3, 0.25])
    assert parts.sum() == pytest.approx(0.5 * (2 / 3) + 0.5 * 0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_monotone_and_never_below_the_plain_p(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    ordered = sorted(zip(p_values, adjusted, strict=True))
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(ordered))
    assert min(adjusted) == pytest.approx(min(1, min(p_values) * len(p_values)))


def test_holm_is_the_textbooks() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_the_smallest_detectable_difference_is_found_in_80_percent() -> None:
    generator = np.random.default_rng(5)
    scenes, spread, draws = 30, 0.2, 600
    least = smallest_detectable(spread / np.sqrt(scenes), scenes - 1)
    found = sum(p_of(list(generator.normal(least, spread, scenes))) < 0.05 for _ in range(draws))
    assert found / draws == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize(("right", "n", "chance"), [(0, 20, 0.25), (9, 20, 0.25), (61, 300, 0.25), (40, 60, 0.5)])
def test_with_one_chance_it_is_the_binomial_test(right: int, n: int, chance: float) -> None:
    wanted = stats.binomtest(right, n, chance).pvalue
    assert exact_chance_test(right, [chance] * n) == pytest.approx(wanted, rel=1e-9)


def test_with_several_chances_it_counts_what_guessing_brings() -> None:
    chances = [0.5, 0.25, 0.25, 1 / 3, 0.2]
    by_count = [0.0] * 6
    for outcome in itertools.product((0, 1), repeat=5):
        by_count[sum(outcome)] += prod(c if one else 1 - c for one, c in zip(outcome, chances, strict=True))
    for right in range(6):
        wanted = sum(p for p in by_count if p <= by_count[right] * (1 + 1e-7))
        assert exact_chance_test(right, chances) == pytest.approx(wanted)


@pytest.mark.parametrize(("right", "chances"), [(3, [0.5, 0.5]), (1, [0.5, 1.0]), (-1, [0.5])])
def test_what_cannot_be_is_refused(right: int, chances: list[float]) -> None:
    with pytest.raises(ValueError, match=r"can't be right|between 0 and 1"):
        exact_chance_test(right, chances)


ONE = np.ones(1)


def pool_of(values: np.ndarray, metric: str | None = None) -> PoolValues:
    everybody = np.ones(len(values), bool)
    return PoolValues(values, np.ones(len(values)), everybody, metric_named(metric) if metric else None)


def test_the_mean_of_bounded_scores_has_about_the_closed_forms_interval() -> None:
    generator = np.random.default_rng(3)
    cluster = np.repeat(np.arange(60), 10)
    values = (generator.random(600) < np.repeat(generator.beta(6, 4, 60), 10)).astype(float)
    drawn = bootstrap(cluster, [pool_of(values)], ONE)
    (closed,) = estimates(clustered_sums(cluster, values[:, None], np.ones((600, 1))), np.ones((1, 1)))
    assert drawn.value == closed.value == values.mean()
    assert drawn.interval is not None
    assert closed.interval is not None
    assert drawn.interval.high - drawn.interval.low == pytest.approx(
        closed.interval.high - closed.interval.low, rel=0.15
    )
    assert drawn.effective_scenes == closed.effective_scenes


def test_the_median_of_many_scenes_is_inside_in_about_95_of_100_intervals() -> None:
    inside = 0
    for seed in range(60):
        generator = np.random.default_rng(seed)
        cluster = np.repeat(np.arange(40), 5)
        values = generator.normal(size=40)[cluster] + generator.normal(size=200)
        found = bootstrap(cluster, [pool_of(values, "median-relative-error")], ONE).interval
        assert found is not None
        inside += found.low <= 0 <= found.high
    assert 52 <= inside <= 60


def test_a_difference_is_paired_by_scene() -> None:
    generator = np.random.default_rng(5)
    cluster = np.repeat(np.arange(30), 4)
    base = generator.exponential(size=30)[cluster] + 0.1 * generator.random(120)
    one, other = pool_of(base, "median-relative-error"), pool_of(base + 0.05, "median-relative-error")
    found = bootstrap(cluster, [other], ONE, less=[one])
    alone = bootstrap(cluster, [other], ONE)
    assert found.value == pytest.approx(0.05)
    assert found.interval is not None
    assert alone.interval is not None
    assert found.interval.high - found.interval.low < (alone.interval.high - alone.interval.low) / 5
    assert interchange_test(cluster, [pool_of(base + 0.05)], [pool_of(base)], ONE).p < 0.001
    far = pool_of(base + 1.0, "median-relative-error")
    assert interchange_test(cluster, [far], [one], ONE).p < 0.01
    assert interchange_test(cluster, [one], [one], ONE).p == 1.0


def test_no_item_and_few_scenes_have_no_interval() -> None:
    none = PoolValues(np.zeros(3), np.zeros(3), np.zeros(3, bool), None)
    assert bootstrap(np.arange(3), [none], ONE).value is None
    few = bootstrap(np.arange(3), [pool_of(np.array([1.0, 2.0, 6.0]), "median-relative-error")], ONE)
    assert (few.value, few.interval) == (2.0, None)
    assert few.reason == "3.0 effective scenes; an interval needs 6"
