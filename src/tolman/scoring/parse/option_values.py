"""Options that are numbers: "2.4 m", "four"; a response may give the number instead of the letter."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from tolman.items import LETTERS, Unit
from tolman.scoring.parse.amounts import number_commitments
from tolman.scoring.parse.commitments import ALONE, CONCLUDED, DECLARED, JUDGED, STATED, Commitment
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.quantities import quantities
from tolman.scoring.parse.words import is_inside, words_of

MAX_VALUE_DIFFERENCE = Fraction(1, 500)
"""Share by which a number may differ from the value of its option."""

_UNITS: dict[tuple[str, Fraction], Unit] = {
    ("length", Fraction(1)): "m",
    ("length", Fraction(1, 100)): "cm",
    ("area", Fraction(1)): "m2",
    ("", Fraction(1)): "count",
}
_STRENGTHS = {DECLARED: DECLARED, ALONE: ALONE, CONCLUDED: CONCLUDED, JUDGED: STATED, STATED: STATED}
"""Strength of an option's value by the strength of the number."""


@lru_cache(maxsize=16_384)
def values_of(options: tuple[str, ...], language: Languages) -> tuple[tuple[Fraction, ...], Unit] | None:
    """Read options as numbers.

    Args:
        options: their texts.
        language: in which they are written.

    Returns:
        The numbers and their unit; None where an option is no number or the units differ.
    """
    values: list[Fraction] = []
    units: set[tuple[str, Fraction]] = set()
    for option in options:
        words = words_of(option)
        found = quantities(option, words, language.cues_of(words, option), 0, len(option), language)
        rest = [w for w in words if not is_inside(w, found) and w.folded not in language.skip]
        if len(found) != 1 or found[0].note or len(rest) > 1:
            return None
        units.add((found[0].kind, found[0].factor))
        values.append(found[0].value)
    if len(units) != 1 or len(set(values)) < len(values):
        return None
    unit = _UNITS.get(next(iter(units)))
    return (tuple(values), unit) if unit else None


def counts(options: tuple[str, ...], language: Languages) -> bool:
    """Tell whether options are numbers that count or measure: "3 chairs", not "picture 3".

    Args:
        options: their texts.
        language: in which they are written.

    Returns:
        True where each begins with its number, and the numbers have a known unit or none.
    """
    known = values_of(options, language)
    if known is None:
        return False
    for option in options:
        words = words_of(option)
        found = quantities(option, words, language.cues_of(words, option), 0, len(option), language)
        if found[0].start != words[0].start:
            return False
    return True


def by_value(text: str, options: tuple[str, ...], language: Languages, option_language: Languages) -> list[Commitment]:
    """Find the commitments of a text to the value of an option.

    Args:
        text: without markup.
        options: the options' texts.
        language: of the text.
        option_language: of the options.

    Returns:
        The commitments in order; empty where the options are no numbers.
    """
    known = values_of(options, option_language)
    if known is None:
        return []
    values, unit = known
    result = []
    for commitment in number_commitments(text, unit, "", language):
        number = commitment.value
        if not isinstance(number, Fraction):
            continue
        near = [i for i, value in enumerate(values) if abs(value - number) <= MAX_VALUE_DIFFERENCE * abs(value)]
        if len(near) == 1:
            result.append(
                replace(commitment, value=LETTERS[near[0]], strength=_STRENGTHS[commitment.strength], rule="value")
            )
    return result
