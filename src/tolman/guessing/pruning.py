"""Pruning to chance: leaving out questions, so that every predictor is right as often as by chance.

Neither more often nor more seldom: predictors below chance leak the answers too, so both tails are filtered.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tolman.guessing.statistics import Floats

Ints = NDArray[np.intp]
_DIGITS = 9
"""Decimals that are looked at of how far predictors are off: the last bits of sums depend on their order."""


def prune_to_chance(
    right: ArrayLike,
    chance: Sequence[float],
    seed: str,
    slack: float = 0.0,
    answers: Sequence[str] | None = None,
    *,
    from_below: bool = True,
) -> set[int]:
    """The questions that have to go.

    One after the other, always one that brings all predictors together as near to chance as leaving out a single
    question can (the sum of the squares of how many questions each is off), drawn at random among equals; until
    none brings them nearer.

    Args:
        right: how often each predictor is right about each question, 0 … 1. Shape (predictors, questions).
        chance: for each question, how likely a random answer is right. Shape (questions,).
        seed: of the draws.
        slack: by what share of the questions a predictor may be off.
        answers: of the questions, where they are to stay about as even as they are: while one of the most frequent
            answer helps, no other goes.
        from_below: whether questions go for a predictor that is right too seldom as well. Of few questions hardly any
            would be left.

    Returns:
        The questions' numbers.
    """
    order = list(range(len(chance)))
    random.Random(seed).shuffle(order)
    excess: Floats = (np.asarray(right, dtype=np.float64) - np.asarray(chance))[:, order]
    names = sorted(set(answers or ()))
    answer = np.array([names.index(answers[i]) if answers else 0 for i in order], dtype=np.intp)
    counts = np.bincount(answer, minlength=1)
    total, left = excess.sum(axis=1), len(order)
    alike = _Alike.of(excess, answer)
    gone: set[int] = set()
    while (off := float(_off(total, slack * left, from_below))) > 0:
        then = np.where(alike.left(), _off(total[:, None] - alike.excess, slack * (left - 1), from_below), np.inf)
        best = alike.least(np.where(counts[alike.answer] == counts.max(), then, np.inf), off)
        best = alike.least(then, off) if best is None else best
        if best is None:
            break
        gone.add(order[alike.take(best)])
        counts[alike.answer[best]] -= 1
        total, left = total - alike.excess[:, best], left - 1
    return gone


class _Alike:
    """Questions about which predictors are as right, and whose answer is the same: one is weighed for all of them.

    Args:
        excess: of each group, how much more right than by chance each predictor is. Shape (predictors, groups).
        answer: of each group. Shape (groups,).
        places: of the questions, group by group, rising in each. Shape (questions,).
        starts, ends: of each group in `places`; its start moves with each question that is taken. Shape (groups,).
    """

    def __init__(self, excess: Floats, answer: Ints, places: Ints, starts: Ints, ends: Ints) -> None:
        self.excess, self.answer = excess, answer
        self._places, self._starts, self._ends = places, starts, ends

    @classmethod
    def of(cls, excess: Floats, answer: Ints) -> _Alike:
        """Group questions, given in the order in which equals are taken."""
        if not len(answer):
            return cls(excess, answer, answer, answer, answer)
        rows = np.lexsort((*excess, answer))  # stable: places rise within a group
        same = (excess[:, rows[1:]] == excess[:, rows[:-1]]).all(axis=0) & (answer[rows[1:]] == answer[rows[:-1]])
        starts = np.flatnonzero(np.r_[True, ~same])
        first = rows[starts]
        return cls(excess[:, first], answer[first], rows, starts, np.r_[starts[1:], len(rows)])

    def left(self) -> NDArray[np.bool_]:
        """Whether each group has any left."""
        return self._starts < self._ends

    def least(self, then: Floats, now: float) -> int | None:
        """The group of the first question of the least value, where that is less than now."""
        if not then.size or not (least := then.min()) < now:
            return None
        groups = np.flatnonzero(then == least)
        return int(groups[self._places[self._starts[groups]].argmin()])

    def take(self, group: int) -> int:
        """The place of a group's first question, which isn't left any longer."""
        place = int(self._places[self._starts[group]])
        self._starts[group] += 1
        return place


def _off(total: Floats, allowed: float, from_below: bool) -> Floats:
    """Sum of squares of how far predictors are off chance. Shape (predictors, …) to (…)."""
    beyond = np.maximum((np.abs(total) if from_below else total) - allowed, 0.0)
    off: Floats = np.round(np.square(beyond).sum(axis=0), _DIGITS)
    return off
