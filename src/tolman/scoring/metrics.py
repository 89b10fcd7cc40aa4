"""The metrics of the four papers, each in the arithmetic that the name says.

Mean relative accuracy (MRA) is defined by the VSI-Bench paper, section 4.1, and taken over by the
SpatialBench paper, equation 1: the share of the ten thresholds θ = 0.50, 0.55 … 0.95 for which
|prediction − truth| / truth < 1 − θ. The two released codes disagree with it, and with each other, where the
error lies on a threshold; all three are here.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

# numpy's own spacing matters: 1 - 0.8 is 0.19999999999999996, so an error of 1/5 fails there.
_RELEASED_VSI_LIMITS = tuple(float(limit) for limit in 1 - np.linspace(0.5, 0.95, 10))
_RELEASED_SPATIALBENCH_LIMITS = tuple(1 - percent / 100 for percent in range(50, 100, 5))
_EXACT_LIMITS = tuple(Fraction(percent, 100) for percent in range(50, 0, -5))


def mra_vsi_bench(prediction: float, truth: float) -> float:
    """MRA as VSI-Bench's released code has it: `<=` in float64.

    Source: vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/utils.py.

    Args:
        prediction: any float; nan and infinities score 0.
        truth: a positive number.

    Returns:
        A multiple of 0.1 between 0 and 1.
    """
    error = abs(prediction - truth) / truth
    return sum(error <= limit for limit in _RELEASED_VSI_LIMITS) / 10


def mra_spatialbench(prediction: float, truth: float) -> float:
    """MRA as SpatialBench's released code has it: `<` in float64, and exact match where the truth is 0.

    Source: XPR2004/SpatialBench, evaluate_benchmark_results.py.
    """
    if truth == 0:
        return 1.0 if prediction == 0 else 0.0
    error = abs(prediction - truth) / abs(truth)
    return sum(error < limit for limit in _RELEASED_SPATIALBENCH_LIMITS) / 10


def mra_exact(prediction: Fraction, truth: Fraction) -> float:
    """MRA as the papers' formula has it: `<` in exact arithmetic.

    A truth of 0, for which the formula isn't defined, scores 1 for a prediction of 0 and else 0.
    """
    if truth == 0:
        return 1.0 if prediction == 0 else 0.0
    error = abs(prediction - truth) / abs(truth)
    return sum(error < limit for limit in _EXACT_LIMITS) / 10


def chance_adjusted(score: float, options: int) -> tuple[float, float]:
    """One item's share in chance-adjusted accuracy (CAA): numerator and denominator.

    CAA is the sum of the numerators over the sum of the denominators, pooled over all items; it is not the
    mean of the categories' CAAs. Source: SITE paper, equation 1.
    """
    return score - 1 / options, 1 - 1 / options


def is_finite_number(value: object) -> bool:
    """Whether a value is an int, float or Fraction that is neither nan nor infinite."""
    return isinstance(value, int | Fraction) or (isinstance(value, float) and math.isfinite(value))
