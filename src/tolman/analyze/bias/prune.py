"""Prune: leave out the items that are guessed best, a few at a time, training anew on what is left.

Leaving them out all at once would give the learners a new tell-tale: what is rare among the answers that are left is
then what is right. The idea is that of VSI-Bench-Debiased (vision-x-nyu/test-set-training); the features, the held-out
scenes, new folds in every round and a fixed share of each question type are Tolman's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tolman.generate.sampling import quotas
from tolman.guessing.blind import guess
from tolman.guessing.folds import assign
from tolman.items import Item
from tolman.scoring.rules import RuleSet

ROUNDS = 6


def prune(
    items: Sequence[Item],
    keep: int,
    rules: RuleSet,
    *,
    folds: int,
    seed: int = 0,
    workers: int | None = None,
    rounds: int = ROUNDS,
    done: Callable[[int], None] = lambda count: None,
) -> NDArray[np.bool_]:
    """Choose the items that are kept.

    In every round the learners answer what is left, on folds drawn anew, and each question type loses its best guessed
    items, so many that it comes to its quota at the end. How well an item is guessed is the mean over the rounds so
    far, the later ones counting more: one draw of folds would make items leave that were right by luck, and what is
    left would look harder to guess on that draw than it is.

    Args:
        items: the questions.
        keep: how many items to keep.
        rules: how answers are scored.
        folds: how many.
        seed: of the draws.
        workers: as in `blind.guess`.
        rounds: how often.
        done: called with the number of every round that is over.

    Returns:
        True for each item that is kept. Shape (items,).

    Raises:
        UsageError: that many can't be kept, or there are too few scenes.
    """
    goal = quotas([item.task for item in items], keep)
    kept = np.ones(len(items), dtype=bool)
    tasks = np.array([item.task for item in items])
    # Items that count as one question leave as one.
    names = [item.all_of or item.id for item in items]
    _, unit = np.unique(names, return_inverse=True)
    value = np.zeros(len(items))
    for number in range(1, rounds + 1):
        left = np.flatnonzero(kept)
        own = [items[i] for i in left.tolist()]
        draw = np.random.SeedSequence([seed, number]).generate_state(1)
        found = guess(own, assign(own, folds, int(draw[0])), rules, seed=seed + number, workers=workers)
        value[left] = found.guessability if number == 1 else (value[left] + found.guessability) / 2
        together = (np.bincount(unit, value) / np.bincount(unit))[unit]
        for task, quota in goal.items():
            members = np.flatnonzero(kept & (tasks == task))
            leaving = round((len(members) - quota) / (rounds + 1 - number))
            ranked = members[np.lexsort((members, unit[members], -together[members]))]
            while 0 < leaving < len(ranked) and unit[ranked[leaving]] == unit[ranked[leaving - 1]]:
                leaving -= 1
            kept[ranked[:leaving]] = False
        done(number)
    return kept
