"""Item kinds answered with a number, or with a text of a few words.

A number is a count, a length or an area, or a number whose unit the question doesn't say. A text question may accept
several answers: the answer is the accepted text as it is, or a JSON list of several.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from tolman.items import Item
from tolman.scoring.answer_values import accepted, listed, written_list
from tolman.scoring.item_kind import ItemKind, stated_by
from tolman.scoring.metrics import accuracy
from tolman.scoring.parse import read_careful, read_careful_words
from tolman.scoring.parse.commitments import REFUSAL

UNITS = {"m": "metres", "cm": "centimetres", "m2": "square metres"}
"""Units in words, as prompts say them; a count has none."""
AGREEMENT_MARGIN = 0.05
"""Numbers agree that differ by no more than this share of the one written down."""
_RELEASED = re.compile(r"\A\s*([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+]?\.\d+)\s*\Z")
_ROUNDING = 1e-9


def _check_number(item: Item) -> str:
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


def _number_oracle_text(item: Item, value: Any) -> str:
    return repr(float(value))


def _in_unit(item: Item, before: str) -> str:
    return f"{before}{UNITS[item.unit]}" if item.unit in UNITS else ""


def _number_guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return answers or ("0",)


def in_ascii_digits(text: str) -> str:
    """A text with the digits and separators of other scripts, such as '٣٫٥', in those of ASCII: '3.5'."""
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else _SEPARATORS.get(c, c) for c in text)


_SEPARATORS = {"٫": ".", "٬": ","}


def with_leading_zero(number: str) -> str:
    """A number that begins with its decimal point, such as '-.5', with the zero in front: '-0.5'."""
    return re.sub(r"\A([-+]?)\.(?=\d)", r"\g<1>0.", number)


def _released_number(text: str) -> str:
    """A number in ASCII digits, without thousands separators and plus sign.

    Raises:
        ValueError: the text is none.
    """
    match = _RELEASED.match(in_ascii_digits(text))
    if match is None:
        raise ValueError(f"the answer {text[:40]!r} is no number")
    return match[1].replace(",", "").removeprefix("+")


def _stated_number(item: Item, text: str) -> str | None:
    """Read a text that is a number alone, perhaps in brackets or with a full stop behind it."""
    number = text.rstrip("().").lstrip("()")  # the point in front of '.5' is a decimal point
    try:
        return with_leading_zero(_released_number(number))
    except ValueError:
        return None


def _states_number(item: Item, exact: Any, place: int | None) -> bool:
    decimals = len(item.answer.partition(".")[2])
    return item.float_answer == round(float(exact), decimals)


NUMBER = ItemKind(
    name="number",
    title="number",
    check=_check_number,
    read=read_careful,
    metric=accuracy.RELATIVE_ACCURACIES[0],
    guesses=_number_guesses,
    oracle_text=_number_oracle_text,
    demand=lambda item: f"Answer with a single number{_in_unit(item, ' of ')} only.",
    judge_request=lambda item: (
        f"Reply with the number that the response gives as its answer{_in_unit(item, ', in ')}, and nothing else."
    ),
    is_graded=True,
    alike=True,
    widget="number",
    released_answer=_released_number,
    answer_form=lambda item: "a single number",
    stated_answer=_stated_number,
    agree=_agree,
    magnitude=lambda item: item.float_answer,
    states=_states_number,
    error=lambda item, exact: item.float_answer - float(exact),
    asks_for="a number",
)


def _check_text(item: Item) -> str:
    if item.options:
        return "a question that is answered in words has no options"
    if not all(text.strip() for text in accepted(item.answer)):
        return "an accepted answer is empty"
    said = read_careful_words(item, item.answer)
    if said.value is None and said.note != REFUSAL:  # "I can't see it" is right where a question's premise is false
        return f"the answer {item.answer[:40]!r} holds none that can be read ({said.note})"
    return ""


def _accepted_text(item: Item) -> str:
    return " or ".join(accepted(item.answer))


def _released_text(text: str) -> str:
    """A text, or a JSON list of them, without white space around them and without those that come twice.

    Raises:
        ValueError: there is none.
    """
    found = tuple(dict.fromkeys(one.strip() for one in listed(text) or (text,) if one.strip()))
    if not found:
        raise ValueError("the answer is empty")
    return found[0] if len(found) == 1 and listed(found[0]) is None else written_list(found)


TEXT = ItemKind(
    name="text",
    title="a few words",
    check=_check_text,
    read=read_careful_words,
    metric=accuracy.TEXT_METRICS[0],
    answer_text=_accepted_text,
    right_response=lambda item: accepted(item.answer)[0],
    guesses=lambda item, answers: answers or ("nothing",),
    demand=lambda item: "Answer with a single word or a short phrase only.",
    judge_request=lambda item: "Reply with the answer that the response gives, in as few of its words as say it.",
    alike=True,
    released_answer=_released_text,
    answer_form=lambda item: "a word or a short phrase",
    stated_answer=partial(stated_by, read_careful_words),
    asks_for="a few words",
)


ITEM_KINDS = {"number": NUMBER, "text": TEXT}
