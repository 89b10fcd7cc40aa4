"""What common work costs in this build and in an earlier one: whole processes, interleaved, and their ratios.

    python benchmarks/against.py e34c1fb1 [run store score table site generate help load walk] [--pairs 3]

The earlier build is that revision's `src`, compiled and kept under the cache folder. Both builds use this interpreter
and its packages, so that Tolman alone makes the difference. Each build prepares its own inputs, and the builds take
turns in beginning a pair. A ratio is this build's median over the earlier one's, with the range of the pairs' ratios.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from runs import BARE, IN_FLIGHT, REQUESTS, ROOT, measure, publish, server
from tolman.files import cache_folder
from tolman.items import Item

LATENCY = 0.2
"""Seconds that the loopback server takes for an answer."""
TARGETS = {
    "run": 0.45, "store": 0.5, "score": 0.35, "table": 0.5, "site": 0.5, "generate": 0.35, "help": 0.6, "load": 0.6,
    "walk": 0.5,
}  # fmt: skip
"""Goals for the ratios of CPU."""
WALK = (
    "simulate", "--scenes", "1", "--seconds", "30", "--shapes", "home", "--workers", "1",
)  # fmt: skip
LOAD = "import sys, tolman; tolman.load('vsi-bench', data=sys.argv[1])"


@dataclass
class Build:
    """A source tree of Tolman and the folder in which its commands run."""

    name: str
    source: Path
    place: Path
    costs: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)
    """Of each kind of work: wall seconds, CPU seconds and peak memory (MB) of every repeat."""

    def python(self, *arguments: str) -> list[str]:
        return ["env", f"PYTHONPATH={self.source}", f"TOLMAN_CACHE={self.place / 'cache'}", sys.executable, *arguments]

    def tolman(self, *arguments: str) -> list[str]:
        return self.python("-m", "tolman", *arguments)

    def made(self) -> tuple[str, ...]:
        """The option for furniture made by rule, where a build has models to use instead."""
        models = self.source / "tolman" / "simulate" / "data" / "furniture.sh3f"
        return ("--furniture", "made") if models.exists() else ()


def source_of(revision: str) -> Path:
    """The `src` folder of a revision, compiled."""
    commit = subprocess.check_output(["git", "rev-parse", f"{revision}^{{commit}}"], cwd=ROOT, text=True).strip()
    folder = cache_folder() / "against" / commit
    if not (folder / "compiled").exists():
        archive = subprocess.check_output(["git", "archive", commit, "src"], cwd=ROOT)
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder / "src")], check=True)
        (folder / "compiled").touch()
    return folder / "src"


def prepare(build: Build, data: Path) -> None:
    """Questions, responses and two runs, as each build writes them."""
    build.place.mkdir()
    fields: dict[str, Any] = {"kind": "choice", "answer": "A", "options": ("x", "y"), "task": "t"}
    asked = [Item(id=f"{i}", question=f"Question {i}?", scene=f"{i % 100}", **fields) for i in range(REQUESTS)]
    publish(build.place / "text", asked)
    rows = pl.read_parquet(next(data.glob("*.parquet")), columns=["id", "ground_truth"]).iter_rows()
    answers = [json.dumps({"id": str(number), "response": f"The answer is {truth}."}) for number, truth in rows]
    (build.place / "answers.jsonl").write_text("\n".join(answers))
    for name in ("first", "second"):
        measure(build.tolman(*score_arguments(data, name)), build.place)


def score_arguments(data: Path, out: str) -> list[str]:
    return ["score", "answers.jsonl", "--benchmark", "vsi-bench", "--data", str(data), "--name", out, "--out", out]


def works(data: Path, url: str) -> dict[str, Callable[[Build, int], list[str]]]:
    """Of each kind of work: the command of a build's repeat."""

    def asking(build: Build, store: int, out: str) -> list[str]:
        return build.tolman(
            "run", "./text", "--model", "openai/m", "--base-url", url, "--concurrency", str(IN_FLIGHT),
            "--store", f"answers-{store}.sqlite", "--out", out,
        )  # fmt: skip

    return {
        "run": lambda build, repeat: asking(build, repeat, f"run-{repeat}"),
        "store": lambda build, repeat: asking(build, repeat, f"again-{repeat}"),
        "score": lambda build, repeat: build.tolman(*score_arguments(data, f"scored-{repeat}")),
        "table": lambda build, repeat: build.tolman("report", "first", "second"),
        "site": lambda build, repeat: build.tolman(
            "report", "first", "second", "--format", "site", "--out", f"site-{repeat}"
        ),
        "generate": lambda build, repeat: build.tolman(
            "generate", str(data / "meta_info"), "--preset", "vsi-paper", "--out", f"made-{repeat}"
        ),
        "help": lambda build, repeat: build.tolman("--help"),
        "load": lambda build, repeat: build.python("-c", LOAD, str(data)),
        "walk": lambda build, repeat: build.tolman(
            *WALK, *build.made(), "--seed", str(repeat), "--out", f"walk-{repeat}"
        ),
    }


def line(name: str, old: Build, new: Build) -> str:
    """A row of the table: CPU of both builds, then ratios of CPU, wall time and peak memory."""
    cells = [name, *(f"{statistics.median(cost[1] for cost in build.costs[name]):.2f} s" for build in (old, new))]
    for column in (1, 0, 2):
        before, after = ([cost[column] for cost in build.costs[name]] for build in (old, new))
        ratios = [b / a for a, b in zip(before, after, strict=True)]
        whole = statistics.median(after) / statistics.median(before)
        cells.append(f"{whole:.2f} [{min(ratios):.2f}, {max(ratios):.2f}]")
    return f"| {' | '.join([*cells, str(TARGETS[name])])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision")
    parser.add_argument("what", nargs="*", metavar="|".join(TARGETS), help="default: all")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    options = parser.parse_args()
    data = options.shared.resolve() / "data" / "vsi-bench"
    os.environ["OPENAI_API_KEY"] = "none"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tolman-against-")))
        url = stack.enter_context(server(LATENCY))
        builds = [
            Build("old", source_of(options.revision), place / "old"),
            Build("new", ROOT / "src", place / "new"),
        ]
        for build in builds:
            prepare(build, data)
        chosen = {name: work for name, work in works(data, url).items() if name in (options.what or TARGETS)}
        bare = []
        print(f"| work | CPU at {options.revision} | CPU now | CPU ratio | wall ratio | memory ratio | CPU goal |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for name, work in chosen.items():
            for repeat, turn in product(range(options.pairs), (0, 1)):
                build = builds[(repeat + turn) % 2]
                build.costs.setdefault(name, []).append(measure(work(build, repeat), build.place)[:3])
                if name == "run" and turn:
                    bare.append(measure([sys.executable, "-c", BARE, url, str(REQUESTS), str(IN_FLIGHT)], place)[:2])
            print(line(name, *builds), flush=True)
    if bare:
        wall = statistics.median(cost[0] for cost in builds[1].costs["run"]) / statistics.median(
            cost[0] for cost in bare
        )
        print(f"\n{REQUESTS:,} requests: {wall:.2f} × the wall time of bare aiohttp (goal: 1.05).")


if __name__ == "__main__":
    main()
