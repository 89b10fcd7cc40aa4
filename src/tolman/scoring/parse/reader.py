"""The reader goes from a response to the answer that it gives.

A response that breaks off before its end is recognised here, so that its last sentence is not taken for its answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.parse.amounts import number_found
from tolman.scoring.parse.answer_candidates import NamedValue, TextLines, candidates, with_close
from tolman.scoring.parse.answer_selection import ResponseSetting, is_open, is_plain, select
from tolman.scoring.parse.asked import asked_in, opposite
from tolman.scoring.parse.choice import choice_found
from tolman.scoring.parse.commitments import (
    ALONE,
    CONCLUDED,
    DECLARED,
    EMPTY,
    ERROR_MESSAGE,
    IN_PASSING,
    NO_ANSWER,
    NO_ANSWER_INSIDE,
    REFUSAL,
    SEVERAL,
    STATED,
    UNFINISHED,
    WRAPPED,
    Commitment,
    standing,
)
from tolman.scoring.parse.language_detection import detected
from tolman.scoring.parse.lexicon import Languages, Word, is_glued, same_word, words_of
from tolman.scoring.parse.plain_text import Plain, plain, without_markup
from tolman.scoring.parse.response_segments import is_conceded
from tolman.scoring.parse.wrappers import (
    ERROR_WITHIN,
    MAX_WRAPPERS,
    PreparedResponse,
    Wrapped,
    prepared,
    shortened,
    wrapped,
)

LONG_CHARS = 300
"""Characters of a response from which on it reasons, and says on the way more than its answer."""
MAX_SENTENCE_REST = 48
"""Characters between an answer and the end of its sentence, at most."""
MAX_LAST_LINE = 40
"""Characters of a last line that answers a question in a trace that was cut off, at most."""
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


def read_by_rules(item: Item, response: str) -> ParsedAnswer:
    """Read a response that isn't an answer alone or a plain announcement; see `parse.read_careful`."""
    ready = prepared(response)
    whole, begin = ready.whole, ready.begin
    if not ready.text.strip():
        start = begin if ready.cut_off else 0
        if not whole.text[start:].strip():
            return nothing(EMPTY)
        return _unfinished(item, whole, start)
    ruled = _by_rules(item, ready)
    if ruled is None:
        return nothing(ERROR_MESSAGE)
    chosen, note = ruled.chosen, ruled.note
    unsaid = chosen is None and {option.casefold() for option in item.options} == {
        "yes",
        "no",
    }  # no text is close to these
    selected = None if unsaid else select(item.kind, ruled.setting, ruled.candidates)
    if selected is not None:
        chosen, note = selected, selected.note
    if chosen is None or chosen.value is None or note:
        return nothing(note, cut_off=ruled.broken and (chosen is None or note == IN_PASSING))
    return _reading(chosen, whole, begin)


@dataclass(frozen=True, slots=True)
class Ruled:
    """The reading of a response by the rules, and its other possible readings.

    Attributes:
        chosen: the final commitment; None without any.
        note: why no answer is read; empty where one is.
        broken: whether the text breaks off.
        setting: the response as candidates are weighed in it.
        candidates: values that it names.
    """

    chosen: Commitment | None
    note: str
    broken: bool
    setting: ResponseSetting
    candidates: list[NamedValue]


def ruled(item: Item, response: str) -> Ruled | None:
    """Apply the rules alone, and collect the material for a selection among its values.

    Args:
        item: for its question, kind, options and unit; its answer isn't looked at.
        response: hostile or not.

    Returns:
        None for an error message and where there is nothing but a reasoning trace.
    """
    ready = prepared(response)
    return _by_rules(item, ready) if ready.text.strip() else None


def _by_rules(item: Item, ready: PreparedResponse) -> Ruled | None:
    """Return the reading of a response by the rules; None for an error message."""
    if ready.is_error:
        return None
    text, prose = ready.text, ready.prose
    wrappers = [w for w in (_with_field_asked(item, w) for w in ready.wrappers) if w.text]
    language = detected(prose, "\n".join((item.question, *item.options)))
    cues = language.found_in(prose)
    prose = _without_suppositions(item, _CERTAIN.sub(lambda m: "plainly".ljust(len(m[0])), prose), language)
    doubts = [c for c in cues if c.role in ("unknown", "none_of") and not is_conceded(c, prose)]
    unknown = max((c.start for c in doubts), default=-1)
    if not wrappers and ERROR_WITHIN.search(text) and not any(c.role == "answer" for c in cues):
        return None
    said, lines = _prose(item, prose, language)
    commitments = [_wrapped(item, w, language) for w in wrappers] + said
    commitments.sort(key=lambda c: (c.start, c.end))
    every = commitments
    broken = breaks_off(prose, commitments, language) and not text.rstrip().endswith(">")  # behind a closing tag
    if broken:
        end = len(prose.rstrip()) - MAX_UNPOINTED_CHARS
        last = last_sentence(prose.rstrip())
        listed = prose.rstrip().endswith((",", "、"))
        commitments = [
            c
            for c in commitments
            if (c.rule == "measured" and len(prose) <= LONG_CHARS and _MEASURED_END.search(prose))
            or (
                c.strength >= ALONE
                and c.rule not in _LOOSE_RULES
                and (c.start <= last or (c.end >= end and not listed))
            )
        ]
    chosen = standing(commitments, unknown_at=unknown)
    undecided = max((c.start for c in cues if c.role == "undecided" and not is_conceded(c, prose)), default=-1)
    if undecided >= 0 and (chosen is None or _is_taken_back(chosen, undecided)):
        setting = ResponseSetting(prose, lines, every, None, REFUSAL, undecided, broken, 0, False)
        return Ruled(None, REFUSAL, broken, setting, [])
    if (
        item.kind == "number"
        and chosen is not None
        and chosen.strength < DECLARED
        and _is_conditional(prose, chosen.start)
    ):
        chosen = replace(chosen, value=None, note=SEVERAL)
    note = ""
    if chosen is None or chosen.value is None:
        note = chosen.note if chosen else (REFUSAL if unknown >= 0 else NO_ANSWER)
    elif _is_doubtful(item, chosen, prose):
        note = IN_PASSING
    unit = item.unit if item.kind == "number" else None
    setting = ResponseSetting(
        prose, lines, every, chosen, note, unknown, broken, len(item.options), unit not in (None, "count")
    )
    if is_plain(setting):
        return Ruled(chosen, note, broken, setting, [])
    found = candidates(lines, every, unit)
    if item.kind == "choice" and is_open(setting, found):
        options = _plain_options(item.options)
        found = with_close(found, prose, lines, options, _written_in(options, item.question))
    return Ruled(chosen, note, broken, setting, found)


_MEASURED_END = re.compile(r"\d[ ]?[a-z²]{0,3}\s*\Z")
"""The end of a list of measures, which needs no full stop."""
_CERTAIN = re.compile(
    r"\b(?:(?:there(?:['’]s| is| was| can be)|i have) )?(?:absolutely )?(?:no|little) (?:doubt|question|denying)"
    r"(?: whatsoever| at all)? that\b|\b(?:no|without(?: a)?) doubt,?(?= (?:the|they|it|its|there|this|both)\b)"
    r"|\b(?:nobody|no one|one can(?:not|['’]t))(?: can| could| would)? (?:deny|dispute|doubt) that\b"
    r"|\b(?:i (?:do not|don['’]t) doubt|it is (?:beyond (?:doubt|question|dispute)|undeniable)) that\b"
    r"|\bno (?:cabe|hay|existe) (?:la menor |ninguna )?duda (?:alguna )?de que\b|\bkein(?:en)? zweifel, dass\b"
    r"|\bil (?:ne fait|n['’]y a) (?:aucun|pas de) doute que\b|\bnão (?:há|resta) (?:qualquer )?dúvidas? (?:de )?que\b",
    re.IGNORECASE,
)
"""A double negation that affirms the statement behind it: "there is no doubt that the door is open"."""
_HEAD = re.compile(r"\s*(?:[^\n.!;:(—–-]|\.(?=\d)|(?<=\S)-){1,60}(?:[.!;:\n(—–]|[ ]-[ ])")
_PIECE = re.compile(r"\([^()\n]*\)|(?:[^\n.!?;(—–]|[.](?=\d)|(?<=\w )\(\w{1,2}\)){1,400}")
_SUPPOSITION = re.compile(
    r"\b(?:would|could|might|wouldn't|couldn't)\b|,[ ]if\b|\A\(\S+[ ](?:if|with|when|counting|including)\b"
    r"|\A[\s|*_`([>,-]*(?:or[ ][^,]*,[ ])?(?:if|had|were|with|without|assuming|supposing|only when|unless"
    r"|(?:counting|including)(?!.*\b(?:each|all|once|gives|makes)\b)"
    r"|(?:move|shift|push|pull|take|remove|add|swap|turn|put)[ ](?!me\b|us\b).*[ ]and)\b",
    re.IGNORECASE,
)
_REVISING = re.compile(
    r"\A[\W_]*(?:wait|no|nope|actually|sorry|correction|on (?:second|closer)|oops|scratch)\b"
    r"|\bi(?:'d| would)\b|\b(?:looking|thinking) again\b",
    re.IGNORECASE,
)


def _without_suppositions(item: Item, text: str, language: Languages) -> str:
    """Blank the suppositions behind an answer that opens a response: "Four. It would be five with the cup outside."."""
    head = _HEAD.match(text)
    if head is None or len(text) > MAX_SUPPOSING_CHARS or len(words_of(head[0])) > MAX_HEAD_WORDS:
        return text
    if _SUPPOSITION.search(head[0].lstrip()):
        return text
    supposed = []
    for piece in _PIECE.finditer(text, head.end() - 1):
        if _REVISING.search(piece[0]):
            break
        if _SUPPOSITION.search(piece[0]):
            supposed.append(piece.span())
    opening = standing(_prose(item, head[0].rstrip("(—–-;: \n"), language)[0]) if supposed else None
    if opening is None or opening.value is None:
        return text
    for start, end in supposed:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _is_taken_back(chosen: Commitment, undecided: int) -> bool:
    """Check whether a response that says that it doesn't decide does so behind an answer, or right in front of it."""
    if chosen.strength == STATED and 0 <= chosen.start - undecided <= MAX_REFUSED_CHARS:
        return True  # "I'd rather not give one"
    return chosen.strength <= CONCLUDED and chosen.start <= undecided


MAX_REFUSED_CHARS = 24
"""Characters between a refusal and what it refuses, at most."""
_CONDITION = re.compile(r"(?<!even )(?<!as )\bif\b(?:[^;.\n]|\.(?=\d))*", re.IGNORECASE)
_COUNT = re.compile(
    r"\d+(?:[.,]\d+)*|(?<!the )\b(?:one|two|three|four|five|six|seven|eight|nine|ten|none)\b", re.IGNORECASE
)


def _is_conditional(text: str, place: int) -> bool:
    """Check whether a text gives a number on each of several conditions, and no other: "if a door, 2 m; if not, 3".

    Args:
        text: without markup.
        place: of the number that is read.
    """
    conditions = [*_CONDITION.finditer(text)]
    numbers = [[m[0] for m in _COUNT.finditer(condition[0])] for condition in conditions]
    if (
        len(conditions) < 2
        or place < conditions[0].start()
        or not all(numbers)
        or len({found[-1] for found in numbers}) == 1
    ):
        return False
    return not _COUNT.search(text, conditions[-1].end())


MAX_HEAD_WORDS = 7
"""Words of an answer that opens a response, at most."""
MAX_SUPPOSING_CHARS = 1_000
"""Characters of a response in which suppositions are looked for, at most."""


def _is_doubtful(item: Item, chosen: Commitment, text: str) -> bool:
    """Check whether a rule is too often wrong in a text like this one."""
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
    prose = shortened(without_markup(opened))
    language = detected(prose, "\n".join((item.question, *item.options)))
    boxed = standing([_wrapped(item, w, language) for w in wrapped(opened)[-MAX_WRAPPERS:] if w.text])
    if boxed is not None and boxed.value is not None and len(words_of(opened[boxed.end :])) <= 2:
        return _reading(boxed, whole, begin)
    tail = prose.rstrip()
    last = [
        c
        for c in _prose(item, prose, language)[0]
        if c.strength >= CONCLUDED and _same_sentence(prose, c.end, max(0, len(tail) - 1))
    ]
    if last and last[-1].value is not None:
        line = tail.rfind("\n")
        sentence = last_sentence(tail)
        answers = last[-1].strength >= ALONE and last[-1].start > line >= 0 and len(tail) - line <= MAX_LAST_LINE
        if last[-1].strength == DECLARED and last[-1].start > sentence >= 0 and len(tail) - sentence <= MAX_LAST_LINE:
            answers = last[-1].end == len(tail)
        if answers or re.search(r"[.!。।\"']\s*\Z", prose):
            return _reading(last[-1], whole, begin)
    return nothing(UNFINISHED, cut_off=True)


def _same_sentence(text: str, position: int, end: int) -> bool:
    """Check whether only the rest of a sentence is between two places."""
    return end - position <= MAX_SENTENCE_REST and "\n" not in text[position:end]


def _prose(item: Item, text: str, language: Languages) -> tuple[list[Commitment], TextLines]:
    """The commitments of a text that holds no wrapper, and its lines."""
    if item.kind == "choice":
        options = _plain_options(item.options)
        return choice_found(text, options, language, _written_in(options, item.question), item.question)
    return number_found(text, item.unit, item.question, language)


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
    chosen = standing(_prose(item, inside, language)[0])
    if chosen is None:
        return Commitment(None, WRAPPED, wrapper.start, wrapper.end, wrapper.rule, NO_ANSWER_INSIDE)
    # A unit that a field's name gives lies outside the wrapper.
    start, end = (min(wrapper.start + place, wrapper.end) for place in (chosen.start, chosen.end))
    return Commitment(chosen.value, WRAPPED, start, end, wrapper.rule, chosen.note)


def _with_field_asked(item: Item, wrapper: Wrapped) -> Wrapped:
    """Return a JSON object with the field that the question asks for, where it has fields of several things.

    For a number it is the one whose keys share most words with the question, of several the total. For a yes or no it
    is the only one that is true or false.
    """
    asked = [w.folded for w in words_of(item.question) if len(w.folded) > 2]
    if item.kind == "choice":
        said = [f for f in wrapper.fields if f.text in ("yes", "no")]
        is_judged = {option.casefold() for option in item.options} == {"yes", "no"}
        if not is_judged or len(said) != 1:
            return wrapper
        language, field = _written_in(item.options, item.question), said[0]
        poles = asked_in(item.question, language).poles
        turned = any(opposite(c.role) in poles for c in language.opposites.find(words_of(field.path), field.path))
        text = field.text if not turned else {"yes": "no", "no": "yes"}[field.text]
        return replace(wrapper, text=text, start=field.start, end=field.end)
    shared = [
        (sum(any(same_word(w.folded, a) for w in words_of(f.path)) for a in asked), f)
        for f in wrapper.fields
        if f.text not in ("yes", "no")
    ]
    best = [f for n, f in shared if n and n == max(n for n, _ in shared)]
    best = best if len(best) == 1 else [f for f in best if _TOTAL_KEY.search(f.path)]
    if len(best) != 1:
        return wrapper
    return replace(wrapper, text=best[0].text, start=best[0].start, end=best[0].end)


_TOTAL_KEY = re.compile(r"(?:total|sum|count|overall)\Z", re.IGNORECASE)

MAX_FORMULA_CHARS = 40
"""Characters of a text that may end in a sign of arithmetic without breaking off, at most."""
MIN_BROKEN_CHARS = 90
"""Characters of a text that breaks off where its last sentence has no full stop, at least."""
MIN_DENSE_CHARS = 80
"""The same where the last sentence is written in a script without spaces, at least."""
MAX_UNPOINTED_CHARS = 60
"""Characters behind an answer in a last sentence that needs no full stop, at most."""
MAX_ENDING_CHARS = 12
"""Characters of a last sentence that needs no full stop, at most."""


def breaks_off(text: str, commitments: Sequence[Commitment], language: Languages) -> bool:
    """Check whether a text of several sentences ends in the middle of one that commits it to nothing."""
    tail = text.rstrip()
    ending = words_of(tail, max(0, len(tail) - MAX_UNPOINTED_CHARS))
    dense = bool(ending) and is_glued(tail[-1])
    if len(tail) > MAX_FORMULA_CHARS and _OPERATOR_ENDING.search(tail):
        return True
    leads_on = _leads_on(tail, ending, language)
    if leads_on and _NUMBERED_ENDING.search(tail):
        return True
    if (len(tail) < (MIN_DENSE_CHARS if dense else MIN_BROKEN_CHARS) and not leads_on) or (
        re.search(r"[.!?。।…)\]}\"'*_`:;|>]\Z|[^\w\s×+=/*,(、，\u0900-\u0963\u064b-\u0652-]\Z", tail) is not None
    ):
        return False
    start = last_sentence(tail)
    if _LISTED_ENDING.search(tail):
        return False
    return (
        not any(
            c.start >= start
            and c.end >= len(tail) - MAX_UNPOINTED_CHARS
            and c.value is not None
            and c.strength > STATED
            and c.rule != "corrected"
            for c in commitments
        )
        and len(tail) - start > MAX_ENDING_CHARS
    )


_OPERATOR_ENDING = re.compile(r"[×=+/÷,、{(]\Z|[\s\d)]\*\Z")
"""Arithmetic, an open bracket or a comma at the end; an asterisk behind a letter or a full stop ends italics."""
_LISTED_ENDING = re.compile(r"\n[ ]*[-*•][ ][^\n]*[^\s.!?。,;:]\n[ ]*[-*•][ ][^\n]*\Z")
"""Two lines of a list without full stops at the end of a text."""


_NUMBERED_ENDING = re.compile(r"\n[ *_•-]*([a-z]{3,24} )\d\d?[ *_]*:.*\n[ *_•-]*\1\d\d?[ *_]*:.*\Z", re.IGNORECASE)
"""Two lines of a list that numbers its places, at the end of a text: "Floor 3: 2 / Floor 4: two of them behind the"."""


def _leads_on(tail: str, ending: Sequence[Word], language: Languages) -> bool:
    """Check whether a text of several sentences ends in words that need others behind: "the distance is", "on the"."""
    if len(tail) <= MAX_FORMULA_CHARS or last_sentence(tail) < 0:
        return False
    return any(
        c.end == len(tail) and c.role in ("conclude", "copula", "estimate", "bound", "between", "open_end")
        for c in language.cues_of(ending, tail)
    )


def last_sentence(text: str) -> int:
    """Return where the last sentence begins; -1 without a mark before it."""
    return max(text.rfind(mark) for mark in (". ", "! ", "? ", "。", "।", "\n", "： ", "; ", "؟ "))
