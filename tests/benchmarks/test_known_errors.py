"""The list of known errors: each entry against the released files, and the commands that leave its items out."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from rich.console import Console

import tolman
from conftest import Released
from tolman import benchmarks
from tolman.benchmarks.known_errors import ErrorReport, error_list, known_errors_of, reports_on
from tolman.errors import UsageError
from tolman.features.catalogue.render import show_benchmark
from tolman.features.compare.compute import compare
from tolman.features.compare.config import CompareConfig
from tolman.features.opened_folders import Run
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig
from tolman.features.run.config import ScoreConfig
from tolman.features.run.score_responses import score
from tolman.items import Item, KnownErrors, Selection
from tolman.reports.loaded_runs import load_runs
from tolman.reports.report_content import notes_of, warnings_of

VSI = {item.id: item for one in reports_on("vsi-bench") for item in one.items}
KNOWN = ("known-errors",)


def test_every_entry_names_a_benchmark_and_each_item_once() -> None:
    entries = [(one.benchmark, item.id) for one in error_list().reports for item in one.items]
    assert len(set(entries)) == len(entries)
    assert {one.benchmark for one in error_list().reports} <= set(benchmarks.names())
    assert all(item.answer != item.instead for one in error_list().reports for item in one.items)


def test_an_entry_needs_a_public_source() -> None:
    fields: dict[str, Any] = {"benchmark": "b", "kind": "report", "how": "h", "items": ({"id": "1", "answer": "2"},)}
    assert ErrorReport(**fields, source="https://example.org/1").items[0].instead == ""
    for wrong in ({"source": "a friend"}, {"source": "https://example.org", "items": ()}, {}):
        with pytest.raises(ValidationError):
            ErrorReport(**{**fields, **wrong})


def test_answers_are_those_that_were_released(released: Released) -> None:
    by_id = {item.id: item for item in released("vsi-bench", "full")}
    assert {identity: by_id[identity].answer for identity in VSI} == {key: one.answer for key, one in VSI.items()}
    selection = Selection(known_errors=known_errors_of("vsi-bench"))
    assert len(selection.apply(list(by_id.values()))) == 5130 - len(VSI)


def test_contradictions_are_in_the_released_annotation(released: Released, shared_data: Path) -> None:
    by_id = {item.id: item for item in released("vsi-bench", "full")}
    scenes: dict[str, Any] = {}
    for path in (shared_data / "vsi-bench" / "meta_info").glob("*_meta_info_val.json"):
        scenes |= json.loads(path.read_text())
    listed = [item for one in reports_on("vsi-bench") if one.kind == "contradiction" for item in one.items]
    assert len(listed) == 7
    for one in listed:
        item = by_id[one.id]
        scene = scenes[(item.scene or "").rpartition("/")[2]]
        asked = re.search(r"How many (.+)\(s\)", item.question)
        assert asked is not None
        found = {str(scene["object_counts"][asked[1]]), str(len(scene["object_bbox"][asked[1]]))}
        assert found - {one.answer} == {one.instead}, one.id


def test_an_answer_that_was_corrected_is_kept() -> None:
    known = KnownErrors(version=1, answers={"1": "5"})
    items = [_item("1", "5"), _item("1", "2"), _item("2", "5")]
    assert [known.has(item) for item in items] == [True, False, False]
    selection = Selection(known_errors=known)
    assert selection.apply([items[0], items[2]]) == [items[2]]
    assert selection.apply(items[1:]) == items[1:]
    assert (selection.count_errors(items), Selection().count_errors(items)) == (1, None)
    assert not selection.is_all
    assert selection.describe() == "--exclude known-errors (version 1)"
    assert Selection(known_errors=KnownErrors(version=1, answers={})).is_all
    assert Selection.model_validate_json(selection.model_dump_json()) == selection


def _item(identity: str, answer: str) -> Item:
    fields = {"id": identity, "question": "How many?", "kind": "number", "answer": answer, "unit": "count", "task": "t"}
    return Item.model_validate(fields)


IDS = ["80", "98", "0", "1"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two items with known wrong answers, one of them corrected, and two others."""
    answers = {"80": VSI["80"].answer, "98": VSI["98"].instead, "0": "4", "1": "4"}
    rows = [
        {
            "id": int(key), "dataset": "scannet", "scene_name": f"s{key}", "question_type": "object_counting",
            "question": "How many?", "ground_truth": answers[key], "options": None,
        }
        for key in IDS
    ]  # fmt: skip
    (tmp_path / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def asked(data: Path, name: str, **settings: Any) -> Run:
    def four(messages: Any) -> str:
        return "4"

    options = {"data": data, "protocol": "blind", "name": f"python/{name}", **settings}
    return tolman.evaluate("vsi-bench", four, out=data / name, **options)


def test_a_run_leaves_them_out_and_says_so(data: Path) -> None:
    run = asked(data, "run", exclude=KNOWN)
    assert [item.id for item in run.items()] == ["98", "0", "1"]
    (loaded,) = load_runs([run.path])
    assert loaded.record.known_errors == 1
    assert loaded.record.settings.selection.known_errors == known_errors_of("vsi-bench")
    (part,) = [text for text in warnings_of([loaded], benchmarks.get("vsi-bench")) if "known-errors" in text]
    assert part.endswith("3 of 4 items (--exclude known-errors (version 2)). Published figures include all items.")
    assert any(
        note.endswith("without known errors (list of version 2), 1 item of the subset.") for note in notes_of(loaded)
    )
    assert not any(row.group == "model" and row.ranked for row in report(ReportConfig(runs=(run.path,))).report.rows)
    both = asked(data, "both", exclude=("0", "known-errors"))
    assert [item.id for item in both.items()] == ["98", "1"]
    assert both.scores.to_dict()["settings"]["selection"]["exclude"] == ["0"]


def test_a_run_on_all_items_says_that_errors_count(data: Path) -> None:
    (loaded,) = load_runs([asked(data, "run").path])
    assert loaded.record.known_errors is None
    (note,) = [text for text in notes_of(loaded) if "known errors" in text]
    assert note.endswith(
        "with known errors. 13 items of this benchmark have a wrong answer by the list of version 2; "
        "--exclude known-errors leaves them out."
    )


def test_responses_and_runs_are_scored_without_them(data: Path) -> None:
    whole = asked(data, "whole")
    before = {path.name: path.read_bytes() for path in whole.path.iterdir() if path.is_file()}
    part = score(ScoreConfig(responses=(whole.path,), exclude=KNOWN, out=data / "part"))
    assert {path.name: path.read_bytes() for path in whole.path.iterdir() if path.is_file()} == before
    same = asked(data, "same", exclude=KNOWN)
    assert part.scores == same.scores
    assert [item.id for item in part.items()] == ["98", "0", "1"]
    assert load_runs([part.path])[0].record.known_errors == 1
    file = data / "answers.jsonl"
    file.write_text("".join(json.dumps({"id": key, "response": "4"}) + "\n" for key in IDS))
    read = score(ScoreConfig(responses=(file,), benchmark="vsi-bench", data=data, exclude=KNOWN, out=data / "read"))
    assert read.scores == same.scores
    file.write_text(json.dumps({"id": "80", "response": "4"}) + "\n")
    with pytest.raises(UsageError, match="no response is left without the questions of --exclude known-errors"):
        score(ScoreConfig(responses=(file,), benchmark="vsi-bench", data=data, exclude=KNOWN, out=data / "none"))
    with pytest.raises(UsageError, match="holds the answers to all items; name another folder with --out"):
        score(ScoreConfig(responses=(whole.path,), exclude=KNOWN, out=whole.path))


def test_questions_in_another_form_are_no_entries_of_the_list(data: Path) -> None:
    run = asked(data, "run")
    record = json.loads((run.path / "run.json").read_text())
    record["settings"]["protocol"] = "direct+circular"
    (run.path / "run.json").write_text(json.dumps(record))
    with pytest.raises(UsageError, match="changed the questions, which known errors are named for as released"):
        score(ScoreConfig(responses=(run.path,), exclude=KNOWN, out=data / "part"))


def test_a_comparison_leaves_them_out(data: Path) -> None:
    one, other = asked(data, "one"), asked(data, "other")
    whole = compare(CompareConfig(a=one.path, b=(other.path,)))
    part = compare(CompareConfig(a=one.path, b=(other.path,), exclude=KNOWN, out=data / "page.html"))
    counts = [found.comparisons[0].differences["object_count"].n for found in (whole, part)]
    assert counts == [4, 3]
    assert whole.warnings == part.warnings[: len(whole.warnings)]
    assert "PART: 1 item is left out (--exclude known-errors (version 2))." in part.warnings
    assert "1 item is left out" in (data / "page.html").read_text()


def test_the_items_are_listed_with_their_sources() -> None:
    console = Console(file=io.StringIO(), width=400)
    show_benchmark(console, benchmarks.get("vsi-bench"), as_json=False)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Known errors, version 2" in shown
    assert "80: 5, source 2; 2565: 12, source 10" in shown
    assert "https://github.com/vision-x-nyu/thinking-in-space/issues/40" in shown


@pytest.mark.parametrize(("name", "end"), [("known-erors", "; did you mean 'known-errors'?"), ("zzz", "of the list.")])
def test_a_misspelt_list_is_named(name: str, end: str) -> None:
    item = Item(id="1", task="t", question="?", kind="number", answer="1")
    with pytest.raises(UsageError) as raised:
        Selection(exclude=(name,)).apply([item])
    assert str(raised.value).endswith(end)
