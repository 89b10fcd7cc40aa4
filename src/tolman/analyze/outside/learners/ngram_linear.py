"""Logistic regression on words, pairs of words, runs of letters, options crossed with the question's names."""

from __future__ import annotations

from collections.abc import Sequence

from tolman.analyze.outside.outside_learner import (
    BlindQuestion,
    Ints,
    LearnerSettings,
    all_option_tokens,
    by_option,
    fitted,
    question_tokens,
    right_options,
)
from tolman.guessing.folds import Floats


class NgramLinear:
    """See the module."""

    title = "logistic regression on words, pairs of words and runs of letters of question and option"
    needs_language_model = False

    def choose(
        self, taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion], settings: LearnerSettings
    ) -> list[Floats]:
        """As `OutsideLearner` has it."""
        learned = fitted(all_option_tokens(list(taught)), right_options(taught, right))
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
        return fitted(map(question_tokens, taught), classes)(map(question_tokens, asked), count)


OUTSIDE_LEARNER = NgramLinear()
