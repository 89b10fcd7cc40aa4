"""Metrics of pools, which are no means of bounded values: macro-averaged F1, median and relative errors.

- In macro-averaged F1 every answer of a pool counts alike, however rare it is. The classes are the letters of choices,
  and whole numbers for counts. A response without a readable answer, or with one that is no class (half an object), is
  a miss of the right answer's class.
- Median absolute errors are those of lengths in metres, of areas in square metres, and of counts.
- Relative errors of numbers have a mean, a median, and a mean with its sign (bias).
"""

from __future__ import annotations

import math
from fractions import Fraction

from tolman.items import LETTERS, Item
from tolman.scoring.answer_values import (
    ParsedAnswer,
    difference,
    in_float,
    is_finite_number,
    relative_error,
    signed_relative_error,
)
from tolman.scoring.clusters import MAX_CLASS, NO_CLASS, macro_f1, pair_code, weighted_median
from tolman.scoring.metrics import PERCENT, Metric

_FIRST_LETTER = 2**19
"""The class of A; counts are below."""


def _truth(item: Item) -> int | None:
    if item.kind == "choice":
        return _FIRST_LETTER + LETTERS.index(item.answer)
    truth = item.exact_answer
    return int(truth) if truth.denominator == 1 and 0 <= truth < _FIRST_LETTER else None


def _response(reading: ParsedAnswer) -> int:
    value = reading.value
    if isinstance(value, str):
        return _FIRST_LETTER + LETTERS.index(value) if value in LETTERS and len(value) == 1 else NO_CLASS
    if not is_finite_number(value):
        return NO_CLASS
    number = Fraction(value)  # type: ignore[arg-type]  # an int, a float or a Fraction
    return int(number) if number.denominator == 1 and 0 <= number < _FIRST_LETTER else NO_CLASS


def classes(item: Item, reading: ParsedAnswer) -> float | None:
    """The right class and the one that was answered, as a number (`clusters.pair_code`); None for a true value that is
    no class."""
    truth = _truth(item)
    assert truth is None or truth <= MAX_CLASS
    return None if truth is None else pair_code(truth, _response(reading))


MACRO_F1 = Metric(
    name="f1",
    title="F1",
    per_item=classes,
    kinds=("choice", "number"),
    units=("count", None),
    aggregate=macro_f1,
    unread=lambda item: classes(item, ParsedAnswer(None)),
    source="macro average over answers, as scikit-learn's f1_score(average='macro')",
    ordered=False,
)


METRES = {"cm": Fraction(1, 100)}
"""Metres in a unit of lengths other than the metre."""


def absolute_error(item: Item, reading: ParsedAnswer) -> float | None:
    """|response − truth| in metres, square metres or objects; None for what is no finite number."""
    error = difference(item, reading)
    return None if error is None else in_float(abs(error) * METRES.get(item.unit or "", 1))


def _of(name: str, title: str, units: tuple[str, ...], unit: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        per_item=absolute_error,
        kinds=("number",),
        units=units,
        aggregate=weighted_median,
        range=(0.0, math.inf),
        direction="lower",
        unread=None,
        unit=unit,
        digits=2,
        source="median of |response − truth|",
    )


MEDIAN_ERRORS = (
    _of("median-absolute-error", "Median abs. error of lengths", ("m", "cm"), "m"),
    _of("median-absolute-area-error", "Median abs. error of areas", ("m2",), "m²"),
    _of("median-absolute-count-error", "Median abs. error of counts", ("count",), ""),
)


RELATIVE_ERRORS = (
    Metric(
        name="relative-error",
        title="Mean relative error",
        per_item=relative_error,
        kinds=("number",),
        range=(0.0, math.inf),
        unit=PERCENT,
        direction="lower",
        unread=None,
        source="mean of |response − truth| / |truth|",
    ),
    Metric(
        name="median-relative-error",
        title="Median relative error",
        per_item=relative_error,
        kinds=("number",),
        aggregate=weighted_median,
        range=(0.0, math.inf),
        unit=PERCENT,
        direction="lower",
        unread=None,
        source="median of |response − truth| / |truth|",
    ),
    Metric(
        name="signed-bias",
        title="Bias",
        per_item=signed_relative_error,
        kinds=("number",),
        range=(-math.inf, math.inf),
        unit=PERCENT,
        direction="zero",
        unread=None,
        source="mean of (response − truth) / |truth|: above 0 where too much is answered",
    ),
)


METRICS = (MACRO_F1, *MEDIAN_ERRORS, *RELATIVE_ERRORS)
