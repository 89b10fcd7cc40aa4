"""Is a learner right as often as by chance? The exact binomial test, for items with different numbers of options."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from tolman.scoring.clusters import Floats

_ROUNDING = 1e-7
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
    seen = probabilities <= probabilities[right] * (1 + _ROUNDING)
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
