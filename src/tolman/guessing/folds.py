"""Folds: which items are held out together.

Items that share a scene, a medium, an `all_of` group or a group of twins are always in the same fold. A scene's answers
hang together (a room with six chairs has six chairs in every question about it), so a learner that was shown one of
them while it is asked another would be credited for knowing the scene, not for guessing from the question. Equal
question texts of different scenes are not kept together: that "how many tables" is mostly answered by 2 is what is to
be measured. Counterfactual twins (one text asked about scenes that differ in one thing, each with another answer) are:
a learner that is taught one of them knows what the other's answer is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tolman.errors import UsageError
from tolman.items import Item

TWINS = "twins"
"""The entry of an item's `labels` or `evidence` that is the same text for all twins of a group."""


def groups(items: Sequence[Item]) -> list[int]:
    """The number of each item's group, in the order of first appearance.

    Two items are in one group if they share a scene, a medium (file, part and times), an `all_of` group or the text of
    `TWINS` in their labels or evidence, also by way of others.
    """
    parent = list(range(len(items)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    first: dict[object, int] = {}
    for i, item in enumerate(items):
        shared: list[object] = [("scene", item.cluster), *(("media", m.path, m.part) for m in item.media)]
        shared += [("all of", item.all_of)] if item.all_of is not None else []
        twins = item.labels.get(TWINS) or item.evidence.get(TWINS)
        shared += [("twins", str(twins))] if twins else []
        for what in shared:
            one, other = root(first.setdefault(what, i)), root(i)
            parent[max(one, other)] = min(one, other)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(root(i), len(numbers)) for i in range(len(items))]


def renumbered(group: NDArray[np.intp]) -> list[int]:
    """The groups of some of the items, numbered anew in the order of first appearance. Shape (items,)."""
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.intp)
    number[np.argsort(first)] = np.arange(len(first))
    renamed: list[int] = number[place].tolist()
    return renamed


def taught(fold: NDArray[np.intp], held_out: int, most: int | None, seed: int) -> NDArray[np.bool_]:
    """Tell which items are taught while a fold is held out: all others, or so many of them, drawn.

    Args:
        fold: of each item. Shape (items,).
        held_out: the fold.
        most: how many items at most; None for all.
        seed: of the draw.

    Returns:
        Shape (items,).
    """
    others = fold != held_out
    if most is None or np.count_nonzero(others) <= most:
        return np.asarray(others)
    drawn = np.random.default_rng([seed, held_out]).choice(np.flatnonzero(others), most, replace=False)
    found = np.zeros(len(fold), dtype=bool)
    found[drawn] = True
    return found


def question_type(item: Item) -> Iterable[str]:
    """What every fold has alike of, where nothing else is said."""
    return (item.task,)


def assign(
    items: Sequence[Item], count: int, seed: int, labels: Callable[[Item], Iterable[str]] = question_type
) -> NDArray[np.intp]:
    """The fold of every item.

    Groups are shuffled, then each goes, the largest first, to the fold that is then emptiest of its items' labels: so
    every fold has about the same number of items of every label, its question type if nothing else is said.

    Args:
        items: the questions.
        count: how many folds, at least 2.
        seed: of the shuffling.
        labels: of an item.

    Returns:
        0 … count − 1 for each item. Shape (items,).

    Raises:
        UsageError: there are fewer groups than folds.
    """
    return deal(groups(items), [tuple(labels(item)) for item in items], count, seed)


def deal(group: Sequence[int], labelled: Sequence[tuple[str, ...]], count: int, seed: int) -> NDArray[np.intp]:
    """The same of items whose groups and labels are known.

    Args:
        group: of each item, numbered in the order of first appearance.
        labelled: the labels of each item.
        count, seed: as for `assign`.

    Raises:
        UsageError: there are fewer groups than folds.
    """
    members: dict[int, list[int]] = {}
    for i, number in enumerate(group):
        members.setdefault(number, []).append(i)
    if len(members) < count:
        raise UsageError(f"{count} folds need as many scenes that can be held out, here are {len(members)}.")
    alike = len(set(labelled)) == 1
    total = Counter(label for own in labelled for label in own)
    shuffled = np.random.default_rng(seed).permutation(len(members))
    order = sorted(shuffled.tolist(), key=lambda number: -len(members[number]))
    load: list[Counter[str]] = [Counter() for _ in range(count)]
    sizes = [0] * count
    fold = np.zeros(len(group), dtype=np.intp)
    for number in order:
        if alike:  # the fold that is emptiest of one label is that of all
            chosen = sizes.index(min(sizes))
            sizes[chosen] += len(members[number])
            fold[members[number]] = chosen
            continue
        own: dict[str, int] = {}
        for i in members[number]:
            for label in labelled[i]:
                own[label] = own.get(label, 0) + 1
        shares = [sum([n * f[t] / total[t] for t, n in own.items()]) for f in load]
        costs = list(zip(shares, sizes, strict=True))
        chosen = costs.index(min(costs))
        for label, n in own.items():
            load[chosen][label] += n
            sizes[chosen] += n
        for i in members[number]:
            fold[i] = chosen
    return fold
