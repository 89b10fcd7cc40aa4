"""Logistic regression on words, pairs of words, runs of letters, options crossed with the question's names."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tolman.analyze.outside.learner import BlindQuestion, Ints, LearnerSettings, by_option, right_options
from tolman.analyze.outside.tokens import all_option_tokens, question_tokens
from tolman.guessing.statistics import Floats

MAX_TOKENS = 2**17
"""Tokens that have a column, the most frequent."""
MIN_ROWS = 2
"""Rows that a token must be in to have one."""
STRENGTH = 1.0
"""Inverse of the regularisation (C)."""
MAX_STEPS = 60
"""Steps of the solver."""


class NgramLinear:
    """See the module."""

    title = "logistic regression on words, pairs of words and runs of letters of question and option"
    needs_language_model = False

    def choose(
        self, taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion], settings: LearnerSettings
    ) -> list[Floats]:
        """As `OutsideLearner` has it."""
        learned = _fitted(all_option_tokens(list(taught)), right_options(taught, right))
        return by_option(asked, learned(all_option_tokens(list(asked)), 2)[:, 1])

    def classify(
        self,
        taught: Sequence[BlindQuestion],
        classes: Ints,
        count: int,
        asked: Sequence[BlindQuestion],
        settings: LearnerSettings,
    ) -> Floats:
        """As `OutsideLearner` has it."""
        found: Floats = _fitted(map(question_tokens, taught), classes)(map(question_tokens, asked), count)
        return found


def _fitted(texts: Iterable[list[str]], y: Ints) -> Any:
    """Learn; gives a function (tokens of rows, number of classes) → probabilities of shape (rows, classes)."""
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
            model.fit(texts, y)

    def probabilities(rows: Iterable[list[str]], count: int) -> Floats:
        if len(present) < 2:
            found = np.zeros((len(list(rows)), count))
            found[:, present] = 1.0
            return found
        p = model.predict_proba(rows)
        found = np.zeros((len(p), count))
        found[:, model.classes_] = p
        return found

    return probabilities


OUTSIDE_LEARNER = NgramLinear()
