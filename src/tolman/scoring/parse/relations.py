"""Relations of the quantities in a text: compounds, ranges, bounds, calculations and their results."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction

from tolman.scoring.parse.lexicon import Cue, is_in_longer
from tolman.scoring.parse.measures import Quantity

MAX_RELATION_GAP = 24
"""Characters between two quantities that are related, at most."""
MAX_RANGE_GAP = 12
"""Characters between the ends of a range that a word joins, at most."""

_COMPOUND_GAP = re.compile(r"[ ]*(?:,|and|et|y|e|und|и)?[ ]*")
_EQUALS_WORD = re.compile(
    r"(?:равно|равен|равна|равны|равняется|equals|is equal to|es igual a|est égale? à|é igual a|ist gleich|ergibt|等于"
    r"|يساوي|تساوي|बराबर है)\s*[*_`]*\Z",
    re.IGNORECASE,
)
_RANGE_GAP = re.compile(r"^[ ]*(?:-|–|—|~|〜|～|bis|till|until|through)[ ]*$", re.IGNORECASE)
_PRODUCT_GAP = re.compile(
    r"^[ ]*(?:x|×|\*|·|by|por|sur|mal|на|\+|÷|/|(?<=[ ])-(?=[ ])|−|乘以|乘|加|かける|곱하기|más|mais|plus|minus|times"
    r"|plus|divided by|multiplied by|well)[ ]*$",
    re.IGNORECASE,
)
_EQUALS_GAP = re.compile(
    r"^[ ]*(?:=|≈|≃|≒|等于|equals|is equal to|→|➜|=>)[ ]*(?:about|approximately|ca\.|around|[~≈±约約])?[ ]*$",
    re.IGNORECASE,
)
_TOLERANCE_GAP = re.compile(r"^[ ]*(?:±|\+/-|\\pm|plus or minus)[ ]*$", re.IGNORECASE)
_TOLERANCE = re.compile(r"(?:±|\+/-)[ ]*\Z")
_AND = {"and", "und", "et", "и", "和", "और", "及", "と", "와", "과", "و"}
_OR = {"or", "o", "u", "ou", "oder", "или", "либо", "أو", "या", "或", "或者", "か", "または", "혹은", "또는"}
_RANGE_WORDS = {"a", "e", "y", "à", "de", "من", "و"}
"""Words that join the ends of a range only behind "between" or "from"."""


def merge_compounds(found: Sequence[Quantity], text: str) -> list[Quantity]:
    """Join "5 feet 10 inches", "2 m 30 cm" and "1 m 20" into one quantity.

    Args:
        found: in order; changed where it is joined.
        text: without markup.

    Returns:
        The quantities in order.
    """
    merged: list[Quantity] = []
    for quantity in found:
        previous = merged[-1] if merged else None
        added = _added(previous, quantity, text) if previous else None
        if previous is None or added is None:
            merged.append(quantity)
        else:
            previous.value += added
            previous.end = quantity.end
    return merged


def _added(previous: Quantity, quantity: Quantity, text: str) -> Fraction | None:
    """The number that a quantity right behind another adds to it; None where they are two."""
    gap = text[previous.end : quantity.start]
    value = quantity.value
    if previous.kind != "length" or not _COMPOUND_GAP.fullmatch(gap):
        return None
    if quantity.kind == "length":
        smaller = quantity.factor < previous.factor and 0 <= value * quantity.factor < previous.factor
        return value * quantity.factor / previous.factor if smaller else None
    whole = previous.factor == 1 and value.denominator == previous.value.denominator == 1
    if quantity.kind or not whole:
        return None
    if 0 < value < 10 and not gap and text[previous.end - 1] in "米m":
        return value / 10
    if 10 <= value < 100 and not re.search(r"[,A-Za-z]", gap.replace("et", "").replace("y", "").replace("e", "")):
        return value / 100
    return None


def mark_relations(found: Sequence[Quantity], text: str, cues: Sequence[Cue]) -> None:
    """Mark ranges, bounds, operands, results and denied numbers by the text between and beside them.

    Args:
        found: in order; changed in place.
        text: without markup.
        cues: in the same part of it.
    """
    for left, right in itertools.pairwise(found):
        _mark_pair(left, right, text, cues)
    for quantity in found:
        _mark_beside(quantity, text, cues)


def _mark_pair(left: Quantity, right: Quantity, text: str, cues: Sequence[Cue]) -> None:
    gap = text[left.end : right.start]
    if len(gap) > MAX_RELATION_GAP:
        return
    if not left.note and _is_behind_between(left, cues) and _is_up_to(left, right, text, cues):
        left.note = right.note = "range"
    elif _TOLERANCE_GAP.match(gap):
        right.operand = True
    elif _EQUALS_GAP.match(gap):
        left.operand = True
        right.result = True
    elif _RANGE_GAP.match(gap) or _is_range(gap, left, cues):
        left.note = right.note = "range"
        if not left.kind:
            left.kind, left.factor = right.kind, right.factor
    elif _PRODUCT_GAP.match(gap):
        left.operand = right.operand = True


def _is_behind_between(quantity: Quantity, cues: Sequence[Cue]) -> bool:
    return any(c.role == "between" and 0 <= quantity.start - c.end <= 4 for c in cues)


def _is_up_to(left: Quantity, right: Quantity, text: str, cues: Sequence[Cue]) -> bool:
    """Whether "and" or "to" stands between two quantities, or the Arabic "and" is glued to the second."""
    return text[right.start] == "و" or any(
        c.role in ("alternative", "range_to") and left.end <= c.start and c.end <= right.start for c in cues
    )


def _is_range(gap: str, left: Quantity, cues: Sequence[Cue]) -> bool:
    """Whether two numbers are the ends of a range or alternatives: "2 to 3", "between 2 and 3", "4 or 5"."""
    if len(gap) > MAX_RANGE_GAP:
        return False
    said = gap.strip()
    joining = [c for c in cues if left.end <= c.start and c.end <= left.end + len(gap)]
    if not any(len(said) - (c.end - c.start) <= 1 for c in joining):
        return False
    roles = {c.role for c in joining}
    said = said.casefold()
    if "range_to" in roles and said not in _AND and said not in _RANGE_WORDS:
        return True
    return bool(roles & {"range_to", "alternative"}) and (said in _OR or _is_behind_between(left, cues))


def _mark_beside(quantity: Quantity, text: str, cues: Sequence[Cue]) -> None:
    cues = [c for c in cues if c.role != "bound" or not is_in_longer(c, cues)]  # "округляю до"
    before = [c for c in cues if 0 <= quantity.start - c.end <= 2 and not text[c.end : quantity.start].strip(" ~≈")]
    tail = text[quantity.end : quantity.end + 4]
    sign = text[max(0, quantity.start - 2) : quantity.start].strip()[-1:]
    if (
        sign in ("<", ">", "≤", "≥")
        or any(c.role == "bound" for c in before)
        or any(c.role == "bound_after" and 0 <= c.start - quantity.end <= 2 for c in cues)
        or (tail[:1] == "+" and not tail[1:3].strip()[:1].isdecimal())
    ):
        quantity.note = quantity.note or "bound"
    if _TOLERANCE.search(text, max(0, quantity.start - 4), quantity.start):
        quantity.operand = True
    if not quantity.note and any(c.role in ("negate", "compare_to") for c in before):
        quantity.operand = True
    if tail.strip()[:1] in ("=", "≈", "≒") and not quantity.result:
        quantity.operand = True
    if _EQUALS_WORD.search(text[max(0, quantity.start - 24) : quantity.start]):
        quantity.result = True
    if text[max(0, quantity.start - 6) : quantity.start].rstrip().endswith(("=", "≈", "≒", "=~", "= ~")):
        quantity.result = True
