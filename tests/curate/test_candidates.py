"""Candidates and items are one list of fields; a pool's rows that don't hold are told in a sentence."""

from pathlib import Path

import polars as pl
import pytest

from tolman.curate.candidates import POOL_SCHEMA, Candidate, read_pool, write_pool
from tolman.errors import InputError
from tolman.item_table import schema
from tolman.items import Item, ItemFields

OWN = {"source", "also"}


def candidate(**changes: object) -> Candidate:
    fields = {"id": "s/1", "source": "s", "question": "Which?", "kind": "choice", "answer": "A", "options": ("a", "b")}
    return Candidate.model_validate({**fields, "task": "t", **changes})


def test_an_items_fields_are_declared_once() -> None:
    assert set(Item.__annotations__) == {"kind"}  # narrowed, as are a candidate's
    assert set(Candidate.__annotations__) == {"kind", *OWN}
    assert list(Item.model_fields) == list(ItemFields.model_fields) == list(schema())
    assert set(Candidate.model_fields) == {*schema(), *OWN} == set(POOL_SCHEMA)


def test_a_candidate_is_an_item_but_for_where_it_came_from(tmp_path: Path) -> None:
    whole = candidate(labels={"level": "1"}, scene="s/2", media=[{"kind": "image", "path": "a.jpg"}], evidence={"x": 1})
    assert whole.item().model_dump() == {k: v for k, v in whole.model_dump().items() if k not in OWN}
    text = candidate(kind="text", answer="by the door", options=(), also=("at the door",))
    assert write_pool(tmp_path, [whole, text]) == 2
    assert list(read_pool(tmp_path)) == [whole, text]
    assert (text.answer_text, text.has_letters) == ("by the door", False)
    assert (whole.answer_text, whole.has_letters) == ("a", True)


def test_a_free_text_is_an_item_with_all_its_accepted_answers() -> None:
    text = candidate(kind="text", answer="by the door", options=(), also=("at the door", "by the door"))
    assert (text.item().kind, text.item().answer) == ("text", '["by the door", "at the door"]')
    assert text.model_copy(update={"also": ()}).item().answer == "by the door"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"answer": "C"}, "the answer 'C' is none of the options A, B"),
        ({"kind": "nmuber"}, "there is no item kind 'nmuber'; did you mean 'number'"),
        ({"kind": "text"}, "a question with a free answer has no options"),
        ({"question": " "}, "the question is empty"),
    ],
)
def test_what_is_wrong_with_a_row_of_a_pool_is_one_sentence(tmp_path: Path, changes: dict[str, str], what: str) -> None:
    write_pool(tmp_path, [candidate()])
    (file,) = tmp_path.glob("items-*.parquet")
    pl.read_parquet(file).with_columns(**{name: pl.lit(text) for name, text in changes.items()}).write_parquet(file)
    with pytest.raises(InputError, match="row 1") as error:
        list(read_pool(tmp_path))
    assert what in str(error.value)
    assert "\n" not in str(error.value)
    assert "pydantic" not in str(error.value)
