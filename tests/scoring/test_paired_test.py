"""The randomisation test is exact, valid for clustered items, and corrected for many columns."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tolman.scoring.clusters import clustered_sums
from tolman.scoring.significance import contributions, holm, sign_flip_tests, smallest_detectable

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
