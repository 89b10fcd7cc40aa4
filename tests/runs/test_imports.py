"""Responses from elsewhere: plain JSONL, lmms-eval's logs, VLMEvalKit's results."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tolman.errors import DataWarning, InputError
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Response
from tolman.runs.imports import read_responses


@pytest.fixture
def items(choice: Callable[..., Item]) -> list[Item]:
    return [choice(id=str(i), question=f"Which is number {i}?") for i in (3, 4)]


def lines(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_plain_jsonl(tmp_path: Path, items: list[Item]) -> None:
    path = lines(
        tmp_path / "r.jsonl", {"id": 3, "response": "A"}, {"id": "4", "failure": {"kind": "timeout", "message": "30 s"}}
    )
    one, other = read_responses(path, items)
    assert one == Response(id="3", response="A")
    assert isinstance(other, Failure)


def test_failures_in_plain_jsonl(tmp_path: Path, items: list[Item]) -> None:
    called = {"id": "3", "response": "Failed to obtain answer via API."}
    told, empty = {"id": "4", "failure": "HTTP 500"}, {"id": "4", "response": "", "repeat": 1}
    first, second, third = read_responses(lines(tmp_path / "r.jsonl", called, told, empty), items)
    assert [type(one) for one in (first, second, third)] == [Failure, Failure, Response]
    assert isinstance(first, Failure)
    assert first.kind == FailureKind.IMPORTED
    assert isinstance(second, Failure)
    assert second.message == "HTTP 500"


def test_lmms_eval_logs_are_joined_on_the_questions_own_id(tmp_path: Path, items: list[Item]) -> None:
    path = lines(
        tmp_path / "model_samples_vsibench.jsonl",
        {"doc_id": 0, "doc": {"id": 4, "question": "?"}, "target": "A", "resps": [["B"]], "filtered_resps": ["b"]},
        {"doc_id": 1, "resps": [["A"]], "filtered_resps": ["A"], "vsibench_score": {"id": 3, "accuracy": 1.0}},
    )
    assert read_responses(path, items) == [Response(id="4", response="B"), Response(id="3", response="A")]


def test_a_row_number_counts_only_where_every_true_answer_agrees(tmp_path: Path, items: list[Item]) -> None:
    rows = [{"doc_id": place, "target": items[place].answer, "resps": [["B"]]} for place in (1, 0)]
    path = lines(tmp_path / "r.jsonl", *rows)
    assert [outcome.id for outcome in read_responses(path, items)] == ["4", "3"]
    wrong = lines(tmp_path / "w.jsonl", rows[0], rows[1] | {"target": "B"})
    with pytest.raises(InputError, match="row 2, field 'target': its answer 'B' isn't 'A', that of the item in its"):
        read_responses(wrong, items)
    bare = lines(tmp_path / "b.jsonl", {"doc_id": 0, "resps": [["B"]]})
    with pytest.raises(InputError, match="row 1, field 'id': holds no question id, no prompt, and no row number"):
        read_responses(bare, items)


def test_lmms_eval_rows_without_ids_are_found_by_question_and_options(tmp_path: Path, items: list[Item]) -> None:
    doc = {"question": items[1].question, "options": list(items[1].options), "answer": "A"}
    path = lines(tmp_path / "r.jsonl", {"doc_id": 7, "doc": doc, "resps": [["B"]]})
    assert read_responses(path, items) == [Response(id="4", response="B")]


@pytest.mark.parametrize("suffix", ["tsv", "json", "xlsx"])
def test_vlmevalkit_results(tmp_path: Path, items: list[Item], suffix: str) -> None:
    path = tmp_path / f"Model_Bench.{suffix}"
    rows = [
        {"index": 3, "question": items[0].question, "answer": "A", "prediction": "A"},
        {
            "index": 4,
            "question": items[1].question,
            "answer": "A",
            "prediction": "Failed to obtain answer via API. 429",
        },
    ]
    if suffix == "tsv":
        pl.DataFrame(rows).write_csv(path, separator="\t")
    elif suffix == "json":
        path.write_text(json.dumps(rows))
    else:
        pytest.importorskip("xlsxwriter", reason="writing the sheet needs xlsxwriter")
        pl.DataFrame(rows).write_excel(path)
    one, other = read_responses(path, items)
    assert one == Response(id="3", response="A")
    assert isinstance(other, Failure)


def test_an_empty_cell_is_no_answer(tmp_path: Path, items: list[Item]) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"index": 3, "prediction": null}\n{"index": 4, "prediction": NaN}')
    assert all(isinstance(outcome, Failure) for outcome in read_responses(path, items))
    with pytest.raises(InputError, match="field 'prediction': is no text"):
        read_responses(lines(tmp_path / "d.jsonl", {"index": 3, "prediction": {"a": 1}}), items)


def test_a_byte_order_mark_is_no_reason_to_refuse(tmp_path: Path, items: list[Item]) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('\ufeff{"id": 3, "response": "A"}', encoding="utf-8")
    assert read_responses(path, items) == [Response(id="3", response="A")]


def test_vlmevalkit_rows_numbered_otherwise_are_refused(tmp_path: Path, items: list[Item]) -> None:
    path = lines(tmp_path / "r.jsonl", {"index": 3, "question": "Something else?", "prediction": "A"})
    with pytest.raises(InputError, match="its question isn't that of item '3'"):
        read_responses(path, items)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{"id": 9, "response": "A"}], "row 1, field 'id': the benchmark has no item '9'"),
        ([{"id": 3, "response": "A"}, {"id": 3, "response": "B"}], "row 2, field 'id': the id '3' is also row 1's"),
        ([{"id": 3, "response": None}], "row 1, field 'response'"),
        ([{"id": 3, "note": "A"}], "none of its columns (id, note) is known to hold responses; name the columns"),
        ([{"name": 3, "note": "A"}], "none of its columns (name, note) is known to hold responses; name the columns"),
        ([], "holds no rows"),
    ],
)
def test_wrong_rows_are_one_sentence(tmp_path: Path, items: list[Item], rows: list[object], sentence: str) -> None:
    path = lines(tmp_path / "r.jsonl", *rows)
    with pytest.raises(InputError) as caught:
        read_responses(path, items)
    assert str(path) in str(caught.value)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("r.jsonl", b"{not json}", "row 1: is no JSON"),
        ("r.jsonl", b"\xff\xfe\x00", "is not UTF-8 text"),
        ("r.doc", b"", "has an unknown suffix '.doc'"),
        ("r.parquet", b"PAR", "is no readable Parquet file"),
        ("r.xlsx", b"PK", "is no readable Excel sheet"),
        ("r.csv", b"id,response\n1,2,3\n", "row 2: has more or fewer cells"),
        ("r.json", b"[" * 100_000, "is no JSON"),
    ],
)
def test_broken_files_are_one_sentence(
    tmp_path: Path, items: list[Item], name: str, content: bytes, sentence: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        read_responses(path, items)


def test_repeats_in_an_lmms_eval_log_are_samples(tmp_path: Path, items: list[Item]) -> None:
    rows = [
        {"doc_id": 0, "target": "A", "filtered_resps": ["A", "B"], "vsibench": {"id": 3, "MRA:.5:.95:.05": 1.0}},
        {"doc_id": 1, "target": "A", "resps": [["C"], ["D"]], "filtered_resps": ["x", "y"], "vsibench": {"id": 4}},
    ]
    read = read_responses(lines(tmp_path / "0_samples_vsibench.jsonl", *rows), items)
    found = [(one.id, one.repeat, one.response) for one in read if isinstance(one, Response)]
    assert found == [("3", 0, "A"), ("3", 1, "B"), ("4", 0, "C"), ("4", 1, "D")]


def test_other_true_answers_in_a_log_are_said(tmp_path: Path, items: list[Item]) -> None:
    rows = [{"doc_id": 0, "target": "Z", "filtered_resps": ["A"], "vsibench": {"id": item.id}} for item in items]
    with pytest.warns(DataWarning, match="its true answer isn't the benchmark's answer on 2 of 2 rows"):
        read_responses(lines(tmp_path / "0_samples_vsibench.jsonl", *rows), items)
