"""Intervals and tests for figures of any metric, by resampling scenes.

A figure that is no weighted sum of ratios of bounded scores (a median, F1, a mean error) has no closed form for its
interval. It has the percentile interval of the cluster bootstrap: scenes are drawn with replacement, all items of a
scene together, and the figure is computed anew (Davison and Hinkley 1997, Bootstrap Methods and their Application,
section 3.8; Field and Welsh 2007, Journal of the Royal Statistical Society B 69, 369–390). The difference of two runs
is tested by interchanging the runs in scenes drawn at random (Fisher's randomisation test, as in `paired_test`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.scoring.clusters import Floats
from tolman.scoring.intervals import MIN_EFFECTIVE_SCENES, Estimate, Interval, too_few
from tolman.scoring.metric import Metric
from tolman.scoring.paired_test import PairedTest

DRAWS = 2_000
"""Draws of scenes for an interval."""
INTERCHANGES = 1_999
"""Interchanges of two runs for a test."""
SEED = 0
METHOD = f"percentile bootstrap, {DRAWS:,} draws of scenes"
MIN_SHARE_OF_DRAWS = 0.95
"""Share of the draws in which a figure must exist, so that there is an interval."""
_CHUNK = 250


@dataclass(frozen=True)
class PoolValues:
    """The items of one pool.

    Attributes:
        numerators, denominators: of a ratio; for other metrics the values, and 1. Shape (items,).
        members: which items are in the pool. Shape (items,).
        metric: whose values these are; None for scores, whose figure is the ratio.
    """

    numerators: Floats
    denominators: Floats
    members: NDArray[np.bool_]
    metric: Metric | None = None

    def figures(self, counts: Floats) -> Floats:
        """The pool's figure, with each item as often as it is counted.

        Args:
            counts: shape (draws, items).

        Returns:
            Shape (draws,); nan where no item of the pool is counted.
        """
        inside = counts[:, self.members]
        values = self.numerators[self.members]
        if self.metric is not None and not self.metric.is_mean:
            return self.metric.figure(values, inside) if values.size else np.full(len(counts), np.nan)
        total = inside @ self.denominators[self.members]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(total > 0, inside @ values / total, np.nan))

    def and_those_of(self, other: PoolValues) -> PoolValues:
        """The items of two runs, one behind the other."""
        return PoolValues(
            np.concatenate([self.numerators, other.numerators]),
            np.concatenate([self.denominators, other.denominators]),
            np.concatenate([self.members, other.members]),
            self.metric,
        )


def bootstrap(
    cluster: NDArray[np.intp], pools: Sequence[PoolValues], weights: Floats, less: Sequence[PoolValues] | None = None
) -> Estimate:
    """A weighted sum of pools' figures with its interval.

    Args:
        cluster: the number of each item's scene. Shape (items,).
        pools: those of the sum.
        weights: of the pools. Shape (pools,).
        less: the same pools of another run, for the difference to it.
    """
    inside = np.any([pool.members for pool in pools], axis=0) if pools else np.zeros(len(cluster), bool)
    if not inside.any():
        return Estimate(None, None, None, "no scored item", 0.0, None, 0)

    def figure(counts: Floats) -> Floats:
        found = _sum(pools, weights, counts)
        return found if less is None else found - _sum(less, weights, counts)

    value = float(figure(np.ones((1, len(cluster))))[0])
    scenes, own = np.unique(cluster[inside], return_inverse=True)
    effective = round(_effective_scenes(cluster, pools, weights), 9)
    if math.isnan(value):
        return Estimate(None, None, None, "a part has no value", effective, None, len(scenes))
    if effective < MIN_EFFECTIVE_SCENES:
        return Estimate(value, None, None, too_few(effective), effective, None, len(scenes))
    generator = np.random.default_rng(SEED)
    drawn = []
    for start in range(0, DRAWS, _CHUNK):
        size = min(_CHUNK, DRAWS - start)
        of_scenes = generator.multinomial(len(scenes), np.full(len(scenes), 1 / len(scenes)), size=size)
        counts = np.zeros((size, len(cluster)))
        counts[:, inside] = of_scenes[:, own]
        drawn.append(figure(counts))
    figures = np.concatenate(drawn)
    figures = figures[np.isfinite(figures)]
    if len(figures) < MIN_SHARE_OF_DRAWS * DRAWS:
        reason = "in many draws of scenes a part of the figure is empty"
        return Estimate(value, None, None, reason, effective, None, len(scenes))
    low, high = (float(end) for end in np.quantile(figures, (0.025, 0.975)))
    interval = Interval(min(low, value), max(high, value))
    return Estimate(value, interval, METHOD, None, effective, float(figures.std(ddof=1)), len(scenes))


def interchange_test(
    cluster: NDArray[np.intp], one: Sequence[PoolValues], other: Sequence[PoolValues], weights: Floats, *, seed: int = 0
) -> PairedTest:
    """Test whether two runs have the same figure, by interchanging them in scenes.

    Args:
        cluster: the number of each item's scene. Shape (items,).
        one, other: the pools of each run, on the same items.
        weights: of the pools. Shape (pools,).
        seed: of the interchanges.
    """
    both = [a.and_those_of(b) for a, b in zip(one, other, strict=True)]
    scenes, own = np.unique(cluster, return_inverse=True)

    def difference(kept: Floats) -> Floats:
        first, second = np.hstack([kept, 1 - kept]), np.hstack([1 - kept, kept])
        return _sum(both, weights, first) - _sum(both, weights, second)

    observed = abs(float(difference(np.ones((1, len(cluster))))[0]))
    generator = np.random.default_rng(seed)
    beyond = 0
    for start in range(0, INTERCHANGES, _CHUNK):
        size = min(_CHUNK, INTERCHANGES - start)
        kept = generator.integers(0, 2, size=(size, len(scenes))).astype(np.float64)
        beyond += int((np.abs(difference(kept[:, own])) >= observed * (1 - 1e-9)).sum())
    differing = np.any([a.numerators != b.numerators for a, b in zip(one, other, strict=True)], axis=0)
    return PairedTest((beyond + 1) / (INTERCHANGES + 1), False, len(np.unique(cluster[differing])))


def _sum(pools: Sequence[PoolValues], weights: Floats, counts: Floats) -> Floats:
    """Shape (draws,)."""
    return np.asarray(sum(weight * pool.figures(counts) for pool, weight in zip(pools, weights, strict=True)))


def _effective_scenes(cluster: NDArray[np.intp], pools: Sequence[PoolValues], weights: Floats) -> float:
    """Kish's effective number of scenes: of their shares in the pools, weighted as the pools are."""
    shares = np.zeros(int(cluster.max()) + 1)
    for pool, weight in zip(pools, weights, strict=True):
        total = pool.denominators[pool.members].sum()
        if total > 0:
            np.add.at(shares, cluster[pool.members], weight * pool.denominators[pool.members] / total)
    return float(shares.sum() ** 2 / (shares**2).sum()) if shares.any() else 0.0
