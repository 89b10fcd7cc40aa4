"""AnswerSpace: the answers that items without letters have, as classes to learn and as offers to choose among.

A learner says how likely each class of answers is; given is the answer with the greatest expected score. A guesser
(constants, constants per category, learners) knows the questions that are taught and their right answers, as places in
the space. It gives the number of an offer, whose score against any right answer is in `AnswerSpace.gains`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.guessing.folds import Floats
from tolman.guessing.learners import probabilities
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.scoring.rule_sets import RuleSet

_BINS = 12
"""Classes of answers that a learner tells apart."""
_MOST_OFFERED = 150
"""Answers that are weighed for an item."""

Ints = NDArray[np.intp]


@dataclass(frozen=True)
class AnswerClasses:
    """Answers of training items in classes.

    Attributes:
        own: the place of each training item's answer in the space. Shape (items,).
        y: its class. Shape (items,).
        count: how many classes there are.
        offered: numbers of the offers that may be given.
    """

    own: Ints
    y: Ints
    count: int
    offered: Ints


@dataclass(frozen=True)
class AnswerSpace:
    """All answers of items of one question type and kind.

    Attributes:
        answers: in the order of their magnitude or text.
        values: the magnitude of each, or a number in its place.
        right: the place of each item's answer.
        ordered: whether answers that are near to each other score alike.
        offers: places of those that may be given.
        gains: score of each offer where another answer is right; nan where only a judge can score it. Shape (offers,
            answers).
    """

    answers: list[str]
    values: list[float]
    right: list[int]
    ordered: bool
    offers: Ints
    gains: Floats

    def classes(self, own: Ints) -> AnswerClasses | None:
        """Classes of the answers of training items; None where none of them may be given.

        Args:
            own: their places. Shape (items,).
        """
        offered = _thinned(np.flatnonzero(np.isin(self.offers, own)))
        if not len(offered):
            return None
        y, count = _bins(own) if self.ordered else _most_frequent(own)
        return AnswerClasses(own, y, count, offered)

    def most_rewarded(self, classes: AnswerClasses, p: Floats) -> list[int]:
        """Return, for each item asked, the number of the offer with the greatest expected score of those with one.

        Args:
            classes: the learned classes.
            p: probability of each class. Shape (items asked, classes).
        """
        share = np.zeros((classes.count, len(self.answers)))
        np.add.at(share, (classes.y, classes.own), 1.0)
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1.0)
        promised = _mean_gain(self.gains[classes.offered], (p @ share).T)
        return [int(place) for place in classes.offered[promised.argmax(axis=0)]]

    def offer(self, number: int) -> str:
        """The text of an offer."""
        return self.answers[int(self.offers[number])]

    def best_constant(self, own: Ints) -> int | None:
        """The number of the offer that the items of these places reward most, of those that can score it; None where
        none may be given."""
        weight = np.bincount(own, minlength=len(self.answers)).astype(np.float64)
        offered = np.flatnonzero(weight[self.offers])
        return int(offered[_mean_gain(self.gains[offered], weight).argmax()]) if len(offered) else None

    def constant(self, known: Sequence[Item]) -> str | None:
        """The answer that these items reward most; None where none may be given."""
        place = {answer: i for i, answer in enumerate(self.answers)}
        own = np.array([place[kind_of(item).right_response(item)] for item in known], dtype=np.intp)
        best = self.best_constant(own)
        return None if best is None else self.offer(best)


def answer_space(own: Sequence[Item], rules: RuleSet) -> AnswerSpace:
    """Collect the answers of items.

    Args:
        own: items of one question type and kind, whose answers are no letters.
        rules: how answers are scored.
    """
    kind = kind_of(own[0])
    said = [kind.right_response(item) for item in own]
    example = dict(zip(said, own, strict=True))
    value = {text: kind.magnitude(item) if kind.magnitude else _stand_in(text) for text, item in example.items()}
    ordered = kind.magnitude is not None
    answers = sorted(example, key=lambda text: (value[text], text) if ordered else (0.0, text))
    place = {text: i for i, text in enumerate(answers)}
    offers = np.arange(len(answers))
    if not ordered and len(answers) > _MOST_OFFERED:
        counts = Counter(said)
        frequent = sorted(answers, key=lambda text: (-counts[text], text))[:_MOST_OFFERED]
        offers = np.array(sorted(place[text] for text in frequent), dtype=np.intp)
    gains = _gains([example[text] for text in answers], [answers[i] for i in offers], rules)
    return AnswerSpace(
        answers, [value[text] for text in answers], [place[text] for text in said], ordered, offers, gains
    )


def _stand_in(text: str) -> float:
    """Return a number for an answer without magnitude, from 0 to 16, independent of the other answers."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=2).digest(), "big") / 2**12


def _gains(truths: Sequence[Item], offers: Sequence[str], rules: RuleSet) -> Floats:
    """The score of each answer where another is right; nan without one. Shape (offers, right answers)."""
    scores = [[rules.score_of(truth, text) for truth in truths] for text in offers]
    return np.array(scores, dtype=np.float64)


def _mean_gain(gains: Floats, weight: Floats) -> Floats:
    """The mean score of each offer over the right answers that it is scored on; below 0 where there are none.

    Args:
        gains: shape (offers, answers).
        weight: of the answers. Shape (answers,) or (answers, items).
    """
    scored = ~np.isnan(gains)
    if scored.all():
        return gains @ weight  # the total orders them as the mean does
    total = scored @ weight
    return np.where(total > 0, np.nan_to_num(gains) @ weight / np.maximum(total, 1e-12), -1.0)


def _bins(own: Ints) -> tuple[Ints, int]:
    """The class of each answer, a few of about equal size by the answers' order; and how many there are."""
    edges = np.unique(np.quantile(own, np.linspace(0, 1, _BINS + 1)[1:-1], method="inverted_cdf"))
    return np.searchsorted(edges, own, side="left").astype(np.intp), len(edges) + 1


def _most_frequent(own: Ints) -> tuple[Ints, int]:
    """The class of each answer: its own where it is among the most frequent, else that of all others."""
    counts = Counter(own.tolist())
    ranked = sorted(counts, key=lambda answer: (-counts[answer], answer))[:_BINS]
    place = {answer: i for i, answer in enumerate(ranked)}
    return np.array([place.get(answer, len(ranked)) for answer in own.tolist()], dtype=np.intp), len(ranked) + 1


def _thinned(numbers: Ints) -> Ints:
    """At most so many of them, evenly over their order."""
    if len(numbers) <= _MOST_OFFERED:
        return numbers
    return numbers[np.linspace(0, len(numbers) - 1, _MOST_OFFERED).round().astype(np.intp)]


MIN_OF_CATEGORY = 5
"""Questions taught about the same things from which these have a constant of their own."""

Places = NDArray[np.intp]


def category_constants(
    space: AnswerSpace, taught: Sequence[Hashable], own: Places, asked: Sequence[Hashable]
) -> Places | None:
    """Return each asked question's best constant: of its category, or of all if too few of its category are taught.

    Args:
        space: the answers.
        taught: category (subject) of each question taught.
        own: the place of its right answer. Shape (questions taught,).
        asked: category of each question asked.

    Returns:
        Numbers of offers, shape (questions asked,); None where none may be given.
    """
    best = space.best_constant(own)
    if best is None:
        return None
    places: dict[Hashable, list[int]] = {}
    for name, place in zip(taught, own.tolist(), strict=True):
        places.setdefault(name, []).append(place)
    found: dict[Hashable, int] = {}
    for name, several in places.items():
        constant = space.best_constant(np.array(several, dtype=np.intp)) if len(several) >= MIN_OF_CATEGORY else None
        found[name] = best if constant is None else constant
    return np.array([found.get(name, best) for name in asked], dtype=np.intp)


def learned_offers(
    space: AnswerSpace, learner: str, seed: int, taught: Floats, own: Places, asked: Floats
) -> Places | None:
    """For each question asked the offer that a learner expects the greatest score of.

    Args:
        space: the answers.
        learner: its name in `learners`.
        seed: of its own draws.
        taught: features of the questions taught. Shape (questions taught, columns).
        own: the places of their right answers. Shape (questions taught,).
        asked: features of the questions asked. Shape (questions asked, columns).

    Returns:
        Numbers of offers, shape (questions asked,); None where none may be given.
    """
    classes = space.classes(own)
    if classes is None:
        return None
    p = probabilities(learner, seed, taught, classes.y, asked, classes.count)
    return np.array(space.most_rewarded(classes, p), dtype=np.intp)
