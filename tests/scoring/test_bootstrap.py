"""Bootstrap intervals against the closed form, and against what they promise."""

import numpy as np
import pytest

from tolman.scoring.clusters import clustered_sums
from tolman.scoring.intervals import estimates
from tolman.scoring.metrics import metric_named
from tolman.scoring.significance import PoolValues, bootstrap, interchange_test

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
