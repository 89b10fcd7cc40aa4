"""Median absolute errors: of lengths in metres, of areas in square metres, and of counts."""

import math
from fractions import Fraction

from tolman.items import Item
from tolman.scoring.metric import Metric
from tolman.scoring.number_errors import difference, in_float
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.weighted import weighted_median

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


METRICS = (
    _of("median-absolute-error", "Median abs. error of lengths", ("m", "cm"), "m"),
    _of("median-absolute-area-error", "Median abs. error of areas", ("m2",), "m²"),
    _of("median-absolute-count-error", "Median abs. error of counts", ("count",), ""),
)
