"""No answer of a held-out item, and no row's own answer, is in any feature."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from guessing.planted import choices
from tolman import benchmarks
from tolman.guessing.folds import assign, slot
from tolman.guessing.learners import Rows, answer_rows, choice_pool, choice_rows, number_in, parts, phrases, words
from tolman.items import Item

FOLDS = 4


@given(st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=3), st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=25))  # fmt: skip
def test_sums_are_of_the_folds_that_a_row_may_know(rows: list[tuple[list[int], int, int]]) -> None:
    keys, fold = [row[0] for row in rows], np.array([row[1] for row in rows])
    values = np.array([[1.0, row[2]] for row in rows])
    found = slot(keys, values, fold, FOLDS)
    for held_out in range(FOLDS):
        known = found.known(held_out)
        for entry, (row, key) in enumerate(zip(found.row.tolist(), _key_of(keys), strict=True)):
            hidden = {held_out, fold[row]}
            own = [v for k, f, v in zip(keys, fold, values, strict=True) if key in k and f not in hidden]
            assert known[entry] == pytest.approx(np.sum(own, axis=0) if own else [0, 0])


def _key_of(keys: list[list[int]]) -> list[int]:
    return [key for found in keys for key in dict.fromkeys(found)]


def real(shared_data: Path, task: str, count: int = 160) -> list[Item]:
    items = benchmarks.get("vsi-bench").load(shared_data / "vsi-bench", "full")
    return [item for item in items if item.task == task][:count]


def answered(item: Item, generator: np.random.Generator) -> Item:
    """The same question with another answer."""
    if item.kind == "number":
        return item.model_copy(update={"answer": str(generator.integers(1, 99))})
    return item.model_copy(update={"answer": generator.choice(list(item.letters.replace(item.answer, "")))})


def build(items: list[Item], fold: NDArray[np.intp]) -> Rows:
    if items[0].kind == "number":
        return answer_rows(items, [item.float_answer for item in items], fold, FOLDS)
    return choice_rows(items, fold, FOLDS)


@pytest.mark.parametrize("task", ["object_rel_distance", "obj_appearance_order", "route_planning", "object_abs_distance"])  # fmt: skip
def test_features_do_not_depend_on_answers_that_are_held_out(shared_data: Path, task: str) -> None:
    items = real(shared_data, task)
    fold = assign(items, FOLDS, 0)
    before = build(items, fold)
    generator = np.random.default_rng(0)
    for held_out in range(FOLDS):
        changed = [answered(item, generator) if f == held_out else item for item, f in zip(items, fold, strict=True)]
        after = build(changed, fold)
        assert np.array_equal(before.matrix(held_out), after.matrix(held_out))
        other = (held_out + 1) % FOLDS
        assert not np.array_equal(before.matrix(other), after.matrix(other))


@pytest.mark.parametrize("task", ["object_rel_direction_medium", "object_abs_distance"])
def test_a_training_row_does_not_know_its_own_fold(shared_data: Path, task: str) -> None:
    items = real(shared_data, task)
    fold = assign(items, FOLDS, 0)
    generator = np.random.default_rng(0)
    changed = [answered(item, generator) if f == 1 else item for item, f in zip(items, fold, strict=True)]
    before, after = build(items, fold), build(changed, fold)
    own = before.fold == 1
    assert np.array_equal(before.matrix(0)[own], after.matrix(0)[own])


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_options_against_the_others_of_their_item(seed: int) -> None:
    generator = np.random.default_rng(seed)
    items = [
        Item(id=str(i), question=f"Which {w}?", kind="choice", answer="A", options=tuple("xyz"[: 2 + i % 2]), task="t")
        for i, w in enumerate(generator.choice(["a", "b"], size=12))
    ]
    rows = choice_rows(items, np.arange(12) % FOLDS, FOLDS)
    matrix = rows.matrix(0)
    width = (matrix.shape[1] - rows.plain.shape[1]) // 2
    values, against = matrix[:, rows.plain.shape[1] :][:, :width], matrix[:, rows.plain.shape[1] + width :]
    for number in range(12):
        own = np.flatnonzero(rows.item == number)
        for row in own:
            others = values[[r for r in own if r != row]]
            assert against[row] == pytest.approx(values[row] - others.max(axis=0))


def test_phrases_are_what_the_template_has_not(number: Callable[..., Item]) -> None:
    texts = ["How far is the trash bin from the sofa?", "How far is the lamp from the tv?", "How far is it?"]
    items = [number().model_copy(update={"question": text}) for text in texts]
    assert phrases(items) == [
        [("is the", "trash bin"), ("from the", "sofa")],
        [("is the", "lamp"), ("from the", "tv")],
        [("far is", "it")],
    ]


def test_words_parts_and_numbers() -> None:
    assert words("Front-left, 2.5 m_x") == ["front-left", "2.5", "m", "x"]
    assert parts("Turn Left, turn right") == ["turn left", "turn right"]
    assert (number_in("about 2.5 m"), number_in("2 of 3"), number_in("none")) == (2.5, None, None)
    assert [number_in(text) for text in (".5", "about .75 m", "-.5", "no.5")] == [0.5, 0.75, -0.5, 5.0]


def test_a_part_of_a_pool_has_the_rows_of_its_items() -> None:
    items = choices(60, planted=0.5)
    kept = np.flatnonzero(np.arange(60) % 3)
    own = [items[i] for i in kept]
    fold = np.arange(len(own)) % FOLDS
    part, anew = choice_pool(items).part(kept).rows(fold, FOLDS), choice_rows(own, fold, FOLDS)
    assert part.item.tolist() == anew.item.tolist()
    for held_out in range(FOLDS):
        assert part.matrix(held_out) == pytest.approx(anew.matrix(held_out))


def test_rows_of_some_items_know_what_they_know_among_all() -> None:
    items = choices(60, planted=0.5)
    fold = assign(items, FOLDS, 0)
    rows = choice_rows(items, fold, FOLDS)
    some = (np.arange(len(items)) % 3 > 0)[rows.item]
    for held_out in range(FOLDS):
        assert (rows.part(some).matrix(held_out) == rows.matrix(held_out)[some]).all()
