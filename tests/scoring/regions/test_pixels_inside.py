"""Points looked up in an array of a mask, as released codes do."""

import json

import pytest

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.metrics import metric_named

RIGHT = json.dumps({"size": [4, 2], "mask": {"size": [2, 4], "counts": [4, 4]}})
"""The right half."""


@pytest.mark.parametrize(
    ("points", "pixels", "points_inside"),
    [([[3, 1]], 1.0, 1.0), ([[4, 1]], 0.0, 1.0), ([[3, 2]], 0.0, 1.0), ([[3, 0], [4, 0], [0, 0], [2, 0]], 0.5, 0.75)],
)
def test_the_far_edges_are_outside(points: list[list[int]], pixels: float, points_inside: float) -> None:
    item = Item(id="1", question="Where?", kind="points", answer=RIGHT, task="pointing")
    reading = ParsedAnswer(json.dumps({"size": [4, 2], "points": points}))
    assert metric_named("pixels-inside").value(item, reading) == pixels
    assert metric_named("points-inside").value(item, reading) == points_inside
