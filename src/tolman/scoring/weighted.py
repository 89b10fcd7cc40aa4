"""Figures of weighted values, for many sets of weights at once: the median, and macro-averaged F1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NO_CLASS = 2**20 - 1
"""The class of a response that names none of the classes."""
MAX_CLASS = NO_CLASS - 1
"""The greatest number of a class."""


def weighted_median(values: Floats, weights: Floats) -> Floats:
    """The median, with each value as often as its weight says; of an even number of them the mean of the middle two.

    Args:
        values: shape (items,).
        weights: whole numbers. Shape (…, items).

    Returns:
        Shape (…,); nan without weight.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    reached = np.cumsum(weights[..., order], axis=-1)
    total = reached[..., -1:]
    lower = np.argmax(reached >= total / 2, axis=-1)
    upper = np.argmax(reached > total / 2, axis=-1)
    middle = (ordered[lower] + ordered[upper]) / 2
    # Before the first item that counts, nothing is reached: with a weight of 0 in all, argmax is 0.
    return np.asarray(np.where(total[..., 0] > 0, middle, np.nan))


def pair_code(truth: int, response: int) -> float:
    """Two classes as one number, which `macro_f1` takes apart; exact in float64.

    Args:
        truth: the right class, 0 to `MAX_CLASS`.
        response: the class that was answered, or `NO_CLASS`.
    """
    return float(truth * 2**20 + response)


def macro_f1(codes: Floats, weights: Floats) -> Floats:
    """The unweighted mean of the classes' F1 scores, over all classes that are right for an item or answered for one.

    F1 is 2 · hits / (items of the class + answers of the class). What is answered with no class is a miss of the right
    one, and no class of its own.

    Args:
        codes: of `pair_code`. Shape (items,).
        weights: how often each counts. Shape (…, items).

    Returns:
        Shape (…,); nan without weight.
    """
    pairs = codes.astype(np.int64)
    truths, responses = pairs // 2**20, pairs % 2**20
    classes = np.setdiff1d(np.union1d(truths, responses), [NO_CLASS])
    is_truth = (truths[:, None] == classes).astype(np.float64)
    is_response = (responses[:, None] == classes).astype(np.float64)
    flat = weights.reshape(-1, len(codes)).astype(np.float64)
    hits = flat @ (is_truth * is_response)
    sizes = flat @ is_truth + flat @ is_response
    found = sizes > 0
    scores = np.where(found, 2 * hits / np.where(found, sizes, 1.0), 0.0)
    count = found.sum(-1)
    return np.asarray(np.where(count > 0, scores.sum(-1) / np.maximum(count, 1), np.nan)).reshape(weights.shape[:-1])
