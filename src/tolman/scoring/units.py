"""Units of length and area as they are written in English, converted exactly."""

from __future__ import annotations

import re
from fractions import Fraction

from tolman.items import Unit

_LENGTHS: dict[str, tuple[str, Fraction]] = {
    # name: (pattern, metres)
    "km": (r"km|kilomet(?:er|re)s?", Fraction(1000)),
    "cm": (r"cms?|centimet(?:er|re)s?", Fraction(1, 100)),
    "mm": (r"mms?|millimet(?:er|re)s?", Fraction(1, 1000)),
    "m": (r"m|met(?:er|re)s?|mtrs?", Fraction(1)),
    "ft": (r"ft|foot|feet|′|'(?!')", Fraction(3048, 10000)),
    "in": (r"inch(?:es)?|in(?![ \t]+[A-Za-z])|″|\"|''", Fraction(254, 10000)),
    "yd": (r"yds?|yards?", Fraction(9144, 10000)),
}
_SQUARE_PREFIX = r"(?:sq(?:uare)?\.?[ \t]*-?[ \t]*)"
_SQUARE_SUFFIX = r"(?:[ \t]*\$?[ \t]*\^[ \t]*\{?[ \t]*2[ \t]*\}?|2(?![0-9.])|[ \t-]*squared?)"
# A quantity of another kind: the number before it is not the answer to a question for a count or measure.
_FOREIGN = (
    r"(?:cubic|cu\.?)[ \t]*[A-Za-z]+|[ck]?m[ \t]*\^[ \t]*\{?3|%|percent|°|degrees?|deg|radians?|rad"
    r"|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|years?|fps|hz|px|pixels?"
    r"|kg|kilograms?|grams?|g|lbs?|pounds?|dollars?|usd|km/h|m/s|mph|tokens?"
)

_PATTERNS: tuple[tuple[str, str, Fraction], ...] = (
    *((f"({_SQUARE_PREFIX}(?:{p}))|((?:{p}){_SQUARE_SUFFIX})", "area", f * f) for p, f in _LENGTHS.values()),
    *((p, "length", f) for p, f in _LENGTHS.values()),
    (_FOREIGN, "foreign", Fraction(1)),
)
_COMPILED = tuple(
    (
        re.compile(rf"[ \t]*-?[ \t]*(?:\\(?:text|mathrm|,|;)[ \t]*\{{?[ \t]*)?(?:{p})(?![A-Za-z])", re.IGNORECASE),
        kind,
        f,
    )
    for p, kind, f in _PATTERNS
)
_ITEM_UNITS: dict[Unit, tuple[str, Fraction]] = {
    "m": ("length", Fraction(1)),
    "cm": ("length", Fraction(1, 100)),
    "m2": ("area", Fraction(1)),
    "count": ("count", Fraction(1)),
}


def unit_after(text: str, position: int) -> tuple[str, Fraction, int] | None:
    """The unit written at a position, right after a number.

    Args:
        text: with superscripts written as '^2'.
        position: where the number ends.

    Returns:
        (kind, factor to metres or square metres, end of the unit) with kind 'length', 'area' or 'foreign'
        (a quantity that is no length and no area); None where no unit stands there.
    """
    best: tuple[str, Fraction, int] | None = None
    for pattern, kind, factor in _COMPILED:
        match = pattern.match(text, position)
        if match and (best is None or match.end() > best[2]):
            best = kind, factor, match.end()
    return best


def to_item_unit(value: Fraction, kind: str, factor: Fraction, unit: Unit | None) -> Fraction | None:
    """A quantity in an item's unit, or None where it measures something else.

    Args:
        value: the number.
        kind, factor: as `unit_after` returns them.
        unit: the item's; None takes any number as it stands.
    """
    if unit is None:
        return value
    item_kind, item_factor = _ITEM_UNITS[unit]
    return value * factor / item_factor if kind == item_kind else None
