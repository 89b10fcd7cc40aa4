"""Learners find what is planted, and nothing where there is nothing; pruning takes out what they find."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tolman import benchmarks
from tolman.analyze.bias.analysis import ALL_ITEMS, analyze
from tolman.analyze.bias.blind import CONSTANT, guess
from tolman.analyze.bias.folds import assign
from tolman.analyze.bias.learners import LEARNERS
from tolman.analyze.bias.prune import prune
from tolman.errors import UsageError
from tolman.items import Item
from tolman.scoring.rules import careful
from tolman.scoring.table import Column, Table, pool

RULES = careful()
TABLE = Table((Column("all", "All", pool()),), headline="all")


def choices(count: int, planted: float, seed: int = 0, start: int = 0) -> list[Item]:
    """Choices whose right option is the plant wherever there is one, in this share of them."""
    generator = np.random.default_rng(seed)
    made = []
    for i in range(start, start + count):
        options = [str(o) for o in generator.choice(["bed", "lamp", "desk", "sofa", "tv", "door"], 4, replace=False)]
        right = int(generator.integers(4))
        if generator.random() < planted:
            options[right] = "plant"
        made.append(
            Item(id=str(i), question="Which is nearest?", kind="choice", answer="ABCD"[right], options=tuple(options),
                 task="near", scene=f"s{i // 3}")
        )  # fmt: skip
    return made


def numbers(count: int, seed: int = 0) -> list[Item]:
    """A thing's size, which is known from its name."""
    sizes = {"bed": 200, "cup": 10, "desk": 120}
    generator = np.random.default_rng(seed)
    made = []
    for i in range(count):
        name = str(generator.choice(list(sizes)))
        answer = str(round(sizes[name] * generator.uniform(0.98, 1.02)))
        made.append(
            Item(id=f"n{i}", question=f"How long is the {name}?", kind="number", answer=answer, unit="cm", task="size",
                 scene=f"s{i // 3}")
        )  # fmt: skip
    return made


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


def test_real_numbers_with_permuted_answers_give_the_constants_score(shared_data: Path) -> None:
    items = benchmarks.get("vsi-bench").load(shared_data / "vsi-bench", "full")
    items = [item for item in items if item.task == "object_size_estimation"][:200]
    answers = np.random.default_rng(1).permutation([item.answer for item in items])
    permuted = [item.model_copy(update={"answer": str(a)}) for item, a in zip(items, answers, strict=True)]
    found, real = shares(permuted), shares(items)
    assert all(found[name] < found[CONSTANT] + 0.03 for name in LEARNERS)
    assert min(real[name] for name in LEARNERS) > real[CONSTANT] + 0.2


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


def test_pruning_takes_out_what_is_guessed() -> None:
    items = choices(90, planted=1.0) + choices(90, planted=0.0, seed=1, start=90)
    kept = prune(items, 90, RULES, folds=3, workers=1, rounds=2)
    assert kept.sum() == 90
    assert kept[:90].sum() < 18
    assert np.array_equal(kept, prune(items, 90, RULES, folds=3, workers=1, rounds=2))


def test_pruning_keeps_each_types_share_and_what_counts_as_one_together() -> None:
    items = choices(80, planted=0.5) + numbers(40)
    kept = prune(items, 60, RULES, folds=3, workers=1, rounds=2)
    assert (kept[:80].sum(), kept[80:].sum()) == (40, 20)
    turned = [item.model_copy(update={"all_of": str(i // 4)}) for i, item in enumerate(items[:80])]
    kept = prune(turned, 42, RULES, folds=3, workers=1, rounds=2)
    assert set(kept.reshape(20, 4).sum(axis=1).tolist()) == {0, 4}
    with pytest.raises(UsageError, match="120 at most"):
        prune(items, 121, RULES, folds=3, workers=1)


def test_a_subset_is_judged_on_the_folds_of_the_whole() -> None:
    items = choices(150, planted=1.0) + choices(150, planted=0.0, seed=1, start=150)
    easy = {item.id for item in items[:150]}
    found = analyze(items, TABLE, RULES, folds=3, keep=150, rounds=1, given={"given": easy}, workers=1)
    assert [(row.subset, row.trained) for row in found.rows[::3]] == [
        ("all", "all items"), ("pruned", "all items"), ("pruned", "the subset"), ("given", "all items"), ("given", "the subset"),
    ]  # fmt: skip
    score = {(r.subset, r.trained, r.learner): r.figures["all"].value for r in found.rows}
    assert score["all", "all items", "random-forest"] > 55
    assert score["given", "the subset", "random-forest"] < 40
    assert score["pruned", "the subset", "random-forest"] < 40
    own = guess(items[150:], assign(items, 3, 0)[150:], RULES, workers=1)
    assert own.scores(RULES)["random-forest"]["score"].mean() * 100 == pytest.approx(score["given", "the subset", "random-forest"])  # fmt: skip
    frame = found.frame()
    assert frame.columns == ["id", "task", "fold", "guessability", "answer", CONSTANT, *LEARNERS, "kept"]
    assert frame.filter(pl.col("kept"))["guessability"].mean() < frame.filter(~pl.col("kept"))["guessability"].mean()
    assert ALL_ITEMS not in [column.key for column in found.table.columns]
