"""What who doesn't look scores on questions for numbers, beside who always says the best constant.

A number can be near the truth without any look: all sofas are about as long. So a guesser is measured by its score, and
against the constant that the metric rewards most in the other folds: what has more knows something of the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tolman.guessing.answer_space import answer_space
from tolman.guessing.features import answer_pool
from tolman.guessing.folds import deal, groups, renumbered, taught
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
        most_taught: questions that a learner is taught at most; None for all of the other folds.
    """

    def __init__(self, items: Sequence[Item], folds: int, most_taught: int | None = None) -> None:
        self._items, self._folds, self._most_taught = items, folds, most_taught
        self._groups = np.array(groups(items), dtype=np.intp)
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
        fold = deal(renumbered(self._groups[kept]), [(one.task,) for one in items], self._folds, seed)
        rows = self._pool.part(kept).rows(fold, self._folds)
        found = np.zeros((3 + len(_LEARNERS), len(items)))
        for held_out in sorted(set(fold.tolist())):
            others, test = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
            some = taught(fold, held_out, self._most_taught, seed)
            looked_at = rows.part(some | (fold == held_out))
            matrix, held = looked_at.matrix(held_out), looked_at.fold == held_out
            named, asked = ([names[i] for i in numbers.tolist()] for numbers in (others, test))
            offers = [
                category_constants(space, [()] * len(others), own[others], [()] * len(test)),
                category_constants(space, named, own[others], asked),
                learned_offers(space, LINEAR, seed, words[some], own[some], words[test]),
                *(learned_offers(space, name, seed, matrix[~held], own[some], matrix[held]) for name in _LEARNERS),
            ]
            for place, taken in enumerate(offers):
                if taken is not None:
                    found[place, test] = space.gains[taken, own[test]]
        return found
