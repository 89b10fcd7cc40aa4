"""Lessons: which questions are taught and which are asked, never two of one scene or of one group of twins in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tolman.analyze.outside.learner import Ints
from tolman.guessing.folds import assign, groups
from tolman.items import Item
from tolman.kinds import kind_of

TaughtOn = Literal["other folds", "others", "others and other half"]
"""The other folds of the benchmark; the questions of other benchmarks; those and the benchmark's other half."""


EVEN = 2
"""Questions by which the most frequent answer may outnumber the rarest, where answers count as balanced."""


@dataclass(frozen=True)
class Lesson:
    """Questions that are taught, and questions that are then asked.

    Attributes:
        taught_on: the name of the rule.
        taught, asked: numbers of questions, those of the benchmark first, then the others.
    """

    taught_on: TaughtOn
    taught: Ints
    asked: Ints


def even_labels(items: Sequence[Item]) -> Callable[[Item], tuple[str, ...]]:
    """What all folds have alike of: the question type, and letters and texts that are right equally often.

    Where answers were balanced, a letter that is rare in the folds taught is frequent in the one asked, and learners
    would fall below chance for that alone. Where they were not, folds are left to luck: made alike, they would share
    what luck made frequent in the whole, and learners would rise above chance for that alone.

    Args:
        items: of the benchmark.

    Returns:
        Item → its labels.
    """
    counts: dict[tuple[str, str, int], Counter[str]] = {}
    for item in items:
        for which, answer in _answers(item).items():
            counts.setdefault((item.task, which, len(item.options)), Counter())[answer] += 1
    balanced = {key for key, own in counts.items() if len(own) > 1 and max(own.values()) - min(own.values()) <= EVEN}

    def labels(item: Item) -> tuple[str, ...]:
        own = (f"{which} {answer}" for which, answer in _answers(item).items()
               if (item.task, which, len(item.options)) in balanced)  # fmt: skip
        return item.task, *(f"{item.task}\n{len(item.options)} {text}" for text in own)

    return labels


def _answers(item: Item) -> dict[str, str]:
    return {"letter": item.answer, "text": item.answer_text} if kind_of(item).has_letters else {}


def lessons(items: Sequence[Item], others: Sequence[Item], folds: int, seed: int) -> tuple[list[Lesson], Ints]:
    """All lessons, of all question types together.

    Args:
        items: of the benchmark.
        others: questions that are taught beside it; none for lessons of the benchmark alone.
        folds: how many the benchmark is dealt into.
        seed: of the dealing.

    Returns:
        The lessons, and the group (scene, twins …) of every item and then of every other. Shape (items + others,).

    Raises:
        UsageError: there are fewer scenes than folds.
    """
    group = np.array(groups([*items, *others]), dtype=np.intp)
    own, further = np.arange(len(items)), len(items) + np.arange(len(others))
    labels = even_labels(items)
    fold = assign(items, folds, seed, labels)
    found = [Lesson("other folds", own[fold != f], own[fold == f]) for f in range(folds)]
    if not len(others):
        return found, group

    def apart(asked: Ints) -> Ints:
        return further[~np.isin(group[further], group[asked])]

    shared = np.isin(group[further], group[own]).any()
    parts = [own[fold == f] for f in range(folds)] if shared else [own]
    found += [Lesson("others", apart(part), part) for part in parts]
    half = assign(items, 2, seed + 1, labels)
    for h in range(2):
        asked = own[half == h]
        found.append(Lesson("others and other half", np.concatenate([own[half != h], apart(asked)]), asked))
    return found, group
