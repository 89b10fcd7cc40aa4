"""95 % intervals, clustered by scene.

Questions about one scene share its difficulty, so the scene is drawn, not the question. Two intervals for every
figure: the bootstrap over clusters with the small-sample correction of Hesterberg (2015, "What teachers should
know about the bootstrap", section 5.3: percentiles widened as Student's t with clusters − 1 degrees of freedom
is wider than the normal distribution), and the closed form from the linearised ratio (Cochran 1977, chapter 6).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
RESAMPLES = 2000
_CHUNK = 200


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided 95 % interval, in the unit of its figure."""

    low: float
    high: float

    def times(self, factor: float) -> Interval:
        """The interval in another unit."""
        return Interval(factor * self.low, factor * self.high)


@dataclass(frozen=True)
class Clustered:
    """Sums of numerators and denominators for each cluster and pool.

    Attributes:
        numerators, denominators: shape (clusters, pools).
    """

    numerators: Floats
    denominators: Floats

    @property
    def ratios(self) -> Floats:
        """The ratio of each pool; nan where it has no item. Shape (pools,)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.numerators.sum(0) / self.denominators.sum(0))


def clustered_sums(cluster: NDArray[np.intp], numerators: Floats, denominators: Floats) -> Clustered:
    """Sum items into clusters.

    Args:
        cluster: the number of each item's cluster, from 0 without gaps. Shape (items,).
        numerators, denominators: shape (items, pools); 0 where an item is not in a pool.
    """
    count = int(cluster.max()) + 1 if len(cluster) else 0
    sums = [np.zeros((count, numerators.shape[1])) for _ in range(2)]
    for target, values in zip(sums, (numerators, denominators), strict=True):
        np.add.at(target, cluster, values)
    return Clustered(*sums)


@cache
def t_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t distribution for a whole number of degrees of freedom.

    Exact to 1e-9: the cumulative distribution's finite series (Abramowitz and Stegun 26.7.3 and 26.7.4),
    inverted by bisection; the normal quantile above 10,000 degrees.
    """
    if degrees > 10_000:
        return NormalDist().inv_cdf(probability)
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    low, high = 0.0, 1e6
    while high - low > 1e-10 * max(1.0, low):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_cdf(middle, degrees) < probability else (low, middle)
    return (low + high) / 2


def _t_cdf(t: float, degrees: int) -> float:
    angle = math.atan2(t, math.sqrt(degrees))
    cosine, sine = math.cos(angle), math.sin(angle)
    term = total = cosine if degrees % 2 else 1.0
    for i in range(3 if degrees % 2 else 2, degrees, 2):
        term *= cosine * cosine * (i - 1) / i
        total += term
    inside = 2 / math.pi * (angle + (sine * total if degrees > 1 else 0.0)) if degrees % 2 else sine * total
    return 0.5 + inside / 2


def resampled_ratios(sums: Clustered, *, seed: int, resamples: int = RESAMPLES) -> Iterator[Floats]:
    """The pools' ratios under resampling of clusters, in chunks of shape (draws, pools).

    The draws depend on the seed and the number of clusters alone, so two runs on the same items are resampled
    alike and their difference is paired.
    """
    clusters = len(sums.numerators)
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, _CHUNK):
        draws = min(_CHUNK, resamples - start)
        picks = generator.integers(0, clusters, size=(draws, clusters))
        flat = (picks + np.arange(draws)[:, None] * clusters).ravel()
        counts = np.bincount(flat, minlength=draws * clusters).reshape(draws, clusters).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            yield (counts @ sums.numerators) / (counts @ sums.denominators)


def bootstrap_intervals(
    sums: Clustered,
    weights: Floats,
    clusters: Sequence[int],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    minus: Clustered | None = None,
) -> list[Interval | None]:
    """Intervals of weighted sums of ratios by resampling clusters.

    Args:
        sums: the clusters.
        weights: shape (figures, pools).
        clusters: how many clusters have an item in each figure.
        seed: of the resampling.
        resamples: how many.
        minus: a second run on the same items, for the interval of the paired difference.

    Returns:
        One for each figure; None where there are fewer than two clusters.
    """
    if len(sums.numerators) < 2:
        return [None] * len(weights)
    chunks = [_figures(r, weights) for r in resampled_ratios(sums, seed=seed, resamples=resamples)]
    if minus is not None:
        others = [_figures(r, weights) for r in resampled_ratios(minus, seed=seed, resamples=resamples)]
        chunks = [one - other for one, other in zip(chunks, others, strict=True)]
    draws = np.concatenate(chunks)
    intervals: list[Interval | None] = []
    for values, count in zip(draws.T, clusters, strict=True):
        finite = values[np.isfinite(values)]
        if len(finite) < 2 or count < 2:
            intervals.append(None)
            continue
        widened = NormalDist().cdf(math.sqrt(count / (count - 1)) * t_quantile(0.975, count - 1))
        low, high = np.quantile(finite, [1 - widened, widened])
        intervals.append(Interval(float(low), float(high)))
    return intervals


def standard_errors(sums: Clustered, weights: Floats, *, minus: Clustered | None = None) -> list[float | None]:
    """Closed-form standard errors of weighted sums of ratios (or of their paired differences).

    Args:
        sums, weights, minus: as in `bootstrap_intervals`.
    """
    clusters = len(sums.numerators)
    if clusters < 2:
        return [None] * len(weights)
    residuals = _residuals(sums)
    if minus is not None:
        residuals = residuals - _residuals(minus)
    spread = residuals @ weights.T
    return [float(error) for error in np.sqrt(clusters / (clusters - 1) * (spread**2).sum(0))]


def closed_form_interval(estimate: float, error: float | None, clusters: int) -> Interval | None:
    """estimate ± t · error, with clusters − 1 degrees of freedom."""
    if error is None or clusters < 2:
        return None
    reach = t_quantile(0.975, clusters - 1) * error
    return Interval(estimate - reach, estimate + reach)


def wilson_interval(share: float, error: float | None, clusters: int) -> Interval | None:
    """Wilson's interval for a share of right answers, with the clusters' effective sample size.

    Stays within 0 … 1 and has a width also where all answers are right or all wrong. The effective sample size
    is share·(1 − share)/error², and the number of clusters where that isn't defined.
    """
    if error is None or clusters < 2:
        return None
    variance = share * (1 - share)
    size = variance / error**2 if error > 0 and variance > 0 else float(clusters)
    t = t_quantile(0.975, clusters - 1)
    centre = (share + t * t / (2 * size)) / (1 + t * t / size)
    reach = t / (1 + t * t / size) * math.sqrt(variance / size + t * t / (4 * size * size))
    return Interval(max(0.0, centre - reach), min(1.0, centre + reach))


def _figures(ratios: Floats, weights: Floats) -> Floats:
    """Weighted sums of ratios; nan only where a pool with weight is empty. Shape (draws, figures)."""
    empty = ~np.isfinite(ratios)
    if not empty.any():
        return np.asarray(ratios @ weights.T)
    values = np.where(empty, 0.0, ratios) @ weights.T
    values[(empty.astype(np.float64) @ np.abs(weights).T) > 0] = np.nan
    return np.asarray(values)


def _residuals(sums: Clustered) -> Floats:
    totals = sums.denominators.sum(0)
    safe = np.where(totals == 0, 1.0, totals)
    ratios = np.where(totals == 0, 0.0, sums.numerators.sum(0) / safe)
    return np.asarray((sums.numerators - ratios * sums.denominators) / safe)
