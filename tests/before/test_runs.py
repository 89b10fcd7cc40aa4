"""Run folders and a response store of the version before: reported, scored again, gone on with; nothing asked twice.

At the address of the models there is a server that remembers what it was asked.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from before.actors import FIXTURES, Reply, model, text_of, unpack
from before.holding import holds
from before.plans import CHOSEN, COMPARE, ENDPOINT, PORT, VOTES
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
    tolman(place, "report", "runs/mixed", "runs/endpoint", "--out", "report.html", code=0)
    told = (place / "report.html").read_text(encoding="utf-8")
    assert "openai/clerk" in told
    assert "scripted/mixed.jsonl" in told


def test_run_folders_are_compared(place: Path, expected: dict[str, Any]) -> None:
    done = tolman(place, *COMPARE, code=0)
    assert holds(expected["compared"], json.loads(done.stdout)) == []


def counts_samples(name: str, found: str) -> bool:
    """Whether a difference is the one that is meant: each question was asked twice, and counts once now."""
    count = re.search(r"/cells/\w+/n was (\d+) and is (\d+)\Z", found)
    return name == "votes" and count is not None and int(count[1]) == 2 * int(count[2])


@pytest.mark.parametrize("name", ALL)
def test_a_run_folder_scored_again_has_the_same_figures(place: Path, name: str) -> None:
    run = place / "scored" / name
    shutil.copytree(place / "runs" / name, run)
    for table in ("scores.json", "scores.parquet"):
        (run / table).unlink()
    done = tolman(place, "score", f"scored/{name}", "--json")
    assert done.returncode in (0, 1), done.stderr
    before = FIXTURES / "runs" / name
    assert [found for found in holds(figures(before), figures(run)) if not counts_samples(name, found)] == []
    assert ("judged" in figures(before)["rule_sets"]) == (name == "endpoint")
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


def said(body: dict[str, Any]) -> Reply:
    """What the model says to whatever is asked of it now."""
    return 200, "A", "stop"


@pytest.mark.full
@pytest.mark.parametrize(("name", "folder"), [("endpoint", "runs"), ("endpoint", "elsewhere"), ("votes", "elsewhere")])
def test_the_same_command_asks_only_what_failed(tmp_path: Path, name: str, folder: str) -> None:
    """In the run's own folder and in a new one; answers and judgements come out of the store."""
    place = unpack(tmp_path / "fixtures")
    command = [part if part != f"runs/{name}" else f"{folder}/{name}" for part in COMMANDS[name]]
    before = FIXTURES / "runs" / name
    old = outcomes(before)
    failed = {identity for identity, repeat in old if "failure" in old[identity, repeat]}
    items = {row["id"]: row["question"] for row in pl.read_parquet(before / "items.parquet").to_dicts()}
    with model(said, PORT) as asked:
        done = tolman(place, *command, "--json")
    assert done.returncode in (0, 1), done.stderr
    assert len(failed) == (1 if name == "endpoint" else 0)
    assert len(asked) <= 3 * len(failed)  # two turns, and the judge
    for body in asked:
        assert any(items[identity].split("<image>")[0] in text_of(body) for identity in failed)
    new = outcomes(place / folder / name)
    assert set(new) == set(old)
    assert all("response" in line for line in new.values())
    for key in old:
        assert key[0] in failed or holds(old[key], new[key], str(key)) == []
    scores = [pl.read_parquet(run / "scores.parquet") for run in (before, place / folder / name)]
    was, now = (table.filter(~pl.col("id").is_in(list(failed))) for table in scores)
    assert_frame_equal(now.select(was.columns), was)
    if not failed:
        found = holds(figures(before), figures(place / folder / name))
        assert [one for one in found if not counts_samples(name, one) and not one.startswith("/tolman was ")] == []


def test_the_store_is_counted_and_exported(place: Path, tmp_path: Path) -> None:
    shutil.copy(place / "store" / "responses.sqlite", tmp_path / "store.sqlite")
    shown = tolman(tmp_path, "store", "show", "--store", "store.sqlite", "--json", code=0)
    assert {"openai/clerk", "openai/crowd", "openai/judge"} <= set(shown.stdout.replace('"', " ").split())
    tolman(tmp_path, "store", "export", "all.jsonl", "--store", "store.sqlite", code=0)
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    turns = [turn["response"] for run in ("endpoint", "votes") for line in outcomes(FIXTURES / "runs" / run).values() for turn in line.get("turns", ())]  # fmt: skip
    assert len(rows) >= len(set(turns)) > 0
