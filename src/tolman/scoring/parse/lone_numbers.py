"""Numbers that stand alone or under a label, dimensions, and the zero of things that aren't there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction

from tolman.scoring.parse.commitments import ALONE, STATED, Commitment
from tolman.scoring.parse.number_lines import AskedQuantity, NumberLine
from tolman.scoring.parse.plain import fold
from tolman.scoring.parse.words import Span, is_glued, is_inside, same_word, words_of

MAX_NONE_GAP = 24
"""Characters between "no" and the things that aren't there, at most."""
MAX_SHORT_LINES = 3
"""Lines of a short answer, at most."""
MAX_LABEL_WORDS = 6
"""Words of a label in front of a number, at most."""
MAX_LONE_QUANTITIES = 3
"""Different quantities in a line that holds nothing else, at most."""

_LONGEST = re.compile(
    r"\b(?:longest|largest|biggest|length)\b|最长|最長|長邊|长边|가장 긴|длин|längste|plus long|más larg|maior"
    r"|lado mais longo|أطول|सबसे लंब",
    re.IGNORECASE,
)
_LONE_ROLES = (
    "estimate",
    "answer",
    "copula",
    "total",
    "conclude",
    "bound",
    "bound_after",
    "between",
    "range_to",
    "alternative",
)
"""Roles of words that may stand beside a number that stands alone."""


def dimensions(line: NumberLine, text: str, asked: AskedQuantity) -> list[Commitment]:
    """The largest of "150 x 80 x 75", where the longest side is asked for."""
    found = line.found
    if len(found) < 2 or asked.unit not in ("cm", "m") or not _LONGEST.search(asked.question):
        return []
    gaps = [text[a.end : b.start] for a, b in itertools.pairwise(found)]
    if not all(re.fullmatch(r"[^\d=]{0,14}[x×*][^\d=]{0,4}", gap) for gap in gaps):
        return []
    kinds = {(q.kind, q.factor) for q in found if q.kind}
    if len(kinds) > 1:
        return []
    for quantity in found:
        if not quantity.kind and kinds:
            quantity.kind, quantity.factor = next(iter(kinds))
    largest = max(found, key=lambda q: q.value)
    return [Commitment(largest.in_unit(asked.unit), STATED, largest.start, largest.end, "dimensions")]


def none_there(lines: Sequence[NumberLine], i: int, asked: AskedQuantity) -> list[Commitment]:
    """Zero, where a short answer says that there are none: "There are no chairs in this room."."""
    segment = lines[i].segment
    if asked.unit != "count" or len(lines) > MAX_SHORT_LINES or segment.having("unknown"):
        return []
    nouns = [a for a in asked.words if len(a) > 3]
    for cue in segment.having("absent"):
        cjk = is_glued(segment.words[0].folded[0])
        if len(lines) == 1 and (not cjk or segment.words[0].folded in fold(asked.question)):
            return [Commitment(Fraction(0), ALONE, segment.words[0].start, cue.end, "none there")]
    for cue in [*segment.having("negate"), *(c for c in segment.concepts if c.role == "no")]:
        following = [w for w in segment.words if 0 <= w.start - cue.end <= MAX_NONE_GAP][:2]
        things = [w for w in following if any(same_word(w.folded, noun) for noun in nouns)]
        if things:
            return [Commitment(Fraction(0), STATED if i else ALONE, cue.start, things[0].end, "none there")]
    return []


def is_alone(line: NumberLine, text: str, asked: AskedQuantity) -> bool:
    """Whether a segment holds a quantity and nothing else that matters, or names it with the question's words."""
    segment, stated = line.segment, line.stated
    if segment.line_start and segment.line_end and _is_labelled(line, text, asked):
        return True
    if len({(q.value, q.kind) for q in stated}) > MAX_LONE_QUANTITIES:
        return False
    known: list[Span] = [*stated, *segment.having(*_LONE_ROLES)]
    skip = segment.language.skip
    return all(is_inside(w, known) or w.folded in skip or asked.is_about([w]) for w in segment.words)


def _is_labelled(line: NumberLine, text: str, asked: AskedQuantity) -> bool:
    """Whether a label of the question's words stands before a segment's quantities, and nothing behind them."""
    segment, stated = line.segment, line.stated
    label = [w for w in segment.words if w.end <= stated[0].start]
    return (
        len(label) <= MAX_LABEL_WORDS
        and re.match(r"[^:\n]{1,60}:", text[segment.start : stated[0].start]) is not None
        and not words_of(text[stated[-1].end : segment.end])
        and (asked.is_about(label) or bool(segment.having("estimate", "total")))
    )
