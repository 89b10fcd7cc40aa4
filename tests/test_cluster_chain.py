"""simulate → generate → audit → score on a cluster of three machines, one of which is killed: one process's bytes."""

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="clusters need the extra 'cluster'")
pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")

from folders import contents
from ray_cluster import RayCluster
from tolman.item_table import read_items

pytestmark = [
    pytest.mark.full,
    pytest.mark.usefixtures("needs_egl"),
    pytest.mark.filterwarnings("default"),  # of Ray's own
]
SCENES = 6
SMALL = (
    "--seconds", "3", "--rate", "5", "--size", "160x120", "--seed", "3", "--exo", "1", "--depth", "--shapes",
    "rectangle,l-shape,two-rooms", "--quality", "fast",
)  # fmt: skip
LOG = "scenes.log"
COUNTING = f"""
import os
import tolman.simulate.collection as collection

made = collection.make

def make(config, number, out):
    note = lambda what: open({LOG!r}, "a").write(f"{{number}} {{what}} {{os.environ.get('MACHINE', '')}}\\n")
    note("begun")
    found = made(config, number, out)
    note("done")
    return found

collection.make = make
"""
"""A plugin that writes down which scene is begun and done where."""


def start(place: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tolman", *words]
    place.mkdir(exist_ok=True)
    own = {**os.environ, "TOLMAN_CACHE": str(place / "cache"), **environment}
    return subprocess.Popen(command, cwd=place, env=own, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def carry_out(place: Path, *words: str, **environment: str) -> None:
    process = start(place, *words, **environment)
    said, _ = process.communicate(timeout=150)
    assert process.returncode == 0, said


def chain(place: Path, on: tuple[str, ...], **environment: str) -> Iterator[subprocess.Popen[str]]:
    """The commands; the first is handed out while it goes on, and waited for."""
    (place / "counting.py").write_text(COUNTING)
    simulate = ("simulate", "--scenes", str(SCENES), *SMALL, "--out", "worlds", "--plugin", "counting.py", *on)
    process = start(place, *simulate, **environment)
    yield process
    said, _ = process.communicate(timeout=150)
    assert process.returncode == 0, said
    carry_out(place, "generate", "worlds", "--preset", "all", "--out", "bench", *on, **environment)
    carry_out(place, "audit", "./bench", "--scenes", "worlds", "--exit-zero", *on, **environment)
    with (place / "answers.jsonl").open("w") as file:
        for path in sorted((place / "bench" / "data").glob("*.parquet")):
            for number, item in enumerate(read_items(path)):
                text = item.answer if number % 3 else "I can't tell."
                file.write(json.dumps({"id": item.id, "response": text}) + "\n")
    carry_out(place, "score", "answers.jsonl", "--benchmark", "./bench", "--out", "run", *on, **environment)


def undated(files: dict[str, bytes], place: Path) -> dict[str, bytes]:
    """The files without the folder and the moment of a run, which run.json and the report of it tell."""
    dated = re.compile(rb"(created.{1,16}?)\d{4}-\d\d-\d\dT[\d:+]+")
    folder = str(place).encode()
    return {name: dated.sub(rb"\1", content).replace(folder, b"") for name, content in files.items()}


def log(place: Path) -> list[list[str]]:
    path = place / LOG
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def test_a_machine_is_lost_in_the_middle_and_the_bytes_are_those_of_one_process(tmp_path: Path) -> None:
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    alone.mkdir()
    spread.mkdir()
    for _ in chain(alone, ("--on", "here")):
        pass
    with RayCluster(2) as cluster:
        victim = cluster.add(MACHINE="victim")
        for _ in chain(spread, ("--on", "ray"), RAY_ADDRESS=cluster.address):
            end = time.monotonic() + 100
            # The machine that will be lost has done a scene, and is in the middle of its second.
            while sum(line[1:] == ["begun", "victim"] for line in log(spread)) < 2:
                assert time.monotonic() < end, log(spread)
                time.sleep(0.02)
            cluster.kill(victim)
    lines = log(spread)
    begun = Counter(number for number, what, *_ in lines if what == "begun")
    lost = [number for number, what, *where in lines if [what, *where] == ["begun", "victim"]][-1]
    assert begun == Counter({str(number): 1 + (str(number) == lost) for number in range(SCENES)})
    assert sum(what == "done" for _, what, *_ in lines) == SCENES
    for folder in ("worlds", "bench", "audit", "run"):
        one, two = (undated(contents(place / folder, "tolman.toml"), place) for place in (alone, spread))
        assert list(one) == list(two)
        assert [name for name in one if one[name] != two[name]] == [], folder
    assert any(name.endswith(".mp4") for name in contents(spread / "worlds"))
    assert any(name.endswith(".jpg") for name in contents(spread / "bench"))
    assert len(contents(spread / "audit", "tolman.toml")) == 4
