"""Learners: classifiers with fixed settings, and leaving out questions until they are right by chance.

Each is a classifier of scikit-learn's; none is tuned on a benchmark. Questions are left out until every predictor is
right as often as by chance, neither more often nor more seldom. Predictors below chance leak the answers too, so both
tails are filtered.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tolman.extras import needs
from tolman.guessing.folds import Floats

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


LEARNERS = ("random-forest", "gradient-boosting")
QUICK = ("small-forest", "short-boosting")
"""The same in small, for who guesses often: extremely randomised trees (Geurts et al. 2006) and boosting in few steps
on coarse features. Of other scenes' questions they answer as many, at a quarter of the time."""
LINEAR = "linear"
"""Logistic regression, for words that are there or not."""
SCALED = "scaled-linear"
"""Logistic regression on standardised features: what small preferences add up to, which trees split up and lose."""
_TREES = 200
_SMALL_TREES = 25
_SMALL_LEAF = 5
"""Rows in a leaf of a small forest at least: smaller ones learn the luck of the rows that are taught."""


@dataclass(frozen=True)
class _Boosting:
    """Steps, their rate, leaves of a tree, and distinguished values of a feature."""

    steps: int
    rate: float
    leaves: int
    bins: int


_BOOSTING = {
    "gradient-boosting": _Boosting(100, 0.06, 15, 255),
    "short-boosting": _Boosting(12, 0.36, 8, 32),
}


class Classifier(Protocol):
    """The part of scikit-learn's interface that is used."""

    classes_: NDArray[np.intp]

    def fit(self, x: Floats, y: NDArray[np.intp]) -> object:
        """Learn."""
        ...

    def predict_proba(self, x: Floats) -> Floats:
        """The probability of every class. Shape (rows, classes)."""
        ...


def check_installed() -> None:
    """Make sure that scikit-learn is there.

    Raises:
        MissingExtraError: it isn't.
    """
    with needs("analyze", "Guessing answers"):
        import sklearn  # noqa: F401


def create(name: str, seed: int) -> Classifier:
    """The learner of that name.

    One thread each: a forest on several adds its trees' votes in the order in which threads end.
    """
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    made: Any
    if name == "random-forest":
        made = RandomForestClassifier(n_estimators=_TREES, min_samples_leaf=3, n_jobs=1, random_state=seed)
    elif name == "small-forest":
        made = ExtraTreesClassifier(_SMALL_TREES, min_samples_leaf=_SMALL_LEAF, n_jobs=1, random_state=seed)
    elif name == LINEAR:
        made = LogisticRegression(C=0.1, max_iter=300)
    elif name == SCALED:
        made = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=300))
    else:
        boosting = _BOOSTING[name]
        made = HistGradientBoostingClassifier(
            max_iter=boosting.steps,
            learning_rate=boosting.rate,
            max_leaf_nodes=boosting.leaves,
            max_bins=boosting.bins,
            min_samples_leaf=10,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=seed,
        )
    classifier: Classifier = made
    return classifier


@lru_cache(maxsize=1)
def _thread_pools() -> ThreadpoolController:
    """The pools of threads of the libraries that learners use, which must be imported; looking for them takes 2 ms."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def probabilities(name: str, seed: int, x: Floats, y: NDArray[np.intp], asked: Floats, classes: int) -> Floats:
    """Train and ask.

    Args:
        name: a learner.
        seed: of its own draws.
        x, y: training rows and their classes, 0 … classes − 1.
        asked: rows to answer.
        classes: how many there are; one that no training row has gets 0.

    Returns:
        Shape (asked rows, classes).
    """
    found = np.zeros((len(asked), classes))
    present = np.unique(y)
    if len(present) < 2:
        found[:, present] = 1.0
        return found
    from sklearn import config_context

    learner = create(name, seed)
    # The work is shared out by question type and fold; threads within would only wait. Checks of settings and of what
    # is made here cost more than small trees do.
    with _thread_pools().limit(limits=1), config_context(assume_finite=True, skip_parameter_validation=True):
        learner.fit(x, y)
        found[:, learner.classes_] = learner.predict_proba(asked)
    return found


Ints = NDArray[np.intp]
_DIGITS = 9
"""Decimals that are looked at of how far predictors are off: the last bits of sums depend on their order."""


def prune_to_chance(
    right: ArrayLike,
    chance: Sequence[float],
    seed: str,
    slack: float = 0.0,
    answers: Sequence[str] | None = None,
    *,
    from_below: bool = True,
) -> set[int]:
    """The questions that have to go.

    One after the other, always one that brings all predictors together as near to chance as leaving out a single
    question can (the sum of the squares of how many questions each is off), drawn at random among equals; until
    none brings them nearer.

    Args:
        right: how often each predictor is right about each question, 0 … 1. Shape (predictors, questions).
        chance: for each question, how likely a random answer is right. Shape (questions,).
        seed: of the draws.
        slack: the share of the questions by which a predictor may be off.
        answers: of the questions, where they are to stay about as even as they are: while one of the most frequent
            answer helps, no other goes.
        from_below: whether questions go for a predictor that is right too seldom as well. If questions are few, hardly
            any would be left.

    Returns:
        The questions' numbers.
    """
    order = list(range(len(chance)))
    random.Random(seed).shuffle(order)
    excess: Floats = (np.asarray(right, dtype=np.float64) - np.asarray(chance))[:, order]
    names = sorted(set(answers or ()))
    answer = np.array([names.index(answers[i]) if answers else 0 for i in order], dtype=np.intp)
    counts = np.bincount(answer, minlength=1)
    total, left = excess.sum(axis=1), len(order)
    alike = _Alike.of(excess, answer)
    gone: set[int] = set()
    while (off := float(_off(total, slack * left, from_below))) > 0:
        then = np.where(alike.left(), _off(total[:, None] - alike.excess, slack * (left - 1), from_below), np.inf)
        best = alike.least(np.where(counts[alike.answer] == counts.max(), then, np.inf), off)
        best = alike.least(then, off) if best is None else best
        if best is None:
            break
        gone.add(order[alike.take(best)])
        counts[alike.answer[best]] -= 1
        total, left = total - alike.excess[:, best], left - 1
    return gone


class _Alike:
    """Questions about which predictors are as right, and whose answer is the same: one is weighed for all of them.

    Args:
        excess: of each group, how much more right than by chance each predictor is. Shape (predictors, groups).
        answer: of each group. Shape (groups,).
        places: of the questions, group by group, rising in each. Shape (questions,).
        starts, ends: of each group in `places`; its start moves with each question that is taken. Shape (groups,).
    """

    def __init__(self, excess: Floats, answer: Ints, places: Ints, starts: Ints, ends: Ints) -> None:
        self.excess, self.answer = excess, answer
        self._places, self._starts, self._ends = places, starts, ends

    @classmethod
    def of(cls, excess: Floats, answer: Ints) -> _Alike:
        """Group questions, given in the order in which equals are taken."""
        if not len(answer):
            return cls(excess, answer, answer, answer, answer)
        rows = np.lexsort((*excess, answer))  # stable: places rise within a group
        same = (excess[:, rows[1:]] == excess[:, rows[:-1]]).all(axis=0) & (answer[rows[1:]] == answer[rows[:-1]])
        starts = np.flatnonzero(np.r_[True, ~same])
        first = rows[starts]
        return cls(excess[:, first], answer[first], rows, starts, np.r_[starts[1:], len(rows)])

    def left(self) -> NDArray[np.bool_]:
        """Check whether each group has any left."""
        return self._starts < self._ends

    def least(self, then: Floats, now: float) -> int | None:
        """The group of the first question of the least value, where that is less than now."""
        if not then.size or not (least := then.min()) < now:
            return None
        groups = np.flatnonzero(then == least)
        return int(groups[self._places[self._starts[groups]].argmin()])

    def take(self, group: int) -> int:
        """The place of a group's first question, which isn't left any longer."""
        place = int(self._places[self._starts[group]])
        self._starts[group] += 1
        return place


def _off(total: Floats, allowed: float, from_below: bool) -> Floats:
    """Sum of squares of how far predictors are off chance. Shape (predictors, …) to (…)."""
    beyond = np.maximum((np.abs(total) if from_below else total) - allowed, 0.0)
    off: Floats = np.round(np.square(beyond).sum(axis=0), _DIGITS)
    return off
