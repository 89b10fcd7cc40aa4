"""How rows of logs find their items, and what of a row becomes an outcome; `test_fixtures` has every file and its figure."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from behind_logs import LMMS
from tolman.errors import InputError
from tolman.items import Item
from tolman.responses import Failure, Response
from tolman.runs.imports import read_import
from tolman.runs.logs.join import join, target_agrees
from tolman.runs.logs.log import Log, LogRow, read_logs


def opened(path: Path) -> Log:
    if path.suffix == ".xlsx":
        pytest.importorskip("fastexcel")
    (log,) = read_logs(path)
    return log


def test_equal_questions_about_other_pictures_are_told_apart(
    interchange: Path, items_of: Callable[..., list[Item]]
) -> None:
    pairs = join(opened(interchange / f"{LMMS}site_bench_image.jsonl"), items_of("site", "image")).pairs
    (first, one), (second, other) = pairs[0], pairs[6]
    assert first.prompt == second.prompt
    assert (one.id, other.id) == ("image-0", "image-6")


def test_reasoning_that_was_cut_is_kept_apart(interchange: Path, items_of: Callable[..., list[Item]]) -> None:
    outcomes = list(read_import(interchange / f"{LMMS}vsibench.jsonl", items_of("vsi-bench")).outcomes.values())
    ids = [0, 1, 167, 530, 680, 957, 1100, 1236, 1334, 1335, 2713, 4959]
    assert [outcome.id for outcome in outcomes] == [str(one) for one in ids]
    third = outcomes[2]
    assert isinstance(third, Response)
    assert third.reasoning
    assert "<think>" not in third.response
    assert third.usage.output_tokens > 0


def test_a_log_tells_task_model_order_and_frames(interchange: Path) -> None:
    log = opened(interchange / f"{LMMS}embspatial.jsonl")
    assert (log.task, log.model) == ("embspatial", "made-up-vlm")
    assert [row.order for row in log.rows] == list(range(5))
    assert all(row.id and row.response and row.prompt and row.target and row.frames == 4 for row in log.rows)


def test_easis_archive_gives_the_benchmarks_own_tasks(interchange: Path, items_of: Callable[..., list[Item]]) -> None:
    path = interchange / "easi/from-lmms-eval/easi_results.zip"
    logs = read_logs(path)
    assert len(logs) == 24
    assert all(log.path == path for log in logs)
    items = items_of("site")
    imported = read_import(path, items)
    assert (imported.program, imported.by) == ("lmms-eval", "prompt")
    assert sorted(outcome.id for outcome in imported.outcomes.values()) == sorted(item.id for item in items)


def test_easis_figures_have_no_rows(interchange: Path, items_of: Callable[..., list[Item]]) -> None:
    path = interchange / "easi/from-vlmevalkit/easi_results.json"
    (log,) = read_logs(path)
    assert log.model == "made-up-org/made-up-vlm"
    assert log.figures["vsi_bench"] == 12.2917
    assert log.figures["mmsi_bench/motion_obj_accuracy"] == 100.0
    with pytest.raises(InputError, match="holds no rows of responses; give the log with the responses"):
        read_import(path, items_of("vsi-bench"))


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_inspects_logs(interchange: Path, suffix: str) -> None:
    (path,) = [found for found in (interchange / "inspect").glob(f"*{suffix}") if "tiny-mc" in found.name]
    (log,) = read_logs(path)
    assert (log.program, log.version, log.task, log.model) == ("inspect", "0.3.285", "tiny_mc", "mockllm/model")
    assert log.figures["choice/accuracy"] == pytest.approx(2 / 3)
    assert log.figures["choice/stderr"] == pytest.approx(1 / 6)
    assert [row.id for row in log.rows] == [f"mc-{number}" for number in range(6)]
    first = log.rows[0]
    assert (first.response, first.prediction, first.target, first.scene) == ("ANSWER: A", "A", "A", "scene0")
    assert first.prompt is not None
    assert first.prompt.startswith("Made-up question 0: where is the red box")
    assert sum(row.score or 0 for row in log.rows) / 6 == pytest.approx(2 / 3)
    items = [
        Item(id=f"q{n}", question=text, kind="choice", options=options, answer=row.target or "", task="t")
        for n, row in enumerate(log.rows)
        for text, *options in [(row.prompt or "").split("\n")]
    ]
    without = replace(log, rows=tuple(replace(row, id=None) for row in log.rows))
    assert [item.id for _, item in join(without, items).pairs] == [f"q{n}" for n in range(6)]


def test_shuffled_choices_in_inspects_log_are_refused(tmp_path: Path, choice: Callable[..., Item]) -> None:
    item = choice(id="3", question="Where is it?", options=("left", "right", "above", "below"), answer="A")
    path = tmp_path / "log.json"

    def write(options: list[str], target: str) -> Path:
        sample = {"id": "3", "input": "Where is it?", "choices": options, "target": target}
        sample["output"] = {"completion": f"ANSWER: {target}"}
        path.write_text(json.dumps({"version": 2, "status": "success", "eval": {"task": "t"}, "samples": [sample]}))
        return path

    (outcome,) = read_import(write(["left", "right", "above", "below"], "A"), [item]).outcomes.values()
    assert isinstance(outcome, Response)
    for options, problem in (
        (["right", "left", "above", "below"], "are in another order than"),
        (["right", "left", "near", "far"], "aren't"),
    ):
        with pytest.raises(
            InputError, match=rf"row 3, field 'options': its options \(.*\) {problem} those of item '3'"
        ):
            read_import(write(options, "B"), [item])


FAILED = ["", "  ", "Failed to obtain answer via API. 429", "[LMMS_EVAL_REQUEST_FAILED after 5 retries] 5 errors"]


@pytest.mark.parametrize("text", FAILED)
def test_failed_calls_are_no_answers(tmp_path: Path, choice: Callable[..., Item], text: str) -> None:
    item = choice(id="3", question="Which is it?")
    path = tmp_path / "20260101_000000_samples_x.jsonl"
    path.write_text(json.dumps({"doc_id": 0, "target": item.answer, "filtered_resps": text, "m": {"id": 3}}))
    (outcome,) = read_import(path, [item]).outcomes.values()
    assert isinstance(outcome, Failure)
    sheet = tmp_path / "m_x.tsv"
    pl.DataFrame([{"index": 3, "question": item.question, "prediction": text}]).write_csv(sheet, separator="\t")
    (outcome,) = read_import(sheet, [item]).outcomes.values()
    assert isinstance(outcome, Failure)


def test_an_error_in_inspects_log_is_a_failure(tmp_path: Path, choice: Callable[..., Item]) -> None:
    item = choice(id="3", question="Which is it?")
    sample = {"id": "3", "epoch": 1, "input": "Which is it?", "target": "A", "error": {"message": "connection lost"}}
    log = {"version": 2, "status": "error", "eval": {"task": "t", "model": "m"}, "samples": [sample]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    (outcome,) = read_import(path, [item]).outcomes.values()
    assert isinstance(outcome, Failure)
    assert outcome.message == "the log records an error: connection lost"


def rows_of(*rows: LogRow) -> Log:
    return Log(path=Path("log.jsonl"), program="lmms-eval", rows=rows)


def test_rows_that_cannot_be_joined_are_one_sentence(choice: Callable[..., Item]) -> None:
    items = [choice(id=str(n), question="How many chairs are there?", answer="A") for n in (3, 4)]
    prompt = "\n".join(["How many chairs are there?", *items[0].lettered_options])
    with pytest.raises(InputError, match=r"row 1, field 'input': its question and answer are those of several items"):
        join(rows_of(LogRow(place=1, prompt=prompt, target="A", response="A")), items)
    with pytest.raises(InputError, match=r"row 1, field 'target': its answer 'B' isn't the benchmark's 'A'"):
        join(rows_of(LogRow(place=1, prompt=prompt, target="B", order=0, response="A")), items)
    rows = [LogRow(place=n + 1, target="A", order=2 * n, response="A") for n in (0, 1)]
    with pytest.raises(InputError, match=r"row 2, field 'order': is row 2 of the split, counted from 0"):
        join(rows_of(*rows), items)
    with pytest.raises(InputError, match=r"row 1, field 'input': its question is none of the benchmark's"):
        join(rows_of(LogRow(place=1, prompt="Something else altogether?", response="A")), items)


def test_scenes_tell_equal_questions_apart(choice: Callable[..., Item]) -> None:
    items = [
        choice(id=scene, question="How many chairs are there?", answer="A", scene=f"scannet/{scene}")
        for scene in ("scene0001_00", "scene0002_00")
    ]
    prompt = "\n".join(["How many chairs are there?", *items[0].options])
    log = rows_of(LogRow(place=1, prompt=prompt, scene="scannet/scene0002_00.mp4", response="A"))
    assert [item.id for _, item in join(log, items).pairs] == ["scene0002_00"]


@pytest.mark.parametrize(
    ("kind", "answer", "told", "agrees"),
    [
        ("choice", "B", "(B)", True),
        ("choice", "B", "B. table", True),
        ("choice", "B", "table", True),
        ("choice", "B", "1", True),
        ("choice", "B", "0", False),
        ("choice", "B", "A", False),
        ("number", "2.9", "2.90", True),
        ("number", "2.9", "3", False),
        ("number", "2.9", "many", False),
    ],
)
def test_true_answers_in_other_programs_spellings(kind: str, answer: str, told: str, agrees: bool) -> None:
    options = ("chair", "table", "sofa") if kind == "choice" else ()
    item = Item(id="1", question="?", kind=kind, options=options, answer=answer, task="t")
    assert target_agrees(LogRow(place=1, target=told), item) is agrees
