"""Learners by logistic regression: on the text of questions and options, and on the other fields of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    """On words, pairs of words, runs of letters, and options crossed with the question's names."""

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


class Metadata:
    """On a row's other fields than its text: names of files and scenes, order in the file, labels."""

    title = "logistic regression on names and numbers of files and scenes, order in the file, labels; not on the text"
    needs_language_model = False

    def choose(
        self, taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion], settings: LearnerSettings
    ) -> list[Floats]:
        """As `OutsideLearner` has it."""
        return by_option(asked, fitted(_options(taught), right_options(taught, right))(_options(asked), 2)[:, 1])

    def classify(
        self,
        taught: Sequence[BlindQuestion],
        classes: Ints,
        count: int,
        asked: Sequence[BlindQuestion],
        settings: LearnerSettings,
    ) -> Floats:
        """As `OutsideLearner` has it."""
        return fitted([[*one.marks] for one in taught], classes)([[*one.marks] for one in asked], count)


def _options(questions: Sequence[BlindQuestion]) -> Iterator[list[str]]:
    """Marks crossed with the place and the text of every option, one question behind the other."""
    for question in questions:
        for place, option in enumerate(question.options):
            own = option.lower()
            yield [token for mark in question.marks for token in (f"{mark}|place:{place}", f"{mark}|{own}")]


OUTSIDE_LEARNERS = {"ngram-linear": NgramLinear(), "metadata": Metadata()}
