"""Statistics: sums over the answers of the other folds, and of no others.

A row that is held out knows the answers of all other folds. A row that a learner is trained on knows those of the
folds that are neither held out nor its own: otherwise its own answer would stand in its features, and the learner
would trust them more than it may. Sums for each key and fold make both a subtraction.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
        """The entries of some rows, which are numbered anew; the sums are still those of all rows.

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
        """The entries of some rows, which are numbered anew.

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
        """Sum up what goes with each key, fold by fold.

        Args:
            values: what is summed for each row, the first channel being 1 for its number. Shape (rows, channels).
            fold: of each row. Shape (rows,).
            folds: how many there are.
        """
        place = self.key * folds + fold[self.row]
        sums: Floats = np.zeros((self.count * folds, values.shape[1]))
        for channel, column in enumerate(values[self.row].T):
            sums[:, channel] = np.bincount(place, column, len(sums))
        return Slot(self.rows, self.row, self.key, fold, sums.reshape(self.count, folds, values.shape[1]))


def _among(row: NDArray[np.intp], here: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Of entries, the new numbers of those rows that stay, and which entries are theirs. Shapes (left,), (entries,)."""
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
    """Number keys and sum up what goes with them; see `Keys.slot`."""
    return numbered(keys).slot(values, fold, folds)


def summaries(one: Slot, held_out: int, base: Floats) -> list[Floats]:
    """Statistics of a row's keys: columns of shape (rows,).

    The mean of the answers known, over the keys weighted by how often each was seen; its least and greatest smoothed
    mean; and how often the best known key was seen. A row without a key gets the base and 0.

    Args:
        one: the keys; channel 0 counts, channel 1 is the answer.
        held_out: the fold.
        base: what a row's answer is expected to be where nothing is known. Shape (rows,).
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
