"""Tables of predictions with column names of their own, and several logs that are scored together."""

import csv
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import tolman
from behind_logs import LMMS
from tolman.cli import app
from tolman.errors import ColumnsTakenWarning, DataWarning, InputError, UsageError
from tolman.items import Item
from tolman.responses import Failure, Response
from tolman.runs.imports import Imported, read_import
from tolman.runs.logs.log import read_logs, sheet_rows

NAMED = "ignore::tolman.errors.ColumnsTakenWarning"


@pytest.fixture
def items(choice: Callable[..., Item]) -> list[Item]:
    return [choice(id=name, question=f"Which is {name}?") for name in ("q-1", "q-2")]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Rows as a table of the path's suffix."""
    if path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    elif path.suffix == ".parquet":
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
            table.writeheader()
            table.writerows(rows)
    return path


def texts(imported: Imported) -> dict[str, str]:
    return {one.id: one.response for one in imported.outcomes.values() if isinstance(one, Response)}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_usual_names_are_recognised_and_said(tmp_path: Path, items: list[Item], suffix: str) -> None:
    rows = [{"question_id": "q-1", "model_output": "A, I think", "time": 1}]
    path = written(tmp_path / f"p.{suffix}", rows)
    with pytest.warns(ColumnsTakenWarning, match="response is taken from 'model_output'; id from 'question_id'"):
        found = read_import(path, items)
    assert texts(found) == {"q-1": "A, I think"}
    assert (found.program, found.by) == ("predictions", "question id")
    assert found.columns == {"id": "question_id", "response": "model_output"}


def test_a_raw_output_goes_before_a_parsed_letter(tmp_path: Path, items: list[Item]) -> None:
    row = {"id": "q-1", "answer": "A", "prediction": "B", "correct": 0, "raw_output": "It is not B, but A."}
    path = written(tmp_path / "p.csv", [row])
    with pytest.warns(ColumnsTakenWarning, match="from 'raw_output', not from 'prediction'; id from 'id', truth from"):
        assert texts(read_import(path, items)) == {"q-1": "It is not B, but A."}
    with pytest.warns(ColumnsTakenWarning, match="from 'prediction', not from 'raw_output'"):
        assert texts(read_import(path, items, columns={"response": "prediction"})) == {"q-1": "B"}


@pytest.mark.filterwarnings(NAMED)
def test_any_names_are_told(tmp_path: Path, items: list[Item]) -> None:
    path = written(tmp_path / "p.csv", [{"nr": "q-2", "said": "B"}])
    assert texts(read_import(path, items, columns={"id": "nr", "response": "said"})) == {"q-2": "B"}
    with pytest.raises(InputError, match=r"columns \(nr, said\) is known to hold responses; name the columns with"):
        read_import(path, items)
    with pytest.raises(InputError, match=r"field 'response': has no column 'sadi'; did you mean 'said'\?"):
        read_import(path, items, columns={"id": "nr", "response": "sadi"})
    with pytest.raises(UsageError, match="there is no 'key'"):
        read_import(path, items, columns={"key": "nr"})


@pytest.mark.filterwarnings(NAMED)
@pytest.mark.parametrize(
    "content",
    [
        {"q-1": "A", "q-2": "B"},
        {"val": [{"idx": "q-1", "full_prediction": "A"}, {"idx": "q-2", "full_prediction": "B"}]},
        {"q-1": {"output": "A"}, "q-2": {"output": "B"}},
        {"model": "m", "results": [{"id": "q-1", "pred": "A"}, {"id": "q-2", "pred": "B"}]},
        {"results": [{"id": "q-1", "response": "A"}, {"id": "q-2", "response": "B"}]},
    ],
)
def test_json_objects_are_read(tmp_path: Path, items: list[Item], content: Any) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(content))
    assert texts(read_import(path, items)) == {"q-1": "A", "q-2": "B"}


@pytest.mark.filterwarnings(NAMED)
def test_empty_cells_and_errors_are_failures(tmp_path: Path, items: list[Item]) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(
        '\ufeffquestion_id,pred,error\r\nq-1,,HTTP 500\r\nq-2,"Failed to obtain answer via API.",\r\n'.encode()
    )
    first, second = read_import(path, items).outcomes.values()
    assert isinstance(first, Failure)
    assert first.message == "HTTP 500"
    assert isinstance(second, Failure)
    path = tmp_path / "n.jsonl"
    path.write_text('{"qid": "q-1", "pred": NaN}\n{"qid": "q-2", "pred": 2.0}')
    first, second = read_import(path, items).outcomes.values()
    assert isinstance(first, Failure)
    assert isinstance(second, Response)
    assert second.response == "2"


@pytest.mark.filterwarnings(NAMED)
def test_a_list_of_texts_are_samples(tmp_path: Path, items: list[Item]) -> None:
    path = written(tmp_path / "p.json", [{"id": "q-1", "outputs": ["A", "B"]}])
    assert list(read_import(path, items).outcomes) == [("q-1", 0), ("q-1", 1)]
    path = written(tmp_path / "r.json", [{"qid": "q-1", "pred": "A", "repeat": n} for n in (0, 1)])
    assert list(read_import(path, items).outcomes) == [("q-1", 0), ("q-1", 1)]
    path = written(tmp_path / "w.json", [{"id": "q-1", "output": "A"}, {"id": "q-2", "output": {"text": "A"}}])
    with pytest.raises(InputError, match="row 2, field 'output': is no text; give the model's text"):
        read_import(path, items)


@pytest.mark.filterwarnings(NAMED)
@pytest.mark.parametrize("names", [("id", "response"), ("qid", "pred")])
def test_samples_may_be_numbered_from_one(tmp_path: Path, items: list[Item], names: tuple[str, str]) -> None:
    rows = [dict(zip((*names, "repeat"), ("q-1", text, n), strict=True)) for n, text in ((1, "A"), (2, "B"))]
    found = read_import(written(tmp_path / "p.jsonl", rows), items)
    assert {key: one.response for key, one in found.outcomes.items() if isinstance(one, Response)} == {
        ("q-1", 0): "A",
        ("q-1", 1): "B",
    }
    assert [one.repeat for one in found.outcomes.values()] == [0, 1]


def test_a_response_may_be_a_number_in_json(tmp_path: Path, items: list[Item]) -> None:
    rows = [{"id": "q-1", "response": "A"}, {"id": "q-2", "response": 2.5}]
    assert texts(read_import(written(tmp_path / "p.json", rows), items)) == {"q-1": "A", "q-2": "2.5"}
    rows[1]["response"] = True
    with pytest.raises(InputError, match="row 2, field 'response': input should be a valid string"):
        read_import(written(tmp_path / "b.json", rows), items)


@pytest.mark.filterwarnings(NAMED)
def test_an_answer_that_the_token_limit_ended_is_known_as_one(tmp_path: Path, items: list[Item]) -> None:
    path = written(tmp_path / "p.csv", [{"qid": "q-1", "pred": "Let me think", "stop_reason": "length"}])
    (response,) = read_import(path, items).outcomes.values()
    assert isinstance(response, Response)
    assert response.finish_reason == "length"


@pytest.mark.filterwarnings(NAMED)
def test_a_table_of_two_models_is_refused(tmp_path: Path, items: list[Item]) -> None:
    rows = [{"id": name, "model": model, "response": "A"} for model in ("a", "b") for name in ("q-1", "q-2")]
    with pytest.raises(InputError, match=r"field 'model': holds the responses of 2 models \(a, b\); give a file for"):
        read_import(written(tmp_path / "p.csv", rows), items)
    kinds = [{"id": name, "model": model, "response": "A"} for name, model in (("q-1", "a"), ("q-2", "b"))]
    assert len(read_import(written(tmp_path / "k.csv", kinds), items).outcomes) == 2


def test_likely_columns_are_named(tmp_path: Path, items: list[Item]) -> None:
    path = written(tmp_path / "p.csv", [{"sample": "q-1", "text": "A"}])
    with pytest.raises(InputError, match="name the columns with --columns id=sample,response=text"):
        read_import(path, items)


@pytest.mark.filterwarnings(NAMED)
def test_a_row_number_is_no_id(tmp_path: Path, choice: Callable[..., Item]) -> None:
    items = [choice(id=str(number), question=f"Which is {number}?") for number in (1, 0)]
    path = written(tmp_path / "p.csv", [{"index": 0, "output": "A"}])
    with pytest.raises(
        InputError, match=r"field 'index': may be the question's id or a row number.*--columns id=index"
    ):
        read_import(path, items)
    assert texts(read_import(path, items, columns={"id": "index"})) == {"0": "A"}
    path = written(
        tmp_path / "q.csv",
        [{"index": 0, "question": items[0].question, "options": str(list(items[0].options)), "output": "A"}],
    )
    assert texts(read_import(path, items)) == {"1": "A"}


@pytest.mark.filterwarnings(NAMED)
def test_ids_may_be_the_last_part_of_the_benchmarks(tmp_path: Path, choice: Callable[..., Item]) -> None:
    items = [choice(id=f"{part}/v_1", question=f"Is it {part}?") for part in ("real", "made")]
    row = {"id": "v_1", "question": items[1].question, "choices": dict(zip("ABCD", items[1].options, strict=False))}
    assert texts(read_import(written(tmp_path / "p.json", [row | {"output": "A"}]), items)) == {"made/v_1": "A"}
    bare = written(tmp_path / "b.json", [{"id": "v_1", "output": "A"}])
    with pytest.raises(InputError, match="'v_1' may be 'real/v_1' and 'made/v_1'"):
        read_import(bare, items)


@pytest.mark.filterwarnings(NAMED)
def test_a_file_of_questions_is_no_file_of_answers(tmp_path: Path, choice: Callable[..., Item]) -> None:
    items = [choice(id=f"q-{number}", question=f"Which is {number}?") for number in range(12)]
    rows = [{"question_id": item.id, "question": item.question, "answer": item.answer} for item in items]
    path = written(tmp_path / "q.json", rows)
    with pytest.raises(InputError, match="its column 'answer' holds the benchmark's right answers throughout"):
        read_import(path, items)
    assert len(read_import(path, items, columns={"response": "answer"}).outcomes) == 12
    assert (
        len(read_import(written(tmp_path / "p.json", [*rows[:11], rows[11] | {"answer": "B"}]), items).outcomes) == 12
    )


@pytest.mark.filterwarnings(NAMED)
def test_openeqas_own_predictions_are_scored(tmp_path: Path) -> None:
    questions = [{"question_id": f"q{n}", "question": f"What is {n}?", "answer": text, "category": "world knowledge",
                  "episode_history": f"scannet-v0/{n}"} for n, text in enumerate(("yes", "a chair"))]  # fmt: skip
    data = written(tmp_path / "open-eqa-v0.json", questions)
    answers = written(tmp_path / "m-predictions.json", [{"question_id": f"q{n}", "answer": "yes"} for n in (0, 1)])
    args = ["score", str(answers), "--benchmark", "openeqa", "--data", str(data), "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    assert "50.0 % of 2 answers are unread" in done.output
    settings = json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["model_settings"]
    assert settings["columns"] == {"id": "question_id", "response": "answer"}


def sample(task: str, place: Path, rows: list[Item], stamp: str = "20260101_000000", model: str = "m") -> Path:
    """lmms-eval's log of some items, with its results beside."""
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{stamp}_samples_{task}.jsonl"
    lines = [
        {"doc_id": n, "doc": {"id": item.id}, "target": item.answer, "resps": [["A"]]} for n, item in enumerate(rows)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    (place / f"{stamp}_results.json").write_text(json.dumps({"model_name": model, "results": {}, "configs": {}}))
    return path


def test_a_folder_of_logs_is_read_together(tmp_path: Path, items: list[Item], choice: Callable[..., Item]) -> None:
    sample("bench_image", tmp_path / "logs" / "m", items[:1])
    other = sample("bench_video", tmp_path / "logs" / "m", items[1:])
    for place in (tmp_path / "logs", tmp_path / "logs" / "m" / "*_samples_*.jsonl"):
        found = read_import(place, items)
        assert texts(found) == {"q-1": "A", "q-2": "A"}
        assert (found.program, found.model, len(found.files)) == ("lmms-eval", "m", 2)
    assert texts(read_import([tmp_path / "logs" / "m" / "20260101_000000_samples_bench_image.jsonl", other], items)) == {
        "q-1": "A", "q-2": "A",
    }  # fmt: skip
    sample("another", tmp_path / "logs" / "m", [choice(id="other", question="Which other one is it?")])
    with pytest.warns(
        DataWarning, match="2 files are read together; not read, .*: 20260101_000000_samples_another.jso"
    ):
        assert len(read_import(tmp_path / "logs", items).outcomes) == 2


def test_logs_that_overlap_or_differ_are_refused(tmp_path: Path, items: list[Item]) -> None:
    sample("bench", tmp_path / "twice", items)
    sample("bench", tmp_path / "twice", items[:1], stamp="20260102_000000")
    with pytest.raises(
        InputError, match=r"answers the item 'q-1', which .*20260101_000000_samples_bench.jsonl answers too"
    ):
        read_import(tmp_path / "twice", items)
    sample("image", tmp_path / "two" / "a", items[:1])
    sample("video", tmp_path / "two" / "b", items[1:], model="other")
    with pytest.raises(InputError, match="is of the model 'other', another file of 'm'"):
        read_import(tmp_path / "two", items)


def test_folders_without_logs_are_one_sentence(tmp_path: Path, items: list[Item]) -> None:
    with pytest.raises(InputError, match=r"is no run folder .* and holds no logs"):
        read_import(tmp_path, items)
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(InputError, match="holds no logs that are known"):
        read_import(tmp_path, items)
    with pytest.raises(InputError, match="fits no file; check the pattern"):
        read_import(tmp_path / "*.eval", items)
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "run.json").write_text("{}")
    with pytest.raises(InputError, match=r"holds a run, .*one; give that folder"):
        read_import(tmp_path / "runs", items)


def test_the_images_and_videos_of_site_are_one_figure(
    interchange: Path, data_of: Callable[[str], Path], tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for task in ("image", "video"):
        for source in interchange.glob(f"{LMMS}site_bench_{task}.jsonl"):
            (logs / source.name).write_bytes(source.read_bytes())
    args = ["--benchmark", "site", "--data", str(data_of("site")), "--out", str(tmp_path / "run"), "--name", "m"]
    done = CliRunner().invoke(app, ["score", str(logs), *args])
    assert done.exit_code == 0, done.output
    record = json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["model_settings"]
    assert len(record["files"]) == 2
    again = CliRunner().invoke(
        app, ["score", *map(str, sorted(logs.iterdir())), *args[:4], "--out", str(tmp_path / "b")]
    )
    assert again.exit_code == 0, again.output
    scored = CliRunner().invoke(app, ["score", str(tmp_path / "run")])
    assert scored.exit_code == 0, scored.output


@pytest.mark.parametrize("columns", ["response", "=prediction", "id=", "id=a,id=b"])
def test_columns_that_are_no_pairs_are_one_sentence(tmp_path: Path, columns: str) -> None:
    path = written(tmp_path / "p.csv", [{"nr": "q-2", "said": "B"}])
    done = CliRunner().invoke(app, ["score", str(path), "--benchmark", "vsi-bench", "--columns", columns])
    assert isinstance(done.exception, UsageError)
    assert "--columns" in str(done.exception)


def test_vlmevalkits_tables_stay_its_own(tmp_path: Path) -> None:
    row = {"index": 1, "question": "Which?", "answer": "A", "prediction": "A"}
    assert read_logs(written(tmp_path / "Model_Bench.tsv", [row]))[0].program == "vlmevalkit"


@pytest.mark.filterwarnings(NAMED)
def test_other_options_under_the_same_id_are_refused(tmp_path: Path, items: list[Item]) -> None:
    row = {"id": "q-1", "question": items[0].question, "choices": [f"{letter}. {text}" for letter, text in zip(
        "ABCD", items[0].options, strict=True)], "ground_truth": items[0].answer_text, "output": "B"}  # fmt: skip
    assert texts(read_import(written(tmp_path / "p.json", [row]), items)) == {"q-1": "B"}
    typo = written(tmp_path / "t.json", [row | {"question": "Wich is q-1?"}])
    assert texts(read_import(typo, items)) == {"q-1": "B"}
    turned = written(tmp_path / "o.json", [row | {"choices": list(items[0].options)[::-1]}])
    with pytest.raises(InputError, match=r"row 1, field 'options': its options \(.*\) are in another order than"):
        read_import(turned, items)


def test_a_log_with_a_wrong_row_is_not_left_out(tmp_path: Path, items: list[Item]) -> None:
    sample("image", tmp_path / "logs", items[:1])
    path = sample("video", tmp_path / "logs", items[1:])
    stray = {"doc_id": 1, "doc": {"id": "stray"}, "target": "A", "resps": [["A"]]}
    path.write_text(path.read_text() + "\n" + json.dumps(stray))
    with pytest.raises(InputError, match="samples_video"):
        read_import(tmp_path / "logs", items)


@pytest.mark.filterwarnings(NAMED)
def test_several_files_are_called_after_their_folder(tmp_path: Path, items: list[Item]) -> None:
    folder = tmp_path / "Model-2.5-VL"
    folder.mkdir()
    rows = [{"id": "q0", "output": "yes"}, {"id": "q1", "output": "a chair"}]
    for number, row in enumerate(rows):
        written(folder / f"{number}.json", [row])
    questions = [{"question_id": f"q{n}", "question": f"What is {n}?", "answer": text, "category": "world knowledge",
                  "episode_history": f"scannet-v0/{n}"} for n, text in enumerate(("yes", "a chair"))]  # fmt: skip
    data = written(tmp_path / "open-eqa-v0.json", questions)
    for number, given in enumerate(([folder], [folder / "*.json"], [folder / "0.json", folder / "1.json"])):
        args = ["--benchmark", "openeqa", "--data", str(data), "--out", str(tmp_path / f"run-{number}")]
        done = CliRunner().invoke(app, ["score", *map(str, given), *args])
        assert done.exit_code == 0, done.output
        assert "100.0" in done.output
        record = json.loads((tmp_path / f"run-{number}" / "run.json").read_text())
        assert record["settings"]["model"] == "Model-2.5-VL"


@pytest.mark.filterwarnings(NAMED)
@pytest.mark.parametrize("name", ["error", "failure"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_a_row_with_an_error_is_a_failure_and_one_with_an_empty_cell_is_none(
    tmp_path: Path, items: list[Item], suffix: str, name: str
) -> None:
    for empty in (None, "") if suffix in ("json", "jsonl", "parquet") else ("",):
        rows: list[dict[str, Any]] = [
            {"id": "q-1", "response": "A", name: "timeout"},
            {"id": "q-2", "response": "B", name: empty},
        ]
        found = read_import(written(tmp_path / f"p.{suffix}", rows), items)
        (failure,) = (one for one in found.outcomes.values() if isinstance(one, Failure))
        assert (failure.id, failure.message, texts(found)) == ("q-1", "timeout", {"q-2": "B"})


@pytest.mark.filterwarnings(NAMED)
@pytest.mark.parametrize("cell", [False, 0, "None", "False"])
def test_cells_that_say_no_are_no_failures(tmp_path: Path, items: list[Item], cell: object) -> None:
    path = written(tmp_path / "p.json", [{"id": "q-1", "response": "A", "error": cell}])
    assert texts(read_import(path, items)) == {"q-1": "A"}


@pytest.mark.filterwarnings(NAMED)
def test_a_number_beside_a_response_may_be_no_failure(tmp_path: Path, items: list[Item]) -> None:
    path = written(tmp_path / "p.csv", [{"id": "q-1", "response": "A", "error": "0.25"}])
    with pytest.raises(
        InputError, match=r"row 1, field 'error': holds the number 0.25 with a response.*columns failure=error"
    ):
        read_import(path, items)
    assert not texts(read_import(path, items, columns={"failure": "error"}))


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("p.csv", "id,response,response\nq-1,A,B\n", "has two columns 'response'"),
        ("p.tsv", "id\tresponse\tid\nq-1\tA\tq-2\n", "has two columns 'id'"),
        ("p.json", '{"q-1": "A", "q-2": "B", "q-1": "B"}', "has the key 'q-1' twice"),
        ("p.json", '{"q-1": {"response": "A"}, "q-1": {"response": "B"}}', "has the key 'q-1' twice"),
        ("p.json", '[{"id": "q-1", "response": "A", "response": "B"}]', "has the key 'response' twice"),
        ("p.jsonl", '{"id": "q-1", "response": "A", "response": "B"}', "row 1: has the key 'response' twice"),
    ],
)
def test_a_name_twice_is_refused(tmp_path: Path, items: list[Item], name: str, text: str, problem: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        read_import(path, items)


def test_two_equal_columns_of_a_workbook_are_refused(tmp_path: Path, items: list[Item]) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = tmp_path / "p.xlsx"
    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet().write_row(0, 0, ["id", "prediction", "prediction"])
        book.worksheets()[0].write_row(1, 0, ["q-1", "A", "B"])
    with pytest.raises(InputError, match="has two columns 'prediction'"):
        read_import(path, items, columns={"response": "prediction"})


@pytest.mark.filterwarnings(NAMED)
def test_answers_that_a_workbook_holds_as_formulas_are_texts(tmp_path: Path, items: list[Item]) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = tmp_path / "p.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "prediction", "hit"])
        for row, (answer, hit) in enumerate([("== B <b> & C", 0), ("= 2.5", 1)], start=1):
            sheet.write_row(row, 0, [f"q-{row}", answer])
            sheet.write_formula(row, 2, "=LEN(B2)", value=hit)
    assert texts(read_import(path, items)) == {"q-1": "== B <b> & C", "q-2": "= 2.5"}
    assert [row["hit"] for row in sheet_rows(path)] == ["0", "1"]


@pytest.mark.filterwarnings(NAMED)
def test_an_answer_that_fills_a_cell_of_excel_is_a_failure(tmp_path: Path, items: list[Item]) -> None:
    long = "It is B. " * 4000
    path = written(tmp_path / "p.csv", [{"id": "q-1", "prediction": long[:32_767]}, {"id": "q-2", "prediction": long}])
    found = read_import(path, items)
    assert texts(found) == {"q-2": long}
    (failure,) = (one for one in found.outcomes.values() if isinstance(one, Failure))
    assert failure.id == "q-1"
    assert "32,767 characters that a cell of Excel can hold" in failure.message


@pytest.mark.filterwarnings(NAMED)
def test_columns_without_a_name_may_be_several(tmp_path: Path, items: list[Item]) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,response,,\nq-1,A,,\n")
    assert texts(read_import(path, items)) == {"q-1": "A"}


@pytest.mark.filterwarnings(NAMED)
def test_other_true_answers_under_the_same_ids_are_said(tmp_path: Path, items: list[Item]) -> None:
    right = [{"id": item.id, "prediction": "A", "ground_truth": item.answer} for item in items]
    with warnings.catch_warnings(action="error", category=DataWarning):
        warnings.simplefilter("ignore", ColumnsTakenWarning)
        assert len(texts(read_import(written(tmp_path / "p.csv", right), items))) == 2
        half = [right[0], {**right[1], "ground_truth": "Z"}]
        assert len(texts(read_import(written(tmp_path / "p.csv", half), items))) == 2
    shifted = [{**row, "ground_truth": "Z"} for row in right]
    with pytest.warns(DataWarning, match="'ground_truth' isn't the benchmark's answer on 2 of 2 rows, so its ids may"):
        assert len(texts(read_import(written(tmp_path / "p.csv", shifted), items))) == 2


def test_an_error_message_is_a_failure_and_a_status_is_said_to_be_unread(tmp_path: Path, items: list[Item]) -> None:
    rows = [{"id": "q-1", "response": "A", "status": "error", "error_message": "timeout"}]
    with pytest.warns(ColumnsTakenWarning, match=r"failure from 'error_message'\. 'status' isn't read\."):
        found = read_import(written(tmp_path / "p.csv", rows), items)
    (one,) = found.outcomes.values()
    assert isinstance(one, Failure)
    assert one.message == "timeout"


def test_an_empty_cell_of_a_table_is_a_failure_and_an_empty_text_in_json_lines_is_an_answer(
    tmp_path: Path, items: list[Item]
) -> None:
    rows = [{"id": "q-1", "response": ""}, {"id": "q-2", "response": "B"}]
    for suffix in ("csv", "tsv"):
        found = read_import(written(tmp_path / f"p.{suffix}", rows), items)
        (failure,) = (one for one in found.outcomes.values() if isinstance(one, Failure))
        assert (failure.id, failure.message, texts(found)) == ("q-1", "the log holds no text", {"q-2": "B"})
    assert texts(read_import(written(tmp_path / "p.jsonl", rows), items)) == {"q-1": "", "q-2": "B"}


@pytest.mark.filterwarnings(NAMED)
def test_all_columns_of_failures_are_read(tmp_path: Path, items: list[Item]) -> None:
    rows = [
        {"id": "q-1", "response": "A", "error": "timeout", "failure": ""},
        {"id": "q-2", "response": "B", "error": "", "failure": "refused"},
    ]
    found = read_import(written(tmp_path / "p.csv", rows), items)
    assert [getattr(one, "message", None) for one in found.outcomes.values()] == ["timeout", "refused"]
    scored = tolman.score(pl.DataFrame(rows), tolman.load(items))
    assert scored.incomplete == 2


@pytest.mark.parametrize("word", ["None", "nan"])
def test_words_for_missing_values_are_doubted_where_there_are_many(
    tmp_path: Path, choice: Callable[..., Item], word: str
) -> None:
    numbered = [choice(id=f"q-{i}", question=f"Which is {i}?") for i in range(20)]
    rows = [{"id": one.id, "response": word if i % 2 else "A"} for i, one in enumerate(numbered)]
    with pytest.warns(DataWarning, match=f"10 responses are just '{word}'; where a call failed, leave the cell empty"):
        read_import(written(tmp_path / "p.csv", rows), numbered)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        read_import(written(tmp_path / "q.csv", rows[2:]), numbered)  # nine of them


def test_files_as_spreadsheets_and_scripts_write_them(tmp_path: Path, items: list[Item]) -> None:
    """A byte-order mark with semicolons, tabs in a .csv, values within objects, and OpenAI's batches."""
    semicolons = tmp_path / "semicolons.csv"
    semicolons.write_text('\ufeffid;response\r\nq-1;"A; as 2,5 m"\r\nq-2;B\r\n', encoding="utf-8")
    assert texts(read_import(semicolons, items)) == {"q-1": "A; as 2,5 m", "q-2": "B"}
    tabs = tmp_path / "tabs.csv"
    tabs.write_text("id\tresponse\nq-1\tA, I think\n")
    assert texts(read_import(tabs, items)) == {"q-1": "A, I think"}
    rows = [{"id": "q-1", "output": {"text": "A"}}, {"id": "q-2", "output": {"text": "B"}}]
    nested = tmp_path / "nested.json"
    nested.write_text(json.dumps({"meta": {"model": "m"}, "results": {"items": rows}}))
    with pytest.raises(InputError, match=r"none of its columns \(id, output\.text\) is known to hold responses"):
        read_import(nested, items)
    with pytest.warns(ColumnsTakenWarning, match=r"response is taken from 'output\.text'; id from 'id'\. Name"):
        assert texts(read_import(nested, items, columns={"response": "output.text"})) == {"q-1": "A", "q-2": "B"}
    reply = {"status_code": 200, "body": {"choices": [{"message": {"content": "B"}}]}}
    batch = written(tmp_path / "batch.jsonl", [{"custom_id": "q-2", "response": reply, "error": None}])
    with pytest.warns(ColumnsTakenWarning, match="'response.body.choices.0.message.content'; id from 'custom_id'"):
        assert texts(read_import(batch, items)) == {"q-2": "B"}


def test_a_workbook_is_read_sheet_by_sheet(tmp_path: Path, items: list[Item]) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = tmp_path / "answers.xlsx"
    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("About").write_row(0, 0, ["made", "by me"])
        sheet = book.add_worksheet("Answers")
        for row, cells in enumerate([["question_id", "model_output"], ["q-1", "A"], ["q-2", 2]]):
            sheet.write_row(row, 0, cells)
    with pytest.warns(ColumnsTakenWarning, match="from 'model_output'; id from 'question_id'"):
        found = read_import(path, items, columns={"response": "model_output"})
    assert texts(found) == {"q-1": "A", "q-2": "2"}


def test_two_answers_to_the_same_questions_in_one_file_are_refused(tmp_path: Path, items: list[Item]) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    same, other = ([{"id": "q-1", "prediction": text}, {"id": "q-2", "prediction": "B"}] for text in "AC")
    lists = tmp_path / "models.json"
    for models in ({"one": same, "two": other}, {"two": other, "one": same}):
        lists.write_text(json.dumps(models))
        with pytest.raises(InputError, match="answer the same questions in other words"):
            read_import(lists, items)
    lists.write_text(json.dumps({"rows": same, "shown again": same}))
    with pytest.warns(ColumnsTakenWarning):
        assert texts(read_import(lists, items)) == {"q-1": "A", "q-2": "B"}
    book = tmp_path / "models.xlsx"
    with xlsxwriter.Workbook(book) as written_book:
        for name, rows in (("one", same), ("two", other)):
            sheet = written_book.add_worksheet(name)
            for number, cells in enumerate([list(rows[0]), *(list(row.values()) for row in rows)]):
                sheet.write_row(number, 0, cells)
    with pytest.raises(InputError, match="'one' and 'two' answer the same questions"):
        read_import(book, items)


@pytest.mark.filterwarnings("error")
def test_a_folder_with_a_file_for_each_question_is_one_table(tmp_path: Path, items: list[Item]) -> None:
    for name, text in (("q-1", "A"), ("q-2", "B")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"id": name, "response": text}))
    assert texts(read_import(tmp_path, items)) == {"q-1": "A", "q-2": "B"}


@pytest.mark.parametrize(("given", "other"), [("7", "12"), ("7.0", "12.0")])
def test_ids_that_lost_their_zeros_are_found_and_said(
    tmp_path: Path, choice: Callable[..., Item], given: str, other: str
) -> None:
    numbered = [choice(id=name, question=f"Which is {name}?") for name in ("0007", "0012")]
    path = written(tmp_path / "p.csv", [{"id": given, "response": "A"}, {"id": other, "response": "B"}])
    with pytest.warns(DataWarning, match=f"ids lack the zeros that they begin with; '{given}' is taken for '0007'"):
        assert texts(read_import(path, numbered)) == {"0007": "A", "0012": "B"}
    path = written(tmp_path / "q.csv", [{"question_id": given, "model_output": "A", "question": "Which is 0007?"}])
    with pytest.warns(DataWarning, match="ids lack the zeros"), pytest.warns(ColumnsTakenWarning):
        assert texts(read_import(path, numbered)) == {"0007": "A"}
    both = [*numbered, choice(id="7", question="Which is 7?")]
    assert texts(read_import(written(tmp_path / "r.csv", [{"id": "7", "response": "C"}]), both)) == {"7": "C"}
