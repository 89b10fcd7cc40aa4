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
        total = self.sums.sum(axis=1) - self.sums[:, held_out]
        own = self.fold[self.row]
        training = (own != held_out)[:, None]
        return np.asarray(total[self.key] - training * self.sums[self.key, own])


def slot(keys: Sequence[Sequence[Hashable]], values: Floats, fold: NDArray[np.intp], folds: int) -> Slot:
    """Collect keys.

    Args:
        keys: for each row.
        values: what is summed for each row, the first channel being 1 for its number. Shape (rows, channels).
        fold: of each row. Shape (rows,).
        folds: how many there are.
    """
    numbers: dict[Hashable, int] = {}
    row: list[int] = []
    key: list[int] = []
    for i, found in enumerate(keys):
        for one in dict.fromkeys(found):
            row.append(i)
            key.append(numbers.setdefault(one, len(numbers)))
    rows, ids = np.array(row, dtype=np.intp), np.array(key, dtype=np.intp)
    sums = np.zeros((len(numbers), folds, values.shape[1]))
    np.add.at(sums, (ids, fold[rows]), values[rows])
    return Slot(len(keys), rows, ids, fold, sums)


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
    sums, counts = np.zeros(one.rows), np.zeros(one.rows)
    least, most, seen = base.copy(), base.copy(), np.zeros(one.rows)
    np.add.at(sums, one.row, total)
    np.add.at(counts, one.row, count)
    np.minimum.at(least, one.row, smooth)
    np.maximum.at(most, one.row, smooth)
    np.maximum.at(seen, one.row, count)
    return [(sums + SMOOTHING * base) / (counts + SMOOTHING), least, most, seen]
