"""Practice: questions before the study, with the right answer after each. They are never scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tolman.review.studies.spec import Practising


class Passed(Enum):
    """Where somebody stands with practice."""

    GOING_ON = "going on"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Standing:
    """Where somebody stands.

    Attributes:
        passed: whether they practise on, are done, or have failed.
        round: the one they are in, or the last, from 0.
        right: of its answers.
    """

    passed: Passed
    round: int
    right: int


def standing(rounds: Sequence[Sequence[bool]], questions: int, asked: Practising) -> Standing:
    """Tell where somebody stands.

    Args:
        rounds: for each round that was begun, whether each of its answers was right.
        questions: of a round.
        asked: what is asked of them.
    """
    for number, answers in enumerate(rounds):
        right = sum(answers)
        if len(answers) < questions:
            return Standing(Passed.GOING_ON, number, right)
        if right >= asked.least_right:
            return Standing(Passed.DONE, number, right)
    last = len(rounds) - 1
    if len(rounds) >= asked.rounds:
        return Standing(Passed.FAILED, last, sum(rounds[-1]))
    return Standing(Passed.GOING_ON if questions else Passed.DONE, last + 1, 0)
