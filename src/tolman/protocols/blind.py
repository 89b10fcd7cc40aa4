"""Blind: the question without its media ("vision disabled", VSI-Bench paper, Appendix C.4)."""

from __future__ import annotations

from tolman.protocols.base import Modifier

_NOTHING = "blind shows no media that could be shown otherwise"

PROTOCOL = Modifier(
    "blind",
    sees=False,
    refuses=dict.fromkeys(("question-first", "repeated-media", "correspondence", "joined"), _NOTHING),
    summary="without the media",
)
