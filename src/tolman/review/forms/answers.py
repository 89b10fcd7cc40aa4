"""An answer to a question: reading it from a form, showing it, and answers as labels.

What differs between item kinds is theirs (`tolman.kinds`); what differs between the controls that they name as their
widget is here, one entry of a table for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tolman.items import Item
from tolman.kinds import kind_of
from tolman.scoring.item_kind import states_as_written

CHOICES, WORDS = "choices", "words"
_NUMBER = re.compile(r"[+-]?(\d{1,9}([.,]\d{0,9})?|[.,]\d{1,9})")


class AnswerError(Exception):
    """The form holds no answer; the text is one sentence for whoever sent it."""


@dataclass(frozen=True)
class Widget:
    """What follows from the control with which a person answers.

    Attributes:
        read: (item, what was entered, without white space around it) → the answer as it is stored. Raises AnswerError.
        group: of answers that coefficients of agreement count as labels, `CHOICES` or `WORDS`; '' where they are none.
        is_free: whether the same answer can be written in several ways.
    """

    read: Callable[[Item, str], str]
    group: str = ""
    is_free: bool = False


def _chosen(item: Item, text: str) -> str:
    if text not in kind_of(item).choices(item):
        raise AnswerError("Choose one of the options.")
    return text


def _number(item: Item, text: str) -> str:
    if not is_number(text):
        raise AnswerError("Give a number in digits, such as 3 or 2.5.")
    return text.replace(",", ".")


def _words(item: Item, text: str) -> str:
    if not text:
        raise AnswerError("Write an answer.")
    return text


def _marked(item: Item, text: str) -> str:
    if not text:
        raise AnswerError("Mark the answer in the picture, or write its coordinates.")
    return text


WIDGETS: Mapping[str, Widget] = {
    "choice": Widget(_chosen, CHOICES),
    "number": Widget(_number),
    "text": Widget(_words, WORDS, is_free=True),
    "points": Widget(_marked, is_free=True),
    "boxes": Widget(_marked, is_free=True),
}


def widget_of(item: Item) -> Widget:
    """The widget that an item's kind names."""
    return WIDGETS[kind_of(item).widget]


def read_answer(item: Item, text: str) -> str:
    """The answer that a form holds, as it is stored: an option's letter, a number with its decimal comma made a point,
    or what else an item of this kind can have as its answer, in the form that its kind gives it.

    Raises:
        AnswerError: it is none; where the item's kind says what is wrong with it, in its words.
    """
    kind, widget = kind_of(item), WIDGETS[kind_of(item).widget]
    answer = widget.read(item, text.strip())
    try:
        stated = kind.stated_answer(item, answer) if widget.is_free else answer
        if stated is None and not states_as_written(kind):
            note = kind.read(item, answer).note
            raise AnswerError(f"That is no answer that can be read{': ' if note else ''}{note}.")
        answer = answer if stated is None else stated
        problem = kind.check(item.model_copy(update={"answer": answer}))
        if not problem and stated is None:
            problem = kind.read(item, answer).note or f"'{answer}' is no answer that can be read"
    except ValueError as error:
        problem = str(error) or f"'{answer}' is no answer"
    if problem:
        raise AnswerError(f"{problem[:1].upper()}{problem[1:].rstrip('.')}.")
    return answer


def shown_answer(item: Item, answer: str) -> str:
    """An answer as pages show it: the letter beside the options, else in words."""
    kind = kind_of(item)
    return answer if kind.has_letters else kind.answer_text(item.model_copy(update={"answer": answer}))


def agree(item: Item, first: str, second: str) -> bool:
    """Tell whether two answers say the same, as the item's kind compares them."""
    return kind_of(item).agree(item, first, second)


def is_same_label(item: Item, first: str, second: str) -> bool:
    """Tell whether two answers count as one: numbers where they are written alike, all others where they agree."""
    return first == second or (bool(widget_of(item).group) and agree(item, first, second))


def labels_of(item: Item, answers: Sequence[str]) -> list[str]:
    """Answers to an item as labels for coefficients of agreement: where one answer can be written in several ways, it
    is the first of those that agree."""
    if not widget_of(item).is_free:
        return list(answers)
    found: list[str] = []
    for answer in answers:
        found.append(next((label for label in dict.fromkeys(found) if is_same_label(item, label, answer)), answer))
    return found


def is_number(text: str) -> bool:
    """Tell whether a text is a number as people write it."""
    return _NUMBER.fullmatch(text) is not None
