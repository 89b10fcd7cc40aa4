"""Errors of numbers, as the metrics of numbers take them: relative or in metres, with a sign where it is asked for."""

from __future__ import annotations

from fractions import Fraction

from tolman.items import Item
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.relative_accuracy import is_finite_number

MAX_ERROR = 1e300
"""Greatest error in float64, so that sums of many stay finite; a response of 10^400 has this one."""


def difference(item: Item, reading: ParsedAnswer) -> Fraction | None:
    """Response less truth, exactly; None where the response is no finite number.

    Args:
        item: a number question.
        reading: with a value.
    """
    value = reading.value
    if isinstance(value, str) or not is_finite_number(value):
        return None
    return Fraction(value) - item.exact_answer  # type: ignore[arg-type]  # an int, a float or a Fraction


def signed_relative_error(item: Item, reading: ParsedAnswer) -> float | None:
    """(response − truth) / |truth|; None for a truth of 0 and for what is no finite number."""
    error = difference(item, reading)
    truth = abs(item.exact_answer)
    return None if error is None or not truth else in_float(error / truth)


def relative_error(item: Item, reading: ParsedAnswer) -> float | None:
    """|response − truth| / |truth|; None for a truth of 0 and for what is no finite number."""
    error = signed_relative_error(item, reading)
    return None if error is None else abs(error)


def in_float(value: Fraction) -> float:
    """The float64 nearest to a value, between −`MAX_ERROR` and `MAX_ERROR`."""
    if abs(value) >= MAX_ERROR:
        return MAX_ERROR if value > 0 else -MAX_ERROR
    return float(value)
