"""Accuracy of yes-or-no questions."""

from tolman.scoring.metric import Metric
from tolman.scoring.metrics.accuracy import is_right

METRIC = Metric(
    name="yes-no-accuracy",
    title="Accuracy of yes and no",
    per_item=is_right,
    kinds=("yes-no",),
    source="RoboSpatial (arXiv 2411.16537), section 4: binary accuracy",
)
