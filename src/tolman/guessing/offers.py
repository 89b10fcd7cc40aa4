"""Offers: which answer of a space is given by constants, by constants per category and by learners.

A guesser knows the questions that are taught and their right answers, as places in the space; it gives the number of an
offer, whose score against any right answer is in `AnswerSpace.gains`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from tolman.guessing.answer_space import AnswerSpace
from tolman.guessing.learners import probabilities
from tolman.guessing.statistics import Floats

MIN_OF_CATEGORY = 5
"""Questions taught about the same things from which these have a constant of their own."""

Ints = NDArray[np.intp]


def category_constants(
    space: AnswerSpace, taught: Sequence[Hashable], own: Ints, asked: Sequence[Hashable]
) -> Ints | None:
    """For each question asked the best constant of its category, or of all where too few of its category are taught.

    Args:
        space: the answers.
        taught: category of each question taught: what it asks about.
        own: the place of its right answer. Shape (questions taught,).
        asked: category of each question asked.

    Returns:
        Numbers of offers, shape (questions asked,); None where none may be given.
    """
    best = space.best_constant(own)
    if best is None:
        return None
    places: dict[Hashable, list[int]] = {}
    for name, place in zip(taught, own.tolist(), strict=True):
        places.setdefault(name, []).append(place)
    found: dict[Hashable, int] = {}
    for name, several in places.items():
        constant = space.best_constant(np.array(several, dtype=np.intp)) if len(several) >= MIN_OF_CATEGORY else None
        found[name] = best if constant is None else constant
    return np.array([found.get(name, best) for name in asked], dtype=np.intp)


def learned_offers(
    space: AnswerSpace, learner: str, seed: int, taught: Floats, own: Ints, asked: Floats
) -> Ints | None:
    """For each question asked the offer that a learner expects the greatest score of.

    Args:
        space: the answers.
        learner: its name in `learners`.
        seed: of its own draws.
        taught: features of the questions taught. Shape (questions taught, columns).
        own: the places of their right answers. Shape (questions taught,).
        asked: features of the questions asked. Shape (questions asked, columns).

    Returns:
        Numbers of offers, shape (questions asked,); None where none may be given.
    """
    classes = space.classes(own)
    if classes is None:
        return None
    p = probabilities(learner, seed, taught, classes.y, asked, classes.count)
    return np.array(space.most_rewarded(classes, p), dtype=np.intp)
