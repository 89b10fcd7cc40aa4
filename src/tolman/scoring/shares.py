"""Shares of responses, with intervals clustered by scene."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.scoring.intervals import Floats, Interval, clustered_sums, standard_errors, wilson_interval


@dataclass(frozen=True, slots=True)
class Share:
    """A share on the 0–100 scale.

    Attributes:
        value: the share.
        interval: 95 %, clustered by scene; None for fewer than two scenes.
        n: how many have a part in it.
    """

    value: float
    interval: Interval | None
    n: int


def share(parts: Floats, wholes: Floats, clusters: NDArray[np.intp]) -> Share | None:
    """What parts are of wholes, with Wilson's interval.

    Args:
        parts, wholes: shape (responses,); a response without a whole has no part in the share.
        clusters: the number of each response's cluster. Shape (responses,).

    Returns:
        None where there is no whole.
    """
    inside = wholes > 1e-12
    if not inside.any():
        return None
    own = np.unique(clusters[inside], return_inverse=True)[1]
    sums = clustered_sums(own, parts[inside, None], wholes[inside, None])
    value = float(np.clip(sums.ratios[0], 0, 1))
    error = standard_errors(sums, np.ones((1, 1)))[0]
    interval = wilson_interval(value, error, len(sums.numerators))
    return Share(100 * value, interval.times(100) if interval else None, int(inside.sum()))
