"""Relative errors of numbers: their mean, their median, and the mean with its sign (bias)."""

import math

from tolman.scoring.metric import PERCENT, Metric
from tolman.scoring.number_errors import relative_error, signed_relative_error
from tolman.scoring.weighted import weighted_median

METRICS = (
    Metric(
        name="relative-error",
        title="Mean relative error",
        per_item=relative_error,
        kinds=("number",),
        range=(0.0, math.inf),
        unit=PERCENT,
        direction="lower",
        unread=None,
        source="mean of |response − truth| / |truth|",
    ),
    Metric(
        name="median-relative-error",
        title="Median relative error",
        per_item=relative_error,
        kinds=("number",),
        aggregate=weighted_median,
        range=(0.0, math.inf),
        unit=PERCENT,
        direction="lower",
        unread=None,
        source="median of |response − truth| / |truth|",
    ),
    Metric(
        name="signed-bias",
        title="Bias",
        per_item=signed_relative_error,
        kinds=("number",),
        range=(-math.inf, math.inf),
        unit=PERCENT,
        direction="zero",
        unread=None,
        source="mean of (response − truth) / |truth|: above 0 where too much is answered",
    ),
)
