"""Rankings, "the heater, followed by the stool" and "desk > chair", of which a question asks for the first."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from tolman.scoring.parse.commitments import CONCLUDED, Commitment
from tolman.scoring.parse.lexicon import Languages, is_in_longer
from tolman.scoring.parse.mentions import Mention, commit, options_in
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import is_inside, words_of

MAX_OPENING_CHARS = 12
"""Characters in front of "followed by" that opens a sentence, at most."""


@lru_cache(maxsize=16_384)
def asks_for_first(question: str, language: Languages) -> bool:
    """Tell whether a question asks for the first of a ranking.

    Args:
        question: of an item.
        language: in which it is written.

    Returns:
        True for "which is the largest", "what appears first"; False where it asks for the last or the second.
    """
    words = words_of(question)
    cues = language.cues_of(words, question)
    places = {int(c.role) for c in language.ordinals.find(words, question)}
    first = 1 in places or any(c.role == "superlative" for c in cues)
    return first and places <= {1} and not any(c.role == "last" for c in cues)


def behind_first(text: str, segment: Segment, mentions: Sequence[Mention]) -> list[Mention]:
    """Mark the options as denied that follow the first of a ranking.

    Args:
        text: without markup.
        segment: in which they stand.
        mentions: of options, in order.

    Returns:
        The mentions, each behind "followed by" denied where another stands before it or nothing does.
    """
    by_text = [m for m in mentions if m.by == "text"]
    cues = [c for c in segment.having("followed") if not is_inside(c, by_text) and not is_in_longer(c, segment.cues)]
    for cue in cues:
        before = options_in([m for m in mentions if m.end <= cue.start and not m.negated and not m.weak])
        behind = [m for m in mentions if m.start >= cue.end]
        opens = len(text[segment.start : cue.start].strip()) <= MAX_OPENING_CHARS
        if behind and (len(before) == 1 or (opens and not before)):
            start = behind[0].start
            return [replace(m, negated=m.negated or (m.start >= start and m.option not in before)) for m in mentions]
    return list(mentions)


def first_of_chain(text: str, segment: Segment, mentions: Sequence[Mention]) -> Commitment | None:
    """Find the first option of a chain, "desk > chair > lamp".

    Args:
        text: without markup.
        segment: in which they stand.
        mentions: of options, in order.

    Returns:
        A commitment to it; None where other signs stand between the options, or more is said behind them: it may be
        ranked by the opposite.
    """
    named = [m for m in mentions if m.by == "text" and not m.weak]
    if len(options_in(named)) < 2 or len(named) != len(options_in(named)):
        return None
    if any(w.start >= named[-1].end and not is_inside(w, segment.cues) for w in segment.words):
        return None
    gaps = [text[a.end : b.start].strip(" *_`()0123456789.,cm") for a, b in itertools.pairwise(named)]
    return commit(named[0], CONCLUDED, "superlative") if set(gaps) == {">"} else None
