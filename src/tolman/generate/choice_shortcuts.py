"""How often choices are answered rightly without what they are asked about: from a part of their media, or from texts.

What a type's texts say is gathered once; each draw of the folds takes the questions that are left of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tolman.generate.draft import Cues
from tolman.guessing.blind import likeliest
from tolman.guessing.features import choice_pool
from tolman.guessing.folds import deal, groups, renumbered, taught
from tolman.guessing.frequent import most_frequent_text
from tolman.guessing.from_cues import answers_from_matrix, encoded, vocabulary
from tolman.guessing.learners import LINEAR, QUICK, SCALED, probabilities
from tolman.guessing.statistics import Floats
from tolman.items import MEDIA_MARK, Item

Ints = NDArray[np.intp]


class ChoiceGuessers:
    """Guessers of one question type: what each part of the media suggests, learners, the most frequent text.

    Args:
        items: all questions of the type.
        answers: what is balanced of their answers.
        cues: what each part of their media tells.
        closed: whether the options are a closed list.
        folds: that the scenes are dealt into.
        most_taught: questions that a learner is taught at most; None for all of the other folds.
    """

    def __init__(
        self,
        items: Sequence[Item],
        answers: Sequence[str],
        cues: Sequence[Cues],
        folds: int,
        *,
        closed: bool,
        most_taught: int | None = None,
    ) -> None:
        self._items, self._answers, self._cues, self._folds = items, answers, cues, folds
        self._most_taught, self._groups = most_taught, np.array(groups(items), dtype=np.intp)
        self._parts = min(map(len, cues), default=0)
        self._names = QUICK if closed else (*QUICK, SCALED)
        readable = not all(MEDIA_MARK in option for item in items for option in item.options)
        self._pool = choice_pool(items) if readable else None
        self._told: list[tuple[str, Floats]] = []
        if closed:
            self._told.append((LINEAR, vocabulary([item.question for item in items])))
            told = [encoded([one[part] for one in cues]) for part in range(self._parts)]
            self._told += [(name, matrix) for name in QUICK for matrix in told]

    def suggested(self, kept: Sequence[int]) -> list[list[float]]:
        """For each part of the media, whether what it suggests is right; chance where it suggests nothing.

        Args:
            kept: numbers of the questions.
        """
        return [
            [
                float(self._cues[i][part][0] == self._answers[i])
                if self._cues[i][part][0]
                else 1 / len(self._items[i].options)
                for i in kept
            ]
            for part in range(self._parts)
        ]

    def learned(self, kept: Sequence[int], seeds: Iterable[int]) -> list[Floats]:
        """Shares of the draws in which each learner is right about some questions, taught on the same ones.

        Who always says the most frequent text has learned that from all of them.

        Args:
            kept: numbers of the questions, rising.
            seeds: one for each draw.

        Returns:
            For each learner, shape (questions,); none where options are media and no closed list.
        """
        items = [self._items[i] for i in kept]
        draws = [self._draw(kept, items, seed) for seed in seeds]
        found: list[Floats] = [np.mean(one, axis=0) for one in zip(*draws, strict=True)]
        if self._pool is not None:
            choose = most_frequent_text(items)
            found.append(np.array([float(choose(item) == item.answer) for item in items]))
        return found

    def _draw(self, kept: Sequence[int], items: Sequence[Item], seed: int) -> list[NDArray[np.bool_]]:
        """For each learner, and each thing that it may be told, whether it is right."""
        own = np.array(kept, dtype=np.intp)
        fold = deal(renumbered(self._groups[own]), [(one.task,) for one in items], self._folds, seed)
        right = self._by_text(items, own, fold, seed)
        answers = [self._answers[i] for i in kept]
        for name, matrix in self._told:
            guessed = answers_from_matrix(answers, matrix[own], fold, name, seed, self._most_taught)
            right.append(np.array([a == b for a, b in zip(guessed, answers, strict=True)]))
        return right

    def _by_text(self, items: Sequence[Item], own: Ints, fold: Ints, seed: int) -> list[NDArray[np.bool_]]:
        """For each learner whether the option that it takes for the likeliest is right."""
        if self._pool is None:
            return []
        pool = self._pool.part(own)
        rows, y = pool.rows(fold, self._folds), pool.values[:, 1].astype(np.intp)
        true = np.array([item.letters.index(item.answer) for item in items], dtype=np.intp)
        right = [np.zeros(len(items), dtype=bool) for _ in self._names]
        for held_out in sorted(set(fold.tolist())):
            some = taught(fold, held_out, self._most_taught, seed)
            here = (some | (fold == held_out))[rows.item]
            looked_at, known = rows.part(here), y[here]
            matrix, test = looked_at.matrix(held_out), looked_at.fold == held_out
            asked = np.flatnonzero(fold == held_out)
            for name, found in zip(self._names, right, strict=True):
                p = probabilities(name, seed, matrix[~test], known[~test], matrix[test], 2)[:, 1]
                found[asked] = likeliest(p, looked_at.item[test]) == true[asked]
        return right
