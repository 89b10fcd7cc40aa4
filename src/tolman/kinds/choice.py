"""Multiple choice: the answer is the letter of an option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tolman.items import LETTERS, Item
from tolman.scoring.item_kind import ItemKind
from tolman.scoring.metrics import accuracy
from tolman.scoring.parse import read_careful


def _check(item: Item) -> str:
    if not 2 <= len(item.options) <= len(LETTERS):
        return f"a choice needs 2 to {len(LETTERS)} options, here are {len(item.options)}"
    if item.answer not in item.letters:
        return f"the answer {item.answer!r} is none of the options {', '.join(item.letters)}"
    return ""


def _letter_of(item: Item, value: Any) -> str:
    """The letter of an option, named by its place from 0 or by its text.

    Raises:
        ValueError: there is no such option.
    """
    if isinstance(value, int):
        return item.letters[value]
    if value not in item.options:
        raise ValueError(f"'{value}' is none of the options")
    return item.letters[item.options.index(value)]


def _guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return item.letters


def _stated_letter(item: Item, text: str) -> str | None:
    letter = text.strip("().").strip().upper()
    return letter if letter in tuple(item.letters) else None


def _same_letter(item: Item, first: str, second: str) -> bool:
    return first == second


def nearest_option(item: Item, exact: float | str) -> str:
    """The text of the option that an exact answer means: itself, or of numerical options the nearest.

    Raises:
        ValueError: the answer is a number, and an option is none.
    """
    if isinstance(exact, str):
        return exact
    return min(item.options, key=lambda option: abs(float(option) - exact))


def _states(item: Item, exact: Any, place: int | None) -> bool:
    if place is not None:
        return item.letters[place] == item.answer
    return nearest_option(item, exact) == item.answer_text


KIND = ItemKind(
    name="choice",
    title="multiple choice",
    check=_check,
    read=read_careful,
    metric=accuracy.METRIC,
    chance=lambda item: 1 / len(item.options),
    guesses=_guesses,
    oracle_text=_letter_of,
    answer_text=lambda item: item.options[item.letters.index(item.answer)],
    demand=lambda item: "Answer with the option's letter only.",
    judge_request=lambda item: "Reply with the letter of the option that the response chooses, and nothing else.",
    has_letters=True,
    alike=True,
    widget="choice",
    answer_form=lambda item: "the letter of one option",
    stated_answer=_stated_letter,
    agree=_same_letter,
    states=_states,
    asks_for="one of some options",
)
