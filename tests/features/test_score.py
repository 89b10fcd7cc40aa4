"""Scoring responses to all questions of a benchmark as a subset of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tolman.benchmarks.vsi_bench import tiny_ids
from tolman.errors import InputError, RunConflictError, UsageError
from tolman.features.events import Event, Noted
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
