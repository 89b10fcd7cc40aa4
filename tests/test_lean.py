"""What many instances share is theirs alone as soon as one of them is changed in a copy."""

import pickle

from tolman.items import Item
from tolman.responses import Response, Usage


def fields_of(model: object) -> object:
    return model.__pydantic_fields_set__  # type: ignore[attr-defined]


def test_instances_with_the_same_fields_share_their_set() -> None:
    one, other = Response(id="1", response="A"), Response(id="2", response="B")
    assert fields_of(one) is fields_of(other)
    assert fields_of(one) == {"id", "response"}
    assert fields_of(Response(id="1", response="A", seconds=1.0)) == {"id", "response", "seconds"}
    assert fields_of(Usage(input_tokens=1)) is fields_of(Usage(input_tokens=2))


def test_a_copy_changes_no_other() -> None:
    one, other = Response(id="1", response="A"), Response(id="2", response="B")
    changed = one.model_copy(update={"seconds": 2.0})
    assert fields_of(changed) == {"id", "response", "seconds"}
    assert fields_of(one) == fields_of(other) == {"id", "response"}
    assert one.model_dump(exclude_unset=True) == {"id": "1", "response": "A"}
    assert changed.model_dump(exclude_unset=True) == {"id": "1", "response": "A", "seconds": 2.0}


def test_what_is_read_made_and_pickled_is_equal() -> None:
    item = Item(id="1", question="Which?", kind="choice", answer="A", options=("x", "y"), task="t")
    again = Item.model_validate_json(item.model_dump_json(exclude_unset=True))
    assert again == item == pickle.loads(pickle.dumps(item))
    assert fields_of(again) is fields_of(item)
