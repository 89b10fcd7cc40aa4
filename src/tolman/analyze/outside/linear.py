"""Logistic regression on tokens: what learners that count tokens share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable

import numpy as np

from tolman.analyze.outside.learner import Ints
from tolman.guessing.statistics import Floats

MAX_TOKENS = 2**17
"""Tokens that have a column, the most frequent."""
MIN_ROWS = 2
"""Rows that a token must be in to have one."""
STRENGTH = 1.0
"""Inverse of the regularisation (C)."""
MAX_STEPS = 60
"""Steps of the solver."""


def fitted(rows: Iterable[list[str]], y: Ints) -> Callable[[Iterable[list[str]], int], Floats]:
    """Learn which class the tokens of a row tell.

    Args:
        rows: tokens of each.
        y: class of each. Shape (rows,).

    Returns:
        Tokens of other rows and the number of classes → probabilities. Shape (other rows, classes).
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from threadpoolctl import threadpool_limits

    present = np.unique(y)
    model = make_pipeline(
        TfidfVectorizer(analyzer=list, min_df=MIN_ROWS, max_features=MAX_TOKENS, sublinear_tf=True),
        LogisticRegression(C=STRENGTH, max_iter=MAX_STEPS),
    )
    if len(present) > 1:
        with threadpool_limits(1), warnings.catch_warnings():  # sums in one order, so that a seed has one table
            warnings.simplefilter("ignore", ConvergenceWarning)  # few steps are meant
            model.fit(rows, y)

    def probabilities(others: Iterable[list[str]], count: int) -> Floats:
        if len(present) < 2:
            found = np.zeros((len(list(others)), count))
            found[:, present] = 1.0
            return found
        p = model.predict_proba(others)
        found = np.zeros((len(p), count))
        found[:, model.classes_] = p
        return found

    return probabilities
