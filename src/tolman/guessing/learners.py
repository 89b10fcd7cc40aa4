"""Learners: what guesses. Each is a classifier of scikit-learn's with fixed settings; none is tuned on a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.extras import needs
from tolman.guessing.statistics import Floats

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
    """Steps, their rate, leaves of a tree, and values of a feature that are told apart."""

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
