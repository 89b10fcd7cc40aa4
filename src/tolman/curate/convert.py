"""Open-ended questions → multiple choice (SITE, section 4.1: "we standardize all tasks to a multiple-choice format").

Distractors of numbers are within bounds around the answer, or are other answers of the same question set. Those of
texts are other answers of the same question set, or a model's. The result is checked: no two options are the same, and
no distractor is a second right answer. For a number that means a distance of at least `margin` times the answer
between any two options. For a text, no option may be a paraphrase of another, judged by its words (`too_close`). If a
model is named, it must call no distractor right.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tolman.curate.candidates import TEXT, Candidate
from tolman.generate.distractors import Dealer, numeric_options, placed, whole_options
from tolman.items import LETTERS, MEDIA_MARK
from tolman.kinds.written_kinds import in_ascii_digits

KEPT_ANSWERS = 2_000
"""Different answers that are remembered for each question type."""
LONGEST = 40  # words of an answer that can be an option
LONGEST_NUMBER = 15  # characters: a longer one is no measure
_CLOSED = ({"yes", "no"}, {"true", "false"})
_TEXT_NUMBER = re.compile(r"\A(?P<before>[^\d]{0,24}?)(?P<number>\d+(?:\.\d+)?)(?P<after>[^\d]{0,24})\Z")
_ARTICLES = {"a", "an", "the", "it", "is", "its", "of", "and", "to", "s"}
_COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WORD_NUMBERS = {word: str(n) for n, word in enumerate(_COUNTED)}


class ConvertRules(BaseModel):
    """Settings of the conversion of open-ended questions to multiple choice.

    Attributes:
        numbers: distractors of numbers from 'bounds', or from the question set's own 'answers' (from bounds where
            these don't suffice); 'keep' leaves numerical questions as they are.
        texts: distractors of texts from the question set's own 'answers', or from the 'model'; 'drop' leaves such
            questions out.
        options: how many a question gets.
        margin: the least distance of any two numerical options, as a share of the answer.
        lower, upper: bounds of numerical distractors, as shares of the answer.
        alike: the share of words that two texts may have in common.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    numbers: Literal["bounds", "answers", "keep"] = "bounds"
    texts: Literal["answers", "model", "drop"] = "answers"
    options: int = Field(default=4, ge=2, le=10)
    margin: str = Field(default="0.20", pattern=r"^0?\.\d+$")
    lower: str = Field(default="0.25", pattern=r"^\d*\.?\d+$")
    upper: str = Field(default="1.75", pattern=r"^\d*\.?\d+$")
    alike: float = Field(default=0.6, gt=0, le=1)


@dataclass
class Bank:
    """The answers that a pool's open-ended questions have, by question set, type and the question's first words.

    All are added before the first is drawn.
    """

    answers: dict[tuple[str, ...], dict[str, None]] = field(default_factory=dict)
    _sorted: dict[tuple[str, ...], list[str]] = field(default_factory=dict)

    def add(self, candidate: Candidate) -> None:
        """Remember an answer."""
        if not converts(candidate):
            return
        for key in _bank_keys(candidate):
            known = self.answers.setdefault(key, {})
            if len(known) < KEPT_ANSWERS:
                known[candidate.answer] = None

    def drawn(self, candidate: Candidate, seed: str) -> Iterable[str]:
        """Other answers in a random order: of questions that begin alike first, then of all of the type."""
        seen = set()
        for key in _bank_keys(candidate):
            if key not in self._sorted:
                self._sorted[key] = sorted(self.answers.get(key, ()))
            for answer in _shuffled(self._sorted[key], random.Random(f"{seed}:{candidate.id}:{len(key)}")):
                if answer not in seen:
                    seen.add(answer)
                    yield answer


def _shuffled(things: Sequence[str], generator: random.Random) -> Iterator[str]:
    """Things in a random order, each drawn when it is asked for: few of many are."""
    moved: dict[int, int] = {}
    for i in range(len(things)):
        j = generator.randrange(i, len(things))
        yield things[moved.get(j, j)]
        moved[j] = moved.get(i, i)


@dataclass(frozen=True)
class Unconverted:
    """A question that can't become multiple choice, and why."""

    id: str
    reason: str


def convert(
    candidate: Candidate,
    rules: ConvertRules,
    bank: Bank,
    dealer: Dealer,
    seed: str,
    offered: Sequence[str] | None = None,
) -> Candidate | Unconverted:
    """A question in its multiple-choice form; one of another kind, or that may stay a number, as it is.

    Args:
        candidate: the question.
        rules: how it is done.
        bank: the pool's own answers.
        dealer: of the places of right options.
        seed: of all that is drawn.
        offered: a model's distractors, where the rules ask for them.
    """
    if not converts(candidate) or (candidate.kind == "number" and rules.numbers == "keep"):
        return candidate
    key = f"{seed}:{candidate.id}"
    if candidate.kind == "number":
        options, by = _numbers(candidate, rules, bank, key)
        if not options:
            return Unconverted(candidate.id, f"no distractors fit around the number {candidate.answer}")
        if not numbers_apart(options, rules.margin):
            return Unconverted(candidate.id, "two numerical options are within the margin of each other")
        stated = rules.margin
    else:
        options, by, reason = _texts(candidate, rules, bank, key, offered)
        if reason:
            return Unconverted(candidate.id, reason)
        stated = rules.margin if by == "bounds" else str(rules.alike)
    place = dealer.place(len(options))
    made = {"from": candidate.kind, "answer": candidate.answer, "by": by, "margin": stated}
    if candidate.unit:
        made["unit"] = candidate.unit
    changed: dict[str, Any] = {"kind": "choice", "unit": None, "verbatim": None, "answer": LETTERS[place], "also": ()}
    changed |= {"options": placed(options, place, f"{key}:order")}
    changed |= {"evidence": {**candidate.evidence, "converted": made}}
    return Candidate.model_validate(candidate.model_dump() | changed)


def converts(candidate: Candidate) -> bool:
    """Check whether a question is open-ended: a number or a free text. Those of other item kinds stay as they are."""
    return candidate.kind in ("number", TEXT)


def needs_model(candidate: Candidate, rules: ConvertRules) -> bool:
    """Check whether a model is to write the distractors."""
    if candidate.kind != TEXT or rules.texts != "model":
        return False
    return not _closed(candidate.answer) and _as_number(candidate.answer) is None


def numbers_apart(options: Sequence[str], margin: str) -> bool:
    """Check whether all numerical options differ by at least the margin.

    Args:
        options: decimal texts; the first is the right one.
        margin: as a share of the right one's size.
    """
    values = [Decimal(option) for option in options]
    least = abs(values[0]) * Decimal(margin)
    ordered = sorted(values)
    return all(b > a and b - a >= least for a, b in pairwise(ordered))


def too_close(first: str, second: str, alike: float) -> bool:
    """Check whether two answers may mean the same, judged by their words: the same words, one's words inside the
    other's, or a larger share in common than `alike`."""
    a, b = _words(first), _words(second)
    if not a or not b:
        return " ".join(first.casefold().split()) == " ".join(second.casefold().split())
    return a <= b or b <= a or len(a & b) / len(a | b) >= alike


def movable(candidate: Candidate) -> bool:
    """Check whether the options of a question may change their order: none refers to others or to a letter, and no
    other item is the same question in another order."""
    words = " ".join((candidate.question, *candidate.options))
    if all(re.fullmatch(r"\(?[A-Z][).]?", option.strip()) for option in candidate.options):
        return False  # letters that stand in the picture
    return candidate.all_of is None and candidate.verbatim is None and not _PLACE_WORDS.search(words)


_PLACE_WORDS = re.compile(
    r"\b(?:(?:all|none|both|any|either|neither) of (?:the )?(?:above|these|those|options|choices|them)|the above"
    r"|above options?"
    r"|(?:both|neither|either) \(?[A-H]\)? (?:and|or|nor) \(?[A-H]\)?|(?:option|choice|answer)s? \(?[A-H]\)?"
    r"|\([A-H]\)|(?:first|second|third|fourth|last|following) (?:option|choice))(?!\w)",
    re.IGNORECASE,
)


def _numbers(candidate: Candidate, rules: ConvertRules, bank: Bank, key: str) -> tuple[tuple[str, ...], str]:
    if rules.numbers == "answers":
        found = [candidate.answer]
        for answer in bank.drawn(candidate, key):
            if numbers_apart([*found, answer], rules.margin):
                found.append(answer)
            if len(found) == rules.options:
                return tuple(found), "answers"
    return _bounds(candidate.answer, candidate.unit in (None, "count"), rules, key), "bounds"


def _bounds(answer: str, whole: bool, rules: ConvertRules, key: str) -> tuple[str, ...]:
    if len(answer) > LONGEST_NUMBER:
        return ()
    answer = in_ascii_digits(answer)  # digits of another script would tell the right option
    value = Decimal(answer)
    if whole and value == value.to_integral_value():
        options = whole_options(int(value), key, margin=rules.margin, count=rules.options)
        return (answer, *options[1:]) if options else ()
    if value < 0:
        return tuple(f"-{text}" for text in _bounds(answer.removeprefix("-"), whole, rules, key))
    return numeric_options(answer, key, margin=rules.margin, lower=rules.lower, upper=rules.upper, count=rules.options)


def _texts(
    candidate: Candidate, rules: ConvertRules, bank: Bank, key: str, offered: Sequence[str] | None
) -> tuple[tuple[str, ...], str, str | None]:
    """The options, where the distractors came from, and why there are none."""
    answer = candidate.answer
    if closed := _closed(answer):
        return (answer, closed), "closed", None
    number = _as_number(answer)
    if number is not None:
        before, value, after = number
        whole = "." not in value and candidate.unit in (None, "count")
        options = _bounds(value, whole, rules, key)
        if options and numbers_apart(options, rules.margin):
            return tuple(f"{before}{text}{after}" for text in options), "bounds", None
    if rules.texts == "drop":
        return (), "", "free answers are left out"
    if len(answer.split()) > LONGEST:
        return (), "", f"the answer is longer than {LONGEST} words"
    source = offered if needs_model(candidate, rules) else bank.drawn(candidate, key)
    found = [answer]
    for other in source or ():
        if MEDIA_MARK in other or len(other.split()) > LONGEST:
            continue
        if not any(too_close(other, known, rules.alike) for known in (*found, *candidate.also)):
            found.append(other)
        if len(found) == rules.options:
            return tuple(found), "model" if needs_model(candidate, rules) else "answers", None
    return (), "", f"only {len(found) - 1} distractors can be told apart from the answer and from each other"


def _closed(answer: str) -> str | None:
    """The other one of two answers: 'No' for 'Yes'."""
    word = answer.strip().rstrip(".").casefold()
    other = next((next(iter(pair - {word})) for pair in _CLOSED if word in pair), None)
    if other is None:
        return None
    return other.capitalize() if answer.strip()[0].isupper() else other


def _as_number(answer: str) -> tuple[str, str, str] | None:
    """A text around one number: 'about 3 meters'."""
    match = _TEXT_NUMBER.match(answer.strip())
    if match is None or len(match["after"].split()) > 3 or len(match["before"].split()) > 2:
        return None
    if match["after"].startswith((":", "/", "-", "th", "st", "nd", "rd")) or match["before"].endswith(("-", ".", "/")):
        return None
    return match["before"], in_ascii_digits(match["number"]), match["after"]


def _words(text: str) -> set[str]:
    found = (_WORD_NUMBERS.get(word, word) for word in re.findall(r"[^\W_]+", text.casefold()))
    plain = {word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found}
    return plain - _ARTICLES or plain


def _bank_keys(candidate: Candidate) -> list[tuple[str, ...]]:
    opening = " ".join(candidate.question.casefold().split()[:2])
    base = (candidate.source, candidate.kind, candidate.task)
    return [(*base, opening), base]
