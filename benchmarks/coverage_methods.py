"""The intervals that `coverage.py` compares: what Tolman prints, and what the field has beside it.

Each takes the sums of many runs over one set of scenes and gives limits of shape (draws,), cut off at the ends of the
figure's scale.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tolman.scoring.clusters import WORKING_CORRELATION_PAIRED, Clustered, moments
from tolman.scoring.intervals import limits_by_part, score_limits

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]
RESAMPLES = 399


def printed(sums: Clustered, weights: Floats, generator: np.random.Generator) -> Limits:
    """Tolman's, also where it has too few effective scenes to be printed."""
    found = moments(sums, weights)
    is_paired = sums.working_correlation == WORKING_CORRELATION_PAIRED
    low, high = score_limits(found) if is_paired else limits_by_part(sums, weights, found)
    return low[:, 0], high[:, 0]


def percentiles(sums: Clustered, weights: Floats, generator: np.random.Generator) -> Limits:
    """Percentiles of the cluster bootstrap, widened as t is wider than the normal (Hesterberg 2015)."""
    scenes = sums.numerators.shape[1]
    estimates, _ = _resampled(sums, weights, generator)
    beyond = stats.norm.cdf(np.sqrt(scenes / (scenes - 1)) * stats.t.ppf(0.975, scenes - 1))
    low, high = np.nanquantile(estimates, [1 - beyond, beyond], axis=0)
    return _cut(sums, weights, low, high)


def cluster_robust(sums: Clustered, weights: Floats, generator: np.random.Generator) -> Limits:
    """CR2 with t on Bell and McCaffrey's (2002) degrees of freedom."""
    estimate, variance, degrees = _cr2(sums, weights)
    reach = stats.t.ppf(0.975, degrees) * np.sqrt(variance)
    return _cut(sums, weights, estimate - reach, estimate + reach)


def effective_wilson(sums: Clustered, weights: Floats, generator: np.random.Generator) -> Limits:
    """Wilson's with the effective sample size of CR2 and the same t (Dean and Pagano 2015); no working correlation."""
    estimate, variance, degrees = _cr2(sums, weights)
    lowest, span = _scale(sums, weights)
    s = np.clip((estimate - lowest) / span, 0, 1)
    spread = s * (1 - s)
    design = np.where(spread > 0, variance / span**2 / np.where(spread > 0, spread, 1), 1 / sums.numerators.shape[1])
    k = stats.t.ppf(0.975, degrees) ** 2 * design
    centre, reach = (s + k / 2) / (1 + k), np.sqrt(k * spread + k * k / 4) / (1 + k)
    return _cut(sums, weights, lowest + span * (centre - reach), lowest + span * (centre + reach))


def studentised(sums: Clustered, weights: Floats, generator: np.random.Generator) -> Limits:
    """Bootstrap-t: scenes resampled, each resample with its own standard error (Hall 1992)."""
    estimate, variance, _ = _cr2(sums, weights)
    estimates, errors = _resampled(sums, weights, generator)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(errors > 1e-12, (estimates - estimate) / errors, np.nan)
    low, high = _quantiles(t)
    root = np.sqrt(variance)
    return _cut(sums, weights, estimate - high * root, estimate - low * root)


def wild(sums: Clustered, weights: Floats, generator: np.random.Generator) -> Limits:
    """Wild cluster bootstrap-t, symmetric, with Webb's (2013) six-point weights."""
    estimate = _cr2(sums, weights)[0]
    influence = _influence(sums, weights)  # (draws, scenes)
    draws = np.array([-np.sqrt(1.5), -1, -np.sqrt(0.5), np.sqrt(0.5), 1, np.sqrt(1.5)])
    flips = generator.choice(draws, (RESAMPLES, influence.shape[1]))
    share = _leverage(sums, weights)
    moved = np.einsum("rg,bg->rb", flips, influence)
    square = np.einsum("rg,bg->rb", flips**2, influence**2)
    cross = np.einsum("rg,bg->rb", flips, influence * share)
    inner = square - 2 * moved * cross + moved**2 * (share**2).sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(inner > 1e-15, np.abs(moved) / np.sqrt(inner), np.nan)
    high = _quantiles(t, (0.95,))[0]
    reach = high * np.sqrt((influence**2).sum(-1))
    return _cut(sums, weights, estimate - reach, estimate + reach)


METHODS: dict[str, Callable[[Clustered, Floats, np.random.Generator], Limits]] = {
    "printed": printed,
    "percentile bootstrap": percentiles,
    "CR2, t": cluster_robust,
    "CR2, Wilson": effective_wilson,
    "bootstrap-t": studentised,
    "wild bootstrap": wild,
}


def _totals(sums: Clustered) -> tuple[Floats, Floats]:
    totals = sums.denominators.sum(-2)
    return sums.numerators.sum(-2) / totals, totals


def _influence(sums: Clustered, weights: Floats) -> Floats:
    ratios, totals = _totals(sums)
    centred = sums.numerators - ratios[:, None] * sums.denominators
    return np.asarray((centred * (weights[0] / totals)[:, None]).sum(-1))


def _leverage(sums: Clustered, weights: Floats) -> Floats:
    return np.asarray((weights[0] * sums.denominators / sums.denominators.sum(-2)[:, None]).sum(-1))


def _cr2(sums: Clustered, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Estimates, their CR2 variances with independent working errors, and Bell and McCaffrey's degrees of freedom."""
    ratios, totals = _totals(sums)
    leverage = sums.denominators / totals[:, None]
    scale = weights[0] / totals
    centred = sums.numerators - ratios[:, None] * sums.denominators
    adjusted = (centred * scale[:, None] / np.sqrt(np.maximum(1 - leverage, 1e-9))).sum(-1)
    variance = (adjusted**2).sum(-1)
    # The design is the same for all draws: the covariance of the adjusted influences under independent errors.
    h, items, c = leverage[0], sums.counts[0], scale[0]
    a = c / np.sqrt(np.maximum(1 - h, 1e-9))
    cross = np.einsum("gp,kp,gp,kp->gk", a, a, h, items)
    covariance = np.diag((a**2 * items).sum(-1)) - cross - cross.T
    covariance += np.einsum("gp,kp,gp,kp,p->gk", a, a, h, h, items.sum(0))
    square = float((covariance**2).sum())  # 0 where every task has a scene of its own
    degrees = max(float(np.trace(covariance)) ** 2 / square, 1.0) if square > 0 else 1.0
    return (ratios * weights[0]).sum(-1), variance, np.full(len(variance), degrees)


def _resampled(sums: Clustered, weights: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Figures and their standard errors in resamples of scenes. Shape (resamples, draws)."""
    draws, scenes, pools = sums.numerators.shape
    counts = generator.multinomial(scenes, np.full(scenes, 1 / scenes), RESAMPLES).astype(np.float64)
    influence = np.zeros((RESAMPLES, draws, scenes))
    estimates = np.zeros((RESAMPLES, draws))
    for p in range(pools):
        if weights[0, p] == 0:
            continue
        numerators, denominators = sums.numerators[:, :, p], sums.denominators[0, :, p]
        totals = counts @ denominators
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = (counts @ numerators.T) / totals[:, None]
            scale = weights[0, p] / totals
        estimates += weights[0, p] * ratios
        influence += scale[:, None, None] * (numerators[None] - ratios[..., None] * denominators)
    errors = np.sqrt(np.einsum("rg,rbg->rb", counts, influence**2))
    return estimates, errors


def _quantiles(values: Floats, levels: tuple[float, ...] = (0.025, 0.975)) -> list[Floats]:
    """Of resamples, the undefined ones left out; 0 where all are undefined."""
    values = np.where(np.isfinite(values).any(0), values, 0.0)
    return [np.nanquantile(values, level, axis=0) for level in levels]


def _scale(sums: Clustered, weights: Floats) -> tuple[Floats, Floats]:
    totals = sums.denominators.sum(-2)
    lowest = (weights[0] * sums.lowest / totals).sum(-1)
    return lowest, (weights[0] * sums.highest / totals).sum(-1) - lowest


def _cut(sums: Clustered, weights: Floats, low: Floats, high: Floats) -> Limits:
    lowest, span = _scale(sums, weights)
    return np.maximum(low, lowest), np.minimum(high, lowest + span)
