"""Accuracy: the share of questions whose answer is right."""

from tolman.items import Item
from tolman.scoring.metric import Metric
from tolman.scoring.reading import ParsedAnswer


def is_right(item: Item, reading: ParsedAnswer) -> float:
    """1 for the right letter, else 0."""
    return float(reading.value == item.answer)


METRIC = Metric(
    name="accuracy",
    title="Accuracy",
    per_item=is_right,
    kinds=("choice",),
    source="VSI-Bench, section 4.1; SITE, section 5.1; MMSI-Bench, section 4.1",
)
