"""Item kinds answered in writing: one of a few choices (multiple choice, yes or no), a number, a text, or a list.

The answer to a multiple choice is the letter of an option. A number is a count, a length or an area, or a number whose
unit the question doesn't say. A text question may accept several answers: the answer is the accepted text as it is, or
a JSON list of several. The things of an order or a set are the item's options, or things in the answer's own words;
their answer is a JSON list of texts. In an order the first thing comes first, and with options all their texts are
there. A set may be in any order, and may be empty.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Any

from tolman.extras import LazyModule
from tolman.items import BY_WORDS, LETTERS, Item, plain_words
from tolman.scoring.answer_values import ParsedAnswer, accepted, listed, normalised, written_list
from tolman.scoring.item_kind import ItemKind, stated_by
from tolman.scoring.metrics import accuracy
from tolman.scoring.parse import read_careful, read_careful_order, read_careful_set, read_careful_words
from tolman.scoring.parse.commitments import REFUSAL

if TYPE_CHECKING:
    from tolman.scoring.parse import option_sequences
else:  # only answers that are orders or sets need it
    option_sequences = LazyModule("tolman.scoring.parse.option_sequences")


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
_YES_OR_NO = {"yes": "yes", "y": "yes", "true": "yes", "1": "yes", "no": "no", "n": "no", "false": "no", "0": "no"}


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
    found = _YES_OR_NO.get(text.strip().strip(".!").casefold())
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


UNITS = {"m": "metres", "cm": "centimetres", "m2": "square metres"}
"""Units in words, as prompts say them; a count has none."""
AGREEMENT_MARGIN = 0.05
"""Numbers agree that differ by no more than this share of the one written down."""
_RELEASED_NUMBER = re.compile(r"\A\s*([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+]?\.\d+)\s*\Z")
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
    match = _RELEASED_NUMBER.match(in_ascii_digits(text))
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
    things = listed(text) or option_sequences.split_order(text)
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
"""Sets are drawn from all combinations of at most this many options; of more, as many sets spread evenly over all."""


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
        things = () if normalised(text) in ("none", "nothing") else option_sequences.split_order(text)
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


ITEM_KINDS = {"choice": CHOICE, "yes-no": YES_NO, "number": NUMBER, "text": TEXT, "order": ORDER, "set": SET}
