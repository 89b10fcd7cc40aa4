"""Whole rings of a benchmark: questions with one text of which each option is right once.

Who answers by the text alone gives all of a ring one answer and is right about exactly one of them: what such a learner
gets is known before it is taught anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tolman.analyze.outside.learner import Ints
from tolman.guessing.folds import TWINS
from tolman.guessing.statistics import Floats
from tolman.items import Item
from tolman.kinds import kind_of


def whole_rings(items: Sequence[Item]) -> Ints:
    """The number of the ring that each item is in, −1 where it is in none. Shape (items,).

    A ring is a group of twins whose questions and options are alike, in one order, with each option right once.
    """
    members: dict[str, list[int]] = {}
    for i, item in enumerate(items):
        name = item.labels.get(TWINS) or item.evidence.get(TWINS)
        if name and kind_of(item).has_letters:
            members.setdefault(f"{item.task}\n{name}", []).append(i)
    found = np.full(len(items), -1, dtype=np.intp)
    for number, own in enumerate(members.values()):
        first = items[own[0]]
        alike = all(items[i].question == first.question and items[i].options == first.options for i in own)
        if alike and len(own) == len(first.options) and len({items[i].answer for i in own}) == len(own):
            found[own] = number
    return found


def one_right_each(scores: Floats, ring: Ints) -> bool:
    """Tell whether all questions are in whole rings, and of each exactly one was answered rightly."""
    if not len(ring) or (ring < 0).any():
        return False
    numbers, place = np.unique(ring, return_inverse=True)
    return bool((np.bincount(place, scores, len(numbers)) == 1.0).all())
