"""Scoring responses that are in a file: those of a subset, and logs of other programs."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from behind_logs import WRITERS
from tolman.benchmarks.vsi_bench import tiny_ids
from tolman.errors import InputError, RunConflictError, UsageError
from tolman.features.compare.config import ReconcileConfig
from tolman.features.compare.reconcile_runs import reconcile
from tolman.features.events import Event, Noted
from tolman.features.opened_folders import Run
from tolman.features.run.config import ScoreConfig
from tolman.features.run.score_responses import score

TINY = sorted(tiny_ids(), key=int)[:3]
OTHERS = ["0", "1", "2", "4"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    assert not set(OTHERS) & tiny_ids()
    rows = [
        {
            "id": int(key), "dataset": "scannet", "scene_name": f"s{key}", "question_type": "object_counting",
            "question": "How many?", "ground_truth": "3", "options": None,
        }
        for key in [*OTHERS, *TINY]
    ]  # fmt: skip
    (tmp_path / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def responses(data: Path, ids: list[str]) -> Path:
    path = data / "full.jsonl"
    path.write_text("".join(json.dumps({"id": key, "response": "3" if key in TINY else "9"}) + "\n" for key in ids))
    return path


def test_responses_to_all_questions_are_cut_to_the_subset(data: Path) -> None:
    said: list[Event] = []
    config = ScoreConfig(
        responses=(responses(data, [*OTHERS, *TINY]),), benchmark="vsi-bench", data=data, subset="tiny",
        out=data / "run",
    )  # fmt: skip
    run = score(config, said.append)
    assert [item.id for item in run.items()] == TINY
    assert run.scores.cells()["object_count"].value == 100
    assert Noted("4 responses are to questions outside the subset tiny and left out.") in said


def test_an_id_that_no_question_has_is_refused_all_the_same(data: Path) -> None:
    config = ScoreConfig(
        responses=(responses(data, [*TINY, "999999"]),), benchmark="vsi-bench", data=data, subset="tiny"
    )
    with pytest.raises(InputError, match="999999"):
        score(config)


def test_a_run_folder_is_not_scored_as_another_subset(data: Path) -> None:
    config = ScoreConfig(
        responses=(responses(data, [*OTHERS, *TINY]),), benchmark="vsi-bench", data=data, out=data / "run"
    )
    run = score(config)
    with pytest.raises(UsageError, match=r"is a run of the subset full; .*responses\.jsonl"):
        score(ScoreConfig(responses=(run.path,), subset="tiny"))


def test_failures_of_a_run_folder_are_counted_as_wrong(data: Path) -> None:
    config = ScoreConfig(responses=(responses(data, TINY),), benchmark="vsi-bench", data=data, out=data / "run")
    run = score(config)
    before = run.scores.cells()["object_count"].value
    run = score(ScoreConfig(responses=(run.path,), count_failures_as_wrong=True))
    found = run.scores.cells()["object_count"].value
    assert before == 100
    assert run.scores.cells()["object_count"].unanswered == len(OTHERS)
    assert found == pytest.approx(100 * len(TINY) / len([*OTHERS, *TINY]))
    assert score(ScoreConfig(responses=(run.path,))).scores.cells()["object_count"].value == found


@pytest.mark.parametrize("setting", [{}, {"name": "my-model"}, {"out": Path("o1")}])
def test_a_second_file_of_one_name_does_not_replace_the_first(
    data: Path, monkeypatch: pytest.MonkeyPatch, setting: dict[str, Any]
) -> None:
    monkeypatch.chdir(data)
    for folder, text in (("A", "3"), ("B", "9")):
        Path(folder).mkdir()
        lines = [json.dumps({"id": key, "response": text}) for key in OTHERS]
        Path(folder, "predictions.jsonl").write_text("\n".join(lines))

    def scored(file: str, **changes: Any) -> Path:
        fields = {"benchmark": "vsi-bench", "data": data, **setting, **changes}
        return score(ScoreConfig(responses=(Path(file),), **fields)).path

    run = scored("A/predictions.jsonl")
    kept = (run / "responses.jsonl").read_bytes()
    problem = r"holds the responses of \S+A.predictions.jsonl, another file; name this model with --name, or .* --out"
    with pytest.raises(RunConflictError, match=problem):
        scored("B/predictions.jsonl")
    assert (run / "responses.jsonl").read_bytes() == kept
    assert scored("B/predictions.jsonl", out=Path("o2")).name == "o2"
    Path("A/predictions.jsonl").write_text(Path("B/predictions.jsonl").read_text())  # it was corrected
    assert scored(str(data / "B" / ".." / "A" / "predictions.jsonl")) == run
    assert (run / "responses.jsonl").read_bytes() != kept
    score(ScoreConfig(responses=(run,)))
    with pytest.raises(RunConflictError, match="another file"):
        scored("B/predictions.jsonl")
    record = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**record, "places": {}}))  # as an earlier version left it
    assert scored("B/predictions.jsonl") == run


SAMPLES = "20261122_102642_samples_vsibench.jsonl"
RESULTS = "20261122_102642_results.json"
KIT = "vlmevalkit-e8e78f05"


@pytest.fixture
def logs(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with logs of two programs, and the questions behind them in `data`."""
    source = shared_data / "interchange"
    if not source.is_dir():
        pytest.skip(f"no logs of other programs at {source}")
    (tmp_path / "log").mkdir()
    for name in (SAMPLES, RESULTS):
        shutil.copy(source / "lmms-eval-0.7.3" / name, tmp_path / "log" / name)
    shutil.copytree(source / KIT, tmp_path / "kit")
    (tmp_path / "data").mkdir()
    WRITERS["vsi-bench"](source, tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def scored(log: str, **changes: Any) -> tuple[Run, list[str]]:
    said: list[Event] = []
    run = score(ScoreConfig(responses=(Path(log),), benchmark="vsi-bench", data=Path("data"), **changes), said.append)
    return run, [event.text for event in said if isinstance(event, Noted)]


def test_a_log_is_compared_with_the_scores_that_it_records(logs: Path) -> None:
    _, (sentence,) = scored("log")
    assert sentence == (
        "Scorer 'lmms-eval' gives 12 of 12 recorded scores, 'official' 11, 'careful' 10. The log's 'vsibench_overall' "
        "(0.01875) is Avg. 1.88 of 'lmms-eval' here. Differences: tolman reconcile "
        "runs/vsi-bench-full/made-up-vlm-direct log"
    )
    pytest.importorskip("fastexcel", reason="workbooks are read with the extra 'analyze'")
    _, (kit,) = scored("kit/made-up-vlm_VSI-Bench_32frame_extract_matching.xlsx", out=Path("of-kit"))
    assert kit.startswith("Scorer 'vlmevalkit' gives 12 of 12 recorded scores, ")
    assert "The log's 'overall' (12.2917) is Avg. 12.29 of 'vlmevalkit' here." in kit


def test_a_log_whose_scores_and_headline_are_others_is_said_to_differ(logs: Path) -> None:
    lines = [json.loads(line) for line in Path("log", SAMPLES).read_text().splitlines()]
    for name, metric in lines[0].items():
        if name.endswith(("_mra", "_accuracy", "_overall")):
            metric["MRA:.5:.95:.05"] = 0.9
    Path("log", SAMPLES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    results = json.loads(Path("log", RESULTS).read_text())
    results["results"]["vsibench"]["vsibench_overall,none"] = 0.5
    Path("log", RESULTS).write_text(json.dumps(results))
    _, (sentence,) = scored("log")
    assert "gives 11 of 12 recorded scores" in sentence
    assert "The log's 'vsibench_overall' (0.5) differs from Avg. " in sentence
    assert sentence.endswith("Differences: tolman reconcile runs/vsi-bench-full/made-up-vlm-direct log")


def test_a_log_as_a_file_and_as_a_folder_is_one_run_of_its_model(logs: Path) -> None:
    run, _ = scored("log")
    assert run.path == Path("runs/vsi-bench-full/made-up-vlm-direct")
    again, _ = scored(f"log/{SAMPLES}")
    assert (again.path, again.record.settings.model) == (run.path, "made-up-vlm")
    assert len(list(Path("runs/vsi-bench-full").iterdir())) == 1
    Path("log", RESULTS).unlink()  # now nothing says whose they are
    assert scored(f"log/{SAMPLES}")[0].record.settings.model == Path(SAMPLES).stem


def test_frames_are_those_of_the_log_or_unknown(logs: Path) -> None:
    assert scored("log")[0].record.settings.frames.count == 4
    results = json.loads(Path("log", RESULTS).read_text())
    results["config"]["model_args"] = "model=made-up-vlm"
    Path("log", RESULTS).write_text(json.dumps(results))
    run, _ = scored("log")  # frames don't make it another run
    frames = run.record.settings.frames
    assert (frames.known, frames.count, frames.describe()) == (False, None, "unknown frames")
    assert json.loads((run.path / "run.json").read_text())["settings"]["frames"]["known"] is False


def test_reconcile_takes_the_folder_that_score_takes(logs: Path) -> None:
    run, _ = scored("log")
    found = reconcile(ReconcileConfig(a=run.path, b=Path("log")))
    assert "B: scorer 'lmms-eval' gives 12 of 12 recorded scores." in found.remarks
    assert not any(text.startswith("Settings that differ") for text in found.remarks)
    lines = Path("log", SAMPLES).read_text().splitlines(keepends=True)
    for part, own in (("samples_one.jsonl", lines[:5]), ("samples_two.jsonl", lines[5:])):
        Path("log", part).write_text("".join(own))
    Path("log", SAMPLES).unlink()
    several = reconcile(ReconcileConfig(a=run.path, b=Path("log")))
    assert "B: scorer 'lmms-eval' gives 12 of 12 recorded scores." in several.remarks
