"""Statements of the opposite of what is asked."""

from __future__ import annotations

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful

OPPOSITES = [
    ("箸置きのほうが奥です。", "茶碗と箸置き、どちらが手前にありますか。", ("茶碗", "箸置き"), "A"),
    ("粮囤比草垛高出一个头。", "粮囤和草垛,哪个更矮?", ("粮囤", "草垛"), "B"),
    ("The lamp is lower.", "Which is higher?", ("lamp", "shelf"), "B"),
    ("The lamp is higher.", "Which is higher?", ("lamp", "shelf"), "A"),
    ("The lamp is lower.", "Which is the highest?", ("lamp", "shelf", "door"), "A"),
]


@pytest.mark.parametrize(("response", "question", "options", "letter"), OPPOSITES)
def test_of_two_the_other_is_meant(response: str, question: str, options: tuple[str, ...], letter: str) -> None:
    item = Item(id="o", question=question, kind="choice", answer="A", options=options, task="t")
    assert read_careful(item, response).value == letter
