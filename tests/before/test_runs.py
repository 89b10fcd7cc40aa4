"""Run folders and a response store of the version before: reported, scored again, gone on with; nothing asked twice.

Nobody listens at the address of the runs with a model, so an answer that isn't found is a failure here.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from before.actors import FIXTURES
from before.holding import holds
from before.plans import CHOSEN, ENDPOINT, VOTES, answers
from terminal import tolman

ALL = (*CHOSEN, "endpoint", "votes")
COMMANDS = {"endpoint": ENDPOINT, "votes": VOTES}


def figures(run: Path) -> dict[str, Any]:
    """What scores.json holds."""
    found: dict[str, Any] = json.loads((run / "scores.json").read_text(encoding="utf-8"))
    return found


def outcomes(run: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Item and repeat → its line."""
    lines = [json.loads(line) for line in (run / "responses.jsonl").read_text(encoding="utf-8").splitlines()]
    return {(line["id"], line.get("repeat", 0)): line for line in lines}


def test_run_folders_are_reported(place: Path) -> None:
    for form in ("json", "html"):
        done = tolman(place, "report", "runs/mixed", "runs/endpoint", "--format", form, "--out", f"report.{form}")
        assert done.returncode == 0, done.stderr
        told = (place / f"report.{form}").read_text(encoding="utf-8")
        assert "openai/clerk" in told
        assert "scripted/mixed.jsonl" in told


def test_run_folders_are_compared(place: Path) -> None:
    done = tolman(place, "compare", "runs/mixed", "runs/endpoint", "--json")
    assert done.returncode == 0, done.stderr
    assert "openai/clerk" in done.stdout


@pytest.mark.parametrize("name", ALL)
def test_a_run_folder_scored_again_has_the_same_figures(place: Path, name: str) -> None:
    run = place / "scored" / name
    shutil.copytree(place / "runs" / name, run)
    tables = ("scores.json", "scores.parquet")
    for table in tables:
        (run / table).unlink()
    done = tolman(place, "score", f"scored/{name}", "--json")
    assert done.returncode in (0, 1), done.stderr
    before = FIXTURES / "runs" / name
    assert holds(figures(before), figures(run)) == []
    old = pl.read_parquet(before / "scores.parquet")
    assert_frame_equal(pl.read_parquet(run / "scores.parquet").select(old.columns), old)


@pytest.mark.parametrize("name", ["paper", "mmsi"])
def test_responses_alone_get_the_same_figures(place: Path, name: str) -> None:
    done = tolman(
        place, "score", f"runs/{name}/responses.jsonl", "--benchmark", f"./benchmarks/{name}", "--out", f"alone/{name}",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr  # one answer is missing
    old, new = figures(FIXTURES / "runs" / name)["rule_sets"], figures(place / "alone" / name)["rule_sets"]
    assert holds(old, new) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_stored_answer_is_found_by_a_new_run(place: Path, name: str) -> None:
    command = [part if part != f"runs/{name}" else f"stored/{name}" for part in COMMANDS[name]]
    done = tolman(place, *command, "--json")
    assert done.returncode in (0, 1), done.stderr
    old, new = outcomes(FIXTURES / "runs" / name), outcomes(place / "stored" / name)
    assert set(new) == set(old)
    answered = {key for key, line in old.items() if "response" in line}
    assert answered
    for key in answered:
        assert holds(old[key], new[key], str(key)) == []
    assert {key for key, line in new.items() if "failure" in line} == set(old) - answered
    assert holds(figures(FIXTURES / "runs" / name)["rule_sets"], figures(place / "stored" / name)["rule_sets"]) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_run_goes_on_and_asks_nothing_twice(place: Path, name: str, tmp_path: Path) -> None:
    """With the answers in its own folder, and no store to find them in."""
    command = [part if part != "store/responses.sqlite" else str(tmp_path / "empty.sqlite") for part in COMMANDS[name]]
    if "--judge" in command:  # its replies are taken from the store only
        command = command[: command.index("--judge")]
    done = tolman(place, *command, "--json")
    assert done.returncode in (0, 1), done.stderr
    old, new = outcomes(FIXTURES / "runs" / name), outcomes(place / "runs" / name)
    assert {k: v for k, v in new.items() if "response" in v} == {k: v for k, v in old.items() if "response" in v}
    assert set(new) == set(old)


def test_judgements_are_kept_by_scoring_again(place: Path) -> None:
    shutil.copytree(FIXTURES / "runs" / "endpoint", place / "judged")
    done = tolman(place, "score", "judged", "--json")
    assert done.returncode in (0, 1), done.stderr
    old, new = figures(FIXTURES / "runs" / "endpoint"), figures(place / "judged")
    assert "judged" in old["rule_sets"]
    assert holds(old["judge"], new["judge"]) == []
    assert holds(old["rule_sets"]["judged"], new["rule_sets"]["judged"]) == []


def test_the_store_is_counted_and_exported(place: Path, tmp_path: Path) -> None:
    shutil.copy(place / "store" / "responses.sqlite", tmp_path / "store.sqlite")
    shown = tolman(tmp_path, "store", "show", "--store", "store.sqlite", "--json")
    assert shown.returncode == 0, shown.stderr
    assert {"openai/clerk", "openai/crowd", "openai/judge"} <= set(shown.stdout.replace('"', " ").split())
    exported = tolman(tmp_path, "store", "export", "all.jsonl", "--store", "store.sqlite")
    assert exported.returncode == 0, exported.stderr
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    turns = [turn["response"] for run in ("endpoint", "votes") for line in outcomes(FIXTURES / "runs" / run).values() for turn in line.get("turns", ())]  # fmt: skip
    assert len(rows) >= len(set(turns)) > 0


def test_runs_are_found_by_analyses(place: Path) -> None:
    done = tolman(place, "analyze", "diversity", "runs/mixed", "--json")
    assert done.returncode == 0, done.stderr
    assert answers(FIXTURES / "runs")["mixed"]
