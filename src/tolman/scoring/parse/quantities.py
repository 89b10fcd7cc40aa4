"""Quantities that a text states, in digits and in words, with their units and relations."""

from __future__ import annotations

from collections.abc import Sequence

from tolman.scoring.parse.bare_units import bare_units
from tolman.scoring.parse.digits import quantities_in_digits
from tolman.scoring.parse.hangul import is_no_numeral
from tolman.scoring.parse.lexicon import Cue, Languages
from tolman.scoring.parse.measures import Quantity, with_unit
from tolman.scoring.parse.numerals import spelled_numbers
from tolman.scoring.parse.relations import mark_relations, merge_compounds
from tolman.scoring.parse.words import Word, both_ends, is_glued

MAX_SPELLED = 64
"""Numbers in words that are looked at in a sentence, a quarter of them at its beginning."""


def quantities(
    text: str, words: Sequence[Word], cues: Sequence[Cue], start: int, end: int, language: Languages
) -> list[Quantity]:
    """Find all quantities in a part of a text.

    Left out are numbers inside words and names ("GPT-4", "3rd", "scene0025"), times, dates, versions and the numbers of
    a list.

    Args:
        text: without markup.
        words: of that part.
        cues: in that part.
        start, end: the part.
        language: of the text.

    Returns:
        The quantities in order; none overlaps another.
    """
    found = [*quantities_in_digits(text, cues, start, end, language), *_in_words(text, words, language)]
    found.sort(key=lambda q: (q.start, -q.end))
    found = sorted([*found, *bare_units(text, words, found, language)], key=lambda q: (q.start, -q.end))
    kept: list[Quantity] = []
    for quantity in found:
        if not kept or quantity.start >= kept[-1].end:
            kept.append(quantity)
    merged = merge_compounds(kept, text)
    mark_relations(merged, text, cues)
    return merged


def _in_words(text: str, words: Sequence[Word], language: Languages) -> list[Quantity]:
    """The quantities that are written in words; not a Chinese or Korean numeral that may be a part of a word."""
    found = []
    for spelled in both_ends(spelled_numbers(text, words, language), MAX_SPELLED):
        quantity = with_unit(text, spelled.value, spelled.start, spelled.end, language)
        if quantity is None:
            continue
        before = text[max(0, spelled.start - 1) : spelled.start]
        if quantity.kind in ("", "foreign") and is_no_numeral(text, spelled.start, spelled.end):
            continue
        bare = spelled.cjk and not quantity.kind and not _is_counted(text, spelled.end, language)
        if bare and before != "米" and not _stands_alone(before, text[spelled.end : spelled.end + 1]):
            continue
        if not quantity.kind and spelled.value == 1:
            quantity.weak = True
        if before == "第":
            quantity.label = True
        if spelled.ranged:
            quantity.note = "range"
        found.append(quantity)
    return found


def _is_counted(text: str, position: int, language: Languages) -> bool:
    """Whether a counter follows: a word between a number and the things that are counted."""
    return text[position : position + 6].lstrip().startswith(language.counters)


def _stands_alone(before: str, behind: str) -> bool:
    """Whether a numeral of one character for each digit is set off from other characters of its script."""
    return not (before and is_glued(before)) and not (behind and is_glued(behind) and behind not in "で입개")
