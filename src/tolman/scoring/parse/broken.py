"""Responses that break off before they are at an end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tolman.scoring.parse.commitments import STATED, Commitment
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.words import Word, is_glued, words_of

MAX_FORMULA_CHARS = 40
"""Characters of a text that may end in a sign of arithmetic without breaking off, at most."""
MIN_BROKEN_CHARS = 90
"""Characters of a text that breaks off where its last sentence has no full stop, at least."""
MIN_DENSE_CHARS = 80
"""The same where the last sentence is written in a script without spaces, at least."""
MAX_UNPOINTED_CHARS = 60
"""Characters behind an answer in a last sentence that needs no full stop, at most."""
MAX_ENDING_CHARS = 12
"""Characters of a last sentence that needs no full stop, at most."""


def breaks_off(text: str, commitments: Sequence[Commitment], language: Languages) -> bool:
    """Whether a text of several sentences ends in the middle of one that commits it to nothing."""
    tail = text.rstrip()
    ending = words_of(tail, max(0, len(tail) - MAX_UNPOINTED_CHARS))
    dense = bool(ending) and is_glued(tail[-1])
    if len(tail) > MAX_FORMULA_CHARS and tail[-1] in "×=+*/÷,、" and not tail.endswith("**"):
        return True
    if (len(tail) < (MIN_DENSE_CHARS if dense else MIN_BROKEN_CHARS) and not _leads_on(tail, ending, language)) or (
        re.search(r"[.!?。।…)\]}\"'*_`:;|>]\Z|[^\w\s×+=/*,(、，\u0900-\u0963\u064b-\u0652-]\Z", tail) is not None
    ):
        return False
    start = last_sentence(tail)
    return (
        not any(
            c.start >= start
            and c.end >= len(tail) - MAX_UNPOINTED_CHARS
            and c.value is not None
            and c.strength > STATED
            for c in commitments
        )
        and len(tail) - start > MAX_ENDING_CHARS
    )


def _leads_on(tail: str, ending: Sequence[Word], language: Languages) -> bool:
    """Whether a text of several sentences ends in words that something must follow: "the distance is", "on the"."""
    if len(tail) <= MAX_FORMULA_CHARS or last_sentence(tail) < 0:
        return False
    return any(
        c.end == len(tail) and c.role in ("conclude", "copula", "estimate", "bound", "between", "open_end")
        for c in language.cues_of(ending, tail)
    )


def last_sentence(text: str) -> int:
    """Where the last sentence begins; -1 without a mark before it."""
    return max(text.rfind(mark) for mark in (". ", "! ", "? ", "。", "।", "\n", "： ", "; ", "؟ "))
