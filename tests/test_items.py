from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError

from tolman.errors import InputError
from tolman.item_table import data_hash, read_items, write_items
from tolman.items import Item, Media


def test_an_answer_must_be_one_of_the_options() -> None:
    with pytest.raises(ValidationError, match="'E' is none of the options A, B"):
        Item(id="1", question="?", kind="choice", answer="E", options=("x", "y"), task="t")


def test_a_numbers_answer_must_be_a_number() -> None:
    with pytest.raises(ValidationError, match="'1e999' is no number"):
        Item(id="1", question="?", kind="number", answer="1e999", task="t")
    with pytest.raises(ValidationError, match="'1_000' is no number"):
        Item(id="1", question="?", kind="number", answer="1_000", task="t")
    with pytest.raises(ValidationError, match="'many' is no number"):
        Item(id="1", question="?", kind="number", answer="many", task="t")
    with pytest.raises(ValidationError, match="has no options"):
        Item(id="1", question="?", kind="number", answer="1", options=("x", "y"), task="t")


def test_media_are_interleaved_only_where_every_one_has_its_mark(choice: Callable[..., Item]) -> None:
    image = {"kind": "image", "path": "a.jpg"}
    assert choice("<image>", "<image>", media=[image, image]).interleaved
    assert not choice("<image>", "other", media=[image, image]).interleaved
    assert not choice(media=[image]).interleaved


TEXT = st.text(max_size=30)
MEDIA = st.builds(
    Media,
    kind=st.sampled_from(["video", "image"]),
    path=TEXT,
    part=st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9)),
    start=st.none() | st.floats(0, 100),
)
ITEMS = st.builds(
    Item,
    id=TEXT,
    question=TEXT,
    kind=st.just("choice"),
    answer=st.sampled_from("AB"),
    options=st.tuples(TEXT, TEXT, TEXT),
    task=TEXT,
    labels=st.dictionaries(TEXT, TEXT, max_size=3),
    scene=st.none() | TEXT,
    media=st.lists(MEDIA, max_size=3).map(tuple),
    evidence=st.dictionaries(
        TEXT, st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.lists(st.integers()), max_size=3
    ),
)


@given(st.lists(ITEMS, max_size=5))
def test_a_table_of_items_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, items: list[Item]) -> None:
    path = tmp_path_factory.mktemp("t") / "items.parquet"
    write_items(path, items)
    assert read_items(path) == items


def test_the_data_hash_sees_content_and_not_order(choice: Callable[..., Item]) -> None:
    a, b = choice(id="a"), choice(id="b")
    assert data_hash([a, b]) == data_hash([b, a])
    assert data_hash([a, b]) != data_hash([a, choice(id="b", answer="B")])


def test_a_file_that_is_no_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    path.write_text("nothing")
    with pytest.raises(InputError, match="is no readable table"):
        read_items(path)
