"""Direction of a family: the view that is given, and the one that is asked about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Direction:
    """One direction of a family.

    Attributes:
        task: the question type.
        given, asked: 'ego' and 'exo', or the other way round.
        question: the text.
    """

    task: str
    given: str
    asked: str
    question: str
