"""The interface of the audit's learners, the questions as they see them, and the features that they share.

`OutsideLearner` guesses answers without pictures; a `BlindQuestion` is all that it knows of a question. A learner is
one file: `learners/my_name.py` with `OUTSIDE_LEARNER`, or a plugin's. Tokens are words, pairs of words and runs of
letters of questions and options; `fitted` is logistic regression on them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.guessing.folds import Floats
from tolman.guessing.learners import parts, words
from tolman.registry import Registry

Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class BlindQuestion:
    """The content of a question without its pictures.

    Attributes:
        text: without its options.
        options: their texts; none where the answer is no letter.
        names: phrases that set the question apart from others of its type: mostly the things it asks about.
        marks: its row's other fields than the text, as tokens (`marks.marks_of`).
    """

    text: str
    options: tuple[str, ...]
    names: tuple[str, ...]
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LearnerSettings:
    """The inputs of a learner other than the questions.

    Attributes:
        seed: of its draws.
        language_model: folder of a language model in the form of transformers; None for none.
    """

    seed: int = 0
    language_model: Path | None = None


class OutsideLearner(Protocol):
    """A learner.

    Attributes:
        title: a description, for a table's legend.
        needs_language_model: whether it takes part only where a language model is named.
    """

    title: str
    needs_language_model: bool

    def choose(
        self, taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion], settings: LearnerSettings
    ) -> list[Floats]:
        """How likely each option of each question asked is right, on any scale; the greatest is answered.

        Args:
            taught: choices whose answers are known.
            right: the place of the right option of each. Shape (taught,).
            asked: choices.
            settings: of the learner.
        """
        ...

    def classify(
        self,
        taught: Sequence[BlindQuestion],
        classes: Ints,
        count: int,
        asked: Sequence[BlindQuestion],
        settings: LearnerSettings,
    ) -> Floats:
        """The probability of each class of answers. Shape (asked, count).

        Args:
            taught: questions without options whose answers are known.
            classes: the class of each answer, 0 … count − 1. Shape (taught,).
            count: how many classes there are.
            asked: questions without options.
            settings: of the learner.
        """
        ...


def _problem(thing: object) -> str:
    wanted = ("choose", "classify", "title", "needs_language_model")
    missing = [name for name in wanted if not hasattr(thing, name)]
    return f"has no {', '.join(missing)}" if missing else ""


LEARNERS = Registry(
    "learner",
    "tolman.analyze.outside.learners",
    "OUTSIDE_LEARNER",
    "tolman.outside_learners",
    plural="OUTSIDE_LEARNERS",
    check=_problem,
)


def by_option(asked: Sequence[BlindQuestion], values: Floats) -> list[Floats]:
    """Values of options, one behind the other, as an array for each question."""
    return np.split(values, np.cumsum([len(question.options) for question in asked])[:-1])


def right_options(taught: Sequence[BlindQuestion], right: Ints) -> Ints:
    """Return whether each option is the right one, concatenated over questions: 0 or 1. Shape (options of all,)."""
    return np.array(
        [place == own for question, own in zip(taught, right, strict=True) for place in range(len(question.options))],
        dtype=np.intp,
    )


LETTERS_IN_RUN = 3
MAX_LETTERS = 60
"""Letters of an option whose runs are counted."""
MAX_NAMED_WORDS = 12
"""Words of the question that are crossed with those of an option."""
BEFORE, PART = "before:", "part "
"""What a token begins with that says which of two things a list has first, and which thing it has where."""


def named_words(question: BlindQuestion) -> list[str]:
    """The words that set a question apart from others of its type, each once."""
    return list(dict.fromkeys(word for name in question.names for word in name.split()))[:MAX_NAMED_WORDS]


def question_tokens(question: BlindQuestion) -> list[str]:
    """The words of a question, pairs of them, its names and their letters."""
    own = words(question.text)
    found = [*own, *(f"{a} {b}" for a, b in pairwise(own)), *(f"name:{name}" for name in question.names)]
    found.append("names:" + "|".join(question.names))
    for name in question.names:
        found += _runs(name)
    return found


def option_tokens(question: BlindQuestion, place: int) -> list[str]:
    """The words and letters of an option, crossed with its place and with the question's names."""
    option = question.options[place].lower()
    own = words(option) or [option]
    asked = named_words(question)
    found = [f"place:{place}", f"option:{option}", *own, *(f"{a} {b}" for a, b in pairwise(own)), *_runs(option)]
    found += [f"{place}:{word}" for word in own]
    found += order_tokens(option)
    for other in asked:
        found += [f"{other}|place:{place}", f"{other}|option:{option}", *(f"{other}|{word}" for word in own)]
    return found


def order_tokens(option: str) -> list[str]:
    """Return tokens of an option that lists several things: each one's position, and which comes before which."""
    listed = parts(option)
    if len(listed) < 2:
        return []
    return [
        *(f"{PART}{number}:{part}" for number, part in enumerate(listed)),
        *(f"{BEFORE}{a}|{b}" for a, b in combinations(listed, 2)),
    ]


def _runs(text: str) -> list[str]:
    padded = f" {text[:MAX_LETTERS]} "
    return [f"letters:{padded[i : i + LETTERS_IN_RUN]}" for i in range(len(padded) - LETTERS_IN_RUN + 1)]


MAX_TOKENS = 2**17
"""Tokens that have a column, the most frequent."""
MIN_ROWS = 2
"""Rows that a token must be in to have one."""
STRENGTH = 1.0
"""Inverse of the regularisation (C)."""
MAX_STEPS = 60
"""Steps of the solver."""


def fitted(rows: Iterable[list[str]], y: Ints) -> Callable[[Iterable[list[str]], int], Floats]:
    """Learn to predict a row's class from its tokens.

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
