"""Korean syllables that look like a word and are a part of one."""

from __future__ import annotations

import re

_SYLLABLE = re.compile(r"[\uac00-\ud7af]")
_AMBIGUOUS = "위우남동북돌예네"
"""Syllables that begin or end many words of other senses."""
_PARTICLES = "가이은는을를에로으쪽의입예요도와과"
"""First syllables of what is glued behind a noun."""
_PREFIXES = "약총단"
"""About, in total, only: written without a space before a number."""
_SCALES = "십백천만"


def is_part_of_word(text: str, start: int, end: int) -> bool:
    """Tell whether a single syllable is a part of a longer word: 위 ("above") in 위치 ("place").

    Args:
        text: any.
        start, end: the syllable.

    Returns:
        False for more than one syllable, for those that are seldom a part of other words, and before a particle.
    """
    if end - start > 1 or text[start] not in _AMBIGUOUS:
        return False
    behind = text[end : end + 1]
    glued = _SYLLABLE.match(behind) is not None and behind not in _PARTICLES
    return glued or _SYLLABLE.match(text[max(0, start - 1) : start]) is not None


def is_no_numeral(text: str, start: int, end: int) -> bool:
    """Tell whether what reads as a numeral is a part of a longer word (천 in 천장, a ceiling) or means "this" (이).

    Args:
        text: any.
        start, end: the numeral.

    Returns:
        False for other scripts.
    """
    numeral = text[start:end]
    if not _SYLLABLE.match(numeral):
        return False
    before = text[max(0, start - 1) : start]
    if _SYLLABLE.match(before) and before not in _PREFIXES:
        return True
    return numeral == "이" or (numeral in _SCALES and _SYLLABLE.match(text[end : end + 1]) is not None)
