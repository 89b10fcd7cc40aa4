"""Statements of the opposite of what is asked: "A is the lower one", where the higher one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from tolman.items import LETTERS
from tolman.scoring.parse.commitments import DECLARED, STATED, Commitment
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.option_lines import OptionLine

PAIRS = (
    ("is_near", "is_far"),
    ("is_large", "is_small"),
    ("is_high", "is_low"),
    ("is_long", "is_short"),
    ("is_wide", "is_narrow"),
    ("is_thick", "is_thin"),
    ("is_early", "is_late"),
    ("is_fast", "is_slow"),
    ("is_heavy", "is_light"),
    ("is_open", "is_closed"),
)
"""Roles of words that say the opposite of each other."""
_OPPOSITE = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
_WEAK_RULES = frozenset({"stated", "first", "last", "named", "judged", "concluded"})
"""Rules whose readings are turned around."""


@lru_cache(maxsize=16_384)
def asked_sides(question: str, language: Languages) -> frozenset[str]:
    """Find what a question asks to compare by.

    Args:
        question: of an item.
        language: in which it is written.

    Returns:
        Roles of which the question does not name the opposite too.
    """
    roles = {cue.role for cue in language.found_in(question) if cue.role in _OPPOSITE}
    return frozenset(role for role in roles if _OPPOSITE[role] not in roles)


def turned(
    found: Sequence[Commitment], line: OptionLine, asked: frozenset[str], rivals: Sequence[int]
) -> list[Commitment]:
    """Turn around what a line says of an option where it says the opposite of what is asked, and not that itself.

    Args:
        found: commitments of the line.
        line: the sentence or line.
        asked: by the question.
        rivals: the options that are compared.

    Returns:
        The commitments; where two options are compared, those that are turned around go to the other.
    """
    segment = line.segment
    said = {cue.role for cue in segment.cues}
    against = any(_OPPOSITE[role] in said for role in asked) and not asked & said
    if not against or len(rivals) != 2 or segment.having("contrast", "conclude") or len(line.affirmed) > 1:
        return list(found)
    compared = {(c.start, c.end) for c in segment.having("compare_to")}  # "than" denies what follows it alone
    if any((c.start, c.end) not in compared for c in segment.having("negate", "deny")):
        return list(found)
    return [
        replace(c, value=LETTERS[sum(rivals) - LETTERS.index(str(c.value))], strength=STATED, rule="opposite")
        if c.value is not None and c.strength < DECLARED and c.rule in _WEAK_RULES and _is_rival(c, rivals)
        else c
        for c in found
    ]


def _is_rival(commitment: Commitment, rivals: Sequence[int]) -> bool:
    return LETTERS.index(str(commitment.value)) in rivals
