"""The option that is left over, and the first of a ranking."""

from __future__ import annotations

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful

CORNERS = ("vorne links", "vorne rechts", "hinten links", "hinten rechts")
LEFT_OVER = [
    (
        "**A) vorne links** – Dort steht das Bett.\n\n**B) vorne rechts** – Man sieht eine Garderobe.\n\n"
        "**C) hinten links** – Dort kommen Bücherreihen ins Bild.\n\n**D) hinten rechts** – Da ist die Heizung.\n\n"
        "Somit bleibt als einzige stimmige Möglichkeit die Ecke mit den Bücherreihen im Bild übrig.",
        CORNERS,
        "C",
    ),
    (
        "D. Сзади справа — там подоконник.\n\nC. Сзади слева — угол занят.\n\nB. Спереди справа — тут кровать.\n\n"
        "A. Спереди слева — открытая конструкция.\n\nПервые три варианта отпадают, последний остаётся.",
        ("спереди слева", "спереди справа", "сзади слева", "сзади справа"),
        "A",
    ),
    (
        "- Photo 1: no rug. ✗\n- Photo 2: the same rug. ✓\n- Photo 3: another room. ✗",
        ("photo 1", "photo 2", "photo 3"),
        "B",
    ),
]


@pytest.mark.parametrize(("response", "options", "letter"), LEFT_OVER)
def test_the_option_that_is_left_is_read(response: str, options: tuple[str, ...], letter: str) -> None:
    item = Item(id="l", question="Which one is it?", kind="choice", answer="A", options=options, task="t")
    assert read_careful(item, response).value == letter


FARTHEST = "Which of these is farthest from the door?"
RANKED = [
    ("The heater comes out on top with 4.5 m, followed by the stool with 3.2 m.", FARTHEST, "C"),
    ("heater > table > stool > chair", FARTHEST, "C"),
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
