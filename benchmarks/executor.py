"""What giving out a scene costs: empty calls in this process, over processes and on a Ray cluster, in ms a call.

python benchmarks/executor.py [--calls 100000] [--on here,processes,ray]

`ray` starts a local cluster, or takes that of RAY_ADDRESS.
"""

from __future__ import annotations

import argparse
import resource
import time

from tolman.parallel import WorkPlace, parallel_map

LIMIT = 5.0
"""Milliseconds a call, with which 10⁶ scenes cost an hour and a half of one core."""


def measure(on: str, calls: int) -> tuple[float, float]:
    """Milliseconds a call, the start of the workers apart, and the peak of this process in MB."""
    place = WorkPlace(on)
    assert sum(1 for _ in parallel_map(abs, range(100), place)) == 100
    begin = time.perf_counter()
    assert sum(parallel_map(abs, iter(range(calls)), place)) == calls * (calls - 1) // 2
    taken = time.perf_counter() - begin
    return 1000 * taken / calls, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--on", default="here,processes,ray")
    asked = parser.parse_args()
    print("| place | ms a call | memory of this process, MB |\n|---|---:|---:|")
    for on in asked.on.split(","):
        each, memory = measure(on, asked.calls)
        print(f"| {on} | {each:.3f} | {memory:.0f} |", flush=True)
        assert each < LIMIT, f"{on}: more than {LIMIT} ms a call"


if __name__ == "__main__":
    main()
