"""Answers from cues: what learners predict that are told something of a question beside its text, such as one picture.

Answers are classes here: a closed list that all questions of a type share.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from tolman.guessing.folds import taught
from tolman.guessing.learners import probabilities
from tolman.guessing.statistics import Floats
from tolman.guessing.words import words


def answers_from_cues(
    answers: Sequence[str], cues: Sequence[Sequence[Hashable]], fold: NDArray[np.intp], learner: str, seed: int
) -> list[str]:
    """For each question the answer that its cues make likeliest, learned from the other folds.

    Args:
        answers: of the questions.
        cues: of each, numbers (the same question's neighbours in value are alike) or names (they aren't); a place in
            the list means the same in all lists, shorter ones lack the last.
        fold: of each question.
        learner: its name in `learners`.
        seed: of the learner.
    """
    return answers_from_matrix(answers, encoded(cues), fold, learner, seed)


def answers_from_matrix(
    answers: Sequence[str],
    matrix: Floats,
    fold: NDArray[np.intp],
    learner: str,
    seed: int,
    most_taught: int | None = None,
) -> list[str]:
    """The same of cues that are numbers already, as `encoded` gives them. Shape (questions, columns).

    Args:
        most_taught: questions that are taught at most; None for all of the other folds.
    """
    classes = sorted(set(answers))
    place = {answer: i for i, answer in enumerate(classes)}
    y = np.array([place[answer] for answer in answers], dtype=np.intp)
    found = np.zeros(len(answers), dtype=np.intp)
    for held_out in sorted(set(fold.tolist())):
        train, test = taught(fold, held_out, most_taught, seed), fold == held_out
        if train.any():
            p = probabilities(learner, seed, matrix[train], y[train], matrix[test], len(classes))
            found[test] = p.argmax(axis=1)
    return [classes[i] for i in found]


def encoded(cues: Sequence[Sequence[Hashable]]) -> Floats:
    """Cues as numbers, a column for each place or, of names, for each name. Shape (questions, columns)."""
    columns: list[NDArray[np.float64]] = []
    for place in range(max(map(len, cues), default=0)):
        cells = [row[place] if place < len(row) else None for row in cues]
        if all(cell is None or isinstance(cell, int | float) for cell in cells):
            columns.append(np.array([-1e3 if cell is None else cell for cell in cells], dtype=np.float64))
        else:
            names = sorted({str(cell) for cell in cells})
            columns += [np.array([float(str(cell) == name) for cell in cells]) for name in names]
    return np.stack(columns, axis=1) if columns else np.zeros((len(cues), 1))


def vocabulary(texts: Sequence[str]) -> Floats:
    """For each text which words, and which two in a row, are in it, of those that several have: 1 or 0.

    Shape (texts, words and pairs); one column of 0 where there are none.
    """
    found = [words(text) for text in texts]
    spans = [{*own, *itertools.pairwise(own)} for own in found]
    counts = Counter(span for own in spans for span in own)
    known = sorted((span for span, n in counts.items() if 1 < n < len(texts)), key=str)
    place = {span: i for i, span in enumerate(known)}
    matrix = np.zeros((len(texts), max(1, len(known))))
    for row, own in enumerate(spans):
        matrix[row, [place[span] for span in own if span in place]] = 1.0
    return matrix
