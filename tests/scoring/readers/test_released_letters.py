"""The same reply under eight released parsers: each row was made by running the released functions."""

import pytest

from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.readers import reader_named
from tolman.scoring.response_states import state_of

READERS = (
    "mindcube",
    "viewspatial",
    "lmms-eval-letter",
    "lmms-eval-3dsrbench",
    "omnispatial-re",
    "lmms-eval-mcq",
    "easi",
    "lmms-eval-blink",
)
# reply | one letter for each reader; a: A that is a default, -: no answer
TABLE = [
    ("B", "BBBBaBBB"),
    ("(B)", "BBBBaBBB"),
    ("B.", "BBBBaBBB"),
    ("**B**", "BB-BaBB-"),
    ("Answer: B", "BBABBBBB"),
    ("The answer is B", "BBTBaBBB"),
    ("The answer is B because A is wrong", "BBTBaABB"),
    ("Based on the image, C", "CCBCaCCB"),
    ("A chair is closer", "AAAAaAAA"),
    ("<answer>B. Left</answer>", "BB-BaBB-"),
    ("I think the left one", "--I-a---"),
    (r"Final answer: \boxed{B}", "BBFBaBB-"),
    ("A is wrong. So B", "AAAAaA-A"),
    ("Left", "--L-a---"),
    ("B\nbecause it is near a wall", "BABBaBBB"),
    ("<think>A or C</think> B", "AA-AaBC-"),
]
ITEM = Item(id="1", question="Which?", kind="choice", answer="A", options=("one", "two", "three", "four"), task="t")


def _shown(name: str, reply: str) -> str:
    found = reader_named(name).read(ITEM, reply, 0)
    if found.assumed:
        return str(found.value).lower()
    return "-" if found.value is None else str(found.value)


@pytest.mark.parametrize(("reply", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_a_reply_under_eight_parsers(reply: str, expected: str) -> None:
    assert "".join(_shown(name, reply) for name in READERS) == expected


@pytest.mark.parametrize(
    ("reply", "number"), [("3.5 m^2", 2), ("1,200", 200), ("2-3", -3), ("twenty-one", -1), ("error 429", 429)]
)
def test_numbers_under_easi(reply: str, number: float) -> None:
    item = Item(id="1", question="How far?", kind="number", answer="1", task="t")
    assert reader_named("easi").read(item, reply, 0).value == number


def test_a_default_is_no_reading() -> None:
    response = Response(id="1", response="nothing to be found")
    found = reader_named("omnispatial-re").read(ITEM, response.response, 0)
    assert found.value == "A"
    assert state_of(response, found) == "none"
    assert "default" in found.note
