"""A number with its unit, and the half that may follow it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from tolman.items import Unit
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.units import to_item_unit, unit_after
from tolman.scoring.parse.words import is_glued, words_of

HALF_CHARS = 24
"""Characters behind a number in which "and a half" is looked for."""

_QUOTES = ("'", '"', "''", "′", "″")


@dataclass(slots=True)
class Quantity:
    """A number that a text states.

    Attributes:
        value: as written, exact.
        kind: 'length', 'area', 'foreign' (a unit of something else), or '' without a unit.
        factor: of the unit, to metres or square metres.
        start, end: where it stands, with its unit.
        note: 'range' or 'bound' where the text gives no single number.
        operand: it is a part of a calculation, a tolerance, or denied: not what is stated.
        result: it stands behind an equals sign.
        weak: a word or character that may be an article ("one", "un", "一").
        label: it numbers something ("frame 12").
        premise: it is a known size, a first impression or a reason.
        aside: it stands in brackets.
        asked: its unit is what the question counts.
    """

    value: Fraction
    kind: str
    factor: Fraction
    start: int
    end: int
    note: str = ""
    operand: bool = False
    result: bool = False
    weak: bool = False
    label: bool = False
    premise: bool = False
    aside: bool = False
    asked: bool = False

    def in_unit(self, unit: Unit | None) -> Fraction | None:
        """Convert the quantity.

        Args:
            unit: of an item.

        Returns:
            The value in that unit; None where it measures something else.
        """
        if not self.kind:
            return self.value
        if self.kind == "foreign":
            return self.value if unit is None else None
        return to_item_unit(self.value, self.kind, self.factor, unit)


def with_unit(text: str, value: Fraction, start: int, end: int, language: Languages) -> Quantity | None:
    """Complete a number with the unit, the centimetres ("1m20") and the half that follow it.

    Args:
        text: without markup.
        value: of the number.
        start, end: where it stands.
        language: of the text.

    Returns:
        The quantity; None where letters that are no unit are glued to the number: "3rd", "2D", "4K".
    """
    unit = unit_after(text, end, language)
    before = text[max(0, start - 1) : start]
    if unit and text[end : unit[2]] in _QUOTES and before and before == text[end]:
        unit = None  # a number in quotes, not in feet or inches
    if unit is None and _goes_on(text[end : end + 1]):
        return None
    kind, factor, behind = unit or ("", Fraction(1), end)
    if kind == "length" and factor == 1 and value.denominator == 1:
        cents = re.match(r"([0-9]{2})(?![0-9])", text[behind : behind + 3])
        if cents and text[behind - 1] in "mм":
            value, behind = value + Fraction(int(cents[1]), 100), behind + 2
    added = share_after(text, behind, language)
    if added is not None and value.denominator == 1:
        value, behind = value + added[0], added[1]
        if not unit:
            kind, factor, behind = unit_after(text, behind, language) or (kind, factor, behind)
    return Quantity(value, kind, factor, start, behind)


def _goes_on(character: str) -> bool:
    """Whether a character glued to a number makes it a part of a word."""
    return character.isalpha() and not is_glued(character) and not ("\u0600" <= character < "\u0980")


def share_after(text: str, position: int, language: Languages) -> tuple[Fraction, int] | None:
    """Find "and a half", "and a quarter" or "less a quarter" right behind a number or a unit.

    Args:
        text: without markup.
        position: where the number or the unit ends.
        language: of the text.

    Returns:
        What is added, and where the phrase ends; None where there is none.
    """
    window = text[position : position + HALF_CHARS]
    words = words_of(window)
    if not words or words[0].start != len(window) - len(window.lstrip(" ")):
        return None
    found = [c for c in language.halves.find(words[:4], window) if c.start == words[0].start]
    if not found:
        return None
    last = max(found, key=lambda c: c.end)
    return Fraction(last.role), position + last.end
