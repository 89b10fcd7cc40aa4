"""Units without a number in front: "a meter", "half a meter", "metro y medio", "متر ونصف"."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.measures import Quantity, share_after
from tolman.scoring.parse.plain import fold
from tolman.scoring.parse.units import unit_after
from tolman.scoring.parse.words import Word, is_glued

MIN_UNIT_CHARS = 3
"""Characters of a unit that needs no number, at least."""
MAX_WORD_GAP = 2
"""Characters between a unit and the article in front of it, at most."""
MAX_ADDED_GAP = 4
"""Characters between a unit and the smaller quantity that is added to it, at most."""

_ARTICLES = {"a", "an", "un", "une", "um", "uma", "ein", "einen", "eine", "one"}
_HALVES = {
    "half",
    "demi",
    "medio",
    "meio",
    "halber",
    "halben",
    "نصف",
    "пол",
    "полметра",
    "半",
    "반",
    fold("आधा"),
    fold("आधे"),
}
_SHARES = {
    "ربع": Fraction(1, 4),
    fold("पौन"): Fraction(3, 4),
    fold("पौना"): Fraction(3, 4),
    fold("सवा"): Fraction(5, 4),
}
"""Other shares of a unit."""
_DUALS = {"مترين", "متران"}
"""Two metres in one word."""


def bare_units(text: str, words: Sequence[Word], known: Sequence[Quantity], language: Languages) -> list[Quantity]:
    """Find units without a number in front.

    Args:
        text: without markup.
        words: of the part of it to look at.
        known: quantities with a number, in that part.
        language: of the text.

    Returns:
        Quantities of one, two, a half or one and a half of a unit, in order.
    """
    found = []
    taken = {place for quantity in known for place in range(quantity.start, quantity.end)}
    for i, word in enumerate(words):
        if word.folded[0].isdecimal() or word.start in taken:
            continue
        start = word.start + (word.folded[0] == "و" and len(word.folded) > MIN_UNIT_CHARS)  # "and" is glued to it
        unit = unit_after(text, start, language)
        if unit is None:
            continue
        kind, factor, end = unit
        if (
            kind not in ("length", "area")
            or (end - word.start < MIN_UNIT_CHARS and not is_glued(word.folded[0]))
            or end < word.end
        ):
            continue
        added = share_after(text, end, language)
        counted = _counted(words, i)
        if counted is None and (added is not None or _is_added_to(known, end, factor)):
            counted = Fraction(1), word.start
        if counted is not None:
            value, start = counted
            share, behind = added or (Fraction(0), end)
            found.append(Quantity(value + share, kind, factor, start, behind))
    return found


def _counted(words: Sequence[Word], i: int) -> tuple[Fraction, int] | None:
    """The number of units that a dual or the words in front of it say, and where that begins."""
    word = words[i]
    if word.folded.removeprefix("و") in _DUALS:
        return Fraction(2), word.start
    before = words[i - 1] if i else None
    if before is None or word.start - before.end > MAX_WORD_GAP:
        return None
    if before.folded in _ARTICLES:
        if i > 1 and words[i - 2].folded == "half":
            return Fraction(1, 2), words[i - 2].start
        return Fraction(1), before.start
    if before.folded in _SHARES:
        return _SHARES[before.folded], before.start
    return (Fraction(1, 2), before.start) if before.folded in _HALVES else None


def _is_added_to(known: Sequence[Quantity], end: int, factor: Fraction) -> bool:
    """Whether a smaller quantity follows a unit: "около метра девяноста"."""
    for quantity in known:
        if 0 <= quantity.start - end <= MAX_ADDED_GAP:
            hundredths = not quantity.kind and 10 <= quantity.value < 100 and quantity.value.denominator == 1
            if hundredths or (quantity.kind == "length" and quantity.factor < factor):
                return True
    return False
