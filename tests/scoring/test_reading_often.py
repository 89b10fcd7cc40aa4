"""Reading many responses: what belongs to an item or to a text is looked at once."""

from __future__ import annotations

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful
from tolman.scoring.parse import wrappers as preparing
from tolman.scoring.parse.choice import values_of
from tolman.scoring.parse.option_sequences import orders_of
from tolman.scoring.parse.option_texts import option_texts
from tolman.scoring.parse.plain_text import Plain, plain

MANY = 1_100


def item(number: int) -> Item:
    options = (f"{number}.1 m", f"{number}.2 m", f"{number}.3 m")
    return Item(id=str(number), question="How far?", kind="choice", answer="A", options=options, task="t")


@pytest.mark.full
def test_items_that_are_answered_again_are_not_prepared_again() -> None:
    """As in a training loop, which scores thousands of items in the same order again and again."""
    items = [item(number) for number in range(MANY)]
    first = [read_careful(one, "The answer is B.") for one in items]
    before = [found.cache_info().misses for found in (option_texts, orders_of, values_of)]
    assert [read_careful(one, "The answer is B.") for one in items] == first
    assert [found.cache_info().misses for found in (option_texts, orders_of, values_of)] == before
    assert {reading.value for reading in first} == {"B"}


def test_equal_texts_are_prepared_once_and_read_for_each_item(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[str] = []

    def counted(response: str) -> Plain:
        prepared.append(response)
        return plain(response)

    monkeypatch.setattr(preparing, "plain", counted)
    text = "I am sure that it is 7.2 m, as nothing else is so far away."
    readings = [read_careful(item(number), text).value for number in (7, 8, 7)]
    assert readings[0] == readings[2] == "B"
    assert readings[1] is None
    assert prepared.count(text) == 1
