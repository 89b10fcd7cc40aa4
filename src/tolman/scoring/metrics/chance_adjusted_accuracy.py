"""Chance-adjusted accuracy (CAA): accuracy on a scale on which guessing has 0."""

from tolman.scoring.metric import Metric
from tolman.scoring.metrics.accuracy import is_right

METRIC = Metric(
    name="chance-adjusted-accuracy",
    title="Chance-adjusted accuracy",
    per_item=is_right,
    kinds=("choice",),
    chance_adjusted=True,
    source="SITE, equation 1, pooled over all items",
)
