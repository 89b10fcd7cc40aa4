"""Folds: what hangs together stays together, and every fold has its share of every question type."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tolman.errors import UsageError
from tolman.guessing.folds import assign, deal, groups, renumbered, taught
from tolman.items import Item


def item(
    number: int, scene: str | None, media: tuple[str, ...] = (), task: str = "t", group: str | None = None
) -> Item:
    return Item.model_validate(
        {
            "id": str(number), "question": "Which?", "kind": "choice", "answer": "A", "options": ("x", "y"), "task": task,
            "scene": scene, "media": [{"kind": "image", "path": path} for path in media], "all_of": group,
        }
    )  # fmt: skip


def test_scene_media_and_groups_join_items_also_by_way_of_others() -> None:
    items = [
        item(0, "s"), item(1, "u", ("1.jpg",)), item(2, "s", ("2.jpg",)), item(3, "v", ("2.jpg", "3.jpg")),
        item(4, "w", ("3.jpg",)), item(5, "x", group="g"), item(6, None, group="g"), item(7, None), item(8, None),
    ]  # fmt: skip
    assert groups(items) == [0, 1, 0, 0, 0, 2, 2, 3, 4]


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab")), min_size=20, max_size=60), st.integers(2, 4))
def test_no_scene_is_in_two_folds(rows: list[tuple[int, str]], count: int) -> None:
    items = [item(i, f"s{scene}", task=task) for i, (scene, task) in enumerate(rows)]
    if len({scene for scene, _ in rows}) < count:
        with pytest.raises(UsageError, match="as many scenes"):
            assign(items, count, 0)
        return
    fold = assign(items, count, 0)
    where: dict[str | None, set[int]] = {}
    for one, number in zip(items, fold.tolist(), strict=True):
        where.setdefault(one.scene, set()).add(number)
    assert all(len(found) == 1 for found in where.values())
    assert set(fold.tolist()) == set(range(count))


def test_every_fold_has_its_share(choice: Callable[..., Item]) -> None:
    items = [item(i, f"s{i // 4}", task="abcc"[i % 4]) for i in range(400)]
    fold = assign(items, 5, 3)
    counts = Counter((one.task, number) for one, number in zip(items, fold.tolist(), strict=True))
    assert all(counts[task, f] == 20 * (1 + (task == "c")) for task in "abc" for f in range(5))
    assert (fold == assign(items, 5, 3)).all()
    assert (fold != assign(items, 5, 4)).any()


@given(st.lists(st.integers(0, 30), min_size=40, max_size=90), st.data())
def test_folds_of_a_part_are_those_of_its_items(scenes: list[int], data: st.DataObject) -> None:
    items = [item(i, f"s{scene}") for i, scene in enumerate(scenes)]
    own = sorted(data.draw(st.sets(st.integers(0, len(items) - 1), min_size=30)))
    some = [items[i] for i in own]
    group = renumbered(np.array(groups(items))[own])
    assert group == groups(some)
    if len(set(group)) >= 3:
        assert (deal(group, [("t",)] * len(own), 3, 7) == assign(some, 3, 7)).all()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(0, 4), st.integers(1, 70))
def test_so_many_are_taught_and_none_that_is_held_out(folds: list[int], held_out: int, most: int) -> None:
    fold = np.array(folds)
    found = taught(fold, held_out, most, 5)
    assert found.sum() == min(most, (fold != held_out).sum())
    assert not found[fold == held_out].any()
    assert (found == taught(fold, held_out, most, 5)).all()
    assert (taught(fold, held_out, None, 5) == (fold != held_out)).all()


def test_who_is_taught_is_drawn_with_each_seed() -> None:
    fold = np.arange(100) % 5
    assert (taught(fold, 0, 20, 1) != taught(fold, 0, 20, 2)).any()
