"""Numbers that a sentence totals or concludes."""

from __future__ import annotations

from collections.abc import Sequence

from tolman.scoring.parse.agreement import (
    VERB_FINAL,
    agreed,
    counts_asked,
    is_estimated,
    restated_from,
    restatements,
    without_weak,
)
from tolman.scoring.parse.commitments import CONCLUDED, Commitment
from tolman.scoring.parse.lexicon import Cue
from tolman.scoring.parse.measures import Quantity
from tolman.scoring.parse.number_lines import AskedQuantity, NumberLine

MAX_TOTAL_GAP = 60
"""Characters between "in total" and its number, at most."""


def concluded_number(line: NumberLine, text: str, asked: AskedQuantity) -> Commitment | None:
    """The quantity that a sentence totals or concludes."""
    segment = line.segment
    totals, conclusions = segment.having("total"), segment.having("conclude")
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
