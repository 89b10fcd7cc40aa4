"""Which bounds of pixels the expected tokens of a video have: the recipe's, or those that requests carry for videos."""

from typing import Any

import pytest

from tolman.models.recipes import open_recipe
from tolman.runs.engine import rule_of

SIZE = {"shortest_edge": 3136, "longest_edge": 100_352}
OTHER = {"shortest_edge": 1, "longest_edge": 2}


@pytest.mark.parametrize(
    ("arguments", "bounds"),
    [
        (None, (3136, 12_845_056)),
        ({"size": SIZE}, (3136, 100_352)),
        ({"videos_kwargs": {"size": SIZE}}, (3136, 100_352)),
        ({"size": OTHER, "videos_kwargs": {"size": SIZE}}, (3136, 100_352)),
        ({"size": {"longest_edge": 100_352}}, (3136, 100_352)),
        ({"images_kwargs": {"size": SIZE}}, (3136, 12_845_056)),  # of pictures alone
        ({"videos_kwargs": 3}, (3136, 12_845_056)),
    ],
)
def test_bounds_of_videos_are_those_that_are_sent(arguments: Any, bounds: tuple[int, int]) -> None:
    rule = rule_of(open_recipe("qwen2.5-vl"), {} if arguments is None else {"mm_processor_kwargs": arguments})
    assert rule is not None
    assert (rule.least, rule.most) == bounds
    assert rule.budget == "frame"  # what they bound is the family's to say


@pytest.mark.parametrize(
    ("arguments", "capped"),
    [
        ({}, False),
        ({"cap_pixels_per_frame": True}, True),
        ({"videos_kwargs": {"cap_pixels_per_frame": True}}, True),
        ({"cap_pixels_per_frame": True, "videos_kwargs": {"cap_pixels_per_frame": False}}, False),
    ],
)
def test_the_cap_is_what_is_sent(arguments: Any, capped: bool) -> None:
    rule = rule_of(open_recipe("qwen3-vl"), {"mm_processor_kwargs": arguments})
    assert rule is not None
    assert rule.expected(8, 1920, 1080) == (2880 if capped else 8160)


def test_without_a_recipe_nothing_is_expected() -> None:
    assert rule_of(None, {"mm_processor_kwargs": {"size": SIZE}}) is None
