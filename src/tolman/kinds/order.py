"""An order of things: of the item's options, or of things in the answer's own words.

The answer is a JSON list of texts, the first thing first; with options, of all their texts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tolman.items import Item
from tolman.scoring.answer_texts import listed, normalised, written_list
from tolman.scoring.item_kind import ItemKind
from tolman.scoring.metrics import lists
from tolman.scoring.parse import read_careful_order
from tolman.scoring.parse.orders import split_order

MOST_GUESSES = 720
"""Orders that a random answer is drawn from, at most: of more, so many spread evenly over all."""


def _check(item: Item) -> str:
    things = listed(item.answer)
    if things is None or len(things) < 2:
        return f"the answer {item.answer[:40]!r} is no list of two things or more (a JSON list of texts)"
    if item.options:
        if len(set(map(normalised, item.options))) < len(item.options):
            return "two options are the same"
        if sorted(map(normalised, things)) != sorted(map(normalised, item.options)):
            return "the order doesn't have each option once"
    return ""


def _chance(item: Item) -> float:
    return 1 / math.factorial(len(item.options)) if item.options else 0.0


def _guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return orders_of(item.options) if item.options else answers or ('["nothing", "nothing else"]',)


@lru_cache(maxsize=64)
def orders_of(options: tuple[str, ...]) -> tuple[str, ...]:
    """The orders of some options as JSON lists: all, or `MOST_GUESSES` of them."""
    total = math.factorial(len(options))
    count = min(total, MOST_GUESSES)
    return tuple(written_list(_order(options, i * total // count)) for i in range(count))


def _order(options: Sequence[str], number: int) -> list[str]:
    """The order of a number from 0, by its digits in the factorial number system."""
    left, found = list(options), []
    for size in range(len(left), 0, -1):
        place, number = divmod(number, math.factorial(size - 1))
        found.append(left.pop(place))
    return found


def _released_answer(text: str) -> str:
    """A JSON list, or things with signs between them.

    Raises:
        ValueError: the text is none.
    """
    things = listed(text) or split_order(text)
    if len(things) < 2:
        raise ValueError(f"the answer {text[:40]!r} is no order of two things or more")
    return written_list([thing.strip() for thing in things])


def _stated(item: Item, text: str) -> str | None:
    value = read_careful_order(item, text).value
    return None if value is None else str(value)


def _oracle_text(item: Item, value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(list(value), ensure_ascii=False)


def _right_response(item: Item) -> str:
    """The options' letters, or the things with commas between them; as it is, where that can't be read."""
    things = listed(item.answer) or ()
    plain = [normalised(option) for option in item.options]
    said = ", ".join(item.letters[plain.index(normalised(thing))] if plain else thing for thing in things)
    reading = read_careful_order(item, said)
    right = reading.value is not None and lists.same_order(item, reading)
    return said if right else item.answer


def _demand(item: Item) -> str:
    if item.options:
        return "Answer with the letters of all options in the right order only, separated by commas."
    return "Answer with the names in the right order only, separated by commas."


KIND = ItemKind(
    name="order",
    title="an order",
    check=_check,
    read=read_careful_order,
    metric=lists.METRICS[0],
    chance=_chance,
    guesses=_guesses,
    oracle_text=_oracle_text,
    answer_text=lambda item: " → ".join(listed(item.answer) or ()),
    right_response=_right_response,
    demand=_demand,
    judge_request=lambda item: (
        "Reply with the order that the response gives, the first first, separated by commas, and nothing else."
    ),
    released_answer=_released_answer,
    answer_form=lambda item: "the letters in order" if item.options else "the names in order, separated by commas",
    stated_answer=_stated,
    asks_for="things in their order",
)
