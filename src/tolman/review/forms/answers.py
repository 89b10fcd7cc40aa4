"""An answer to a question: reading it from a form."""

from __future__ import annotations

import re

from tolman.items import Item

_NUMBER = re.compile(r"[+-]?(\d{1,9}([.,]\d{0,9})?|[.,]\d{1,9})")


class AnswerError(Exception):
    """The form holds no answer; the text is one sentence for whoever sent it."""


def read_answer(item: Item, text: str) -> str:
    """An option's letter, or a number as people write it, its decimal comma made a point.

    Raises:
        AnswerError: it is neither.
    """
    text = text.strip()
    if item.kind == "choice":
        if len(text) != 1 or text not in item.letters:
            raise AnswerError("Choose one of the options.")
        return text
    if not is_number(text):
        raise AnswerError("Give a number in digits, such as 3 or 2.5.")
    return text.replace(",", ".")


def is_number(text: str) -> bool:
    """Tell whether a text is a number as people write it."""
    return _NUMBER.fullmatch(text) is not None
