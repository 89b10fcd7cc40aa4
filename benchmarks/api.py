"""What the Python API costs: scoring 5,130 responses in memory, a reward, `import tolman`.

    python benchmarks/api.py [--shared ../shared]

Prints a Markdown table of medians.
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


def seconds(call: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median wall-clock seconds of a call; the first is not counted."""
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    data = parser.parse_args().shared / "data" / "vsi-bench"
    benchmark = tolman.load("vsi-bench", data=data)
    items = benchmark.items()
    responses = {item.id: FORMS[i % 4].format(item.answer) for i, item in enumerate(items)}
    rewarded = [(item, responses[item.id]) for item in items[:1000]]
    imported = seconds(lambda: subprocess.run([sys.executable, "-c", "import tolman"], check=True))
    empty = seconds(lambda: subprocess.run([sys.executable, "-c", ""], check=True))
    official = seconds(lambda: [tolman.reward(item, text) for item, text in rewarded])
    careful = seconds(lambda: [tolman.reward(item, text, scorer="careful") for item, text in rewarded])
    rows = {
        f"`benchmark.score` of {len(responses):,} responses": f"{seconds(lambda: benchmark.score(responses)):.2f} s",
        "the same, `official` only": f"{seconds(lambda: benchmark.score(responses, scorer='official')):.2f} s",
        "`tolman.score` of the same, benchmark loaded": f"{seconds(lambda: tolman.score(responses, benchmark)):.2f} s",
        "`tolman.load` of VSI-Bench": f"{seconds(lambda: tolman.load('vsi-bench', data=data)):.2f} s",
        "`tolman.reward`, official": f"{official * 1e3:.0f} µs",
        "`tolman.reward`, careful": f"{careful * 1e3:.0f} µs",
        "`import tolman`, beside an empty Python": f"{(imported - empty) * 1e3:.0f} ms",
    }
    print("| | median |\n|---|---|")
    for what, value in rows.items():
        print(f"| {what} | {value} |")


if __name__ == "__main__":
    main()
