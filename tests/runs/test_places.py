"""Runs that are opened from elsewhere, and where they are put."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tolman
from tolman.cli import app
from tolman.runs.places import default_folder
from tolman.runs.run_folder import RunFolder, RunSettings

ANSWERS: dict[str, Any] = {"model": "baseline/random", "protocol": "blind"}


def questions(count: int = 8) -> list[dict[str, Any]]:
    return [
        {"id": f"q{i}", "task": "t", "kind": "choice", "question": "Which?", "options": ("a", "b"), "answer": "A",
         "scene": f"s{i}"}
        for i in range(count)
    ]  # fmt: skip


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a benchmark and a run of it, made in that folder with relative paths; the test is elsewhere."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    tolman.load(questions()).save("bench")
    tolman.evaluate("./bench", **ANSWERS)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return place


RUN = "runs/bench-all/baseline-random-blind"


def test_a_run_is_reported_from_anywhere(work: Path) -> None:
    run = tolman.open_run(work / RUN)
    assert run.record.settings.benchmark == str(work / "bench")
    assert run.scores.title == "items"
    assert len(tolman.report([work / RUN]).runs) == 1
    assert tolman.score(work / RUN).title == "items"


def test_a_run_and_its_benchmark_are_moved_together(work: Path) -> None:
    shutil.copytree(work, work.with_name("copy"))
    assert tolman.open_run(work.with_name("copy") / RUN).record.settings.benchmark == str(
        work.with_name("copy") / "bench"
    )
    work.rename(work.with_name("moved"))
    assert len(tolman.report([work.with_name("moved") / RUN]).runs) == 1


def test_a_config_next_to_a_run_repeats_it_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its benchmark, model, ids and output are those of the folder in which it was written, also when that has moved."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    tolman.load(questions()).save("bench")
    Path("mine.py").write_text("def answer(item):\n    return 'A'\n")
    Path("ids.txt").write_text("q1\nq2\n")
    done = CliRunner().invoke(
        app, ["run", "./bench", "--model", "python/mine.py:answer", "--ids", "ids.txt", "--protocol", "blind", "--out", "r"]
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    shutil.copytree(place, tmp_path / "copy")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for folder in ("work", "copy"):
        again = CliRunner().invoke(app, ["run", "--config", f"../{folder}/r/tolman.toml"])
        assert again.exit_code == 0, again.output
        assert f"Every item: ../{folder}/r/report.html" in again.output
    # What is given on the command line is meant from here.
    assert CliRunner().invoke(app, ["run", "--config", "../work/r/tolman.toml", "--out", "s"]).exit_code == 0
    assert [path.name for path in Path().iterdir()] == ["s"]
    assert len(Path("s/responses.jsonl").read_text().splitlines()) == 2


def test_another_benchmark_of_that_name_is_not_taken_for_it(work: Path) -> None:
    tolman.load(questions(3)).save("bench")
    assert tolman.open_run(work / RUN).record.settings.benchmark == str(work / "bench")


def test_a_run_goes_on_from_elsewhere(work: Path) -> None:
    again = tolman.evaluate(work / "bench", **ANSWERS, out=work / RUN)
    assert again.record.settings.benchmark == str(work / "bench")
    assert len(list((work / "runs").glob("*/*/run.json"))) == 1


def test_runs_of_earlier_versions_open(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = work / RUN / "run.json"
    record = json.loads(file.read_text())
    del record["places"]
    file.write_text(json.dumps(record))
    monkeypatch.chdir(work)
    assert tolman.open_run(RUN).record.settings.benchmark == "./bench"
    assert len(tolman.report(RUN).runs) == 1


def test_scenes_of_settings_are_found_too(work: Path) -> None:
    (work / "scenes").mkdir()
    folder = RunFolder(work / RUN)
    record = folder.record()
    settings = record.settings.model_copy(update={"model_settings": {"scenes": str(work / "scenes")}})
    folder.write_record(record.model_copy(update={"settings": settings}))
    work.rename(work.with_name("moved"))
    moved = RunFolder(work.with_name("moved") / RUN).record()
    assert moved.settings.model_settings["scenes"] == str(work.with_name("moved") / "scenes")


@pytest.mark.parametrize("named", ["{}/data/bench", "../data/bench", "../data/bench/"])
def test_a_default_folder_is_below_the_working_directory(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tolman.load(questions()).save(tmp_path / "data" / "bench")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    run = tolman.evaluate(named.format(tmp_path), **ANSWERS)
    assert run.path == Path("runs/bench-all/baseline-random-blind")
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["bench"]


def test_a_run_that_an_earlier_version_put_beside_the_data_goes_on_there(tmp_path: Path) -> None:
    settings = RunSettings(
        benchmark=str(tmp_path / "bench"), subset="all", data_hash="x", model="m/a", protocol="direct", preset="plain"
    )
    assert default_folder(settings) == Path("runs/bench-all/m-a-direct")
    earlier = tmp_path / "bench-all" / "m-a-direct"
    earlier.mkdir(parents=True)
    (earlier / "run.json").write_text("{}")
    assert default_folder(settings) == earlier
    near = settings.model_copy(update={"benchmark": "benches/one"})
    assert default_folder(near) == Path("runs/benches/one-all/m-a-direct")
