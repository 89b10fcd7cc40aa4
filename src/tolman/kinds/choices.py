"""Item kinds answered with one of a few choices: multiple choice, and yes or no.

The answer to a multiple choice is the letter of an option.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tolman.items import BY_WORDS, LETTERS, Item, plain_words
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.item_kind import ItemKind, stated_by
from tolman.scoring.metrics import accuracy
from tolman.scoring.parse import read_careful


def _check_choice(item: Item) -> str:
    if not 2 <= len(item.options) <= len(LETTERS):
        return f"a choice needs 2 to {len(LETTERS)} options, not {len(item.options)}"
    if item.answer not in item.letters:
        return f"the answer {item.answer!r} is none of the options {', '.join(item.letters)}"
    return ""


def _read_choice(item: Item, text: str) -> ParsedAnswer:
    reading = read_careful(item if BY_WORDS not in item.evidence else _told_apart(item, last=False), text)
    if reading.value is None and BY_WORDS in item.evidence:
        return read_careful(_told_apart(item, last=True), text)
    return reading


def _told_apart(item: Item, *, last: bool) -> Item:
    """The item with one of each set of equal options; the others are called by their letters."""
    words = [plain_words(option) for option in item.options]
    seen = words[::-1] if last else words
    kept = {word: len(words) - 1 - seen.index(word) if last else seen.index(word) for word in words}
    options = (
        option if kept[word] == place else f"option {item.letters[place]}"
        for place, (word, option) in enumerate(zip(words, item.options, strict=True))
    )
    return item.model_copy(update={"options": tuple(options)})


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


def _choice_guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return item.letters


def _stated_letter(item: Item, text: str) -> str | None:
    letter = text.strip("().").strip().upper()
    return letter if letter in tuple(item.letters) else None


def _same_letter(item: Item, first: str, second: str) -> bool:
    return first == second or (BY_WORDS in item.evidence and {first, second} <= set(item.right_letters))


def nearest_option(item: Item, exact: float | str) -> str:
    """The text of the option that an exact answer means: itself, or of numerical options the nearest.

    Raises:
        ValueError: the answer is a number, and an option is none.
    """
    if isinstance(exact, str):
        return exact
    return min(item.options, key=lambda option: abs(float(option) - exact))


def _states_choice(item: Item, exact: Any, place: int | None) -> bool:
    if place is not None:
        return item.letters[place] in item.right_letters
    return nearest_option(item, exact) == item.answer_text


CHOICE = ItemKind(
    name="choice",
    title="multiple choice",
    check=_check_choice,
    read=_read_choice,
    metric=accuracy.ACCURACY,
    chance=lambda item: (len(item.right_letters) if BY_WORDS in item.evidence else 1) / len(item.options),
    guesses=_choice_guesses,
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
    states=_states_choice,
    asks_for="one of some options",
)


ANSWERS = ("yes", "no")
_PLACES = ("a", "b")
"""What the reader of choices takes for the first or second answer; "a vase" is none."""
_BARE = re.compile(r"\s*(yes|no)\.?\s*", re.IGNORECASE)
_RELEASED = {"yes": "yes", "y": "yes", "true": "yes", "1": "yes", "no": "no", "n": "no", "false": "no", "0": "no"}


def _check_yes_no(item: Item) -> str:
    if item.options:
        return "a yes-or-no question has no options"
    return "" if item.answer in ANSWERS else f"the answer {item.answer[:40]!r} is neither yes nor no"


def _read_yes_no(item: Item, text: str) -> ParsedAnswer:
    """The careful reader's languages and rules, with the two words as options."""
    bare = _BARE.fullmatch(text)
    if bare is not None:
        return ParsedAnswer(bare[1].lower(), span=bare.span(1), rule="alone")
    found = read_careful(item.model_copy(update={"kind": "choice", "options": ANSWERS, "answer": "A"}), text)
    said = text[slice(*found.span)].strip() if found.span is not None else ""
    if said.isdigit() or said.casefold() in _PLACES:
        return ParsedAnswer(None, note="a number or a letter is neither yes nor no")
    return found if found.value is None else replace(found, value=ANSWERS["AB".index(str(found.value))])


def _released_yes_no(text: str) -> str:
    """Yes or no, also as true and false or 1 and 0.

    Raises:
        ValueError: the text is neither.
    """
    found = _RELEASED.get(text.strip().strip(".!").casefold())
    if found is None:
        raise ValueError(f"the answer {text[:40]!r} is neither yes nor no")
    return found


def _yes_no_oracle_text(item: Item, value: Any) -> str:
    """
    Raises:
        ValueError: geometry gives neither.
    """
    return ANSWERS[not value] if isinstance(value, bool) else _released_yes_no(str(value))


def _yes_no_guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return ANSWERS


YES_NO = ItemKind(
    name="yes-no",
    title="yes or no",
    check=_check_yes_no,
    read=_read_yes_no,
    metric=accuracy.YES_NO_ACCURACY,
    chance=lambda item: 1 / len(ANSWERS),
    guesses=_yes_no_guesses,
    oracle_text=_yes_no_oracle_text,
    demand=lambda item: "Answer with yes or no only.",
    judge_request=lambda item: "Reply with yes or no, whichever the response says, and nothing else.",
    alike=True,
    widget="choice",
    choices=lambda item: ANSWERS,
    released_answer=_released_yes_no,
    answer_form=lambda item: "yes or no",
    stated_answer=partial(stated_by, _read_yes_no),
    agree=lambda item, first, second: first == second,
    asks_for="yes or no",
)


ITEM_KINDS = {"choice": CHOICE, "yes-no": YES_NO}
