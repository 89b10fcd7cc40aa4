"""Laws of intervals, and that they hold where scenes are few, uneven, or all alike."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from tolman.scoring import clusters
from tolman.scoring.aggregate import cells
from tolman.scoring.clusters import Clustered, clustered_sums
from tolman.scoring.intervals import METHOD, METHOD_WORKING, Estimate, estimates, score_tests, t_quantile
from tolman.scoring.score_table import Column, Mean, Table, pool

ONE = np.array([[1.0]])
scores = st.lists(st.integers(0, 10).map(lambda tenth: tenth / 10), min_size=8, max_size=60)
binary = st.lists(st.sampled_from([0.0, 1.0]), min_size=8, max_size=60)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 30, 143, 287, 5129])
@pytest.mark.parametrize("probability", [0.6, 0.8, 0.9, 0.975, 0.995, 0.025])
def test_quantiles_of_t_are_scipys(probability: float, degrees: int) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-8)


def single(values: list[float], cluster: list[int] | None = None, *, paired: bool = False) -> Clustered:
    column = np.array(values, dtype=float)[:, None]
    clusters = np.arange(len(values)) if cluster is None else np.array(cluster)
    ones = np.ones_like(column)
    return clustered_sums(clusters.astype(np.intp), column, ones, lowest=-ones if paired else None, highest=ones)


def only(values: list[float], cluster: list[int] | None = None, *, paired: bool = False) -> Estimate:
    return estimates(single(values, cluster, paired=paired), ONE)[0]


def in_scenes(count: int, scenes: int) -> list[int]:
    return [i * scenes // count for i in range(count)]


@given(scores, st.integers(6, 8))
def test_an_interval_holds_its_figure_never_leaves_the_scale_and_has_a_width(values: list[float], scenes: int) -> None:
    found = only(values, in_scenes(len(values), scenes))
    if found.interval is None:
        assert found.effective_scenes < 6
        return
    assert found.value is not None
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1
    assert found.interval.high - found.interval.low > 0.001


@given(scores, st.integers(6, 8))
def test_turning_right_into_wrong_turns_the_interval_round(values: list[float], scenes: int) -> None:
    cluster = in_scenes(len(values), scenes)
    one, other = only(values, cluster).interval, only([1 - v for v in values], cluster).interval
    if one is None or other is None:
        assert one is other
    else:
        assert (one.low, one.high) == (pytest.approx(1 - other.high, abs=1e-9), pytest.approx(1 - other.low, abs=1e-9))


@given(scores, st.integers(6, 8), st.randoms(use_true_random=False))
def test_the_order_of_items_and_the_names_of_scenes_do_not_matter(values: list[float], scenes: int, random) -> None:
    rows = list(zip(values, in_scenes(len(values), scenes), strict=True))
    names = list(range(scenes))
    random.shuffle(names)
    once = only(values, [c for _, c in rows])
    random.shuffle(rows)
    again = only([v for v, _ in rows], [names[c] for _, c in rows])
    assert again.effective_scenes == pytest.approx(once.effective_scenes)
    if once.interval is not None:
        assert again.interval is not None
        assert again.interval.low == pytest.approx(once.interval.low, abs=1e-9)
        assert again.interval.high == pytest.approx(once.interval.high, abs=1e-9)


@given(binary, st.floats(0.1, 20))
def test_the_unit_of_the_weights_does_not_matter(values: list[float], factor: float) -> None:
    column, cluster = np.array(values)[:, None], np.array(in_scenes(len(values), 8), dtype=np.intp)
    plain = estimates(clustered_sums(cluster, column, np.ones_like(column)), ONE)[0]
    scaled = estimates(clustered_sums(cluster, factor * column, np.full_like(column, factor)), ONE)[0]
    assert scaled.value == pytest.approx(plain.value)
    if plain.interval is not None:
        assert scaled.interval is not None
        assert scaled.interval.high == pytest.approx(plain.interval.high, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_scenes_of_equal_size_have_the_cluster_robust_variance(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """CR2 (Bell and McCaffrey 2002) is the variance between the scenes' means over the number of scenes."""
    monkeypatch.setattr(clusters, "WORKING_WEIGHT", 0.0)
    generator = np.random.default_rng(seed)
    skill = generator.beta(2, 1, 15)[:, None]
    values = (generator.random((15, 8)) < skill).astype(float)
    found = clusters.moments(single(list(values.ravel()), in_scenes(120, 15)), ONE)
    assert found.errors[0] == pytest.approx(values.mean(1).std(ddof=1) / math.sqrt(15))


def test_copies_of_a_question_in_its_scene_add_little_certainty() -> None:
    generator = np.random.default_rng(2)
    values = list((generator.random(40) < 0.7).astype(float))
    once = only(values).interval
    many = only(list(np.repeat(values, 10)), [i for i in range(40) for _ in range(10)]).interval
    assert once is not None
    assert many is not None
    assert many.high - many.low == pytest.approx(once.high - once.low, rel=0.15)


@pytest.mark.parametrize("right", [0, 1, 12, 24, 300, 2000, 4990, 5000])
def test_the_interval_is_wilsons_for_many_unclustered_answers(right: int) -> None:
    found = only([1.0] * right + [0.0] * (5000 - right)).interval
    textbook = stats.binomtest(right, 5000).proportion_ci(method="wilson")
    assert found is not None
    assert found.low == pytest.approx(textbook.low, abs=2e-5)
    assert found.high == pytest.approx(textbook.high, abs=2e-5)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_scores_all_alike_are_not_certainty(value: float) -> None:
    found = only([value] * 120, in_scenes(120, 10))
    assert found.interval is not None
    assert found.interval.high - found.interval.low > 0.02
    assert found.method == METHOD_WORKING


def test_twelve_wrong_answers_leave_much_open() -> None:
    found = only([0.0] * 12, in_scenes(12, 6))
    assert found.interval is not None
    assert found.interval.low == 0
    assert 0.2 < found.interval.high < 0.6


def test_a_run_is_not_surely_equal_to_itself() -> None:
    found = only([0.0] * 100, in_scenes(100, 20), paired=True)
    assert found.value == 0
    assert found.interval is not None
    assert found.interval.low == pytest.approx(-found.interval.high)
    assert 0.005 < found.interval.high < 0.1


@given(st.lists(st.sampled_from([-1.0, -0.3, 0.0, 0.0, 0.5, 1.0]), min_size=8, max_size=60))
def test_swapping_the_runs_changes_the_sign(values: list[float]) -> None:
    cluster = in_scenes(len(values), 8)
    one, other = only(values, cluster, paired=True), only([-v for v in values], cluster, paired=True)
    assert other.value == pytest.approx(-one.value)
    if one.interval is None:
        assert other.interval is None
        return
    assert other.interval is not None
    assert -1 <= one.interval.low <= one.interval.high <= 1
    assert other.interval.low == pytest.approx(-one.interval.high, abs=1e-9)
    assert other.interval.high == pytest.approx(-one.interval.low, abs=1e-9)


def test_a_composite_of_parts_that_are_all_alike_has_a_width() -> None:
    cluster = np.array(in_scenes(60, 10), dtype=np.intp)
    member = np.zeros((60, 3))
    member[np.arange(60), np.arange(60) % 3] = 1
    values = member * np.array([1.0, 0.0, 1.0])
    found = estimates(clustered_sums(cluster, values, member), np.full((1, 3), 1 / 3))[0]
    assert found.value == pytest.approx(2 / 3)
    assert found.interval is not None
    assert found.interval.high - found.interval.low > 0.02


def test_effective_scenes_are_kishs() -> None:
    sizes = [50, 10, 10, 10, 10, 10]
    cluster = [c for c, n in enumerate(sizes) for _ in range(n)]
    found = only([1.0, 0.0] * 50, cluster)
    assert found.effective_scenes == pytest.approx(sum(sizes) ** 2 / sum(n * n for n in sizes))
    assert found.interval is None
    assert found.reason == "3.3 effective scenes; an interval needs 6"


def test_scenes_outside_a_figure_do_not_count_for_it() -> None:
    cluster = np.arange(20, dtype=np.intp)
    member = np.zeros((20, 2))
    member[:4, 0], member[4:, 1] = 1, 1
    one, other = estimates(clustered_sums(cluster, member * 0.5, member), np.eye(2))
    assert (one.effective_scenes, one.interval) == (pytest.approx(4), None)
    assert (other.effective_scenes, other.interval is None) == (pytest.approx(16), False)


def test_no_item_is_no_figure() -> None:
    empty = clustered_sums(np.zeros(0, np.intp), np.zeros((0, 1)), np.zeros((0, 1)))
    assert estimates(empty, ONE)[0] == Estimate(None, None, None, "no scored item", 0.0, None, 0)
    member = np.stack([np.ones(8), np.zeros(8)], axis=1)
    found = estimates(clustered_sums(np.arange(8), member, member), np.eye(2))
    assert found[1].value is None


def test_chance_adjusted_accuracy_reaches_below_zero_and_not_above_one() -> None:
    generator = np.random.default_rng(4)
    cluster = np.repeat(np.arange(12), 8).astype(np.intp)
    right, chance = (generator.random(96) < 0.12).astype(float)[:, None], np.full((96, 1), 0.25)
    ones = np.ones((96, 1))
    found = estimates(
        clustered_sums(cluster, right - chance, ones - chance, lowest=-chance, highest=ones - chance), ONE
    )[0]
    plain = estimates(clustered_sums(cluster, right, ones), ONE)[0]
    assert found.interval is not None
    assert plain.interval is not None
    assert -1 / 3 <= found.interval.low < 0
    assert found.interval.low == pytest.approx((plain.interval.low - 0.25) / 0.75)
    assert found.interval.high == pytest.approx((plain.interval.high - 0.25) / 0.75)


@pytest.mark.parametrize(("scenes", "truth", "rho"), [(6, 0.5, 0.1), (10, 0.9, 0.2), (30, 0.98, 0.2)])
def test_intervals_hold_the_truth_of_beta_binomial_scenes(scenes: int, truth: float, rho: float) -> None:
    generator = np.random.default_rng(9)
    held, draws, strength = 0, 400, 1 / rho - 1
    for _ in range(draws):
        skill = generator.beta(truth * strength, (1 - truth) * strength, scenes)
        right = generator.random((scenes, 10)) < skill[:, None]
        interval = only(list(right.ravel().astype(float)), [c for c in range(scenes) for _ in range(10)]).interval
        assert interval is not None
        held += interval.low <= truth <= interval.high
    assert held / draws >= 0.92


def test_a_varied_run_needs_no_working_correlation() -> None:
    generator = np.random.default_rng(3)
    assert only(list((generator.random(300) < 0.6).astype(float)), in_scenes(300, 30)).method == METHOD
    assert math.isfinite(only([0.0, 1.0] * 20).error or math.nan)


def composite(generator: np.random.Generator, scenes: int, few: int, both: float = 0.0) -> Clustered:
    """Task A with 10 items in each scene and task B with 20 in a few; scenes differ in B, and by `both` in A."""
    cluster = np.concatenate([np.repeat(np.arange(scenes), 10), np.repeat(np.arange(few), 20)])
    task = np.repeat([0, 1], [10 * scenes, 20 * few])
    effects = generator.standard_normal((2, scenes)) * np.array([[both], [1.5]])
    right = generator.random(len(task)) < 1 / (1 + np.exp(-effects[task, cluster]))
    inside = (task[:, None] == [0, 1]).astype(float)
    return clustered_sums(cluster, inside * right[:, None], inside)


@pytest.mark.parametrize("both", [0.0, 1.5])
@pytest.mark.parametrize(("scenes", "few", "weight"), [(40, 1, 0.25), (20, 2, 0.5), (40, 3, 0.25), (20, 4, 0.5)])
def test_a_part_in_few_scenes_that_weighs_much_leaves_no_interval(
    scenes: int, few: int, weight: float, both: float
) -> None:
    sums = composite(np.random.default_rng(0), scenes, few, both)
    found = estimates(sums, np.array([[1 - weight, weight], [1.0, 0.0]]))
    assert found[0].interval is None
    assert found[0].reason is not None
    assert "heavily weighted part" in found[0].reason or few < 4
    assert score_tests(sums, np.array([[1 - weight, weight]]), null=0.5) == [None]
    assert found[1].interval is not None  # the other part alone


def test_a_part_in_few_scenes_that_weighs_little_keeps_the_interval() -> None:
    sums = composite(np.random.default_rng(0), 40, 4)
    assert estimates(sums, np.array([[0.95, 0.05]]))[0].interval is not None


@pytest.mark.parametrize(("scenes", "truth"), [(6, 0.9), (10, 0.92)])
def test_a_mean_of_a_part_near_the_top_and_one_at_the_bottom_holds_the_truth(scenes: int, truth: float) -> None:
    table = Table((Column("mean", "Mean", Mean((pool("a"), pool("b")))),), "mean")
    generator = np.random.default_rng(5)
    held, draws, strength = 0, 200, 9
    frame = pl.DataFrame(
        {
            "task": ["a", "b"] * (3 * scenes), "cluster": [str(i // 6) for i in range(6 * scenes)], "options": 4,
            "status": "scored", "state": "read",
        }
    )  # fmt: skip
    for _ in range(draws):
        skill = np.repeat(generator.beta(truth * strength, (1 - truth) * strength, scenes), 3)
        scores = np.stack([generator.random(3 * scenes) < skill, np.zeros(3 * scenes)], axis=1).ravel()
        interval = cells(frame.with_columns(score=pl.Series(scores.astype(float))), table)["mean"].interval
        assert interval is not None
        held += interval.low <= 50 * truth <= interval.high
    assert held / draws >= 0.93


def share_held(draws: list[Estimate], truth: float) -> float:
    assert all(one.interval is not None for one in draws)
    return float(np.mean([one.interval.low <= truth <= one.interval.high for one in draws if one.interval is not None]))


def test_intervals_hold_where_one_part_alone_differs_between_scenes() -> None:
    generator = np.random.default_rng(1)
    weights = np.array([[0.5, 0.5]])
    draws = [estimates(composite(generator, 40, 8), weights)[0] for _ in range(400)]
    assert share_held(draws, 0.5) >= 0.93


def test_intervals_hold_where_a_few_scenes_carry_the_difference() -> None:
    """8 % of the scenes are hard for the first run, which the second one mends; elsewhere they are nearly the same."""
    generator = np.random.default_rng(2)
    draws = []
    for _ in range(400):
        hard = generator.random(50) < 0.08
        cluster = np.repeat(np.arange(50), 1 + generator.poisson(7, 50))
        a = generator.random(len(cluster)) < np.where(hard, 0.4, generator.beta(6, 3, 50))[cluster]
        luck = generator.random(len(cluster))
        b = np.where(hard[cluster], a | (luck < 0.7), a ^ (luck < 0.01))
        draws.append(only(list(b.astype(float) - a), list(cluster), paired=True))
    truth = 0.08 * 0.6 * 0.7 + 0.92 * 0.01 * (1 - 2 * 2 / 3)
    assert share_held(draws, truth) >= 0.92


def test_intervals_hold_where_scenes_are_right_or_wrong_as_a_whole() -> None:
    """Scenes of 21 to 3 items, in each of which all scores are nearly the same: more alike than is assumed."""
    generator = np.random.default_rng(3)
    cluster = np.repeat(np.arange(10), [20, 15, 12, 10, 7, 5, 4, 3, 3, 2])
    cluster = np.concatenate([cluster, np.arange(10)])
    draws = [only(list((generator.random(10) < 0.5)[cluster].astype(float)), list(cluster)) for _ in range(400)]
    assert share_held(draws, 0.5) >= 0.93
