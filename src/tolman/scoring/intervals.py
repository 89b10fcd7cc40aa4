"""95 % intervals, clustered by scene, of figures and of shares of responses.

Wilson's (1927) score interval serves figures on a bounded scale. It has the scenes' effective sample size in place of
the number of items (Korn and Graubard 1998, Survey Methodology 24, 193–201). It has Student's t in place of the normal
distribution (Dean and Pagano 2015, Journal of Survey Statistics and Methodology 3, 484–503). It never leaves the scale
and has a width also where all scores are alike. How it was chosen, and where it holds: `docs/statistics.md`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import NormalDist

from tolman.extras import NDArray, np
from tolman.scoring.clusters import Clustered, Floats, Moments, clustered_sums, moments

MIN_EFFECTIVE_SCENES = 6.0
"""Below it no interval is given: how much scenes differ can't be told from so few."""
MANY_DEGREES = 10_000
"""Degrees of freedom above which Student's t is as good as normal."""
FEW_IN_A_PART = (
    f"too few scenes in a heavily weighted part; an interval needs {MIN_EFFECTIVE_SCENES:g} effective scenes there"
)
METHOD = "Wilson, clustered by scene"
METHOD_WORKING = f"{METHOD}, working correlation"
"""Where more than half of the variance is assumed, as the scores are (nearly) all alike."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided 95 % interval, in the unit of its figure."""

    low: float
    high: float

    def times(self, factor: float) -> Interval:
        """The interval in another unit."""
        return Interval(factor * self.low, factor * self.high)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its precision, on its own scale.

    Attributes:
        value: the figure; None where no item belongs to it.
        interval: 95 %, clustered by scene; None where none can hold.
        method: of the interval.
        reason: why there is no interval.
        effective_scenes: Kish's effective number; 0 without items.
        error: standard error, None without an interval.
        degrees: degrees of freedom of the interval's t.
    """

    value: float | None
    interval: Interval | None
    method: str | None
    reason: str | None
    effective_scenes: float
    error: float | None
    degrees: int


def estimates(sums: Clustered, weights: Floats, inflation: float = 1.0, *, by_part: bool = False) -> list[Estimate]:
    """Weighted sums of ratios with their intervals.

    Args:
        sums: the clusters of one run, or of the difference of two on the same items.
        weights: not negative. Shape (figures, pools).
        inflation: by which the variance is greater than that of clusters that are independent of each other.
        by_part: hold the limits of composites against those of their parts (`limits_by_part`).
    """
    if not len(sums.numerators):
        return [Estimate(None, None, None, "no scored item", 0.0, None, 0) for _ in weights]
    found = moments(sums, weights).with_variance_times(inflation)
    low, high = limits_by_part(sums, weights, found, inflation) if by_part else score_limits(found)
    errors = found.errors
    results = []
    for i in range(len(weights)):
        if math.isnan(found.estimate[i]):
            results.append(Estimate(None, None, None, "no scored item", 0.0, None, 0))
            continue
        value, effective = float(found.estimate[i]), round(float(found.effective_scenes[i]), 9)
        degrees = int(found.degrees[i])
        reason = _lacking(found, i)
        if reason is not None:
            results.append(Estimate(value, None, None, reason, effective, None, degrees))
            continue
        # Rounding may put a limit that is the end of the scale a hair beyond the figure.
        interval = Interval(min(float(low[i]), value), max(float(high[i]), value))
        method = METHOD if found.observed[i] > 0.5 else METHOD_WORKING
        results.append(Estimate(value, interval, method, None, effective, float(errors[i]), degrees))
    return results


def has_enough_scenes(found: Moments) -> NDArray[np.bool_]:
    """Check whether figures rest on enough scenes for an interval. Shape (…, figures)."""
    least = MIN_EFFECTIVE_SCENES - 1e-9
    return np.asarray((found.effective_scenes >= least) & (found.scenes_of_parts >= least))


def _lacking(found: Moments, figure: int) -> str | None:
    """Why a figure has no interval; None if it has one."""
    if has_enough_scenes(found)[figure]:
        return None
    effective = float(found.effective_scenes[figure])
    if round(effective, 9) < MIN_EFFECTIVE_SCENES:
        return too_few(effective)
    return FEW_IN_A_PART


def too_few(effective: float) -> str:
    """Why there is no interval."""
    return f"{effective:.1f} effective scenes; an interval needs {MIN_EFFECTIVE_SCENES:g}"


def score_limits(found: Moments) -> tuple[Floats, Floats]:
    """Wilson's limits for each figure, in its unit; also where they should not be printed. Shape (…, figures).

    The degrees of freedom are at most those of the scenes, scenes − 1, and one for the working correlation.
    """
    table = {int(d): t_quantile(0.975, int(d)) for d in set(found.degrees.ravel().tolist())}
    t = np.vectorize(table.__getitem__, otypes=[np.float64])(found.degrees)
    s = found.position
    k = t * t * found.design_variance
    centre = (s + k / 2) / (1 + k)
    reach = np.sqrt(k * s * (1 - s) + k * k / 4) / (1 + k)
    low, high = np.maximum(centre - reach, 0), np.minimum(centre + reach, 1)
    return found.lowest + found.span * low, found.lowest + found.span * high


def limits_by_part(sums: Clustered, weights: Floats, found: Moments, inflation: float = 1.0) -> tuple[Floats, Floats]:
    """Limits of figures: Wilson's, and for a composite no nearer than those of its parts together.

    If one part is near 0 and another near 100, the composite is in the middle of its scale, and its own limits are too
    near. The parts' distances to their limits are added in squares (Zou and Donner 2008, Statistics in Medicine 27,
    1693–1702), each with the composite's degrees of freedom.

    Args:
        sums, weights, inflation: as for `estimates`.
        found: the figures' moments.

    Returns:
        Low and high, in the figures' unit. Shape (…, figures).
    """
    low, high = score_limits(found)
    composites = np.flatnonzero((weights > 0).sum(1) > 1)
    if not len(composites):
        return low, high
    alone = moments(sums, np.eye(weights.shape[1])).with_variance_times(inflation)
    for figure in composites:
        parts = replace(alone, degrees=np.broadcast_to(found.degrees[..., figure, None], alone.degrees.shape))
        below, above = score_limits(parts)
        used = np.flatnonzero(weights[figure])
        each, estimate = weights[figure, used], found.estimate[..., figure]
        reach_low = np.sqrt(((each * (parts.estimate - below)[..., used]) ** 2).sum(-1))
        reach_high = np.sqrt(((each * (above - parts.estimate)[..., used]) ** 2).sum(-1))
        low[..., figure] = np.fmin(low[..., figure], estimate - reach_low)
        high[..., figure] = np.fmax(high[..., figure], estimate + reach_high)
    return low, high


def score_tests(sums: Clustered, weights: Floats, null: float = 0.0, inflation: float = 1.0) -> list[float | None]:
    """Two-sided p-values of the hypothesis that a figure is a given value; None where there is no interval.

    The test whose inversion the interval is: p < 0.05 where the interval doesn't hold the value.

    Args:
        sums, weights, inflation: as for `estimates`.
        null: the value, in the figures' unit.
    """
    found = moments(sums, weights).with_variance_times(inflation)
    results: list[float | None] = []
    for i in range(len(weights)):
        position = float((null - found.lowest[i]) / found.span[i])
        if not has_enough_scenes(found)[i] or not 0 < position < 1:
            results.append(None)
            continue
        error = math.sqrt(position * (1 - position) * float(found.design_variance[i]))
        results.append(_two_sided(abs(float(found.position[i]) - position) / error, int(found.degrees[i])))
    return results


def _two_sided(t: float, degrees: int) -> float:
    """Probability of a t at least as far from 0."""
    above = 1 - _t_cdf(t, degrees) if degrees <= MANY_DEGREES else NormalDist().cdf(-t)
    return min(1.0, max(0.0, 2 * above))


@cache
def t_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t distribution for a whole number of degrees of freedom.

    Exact to 1e-9: the cumulative distribution's finite series (Abramowitz and Stegun 26.7.3 and 26.7.4),
    inverted by bisection; the normal quantile above 10,000 degrees.
    """
    if degrees > MANY_DEGREES:
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


@dataclass(frozen=True, slots=True)
class Share:
    """A share on the 0–100 scale.

    Attributes:
        value: the share.
        interval: 95 %, clustered by scene; None where there are too few scenes for one.
        n: how many have a part in it.
        effective_scenes: Kish's effective number of scenes.
        reason: why there is no interval.
    """

    value: float
    interval: Interval | None
    n: int
    effective_scenes: float
    reason: str | None


def share(
    parts: Floats, wholes: Floats, clusters: NDArray[np.intp], items: Sequence[Hashable] | None = None
) -> Share | None:
    """Return the share of parts in wholes, with the interval of `scoring.intervals`.

    Args:
        parts, wholes: shape (responses,); a response without a whole has no part in the share.
        clusters: the number of each response's cluster. Shape (responses,).
        items: the item of each response, if an item may have several. Each then counts once in the interval.

    Returns:
        None where there is no whole.
    """
    inside = wholes > 1e-12
    if not inside.any():
        return None
    own = np.unique(clusters[inside], return_inverse=True)[1]
    item = None
    if items is not None:
        numbers: dict[Hashable, int] = {}
        kept = (items[i] for i in np.flatnonzero(inside).tolist())
        item = np.array([numbers.setdefault(one, len(numbers)) for one in kept], dtype=np.intp)
    sums = clustered_sums(own, parts[inside, None], wholes[inside, None], item=item)
    value = float(np.clip(sums.ratios[0], 0, 1))
    found = estimates(sums, np.ones((1, 1)))[0]
    interval = found.interval.times(100) if found.interval else None
    return Share(100 * value, interval, int(inside.sum()), found.effective_scenes, found.reason)
