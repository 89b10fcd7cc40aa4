"""Pruning to chance: leaving out questions, so that every predictor is right as often as by chance.

Neither more often nor more seldom: predictors below chance leak the answers too, so both tails are filtered.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tolman.guessing.statistics import Floats

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
    here = np.ones(len(order), dtype=bool)
    total, left = excess.sum(axis=1), len(order)
    while (off := float(_off(total, slack * left, from_below))) > 0:
        then = np.where(here, _off(total[:, None] - excess, slack * (left - 1), from_below), np.inf)
        best = _least(np.where(counts[answer] == counts.max(), then, np.inf), off)
        best = _least(then, off) if best is None else best
        if best is None:
            break
        here[best] = False
        counts[answer[best]] -= 1
        total, left = total - excess[:, best], left - 1
    return {order[place] for place in np.flatnonzero(~here).tolist()}


def _off(total: Floats, allowed: float, from_below: bool) -> Floats:
    """Sum of squares of how far predictors are off chance. Shape (predictors, …) to (…)."""
    beyond = np.maximum((np.abs(total) if from_below else total) - allowed, 0.0)
    off: Floats = np.round(np.square(beyond).sum(axis=0), _DIGITS)
    return off


def _least(then: Floats, now: float) -> int | None:
    """The first place of the least, where that is less than now."""
    place = int(then.argmin())
    return place if then[place] < now else None
