"""Yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tolman.items import Item
from tolman.scoring.item_kind import ItemKind
from tolman.scoring.metrics import yes_no
from tolman.scoring.parse import read_careful
from tolman.scoring.reading import ParsedAnswer

ANSWERS = ("yes", "no")
_BARE = re.compile(r"\s*(yes|no)\.?\s*", re.IGNORECASE)
_RELEASED = {"yes": "yes", "y": "yes", "true": "yes", "1": "yes", "no": "no", "n": "no", "false": "no", "0": "no"}


def _check(item: Item) -> str:
    if item.options:
        return "a yes-or-no question has no options"
    return "" if item.answer in ANSWERS else f"the answer {item.answer[:40]!r} is neither yes nor no"


def _read(item: Item, text: str) -> ParsedAnswer:
    """The careful reader's languages and rules, with the two words as options."""
    bare = _BARE.fullmatch(text)
    if bare is not None:
        return ParsedAnswer(bare[1].lower(), span=bare.span(1), rule="alone")
    found = read_careful(item.model_copy(update={"kind": "choice", "options": ANSWERS, "answer": "A"}), text)
    if found.span is not None and text[slice(*found.span)].strip().isdigit():
        return ParsedAnswer(None, note="a number is neither yes nor no")
    return found if found.value is None else replace(found, value=ANSWERS["AB".index(str(found.value))])


def _released_answer(text: str) -> str:
    """Yes or no, also as true and false or 1 and 0.

    Raises:
        ValueError: the text is neither.
    """
    found = _RELEASED.get(text.strip().strip(".!").casefold())
    if found is None:
        raise ValueError(f"the answer {text[:40]!r} is neither yes nor no")
    return found


def _oracle_text(item: Item, value: Any) -> str:
    """
    Raises:
        ValueError: geometry gives neither.
    """
    return ANSWERS[not value] if isinstance(value, bool) else _released_answer(str(value))


def _stated(item: Item, text: str) -> str | None:
    value = _read(item, text).value
    return None if value is None else str(value)


def _guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return ANSWERS


KIND = ItemKind(
    name="yes-no",
    title="yes or no",
    check=_check,
    read=_read,
    metric=yes_no.METRIC,
    chance=lambda item: 1 / len(ANSWERS),
    guesses=_guesses,
    oracle_text=_oracle_text,
    demand=lambda item: "Answer with yes or no only.",
    judge_request=lambda item: "Reply with yes or no, whichever the response says, and nothing else.",
    alike=True,
    widget="choice",
    choices=lambda item: ANSWERS,
    released_answer=_released_answer,
    answer_form=lambda item: "yes or no",
    stated_answer=_stated,
    agree=lambda item, first, second: first == second,
    asks_for="yes or no",
)
