"""Learners: what guesses. Each is a classifier of scikit-learn's with fixed settings; none is tuned on a benchmark."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.extras import needs
from tolman.guessing.statistics import Floats

LEARNERS = ("random-forest", "gradient-boosting")
QUICK = ("small-forest", "short-boosting")
"""The same with fewer trees, for who guesses often: they find about as much."""
LINEAR = "linear"
"""Logistic regression, for words that are there or not."""
SCALED = "scaled-linear"
"""Logistic regression on standardised features: what small preferences add up to, which trees split up and lose."""
_TREES = {"random-forest": 200, "small-forest": 50}
_STEPS = {"gradient-boosting": (100, 0.06), "short-boosting": (40, 0.12)}


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
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    made: Any
    if name in _TREES:
        made = RandomForestClassifier(n_estimators=_TREES[name], min_samples_leaf=3, n_jobs=1, random_state=seed)
    elif name == LINEAR:
        made = LogisticRegression(C=0.1, max_iter=300)
    elif name == SCALED:
        made = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=300))
    else:
        iterations, rate = _STEPS[name]
        made = HistGradientBoostingClassifier(
            max_iter=iterations,
            learning_rate=rate,
            max_leaf_nodes=15,
            min_samples_leaf=10,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=seed,
        )
    classifier: Classifier = made
    return classifier


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
    from threadpoolctl import threadpool_limits

    learner = create(name, seed)
    with threadpool_limits(1):  # the work is shared out by question type and fold; threads within would only wait
        learner.fit(x, y)
        found[:, learner.classes_] = learner.predict_proba(asked)
    return found
