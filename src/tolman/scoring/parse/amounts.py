"""Commitments of a response to a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tolman.items import Unit
from tolman.scoring.parse.agreement import (
    VERB_FINAL,
    agreed,
    counts_asked,
    is_estimated,
    most_asked,
    restated_from,
    restatements,
    without_weak,
)
from tolman.scoring.parse.announcements import announces_next, opening_denials
from tolman.scoring.parse.commitments import (
    ALONE,
    CONCLUDED,
    DECLARED,
    JUDGED,
    SEVERAL,
    STATED,
    Commitment,
)
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.lone_numbers import dimensions, is_alone, none_there
from tolman.scoring.parse.measures import Quantity
from tolman.scoring.parse.number_announcements import announced_numbers
from tolman.scoring.parse.number_conclusions import concluded_number
from tolman.scoring.parse.number_lines import AskedQuantity, NumberLine, asked_for, number_lines
from tolman.scoring.parse.words import same_word, words_of

_SETTLED_RULES = frozenset({"chosen", "concluded", "total"})
"""Rules that count as an announcement in the last sentence."""
_PASSING_RULES = frozenset({"stated", "estimated", "asked for", "counted", "restated"})
"""Rules that count as a conclusion in the last sentence."""


def number_commitments(text: str, unit: Unit | None, question: str, language: Languages) -> list[Commitment]:
    """Find every place where a text commits itself to a number.

    Args:
        text: without markup.
        unit: of the item.
        question: for what is counted or measured.
        language: of the text.

    Returns:
        The commitments in order.
    """
    return number_found(text, unit, question, language)[0]


def number_found(
    text: str, unit: Unit | None, question: str, language: Languages
) -> tuple[list[Commitment], list[NumberLine]]:
    """Find every place where a text commits itself to a number, and the lines with all numbers.

    Args:
        text: without markup.
        unit: of the item.
        question: for what is counted or measured.
        language: of the text.

    Returns:
        The commitments in order, and the lines.
    """
    asked = asked_for(unit, question, language)
    lines = number_lines(text, asked, language)
    result: list[Commitment] = []
    awaited = False
    for i, line in enumerate(lines):
        new = _line_commitments(lines, i, text, asked, awaited)
        if i == len(lines) - 1 and len(lines) > 2 and not _is_row(text, line.segment.start):
            new = [_raised(c) for c in new]
        result += new
        if line.segment.words or not awaited:
            awaited = not line.stated and not any(c.strength >= ALONE for c in new)
            awaited = awaited and announces_next(line.segment, text, "answer", "choose", "total")
    return sorted(_promoted(result, lines, text, asked), key=lambda c: (c.start, c.end)), lines


def _raised(commitment: Commitment) -> Commitment:
    """A commitment of the last sentence, which counts more than the same further up."""
    if commitment.value is not None and commitment.rule in _SETTLED_RULES:
        return replace(commitment, strength=max(commitment.strength, DECLARED))
    if commitment.value is not None and commitment.rule in _PASSING_RULES:
        return replace(commitment, strength=max(commitment.strength, CONCLUDED))
    return commitment


def _promoted(
    found: list[Commitment], lines: Sequence[NumberLine], text: str, asked: AskedQuantity
) -> list[Commitment]:
    """The number, of several stated in passing, whose sentence shares most words with the question."""
    if any(c.strength > STATED for c in found) or len({c.value for c in found}) < 2:
        return found
    scores = []
    for commitment in found:
        segment = next(s for s in (line.segment for line in lines) if s.start <= commitment.start < s.end)
        words = {w.folded for w in segment.words if not w.folded[0].isdecimal()}
        scores.append(len({a for a in asked.words if any(same_word(w, a) for w in words)}))
    best = max(scores)
    chosen = found[scores.index(best)]
    if not best or scores.count(best) > 1 or chosen.value is None:
        return found
    rows = all(_is_row(text, c.start) for c in found)
    return [replace(chosen, strength=JUDGED, rule="row" if rows else "asked for", note="")]


def _is_row(text: str, place: int) -> bool:
    """Whether a place lies in the row of a table."""
    return text[text.rfind("\n", 0, place) + 1 : place + 1].lstrip().startswith("|")


def _line_commitments(
    lines: Sequence[NumberLine], i: int, text: str, asked: AskedQuantity, awaited: bool
) -> list[Commitment]:
    """The commitments of a line, by the first rule that says anything about it."""
    line = lines[i]
    stated = line.stated
    is_last = i == len(lines) - 1
    if line.question and len(lines) > 1:
        return []
    if not stated:
        return dimensions(line, text, asked) or none_there(lines, i, asked)
    found = announced_numbers(line, text, asked.unit) or _corrected(lines, i, text, asked.unit)
    if found:
        return found
    if is_alone(line, text, asked):
        strength = DECLARED if awaited else ALONE if i == 0 or is_last else JUDGED
        together = agreed(stated, asked.unit, strength, "declared" if awaited else "alone")
        if together.note != SEVERAL:
            return [together]
    if awaited:
        return [agreed(_main(line, text, asked), asked.unit, DECLARED, "declared")]
    if all(q.weak for q in stated) and len(lines) > 2:
        return []
    chosen = concluded_number(line, text, asked)
    if chosen is not None:
        return [chosen]
    return [] if line.premise and len(lines) > 1 else [_stated(line, text, asked, is_last)]


def _corrected(lines: Sequence[NumberLine], i: int, text: str, unit: Unit | None) -> list[Commitment]:
    """The number that a line corrects an earlier one to."""
    line = lines[i]
    segment, stated = line.segment, line.stated
    cues = segment.having("correct") or opening_denials(line.segment, text)
    if not cues or (line.premise and len(stated) > 1):
        return []
    if not any(earlier.found for earlier in lines[:i]) and not any(q.end <= cues[0].start for q in stated):
        return []
    end = max(c.end for c in [*cues, *segment.having("conclude")] if any(q.start >= c.end for q in stated) or c in cues)
    behind = [q for q in stated if q.start >= end] or (stated if len(stated) == 1 and i else [])
    if not behind:
        return []
    return [agreed(restatements(behind, text), unit, DECLARED if len(behind) < 3 else CONCLUDED, "corrected")]


def _stated(line: NumberLine, text: str, asked: AskedQuantity, is_last: bool) -> Commitment:
    """The quantities that a line states without any announcement."""
    segment, unit = line.segment, asked.unit
    plain = without_weak(line.stated)
    results = [q for q in plain if q.result]
    if results:
        listed = re.match(r"[\s*_•-]*[^\d:=]{2,40}:", text[segment.start : segment.end]) is not None
        return agreed(results[-1:], unit, STATED if listed else CONCLUDED, "calculated")
    if _is_broken_down(line.stated, text):
        return agreed(line.stated[:1], unit, CONCLUDED, "total")
    colon = re.match(r"[^:]*:[ *_`]*\Z", text[segment.start : plain[-1].start])
    if len(plain) > 1 and colon and not words_of(text[plain[-1].end : segment.end]):
        return agreed(plain[-1:], unit, JUDGED, "summed up")
    if unit in ("count", None) and len({q.value for q in plain}) > 1:
        counted = [q for q in plain if counts_asked(q, asked, segment, text)]
        if len({q.value for q in counted}) == 1:
            return agreed(counted, unit, JUDGED, "counted")
    if len({q.in_unit(unit) for q in plain}) > 1:
        named = most_asked(plain, asked, segment, text)
        if named is not None:
            if is_estimated(named, segment, text):
                return agreed([named], unit, CONCLUDED if is_last else JUDGED, "estimated")
            return agreed([named], unit, JUDGED, "asked for")
    strength = CONCLUDED if is_last else JUDGED
    if len({(q.kind, q.factor) for q in plain}) > 1:
        together = agreed(plain, unit, strength, "restated")
        if together.value is not None:
            return together
    estimated = [q for q in plain if is_estimated(q, segment, text)]
    estimated = [q for q in estimated if not q.note] or estimated
    if not estimated:
        return agreed(plain, unit, STATED, "stated")
    if len(estimated) == 1:
        estimated = restated_from(estimated[0], plain, text)
    elif len(estimated) < len(plain):
        estimated = estimated[-1:]
    return agreed(estimated, unit, strength, "estimated")


def _is_broken_down(found: Sequence[Quantity], text: str) -> bool:
    """Whether the first number is the sum of those behind a colon: "four lamps: three here, one there"."""
    if len(found) < 2:
        return False
    first, *parts = found
    gap = text[first.end : parts[0].start]
    joined = re.search(r":[ \n]|[(—–]", gap) is not None and not re.search(r"[.;!?]", gap)
    return joined and sum((q.value for q in parts), Fraction(0)) == first.value


def _main(line: NumberLine, text: str, asked: AskedQuantity) -> list[Quantity]:
    """The quantities that are the answer, of those in a sentence that is known to hold it."""
    segment = line.segment
    plain = without_weak(line.stated)
    for group in ([q for q in plain if q.result], [q for q in plain if q.asked]):
        if group:
            return group[-1:]
    if len({q.value for q in plain}) == 1:
        return plain
    totals = segment.having("total")
    for quantity in plain:
        if is_estimated(quantity, segment, text) or any(0 <= quantity.start - c.end <= 6 for c in totals):
            return [quantity]
    for quantity in plain:
        if counts_asked(quantity, asked, segment, text):
            return [quantity]
    return plain[-1:] if segment.language.names & VERB_FINAL else restatements(plain, text)
