"""Quantities that are the sum or the product of those in front of them: results, though nothing says so."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tolman.scoring.parse.measures import Quantity

MIN_PARTS = 2
"""Parts of a sum, at least."""
MIN_SUM = 3
"""Sum that is none by chance, at least."""
MAX_PARTS = 12
"""Parts of a sum, at most."""


def mark_sums(found: Sequence[Quantity], text: str) -> None:
    """Mark the last quantity of a sentence as a result where it is the sum of the others, or the product of two.

    Args:
        found: the quantities of a sentence, in order; changed in place.
        text: in which they stand.
    """
    said = [q for q in found if not q.label and not (q.weak and q.value == 1)]
    if len(said) <= MIN_PARTS or len(said) > MAX_PARTS:
        return
    *parts, last = said
    if last.note or last.weak or last.result or any(q.note or q.result for q in parts):
        return
    if _is_sum(parts, last) or _is_product(parts[-2:], last):
        last.result = True
        for part in parts:
            part.operand = True


def _is_sum(parts: Sequence[Quantity], last: Quantity) -> bool:
    """Whether quantities of one kind add up to another; parts without a unit have that of the sum."""
    if last.value < MIN_SUM and last.value.denominator == 1:
        return False
    sized = [_size(q, last) for q in parts]
    return None not in sized and sum((s for s in sized if s is not None), Fraction(0)) == last.value * last.factor


def _size(part: Quantity, last: Quantity) -> Fraction | None:
    """A part in base units; None where it measures something else."""
    if not part.kind:
        return part.value * last.factor
    return part.value * part.factor if part.kind == last.kind else None


def _is_product(parts: Sequence[Quantity], last: Quantity) -> bool:
    """Whether two lengths multiply to an area, or a number and a length to a length."""
    a, b = parts
    if last.kind == "area":
        wanted = ("length", "length")
    elif last.kind == "length":
        wanted = ("", "length")
    else:
        return False
    if (a.kind, b.kind) != wanted or min(a.value, b.value) <= 1:
        return False
    return a.value * a.factor * b.value * b.factor == last.value * last.factor
