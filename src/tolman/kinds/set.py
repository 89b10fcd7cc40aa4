"""A set of things: some of the item's options, or things in the answer's own words.

The answer is a JSON list of texts, in any order; it may be empty. With options, the texts are theirs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from typing import Any

from tolman.items import Item
from tolman.scoring.answer_texts import listed, normalised, written_list
from tolman.scoring.item_kind import ItemKind
from tolman.scoring.metrics import lists
from tolman.scoring.parse import read_careful_set
from tolman.scoring.parse.orders import split_order

MOST_GUESSED_OPTIONS = 10
"""Options of which all sets are drawn from, at most; of more, as many sets spread evenly over all."""


def _check(item: Item) -> str:
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


def _chance(item: Item) -> float:
    return 0.5 ** len(item.options) if item.options else 0.0


def _guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
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


def _released_answer(text: str) -> str:
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


def _stated(item: Item, text: str) -> str | None:
    value = read_careful_set(item, text).value
    return None if value is None else str(value)


def _oracle_text(item: Item, value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(sorted(value), ensure_ascii=False)


def _right_response(item: Item) -> str:
    """The options' letters, or the things with commas between them; as it is, where that can't be read."""
    things = listed(item.answer) or ()
    plain = [normalised(option) for option in item.options]
    said = ", ".join(item.letters[plain.index(normalised(thing))] if plain else thing for thing in things) or "none"
    reading = read_careful_set(item, said)
    right = reading.value is not None and lists.same_set(item, reading)
    return said if right else item.answer


def _demand(item: Item) -> str:
    if item.options:
        return "Answer with the letters of all options that are right only, separated by commas, or with none."
    return "Answer with the names only, separated by commas, or with none."


KIND = ItemKind(
    name="set",
    title="a set",
    check=_check,
    read=read_careful_set,
    metric=next(metric for metric in lists.METRICS if metric.name == "set-accuracy"),
    chance=_chance,
    guesses=_guesses,
    oracle_text=_oracle_text,
    answer_text=lambda item: ", ".join(listed(item.answer) or ()) or "none",
    right_response=_right_response,
    demand=_demand,
    judge_request=lambda item: (
        "Reply with all the things that the response answers, separated by commas, or with none, and nothing else."
    ),
    released_answer=_released_answer,
    answer_form=lambda item: "the letters of all that are right" if item.options else "the names, with commas, or none",
    stated_answer=_stated,
    asks_for="one or more things",
)
