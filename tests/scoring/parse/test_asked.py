"""Questions, parsed for what they ask."""

import pytest

from tolman.scoring.parse.asked import asked_in
from tolman.scoring.parse.language_detection import languages

ENGLISH = languages(frozenset({"en"}))


@pytest.mark.parametrize(
    ("question", "subject", "anchor"),
    [
        ("Where is the chair relative to the desk?", {"chair"}, {"desk"}),
        ("From the lamp, in which direction is the sofa?", {"sofa"}, {"lamp"}),
        ("As seen by the camera, where is the sofa relative to the floor lamp?", {"sofa"}, {"floor", "lamp"}),
        ("Seen from the door, is the stool in front of the plant or behind it?", {"stool"}, {"plant"}),
        ("Is the red cup closer to the wall than the blue cup?", {"red"}, {"wall", "blue"}),
    ],
)
def test_located_and_located_by(question: str, subject: set[str], anchor: set[str]) -> None:
    asked = asked_in(question, ENGLISH)
    assert (asked.subject, asked.anchor) == (subject, anchor)


@pytest.mark.parametrize(
    ("question", "larger"),
    [
        ("Which room is the largest?", True),
        ("Which lamp is nearest to the door?", False),
        ("How far is the door?", None),
        ("What is on the table?", None),
    ],
)
def test_end_that_is_asked_for(question: str, larger: bool | None) -> None:
    assert asked_in(question, ENGLISH).larger() is larger


def test_negated_question() -> None:
    assert asked_in("Is the lamp not on the table?", ENGLISH).negated
    assert not asked_in("Is the lamp larger than the vase?", ENGLISH).negated
