"""Quantities that are stated together: restated in another unit, pointed at, or differing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from tolman.items import Unit
from tolman.scoring.parse.commitments import BOUND, RANGE, SEVERAL, Commitment
from tolman.scoring.parse.measures import Quantity
from tolman.scoring.parse.number_lines import AskedQuantity, clause_edges
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import same_word, words_of

MAX_RESTATEMENT_DIFFERENCE = Fraction(1, 20)
"""Share by which a restatement in another unit may differ from the first: "2.5 m (8 ft)"."""
MAX_RESTATEMENT_GAP = 20
"""Characters between a quantity and its restatement, at most."""
MAX_ESTIMATE_GAP = 16
"""Characters between "about" or "comes to" and a quantity, at most."""
MAX_ESTIMATE_WORDS = 3
"""Words between them, at most."""
MAX_NOUN_GAP = 24
"""Characters between a number and a noun that it counts, at most."""
MAX_NOUN_WORDS = 3
"""Words behind a number among which that noun is looked for."""
VERB_FINAL = frozenset({"ja", "ko", "hi"})
"""Languages whose sentences end in their statement, so that the last of several numbers is meant."""

_RESTATING = re.compile(
    r"[ *_`]*[(\[=≈/]\D{0,14}$"
    r"|[ *_`]*,?[ ]*(?:or|i\.e\.?|also|that is|oder|ou|o|soit|about|или|即|也就是|つまり|즉|أي|यानी)\b\D{0,12}$"
)
_ITEM_FACTORS: dict[str, Fraction] = {"m": Fraction(1), "cm": Fraction(1, 100), "m2": Fraction(1)}


def without_weak(found: Sequence[Quantity]) -> list[Quantity]:
    """Leave out weak quantities where there are others.

    Args:
        found: in order.

    Returns:
        The others, or all where all are weak.
    """
    return [q for q in found if not q.weak] or list(found)


def agreed(found: Sequence[Quantity], unit: Unit | None, strength: int, rule: str) -> Commitment:
    """Commit a response to some quantities that are stated together.

    Args:
        found: in order, at least one, each in a fitting unit.
        unit: of the item.
        strength: how plainly they are stated.
        rule: the name of the rule that found them.

    Returns:
        A commitment to their value; without one where they differ, or are a range or a bound.
    """
    with_unit = [q for q in found if q.kind and q.kind != "foreign"]
    plain = without_weak(with_unit or found)
    start, end = plain[0].start, plain[-1].end
    if any(q.note == "range" for q in plain):
        single = [q for q in plain if not q.note] or [q for q in found if not q.note and q.start > end]
        ends = [q.value for q in found if q.note == "range"]
        single = [q for q in single if q.kind or not with_unit or min(ends) <= q.value <= max(ends)]
        if not single:
            return Commitment(None, strength, start, end, rule, RANGE)
        plain = single[-1:]
        start, end = plain[0].start, plain[0].end
    if any(q.note == "bound" for q in plain) and not all(q.note for q in plain):
        plain = [q for q in plain if not q.note]  # "a little over 10 ft, so 3.2 m"
        start, end = plain[0].start, plain[-1].end
    if any(q.note == "bound" for q in plain):
        return Commitment(None, strength, start, end, rule, BOUND)
    first, *others = (q.in_unit(unit) for q in plain)
    assert first is not None
    margin = MAX_RESTATEMENT_DIFFERENCE if len({(q.kind, q.factor) for q in plain}) > 1 else Fraction(0)
    if any(value is None or abs(value - first) > margin * abs(first) for value in others):
        return Commitment(None, strength, start, end, rule, SEVERAL)
    exact = next((q for q in plain if q.kind and _is_in_item_unit(q, unit)), plain[0])
    return Commitment(exact.in_unit(unit), strength, exact.start, exact.end, rule)


def _is_in_item_unit(quantity: Quantity, unit: Unit | None) -> bool:
    """Whether a quantity is written in the item's unit."""
    return unit is not None and quantity.factor == _ITEM_FACTORS.get(unit)


def restatements(stated: Sequence[Quantity], text: str) -> list[Quantity]:
    """Take the first quantity and those that restate it right behind: "2.5 m (8 ft)", or belong to its range.

    Args:
        stated: in order, at least one.
        text: in which they stand.

    Returns:
        The first few of them.
    """
    run = [stated[0]]
    for quantity in stated[1:]:
        gap = text[run[-1].end : quantity.start]
        ranged = quantity.note == "range" and run[-1].note == "range"
        if not ranged and (len(gap) > MAX_RESTATEMENT_GAP or not _RESTATING.match(gap)):
            break
        run.append(quantity)
    return run


def restated_from(first: Quantity, found: Sequence[Quantity], text: str) -> list[Quantity]:
    """Take a quantity and those that restate it.

    Args:
        first: the quantity.
        found: all quantities around it, in order.
        text: in which they stand.

    Returns:
        The quantity and the restatements behind it.
    """
    return restatements([first, *(q for q in found if q.start > first.start)], text)


def is_estimated(quantity: Quantity, segment: Segment, text: str) -> bool:
    """Tell whether words of estimating or resulting stand right before a quantity, or right behind it.

    Args:
        quantity: to look at.
        segment: in which it stands.
        text: in which both stand.

    Returns:
        True for "about 3 m", "comes to 3 m".
    """
    for cue in segment.having("estimate"):
        if 0 <= quantity.start - cue.end <= MAX_ESTIMATE_GAP:
            gap = text[cue.end : quantity.start]
            if not re.search(r"[;:.!?]", gap.strip(" :")) and len(words_of(gap)) <= MAX_ESTIMATE_WORDS:
                return True
        if 0 <= cue.start - quantity.end <= 2:
            return True
    return False


def counts_asked(quantity: Quantity, asked: AskedQuantity, segment: Segment, text: str) -> bool:
    """Tell whether the words behind a number are words of the question.

    Args:
        quantity: to look at.
        asked: by the item.
        segment: in which the quantity stands.
        text: in which both stand.

    Returns:
        True for 5 in "5 chairs and 2 tables" when chairs are asked for.
    """
    copulas = {c.start for c in segment.having("copula", "estimate")}
    behind = [w for w in segment.words if w.start >= quantity.end and w.start not in copulas][:MAX_NOUN_WORDS]
    return asked.is_about(
        [
            w
            for w in behind
            if w.start - quantity.end <= MAX_NOUN_GAP and not re.search(r"[,.;:]", text[quantity.end : w.start])
        ]
    )


def most_asked(found: Sequence[Quantity], asked: AskedQuantity, segment: Segment, text: str) -> Quantity | None:
    """Find the one quantity whose clause shares most words with the question.

    Args:
        found: in order.
        asked: by the item.
        segment: in which they stand.
        text: in which all stand.

    Returns:
        The quantity; None where none or more than one does.
    """
    edges = clause_edges(segment, text)
    scores = []
    for i, quantity in enumerate(found):
        begin = max(max(e for e in edges if e <= quantity.start), found[i - 1].end if i else 0)
        if re.match(r".*:[ *_`]*\Z", text[segment.start : quantity.start], re.DOTALL):
            colon = text.rfind(":", segment.start, quantity.start)
            begin = max((e for e in edges[:-1] if e < colon), default=segment.start)
        words = {w.folded for w in segment.words if begin <= w.start < quantity.start}
        scores.append(sum(any(same_word(word, a) for a in asked.words) for word in words))
    best = max(scores)
    return found[scores.index(best)] if best and scores.count(best) == 1 else None
