"""Workers that are forked from, or spawned by, a process that has used Polars: they work or say why not."""

import subprocess
import sys
from pathlib import Path

import pytest

import tolman
from tolman.items import Item

EXTRACT = Path(__file__).parent / "extracts" / "vsi_bench_extract.jsonl"
SCRIPT = """
import multiprocessing, sys
import polars as pl
import tolman
from tolman.errors import UsageError

folder, extract, method = sys.argv[1:]
mine = vsi = None


def outcome(task):
    name, item = task
    global mine, vsi
    if method == "spawn":
        mine, vsi = tolman.load(folder), tolman.load("vsi-bench", data=extract)
    try:
        return {
            "reward": lambda: tolman.reward(item, item.answer, scorer="careful"),
            "official": lambda: tolman.reward(item, item.answer),
            "load": lambda: len(tolman.load(folder)),
            "load vsi": lambda: len(tolman.load("vsi-bench", data=extract)) > 0,
            "score": lambda: tolman.score({item.id: item.answer}, mine).headline.value,
            "own score": lambda: mine.score({item.id: item.answer}, scorer="careful").headline.value,
            "vsi score": lambda: vsi.score({item.id: item.answer}).headline.value,
            "table": lambda: len(mine.table()),
        }[name]()
    except UsageError as error:
        return str(error)


if __name__ == "__main__":
    mine, vsi = tolman.load(folder), tolman.load("vsi-bench", data=extract)
    mine.score({mine.items()[0].id: "A"})  # the threads of Polars run now
    own, theirs = mine.items()[0], vsi.items()[0]
    tasks = [("reward", own), ("reward", theirs), ("official", theirs), ("load", own), ("load vsi", own)]
    tasks += [("score", own), ("own score", own), ("vsi score", theirs), ("table", own)]
    with multiprocessing.get_context(method).Pool(1) as pool:
        for task in tasks:
            print(task[0], "|", pool.apply_async(outcome, (task,)).get(60), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path, choice) -> Path:
    items: list[Item] = [choice(id=str(i), scene=str(i)) for i in range(8)]
    return tolman.load(items).save(tmp_path / "bench")


def outcomes(folder: Path, method: str, tmp_path: Path) -> list[tuple[str, str]]:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(script), str(folder), str(EXTRACT), method],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [(name, said) for name, said in (line.split(" | ") for line in done.stdout.splitlines())]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_forked_workers_reward_and_say_what_they_can_not_do(folder: Path, tmp_path: Path) -> None:
    found = outcomes(folder, "fork", tmp_path)
    assert found[:3] == [("reward", "1.0"), ("reward", "1.0"), ("official", "1.0")]
    rest = dict(found[3:])
    assert set(rest) == {"load", "load vsi", "score", "own score", "vsi score", "table"}
    for said in rest.values():
        assert "get_context('spawn')" in said
        assert "\n" not in said


@pytest.mark.full
def test_spawned_workers_do_everything(folder: Path, tmp_path: Path) -> None:
    found = dict(outcomes(folder, "spawn", tmp_path)[1:])
    assert found == {
        "reward": "1.0", "official": "1.0", "load": "8", "load vsi": "True",
        "score": "100.0", "own score": "100.0", "vsi score": found["vsi score"], "table": "8",
    }  # fmt: skip
    assert float(found["vsi score"]) > 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_fork_before_polars_has_threads_works(folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "early.py"
    script.write_text(
        "import multiprocessing, sys, polars, tolman\n"
        "def count(folder): return len(tolman.load(folder))\n"
        "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
        "    print(pool.apply_async(count, (sys.argv[1],)).get(60))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script), str(folder)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "8\n", done.stderr
