"""Nearest neighbours: the answers of the questions with the most similar texts, by cosine similarity of their words.

Options that list things in an order hardly ever repeat. Each of these is compared with all options taught, by which
things come before which.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from tolman.analyze.outside.outside_learner import BlindQuestion, Ints, LearnerSettings, order_tokens, question_tokens
from tolman.guessing.folds import Floats

NEIGHBOURS = 15
HASHED = 2**17
"""Columns that tokens are hashed into."""
NEIGHBOURING_ORDERS = 60
"""Options taught that vote about an option which is an order."""
ROWS_AT_ONCE = 200
"""Questions whose similarities to all questions taught are held at a time."""
PLACE_WEIGHT = 0.1
"""Weight of an option's place beside that of its text."""
PRIOR = 1.0
"""Similarity that the classes' shares among all questions count for."""


class NearestNeighbours:
    """See the module."""

    title = f"the {NEIGHBOURS} questions with the most similar texts (cosine similarity of words and options)"
    needs_language_model = False

    def choose(
        self, taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion], settings: LearnerSettings
    ) -> list[Floats]:
        """As `OutsideLearner` has it."""
        found, orders = [], _order_votes(taught, right, asked)
        for question, order, (near, similar) in zip(asked, orders, _neighbours(taught, asked), strict=True):
            known: defaultdict[str, float] = defaultdict(float)
            places: defaultdict[int, float] = defaultdict(float)
            for i, weight in zip(near.tolist(), similar.tolist(), strict=True):
                chance = 1 / len(taught[i].options)
                places[int(right[i])] += weight
                for place, option in enumerate(taught[i].options):
                    known[option] += weight * ((place == right[i]) - chance)
            texts = [known[option] + PLACE_WEIGHT * places[j] for j, option in enumerate(question.options)]
            found.append(np.array(texts) + order)
        return found

    def classify(
        self,
        taught: Sequence[BlindQuestion],
        classes: Ints,
        count: int,
        asked: Sequence[BlindQuestion],
        settings: LearnerSettings,
    ) -> Floats:
        """As `OutsideLearner` has it."""
        share = np.bincount(classes, minlength=count) / len(classes)
        found = np.tile(PRIOR * share, (len(asked), 1))
        for row, (near, similar) in enumerate(_neighbours(taught, asked)):
            np.add.at(found[row], classes[near], similar)
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def _tokens(question: BlindQuestion) -> list[str]:
    return [*question_tokens(question), *(f"option:{option.lower()}" for option in question.options)]


def _order_votes(taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion]) -> list[Floats]:
    """For each option that is an order, return how much more often than by chance the nearest orders taught are
    right."""
    known = [tokens for question in taught for option in question.options if (tokens := order_tokens(option))]
    told = [
        (place == answer) - 1 / len(question.options)
        for question, answer in zip(taught, right.tolist(), strict=True)
        for place, option in enumerate(question.options)
        if order_tokens(option)
    ]
    votes = [np.zeros(len(question.options)) for question in asked]
    rows = [(i, j, order_tokens(option)) for i, one in enumerate(asked) for j, option in enumerate(one.options)]
    rows = [row for row in rows if row[2]]
    if known and rows:
        value = np.array(told)
        near = _nearest(known, [tokens for _, _, tokens in rows], NEIGHBOURING_ORDERS)
        for (i, j, _), (places, similar) in zip(rows, near, strict=True):
            votes[i][j] = similar @ value[places]
    return votes


def _neighbours(taught: Sequence[BlindQuestion], asked: Sequence[BlindQuestion]) -> Iterator[tuple[Ints, Floats]]:
    """For each question asked the numbers of the nearest ones taught and how similar they are."""
    return _nearest([_tokens(one) for one in taught], [_tokens(one) for one in asked], NEIGHBOURS)


def _nearest(taught: Sequence[list[str]], asked: Sequence[list[str]], most: int) -> Iterator[tuple[Ints, Floats]]:
    """For each text asked the numbers of the nearest ones taught, the earlier of equals first, and how similar."""
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.feature_extraction.text import TfidfTransformer

    hashed = FeatureHasher(HASHED, input_type="string", alternate_sign=False)
    weights = TfidfTransformer(sublinear_tf=True)
    known = weights.fit_transform(hashed.transform(taught))
    rows = weights.transform(hashed.transform(asked))
    count = min(most, len(taught))
    for start in range(0, len(asked), ROWS_AT_ONCE):
        similar = np.round((rows[start : start + ROWS_AT_ONCE] @ known.T).toarray(), 9)
        for own in similar:
            # Of those as similar as the last one, the earlier ones: what else would depend on the sorting.
            least = np.partition(own, -count)[-count]
            nearer = np.flatnonzero(own > least)
            near = np.concatenate([nearer, np.flatnonzero(own == least)[: count - len(nearer)]])
            yield near, own[near]


OUTSIDE_LEARNER = NearestNeighbours()
