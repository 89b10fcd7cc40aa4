"""Readers of answers that are more than letters: released ones (SPAR-Bench, Spatial457, SQA3D), and Tolman's own.

- Tolman's own reads yes, no and numbers in open answers. It leaves any other open answer to a judge, as no comparison
  of texts says whether a sentence means the accepted one.

- SPAR-Bench's released scorer as readers, its defects included, and EASI's reading of the same replies. Choices: the
  reply is right where it is contained in the answer's letter, which an empty one is; else its first character counts.
  Numbers: the first one, in questions on several views (tasks that end in `_mv`) the last one, without sign. Changes
  of view: "move_right:1.2,rotate_left:20", as five signed amounts.
- Spatial457 in lmms-eval and in VLMEvalKit: the content of the field "Answer" of a reply that should be JSON. If there
  is none, both take the whole reply. (VLMEvalKit drew an answer at random before it had its switch ROBUST.)
- SQA3D's cleaning of answers: lower case, few signs, known slips of the pen, numbers as words, no articles. The whole
  response is the answer. Two of the released expressions have no effect in their place (behind the one that drops every
  sign they look for) and are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from tolman.extras import lazy_pattern
from tolman.items import Item, kind_named
from tolman.scoring.answer_values import ParsedAnswer, accepted, normalised, nothing
from tolman.scoring.parse import read_careful_words
from tolman.scoring.readers import Reader, harnesses, last_match

AXES = (
    ("move_right", "move_left"),
    ("move_up", "move_down"),
    ("move_forward", "move_backward"),
    ("rotate_right", "rotate_left"),
    ("rotate_up", "rotate_down"),
)
"""What a change of view is made of: an amount one way less that the other way, in this order."""
MAX_DIGITS = 4_300
"""Digits of a whole number, at most: Python makes no integer of longer texts, and the released code then scores 0."""
_NUMBER = lazy_pattern(r"(?<!\^)\d+\.\d+|(?<!\^)\d+")


def read_spar(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """A letter for a choice, a number for a number, a change of view for a text."""
    if item.kind == "choice":
        return _first_character(item, text)
    if item.kind == "number":
        return _number(item, text)
    try:
        return _change(released_change(text))
    except ValueError:
        return nothing("no list of 'move:amount' with commas between")


def read_spar_easi(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """EASI's letters and numbers; of a change of view every pair that can be read."""
    return harnesses.read_easi(item, text, seed) if item.kind in ("choice", "number") else _change(easi_change(text))


def released_change(text: str) -> dict[str, float]:
    """Amounts by name, as released: names count with the blanks around them, and one bad pair spoils all.

    Raises:
        ValueError: a part between commas is no name and number with one colon between.
    """
    pairs = [part.split(":") for part in text.split(",")]
    return {name: float(amount) for name, amount in pairs}


def easi_change(text: str) -> dict[str, float]:
    """Return amounts by name, as EASI reads them: blanks don't count, and parts that are no pair are left out."""
    found = {}
    for part in text.split(","):
        name, colon, amount = part.partition(":")
        if colon:
            with suppress(ValueError):
                found[name.strip()] = float(amount)
    return found


def along_axes(amounts: Mapping[str, float]) -> list[float]:
    """The five signed amounts of a change of view, in the order of `AXES`."""
    return [amounts.get(one, 0.0) - amounts.get(other, 0.0) for one, other in AXES]


def _change(amounts: Mapping[str, float]) -> ParsedAnswer:
    return ParsedAnswer(json.dumps(along_axes(amounts)), rule="moves and amounts")


def _first_character(item: Item, text: str) -> ParsedAnswer:
    if not text:
        return ParsedAnswer(item.answer, "empty, which the released scorer counts as right", assumed=True, rule="empty")
    letter = text.lower()[0].upper()
    if letter not in item.letters:
        return nothing("the first character is no option's letter")
    return ParsedAnswer(letter, span=(0, 1), rule="first character")


def _number(item: Item, text: str) -> ParsedAnswer:
    if any(len(one[0]) > MAX_DIGITS and "." not in one[0] for one in _NUMBER.finditer(text)):
        return nothing(f"a number of more than {MAX_DIGITS:,} digits")
    if item.task.endswith("_mv"):
        found, rule = last_match(_NUMBER, text), "last number"
        if found is None:
            return ParsedAnswer(-1.0, "no number: the released default", assumed=True, rule="default")
    else:
        found, rule = _NUMBER.search(text), "first number"
    if found is None:
        return nothing("no number")
    return ParsedAnswer(float(found[0]), span=found.span(), rule=rule)


SPAR_READERS = (
    Reader(
        name="spar",
        title="SPAR-Bench, the authors' scorer",
        source="fudan-zvg/spar, tasks/sparbench/utils.py: exact_match, process_na, parse_instruction",
        read=read_spar,
        kinds=("choice", "number", "text"),
    ),
    Reader(
        name="easi-spar",
        title="SPAR-Bench in EASI",
        source="open-compass/VLMEvalKit, dataset/sparbench.py, and EASI's letters and numbers",
        read=read_spar_easi,
        kinds=("choice", "number", "text"),
    ),
)


_QUOTED = lazy_pattern(r"['\"]?Answer['\"]?\s*[:=]\s*['\"]([^'\"]+)['\"]", re.IGNORECASE)
_QUOTED_WORD = lazy_pattern(r"Answer['\"]?\s*:\s*['\"]?(\w+)", re.IGNORECASE)
_SINGLE = lazy_pattern(r"Answer': '(.*?)'")
_DOUBLE = lazy_pattern(r'Answer": "(.*?)"')
_DIGIT = lazy_pattern(r"Answer': (\d)")


def read_spatial457(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The quoted text behind "Answer:", else the word, else the whole reply."""
    for rule, pattern in (("quoted answer", _QUOTED), ("word behind Answer:", _QUOTED_WORD)):
        found = pattern.search(text)
        if found:
            return ParsedAnswer(found[1].strip(), span=found.span(1), rule=rule)
    bare = text.strip()
    return ParsedAnswer(bare, rule="whole reply") if bare else nothing("an empty reply")


def read_spatial457_vlmevalkit(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The field in single quotes, else in double quotes, else one digit, else the whole reply."""
    for pattern in (_SINGLE, _DOUBLE, _DIGIT):
        found = pattern.search(text)
        if found:
            return ParsedAnswer(found[1], span=found.span(1), rule="field Answer")
    return ParsedAnswer(text, rule="whole reply") if text.strip() else nothing("an empty reply")


SPATIAL457_READERS = (
    Reader(
        name="lmms-eval-spatial457",
        title="Spatial457 in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/spatial457/utils.py, _extract_answer_from_response",
        read=read_spatial457,
        kinds=("text", "yes-no", "number"),
    ),
    Reader(
        name="vlmevalkit-spatial457",
        title="Spatial457 in VLMEvalKit",
        source="open-compass/VLMEvalKit, vlmeval/dataset/spatial457.py, evaluate",
        read=read_spatial457_vlmevalkit,
        kinds=("text", "yes-no", "number"),
    ),
)


_DROPPED = lazy_pattern(r"[^a-zA-Z0-9,'\s\-:]+")
_NUMERALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_SLIPS = {
    "letf": "left", "let": "left", "tehre": "there", "rigth": "right", "rght": "right", "behine": "behind",
    "tv": "TV", "chai": "chair", "wasing": "washing", "waslked": "walked", "oclock": "o'clock",
}  # fmt: skip
_NUMBERS = {str(value): word for value, word in enumerate(_NUMERALS)} | {"none": "zero", "23": "twenty-three"}
_WORDS = _SLIPS | _NUMBERS
_CLEANED_WORD = lazy_pattern(rf"\b({'|'.join(_WORDS)})\b")
_OF_THE_CLOCK = lazy_pattern(r"\bo'[ ]+clock\b")
_NUMBERED = lazy_pattern(r"\b([a-zA-Z]+)[0-9]\b")
_ARTICLES = tuple(lazy_pattern(rf"\b{article}\b ([a-zA-Z]+)") for article in ("a", "an", "the"))


def cleaned_sqa3d(text: str) -> str:
    """A text as the released code compares it: "The 2 Chairs." is "two chairs"."""
    text = text.lower()
    end = "\n" if text.endswith("\n") else ""
    text = text.removesuffix("\n").rstrip(" ") + end if end else text.rstrip(" ")
    text = _DROPPED.sub("", re.sub(" {2,}", " ", text.lstrip(" ")))
    text = _OF_THE_CLOCK.sub("o'clock", _CLEANED_WORD.sub(lambda word: _WORDS[word[1]], text))
    text = _NUMBERED.sub(r"\1", text)
    for article in _ARTICLES:
        text = article.sub(r"\1", text)
    return re.sub(r"\bbackwards\b", "backward", text)


def read_sqa3d(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The whole response, cleaned."""
    answer = cleaned_sqa3d(text)
    return ParsedAnswer(answer, rule="the whole response") if answer.strip() else nothing("no word and no number")


SQA3D = Reader(
    name="sqa3d",
    title="SQA3D, the cleaned response",
    source="SilongYong/SQA3D, LLM/eval_sqa3d_llm.py, clean_answer",
    read=read_sqa3d,
    kinds=("text",),
)


_Form = Literal["yes-no", "number", "words"]
_YES_OR_NO = lazy_pattern(r"(yes|no)(?:[.,;!]|\Z)", re.IGNORECASE)
_DECIMAL = lazy_pattern(r"-?\d+(?:\.\d+)?")
SHORT_WORDS = 5
"""Words of a short phrase, at most; a longer text is taken for a sentence."""


SENTENCE_WORDS = frozenset({
    *("am", "is", "are", "was", "were", "isnt", "arent", "be", "it", "its", "there", "theres", "that", "thats", "i"),
    *("im", "you", "youre", "can", "cant", "has", "have", "had", "do", "does", "see", "seems"),
})  # fmt: skip
"""Words that only sentences have, not the phrases that questions ask for."""


def form_of(answer: str) -> _Form:
    """The form of an accepted answer: "Yes." is a yes, "Two" a number; "Yes, on the desk" and "a vase" are words.

    On 891 answers of four models with published marks, bare yes, no and numbers agree with 99 % of the marks, and only
    65 % do where the accepted answer goes on.
    """
    if normalised(answer) in ("yes", "no"):
        return "yes-no"
    return "number" if _DECIMAL.fullmatch(normalised(answer)) else "words"


def yes_or_no(answer: str) -> str | None:
    """The yes or no that an accepted answer begins with; None where it begins otherwise."""
    found = _YES_OR_NO.match(answer.strip())
    return None if found is None else found[1].lower()


def read_open_answer(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Yes, no or a number where the first accepted answer is one.

    Nothing else is read: `failed` says that a judge is to. The reader looks only at the form of the item's answer.
    """
    said, form = read_careful_words(item, text), form_of(accepted(item.answer)[0])
    if form == "words":
        return _left_to_a_judge(said, "an open answer")
    found: ParsedAnswer = kind_named(form).read(item.model_copy(update={"kind": form}), text)
    if found.value is None:
        return _left_to_a_judge(said, "neither yes nor no" if form == "yes-no" else "no number")
    return replace(found, value=_as_text(found.value))


def _as_text(value: str | float | Fraction) -> str:
    """A number in digits; a text as it is."""
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) else repr(float(value))


def _left_to_a_judge(said: ParsedAnswer, reason: str) -> ParsedAnswer:
    """A reading without a value: that of a text which states nothing as it is, any other one as a judge's to make."""
    return said if said.value is None else replace(nothing(f"{reason}: only a judge can score it"), failed=True)


def read_short_answer(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The same with short phrases read as they are, for questions that ask for one."""
    found = read_open_answer(item, text, seed)
    if not found.failed or form_of(accepted(item.answer)[0]) != "words":
        return found
    said = read_careful_words(item, text)
    return said if said.value is not None and _is_phrase(str(said.value)) else found


def _is_phrase(text: str) -> bool:
    """Check whether a text is short and no sentence, as far as its words and its full stop show."""
    words = normalised(text).split()
    is_ended = text.rstrip().endswith((".", "!")) and len(words) > 2
    return len(words) <= SHORT_WORDS and not is_ended and not SENTENCE_WORDS.intersection(words)


OPEN_READERS = (
    Reader(
        name="open-answer",
        title="Yes, no and numbers in open answers",
        source="Tolman's own",
        read=read_open_answer,
        kinds=("text",),
    ),
    Reader(
        name="short-answer",
        title="Yes, no, numbers and short phrases in open answers",
        source="Tolman's own",
        read=read_short_answer,
        kinds=("text",),
    ),
)


READERS = (*SPAR_READERS, *SPATIAL457_READERS, SQA3D, *OPEN_READERS)
