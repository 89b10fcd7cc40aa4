"""Commitments of a response to a number: announced, concluded, alone, or stated.

Numbers alone in a line or under a label, dimensions, and the zero of things that aren't there count too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tolman.items import Unit
from tolman.scoring.parse.commitments import (
    ALONE,
    CONCLUDED,
    DECLARED,
    JUDGED,
    SEVERAL,
    STATED,
    Commitment,
)
from tolman.scoring.parse.counts_in_words import (
    MAX_SHORT_LINES,
    in_words,
    is_unsettled,
    listed_by_place,
    none_there,
    of_the_thing,
    one_by_one,
    places_added,
    the_rest,
)
from tolman.scoring.parse.lexicon import (
    Cue,
    Languages,
    Span,
    is_inside,
    longest,
    same_word,
    words_of,
)
from tolman.scoring.parse.number_lines import (
    VERB_FINAL,
    AskedQuantity,
    NumberLine,
    agreed,
    asked_for,
    counts_asked,
    is_estimated,
    most_asked,
    number_lines,
    restated_from,
    restatements,
    without_weak,
)
from tolman.scoring.parse.other_quantities import MEASURED, dimensions, multiplied
from tolman.scoring.parse.response_segments import (
    Segment,
    announces_next,
    cues_in_front,
    opening_denials,
)
from tolman.scoring.parse.units import Quantity

_SETTLED_RULES = frozenset({"chosen", "concluded", "total"})
"""Rules that count as an announcement in the last sentence."""
_PASSING_RULES = frozenset({"stated", "estimated", "asked for", "counted", "restated"})
"""Rules that count as a conclusion in the last sentence."""


def number_commitments(text: str, unit: Unit | None, question: str, language: Languages) -> list[Commitment]:
    """Find every place where a text commits itself to a number.

    Args:
        text: without markup.
        unit: of the item.
        question: that names the things to count or measure.
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
        question: that names the things to count or measure.
        language: of the text.

    Returns:
        The commitments in order, and the lines.
    """
    asked = asked_for(unit, question, language)
    lines = number_lines(text, asked, language)
    listed = listed_by_place(lines, text, asked)
    if listed is None and len(text) <= MAX_SETTLED_CHARS:
        listed = one_by_one(lines, text, asked) or the_rest(lines, text, asked)
    if listed is not None:
        return [listed], lines
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
    result = _promoted(result, lines, text, asked)
    named = of_the_thing(lines, text, asked)
    if named is not None and all(c.strength < CONCLUDED or c.value == named.value for c in result):
        result.append(replace(named, strength=max(named.strength, *(c.strength for c in result), 0)))
    if asked.unit == "count" and len(lines) <= MAX_SHORT_LINES and len(text) <= MAX_SETTLED_CHARS:
        result = [replace(c, value=None, note=SEVERAL) if is_unsettled(c, lines, text, asked) else c for c in result]
    return sorted(result, key=lambda c: (c.start, c.end)), lines


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
    closest = best >= MIN_ASKED_WORDS and best - sorted(scores)[-2] >= MIN_ASKED_LEAD
    rule = "row" if rows else "closest to the question" if closest else "asked for"
    return [replace(chosen, strength=JUDGED, rule=rule, note="")]


MIN_ASKED_WORDS = 2
"""Words of the question that the sentence of a number repeats, at least, for the number to be trusted."""
MIN_ASKED_LEAD = 2
"""By so many it repeats more than the sentence of any other number, at least."""


def _is_row(text: str, place: int) -> bool:
    """Check whether a place is in the row of a table."""
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
    spelled = in_words(lines, i, text, asked)
    if spelled:
        return spelled
    if not stated:
        return dimensions(line, text, asked) or none_there(lines, i, text, asked)
    line = _settled(line, text)
    stated = line.stated
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
    added = places_added(line, text, asked) or multiplied(line, text, asked)
    if added is not None:
        return [replace(added, strength=CONCLUDED if is_last or i == 0 else STATED)]
    chosen = concluded_number(line, text, asked)
    if chosen is not None:
        return [chosen]
    return [] if line.premise and len(lines) > 1 else [_stated(line, text, asked, is_last)]


def _settled(line: NumberLine, text: str) -> NumberLine:
    """Start a line at its last conclusion if another quantity precedes it: "24 m in all, so the path is 20 m"."""
    segment = line.segment
    for cue in reversed(segment.having("conclude")):
        behind = [q for q in line.stated if q.start >= cue.end]
        before = [q for q in line.stated if q.end <= cue.start]
        if not behind or not before or text[: cue.start].rstrip()[-1:] not in (",", ";", "—", "–"):
            continue
        if _is_behind_copula(behind[0], segment, text) and behind[0].kind == before[-1].kind:
            return replace(line, found=[q for q in line.found if q.start >= cue.end])
        return line
    return line


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


_A_ONE = re.compile(r"(?:,|\band)[ ](?:an?|another)[ ](?:\w+[ ]){0,2}(?:one|pair|couple)\b(?![ ](?:by|at|on|in))", re.I)
"""A further thing of another kind: "and a red one"."""


def _stated(line: NumberLine, text: str, asked: AskedQuantity, is_last: bool) -> Commitment:
    """The quantities that a line states without any announcement."""
    segment, unit = line.segment, asked.unit
    plain = without_weak(line.stated)
    if unit == "count" and _A_ONE.search(text, plain[0].end, segment.end):
        return Commitment(None, JUDGED, plain[0].start, plain[-1].end, "stated", SEVERAL)
    worked_out = _worked_out(line, plain, text, unit)
    if worked_out is not None:
        return worked_out
    pointed_out = _pointed_out(plain, segment, text, asked, is_last)
    if pointed_out is not None:
        return pointed_out
    strength = CONCLUDED if is_last else JUDGED
    if len({(q.kind, q.factor) for q in plain}) > 1:
        together = agreed(plain, unit, strength, "restated")
        if together.value is not None:
            return together
    return _estimated(plain, segment, text, unit, strength)


def _worked_out(line: NumberLine, plain: Sequence[Quantity], text: str, unit: Unit | None) -> Commitment | None:
    """The result of a calculation, or the sum that a line breaks down or ends in."""
    segment = line.segment
    results = [q for q in plain if q.result]
    if results:
        listed = re.match(r"[\s*_•-]*[^\d:=]{2,40}:", text[segment.start : segment.end]) is not None
        return agreed(results[-1:], unit, STATED if listed else CONCLUDED, "calculated")
    if _is_broken_down(line.stated, text):
        return agreed(line.stated[:1], unit, CONCLUDED, "total")
    colon = re.match(r"[^:]*:[ *_`]*\Z", text[segment.start : plain[-1].start])
    if len(plain) > 1 and colon and not words_of(text[plain[-1].end : segment.end]):
        return agreed(plain[-1:], unit, JUDGED, "summed up")
    return None


def _pointed_out(
    plain: Sequence[Quantity], segment: Segment, text: str, asked: AskedQuantity, is_last: bool
) -> Commitment | None:
    """Return the quantity, of several different ones, that counts or measures the thing asked for."""
    unit = asked.unit
    if unit in ("count", None) and len({q.value for q in plain}) > 1:
        counted = [q for q in plain if counts_asked(q, asked, segment, text)]
        if len({q.value for q in counted}) == 1:
            return agreed(counted, unit, JUDGED, "counted")
    if len({q.in_unit(unit) for q in plain}) == 1:
        return None
    named = most_asked(plain, asked, segment, text)
    if named is None:
        return None
    if is_estimated(named, segment, text):
        return agreed([named], unit, CONCLUDED if is_last else JUDGED, "estimated")
    return agreed([named], unit, JUDGED, "asked for")


def _estimated(plain: Sequence[Quantity], segment: Segment, text: str, unit: Unit | None, strength: int) -> Commitment:
    """The quantities that a line estimates; all of them where it estimates none."""
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
    """Check whether the first number is the sum of those behind a colon: "four lamps: three here, one there"."""
    if len(found) < 2:
        return False
    first, *parts = found
    gap = text[first.end : parts[0].start]
    joined = re.search(r":(?!\d)|[(—–]", gap) is not None and not re.search(r"[.;!?]", gap)
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


MAX_SETTLED_CHARS = 1_000
"""Characters of a response whose counts may still be to be worked out, at most."""
MAX_ANSWER_REACH = 120
"""Characters between "the answer is" and the number that it announces, at most."""
MAX_CHOOSE_REACH = 40
"""Characters between "I choose" and the number, at most."""
MAX_BEFORE_REACH = 24
"""Characters between a number and "is the answer", at most."""
MAX_COPULA_GAP = 6
"""Characters between "is" and a number, at most."""

_ANOTHER = re.compile(r"[^,.;:(]{0,40}\b(?:and|or|und|oder|y|o|et|ou|e|и|или)\s+", re.IGNORECASE)


def announced_numbers(line: NumberLine, text: str, unit: Unit | None) -> list[Commitment]:
    """Find the numbers that a line announces, behind the announcement or before it.

    Args:
        line: the sentence or line; it states a quantity.
        text: without markup.
        unit: of the item.

    Returns:
        A commitment for each announcement that holds a quantity.
    """
    segment, stated = line.segment, line.stated
    found = []
    cues = [
        c for c in segment.having("answer", "choose") if next(cues_in_front(segment, c, text, "suppose"), None) is None
    ]
    for cue in longest(cues):
        declares = cue.role == "answer"
        behind = _behind(cue, stated, unit)
        if behind and not any(cue.end <= c.start < behind[0].start for c in segment.having("premise")):
            strength = DECLARED if declares else CONCLUDED
            results = [q for q in behind if q.result]
            if results:
                found.append(agreed(results[-1:], unit, strength, "declared" if declares else "chosen"))
                continue
            behind = _pointed_at(behind, cue, segment, text)
            group = restatements(behind, text)
            if all(q.note for q in group) and any(not q.note for q in behind):
                group = behind  # "between 35 and 45, most likely 40"
            last = group[-1]
            following = next((q for q in behind if q.start > last.end), None)
            if (
                following is not None
                and following.kind == last.kind
                and _ANOTHER.fullmatch(text[last.end : following.start])
            ):
                found.append(Commitment(None, strength, group[0].start, following.end, "declared", SEVERAL))
            else:
                found.append(agreed(group, unit, strength, "declared" if declares else "chosen"))
            continue
        before = [q for q in stated if q.end <= cue.start and cue.start - q.end <= MAX_BEFORE_REACH]
        if (
            before
            and declares
            and segment.language.is_only("copula", text[before[-1].end : cue.start])
            and not any(q.start >= cue.end for q in stated)
        ):
            found.append(agreed(before[-1:], unit, DECLARED, "declared"))
    return found


def _behind(cue: Cue, stated: Sequence[Quantity], unit: Unit | None) -> list[Quantity]:
    """The quantities behind an announcement; weak ones only where nothing else could be meant."""
    reach = MAX_ANSWER_REACH if cue.role == "answer" else MAX_CHOOSE_REACH
    behind = [q for q in stated if 0 <= q.start - cue.end <= reach]
    strong = [q for q in behind if not q.weak]
    if strong or cue.role == "choose" or (unit in MEASURED and len(stated) > 1):
        return strong
    return behind


def _pointed_at(behind: list[Quantity], cue: Cue, segment: Segment, text: str) -> list[Quantity]:
    """The quantities behind an announcement from the one that "is" or "about" points at."""
    if not words_of(text[cue.end : behind[0].start]):
        return behind
    if len(behind) > 1 and segment.language.names & VERB_FINAL:
        return behind[-1:]
    for i, quantity in enumerate(behind):
        if is_estimated(quantity, segment, text) or _is_behind_copula(quantity, segment, text):
            return behind[i:]
    return behind


def _is_behind_copula(quantity: Quantity, segment: Segment, text: str) -> bool:
    """Check whether a copula comes right before a quantity: "the answer to … is 7"."""
    return any(
        0 <= quantity.start - c.end <= MAX_COPULA_GAP and not words_of(text[c.end : quantity.start])
        for c in segment.having("copula")
    )


MAX_TOTAL_GAP = 60
"""Characters between "in total" and its number, at most."""


def concluded_number(line: NumberLine, text: str, asked: AskedQuantity) -> Commitment | None:
    """The quantity that a sentence totals or concludes."""
    segment = line.segment
    totals, conclusions = segment.having("total"), segment.having("conclude")
    if _AVERAGE.search(asked.question):
        mean, totals = _AVERAGE.search(text, segment.start, segment.end), []
        behind = [q for q in without_weak(line.stated) if mean and 0 <= q.start - mean.end() <= MAX_MEAN_GAP]
        if behind:
            return agreed(behind[:1], asked.unit, CONCLUDED, "total")
    if not totals and not conclusions:
        return None
    plain = without_weak(line.stated)
    results = [q for q in plain if q.result]
    if results:
        return agreed(results[-1:], asked.unit, CONCLUDED, "concluded")
    if totals:
        near = min(plain, key=lambda q: _distance(q, totals))
        following = [q for q in plain if 0 <= q.start - totals[-1].end <= MAX_TOTAL_GAP]
        if following and segment.language.names & VERB_FINAL:
            near = following[-1]
        near = _broken_down(line, totals, text, asked) or near
        if _distance(near, totals) <= MAX_TOTAL_GAP:
            return agreed(restated_from(near, plain, text), asked.unit, CONCLUDED, "total")
    if not conclusions:
        return None
    behind = without_weak([q for q in line.stated if q.start >= conclusions[0].end])
    premises = [c for c in segment.having("premise") if c.start >= conclusions[0].start]
    if not behind or (premises and premises[0].start < behind[0].start):
        return None
    if len({q.value for q in behind}) > 1:
        behind = _one_of(behind, line, text, asked)
    return agreed(behind, asked.unit, CONCLUDED, "concluded")


MAX_MEAN_GAP = 40
"""Characters between "average" and its number, at most."""
_AVERAGE = re.compile(
    r"\b(?:average|averaging|mean|durchschnitt\w*|im mittel|moyenne|promedio|média|средн\w*)\b|平均", re.IGNORECASE
)
"""What a total isn't, where a question asks for it."""
_PARTS_BEHIND = re.compile(r",[^,.;:]*\b(?:of (?:which|them)|davon|dont)\b|(?P<several>[ *_]*[:;,(—–]|[ ]-[ ])")
"""Behind "in total": a part of the total, or several parts."""


def _broken_down(line: NumberLine, totals: Sequence[Cue], text: str, asked: AskedQuantity) -> Quantity | None:
    """Return a total in front of its parts: "three doors in total: two on the left and one at the end"."""
    for cue in totals:
        parts = _PARTS_BEHIND.match(text, cue.end)
        before = [q for q in line.found if q.end <= cue.start and not q.operand][-1:]
        behind = [q for q in line.found if q.start >= cue.end]
        if parts and before and behind and not re.search(r"[,.;:]", text[before[0].end : cue.start]):
            less = behind[0].value < before[0].value and not counts_asked(behind[0], asked, line.segment, text)
            if less or len(behind) > bool(parts["several"]):
                return before[0]
    return line.found[0] if not line.found[0].operand and _is_broken_down(line.found, text) else None


def _distance(quantity: Quantity, cues: Sequence[Cue]) -> int:
    """Characters between a quantity and the nearest of some cues."""
    return min(min(abs(quantity.start - c.end), abs(c.start - quantity.end)) for c in cues)


def _one_of(behind: Sequence[Quantity], line: NumberLine, text: str, asked: AskedQuantity) -> list[Quantity]:
    """The quantities that are concluded, of several behind a conclusion."""
    segment = line.segment
    if asked.unit in ("count", None):
        counted = [q for q in behind if counts_asked(q, asked, segment, text)]
        if len({q.value for q in counted}) == 1:
            return counted
    estimated = [q for q in behind if is_estimated(q, segment, text)]
    if estimated:
        return restated_from(estimated[-1], behind, text)
    run = restatements(behind, text)
    return run if len(run) == len(behind) else [behind[-1]]


MAX_LABEL_WORDS = 6
"""Words of a label in front of a number, at most."""
MAX_LONE_QUANTITIES = 3
"""Different quantities in a line that holds nothing else, at most."""

_LONE_ROLES = (
    "estimate", "answer", "copula", "total", "conclude", "bound", "bound_after", "between", "range_to",
    "alternative"
)  # fmt: skip
"""Roles of words that may stand beside a number that stands alone."""


def is_alone(line: NumberLine, text: str, asked: AskedQuantity) -> bool:
    """Check whether a segment holds a quantity and nothing else that matters, or names it with the question's words."""
    segment, stated = line.segment, line.stated
    if segment.line_start and segment.line_end and _is_labelled(line, text, asked):
        return True
    if len({(q.value, q.kind) for q in stated}) > MAX_LONE_QUANTITIES:
        return False
    known: list[Span] = [*stated, *segment.having(*_LONE_ROLES)]
    skip = segment.language.skip
    return all(is_inside(w, known) or w.folded in skip or asked.is_about([w]) for w in segment.words)


def _is_labelled(line: NumberLine, text: str, asked: AskedQuantity) -> bool:
    """Check whether a label of the question's words precedes a segment's quantities, with nothing behind them."""
    segment, stated = line.segment, line.stated
    label = [w for w in segment.words if w.end <= stated[0].start]
    repeated = all(w.folded in segment.language.skip or asked.is_about([w]) for w in label)
    return (
        len(label) <= (2 * MAX_LABEL_WORDS if repeated else MAX_LABEL_WORDS)
        and re.match(r"[^:\n]{1,60}:", text[segment.start : stated[0].start]) is not None
        and not words_of(text[stated[-1].end : segment.end])
        and (asked.is_about(label) or bool(segment.having("estimate", "total")))
    )
