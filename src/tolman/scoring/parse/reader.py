"""The reader: from a response to the answer that it gives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from tolman.items import Item
from tolman.scoring.parse.amounts import number_commitments
from tolman.scoring.parse.choice import choice_commitments
from tolman.scoring.parse.commitments import (
    ALONE,
    CONCLUDED,
    EMPTY,
    ERROR_MESSAGE,
    IN_PASSING,
    NO_ANSWER,
    NO_ANSWER_INSIDE,
    REFUSAL,
    STATED,
    UNFINISHED,
    WRAPPED,
    Commitment,
)
from tolman.scoring.parse.detection import detected
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.plain import Plain, plain, without_markup
from tolman.scoring.parse.reasoning import behind_reasoning
from tolman.scoring.parse.resolve import standing
from tolman.scoring.parse.words import words_of
from tolman.scoring.parse.wrappers import Wrapped, wrapped
from tolman.scoring.reading import ParsedAnswer, nothing

HEAD_CHARS = 600
"""Characters at the beginning of a long text that are searched for commitments in prose."""
TAIL_CHARS = 3_000
"""Characters at its end that are searched."""
MAX_WRAPPERS = 8
"""Boxes, tags or objects that are looked at, the last of all."""
LONG_CHARS = 300
"""Characters of a response from which on it reasons, and says on the way more than its answer."""
MAX_SENTENCE_REST = 48
"""Characters between an answer and the end of its sentence, at most."""
MAX_LAST_LINE = 40
"""Characters of a last line that answers a question in a trace that was cut off, at most."""
MAX_FORMULA_CHARS = 40
"""Characters of a text that may end in a sign of arithmetic without breaking off, at most."""
MIN_BROKEN_CHARS = 160
"""Characters of a text that breaks off where its last sentence has no full stop, at least."""
MAX_UNPOINTED_CHARS = 60
"""Characters behind an answer in a last sentence that needs no full stop, at most."""
MAX_ENDING_CHARS = 12
"""Characters of a last sentence that needs no full stop, at most."""
MAX_KEPT_CHARS = 500
"""Characters of a response whose text is prepared once however many items it answers, at most."""
MAX_ITEMS = 16_384
"""Items whose options and questions are kept prepared, at most."""

_NEAR: dict[str, dict[str, int]] = {
    "number": {
        **dict.fromkeys(("declared", "concluded", "chosen", "restated", "stated", "estimated"), 160),
        "total": 60,
        **dict.fromkeys(("calculated", "corrected", "counted", "hashes", "summed up", "dimensions", "none there"), 0),
    },
    "choice": {"value": 160, "last": 60, "stated": 60},
}
"""How far from the end of a long response, in characters, a rule is still trusted (at 0 never), where it was wrong in
more than 5 % of the development rows without this limit."""
_NEVER = {"number": frozenset({"asked for"}), "choice": frozenset({"eliminated"})}
"""Rules that are not trusted in any response."""
_LOOSE_RULES = frozenset({"corrected", "chosen"})
"""Rules that don't count in a text that breaks off."""

_BARE = re.compile(r"\s*(?:(?P<letter>[A-Z])|(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9})?))\.?\s*")
_ERROR_START = re.compile(
    r"\A\W{0,8}(?:[\w.]{1,60}[ _]?)?(?:error|exception|traceback|http[ /]|failed to|failure"
    r"|request (?:failed|timed|rejected)"
    r"|rate[ _-]?limit|timed? ?out|timeout|internal server|bad gateway|service unavailable|gateway time"
    r"|too many requests|connection (?:error|refused|reset|aborted|closed)|quota|unauthorized|forbidden"
    r"|unable to (?:respond|process|connect|complete|reach)|api (?:call|request|key)|server (?:is|error|overloaded)"
    r"|\[?(?:blocked|error|failed)\]?\b)",
    re.IGNORECASE,
)
_ERROR_WITHIN = re.compile(
    r"\b(?:status|error)[ _]?code\b|\bHTTP(?:/[0-9.]+)?[ ]?[1-5][0-9]{2}\b|rate[ _-]?limit(?:ed|s)?\b"
    r"|Traceback \(most recent|\btimed out\b|\bmax retries exceeded\b|\b(?:Error|Exception):",
    re.IGNORECASE,
)


def read_careful(item: Item, response: str) -> ParsedAnswer:
    """Read the answer of a response to an item: a letter of its options, or an exact number in its unit.

    Args:
        item: for its question, kind, options and unit; its answer isn't looked at.
        response: hostile or not.

    Returns:
        A Reading whose value is a letter, a Fraction, or None with the reason in its note. Never raises.
    """
    bare = _BARE.fullmatch(response)
    if bare is not None:  # most direct answers: a letter or a number and nothing else
        if item.kind == "choice" and bare["letter"] and bare["letter"] in item.letters:
            return ParsedAnswer(bare["letter"], span=bare.span("letter"), rule="alone")
        if item.kind == "number" and bare["number"]:
            return ParsedAnswer(Fraction(bare["number"]), span=bare.span("number"), rule="alone")
    prepared = _prepared_once(response) if len(response) <= MAX_KEPT_CHARS else _prepared(response)
    whole, begin, text = prepared.whole, prepared.begin, prepared.text
    if not text.strip():
        start = begin if prepared.cut_off else 0
        if not whole.text[start:].strip():
            return nothing(EMPTY)
        return _unfinished(item, whole, start)
    if prepared.is_error:
        return nothing(ERROR_MESSAGE)
    wrappers, prose = prepared.wrappers, prepared.prose
    language = detected(prose, "\n".join((item.question, *item.options)))
    cues = language.found_in(prose)
    unknown = max((c.start for c in cues if c.role in ("unknown", "none_of")), default=-1)
    if not wrappers and _ERROR_WITHIN.search(text) and not any(c.role == "answer" for c in cues):
        return nothing(ERROR_MESSAGE)
    commitments = [_wrapped(item, w, language) for w in wrappers] + _prose(item, prose, language)
    commitments.sort(key=lambda c: (c.start, c.end))
    broken = _breaks_off(prose, commitments)
    if broken:
        end = len(prose.rstrip()) - MAX_UNPOINTED_CHARS
        last = _last_sentence(prose.rstrip())
        listed = prose.rstrip().endswith((",", "、"))
        commitments = [
            c
            for c in commitments
            if c.strength >= ALONE and c.rule not in _LOOSE_RULES and (c.start <= last or (c.end >= end and not listed))
        ]
    chosen = standing(commitments, unknown_at=unknown)
    if chosen is None or chosen.value is None:
        note = chosen.note if chosen else (REFUSAL if unknown >= 0 else NO_ANSWER)
        return nothing(note, cut_off=chosen is None and broken)
    if _is_doubtful(item, chosen, prose):
        return nothing(IN_PASSING, cut_off=broken)
    return _reading(chosen, whole, begin)


def is_error_message(text: str) -> bool:
    """Tell whether a text is the message of an error in place of a response."""
    return _ERROR_START.match(text) is not None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A response as it is looked at, whatever the item.

    Attributes:
        whole: all of it.
        begin: where in it `text` begins.
        text: what stands behind its reasoning.
        cut_off: whether its reasoning has no end.
        is_error: whether it is the message of an error.
        wrappers: the last of them.
        prose: `text` without markup.
    """

    whole: Plain
    begin: int
    text: str
    cut_off: bool
    is_error: bool
    wrappers: tuple[Wrapped, ...] = ()
    prose: str = ""


def _prepared(response: str) -> _Prepared:
    """Prepare a response."""
    whole = plain(response)
    begin, end, cut_off = behind_reasoning(whole.text)
    text = whole.text[begin:end]
    is_error = is_error_message(text)
    if is_error or not text.strip():
        return _Prepared(whole, begin, text, cut_off, is_error)
    wrappers = tuple(wrapped(text)[-MAX_WRAPPERS:])
    return _Prepared(whole, begin, text, cut_off, is_error, wrappers, _shortened(without_markup(text)))


_prepared_once = lru_cache(maxsize=4096)(_prepared)


def _is_doubtful(item: Item, chosen: Commitment, text: str) -> bool:
    """Whether a rule is too often wrong in a text like this one."""
    tail = text.rstrip()
    if chosen.rule in _NEVER[item.kind]:
        return True
    near = _NEAR[item.kind].get(chosen.rule)
    if len(tail) <= LONG_CHARS or near is None:
        return False
    return near == 0 or len(tail) - chosen.end > near


def _reading(chosen: Commitment, whole: Plain, begin: int) -> ParsedAnswer:
    """The reading of a commitment, with its place in the response."""
    span = (whole.origin(begin + chosen.start), whole.origin(begin + max(chosen.start, chosen.end - 1)) + 1)
    return ParsedAnswer(chosen.value, span=span, rule=chosen.rule)


def _unfinished(item: Item, whole: Plain, begin: int) -> ParsedAnswer:
    """The answer that a reasoning trace without an end comes to in its last sentence; else it was cut off."""
    opened = whole.text[begin:]
    prose = _shortened(without_markup(opened))
    language = detected(prose, "\n".join((item.question, *item.options)))
    boxed = standing([_wrapped(item, w, language) for w in wrapped(opened)[-MAX_WRAPPERS:]])
    if boxed is not None and boxed.value is not None and len(words_of(opened[boxed.end :])) <= 2:
        return _reading(boxed, whole, begin)
    tail = prose.rstrip()
    last = [
        c
        for c in _prose(item, prose, language)
        if c.strength >= CONCLUDED and _same_sentence(prose, c.end, max(0, len(tail) - 1))
    ]
    if last and last[-1].value is not None:
        line = tail.rfind("\n")
        answers = last[-1].strength >= ALONE and last[-1].start > line >= 0 and len(tail) - line <= MAX_LAST_LINE
        if answers or re.search(r"[.!。।\"']\s*\Z", prose):
            return _reading(last[-1], whole, begin)
    return nothing(UNFINISHED, cut_off=True)


def _same_sentence(text: str, position: int, end: int) -> bool:
    """Whether nothing but the rest of a sentence stands between two places."""
    return end - position <= MAX_SENTENCE_REST and "\n" not in text[position:end]


def _shortened(text: str) -> str:
    """A long text with its middle blanked, so that places stay."""
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    return text[:HEAD_CHARS] + "\n" + " " * (len(text) - HEAD_CHARS - TAIL_CHARS - 1) + text[-TAIL_CHARS:]


def _prose(item: Item, text: str, language: Languages) -> list[Commitment]:
    """The commitments of a text that holds no wrapper."""
    if item.kind == "choice":
        options = _plain_options(item.options)
        return choice_commitments(text, options, language, _written_in(options, item.question))
    return number_commitments(text, item.unit, item.question, language)


@lru_cache(maxsize=MAX_ITEMS)
def _plain_options(options: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(without_markup(plain(option).text) for option in options)


@lru_cache(maxsize=MAX_ITEMS)
def _written_in(options: tuple[str, ...], question: str) -> Languages:
    """The languages of an item's options."""
    return detected("\n".join(options), question)


def _wrapped(item: Item, wrapper: Wrapped, language: Languages) -> Commitment:
    """The commitment in a wrapper; without value where it holds no single answer."""
    inside = without_markup(wrapper.text)
    chosen = standing(_prose(item, inside, language))
    if chosen is None:
        return Commitment(None, WRAPPED, wrapper.start, wrapper.end, wrapper.rule, NO_ANSWER_INSIDE)
    # A unit that a field's name gives lies outside the wrapper.
    start, end = (min(wrapper.start + place, wrapper.end) for place in (chosen.start, chosen.end))
    return Commitment(chosen.value, WRAPPED, start, end, wrapper.rule, chosen.note)


def _last_sentence(text: str) -> int:
    """Where the last sentence begins; -1 without a mark before it."""
    return max(text.rfind(mark) for mark in (". ", "! ", "? ", "。", "।", "\n", "： ", "; ", "؟ "))


def _breaks_off(text: str, commitments: list[Commitment]) -> bool:
    """Whether a text of several sentences ends in the middle of one that commits it to nothing."""
    tail = text.rstrip()
    if len(tail) > MAX_FORMULA_CHARS and tail[-1] in "×=+*/÷,、":
        return True
    if (
        len(tail) < MIN_BROKEN_CHARS
        or re.search(r"[.!?。।…)\]}\"'*_`:;|>]\Z|[^\w\s×+=/*,(、，\u0900-\u0963\u064b-\u0652-]\Z", tail) is not None
    ):
        return False
    start = _last_sentence(tail)
    return (
        not any(
            c.start >= start
            and c.end >= len(tail) - MAX_UNPOINTED_CHARS
            and c.value is not None
            and c.strength > STATED
            for c in commitments
        )
        and len(tail) - start > MAX_ENDING_CHARS
    )
