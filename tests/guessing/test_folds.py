"""Folds: what hangs together stays together, and every fold has its share of every question type."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman.errors import UsageError
from tolman.guessing.folds import assign, groups
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
