"""What who doesn't look scores on questions for numbers, beside who always says the best constant.

A number can be near the truth without any look: all sofas are about as long. So a guesser is measured by its score, and
against the constant that the metric rewards most in the other folds: what has more knows something of the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tolman.guessing.answer_space import answer_space
from tolman.guessing.features import answer_pool
from tolman.guessing.folds import assign
from tolman.guessing.from_cues import vocabulary
from tolman.guessing.learners import LINEAR, QUICK, SCALED
from tolman.guessing.offers import Ints, category_constants, learned_offers
from tolman.guessing.statistics import Floats
from tolman.guessing.words import phrases
from tolman.items import Item
from tolman.scoring.rules import careful

_LEARNERS = (*QUICK, SCALED)


class NumberGuessers:
    """Guessers of one question type: constants per category, learners on statistics of words, a learner on words.

    Args:
        items: all questions of the type, whose answers are the ones that there are.
        folds: that the scenes are dealt into.
    """

    def __init__(self, items: Sequence[Item], folds: int) -> None:
        self._items, self._folds = items, folds
        self._space = answer_space(items, careful())
        self._places = np.array(self._space.right, dtype=np.intp)
        self._pool = answer_pool(items, [self._space.values[place] for place in self._space.right])
        self._names = [tuple(sorted({name for _, name in found})) for found in phrases(items)]
        self._words = vocabulary([item.question for item in items])

    def scores(self, kept: Sequence[int], seeds: Iterable[int]) -> tuple[Floats, Floats]:
        """The guessers' scores on some of the questions, taught on the same ones, means over several draws of folds.

        Args:
            kept: numbers of the questions, rising.
            seeds: one for each draw.

        Returns:
            Of each guesser, shape (guessers, questions); of the best constant, shape (questions,).
        """
        items, own = [self._items[i] for i in kept], np.array(kept, dtype=np.intp)
        draws = [self._draw(items, own, seed) for seed in seeds]
        mean = np.mean(draws, axis=0)
        return mean[1:], mean[0]

    def _draw(self, items: Sequence[Item], kept: Ints, seed: int) -> Floats:
        """Scores of the constant, then of each guesser. Shape (1 + guessers, questions)."""
        space, own, words = self._space, self._places[kept], self._words[kept]
        names = [self._names[i] for i in kept.tolist()]
        fold = assign(items, self._folds, seed)
        rows = self._pool.part(kept).rows(fold, self._folds)
        found = np.zeros((3 + len(_LEARNERS), len(items)))
        for held_out in sorted(set(fold.tolist())):
            train, test = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
            matrix = rows.matrix(held_out)
            taught, asked = ([names[i] for i in some.tolist()] for some in (train, test))
            offers = [
                category_constants(space, [()] * len(train), own[train], [()] * len(test)),
                category_constants(space, taught, own[train], asked),
                learned_offers(space, LINEAR, seed, words[train], own[train], words[test]),
                *(learned_offers(space, name, seed, matrix[train], own[train], matrix[test]) for name in _LEARNERS),
            ]
            for place, taken in enumerate(offers):
                if taken is not None:
                    found[place, test] = space.gains[taken, own[test]]
        return found
