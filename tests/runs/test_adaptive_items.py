"""Adaptive runs: whole processes that are killed and go on, and what can't be asked adaptively."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from runs.letters import bench
from terminal import typed as tolman
from tolman.item_table import data_hash as hash_of, read_items
from tolman.scoring.adaptive_testing import BankedItem, ItemBank, TaskScale

ITEMS = 300
MODEL = """
import re, time
from pathlib import Path

def answer(messages):
    number = int(re.search(r"Question \\w+ (\\d+)", str(messages))[1])
    with Path("calls").open("a") as calls:
        calls.write(f"{number}\\n")
    stop = Path("stop")
    while len(Path("calls").read_text().split()) > 80 and stop.exists():
        time.sleep(0.01)
    return "A" if number % 7 < 4 else "B"
"""
LINE = (
    "run", "./bench", "--model", "python/model.py:answer", "--protocol", "blind", "--adaptive", "bank.json",
    "--adaptive-share", "0.5",
)  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    bench(tmp_path / "bench", ITEMS)
    data_hash = hash_of(read_items(tmp_path / "bench" / "items.parquet"))
    scale = TaskScale(ability=0.0, spread=1.0, difficulties=1.0, noise=1.0)
    items = tuple(
        BankedItem(id=str(i), task=f"t{i % 3}", difficulty=i % 7 - 3.0, error=0.3, discrimination=1.0)
        for i in range(ITEMS)
    )
    bank = ItemBank(
        benchmark="./bench", subset="all", data_hash=data_hash, scorer="careful", models=("m",),
        tasks={f"t{k}": scale for k in range(3)}, items=items,
    )  # fmt: skip
    (tmp_path / "bank.json").write_text(bank.model_dump_json())
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "calls").write_text("")
    return tmp_path


def calls(place: Path) -> list[str]:
    return (place / "calls").read_text().split()


def test_a_killed_run_asks_nothing_twice_and_ends_with_the_same_items(place: Path) -> None:
    done = tolman(place, *LINE, "--out", "whole")
    assert len(calls(place)) == len(set(calls(place))) == ITEMS // 2
    said = " ".join((done.stdout + done.stderr).split())
    assert "estimate from 150 of 300" in said
    assert "ESTIMATE: " in said
    assert "Standard error of the headline: careful" in said
    (place / "calls").write_text("")
    (place / "stop").touch()
    line = [sys.executable, "-m", "tolman", *LINE, "--out", "killed"]
    with subprocess.Popen(line, cwd=place, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        while len(calls(place)) <= 80:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    (place / "stop").unlink()
    asked = calls(place)
    tolman(place, *LINE, "--out", "killed")
    again = calls(place)[len(asked) :]
    assert len(again) == ITEMS // 2 - 80
    assert not set(again) & set(asked[:80])
    whole, killed = (pl.read_parquet(place / name / "items.parquet")["id"].to_list() for name in ("whole", "killed"))
    assert whole == killed
    figures = [json.loads((place / name / "scores.json").read_text())["rule_sets"] for name in ("whole", "killed")]
    assert figures[0] == figures[1]
    check_estimate(place, figures[0]["careful"])


def check_estimate(place: Path, entry: dict[str, object]) -> None:
    """The headline is the estimate of all items, not the mean of those asked, and scoring again leaves it."""
    true = 100 * sum(i % 7 < 4 for i in range(ITEMS)) / ITEMS
    cells, error = entry["cells"], entry["standard_error"]
    assert isinstance(cells, dict)
    assert isinstance(error, float)
    headline = next(cell for cell in cells.values() if cell["n"] == ITEMS // 2)
    assert abs(headline["value"] - true) < 4 * error
    assert headline["interval"]["low"] <= headline["value"] <= headline["interval"]["high"]
    assert "pooled" not in entry
    before = (place / "whole" / "scores.json").read_text()
    tolman(place, "score", "whole")
    assert (place / "whole" / "scores.json").read_text() == before
    done = tolman(place, "compare", "whole", "killed", status=2)
    assert "can't be compared item by item" in " ".join(done.stderr.split())


def test_a_standard_error_ends_the_run(place: Path) -> None:
    tolman(place, *LINE, "--adaptive-share", "1", "--adaptive-error", "4", "--out", "short")
    figures = json.loads((place / "short" / "scores.json").read_text())
    assert figures["rule_sets"]["careful"]["standard_error"] <= 4
    assert 32 < figures["items"] < ITEMS
    assert figures["items"] % 32 == 0


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (("--adaptive-share", "0.01"), "asks 3 items, and an estimate needs 15"),
        (("--adaptive-share", "0"), "asks nothing"),
        (("--adaptive", "model.py"), "model.py: is no item bank"),
        (("--adaptive", "none.json"), "none.json: can't be read"),
        (("--protocol", "circular"), "leave --adaptive out"),
        (("--metrics", "signed-bias"), "leave one out"),
    ],
)
def test_bad_input_gets_one_sentence(place: Path, changes: tuple[str, ...], sentence: str) -> None:
    done = tolman(place, *LINE, *changes, "--out", "out", status=2)
    assert sentence in " ".join(done.stderr.split())
    assert calls(place) == []


def test_the_banks_share_needs_a_bank_and_its_data(place: Path) -> None:
    line = ("run", "./bench", "--model", "baseline/random", "--out", "out")
    done = tolman(place, *line, "--adaptive-share", "0.5", status=2)
    assert "--adaptive-share belongs to --adaptive" in " ".join(done.stderr.split())
    bank = json.loads((place / "bank.json").read_text())
    (place / "other.json").write_text(json.dumps(bank | {"data_hash": "0123"}))
    done = tolman(place, *line, "--adaptive", "other.json", status=2)
    assert "the item bank is of other items" in " ".join(done.stderr.split())
    (place / "less.json").write_text(
        json.dumps(bank | {"tasks": {"t0": bank["tasks"]["t0"]}, "items": bank["items"][:1]})
    )
    done = tolman(place, *line, "--adaptive", "less.json", status=2)
    assert "no scale for the question type 't1'" in " ".join(done.stderr.split())
