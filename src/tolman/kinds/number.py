"""A number: a count, a length or an area, or a number whose unit the question doesn't say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tolman.items import Item
from tolman.scoring.item_kind import ItemKind
from tolman.scoring.metrics import mra
from tolman.scoring.parse import read_careful

UNITS = {"m": "metres", "cm": "centimetres", "m2": "square metres"}
"""Units in words, as prompts say them; a count has none."""
AGREEMENT_MARGIN = 0.05
"""Numbers agree that differ by no more than this share of the one written down."""
_RELEASED = re.compile(r"\A\s*([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+]?\.\d+)\s*\Z")
_STATED = re.compile(r"-?\d+(?:\.\d+)?")
_ROUNDING = 1e-9


def _check(item: Item) -> str:
    if item.options:
        return "a number question has no options"
    try:
        float(item.exact_answer)
    except (ValueError, ZeroDivisionError, OverflowError):
        return f"the answer {item.answer!r} is no number"
    return ""


def _agree(item: Item, first: str, second: str) -> bool:
    difference = abs(float(Fraction(first)) - float(Fraction(second)))
    return difference <= AGREEMENT_MARGIN * abs(item.float_answer) + _ROUNDING


def _oracle_text(item: Item, value: Any) -> str:
    return repr(float(value))


def _in_unit(item: Item, before: str) -> str:
    return f"{before}{UNITS[item.unit]}" if item.unit in UNITS else ""


def _guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return answers or ("0",)


def _released_answer(text: str) -> str:
    """A number without thousands separators and plus sign.

    Raises:
        ValueError: the text is none.
    """
    match = _RELEASED.match(text)
    if match is None:
        raise ValueError(f"the answer {text[:40]!r} is no number")
    return match[1].replace(",", "").removeprefix("+")


def _stated_number(item: Item, text: str) -> str | None:
    number = text.strip("().").strip()
    return number if _STATED.fullmatch(number) else None


def _states(item: Item, exact: Any, place: int | None) -> bool:
    decimals = len(item.answer.partition(".")[2])
    return item.float_answer == round(float(exact), decimals)


KIND = ItemKind(
    name="number",
    title="number",
    check=_check,
    read=read_careful,
    metric=mra.METRICS[0],
    guesses=_guesses,
    oracle_text=_oracle_text,
    demand=lambda item: f"Answer with a single number{_in_unit(item, ' of ')} only.",
    judge_request=lambda item: (
        f"Reply with the number that the response gives as its answer{_in_unit(item, ', in ')}, and nothing else."
    ),
    is_graded=True,
    alike=True,
    widget="number",
    released_answer=_released_answer,
    answer_form=lambda item: "a single number",
    stated_answer=_stated_number,
    agree=_agree,
    magnitude=lambda item: item.float_answer,
    states=_states,
    error=lambda item, exact: item.float_answer - float(exact),
    asks_for="a number",
)
