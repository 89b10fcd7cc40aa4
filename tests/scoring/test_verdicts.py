"""The only option that is called right, and the first of a ranking."""

from __future__ import annotations

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful

OPTIONS = ("photo 1", "photo 2", "photo 3")


def test_the_only_option_with_a_tick_is_read() -> None:
    response = "- Photo 1: no rug. ✗\n- Photo 2: the same rug. ✓\n- Photo 3: another room. ✗"
    item = Item(id="l", question="Which one is it?", kind="choice", answer="A", options=OPTIONS, task="t")
    assert read_careful(item, response).value == "B"


FARTHEST = "Which of these is farthest from the door?"
RANKED = [
    ("The heater comes out on top with 4.5 m, followed by the stool with 3.2 m.", FARTHEST, "C"),
    ("heater > table > stool > chair, from thick to thin", "Which of these is the thinnest?", None),
    ("The heater, then the stool.", "Which of these appears last?", None),
    ("I'd have said the stool, but the heater is farther.", FARTHEST, "C"),
    ("Farthest is the heater, not the stool.", FARTHEST, "C"),
]


@pytest.mark.parametrize(("response", "question", "letter"), RANKED)
def test_the_first_of_a_ranking_is_read_where_it_is_asked_for(response: str, question: str, letter: str | None) -> None:
    options = ("chair", "stool", "heater", "table")
    item = Item(id="r", question=question, kind="choice", answer="A", options=options, task="t")
    assert read_careful(item, response).value == letter
