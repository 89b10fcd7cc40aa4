"""Hints are learned from other scenes, whether they are numbers or names."""

import numpy as np
import pytest

from tolman.guessing.blind import answers_from_matrix, encoded, vocabulary
from tolman.guessing.learners import LINEAR, QUICK


def test_numbers_take_a_column_and_names_one_for_each() -> None:
    found = encoded([("b", 0.5, None), ("a", 2.0, 3), ("b", None)])
    assert found.tolist() == [[0, 1, 0.5, -1000], [1, 0, 2, 3], [0, 1, -1000, -1000]]
    assert encoded([(), ()]).shape == (2, 1)


@pytest.mark.parametrize("learner", QUICK)
def test_a_hint_that_tells_the_answer_is_found_and_noise_is_not(learner: str) -> None:
    generator = np.random.default_rng(0)
    answers = [str(a) for a in generator.choice(["left", "right", "ahead"], 300)]
    fold = np.arange(300) // 3 % 5
    noise = [(float(x), str(n)) for x, n in zip(generator.random(300), generator.choice(list("xyz"), 300), strict=True)]
    angle = {"left": 90.0, "right": -90.0, "ahead": 0.0}
    told = [(*row, angle[a] + float(generator.normal(0, 10))) for row, a in zip(noise, answers, strict=True)]
    found = {
        name: np.mean(np.array(answers_from_matrix(answers, encoded(hints), fold, learner, 0)) == answers)
        for name, hints in (("noise", noise), ("told", told))
    }
    assert found["told"] > 0.95
    assert found["noise"] < 0.45


def test_words_that_tell_the_answer_are_found() -> None:
    generator = np.random.default_rng(0)
    answers = [str(a) for a in generator.choice(["left", "right"], 200)]
    names = {"left": "lamp", "right": "desk"}
    texts = [f"Where is the {names[a]} of room {i}?" for i, a in enumerate(answers)]
    told = vocabulary(texts)
    assert set(told.ravel().tolist()) == {0, 1}
    assert np.mean(np.array(answers_from_matrix(answers, told, np.arange(200) % 5, LINEAR, 0)) == answers) == 1
    assert vocabulary(["one text"] * 3).tolist() == [[0], [0], [0]]
