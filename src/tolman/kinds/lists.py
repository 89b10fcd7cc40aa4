"""Item kinds answered with several things: an order, or a set.

They are the item's options, or things in the answer's own words. The answer is a JSON list of texts. In an order the
first thing comes first, and with options all their texts are there. A set may be in any order, and may be empty.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import compress
from typing import Any

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer, listed, normalised, written_list
from tolman.scoring.item_kind import ItemKind, stated_by
from tolman.scoring.metrics import accuracy
from tolman.scoring.parse import read_careful_order, read_careful_set
from tolman.scoring.parse.option_sequences import split_order

MOST_GUESSES = 720
"""Orders that a random answer is drawn from, at most: of more, so many spread evenly over all."""


def _check_order(item: Item) -> str:
    things = listed(item.answer)
    if things is None or len(things) < 2:
        return f"the answer {item.answer[:40]!r} is no list of two things or more (a JSON list of texts)"
    if item.options:
        if len(set(map(normalised, item.options))) < len(item.options):
            return "two options are the same"
        if sorted(map(normalised, things)) != sorted(map(normalised, item.options)):
            return "the order doesn't have each option once"
    return ""


def _order_chance(item: Item) -> float:
    return 1 / math.factorial(len(item.options)) if item.options else 0.0


def _order_guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
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


def _released_order(text: str) -> str:
    """A JSON list, or things with signs between them.

    Raises:
        ValueError: the text is none.
    """
    things = listed(text) or split_order(text)
    if len(things) < 2:
        raise ValueError(f"the answer {text[:40]!r} is no order of two things or more")
    return written_list([thing.strip() for thing in things])


def _order_oracle_text(item: Item, value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(list(value), ensure_ascii=False)


def _right_response(
    read: Callable[[Item, str], ParsedAnswer], is_right: Callable[[Item, ParsedAnswer], float], item: Item
) -> str:
    """The options' letters, or the things with commas between them; as it is, where that can't be read."""
    things = listed(item.answer) or ()
    plain = [normalised(option) for option in item.options]
    said = ", ".join(item.letters[plain.index(normalised(thing))] if plain else thing for thing in things) or "none"
    reading = read(item, said)
    return said if reading.value is not None and is_right(item, reading) else item.answer


def _order_demand(item: Item) -> str:
    if item.options:
        return "Answer with the letters of all options in the right order only, separated by commas."
    return "Answer with the names in the right order only, separated by commas."


ORDER = ItemKind(
    name="order",
    title="an order",
    check=_check_order,
    read=read_careful_order,
    metric=accuracy.LIST_METRICS[0],
    chance=_order_chance,
    guesses=_order_guesses,
    oracle_text=_order_oracle_text,
    answer_text=lambda item: " → ".join(listed(item.answer) or ()),
    right_response=partial(_right_response, read_careful_order, accuracy.same_order),
    demand=_order_demand,
    judge_request=lambda item: (
        "Reply with the order that the response gives, the first first, separated by commas, and nothing else."
    ),
    released_answer=_released_order,
    answer_form=lambda item: "the letters in order" if item.options else "the names in order, separated by commas",
    stated_answer=partial(stated_by, read_careful_order),
    asks_for="things in their order",
)


MOST_GUESSED_OPTIONS = 10
"""Options of which all sets are drawn from, at most; of more, as many sets spread evenly over all."""


def _check_set(item: Item) -> str:
    things = listed(item.answer)
    if things is None:
        return f"the answer {item.answer[:40]!r} is no list of things (a JSON list of texts)"
    plain = [normalised(thing) for thing in things]
    if "" in plain or len(set(plain)) < len(plain):
        return "a thing of the set is empty or comes twice"
    if item.options:
        options = [normalised(option) for option in item.options]
        if len(set(options)) < len(options):
            return "two options are the same"
        foreign = next((thing for thing in things if normalised(thing) not in options), None)
        if foreign is not None:
            return f"{foreign[:40]!r} is none of the options"
    return ""


def _set_chance(item: Item) -> float:
    return 0.5 ** len(item.options) if item.options else 0.0


def _set_guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return sets_of(item.options) if item.options else answers or ("[]",)


@lru_cache(maxsize=64)
def sets_of(options: tuple[str, ...]) -> tuple[str, ...]:
    """The sets of some options as JSON lists: all, or of more than `MOST_GUESSED_OPTIONS` options as many as those
    have."""
    total = 1 << len(options)
    count = min(total, 1 << MOST_GUESSED_OPTIONS)
    numbers = (i * total // count for i in range(count))
    return tuple(
        written_list(list(compress(options, (number >> bit & 1 for bit in range(len(options)))))) for number in numbers
    )


def _released_set(text: str) -> str:
    """A JSON list, or things with signs between them; 'none' for no thing.

    Raises:
        ValueError: the text is empty.
    """
    things = listed(text)
    if things is None:
        things = () if normalised(text) in ("none", "nothing") else split_order(text)
        if not things and normalised(text) not in ("none", "nothing"):
            raise ValueError("the answer is empty")
    return written_list([thing.strip() for thing in things])


def _set_oracle_text(item: Item, value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(sorted(value), ensure_ascii=False)


def _set_demand(item: Item) -> str:
    if item.options:
        return "Answer with the letters of all options that are right only, separated by commas, or with none."
    return "Answer with the names only, separated by commas, or with none."


SET = ItemKind(
    name="set",
    title="a set",
    check=_check_set,
    read=read_careful_set,
    metric=next(metric for metric in accuracy.LIST_METRICS if metric.name == "set-accuracy"),
    chance=_set_chance,
    guesses=_set_guesses,
    oracle_text=_set_oracle_text,
    answer_text=lambda item: ", ".join(listed(item.answer) or ()) or "none",
    right_response=partial(_right_response, read_careful_set, accuracy.same_set),
    demand=_set_demand,
    judge_request=lambda item: (
        "Reply with all the things that the response answers, separated by commas, or with none, and nothing else."
    ),
    released_answer=_released_set,
    answer_form=lambda item: "the letters of all that are right" if item.options else "the names, with commas, or none",
    stated_answer=partial(stated_by, read_careful_set),
    asks_for="one or more things",
)


ITEM_KINDS = {"order": ORDER, "set": SET}
