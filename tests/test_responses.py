import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tolman.errors import InputError
from tolman.responses import (
    Failure,
    FailureKind,
    Outcome,
    Response,
    Turn,
    Usage,
    each_outcome,
    outcome_from_record,
    outcome_to_line,
    write_outcomes,
)

RESPONSES = st.builds(
    Response,
    id=st.text(min_size=1),
    response=st.text(),
    repeat=st.integers(0, 9),
    reasoning=st.none() | st.text(),
    usage=st.builds(Usage, input_tokens=st.integers(0, 99)),
)
FAILURES = st.builds(
    Failure, id=st.text(min_size=1), kind=st.sampled_from(FailureKind), message=st.text(), attempts=st.integers(1, 9)
)


@given(RESPONSES | FAILURES)
def test_an_outcome_comes_back_from_its_line(outcome: Outcome) -> None:
    line = outcome_to_line(outcome)
    assert "\n" not in line
    assert outcome_from_record(json.loads(line), Path("x"), 1) == outcome


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ([], "x.jsonl, row 3: is no JSON object; write"),
        ({"response": "A"}, "x.jsonl, row 3, field 'id': is missing"),
        ({"id": 1}, "x.jsonl, row 3, field 'response': is missing"),
        ({"id": 1, "response": 5}, "x.jsonl, row 3, field 'response': input should be a valid string"),
        ({"id": 1, "response": "A", "score": 1}, "x.jsonl, row 3, field 'score': is not a known field"),
        ({"id": 1, "response": "A", "repeat": -1}, "row 3, field 'repeat'"),
        ({"id": 1, "response": "A", "repeat": 10**10}, "row 3, field 'repeat'"),
        ({"id": 1, "failure": 5}, "x.jsonl, row 3, field 'failure': is neither a sentence nor an object"),
        ({"id": 1, "failure": {"kind": "bad luck", "message": ""}}, "row 3, field 'kind'"),
    ],
)
def test_a_wrong_row_is_named(record: object, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        outcome_from_record(record, Path("x.jsonl"), 3)
    assert sentence in str(caught.value)


def test_a_lone_surrogate_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_outcomes(path, [outcome_from_record({"id": "\ud800", "response": "\udfff 4"}, path, 1)])
    assert list(each_outcome(path)) == [Response(id="\ufffd", response="\ufffd 4")]


def test_ids_may_be_numbers() -> None:
    assert outcome_from_record({"id": 7, "response": "A"}, Path("x"), 1).id == "7"


@pytest.mark.parametrize(
    ("read", "written", "text", "counted"),
    [(9, 5, "A", True), (9, 0, "A", False), (0, 5, "A", False), (0, 0, "A", False), (9, 0, "", True)],
)
def test_a_reply_is_counted_where_both_kinds_of_tokens_are(read: int, written: int, text: str, counted: bool) -> None:
    usage = Usage(input_tokens=read, output_tokens=written)
    whole = Usage(input_tokens=1, output_tokens=1)
    assert Response(id="1", response=text, usage=usage).is_counted == counted
    turns = (
        Turn(purpose="reasoning", prompt="", response=text, usage=usage),
        Turn(purpose="answer", prompt="", response="A", usage=whole),
    )
    assert Response(id="1", response="A", turns=turns, usage=Usage.total([usage, whole])).is_counted == counted
