"""Folds: which items are held out together, and sums over the answers of the other folds.

Items that share a scene, a medium, an `all_of` group or a group of twins are always in the same fold. A scene's answers
hang together: a room with six chairs has six chairs in every question about it. A learner that was shown one of them
while it is asked another would be credited for knowing the scene, not for guessing from the question. Equal question
texts of different scenes are not kept together: that "how many tables" is mostly answered by 2 is to be measured.
Counterfactual twins are kept together: one text, asked about scenes that differ in one thing, each with another answer.
A learner that is taught one of them can rule out its answer for the other.

A row that is held out knows the answers of all other folds. A row that a learner is trained on knows those of the folds
that are neither held out nor its own. Otherwise its own answer would be in its features, and the learner would trust
them more than it may. Sums for each key and fold make both a subtraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

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
    """Return the groups of some of the items, renumbered in the order of first appearance. Shape (items,)."""
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.intp)
    number[np.argsort(first)] = np.arange(len(first))
    renamed: list[int] = number[place].tolist()
    return renamed


def taught(fold: NDArray[np.intp], held_out: int, most: int | None, seed: int) -> NDArray[np.bool_]:
    """Choose the items taught while a fold is held out: all others, or so many of them, drawn.

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
    """Return the default label to balance over the folds: the question type."""
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
        raise UsageError(f"{count} folds need as many scenes that can be held out, not {len(members)}.")
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


Floats = NDArray[np.float64]
SMOOTHING = 3.0
"""Number of answers of average value every key is given on top of its own."""


@dataclass(frozen=True)
class Slot:
    """One kind of key (a phrase, an option's text …), any number of them for each row.

    Attributes:
        rows: how many rows there are.
        row, key: the entries: row number, key number. Shape (entries,).
        fold: of every row. Shape (rows,).
        sums: of the rows' values, by key and fold. Shape (keys, folds, channels).
    """

    rows: int
    row: NDArray[np.intp]
    key: NDArray[np.intp]
    fold: NDArray[np.intp]
    sums: Floats

    def known(self, held_out: int) -> Floats:
        """The sums that each entry may know while one fold is held out. Shape (entries, channels)."""
        sums, own = self.sums[self.key], self.fold[self.row]
        training = (own != held_out)[:, None]
        return np.asarray(sums.sum(axis=1) - sums[:, held_out] - training * self.sums[self.key, own])

    def part(self, here: NDArray[np.bool_]) -> Slot:
        """Return the entries of some rows, renumbered; the sums are still those of all rows.

        Args:
            here: whether a row stays. Shape (rows,).
        """
        row, stays = _among(self.row, here)
        return Slot(int(here.sum()), row, self.key[stays], self.fold[here], self.sums)


@dataclass(frozen=True)
class Keys:
    """Keys of one kind as numbers, gathered once for any number of draws of the folds.

    Attributes:
        rows: how many rows there are.
        row, key: the entries, by rising rows: row number, key number. Shape (entries,).
        count: how many keys there are.
    """

    rows: int
    row: NDArray[np.intp]
    key: NDArray[np.intp]
    count: int

    def part(self, here: NDArray[np.bool_]) -> Keys:
        """Return the entries of some rows, renumbered.

        Args:
            here: whether a row stays. Shape (rows,).
        """
        row, stays = _among(self.row, here)
        return Keys(int(here.sum()), row, self.key[stays], self.count)

    def of_several(self, item: NDArray[np.intp]) -> Keys:
        """Without keys of a single item: nothing is known of them when it is asked, and nothing when it is taught.

        Args:
            item: the number of each row's item. Shape (rows,).
        """
        pairs = np.unique(np.stack([self.key, item[self.row]], axis=1), axis=0)
        often = np.bincount(pairs[:, 0], minlength=self.count) > 1
        stays, number = often[self.key], np.cumsum(often) - 1
        return Keys(self.rows, self.row[stays], number[self.key[stays]], int(often.sum()))

    def slot(self, values: Floats, fold: NDArray[np.intp], folds: int) -> Slot:
        """Sum up the values of each key, fold by fold.

        Args:
            values: to sum for each row; the first channel is 1, for the count. Shape (rows, channels).
            fold: of each row. Shape (rows,).
            folds: how many there are.
        """
        place = self.key * folds + fold[self.row]
        sums: Floats = np.zeros((self.count * folds, values.shape[1]))
        for channel, column in enumerate(values[self.row].T):
            sums[:, channel] = np.bincount(place, column, len(sums))
        return Slot(self.rows, self.row, self.key, fold, sums.reshape(self.count, folds, values.shape[1]))


def _among(row: NDArray[np.intp], here: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return entries' new numbers of the rows that stay, and which entries are theirs. Shapes (left,), (entries,)."""
    stays = here[row]
    return (np.cumsum(here) - 1)[row[stays]], stays


def numbered(keys: Sequence[Sequence[Hashable]]) -> Keys:
    """Number the keys of each row, each once."""
    numbers: dict[Hashable, int] = {}
    row: list[int] = []
    key: list[int] = []
    for i, found in enumerate(keys):
        for one in dict.fromkeys(found):
            row.append(i)
            key.append(numbers.setdefault(one, len(numbers)))
    return Keys(len(keys), np.array(row, dtype=np.intp), np.array(key, dtype=np.intp), len(numbers))


def slot(keys: Sequence[Sequence[Hashable]], values: Floats, fold: NDArray[np.intp], folds: int) -> Slot:
    """Number keys and sum up their values; see `Keys.slot`."""
    return numbered(keys).slot(values, fold, folds)


def summaries(one: Slot, held_out: int, base: Floats) -> list[Floats]:
    """Statistics of a row's keys: columns of shape (rows,).

    The mean of the answers known, over the keys weighted by how often each was seen; its least and greatest smoothed
    mean; and how often the best known key was seen. A row without a key gets the base and 0.

    Args:
        one: the keys; channel 0 counts, channel 1 is the answer.
        held_out: the fold.
        base: a row's expected answer if nothing is known. Shape (rows,).
    """
    known = one.known(held_out)
    count, total = known[:, 0], known[:, 1]
    own = base[one.row]
    smooth = (total + SMOOTHING * own) / (count + SMOOTHING)
    sums, counts = np.bincount(one.row, total, one.rows), np.bincount(one.row, count, one.rows)
    least, most, seen = base.copy(), base.copy(), np.zeros(one.rows)
    if len(one.row):
        starts = np.flatnonzero(np.r_[True, one.row[1:] != one.row[:-1]])
        filled = one.row[starts]
        least[filled] = np.minimum(base[filled], np.minimum.reduceat(smooth, starts))
        most[filled] = np.maximum(base[filled], np.maximum.reduceat(smooth, starts))
        seen[filled] = np.maximum.reduceat(count, starts)
    return [(sums + SMOOTHING * base) / (counts + SMOOTHING), least, most, seen]
