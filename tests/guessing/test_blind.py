"""Learners find what is planted, and nothing where there is nothing."""

from pathlib import Path

import numpy as np
import pytest

from guessing.planted import choices, numbers
from tolman import benchmarks
from tolman.guessing.blind import CONSTANT, guess
from tolman.guessing.folds import assign
from tolman.guessing.learners import LEARNERS
from tolman.items import Item
from tolman.scoring.rules import careful

RULES = careful()


def shares(items: list[Item], **options: int) -> dict[str, float]:
    found = guess(items, assign(items, 3, 0), RULES, workers=1, **options)
    return {name: float(frame["score"].mean()) for name, frame in found.scores(RULES).items()}


def test_what_is_planted_is_found() -> None:
    found = shares(choices(200, planted=1.0))
    assert min(found[name] for name in LEARNERS) > 0.97
    assert found[CONSTANT] < 0.4
    found = shares(numbers(160))
    assert min(found[name] for name in LEARNERS) > 0.85
    assert found[CONSTANT] < 0.6


def test_without_a_plant_there_is_only_chance() -> None:
    found = shares(choices(300, planted=0.0))
    error = (0.25 * 0.75 / 300) ** 0.5
    assert all(abs(share - 0.25) < 4 * error for share in found.values())


@pytest.mark.full
def test_real_questions_with_permuted_answers_give_chance(shared_data: Path) -> None:
    items = benchmarks.get("vsi-bench").load(shared_data / "vsi-bench", "full")
    items = [item for item in items if item.task == "object_rel_distance"][:400]
    real = shares(items)
    letters = np.random.default_rng(1).permutation([item.answer for item in items])
    permuted = [item.model_copy(update={"answer": str(a)}) for item, a in zip(items, letters, strict=True)]
    found = shares(permuted)
    error = (0.25 * 0.75 / len(items)) ** 0.5
    assert all(abs(found[name] - 0.25) < 3 * error for name in LEARNERS)
    assert min(real[name] for name in LEARNERS) > 0.25 + 3 * error


@pytest.mark.full
def test_real_numbers_with_permuted_answers_give_the_constants_score(shared_data: Path) -> None:
    items = benchmarks.get("vsi-bench").load(shared_data / "vsi-bench", "full")
    items = [item for item in items if item.task == "object_size_estimation"][:200]
    answers = np.random.default_rng(1).permutation([item.answer for item in items])
    permuted = [item.model_copy(update={"answer": str(a)}) for item, a in zip(items, answers, strict=True)]
    found, real = shares(permuted), shares(items)
    assert all(found[name] < found[CONSTANT] + 0.03 for name in LEARNERS)
    assert min(real[name] for name in LEARNERS) > real[CONSTANT] + 0.2


@pytest.mark.full
def test_the_result_does_not_depend_on_how_many_work_on_it() -> None:
    items = choices(60, planted=0.5) + numbers(30)
    fold = assign(items, 3, 0)
    one, two = (guess(items, fold, RULES, workers=workers) for workers in (1, 2))
    assert one.answers == two.answers
    assert np.array_equal(one.guessability, two.guessability)


def test_mixed_numbers_of_options_and_few_items_are_answered() -> None:
    items = [
        Item(id=str(i), question="Which?", kind="choice", answer="A", options=("x", "y", "z")[: 2 + i % 2], task="t")
        for i in range(7)
    ]
    items.append(Item(id="n", question="How many?", kind="number", answer="0", task="t"))
    items.append(Item(id="m", question="How many?", kind="number", answer="-3", task="u"))
    found = guess(items, assign(items, 3, 0), RULES, workers=1)
    assert all(len(texts) == 9 and all(texts) for texts in found.answers.values())
    assert all(0 <= value <= 1 for value in found.guessability)
