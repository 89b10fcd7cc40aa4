"""Announcements of an answer: shared by the readers of options and of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.scoring.parse.lexicon import Cue, is_in_longer
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import words_of

MAX_SUPPOSING_GAP = 24
"""Characters between "whether" and "the answer is", at most."""

_INTRODUCING = (":", "：", "=", "→")


def cues_in_front(segment: Segment, cue: Cue, text: str, *roles: str) -> Iterator[Cue]:
    """Find the cues shortly before an announcement, in its clause.

    Args:
        segment: in which the announcement stands.
        cue: the announcement.
        text: without markup.
        roles: of the cues.

    Yields:
        The cues in order.
    """
    for c in segment.having(*roles):
        if not 0 <= cue.start - c.end <= MAX_SUPPOSING_GAP or re.search(r"[,;:()]", text[c.end : cue.start]):
            continue
        if not is_in_longer(c, segment.having("choose")):  # "if I must choose"
            yield c


def announces_next(segment: Segment, text: str, *roles: str) -> bool:
    """Tell whether a segment announces an answer that is still to come.

    Args:
        segment: that holds no answer itself.
        text: without markup.
        roles: of the cues that announce.

    Returns:
        True where it ends in an announcement, or holds one and ends in a colon.
    """
    cues = segment.having(*roles)
    if not cues:
        return False
    last = cues[-1]
    rest = text[last.end : segment.end]
    return (
        text[segment.start : segment.end].rstrip(" *_`\"'\t#$[({\\").endswith(_INTRODUCING)
        or (last.role != "conclude" and not words_of(rest))
        or (last.role == "answer" and segment.language.is_only("copula", rest))
    )


def opening_denials(segment: Segment, text: str) -> list[Cue]:
    """Find a "no" that opens a segment.

    Args:
        segment: the sentence or line.
        text: without markup.

    Returns:
        The cue, or several that begin at the same place; empty without any.
    """
    return [c for c in segment.concepts if c.role == "no" and opens(segment, c.start, text)]


def opens(segment: Segment, position: int, text: str) -> bool:
    """Tell whether nothing but signs stands between a segment's beginning and a place.

    Args:
        segment: the sentence or line.
        position: in the text.
        text: without markup.

    Returns:
        True at the beginning, and behind quotes, brackets, dashes and bold.
    """
    return not text[segment.start : position].strip(" *_`\"'(-")
