"""What the Python API costs: scoring 5,130 responses in memory, a reward, `import tolman`.

    python benchmarks/api.py [--shared ../shared]

Prints a Markdown table of medians: wall-clock and CPU time.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import tolman

ROOT = Path(__file__).resolve().parents[1]
REPEATS = 5
FORMS = ("{}", "The answer is {}.", "**{}**", "Let me think step by step. There are 2 sofas.\nFinal answer: {}")


def seconds(call: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of a call, by the clock and of the processor; the first call is not counted."""
    clock, processor = [], []
    for _ in range(REPEATS + 1):
        start = time.perf_counter(), time.process_time()
        call()
        clock.append(time.perf_counter() - start[0])
        processor.append(time.process_time() - start[1])
    return statistics.median(clock[1:]), statistics.median(processor[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    data = parser.parse_args().shared / "data" / "vsi-bench"
    benchmark = tolman.load("vsi-bench", data=data)
    items = benchmark.items()
    prose = {item.id: FORMS[i % 4].format(item.answer) for i, item in enumerate(items)}
    bare = {item.id: item.answer for item in items}
    rewarded = [(item, prose[item.id]) for item in items[:1000]]
    timed: dict[str, Callable[[], object]] = {
        f"`benchmark.score`, {len(items):,} responses, half of them sentences": lambda: benchmark.score(prose),
        'the same, `scorer="official"`': lambda: benchmark.score(prose, scorer="official"),
        f"`benchmark.score`, {len(items):,} bare answers": lambda: benchmark.score(bare),
        "`tolman.load` of VSI-Bench": lambda: tolman.load("vsi-bench", data=data),
        "1,000 × `tolman.reward`, official": lambda: [tolman.reward(item, text) for item, text in rewarded],
        "1,000 × `tolman.reward`, careful": lambda: [tolman.reward(i, text, scorer="careful") for i, text in rewarded],
    }
    print("| | median | CPU |\n|---|---|---|")
    for what, call in timed.items():
        clock, processor = seconds(call)
        print(f"| {what} | {clock:.3f} s | {processor:.3f} s |", flush=True)
    imported, _ = seconds(lambda: subprocess.run([sys.executable, "-c", "import tolman"], check=True))
    empty, _ = seconds(lambda: subprocess.run([sys.executable, "-c", ""], check=True))
    print(f"| `import tolman`, beside an empty Python | {imported - empty:.3f} s | |")


if __name__ == "__main__":
    main()
