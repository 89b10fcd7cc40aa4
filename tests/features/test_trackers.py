"""Runs that are logged to experiment trackers: the entry, its privacy, and what happens where a tracker fails."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tolman
from runs.letters import bench, write_letters
from tolman.cli import app
from tolman.errors import MissingExtraError, UsageError
from tolman.features.events import Event, Noted
from tolman.features.report.trackers import TRACKERS, TrackedRun, check_trackers, log_runs, tracked_run
from tolman.responses import Failure, FailureKind, Outcome, Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_items import load

SECRET = "s3cret"
TEXTS = [*20 * "A", *5 * "B", "I cannot tell.", "I cannot tell."]
ADDRESS = f"http://ann:{SECRET}@127.0.0.1:9/v1"
needs_none = pytest.mark.skipif(find_spec("mlflow") is not None, reason="MLflow is installed")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of 30 questions, at an address with a password: 20 right, 5 wrong, 2 unread, 1 failed, 2 missing."""
    write_letters(tmp_path / "letters", 30, scene=str)
    outcomes: list[Outcome] = [Response(id=str(number), response=text) for number, text in enumerate(TEXTS)]
    outcomes.append(Failure(id=str(len(TEXTS)), kind=FailureKind.SERVER, message=f"{ADDRESS} answers 500"))
    settings: dict[str, Any] = {"base_url": ADDRESS, "body": {"key": SECRET}, "label": "step-100"}
    name = f"{tmp_path}/letters"
    score_outcomes(
        load(name, None, None),
        outcomes,
        benchmark=name,
        model="openai/m",
        model_settings=settings,
        out=tmp_path / "run",
    )
    return tmp_path / "run"


def test_an_entry_holds_settings_figures_with_intervals_counts_and_answers(run: Path, tmp_path: Path) -> None:
    entry = tracked_run(run, tmp_path)
    assert entry.name == "openai/m on letters"
    wanted = {"benchmark": "letters", "model": "openai/m", "model_settings.label": "step-100", "seed": 0}
    assert wanted.items() <= entry.settings.items()
    assert "3 of 30 answers missing" in entry.notes

    figures = json.loads((run / "scores.json").read_text())
    cell = figures["rule_sets"]["careful"]["cells"]["average"]
    for name in ("headline", "careful/average"):
        ends = [entry.metrics[f"letters/{name}{end}"] for end in ("", "_lo", "_hi", "_n")]
        assert ends == [cell["value"], cell["interval"]["low"], cell["interval"]["high"], 27]
    counts = {name: entry.metrics[f"letters/{name}"] for name in ("asked", "unread", "failed", "missing")}
    assert counts == {"asked": 30, "unread": 2, "failed": 1, "missing": 2}

    rows = entry.samples.to_dicts()
    assert [row["response"] for row in rows] == [*TEXTS, None]
    assert [row["careful"] for row in rows] == [*20 * [1], *7 * [0], None]
    page, scores = entry.files
    assert "Question 3?" in page.read_text()
    assert json.loads(scores.read_text())["rule_sets"] == figures["rule_sets"]


def test_addresses_passwords_and_request_fields_stay_here(run: Path, tmp_path: Path) -> None:
    assert SECRET in (run / "run.json").read_text()
    assert SECRET in (run / "responses.jsonl").read_text()
    entry = tracked_run(run, tmp_path)
    assert entry.samples["failure"][-1] == "server: http://…@127.0.0.1:9/v1 answers 500"
    told = [repr(entry.settings), entry.notes, entry.samples.write_json(), *(file.read_text() for file in entry.files)]
    assert not [text for text in told if SECRET in text]
    assert "base_url" not in "".join(told)


def test_a_run_keeps_its_id_and_a_broken_one_is_replaced(run: Path, tmp_path: Path) -> None:
    first = tracked_run(run, tmp_path).id
    assert tracked_run(run, tmp_path).id == first
    (run / "tracker_id.txt").write_text("x' OR '1'='1\n")
    assert tracked_run(run, tmp_path).id not in (first, "x' OR '1'='1")


@needs_none
def test_a_tracker_that_fails_is_a_warning(run: Path) -> None:
    said: list[Event] = []
    log_runs(["mlflow"], [run], said.append)
    again = f"'tolman report {run} --log mlflow' tries again"
    assert said[-1] == Noted(f"{run} isn't logged to mlflow: No module named 'mlflow'; {again}.", "warning")


def test_an_error_is_shown_without_its_password(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(entry: TrackedRun) -> str:
        raise OSError(f"can't reach {ADDRESS}\n" + 500 * "x")

    monkeypatch.setitem(TRACKERS, "mlflow", fail)
    said: list[Event] = []
    log_runs(["mlflow"], [run], said.append)
    text = said[-1].text if isinstance(said[-1], Noted) else ""
    assert "isn't logged to mlflow: can't reach http://…@127.0.0.1:9/v1 xxx" in text
    assert len(text.splitlines()) == 1
    assert len(text) < 400


@needs_none
def test_a_missing_package_is_named_before_the_first_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench(tmp_path / "letters", 3)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mlflow").mkdir()  # as W&B leaves one
    monkeypatch.syspath_prepend(tmp_path)
    typed = ["run", "./letters", "--model", "baseline/random", "--out", "run", "--log", "mlflow"]
    done = CliRunner().invoke(app, typed)
    assert isinstance(done.exception, MissingExtraError)
    assert str(done.exception) == "--log mlflow needs the package 'mlflow': pip install mlflow."
    assert not (tmp_path / "run").exists()
    with pytest.raises(UsageError, match="--log can't be 'mlfow'"):
        tolman.evaluate("./letters", "baseline/random", log="mlfow")


@pytest.fixture
def logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[TrackedRun]:
    """Entries that a tracker got, which is a package on the disk and notes them."""
    entries: list[TrackedRun] = []

    def note(entry: TrackedRun) -> str:
        entries.append(entry)
        return "here"

    (tmp_path / "packages/wandb").mkdir(parents=True)
    (tmp_path / "packages/wandb/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.setitem(TRACKERS, "wandb", note)
    monkeypatch.chdir(tmp_path)
    bench(tmp_path / "letters", 6)
    check_trackers(["wandb"])
    return entries


def test_runs_scores_and_reports_are_logged_under_one_id(logged: list[TrackedRun], tmp_path: Path) -> None:
    first = tolman.evaluate("./letters", "baseline/random", out="run", log="wandb", limit=4)
    tolman.evaluate("./letters", "baseline/random", out="run", log="wandb", limit=4)
    tolman.score(first.path, log="wandb")
    tolman.report(first, log="wandb")
    tolman.report(first, out=tmp_path / "site", log="wandb")
    assert [entry.metrics["letters/asked"] for entry in logged] == 5 * [4]
    assert len({entry.id for entry in logged}) == 1
    tolman.evaluate("./letters", "baseline/random", out="other", seed=1, log="wandb")
    assert logged[-1].id != logged[0].id


def test_each_run_of_a_suite_has_its_own_trackers(logged: list[TrackedRun], tmp_path: Path) -> None:
    Path("suite.toml").write_text(
        'benchmark = ["./letters"]\nout = "out"\n[[model]]\nmodel = "baseline/random"\nlog = ["wandb"]\n'
        '[[model]]\nmodel = "baseline/best-constant"\n'
    )
    done = CliRunner().invoke(app, ["run", "suite.toml"])
    assert done.exit_code == 0, done.output
    assert [entry.name for entry in logged] == ["baseline/random on letters"]
