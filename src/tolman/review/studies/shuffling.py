"""Shuffling: the order of somebody's questions, and that of a question's options, both drawn from the study's seed."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import TypeVar

from tolman.items import LETTERS, Item
from tolman.kinds import kind_of

T = TypeVar("T")
_POINTS_ELSEWHERE = re.compile(
    r"\b(all|none|neither|both|any|either)\b.*\b(above|below|these|options?|of (them|the))\b|^(neither|both|none|all)\b"
    r"|\b(options?|answers?|choices?)\s+\(?[A-Z1-9]\b|^\(?[A-Z]\)?(\s*(,|and|or|&|\+)\s*\(?[A-Z]\)?)+$",
    re.IGNORECASE,
)
"""Options that speak of others, and would speak of others still after a shuffle."""


def shuffled(things: Sequence[T], *seed: object) -> list[T]:
    """Some things in an order that the seed draws."""
    order = list(things)
    random.Random(":".join(map(str, seed))).shuffle(order)
    return order


def option_order(item: Item, *seed: object) -> tuple[int, ...] | None:
    """An order of an item's options: for each new place the old one, from 0.

    None where the order must stay: the answer is no letter, or an option speaks of the others ("none of the above").
    """
    if not kind_of(item).has_letters or len(item.options) < 2:
        return None
    if any(_POINTS_ELSEWHERE.search(option.strip()) for option in item.options):
        return None
    return tuple(shuffled(range(len(item.options)), "options", *seed))


def true_answer(order: Sequence[int] | None, shown: str) -> str:
    """The letter that an answer to a shuffled question has in the question as it is stored."""
    if order is None or len(shown) != 1 or shown not in LETTERS[: len(order)]:
        return shown
    return LETTERS[order[LETTERS.index(shown)]]


def shown_answer(order: Sequence[int] | None, true: str) -> str:
    """The letter under which a shuffled question shows an answer: the inverse of `true_answer`."""
    if order is None or len(true) != 1 or true not in LETTERS[: len(order)]:
        return true
    return LETTERS[list(order).index(LETTERS.index(true))]


def with_checks(questions: Sequence[T], checks: Sequence[T], *seed: object) -> list[T]:
    """Questions with others among them: spread evenly, each at a random place of its share, never the very first where
    there is room for another."""
    found = list(questions)
    n = len(found)
    drawn = random.Random(":".join(map(str, ("checks", *seed))))
    places = []
    for k in range(len(checks)):
        low, high = k * n // len(checks), max((k + 1) * n // len(checks), k * n // len(checks) + 1)
        places.append(max(1, drawn.randrange(low, high)) if n else 0)
    for place, check in sorted(zip(places, shuffled(checks, "which", *seed), strict=True), key=lambda p: -p[0]):
        found.insert(min(place, len(found)), check)
    return found
