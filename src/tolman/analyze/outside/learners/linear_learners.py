"""Learners by logistic regression: on the text of questions and options, and on the other fields of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tolman.analyze.outside.outside_learner import (
    BlindQuestion,
    Ints,
    LearnerSettings,
    by_option,
    fitted,
    option_tokens,
    question_tokens,
    right_options,
)
from tolman.guessing.folds import Floats


@dataclass(frozen=True)
class TokenLinear:
    """Logistic regression on tokens.

    Attributes:
        title, needs_language_model: as `OutsideLearner` has them.
        option_tokens: of an option of a question, by its place.
        question_tokens: of a question without options.
    """

    title: str
    option_tokens: Callable[[BlindQuestion, int], list[str]]
    question_tokens: Callable[[BlindQuestion], list[str]]
    needs_language_model: bool = False

    def choose(
        self, taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion], settings: LearnerSettings
    ) -> list[Floats]:
        """As `OutsideLearner` has it."""
        learned = fitted(self._options(taught), right_options(taught, right))
        return by_option(asked, learned(self._options(asked), 2)[:, 1])

    def classify(
        self,
        taught: Sequence[BlindQuestion],
        classes: Ints,
        count: int,
        asked: Sequence[BlindQuestion],
        settings: LearnerSettings,
    ) -> Floats:
        """As `OutsideLearner` has it."""
        return fitted(map(self.question_tokens, taught), classes)(map(self.question_tokens, asked), count)

    def _options(self, questions: Sequence[BlindQuestion]) -> Iterator[list[str]]:
        """Tokens of every option, one question behind the other."""
        return (self.option_tokens(question, place) for question in questions for place in range(len(question.options)))


def _marks_of_option(question: BlindQuestion, place: int) -> list[str]:
    """Marks crossed with the place and the text of an option."""
    own = question.options[place].lower()
    return [token for mark in question.marks for token in (f"{mark}|place:{place}", f"{mark}|{own}")]


OUTSIDE_LEARNERS = {
    "ngram-linear": TokenLinear(
        "logistic regression on words, pairs of words and runs of letters of question and option",
        option_tokens,
        question_tokens,
    ),
    "metadata": TokenLinear(
        "logistic regression on names and numbers of files and scenes, order in the file, labels; not on the text",
        _marks_of_option,
        lambda question: [*question.marks],
    ),
}
