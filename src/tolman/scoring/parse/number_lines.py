"""Lines and sentences of a response with the numbers in them that could answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tolman.items import Unit
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.measures import Quantity
from tolman.scoring.parse.quantities import quantities
from tolman.scoring.parse.segments import Segment, is_question, segments
from tolman.scoring.parse.sums import mark_sums
from tolman.scoring.parse.words import Word, same_word, words_of

MAX_OPENING_CHARS = 12
"""Characters at the beginning of a sentence in which "if" supposes all of it."""
MAX_SMALL_COUNT = 3
"""Numbers that may be an aside where they are written in words, at most."""

MEASURED: tuple[Unit, ...] = ("m", "cm", "m2")
"""Units of items that ask for a length or an area."""

_PERCENT_SIGNS = ("%", "percent", "パーセント", "퍼센트")
_PERCENT = re.compile(
    r"percent|porcentaje|percentag|pourcent|prozent|процент|%|百分|割合|퍼센트|نسبة|प्रतिशत", re.IGNORECASE
)
_BOUNDARY = re.compile(r"[,;:()\n—]|[、；：]|(?<=[^0-9])\.(?=\s)")
_PER_EACH = re.compile(
    r"[ ]*(?:each|apiece|per\b|a piece|jeweils?|je\b|cada|chacune?|каждая|каждый|each)", re.IGNORECASE
)


@dataclass(frozen=True)
class AskedQuantity:
    """The number that an item asks for.

    Attributes:
        unit: of the item.
        question: of the item; empty where it is not to be looked at.
        words: of the question that carry something.
    """

    unit: Unit | None
    question: str
    words: tuple[str, ...]

    def is_about(self, words: Sequence[Word]) -> bool:
        """Tell whether any of some words is in the question.

        Args:
            words: of a response.

        Returns:
            True also for another form of the word.
        """
        return any(same_word(word.folded, asked) for word in words for asked in self.words)


@lru_cache(maxsize=16_384)
def asked_for(unit: Unit | None, question: str, language: Languages) -> AskedQuantity:
    """Prepare the question of an item.

    Args:
        unit: of the item.
        question: of the item.
        language: of the response.

    Returns:
        All that the reading of numbers needs of it.
    """
    words = (w.folded for w in words_of(question))
    return AskedQuantity(unit, question, tuple(w for w in words if len(w) > 2 and w not in language.skip))


@dataclass
class NumberLine:
    """A segment with the quantities in it that could answer.

    Attributes:
        segment: the sentence or line.
        found: its quantities in a fitting unit, in order.
        question: whether it ends in a question mark.
        premise: whether all its quantities are premises.
    """

    segment: Segment
    found: list[Quantity]
    question: bool
    premise: bool

    @property
    def stated(self) -> list[Quantity]:
        """Quantities that aren't parts of a calculation, premises or asides."""
        return [q for q in self.found if not q.operand]


def number_lines(text: str, asked: AskedQuantity, language: Languages) -> list[NumberLine]:
    """Split a text into lines and sentences, and find the quantities in each with their roles.

    Args:
        text: without markup.
        asked: by the item.
        language: of the text.

    Returns:
        The lines in order.
    """
    lines = []
    for segment in segments(text, language):
        found = quantities(text, segment.words, segment.cues, segment.start, segment.end, language)
        if asked.unit in ("count", None):
            for quantity in found:
                if quantity.kind == "foreign" and _is_unit_asked(text, quantity, asked.question):
                    quantity.kind, quantity.asked = "", True
        mark_sums(found, text)
        usable = [q for q in found if not q.label and q.in_unit(asked.unit) is not None]
        _set_aside(usable, segment, text)
        premise = bool(usable) and all(q.premise for q in usable)
        lines.append(NumberLine(segment, usable, is_question(segment, text), premise))
    _prefer_units(lines, asked.unit)
    _prefer_digits(lines, text)
    return lines


def _is_unit_asked(text: str, quantity: Quantity, question: str) -> bool:
    """Whether the question counts the unit behind a number: minutes, dollars."""
    unit = re.sub(r"^[\d.,'\s]+", "", text[quantity.start : quantity.end]).strip(" -").casefold()
    if unit in _PERCENT_SIGNS:
        return _PERCENT.search(question) is not None
    if not unit:
        return False
    return unit in question.casefold() or any(
        same_word(w.folded, u.folded) for w in words_of(question) for u in words_of(unit)
    )


def clause_edges(segment: Segment, text: str) -> list[int]:
    """Find where the clauses of a segment begin and end.

    Args:
        segment: the sentence or line.
        text: in which it stands.

    Returns:
        Places in the text, in order: the segment's beginning, the end of each mark between clauses, and its end.
    """
    return [segment.start, *(m.end() for m in _BOUNDARY.finditer(text, segment.start, segment.end)), segment.end]


def _set_aside(found: Sequence[Quantity], segment: Segment, text: str) -> None:
    """Mark the quantities of a segment that are premises, first impressions, reasons or asides, if others are left."""
    edges = clause_edges(segment, text)
    reasons = segment.having("reason")
    reasoned = any(q.end <= c.start for c in reasons for q in found)
    behind = max((c.end for c in segment.having("reason_before") if any(c.end <= q.start for q in found)), default=-1)
    for quantity in found:
        begin = max(e for e in edges if e <= quantity.start)
        end = min((e for e in edges if e >= quantity.end), default=segment.end)
        if (
            any(begin <= c.start < end for c in segment.having("premise", "tentative"))
            or _is_supposed(quantity, segment)
            or (reasoned and any(c.end <= quantity.start for c in reasons))
            or quantity.end <= behind
        ):
            quantity.premise = True
        if _PER_EACH.match(text, quantity.end):
            quantity.operand = True
        if _is_adjective(quantity, text):
            quantity.weak = True
        opening = text.rfind("(", segment.start, quantity.start)
        if opening >= 0 and ")" not in text[opening : quantity.start]:
            lead = text[opening : quantity.start]
            if lead.strip("(~≈ "):
                quantity.aside = len(words_of(lead)) > 2 or not any(q.end <= opening for q in found)
    if not all(q.premise or q.aside or q.operand for q in found):
        for quantity in found:
            quantity.operand = quantity.operand or quantity.premise or quantity.aside


def _is_supposed(quantity: Quantity, segment: Segment) -> bool:
    """Whether a sentence begins with "if" and concludes nothing before a quantity."""
    supposed = [
        c
        for c in segment.having("suppose")
        if not any(o.start < c.end and c.start < o.end for o in segment.having("choose"))  # "if I had to give one"
        and c.start - segment.start <= MAX_OPENING_CHARS
        and c.start < quantity.start
    ]
    return bool(supposed) and not any(
        supposed[0].end < c.start < quantity.start for c in segment.having("conclude", "contrast")
    )


def _is_adjective(quantity: Quantity, text: str) -> bool:
    """Whether a quantity describes the thing behind it: "a 30-inch monitor", '24" wheels'."""
    if not re.match(r"[ ][A-Za-z]", text[quantity.end : quantity.end + 2]):
        return False
    said = text[quantity.start : quantity.end]
    return said[-1] == '"' or (bool(quantity.kind) and "-" in said and " " not in said[said.rfind("-") :])


def _prefer_units(lines: Sequence[NumberLine], unit: Unit | None) -> None:
    """Mark quantities without a unit as weak where others have a unit of the right kind."""
    if unit in MEASURED:
        if any(q.kind and not q.operand for line in lines for q in line.found):
            for line in lines[:-1]:
                for quantity in line.found:
                    quantity.weak = quantity.weak or not quantity.kind
    elif unit == "count":
        for line in lines:
            for quantity in line.found:
                quantity.weak = quantity.weak or quantity.kind not in ("", "foreign")


def _prefer_digits(lines: Sequence[NumberLine], text: str) -> None:
    """Mark small numbers in words ("two brothers") as weak where a text writes its numbers in digits."""

    def in_digits(quantity: Quantity) -> bool:
        return text[quantity.start].isdecimal()

    if not any(in_digits(q) for line in lines for q in line.found):
        return
    for line in lines:
        if line is lines[-1] and not any(in_digits(q) for q in line.found):
            continue
        for quantity in line.found:
            small = quantity.value <= MAX_SMALL_COUNT and not quantity.kind
            quantity.weak = quantity.weak or (small and not in_digits(quantity))
