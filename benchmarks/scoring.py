"""What scoring costs: 5,130 responses, a baseline's whole run, the command's start, the size of an installation.

    python benchmarks/scoring.py [--shared ../shared] [--size]

`--size` installs the core into a fresh virtual environment first. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from tolman import benchmarks
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.further_figures import unread_by_figure
from tolman.scoring.score_items import score

ROOT = Path(__file__).resolve().parents[1]
REPEATS = 5


def time_scoring(shared: Path) -> float:
    """Median seconds to score all of VSI-Bench under both rule sets, with all that stands beside a figure."""
    benchmark = benchmarks.get("vsi-bench")
    items = benchmark.load(shared / "data" / "vsi-bench", "full")
    forms = ("{}", "The answer is {}.", "**{}**", "Let me think step by step. There are 2 sofas.\nFinal answer: {}")
    responses = [Response(id=item.id, response=forms[i % 4].format(item.answer)) for i, item in enumerate(items)]
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        rows = score(items, responses, benchmark.rule_sets)
        for rules in benchmark.rule_sets:
            own = rows.filter(rows["rule_set"] == rules.name)
            cells(own, benchmark.table)
            unread_by_figure(own, benchmark.table)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def time_help() -> float:
    """Median seconds of the whole process `tolman --help`."""
    command = [str(Path(sys.executable).with_name("tolman")), "--help"]
    times = []
    for _ in range(2 * REPEATS):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def time_random(shared: Path) -> float:
    """Median CPU seconds of the whole process that runs `baseline/random` on all of VSI-Bench, its page included."""
    times = []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as out:
            command = [sys.executable, "-m", "tolman", "run", "vsi-bench", "--data", str(shared / "data" / "vsi-bench")]
            command += ["--model", "baseline/random", "--protocol", "blind", "--out", out]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def installed_megabytes() -> float:
    """Size of what `pip install tolman` adds to an empty environment, with the byte code it compiles."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        site = next(Path(folder).glob("lib/python*/site-packages"))
        before = _size(site)
        subprocess.run([f"{folder}/bin/python", "-m", "pip", "install", "--quiet", str(ROOT)], check=True)
        return (_size(site) - before) / 2**20


def _size(folder: Path) -> int:
    return sum(p.stat().st_blocks * 512 for p in folder.rglob("*") if p.is_file() and not p.is_symlink())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--size", action="store_true")
    options = parser.parse_args()
    print("| what | measured | limit |\n|---|---:|---:|")
    print(f"| 5,130 responses, two rule sets, intervals | {time_scoring(options.shared):.2f} s | 1 s |")
    print(f"| `baseline/random` on VSI-Bench, whole process | {time_random(options.shared):.2f} CPU s | 3 CPU s |")
    print(f"| `tolman --help`, whole process | {time_help():.2f} s | 0.35 s |")
    if options.size:
        print(f"| installed size of the core | {installed_megabytes():.0f} MB | 450 MB |")


if __name__ == "__main__":
    main()
