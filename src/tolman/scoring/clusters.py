"""Scenes as clusters: sums over their items, the effective number of scenes, the variance of a figure.

Items of one scene share its difficulty, so the scene is the unit. A figure is a weighted sum of ratios over pools
(`scoring.score_table`). Everything here takes any number of figures at once, and leading dimensions where many runs
are computed together.

The variance is that of the random-effects model: items of a scene correlate by ρ. It is estimated from how much the
scenes differ (the analysis-of-variance estimator of the intraclass correlation; Donner 1986, International Statistical
Review 54, 67–82). The design effect follows from ρ and the sizes of the scenes (Kish 1965, Survey Sampling). With
scenes of equal size it is the cluster-robust variance CR2 of Bell and McCaffrey (2002, Survey Methodology 28,
169–181). With uneven sizes it is steadier, because ρ rests on all scenes and not on the largest ones.

If the scores hold little about their own variance (few wrong or few right, or all alike) it is raised towards that of a
working correlation. The two are averaged on the logarithmic scale, by degrees of freedom. The estimated one has
scenes − 1, fewer the larger the kurtosis of the scores can be.

One correlation does not fit every figure: large scenes may be harder, and one part of a composite may differ much more
between scenes than the others. So the variance is never below CR2 itself, and Student's t has fewer degrees of freedom
where few scenes carry the variance. The constants below were chosen on simulated runs (`benchmarks/coverage.py`).

Figures of weighted values, the median and macro-averaged F1, are computed for many sets of weights at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tolman.extras import NDArray, np

Floats: TypeAlias = "NDArray[np.float64]"

WORKING_CORRELATION = 0.2
"""Intra-scene correlation that is assumed where the scores can't tell: all right, all wrong, all alike."""
WORKING_CORRELATION_PAIRED = 0.1
"""The same for the difference of two runs, in which much of a scene's difficulty cancels."""
SHARED_BY_TASKS = 0.6
"""Part of the working correlation that items of different tasks in one scene have in common."""
WORKING_WEIGHT = 0.5
"""Weight of the working variance, in degrees of freedom of the one that is estimated from the scores."""
TAIL_WEIGHT = 5.0
"""How fast the estimated variance loses degrees of freedom with the kurtosis of the scores; 1 for independent items.
Scenes that go wrong as a whole are rarer than wrong items, so that the scores hold less than that."""
PSEUDO_ITEMS = 1.0
"""Items at the ends of the scale that are added to each pool's variance, so that scores that are all alike have one."""
KURTOSIS_DEGREES = 1.5
"""A variance from n scenes whose influences have kurtosis κ has 2n / (κ − 1) degrees of freedom. The kurtosis of a
sample is too low, so it is 1.5 in place of 2."""
PART_CORRELATION = 0.3
"""Intra-scene correlation that a single part of a composite may have while the others have none."""
LEAST_PART_DEGREES = 0.1
"""Degrees of freedom of a part that lies in one scene, whose variance nothing tells."""
LEAST_DESIGN_EFFECT = 0.25
"""Where scenes differ less than independent items would, the variance is at least this part of independent items'."""


@dataclass(frozen=True)
class Clustered:
    """Sums for each cluster and pool.

    Attributes:
        numerators, denominators, counts: sums over items, and their number. Shape (…, clusters, pools).
        squares: sums over items of numerator², numerator · denominator, denominator². Shape (…, pools, 3).
        lowest, highest: sums over items of the least and greatest numerator that each can have. Shape (…, pools).
        working_correlation: assumed where the scores can't show it.
    """

    numerators: Floats
    denominators: Floats
    counts: Floats
    squares: Floats
    lowest: Floats
    highest: Floats
    working_correlation: float = WORKING_CORRELATION

    @property
    def ratios(self) -> Floats:
        """The ratio of each pool; nan where it has no item. Shape (…, pools)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.numerators.sum(-2) / self.denominators.sum(-2))


@dataclass(frozen=True)
class Moments:
    """The moments that an interval of a figure needs. Shape of each (…, figures).

    Attributes:
        estimate: the figure.
        lowest, span: the least value it can have, and how far above that the greatest is.
        design_variance: variance of the figure, divided by span² · s · (1 − s), where s = (estimate − lowest) / span;
            the reciprocal of an effective sample size in the sense of Korn and Graubard (1998).
        degrees: degrees of freedom of Student's t, a whole number; at most the number of scenes.
        effective_scenes: Kish's (1965) (Σw)² / Σw² over the scenes' weights w in the figure.
        scenes_of_parts: the least effective number of scenes that the figure's variance can rest on, if one of its
            parts differs between scenes and the others do not. That of a single part is its effective scenes.
        observed: share of the variance that comes from the scores; the rest is the working correlation's.
    """

    estimate: Floats
    lowest: Floats
    span: Floats
    design_variance: Floats
    degrees: NDArray[np.intp]
    effective_scenes: Floats
    scenes_of_parts: Floats
    observed: Floats

    def with_variance_times(self, factor: float) -> Moments:
        """The same figures, known less well."""
        return replace(self, design_variance=self.design_variance * factor)

    @property
    def position(self) -> Floats:
        """Return the position of the figure between the least (0) and the greatest value it can have (1)."""
        return np.clip((self.estimate - self.lowest) / self.span, 0, 1)

    @property
    def errors(self) -> Floats:
        """Standard errors, in the figure's unit."""
        return np.asarray(self.span * np.sqrt(self.position * (1 - self.position) * self.design_variance))


def clustered_sums(
    cluster: NDArray[np.intp],
    numerators: Floats,
    denominators: Floats,
    *,
    item: NDArray[np.intp] | None = None,
    membership: NDArray[np.bool_] | None = None,
    lowest: Floats | None = None,
    highest: Floats | None = None,
    working_correlation: float = WORKING_CORRELATION,
) -> Clustered:
    """Sum rows into items, and items into clusters.

    Repeated answers to one item are first summed into that item. Only its mean then counts, so that the same answers
    given five times carry as much information as given once.

    Args:
        cluster: the number of each row's cluster, from 0 without gaps. Shape (rows,).
        numerators, denominators: shape (rows, pools); 0 where a row is not in a pool.
        item: the number of each row's item. None if each row is an item of its own. Shape (rows,).
        membership: which rows are in which pool; where the denominator isn't 0 if None. Shape (rows, pools).
        lowest, highest: the least and greatest numerator of each row, shape (rows, pools), or the sums over all
            rows, shape (pools,); 0 and the denominator if None.
        working_correlation: of `Clustered`.
    """
    inside = denominators != 0 if membership is None else membership
    lowest = np.zeros(numerators.shape[1]) if lowest is None else _total(lowest)
    highest = _total(denominators if highest is None else highest)
    if item is not None:
        _, first, own = np.unique(item, return_index=True, return_inverse=True)
        cluster = cluster[first]
        numerators, denominators = _summed(own, numerators), _summed(own, denominators)
        inside = _summed(own, inside) > 0
    size = int(cluster.max()) + 1 if len(cluster) else 0

    pairs = ((numerators, numerators), (numerators, denominators), (denominators, denominators))
    products = [[(one[:, j] * other[:, j]).sum() for one, other in pairs] for j in range(numerators.shape[1])]
    return Clustered(
        _summed(cluster, numerators, size),
        _summed(cluster, denominators, size),
        _summed(cluster, inside, size),
        squares=np.reshape(np.array(products, dtype=np.float64), (numerators.shape[1], len(pairs))),
        lowest=lowest,
        highest=highest,
        working_correlation=working_correlation,
    )


def _summed(group: NDArray[np.intp], values: NDArray[Any], size: int = 0) -> Floats:
    """Sum rows by group, one pool at a time to save memory. Shape (groups, pools)."""
    columns = (np.bincount(group, weights=column, minlength=size) for column in values.T)
    return np.stack([*columns], axis=1) if values.shape[1] else np.zeros((size, 0))


def _total(values: Floats) -> Floats:
    return values if values.ndim == 1 else np.asarray(values.sum(0))


def moments(sums: Clustered, weights: Floats) -> Moments:
    """Estimates, ranges and variances of weighted sums of ratios.

    Args:
        sums: the clusters.
        weights: not negative; a row without weight on a pool that has items gives nan. Shape (figures, pools).
    """
    totals, items = sums.denominators.sum(-2), sums.counts.sum(-2)
    present = totals != 0
    safe = np.where(present, totals, 1.0)
    ratios = np.where(present, sums.numerators.sum(-2) / safe, 0.0)
    per_unit = np.where(present, 1 / safe, 0.0)[..., None, :] * weights  # the figure's change by one numerator
    lowest = _dot(per_unit, sums.lowest)
    span = _dot(per_unit, sums.highest - sums.lowest)
    estimate = _dot(weights, ratios)
    formed = span > 0
    whole = np.where(formed, span, 1.0)
    position = np.clip((estimate - lowest) / whole, 0, 1)
    spread = position * (1 - position)
    inner = spread > 1e-12
    spread = np.where(inner, spread, 1.0)

    # On the scale from 0 to 1: an item's full range moves the figure by `step`.
    width = np.where(items > 0, (sums.highest - sums.lowest) / np.maximum(items, 1), 1.0)
    width = np.where(width > 0, width, 1.0)
    step = per_unit * width[..., None, :] / whole[..., None]
    squares = sums.squares[..., 0] - 2 * ratios * sums.squares[..., 1] + ratios**2 * sums.squares[..., 2]
    residual = np.maximum(squares, 0) / width**2
    # An item's variance, as a part of the Bernoulli variance at the figure's position. The pseudo-items stand where
    # Agresti and Coull (1998) would put the figure, so that nearly all right goes over into all right smoothly.
    size = 1 / np.where(formed, _dot(step**2, items), 1.0)
    shrunk = (position * size + 1) / (size + 2)
    padding = PSEUDO_ITEMS * (shrunk * (1 - shrunk))[..., None]
    relative = (residual[..., None, :] + padding) / (items[..., None, :] * spread[..., None] + padding)
    relative = np.where(inner[..., None], relative, 1.0)
    scale = step * np.sqrt(relative)

    leverage = sums.denominators / safe[..., None, :]
    centred = sums.numerators - ratios[..., None, :] * sums.denominators
    influence = _across(step / width[..., None, :], centred)
    independent, shared = _model(scale, sums.counts, leverage, items)
    clustered = _across(scale, sums.counts)
    apart, together = _dot(scale**2, items), (clustered**2).sum(-1)
    correlation = _correlation(influence**2 / spread[..., None], independent, shared)
    leveraged = centred / np.sqrt(np.maximum(1 - leverage, 1e-9))
    cr2 = (_across(step / width[..., None, :], leveraged) ** 2).sum(-1) / spread
    modelled = np.maximum(apart + correlation * (together - apart), LEAST_DESIGN_EFFECT * apart)
    estimated = np.maximum(modelled, cr2)
    separate = _dot(scale**2, (sums.counts**2).sum(-2))
    common = SHARED_BY_TASKS * together + (1 - SHARED_BY_TASKS) * separate
    working = apart + sums.working_correlation * (common - apart)

    scenes = (clustered > 0).sum(-1)
    kurtosis = _dot(step**4 * relative, items) * np.maximum(position, 1 - position) ** 2
    deff_over = np.maximum(estimated, working) / np.where(formed, spread * apart**3, 1.0)
    degrees = 1 / (1 / np.maximum(scenes - 1, 1) + TAIL_WEIGHT * kurtosis * deff_over)
    degrees = np.where(inner & formed, degrees, 0.0)
    share = degrees / (degrees + WORKING_WEIGHT)
    weight = (weights[..., None, :] * leverage[..., None, :, :]).sum(-1)
    effective = weight.sum(-1) ** 2 / np.where(formed, (weight**2).sum(-1), 1.0)
    none = np.where(formed, 1.0, np.nan)
    return Moments(
        estimate=estimate * none,
        lowest=lowest * none,
        span=span * none,
        design_variance=np.maximum(estimated, working ** (1 - share) * estimated**share) * none,
        degrees=_degrees(influence, kurtosis * spread, scenes, effective),
        effective_scenes=effective,
        scenes_of_parts=_scenes_of_parts(step, sums),
        observed=share,
    )


def _degrees(influence: Floats, of_items: Floats, scenes: NDArray[np.intp], effective: Floats) -> NDArray[np.intp]:
    """Degrees of freedom of Student's t. Shape (…, figures).

    Args:
        influence: of each scene on the figure. Shape (…, figures, clusters).
        of_items: sum of the fourth powers of the single items' influences, which says nothing about how scenes differ.
            Shape (…, figures).
        scenes, effective: number of scenes in the figure, and their effective number. Shape (…, figures).
    """
    second, fourth = (influence**2).sum(-1), (influence**4).sum(-1)
    varies = second > 1e-15
    kurtosis = scenes * (fourth - of_items) / np.where(varies, second**2, 1.0)
    spread = KURTOSIS_DEGREES * scenes / np.maximum(kurtosis - 1, KURTOSIS_DEGREES)
    found = np.minimum(np.where(varies, spread, scenes), np.minimum(effective, scenes))
    return np.maximum(np.floor(found + 1e-9), 1).astype(np.intp)


def _scenes_of_parts(step: Floats, sums: Clustered) -> Floats:
    """Satterthwaite's (1946) degrees of freedom of a sum of variances, and 1, in the least favourable case: one part
    has `PART_CORRELATION`, the others none. It depends on the design alone and not on the scores, as a choice by scores
    would leave out the wide intervals.

    Args:
        step: change of the figure by an item's full range. Shape (…, figures, pools).
        sums: the clusters.
    """
    totals, squares = sums.denominators.sum(-2), (sums.denominators**2).sum(-2)
    effective = totals**2 / np.where(squares > 0, squares, 1.0)
    degrees = np.maximum(effective - 1, LEAST_PART_DEGREES)[..., None, :]
    low = step**2 * sums.counts.sum(-2)[..., None, :]
    high = low + PART_CORRELATION * (step**2 * (sums.counts**2).sum(-2)[..., None, :] - low)
    variance = low.sum(-1, keepdims=True) + high - low
    noise = (low**2 / degrees).sum(-1, keepdims=True) + (high**2 - low**2) / degrees
    found = np.where(step > 0, variance**2 / np.where(noise > 0, noise, 1.0), np.inf)
    return np.asarray(1 + found.min(-1))


def _correlation(influence: Floats, independent: Floats, shared: Floats) -> Floats:
    """Intra-scene correlation by the method of moments, at most 1; below 0 where scenes are more alike than chance.

    Args:
        influence: squared influence of each scene on the figure. Shape (…, figures, clusters).
        independent, shared: its expected values with a correlation of 0 and of 1.
    """
    inside = independent > 1e-15
    safe = np.where(inside, independent, 1.0)
    count = np.maximum(inside.sum(-1), 1)
    observed = np.where(inside, influence / safe, 0.0).sum(-1) / count
    excess = np.where(inside, shared / safe, 0.0).sum(-1) / count - 1
    known = excess > 1e-6  # not with one item a scene
    return np.where(known, np.minimum((observed - 1) / np.where(known, excess, 1.0), 1.0), 0.0)


def _model(scale: Floats, counts: Floats, leverage: Floats, items: Floats) -> tuple[Floats, Floats]:
    """Expected squared influence of each scene with correlation 0 and 1, the estimates of the ratios removed.

    Args:
        scale: of an item's deviation in each figure and pool. Shape (…, figures, pools).
        counts, leverage: items, and share of the pool's denominators. Shape (…, clusters, pools).
        items: in each pool. Shape (…, pools).

    Returns:
        Two arrays of shape (…, figures, clusters).
    """
    independent = _across(scale**2, counts * (1 - 2 * leverage) + leverage**2 * items[..., None, :])
    levered = scale[..., :, None, :] * leverage[..., None, :, :]
    gram = np.swapaxes(counts, -1, -2) @ counts
    own = (levered * counts[..., None, :, :]).sum(-1)
    others = ((levered @ gram[..., None, :, :]) * levered).sum(-1) - own**2
    return independent, (_across(scale, counts) - own) ** 2 + others


def _across(scale: Floats, values: Floats) -> Floats:
    """(…, figures, pools) and (…, clusters, pools) → (…, figures, clusters)."""
    return np.asarray(scale @ np.swapaxes(values, -1, -2))


def _dot(scale: Floats, values: Floats) -> Floats:
    """(…, figures, pools) and (…, pools) → (…, figures)."""
    return np.asarray((scale * values[..., None, :]).sum(-1))


NO_CLASS = 2**20 - 1
"""The class of a response that names none of the classes."""
MAX_CLASS = NO_CLASS - 1
"""The greatest number of a class."""


def weighted_median(values: Floats, weights: Floats) -> Floats:
    """The median, with each value as often as its weight says; of an even number of them the mean of the middle two.

    Args:
        values: shape (items,).
        weights: whole numbers. Shape (…, items).

    Returns:
        Shape (…,); nan without weight.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    reached = np.cumsum(weights[..., order], axis=-1)
    total = reached[..., -1:]
    lower = np.argmax(reached >= total / 2, axis=-1)
    upper = np.argmax(reached > total / 2, axis=-1)
    middle = (ordered[lower] + ordered[upper]) / 2
    # Before the first item that counts, nothing is reached: with a weight of 0 in all, argmax is 0.
    return np.asarray(np.where(total[..., 0] > 0, middle, np.nan))


def pair_code(truth: int, response: int) -> float:
    """Two classes as one number, which `macro_f1` takes apart; exact in float64.

    Args:
        truth: the right class, 0 to `MAX_CLASS`.
        response: the class that was answered, or `NO_CLASS`.
    """
    return float(truth * 2**20 + response)


def macro_f1(codes: Floats, weights: Floats) -> Floats:
    """The unweighted mean of the classes' F1 scores, over all classes that are right for an item or answered for one.

    F1 is 2 · hits / (items of the class + answers of the class). An answer without a class is a miss of the right one,
    and no class of its own.

    Args:
        codes: of `pair_code`. Shape (items,).
        weights: how often each counts. Shape (…, items).

    Returns:
        Shape (…,); nan without weight.
    """
    pairs = codes.astype(np.int64)
    truths, responses = pairs // 2**20, pairs % 2**20
    classes = np.setdiff1d(np.union1d(truths, responses), [NO_CLASS])
    is_truth = (truths[:, None] == classes).astype(np.float64)
    is_response = (responses[:, None] == classes).astype(np.float64)
    flat = weights.reshape(-1, len(codes)).astype(np.float64)
    hits = flat @ (is_truth * is_response)
    sizes = flat @ is_truth + flat @ is_response
    found = sizes > 0
    scores = np.where(found, 2 * hits / np.where(found, sizes, 1.0), 0.0)
    count = found.sum(-1)
    return np.asarray(np.where(count > 0, scores.sum(-1) / np.maximum(count, 1), np.nan)).reshape(weights.shape[:-1])


def row_weights(item: NDArray[np.intp], inside: NDArray[np.bool_], greatest: int | None = None) -> Floats | None:
    """Weights of rows with which all items count as much, where some have fewer rows than others.

    Args:
        item: the number of each row's item. Shape (rows,).
        inside: which rows count. Shape (rows,).
        greatest: of the weights, which then are whole numbers; None for weights that add up to 1 in each item.

    Returns:
        None where all items have as many rows, or where whole numbers would be too large. Shape (rows,).
    """
    counts = np.bincount(item[inside], minlength=int(item.max(initial=0)) + 1)
    different = np.unique(counts[counts > 0])
    if len(different) < 2:
        return None
    own = np.maximum(counts, 1)[item]
    if greatest is None:
        return np.asarray(np.where(inside, 1 / own, 1.0))
    whole = math.lcm(*different.tolist())
    return np.asarray(np.where(inside, whole // own, 1), dtype=np.float64) if whole <= greatest else None
