"""Letters in lmms-eval: the pattern of several tasks, BLINK's later ones, 3DSRBench's list, a ranking of formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tolman.items import LETTERS, Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers.found import first_of, last_match, letter_of, stripped
from tolman.scoring.reading import ParsedAnswer, nothing

_OPENING = re.compile(r"[(\s]*([A-Z])", re.IGNORECASE)
_LIST = (
    ("letter at the beginning", re.compile(r"^([A-D])[.\s)]")),
    ("letter alone", re.compile(r"^([A-D])$")),
    ("answer:", re.compile(r"[Aa]nswer[:\s]+([A-D])")),
    ("the answer is", re.compile(r"[Tt]he answer is[:\s]+([A-D])")),
    ("my answer is", re.compile(r"[Mm]y answer is[:\s]+([A-D])")),
    ("letter in parentheses", re.compile(r"\(([A-D])\)")),
    ("letter before a full stop", re.compile(r"([A-D])\.")),
    ("letter between word boundaries", re.compile(r"\b([A-D])\b")),
)
_LETTERS = "ABCD"
_PHRASES = (
    *("the answer is", "answer is", "the correct answer is", "correct answer is", "the best answer is"),
    *("best answer is", "the correct option is", "correct option is", "the best option is", "best option is"),
    *("the choice is", "choice is", "the correct choice is", "correct choice is", "i choose", "i select", "i pick"),
    *("my answer is", "my choice is", "옵션", "정답은", "답은", "답:", "答案是", "答案为", "选", "答えは"),
)
_FORMS = {
    "letter in parentheses": "({})",
    "letter before a full stop": "{}.",
    "letter before a colon": "{}:",
    "letter before a parenthesis": "{})",
    "letter before a space": "{} ",
    "letter anywhere": "{}",
}
"""Formats by rank, behind a letter at the beginning, at the end, and after a phrase."""


def read_simple(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first letter of all, which only opening parentheses and white space may precede: "The answer is B" is T."""
    found = _OPENING.match(text)
    return letter_of(found, "first letter") if found else nothing("the reply doesn't begin with a letter")


TERSE = 4
"""Most characters of a first line that is the answer by itself (BLINK, from 0.7.3)."""


@lru_cache(maxsize=64)
def _offered(letters: str) -> tuple[re.Pattern[str], tuple[tuple[str, re.Pattern[str]], ...], re.Pattern[str]]:
    """BLINK's patterns for the letters of a question: a first line, what is stated later, the beginning."""
    one = f"([{letters}])"
    return (
        re.compile(rf"\(?{one}\)?[.\s:,)]*", re.IGNORECASE),
        (
            # The release has `\s*[:\-]?\s*`, which matches the same in time that grows with the square.
            ("answer is", re.compile(rf"answers?(?:\s+is)?(?:\s*[:\-])?\s*\(?{one}(?![A-Za-z])", re.IGNORECASE)),
            ("letter in parentheses", re.compile(rf"\({one}\)")),
        ),
        re.compile(rf"[(\s]*{one}", re.IGNORECASE),
    )


def read_offered(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """A first line that is hardly more than a letter, the last that "answer is" precedes, the last in parentheses, the
    first letter of all: only letters of the question's options."""
    bare, start = stripped(text)
    first_line, stated, opening = _offered("".join(item.letters) or LETTERS)
    line = bare.split("\n", 1)[0].strip()
    found = first_line.fullmatch(line) if len(line) <= TERSE else None
    if found:
        return letter_of(found, "letter alone", start)
    for rule, pattern in stated:
        found = last_match(pattern, bare)
        if found:
            return letter_of(found, rule, start)
    found = opening.match(bare)
    return letter_of(found, "first letter", start) if found else nothing("no letter of an option")


def read_list(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first match of the first of eight patterns."""
    bare, start = stripped(text)
    found = first_of(_LIST, bare, start)
    return found or nothing("no letter from A to D by itself")


def read_ranked(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The letter in the format that ranks highest; of several in one format the one that stands last."""
    bare = text.strip()
    for mark in (",", ".", "!", "?", ";", ":", "'", '"'):
        bare = bare.strip(mark)
    padded = f" {bare} "
    for rule, letter in _at_an_end(bare.strip()):
        return ParsedAnswer(letter, rule=rule)
    announced = max(_announced(padded), default=None)
    if announced:
        return ParsedAnswer(announced[1], rule="letter behind a phrase")
    for rule, form in _FORMS.items():
        places = ((padded.rfind(form.format(letter)), letter) for letter in _LETTERS)
        place, letter = max(places)
        if place >= 0:
            return ParsedAnswer(letter, rule=rule)
    return nothing("no capital letter from A to D")


def _at_an_end(bare: str) -> Iterator[tuple[str, str]]:
    """The letter with which a reply begins, or ends, where no other letter stands beside it."""
    if bare[:1] and bare[0] in _LETTERS and not bare[1:2].isalpha():
        yield "letter at the beginning", bare[0]
    if bare[:1] and bare[-1] in _LETTERS and not bare[-2:-1].isalpha():
        yield "letter at the end", bare[-1]


def _announced(padded: str) -> Iterator[tuple[int, str]]:
    """For each phrase, the next place of each letter, however far behind it, and inside of a word too."""
    lowered = padded.lower()
    for phrase in _PHRASES:
        begin = lowered.find(phrase)
        if begin >= 0:
            for letter in _LETTERS:
                place = padded.find(letter, begin + len(phrase))
                if place >= 0:
                    yield place, letter


READERS = (
    Reader(
        name="lmms-eval-letter",
        title="lmms-eval, first letter",
        source="EvolvingLMMs-Lab/lmms-eval, tasks embspatial, blink, cv_bench: _extract_answer_letter",
        read=read_simple,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-blink",
        title="lmms-eval from 0.7.3, BLINK",
        source="lmms-eval 0.7.3, tasks/blink/utils.py: _extract_answer_letter with the letters of the options",
        read=read_offered,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-3dsrbench",
        title="lmms-eval, 3DSRBench's patterns",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/3dsrbench/utils.py, extract_answer",
        read=read_list,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-mcq",
        title="lmms-eval, ranking of formats (ERQA)",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/_task_utils/mcq_extract.py, extract_mcq_answer with A to D",
        read=read_ranked,
        kinds=("choice",),
    ),
)
