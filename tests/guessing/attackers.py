"""Attackers that know words alone and are of another kind than the filter's learners.

The filter's learners see statistics of which words went with which answers. These see the words themselves: a sparse
column for every option, and for every word of the question together with an option. They are taught on other scenes.
"""

import itertools
import re
from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB

from tolman.items import Item

FOLDS = 5
ATTACKERS = {
    "logistic regression": lambda: LogisticRegression(C=1.0, max_iter=500, solver="liblinear"),
    "naive Bayes": lambda: BernoulliNB(alpha=0.5),
}


def features(item: Item, option: str) -> dict[str, float]:
    """Which words ask for which option, and what comes before what in an option that lists several things."""
    question = item.question.replace(", ".join(item.options), "")
    found = {}
    parts = option.lower().split(", ")
    for place, part in enumerate(parts):
        found |= {f"option {part}": 1.0, f"{place}: {part}": 1.0}
        found |= {f"{word} asks for {part}": 1.0 for word in re.findall(r"[a-z]+", question.lower())}
    return found | {f"{a} before {b}": 1.0 for a, b in itertools.combinations(parts, 2)}


def accuracy(asked: Sequence[Item], name: str, taught: Sequence[Item] | None = None, draws: int = 3) -> float:
    """The share that an attacker gets right, whose lessons share no scene with what it is asked.

    Args:
        asked: choices of one question type.
        name: of the attacker.
        taught: what it learns from, of other folds of the scenes; the same questions where None.
        draws: of the folds, whose mean is taken.
    """
    pool = list(asked if taught is None else taught)
    columns = DictVectorizer()
    lessons = columns.fit_transform([features(item, option) for item in pool for option in item.options])
    answers = np.array([letter == item.answer for item in pool for letter in item.letters])
    tests = columns.transform([features(item, option) for item in asked for option in item.options])
    starts = np.cumsum([0, *(len(item.options) for item in asked)])
    right = np.array([item.letters.index(item.answer) for item in asked])
    scenes = sorted({str(item.scene) for item in (*pool, *asked)})
    hits = []
    for draw in range(draws):
        order = np.random.default_rng(draw).permutation(len(scenes))
        fold = {scene: int(place) % FOLDS for scene, place in zip(scenes, order, strict=True)}
        of_lesson = np.array([fold[str(item.scene)] for item in pool for _ in item.options])
        for held_out in range(FOLDS):
            model = ATTACKERS[name]()
            model.fit(lessons[of_lesson != held_out], answers[of_lesson != held_out])
            likely = model.predict_proba(tests)[:, 1]
            hits += [
                int(likely[starts[i] : starts[i + 1]].argmax()) == right[i]
                for i, item in enumerate(asked)
                if fold[str(item.scene)] == held_out
            ]
    return float(np.mean(hits))
