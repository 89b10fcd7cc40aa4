from collections.abc import Callable

import pytest

from tolman.errors import UsageError
from tolman.items import Item, Selection


@pytest.fixture
def items(choice: Callable[..., Item]) -> list[Item]:
    return [choice(id=str(i), task="ab"[i % 2]) for i in range(10)]


def ids(selection: Selection, items: list[Item]) -> str:
    return "".join(item.id for item in selection.apply(items))


def test_options_combine_and_keep_the_order(items: list[Item]) -> None:
    assert ids(Selection(), items) == "0123456789"
    assert ids(Selection(tasks=("a",), exclude=("4",)), items) == "0268"
    assert ids(Selection(ids=("7", "2")), items) == "27"
    assert ids(Selection(limit=3), items) == "036"
    assert ids(Selection(limit=99), items) == "0123456789"


def test_items_that_count_as_one_are_taken_as_one(choice: Callable[..., Item]) -> None:
    turns = [choice(id=f"{g}{t}", all_of=g) for t in range(4) for g in "xyz"]
    assert len(Selection(limit=2).apply(turns)) == 8
    assert {i.all_of for i in Selection(ids=("y2",)).apply(turns)} == {"y"}
    assert {i.all_of for i in Selection(exclude=("y2",)).apply(turns)} == {"x", "z"}


@pytest.mark.parametrize(
    ("selection", "sentence"),
    [
        (Selection(tasks=("c",)), "no question type 'c'; known: a, b"),
        (Selection(ids=("77",)), "no item '77'"),
        (Selection(exclude=("77",)), "no item '77' to exclude"),
        (Selection(tasks=("a",), ids=("1",)), "no item is left"),
    ],
)
def test_what_does_not_exist_is_named(items: list[Item], selection: Selection, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        selection.apply(items)
