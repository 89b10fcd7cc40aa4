"""Gradient boosting on which words, names and options there are, and on lengths, places and numbers in the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tolman.analyze.outside.outside_learner import (
    BEFORE,
    PART,
    BlindQuestion,
    Ints,
    LearnerSettings,
    by_option,
    named_words,
    order_tokens,
    right_options,
)
from tolman.guessing.folds import Floats
from tolman.guessing.learners import number_in, words

STEPS, STEPS_OF_CLASSES = 60, 25
"""Trees, of options and for each class of numbers."""
MAX_CATEGORIES = 200
"""Values of a categorical column that are told apart, the most frequent."""
MAX_WORDS = 60
"""Words with a column of their own, of questions and of options."""
MAX_ORDERS = 300
"""Pairs of things with a column of their own, which says that an option lists one before the other."""
NAMES = 3
"""Names of a question that are columns."""


class BoostedTrees:
    """See the module."""

    title = "gradient boosting on words, names, options, orders of things, lengths, places and numbers in the text"
    needs_language_model = False

    def choose(
        self, taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion], settings: LearnerSettings
    ) -> list[Floats]:
        """As `OutsideLearner` has it."""
        rows, others = _option_rows(taught), _option_rows(asked)
        p = _boosted(rows, right_options(taught, right), 2, others, STEPS, settings.seed)
        return by_option(asked, p[:, 1])

    def classify(
        self,
        taught: Sequence[BlindQuestion],
        classes: Ints,
        count: int,
        asked: Sequence[BlindQuestion],
        settings: LearnerSettings,
    ) -> Floats:
        """As `OutsideLearner` has it."""
        rows, others = ([_question_row(question) for question in some] for some in (taught, asked))
        return _boosted(rows, classes, count, others, STEPS_OF_CLASSES, settings.seed)


@dataclass(frozen=True, slots=True)
class _Row:
    """Columns of a row: categories, numbers (nan for none), words."""

    categories: tuple[Hashable, ...]
    numbers: tuple[float, ...]
    words: frozenset[str]


def _question_row(question: BlindQuestion) -> _Row:
    names = (*question.names, *[""] * NAMES)[:NAMES]
    own = words(question.text)
    stated = [float(word) for word in own if word.replace(".", "", 1).isdecimal()]
    numbers = (float(len(question.text)), float(len(own)), float(len(question.names)), *(*stated, np.nan, np.nan)[:2])
    return _Row((*names, question.names), numbers, frozenset(named_words(question)))


def _option_rows(questions: Iterable[BlindQuestion]) -> list[_Row]:
    """A row for each option, one question behind the other."""
    found = []
    for question in questions:
        base = _question_row(question)
        lengths = np.array([float(len(option)) for option in question.options])
        counts = np.array([float(len(words(option))) for option in question.options])
        stated = [number_in(option) for option in question.options]
        values = np.array([np.nan if value is None else value for value in stated])
        for place, option in enumerate(question.options):
            numbers = (
                float(place),
                float(len(question.options)),
                *(value for column in (lengths, counts, values) for value in _among(column, place)),
            )
            first = base.categories[0]
            found.append(
                _Row(
                    (option.lower(), (first, option.lower()), *base.categories),
                    (*numbers, *base.numbers),
                    base.words | {f"option:{word}" for word in words(option)} | set(order_tokens(option)),
                )
            )
    return found


def _among(column: Floats, place: int) -> tuple[float, float, float, float]:
    """A value, how many of the others are less, how many greater, and its distance from their mean."""
    own = float(column[place])
    known = column[~np.isnan(column)]
    if np.isnan(own) or not len(known):
        return (np.nan,) * 4
    return own, float((known < own).sum()), float((known > own).sum()), own - float(known.mean())


def _boosted(rows: list[_Row], y: Ints, count: int, asked: list[_Row], steps: int, seed: int) -> Floats:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    found = np.zeros((len(asked), count))
    present = np.unique(y)
    if len(present) < 2:
        found[:, present] = 1.0
        return found
    columns = _Columns(rows)
    model = HistGradientBoostingClassifier(
        max_iter=steps,
        learning_rate=0.1,
        max_leaf_nodes=15,
        min_samples_leaf=10,
        l2_regularization=1.0,
        early_stopping=False,
        categorical_features=list(range(columns.categorical)),
        random_state=seed,
    )
    with threadpool_limits(1):  # the work is shared out by question type and part
        model.fit(columns.matrix(rows), y)
        found[:, model.classes_] = model.predict_proba(columns.matrix(asked))
    return found


class _Columns:
    """Columns as the rows taught have them.

    Args:
        rows: taught.
    """

    def __init__(self, rows: Sequence[_Row]) -> None:
        self.categorical = len(rows[0].categories)
        self.codes = [_numbered(row.categories[i] for row in rows) for i in range(self.categorical)]
        counts = Counter(word for row in rows for word in row.words)
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        orders = [word for word in ranked if word.startswith((BEFORE, PART))][:MAX_ORDERS]
        options = [word for word in ranked if word.startswith("option:")][:MAX_WORDS]
        others = [word for word in ranked if not word.startswith(("option:", BEFORE, PART))][:MAX_WORDS]
        self.words = {word: i for i, word in enumerate([*options, *others, *orders])}
        values = np.array([row.numbers for row in rows])
        self.numbers = [i for i, column in enumerate(values.T) if not np.isnan(column).all()]

    def matrix(self, rows: Sequence[_Row]) -> Floats:
        """Return the features, shape (rows, columns); nan for a category without its own code."""
        categories = np.array(
            [
                [codes.get(value, np.nan) for codes, value in zip(self.codes, row.categories, strict=True)]
                for row in rows
            ]
        )
        present = np.zeros((len(rows), len(self.words)))
        for i, row in enumerate(rows):
            present[i, [self.words[word] for word in row.words if word in self.words]] = 1.0
        return np.hstack([categories, np.array([row.numbers for row in rows])[:, self.numbers], present])


def _numbered(values: Iterable[Hashable]) -> dict[Hashable, int]:
    counts = Counter(values)
    ranked = sorted(counts, key=lambda value: (-counts[value], str(value)))
    return {value: i for i, value in enumerate(ranked[:MAX_CATEGORIES])}


OUTSIDE_LEARNER = BoostedTrees()
