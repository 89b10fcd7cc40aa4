"""Questions that texts or single pictures give away are left out, until nobody who learns is better than chance."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from guessing.planted import choices
from leaking import by_category, sizes_of_any
from tolman.analyze.outside.shortcut_audit import audit_with_learners
from tolman.generate import shortcut_filtering
from tolman.generate.shortcut_filtering import MIN_QUESTIONS, FilterItem, filter_shortcuts
from tolman.guessing.answer_space import answer_space
from tolman.guessing.blind import answers_from_matrix, encoded, guess
from tolman.guessing.folds import assign
from tolman.guessing.learners import QUICK
from tolman.items import Item
from tolman.scoring.rule_sets import careful


@pytest.mark.full
def test_a_name_that_is_usually_right_is_no_more() -> None:
    items = choices(240, planted=0.5)
    kept = filter_shortcuts([FilterItem(item, item.answer_text) for item in items], 5, 0.25, 0)
    left = [items[i] for i in kept]
    assert len(left) > 80
    assert kept == sorted(kept)
    found = guess(left, assign(left, 3, 99), careful(), learners=QUICK, workers=1)
    for name in QUICK:
        share = np.mean([text == item.answer for text, item in zip(found.answers[name], left, strict=True)])
        assert share < 0.35


def looking(count: int, told: float) -> list[FilterItem]:
    """Questions of two pictures, the second of which shows which way it went."""
    generator = random.Random(1)
    made = []
    for i in range(count):
        way = generator.choice(("left", "right"))
        item = Item(id=str(i), question="Which way?", kind="choice", options=("left", "right"), task="way",
                    answer="A" if way == "left" else "B", scene=f"s{i // 4}")  # fmt: skip
        angle = (
            generator.gauss(30 if way == "left" else -30, 20) if generator.random() < told else generator.gauss(0, 36)
        )
        suggested = way if generator.random() < 0.5 else generator.choice(("left", "right"))
        made.append(FilterItem(item, way, ((suggested, 0.5), ("left", angle)), closed=True))
    return made


@pytest.mark.full
def test_what_one_picture_tells_is_left_out() -> None:
    questions = looking(300, told=0.4)
    kept = [questions[i] for i in filter_shortcuts(questions, 4, 0.25, 0)]
    assert 50 < len(kept) < 260
    assert sum(one.single_view_cues[0][0] == one.answer for one in kept) <= 0.56 * len(kept)
    fold = assign([one.item for one in kept], 5, 99)
    answers = [one.answer for one in kept]
    every = encoded([q.single_view_cues[1] for q in questions])
    before = answers_from_matrix([q.answer for q in questions], every, np.arange(300) // 4 % 5, QUICK[0], 0)
    after = answers_from_matrix(answers, encoded([one.single_view_cues[1] for one in kept]), fold, QUICK[0], 0)
    assert np.mean([a == q.answer for a, q in zip(before, questions, strict=True)]) > 0.55
    assert np.mean([a == b for a, b in zip(after, answers, strict=True)]) < 0.62


@pytest.mark.full
def test_a_part_that_suggests_nothing_takes_nothing_away() -> None:
    questions = [
        FilterItem(q.item, q.answer, (("", *q.single_view_cues[1]),), closed=True) for q in looking(200, told=0.0)
    ]
    assert len(filter_shortcuts(questions, 4, 0.5, 0)) > 100


def test_nobody_guesses_between_pictures() -> None:
    pictures = [
        item.model_copy(update={"options": ("<image>",) * 4, "answer": "ABCD"[i % 4]})
        for i, item in enumerate(choices(MIN_QUESTIONS + 20, planted=1.0))
    ]
    assert filter_shortcuts([FilterItem(item, "") for item in pictures], 4, 0.25, 0) == list(range(MIN_QUESTIONS + 20))


@pytest.mark.full
def test_no_more_is_looked_at_closely_than_is_wanted() -> None:
    questions = [FilterItem(item, item.answer_text) for item in choices(600, planted=0.25)]
    kept = filter_shortcuts(questions, 4, 0.25, 0, most=100)
    assert 80 <= len(kept) <= 120
    assert len(filter_shortcuts(questions, 4, 0.25, 0)) > 400


def test_few_questions_lose_what_a_picture_suggests_and_nothing_else() -> None:
    questions = looking(MIN_QUESTIONS - 10, told=1.0)
    kept = [questions[i] for i in filter_shortcuts(questions, 8, 0.25, 0)]
    hits = sum(one.single_view_cues[0][0] == one.answer for one in questions) - sum(
        one.single_view_cues[0][0] == one.answer for one in kept
    )
    assert hits == len(questions) - len(kept) > 0
    assert filter_shortcuts([FilterItem(one.item, one.answer) for one in questions[:7]], 8, 0.5, 0) == list(range(7))


@pytest.mark.full
def test_the_number_of_processes_changes_nothing() -> None:
    questions = [FilterItem(item, item.answer_text) for item in choices(104, planted=0.6)]
    other = [FilterItem(q.item.model_copy(update={"task": "far"}), q.answer) for q in questions]
    done: list[str] = []
    both = filter_shortcuts(questions + other, 1, 0.25, 0, workers=2, done=done.append)
    assert both == filter_shortcuts(questions + other, 1, 0.25, 0)
    assert done == ["near", "far"]


def test_a_large_type_is_filtered_in_blocks_each_looked_at_when_its_turn_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = looking(90, told=1.0)
    seen: list[int] = []

    class Watched(Sequence[FilterItem]):
        def __len__(self) -> int:
            return len(questions)

        def __getitem__(self, number):  # type: ignore[no-untyped-def]
            seen.append(number)
            return questions[number]

    monkeypatch.setattr(shortcut_filtering, "MOST_AT_ONCE", 30)
    done: list[str] = []
    kept = filter_shortcuts(Watched(), 2, 0.5, 0, types=[("way", "choice")] * 90, done=done.append)
    parts = [filter_shortcuts(questions[start : start + 30], 2, 0.5, 0) for start in (0, 30, 60)]
    assert kept[: len(parts[0])] == parts[0]
    assert [sum(i // 30 == block for i in kept) for block in range(3)] == list(map(len, parts))
    assert 0 < len(kept) < 90
    assert done == ["way"]
    assert len(seen) <= 2 * 90 + 1


NEAR = 0.05
"""Points by which a learner from outside may lie over the best constant, on a few hundred questions."""


def mixed(count: int) -> list[Item]:
    """Half of the sizes told by the name, half by nothing."""
    told, free = by_category(count, 1), sizes_of_any(count, 2)
    return [(told if i % 2 else free)[i].model_copy(update={"id": str(i), "scene": f"s{i // 4}"}) for i in range(count)]


def asked(items: list[Item]) -> list[FilterItem]:
    return [FilterItem(item, item.answer, closed=True) for item in items]


def over_constant(items: list[Item]) -> dict[str, float]:
    """Learner of the audit → by how much it scores more than the best constant."""
    rows = audit_with_learners(items, (), careful(), folds=5, seed=7).rows
    return {row.learner: row.difference for row in rows if row.difference is not None}


def constant(items: list[Item]) -> float:
    """Score of the answer that is rewarded most."""
    space = answer_space(items, careful())
    own = np.array(space.right, dtype=np.intp)
    return float(space.gains[space.best_constant(own), own].mean())


@pytest.mark.full
def test_sizes_that_names_tell_are_left_out_until_learners_from_outside_get_no_more_than_a_constant() -> None:
    items = mixed(600)
    before = over_constant(items)
    assert before["constant-per-category"] > 0.2
    assert before["ngram-linear"] > 0.2
    left = [items[i] for i in filter_shortcuts(asked(items), 10, 0.25, 0)]
    assert len(left) > 150
    after = over_constant(left)
    assert len(after) == 5
    assert max(after.values()) < NEAR
    assert constant(left) < constant(items) + NEAR


def test_sizes_that_nothing_tells_stay() -> None:
    items = sizes_of_any(200, 3)
    kept = filter_shortcuts(asked(items), 2, 0.25, 0)
    assert len(kept) > 0.85 * len(items)


def test_few_numbers_teach_nobody() -> None:
    items = by_category(MIN_QUESTIONS - 1, 4)
    assert filter_shortcuts(asked(items), 4, 0.25, 0) == list(range(MIN_QUESTIONS - 1))


@pytest.mark.full
def test_what_is_left_does_not_depend_on_the_number_of_processes() -> None:
    items = [*mixed(160), *(item.model_copy(update={"task": "other"}) for item in mixed(160))]
    one = filter_shortcuts(asked(items), 1, 0.25, 5)
    assert len(one) < len(items)
    assert one == filter_shortcuts(asked(items), 1, 0.25, 5, workers=2)
