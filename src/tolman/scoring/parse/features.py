"""What a candidate is weighed by: numbers that mean the same in every language."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from tolman.scoring.parse.candidates import NamedPlace, NamedValue, TextLines, segments_of
from tolman.scoring.parse.commitments import STATED, Commitment
from tolman.scoring.parse.segments import Segment, is_question

FAR = 400.0
"""Characters from which on a distance counts as none."""
RULES = (
    "alone", "asked for", "calculated", "chosen", "concluded", "contrasted", "corrected", "counted", "declared",
    "dimensions",
    "eliminated", "estimated", "first", "judged", "labelled", "last", "left over", "named", "none there", "opposite",
    "order", "restated", "route", "row", "stated",
    "summed up", "superlative", "total", "value",
)  # fmt: skip
"""Rules that are told from each other."""
BEFORE = ("answer", "choose", "conclude", "correct", "copula", "estimate", "total", "remaining", "superlative",
    "suppose",
    "contrast", "tentative", "negate", "premise", "reason", "unknown", "affirm", "alternative")  # fmt: skip
"""Roles of words whose distance in front of a candidate is measured, within its sentence."""
BEHIND = ("affirm", "deny", "negate", "superlative", "answer", "choose", "conclude", "contrast", "copula", "correct",
    "suppose", "alternative", "estimate", "unknown")  # fmt: skip
"""The same behind it."""
NEAR = ("answer", "choose", "conclude", "correct", "negate", "deny", "suppose", "contrast", "superlative", "affirm",
    "unknown", "tentative")  # fmt: skip
"""Roles of words that are looked for in the sentence that is closest to an option."""
NOTES = ("several", "disagree", "among", "announced", "range", "bound", "refusal", "passing", "no answer")
"""Words of the notes on what the rules did not read."""


@dataclass(frozen=True, slots=True)
class ResponseSetting:
    """The response around the candidates.

    Attributes:
        text: without markup.
        lines: of it.
        commitments: all, in order.
        chosen: the commitment that stands by the rules.
        note: why the rules read none; empty where they read one.
        unknown_at: where the text says last that it doesn't know; -1 if it doesn't.
        broken: whether it breaks off.
        choices: number of options; 0 for a number.
        unit: whether the item has a unit.
    """

    text: str
    lines: TextLines
    commitments: Sequence[Commitment]
    chosen: Commitment | None
    note: str
    unknown_at: int
    broken: bool
    choices: int
    unit: bool


@cache
def names() -> tuple[str, ...]:
    """List the names of the features.

    Returns:
        One for each number that `features` gives, in its order.
    """
    return (
        "chosen", "read", "strength", "last strength", "commitments", "commitment to end", "others strength",
        "others later",
        "others committed", "none strength", "none later", *(f"rule {r}" for r in RULES), "several here",
        "places", "plain", "denied", "weak", "in words", "by letter", "marked", "heads", "is first", "is last",
        "is last of all",
        "only in last line", "only in first line", "in last line", "in first line", "share", "others plain",
        "others behind",
        "others denied", "others in line", "others plain in line", "to end", "from start", "in line from start",
        "in line to end", "line words", "lines behind", "question", "quoted", "bold", "colon before", "bracket before",
        "whole line", *(f"before: {r}" for r in BEFORE), *(f"behind: {r}" for r in BEHIND),
        *(f"any before: {r}" for r in BEFORE[:4]), *(f"any behind: {r}" for r in BEHIND[:3]), "first place from start",
        "correct behind", "unknown", "unknown behind", "lines", "characters", "candidates", "choices", "unit", "broken",
        *(f"note {n}" for n in NOTES), "sum of others", "largest", "smallest", "whole number", "zero", "earlier of two",
        "near", "near lead", "near last", "near last lead", "near first", "near first lead", "near whole",
        "near whole lead",
        "near lines behind", "near question", *(f"near: {r}" for r in NEAR), "named", "others named",
    )  # fmt: skip


def features(found: Sequence[NamedValue], setting: ResponseSetting) -> list[list[float]]:
    """Measure candidates.

    Args:
        found: all candidates of a response.
        setting: the response.

    Returns:
        For each candidate as many numbers as `names` has names.
    """
    text = setting.text
    end = len(text.rstrip())
    segments = segments_of(setting.lines)
    plain = [(p, c) for c in found for p in c.places if p.plain]
    every = [(p, c) for c in found for p in c.places]
    first = min(plain, key=lambda pc: pc[0].start, default=None)
    last = max(plain, key=lambda pc: pc[0].start, default=None)
    last_of_all = max(every, key=lambda pc: pc[0].start, default=None)
    by_line: dict[int, set[int]] = {}
    for p, c in plain:
        by_line.setdefault(p.line, set()).add(id(c))
    all_by_line: dict[int, set[int]] = {}
    for p, c in every:
        all_by_line.setdefault(p.line, set()).add(id(c))
    last_plain = {id(c): max((p.start for p in c.places if p.plain), default=-1) for c in found}
    correct = max((cue.start for s in segments[-8:] for cue in s.having("correct")), default=-1)
    none = [c for c in setting.commitments if c.value is None]
    lengths = [math.log1p(len(segments)), math.log1p(end), len(found), setting.choices, setting.unit, setting.broken]
    notes = [setting.note.find(n) >= 0 for n in NOTES]
    rows = []
    for c in found:
        best = c.best
        own = c.commitments
        strongest = max(own, key=lambda k: (k.strength, k.start), default=None)
        at = own[-1].end if own else -1
        others = [k for k in setting.commitments if k.value is not None and k.value != c.value]
        chosen = setting.chosen is not None and setting.chosen.value == c.value
        row: list[float] = [
            chosen,
            chosen and not setting.note,
            strongest.strength if strongest else 0,
            own[-1].strength if own else 0,
            len(own),
            min(FAR, end - at) if own else FAR,
            max((k.strength for k in others), default=0),
            max((k.strength for k in others if k.start > at), default=0),
            len({k.value for k in others}),
            max((k.strength for k in none), default=0),
            max((k.strength for k in none if k.start > at), default=0),
        ]
        row += [strongest is not None and strongest.rule == r for r in RULES]
        row.append(best is not None and any(k.start <= best.start < k.end for k in none))
        row += _of_places(c, best)
        row += [first is not None and first[1] is c, last is not None and last[1] is c]
        row.append(last_of_all is not None and last_of_all[1] is c)
        ends = len(segments) - 1
        row += [by_line.get(ends) == {id(c)}, by_line.get(0) == {id(c)}]
        row += [id(c) in all_by_line.get(ends, ()), id(c) in all_by_line.get(0, ())]
        row.append(sum(p.plain for p in c.places) / max(1, len(plain)))
        row += [sum(o is not c and last_plain[id(o)] >= 0 for o in found)]
        row += [sum(o is not c and best is not None and last_plain[id(o)] > best.start for o in found)]
        row += [sum(o is not c and any(p.denied for p in o.places) for o in found)]
        row += [len(group.get(best.line, set()) - {id(c)}) if best else 0 for group in (all_by_line, by_line)]
        row += _around(best, segments, text, end)
        row += _any_cues(c, segments)
        row += [min(FAR, c.places[0].start) if c.places else FAR, correct > (best.start if best else at)]
        row += [setting.unknown_at >= 0, setting.unknown_at > (best.start if best else at)]
        row += lengths
        row += notes
        row += _of_value(c, found)
        row += _of_closeness(c, segments, text)
        row += [c.named, sum(o.named for o in found if o is not c)]
        rows.append([float(v) for v in row])
    return rows


def _of_places(c: NamedValue, best: NamedPlace | None) -> list[float]:
    """Counts of a candidate's places, and how the best of them is written."""
    places = c.places
    return [
        len(places),
        sum(p.plain for p in places),
        sum(p.denied for p in places),
        sum(p.weak for p in places),
        sum(p.text for p in places),
        sum(not p.text for p in places),
        sum(p.marked for p in places),
        best is not None and best.heads,
    ]


def _around(best: NamedPlace | None, segments: Sequence[Segment], text: str, end: int) -> list[float]:
    """What stands around a place: distances, signs, words that do something."""
    if best is None:
        return [FAR, FAR, FAR, FAR, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] + [FAR] * (len(BEFORE) + len(BEHIND))
    segment = segments[best.line]
    lead, rest = text[segment.start : best.start], text[best.end : segment.end]
    before, behind = lead.rstrip(), rest.lstrip()
    row: list[float] = [
        min(FAR, end - best.end),
        min(FAR, best.start),
        min(FAR, len(lead)),
        min(FAR, len(rest.rstrip())),
        len(segment.words),
        len(segments) - 1 - best.line,
        rest.rstrip(" *_`\"')\t").endswith("?"),
        before[-1:] in ('"', "'", "“", "«", "「", "『", "‘", "„"),
        before[-2:] == "**" or behind[:2] == "**",
        before.rstrip("*_`\"' ")[-1:] in (":", "→", "=", "–", "—"),
        lead.count("(") > lead.count(")"),
        segment.line_start and segment.line_end,
    ]
    for role in BEFORE:
        row.append(min([FAR, *(best.start - cue.end for cue in segment.having(role) if cue.end <= best.start)]))
    for role in BEHIND:
        row.append(min([FAR, *(cue.start - best.end for cue in segment.having(role) if cue.start >= best.end)]))
    return row


def _any_cues(c: NamedValue, segments: Sequence[Segment]) -> list[float]:
    """The least distances of announcing and judging words over the last few places."""
    near = [p for p in c.places if not p.denied][-4:]
    row: list[float] = []
    for role in BEFORE[:4]:
        gaps = (p.start - cue.end for p in near for cue in segments[p.line].having(role) if cue.end <= p.start)
        row.append(min(gaps, default=FAR))
    for role in BEHIND[:3]:
        gaps = (cue.start - p.end for p in near for cue in segments[p.line].having(role) if cue.start >= p.end)
        row.append(min(gaps, default=FAR))
    return row


def _of_value(c: NamedValue, found: Sequence[NamedValue]) -> list[float]:
    """How a number stands to the others."""
    earlier = len(found) == 2 and found[0] is c
    if not isinstance(c.value, Fraction):
        return [0.0, 0.0, 0.0, 0.0, 0.0, earlier]
    values = [o.value for o in found if isinstance(o.value, Fraction) and o is not c]
    return [
        len(values) > 1 and sum(values) == c.value,
        all(v < c.value for v in values),
        all(v > c.value for v in values),
        c.value.denominator == 1,
        c.value == 0,
        earlier,
    ]


def _of_closeness(c: NamedValue, segments: Sequence[Segment], text: str) -> list[float]:
    """How close the response is to an option's text, and what stands in the closest sentence."""
    near = c.near
    if near is None:
        return [0.0] * (10 + len(NEAR))
    segment = segments[near.line]
    row: list[float] = [near.best, near.lead, near.last, near.last_lead, near.first, near.first_lead, near.whole]
    row += [near.whole_lead, len(segments) - 1 - near.line, is_question(segment, text)]
    return [*row, *(bool(segment.having(role)) for role in NEAR)]


def is_settled(found: Sequence[NamedValue], chosen: Commitment | None) -> bool:
    """Tell whether there is nothing to weigh.

    Args:
        found: all candidates of a response.
        chosen: the commitment that stands by the rules.

    Returns:
        True where the only value that the response names is read and more than stated in passing.
    """
    named = sum(c.named for c in found)
    return named == 1 and chosen is not None and chosen.value is not None and chosen.strength > STATED
