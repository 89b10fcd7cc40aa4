"""Proposed wrong options."""

from __future__ import annotations

import pytest

from tolman.review.forms.question_form import Written, propose


@pytest.mark.parametrize(
    ("right", "proposed"),
    [
        ("To the left", ["To the right"]),
        ("Back-left", ["Front-left", "Front-right", "Back-right"]),
        (
            "behind the sofa",
            ["in front of the sofa", "left of the sofa", "right of the sofa", "behind the bed", "behind the lamp"],
        ),
        ("2.4 m", ["1.2 m", "1.8 m", "3.0 m", "3.6 m", "4.8 m"]),
        ("3", ["2", "4", "5", "1"]),
        ("the lamp", ["the bed", "the sofa"]),
        ("two steps", ["three steps"]),
        ("", []),
    ],
)
def test_wrong_options_follow_from_the_right_one(right: str, proposed: list[str]) -> None:
    assert propose(right, [right, ""], ["bed", "lamp", "sofa", "lamp"], ["three steps", "two steps"]) == proposed


def test_what_is_written_is_not_proposed_and_a_pick_takes_a_free_option() -> None:
    assert propose("left", ["left", "Right"], []) == ["forward", "backward"]
    written = Written(options=("left", "", "", ""), answer="B")
    taken = written.edited("take:forward").edited("take:back: far").edited("take:right")
    assert taken.options == ("left", "", "forward", "back: far", "right")
