"""Significance: exact tests of two runs and of chance, and resampling of scenes for figures of any metric.

Does one run score higher than another on the same scenes? The test is Fisher's (1935) randomisation test on paired
differences, with the scene as the unit. If the runs were interchangeable, each scene's difference could as well have
had the other sign. Its p-value is valid then for any dependence of the items of a scene, and however uneven the scenes
are. McNemar's test is this test with every item its own scene. It counts two items of one scene as two pieces of
evidence and is not valid for clustered items. On scenes that are won or lost (the sign test) it is valid, but it drops
by how much.

Is a learner right as often as by chance? The exact binomial test answers, for items with different numbers of options.

A figure that is no weighted sum of ratios of bounded scores (a median, F1, a mean error) has no closed form for its
interval. It has the percentile interval of the cluster bootstrap: scenes are drawn with replacement, all items of a
scene together, and the figure is recomputed (Davison and Hinkley 1997, Bootstrap Methods and their Application, section
3.8; Field and Welsh 2007, Journal of the Royal Statistical Society B 69, 369–390). The difference of two runs is then
tested by interchanging the runs in scenes drawn at random.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tolman.extras import NDArray, np
from tolman.scoring.clusters import Clustered, Floats
from tolman.scoring.intervals import FEW_IN_A_PART, MIN_EFFECTIVE_SCENES, Estimate, Interval, t_quantile, too_few
from tolman.scoring.metrics import Metric

MAX_EXACT_SCENES = 30
"""With more scenes that differ, sign patterns are drawn instead of enumerated."""
SIGN_PATTERNS = 9_999
_PATTERNS_AT_ONCE = 500
_ROUNDING = 1e-9
POWER = 0.8


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A two-sided randomisation test.

    Attributes:
        p: its p-value.
        exact: whether all sign patterns were enumerated; else `SIGN_PATTERNS` were drawn.
        scenes: whose difference is not 0.
    """

    p: float
    exact: bool
    scenes: int


def contributions(sums: Clustered, weights: Floats) -> Floats:
    """Return the contribution of each scene to the differences of weighted sums of ratios. Shape (scenes, figures).

    Args:
        sums: of the differences of two runs on the same items, so that the denominators are the same for both.
        weights: shape (figures, pools).
    """
    totals = sums.denominators.sum(0)
    return np.asarray(sums.numerators @ (weights / np.where(totals == 0, 1.0, totals)).T)


def sign_flip_tests(parts: Floats, *, seed: int = 0) -> list[PairedTest]:
    """Test whether differences are 0, by flipping the signs of scenes.

    Args:
        parts: contribution of each scene to each difference. Shape (scenes, figures).
        seed: of the sign patterns, where there are too many scenes to enumerate them.
    """
    differing = np.abs(parts) > _ROUNDING * np.abs(parts).max(initial=1e-300, axis=0)
    found: dict[int, PairedTest] = {}
    many = []
    for figure, inside in enumerate(differing.T):
        count = int(inside.sum())
        if count > MAX_EXACT_SCENES:
            many.append(figure)
        else:
            found[figure] = PairedTest(_enumerated(parts[inside, figure]), True, count)
    if many:
        for figure, p in zip(many, _drawn(parts[:, many], seed), strict=True):
            found[figure] = PairedTest(float(p), False, int(differing[:, figure].sum()))
    return [found[figure] for figure in range(parts.shape[1])]


def _enumerated(values: Floats) -> float:
    """Share of all sign patterns whose sum is at least as far from 0 as the one observed.

    The patterns of one half of the scenes are met with those of the other half, sorted, so that 2^30 patterns take
    2^15 look-ups (Horowitz and Sahni 1974, Journal of the ACM 21, 277–292).
    """
    observed = abs(float(values.sum())) - _ROUNDING * float(np.abs(values).sum())
    if observed <= 0:
        return 1.0
    half = len(values) // 2
    first, second = _pattern_sums(values[:half]), np.sort(_pattern_sums(values[half:]))
    above = len(second) - np.searchsorted(second, observed - first, side="left")
    return min(1.0, 2 * float(above.sum()) / 2.0 ** len(values))  # the patterns come in pairs of opposite sign


def _pattern_sums(values: Floats) -> Floats:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    return sums


def _drawn(parts: Floats, seed: int) -> Floats:
    """Monte Carlo p-values; the observed pattern counts as one of those drawn (Phipson and Smyth 2010)."""
    generator = np.random.default_rng(seed)
    observed = np.abs(parts.sum(0)) - _ROUNDING * np.abs(parts).sum(0)
    beyond = np.zeros(parts.shape[1])
    for start in range(0, SIGN_PATTERNS, _PATTERNS_AT_ONCE):
        draws = min(_PATTERNS_AT_ONCE, SIGN_PATTERNS - start)
        signs = 2.0 * generator.integers(0, 2, size=(draws, len(parts)), dtype=np.int8) - 1
        beyond += (np.abs(signs @ parts) >= observed).sum(0)
    return np.asarray((beyond + 1) / (SIGN_PATTERNS + 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's (1979) step-down adjustment: the family-wise error stays below the level, for any dependence."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    stepped = np.minimum(np.maximum.accumulate(np.asarray(p_values, dtype=np.float64)[order] * factors), 1.0)
    adjusted = np.empty(len(p_values))
    adjusted[order] = stepped
    return [float(p) for p in adjusted]


def smallest_detectable(error: float, degrees: int) -> float:
    """The difference that a two-sided 5 % test finds in 80 % of such pairs of runs, from its standard error."""
    return (t_quantile(0.975, degrees) + t_quantile(POWER, degrees)) * error


_PROBABILITY_ROUNDING = 1e-7
"""Relative difference below which two probabilities are equal, as in R's and SciPy's binomial tests."""


def exact_chance_test(right: int, chances: Sequence[float]) -> float:
    """Two-sided p-value: how likely guessing is to bring a number of right answers that is no likelier than this one.

    Items are taken as independent; for items of one scene that go wrong together use a clustered test as well.

    Args:
        right: how many are.
        chances: for each item, how likely a random answer is right, between 0 and 1.

    Raises:
        ValueError: there are fewer items than right ones, or a chance is not between 0 and 1.
    """
    if not 0 <= right <= len(chances):
        raise ValueError(f"{right} of {len(chances)} items can't be right")
    if not all(0 < chance < 1 for chance in chances):
        raise ValueError("every chance has to lie between 0 and 1")
    probabilities = np.ones(1)
    for chance, count in sorted(Counter(chances).items()):
        probabilities = np.convolve(probabilities, _binomial(count, chance))
    seen = probabilities <= probabilities[right] * (1 + _PROBABILITY_ROUNDING)
    return float(min(1.0, probabilities[seen].sum()))


def _binomial(n: int, p: float) -> Floats:
    """Probabilities of 0 … n. Shape (n + 1,)."""
    whole = math.lgamma(n + 1)
    logs = [
        whole - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
        for k in range(n + 1)
    ]
    probabilities: Floats = np.exp(np.array(logs))
    return probabilities


DRAWS = 2_000
"""Draws of scenes for an interval."""
INTERCHANGES = 1_999
"""Interchanges of two runs for a test."""
SEED = 0
METHOD = f"percentile bootstrap, {DRAWS:,} draws of scenes"
MIN_SHARE_OF_DRAWS = 0.95
"""Share of the draws in which a figure must exist, so that there is an interval."""
_DRAWS_AT_ONCE = 250


@dataclass(frozen=True)
class PoolValues:
    """The items of one pool.

    Attributes:
        numerators, denominators: of a ratio; for other metrics the values, and how often each counts. Shape (items,).
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
            counted = inside * self.denominators[self.members]
            return self.metric.figure(values, counted) if values.size else np.full(len(counts), np.nan)
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
    ones = np.ones(1)
    if min(_effective_scenes(cluster, [pool], ones) for pool in pools) < MIN_EFFECTIVE_SCENES - 1e-9:
        return Estimate(value, None, None, FEW_IN_A_PART, effective, None, len(scenes))
    generator = np.random.default_rng(SEED)
    drawn = []
    for start in range(0, DRAWS, _DRAWS_AT_ONCE):
        size = min(_DRAWS_AT_ONCE, DRAWS - start)
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
    for start in range(0, INTERCHANGES, _DRAWS_AT_ONCE):
        size = min(_DRAWS_AT_ONCE, INTERCHANGES - start)
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
