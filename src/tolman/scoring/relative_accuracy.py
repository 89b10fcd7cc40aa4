"""Mean relative accuracy and chance-adjusted accuracy, each in the arithmetic that its name says.

Mean relative accuracy (MRA) is defined by the VSI-Bench paper, section 4.1, and taken over by the
SpatialBench paper, equation 1: the share of the ten thresholds θ = 0.50, 0.55 … 0.95 for which
|prediction − truth| / truth < 1 − θ. The two released codes disagree with it, and with each other, where the
error lies on a threshold; all are here.

The formula has no value for a truth of 0, and a negative truth turns its sign. What each function does there:

| truth | `mra_vsi_bench` | `mra_to_zero` | `mra_spatialbench`, `mra_exact` |
|---|---|---|---|
| 0 | none: `ZeroDivisionError`, as released | the error itself | 1 for a prediction of exactly 0, else 0 |
| < 0 | 1 for every prediction, as released | the error relative to the truth's absolute value | the same |

So VSI-Bench's questions need a truth above 0: loading refuses others (`Benchmark.needs_positive_truths`).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from fractions import Fraction

# Spaced as numpy's linspace(0.5, 0.95, 10) is: 1 - 0.8 is 0.19999999999999996, so an error of 1/5 fails there.
_RELEASED_VSI_LIMITS = sorted(1 - limit for limit in (*(0.5 + i * ((0.95 - 0.5) / 9) for i in range(9)), 0.95))
_RELEASED_SPATIALBENCH_LIMITS = sorted(1 - percent / 100 for percent in range(50, 100, 5))
_LIMITS = 10
"""Thresholds; in exact arithmetic their limits are 1/20, 2/20 … 10/20."""


def mra_vsi_bench(prediction: float, truth: float) -> float:
    """MRA as VSI-Bench's released code has it: `<=` in float64.

    Source: vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/utils.py.

    Args:
        prediction: any float; nan and infinities score 0.
        truth: a positive number. For a negative one the released code gives 1, for 0 it stops.

    Returns:
        A multiple of 0.1 between 0 and 1.

    Raises:
        ZeroDivisionError: the truth is 0.
    """
    return _within_released_limits(abs(prediction - truth) / truth)


def mra_to_zero(prediction: float, truth: float) -> float:
    """MRA as SPAR-Bench's released code and EASI have it: VSI-Bench's, with errors relative to the truth's absolute
    value, and as they are where the truth is 0.

    Source: fudan-zvg/spar, tasks/sparbench/utils.py; open-compass/VLMEvalKit, utils/spatial_bench/cal_scores.py.
    """
    return _within_released_limits(abs(prediction - truth) / (abs(truth) or 1.0))


def mra_spatialbench(prediction: float, truth: float) -> float:
    """MRA as SpatialBench's released code has it: `<` in float64, and exact match where the truth is 0; the error is
    relative to the truth's absolute value.

    Source: XPR2004/SpatialBench, evaluate_benchmark_results.py.
    """
    if truth == 0:
        return 1.0 if prediction == 0 else 0.0
    error = abs(prediction - truth) / abs(truth)
    return 0.0 if math.isnan(error) else (_LIMITS - bisect_right(_RELEASED_SPATIALBENCH_LIMITS, error)) / _LIMITS


def mra_exact(prediction: Fraction, truth: Fraction) -> float:
    """MRA as the papers' formula has it: `<` in exact arithmetic.

    A truth of 0, for which the formula isn't defined, scores 1 for a prediction of 0 and else 0. The error is relative
    to the truth's absolute value.
    """
    if truth == 0:
        return 1.0 if prediction == 0 else 0.0
    (a, b), (c, d) = prediction.as_integer_ratio(), truth.as_integer_ratio()
    # In whole numbers, ten times faster than with fractions: limits k/20 above the error are those with k > 20 · error.
    twentieths = 20 * abs(a * d - c * b) // (abs(c) * b)
    return max(0, _LIMITS - twentieths) / _LIMITS


def _within_released_limits(error: float) -> float:
    return 0.0 if math.isnan(error) else (_LIMITS - bisect_left(_RELEASED_VSI_LIMITS, error)) / _LIMITS


def chance_adjusted(score: float, options: int) -> tuple[float, float]:
    """One item's share in chance-adjusted accuracy (CAA): numerator and denominator.

    CAA is the sum of the numerators over the sum of the denominators, pooled over all items; it is not the
    mean of the categories' CAAs. Source: SITE paper, equation 1.
    """
    return score - 1 / options, 1 - 1 / options


def is_finite_number(value: object) -> bool:
    """Whether a value is an int, float or Fraction that is neither nan nor infinite."""
    return isinstance(value, int | Fraction) or (isinstance(value, float) and math.isfinite(value))
