"""The learned selector of the answer among the values that a response names, where the rules leave a doubt.

The rules read first. Then the candidates are weighed by small trees. `training/reader/train.py` makes them from
labelled responses and writes them to `weights.json`. A candidate that is likely enough is read where the rules read
none. A reading that is likely wrong is dropped, or another takes its place. The rules decide alone about responses in a
wrapper, those that name a single value plainly, and those that hold no answer for a known reason.

The features of a candidate are numbers that mean the same in every language.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources

from tolman.scoring.parse.answer_candidates import NamedPlace, NamedValue, TextLines, segments_of
from tolman.scoring.parse.commitments import (
    ALONE,
    DECLARED,
    IN_PASSING,
    NO_ANSWER,
    REFUSAL,
    SEVERAL,
    STATED,
    UNLIKELY,
    WRAPPED,
    Commitment,
)
from tolman.scoring.parse.response_segments import Segment, is_question

MAX_ENDING_CHARS = 4
"""Characters behind an announced answer that ends a response, at most."""
AGAINST_QUESTION = frozenset({"measured", "in words", "added up", "left over"})
"""Rules that read a response against its question, which the trees can't judge."""
RULE = "selected"
"""The name of the rule that reads what the selector chooses."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The trees for one kind of items.

    Attributes:
        base: log odds of a candidate before any tree.
        trees: each a list of nodes: feature, threshold, places of the nodes for at most and more than that, value.
            A leaf has the feature -1.
        read: from this chance on a candidate is read where the rules read none.
        drop: below this chance a reading of the rules is dropped.
        switch: from this chance on another takes the place of a reading that is dropped.
    """

    base: float
    trees: tuple[tuple[tuple[int, float, int, int, float], ...], ...]
    read: float
    drop: float
    switch: float

    def chance(self, row: Sequence[float]) -> float:
        """Return how likely a candidate is the answer.

        Args:
            row: its features.

        Returns:
            A probability.
        """
        score = self.base
        for tree in self.trees:
            feature, threshold, low, high, value = tree[0]
            while feature >= 0:
                feature, threshold, low, high, value = tree[low if row[feature] <= threshold else high]
            score += value
        return 1 / (1 + math.exp(-score))


@cache
def weights() -> dict[str, Weights]:
    """Read the trees, once.

    Returns:
        The weights by the kind of items.
    """
    path = resources.files("tolman.scoring.parse") / "weights.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    if tuple(data["features"]) != names():
        raise ValueError("weights.json: made for other features; run training/reader/train.py")
    return {
        kind: Weights(
            base=found["base"],
            trees=tuple(tuple(_node(n) for n in tree) for tree in found["trees"]),
            read=found["read"],
            drop=found["drop"],
            switch=found["switch"],
        )
        for kind, found in data["kinds"].items()
    }


def _node(stored: Sequence[float]) -> tuple[int, float, int, int, float]:
    """A node as it is walked: stored as its value alone where it is a leaf."""
    if len(stored) == 1:
        return -1, 0.0, -1, -1, stored[0]
    feature, threshold, low, high = stored
    return int(feature), threshold, int(low), int(high), 0.0


def is_open(setting: ResponseSetting, found: Sequence[NamedValue]) -> bool:
    """Check whether there is anything to weigh.

    Args:
        setting: the response.
        found: its candidates.

    Returns:
        False where the rules read a wrapper, the only value that there is or against the question, or know why there
        is no answer: two that
        are announced, a bound, a letter that contradicts its text.
    """
    if is_plain(setting) or any(c.strength == WRAPPED for c in setting.commitments):
        return False
    if setting.chosen is not None and setting.chosen.rule in AGAINST_QUESTION:
        return False
    if setting.note == SEVERAL:
        apart = bool(setting.choices) or len(setting.lines) > 1  # "2.5 m and 3.5 m" is all that is said
        return apart and setting.chosen is not None and setting.chosen.strength < ALONE
    if setting.note:
        return setting.note in (NO_ANSWER, REFUSAL, IN_PASSING)
    return not is_settled(found, setting.chosen)


def is_plain(setting: ResponseSetting) -> bool:
    """Check whether a response ends in its only announcement, so that nothing needs to be collected.

    Args:
        setting: the response.

    Returns:
        True for "There are 2 sofas. Final answer: 4".
    """
    chosen = setting.chosen
    if chosen is None or setting.note or chosen.strength != DECLARED or chosen.rule != "declared":
        return False
    if any(c.strength >= ALONE and c.value != chosen.value for c in setting.commitments):
        return False
    return len(setting.text.rstrip()) - chosen.end <= MAX_ENDING_CHARS


def select(kind: str, setting: ResponseSetting, found: Sequence[NamedValue]) -> Commitment | None:
    """Choose among the candidates of a response.

    Args:
        kind: of the item.
        setting: the response, with the rules' reading.
        found: its candidates.

    Returns:
        A commitment to the one that is selected; one without value where the reading of the rules is dropped; None
        where the rules' reading is kept.
    """
    if not found or not is_open(setting, found):
        return None
    own = weights()[kind]
    chances = [own.chance(row) for row in features(found, setting)]
    return decided(own, chances, setting, found)


def decided(
    own: Weights, chances: Sequence[float], setting: ResponseSetting, found: Sequence[NamedValue]
) -> Commitment | None:
    """Choose among candidates whose chances are known.

    Args:
        own: for the thresholds.
        chances: of the candidates.
        setting: the response, with the rules' reading.
        found: its candidates.

    Returns:
        As `select`.
    """
    best = max(range(len(found)), key=lambda i: chances[i])
    start, end = found[best].span
    chosen = setting.chosen
    if setting.note or chosen is None:
        if chances[best] < own.read or setting.broken:
            return None
        return Commitment(found[best].value, chosen.strength if chosen else 0, start, end, RULE)
    at = next((i for i, c in enumerate(found) if c.value == chosen.value), None)
    if at is None or chances[at] >= own.drop:
        return None
    if best != at and chances[best] >= own.switch:
        return Commitment(found[best].value, chosen.strength, start, end, RULE)
    return Commitment(None, chosen.strength, chosen.start, chosen.end, RULE, UNLIKELY)


FAR = 400.0
"""Characters from which on a distance counts as none."""
RULES = (
    "alone", "asked for", "calculated", "chosen", "concluded", "contrasted", "corrected", "counted", "declared",
    "dimensions",
    "eliminated", "estimated", "first", "judged", "labelled", "last", "named", "none there",
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
        chosen: the commitment that the rules choose.
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
    overview = _Overview.of(found, setting)
    of_response = _of_response(found, setting, overview)
    rows = []
    for c in found:
        row: list[float] = [
            *_of_commitments(c, setting, overview),
            *_of_places(c, c.best),
            *_of_lines(c, overview),
            *_of_rivals(c, found, overview),
            *_around(c.best, overview.segments, setting.text, overview.end),
            *_any_cues(c, overview.segments),
            *_of_turns(c, setting, overview),
            *of_response,
            *_of_value(c, found),
            *_of_closeness(c, overview.segments, setting.text),
            c.named,
            sum(o.named for o in found if o is not c),
        ]
        rows.append([float(v) for v in row])
    return rows


@dataclass(frozen=True, slots=True)
class _Overview:
    """Facts that the features of all candidates of a response need.

    Attributes:
        end: where the text ends, without spaces.
        segments: of the text.
        first, last, last_of_all: the candidates that are named first and last without being denied, and last of all.
        plain_by_line: ids of the candidates that a line names without denying them.
        every_by_line: the same with those that it denies.
        plain_places: number of places at which candidates are not denied.
        last_plain: id of a candidate → its last such place; -1 where there is none.
        corrected_at: the last correction in the last segments; -1 without one.
        none: the commitments to no value.
    """

    end: int
    segments: Sequence[Segment]
    first: NamedValue | None
    last: NamedValue | None
    last_of_all: NamedValue | None
    plain_by_line: Mapping[int, set[int]]
    every_by_line: Mapping[int, set[int]]
    plain_places: int
    last_plain: Mapping[int, int]
    corrected_at: int
    none: Sequence[Commitment]

    @classmethod
    def of(cls, found: Sequence[NamedValue], setting: ResponseSetting) -> _Overview:
        """Look over a response.

        Args:
            found: its candidates.
            setting: the response.
        """
        segments = segments_of(setting.lines)
        every = [(p, c) for c in found for p in c.places]
        plain = [(p, c) for p, c in every if p.plain]
        return cls(
            end=len(setting.text.rstrip()),
            segments=segments,
            first=min(plain, key=_start_of, default=(None, None))[1],
            last=max(plain, key=_start_of, default=(None, None))[1],
            last_of_all=max(every, key=_start_of, default=(None, None))[1],
            plain_by_line=_by_line(plain),
            every_by_line=_by_line(every),
            plain_places=len(plain),
            last_plain={id(c): max((p.start for p in c.places if p.plain), default=-1) for c in found},
            corrected_at=max((cue.start for s in segments[-8:] for cue in s.having("correct")), default=-1),
            none=[c for c in setting.commitments if c.value is None],
        )


def _start_of(named: tuple[NamedPlace, NamedValue]) -> int:
    return named[0].start


def _by_line(named: Sequence[tuple[NamedPlace, NamedValue]]) -> dict[int, set[int]]:
    """The ids of the candidates that each line names."""
    by_line: dict[int, set[int]] = {}
    for p, c in named:
        by_line.setdefault(p.line, set()).add(id(c))
    return by_line


def _last_commitment_end(c: NamedValue) -> int:
    """Return where the last commitment to a candidate ends; -1 without one."""
    return c.commitments[-1].end if c.commitments else -1


def _of_commitments(c: NamedValue, setting: ResponseSetting, overview: _Overview) -> list[float]:
    """How plainly, how often and by which rule the response commits itself to a candidate, to others, and to none."""
    own, best, none = c.commitments, c.best, overview.none
    at = _last_commitment_end(c)
    strongest = max(own, key=lambda k: (k.strength, k.start), default=None)
    others = [k for k in setting.commitments if k.value is not None and k.value != c.value]
    chosen = setting.chosen is not None and setting.chosen.value == c.value
    return [
        chosen,
        chosen and not setting.note,
        strongest.strength if strongest else 0,
        own[-1].strength if own else 0,
        len(own),
        min(FAR, overview.end - at) if own else FAR,
        _max_strength(others),
        _max_strength(k for k in others if k.start > at),
        len({k.value for k in others}),
        _max_strength(none),
        _max_strength(k for k in none if k.start > at),
        *(strongest is not None and strongest.rule == r for r in RULES),
        best is not None and any(k.start <= best.start < k.end for k in none),
    ]


def _max_strength(commitments: Iterable[Commitment]) -> int:
    return max((k.strength for k in commitments), default=0)


def _of_lines(c: NamedValue, overview: _Overview) -> list[float]:
    """Return whether a candidate is the first or the last that is named, and the share of the places that name it."""
    ends = len(overview.segments) - 1
    plain, every = overview.plain_by_line, overview.every_by_line
    return [
        overview.first is c,
        overview.last is c,
        overview.last_of_all is c,
        plain.get(ends) == {id(c)},
        plain.get(0) == {id(c)},
        id(c) in every.get(ends, ()),
        id(c) in every.get(0, ()),
        sum(p.plain for p in c.places) / max(1, overview.plain_places),
    ]


def _of_rivals(c: NamedValue, found: Sequence[NamedValue], overview: _Overview) -> list[float]:
    """How many other candidates are named, named later, denied, and named in the line of a candidate's best place."""
    best = c.best
    others = [o for o in found if o is not c]
    groups = (overview.every_by_line, overview.plain_by_line)
    return [
        sum(overview.last_plain[id(o)] >= 0 for o in others),
        sum(best is not None and overview.last_plain[id(o)] > best.start for o in others),
        sum(any(p.denied for p in o.places) for o in others),
        *(len(group.get(best.line, set()) - {id(c)}) if best else 0 for group in groups),
    ]


def _of_turns(c: NamedValue, setting: ResponseSetting, overview: _Overview) -> list[float]:
    """Return where a candidate is named first, and whether a correction or "I don't know" follows it."""
    at = c.best.start if c.best else _last_commitment_end(c)
    return [
        min(FAR, c.places[0].start) if c.places else FAR,
        overview.corrected_at > at,
        setting.unknown_at >= 0,
        setting.unknown_at > at,
    ]


def _of_response(found: Sequence[NamedValue], setting: ResponseSetting, overview: _Overview) -> list[float]:
    """Return the features that are the same for all candidates of a response."""
    return [
        math.log1p(len(overview.segments)),
        math.log1p(overview.end),
        len(found),
        setting.choices,
        setting.unit,
        setting.broken,
        *(setting.note.find(n) >= 0 for n in NOTES),
    ]


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
    """Return the features of the text around a place: distances, signs, words that do something."""
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
    """Return how a number relates to the others."""
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
    """Return how close the response is to an option's text, and the features of the closest sentence."""
    near = c.near
    if near is None:
        return [0.0] * (10 + len(NEAR))
    segment = segments[near.line]
    row: list[float] = [near.best, near.lead, near.last, near.last_lead, near.first, near.first_lead, near.whole]
    row += [near.whole_lead, len(segments) - 1 - near.line, is_question(segment, text)]
    return [*row, *(bool(segment.having(role)) for role in NEAR)]


def is_settled(found: Sequence[NamedValue], chosen: Commitment | None) -> bool:
    """Check whether there is nothing to weigh.

    Args:
        found: all candidates of a response.
        chosen: the commitment that the rules choose.

    Returns:
        True where the only value that the response names is read and more than stated in passing.
    """
    named = sum(c.named for c in found)
    return named == 1 and chosen is not None and chosen.value is not None and chosen.strength > STATED
