"""How often the 95 % intervals hold the truth: simulated runs whose true figures are known in closed form.

    python benchmarks/coverage.py [--draws 2000] [--processes 2]

Three metrics, clustered (150 scenes of 1 to 20 questions that share a scene's difficulty) and unclustered (500
questions, each its own cluster), both kinds of interval. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from statistics import NormalDist

import numpy as np
import polars as pl

from tolman.scoring.aggregate import cells
from tolman.scoring.metrics import mra_vsi_bench
from tolman.scoring.table import Column, Table, pool

TABLES = {
    "accuracy": Table((Column("x", "x", pool()),), "x"),
    "MRA": Table((Column("x", "x", pool()),), "x"),
    "CAA": Table((Column("x", "x", pool(metric="chance-adjusted")),), "x"),
}
SPREADS = (0.1, 0.3, 0.8)  # of the log of prediction / truth, one for each kind of scene
SKILL = (2.0, 3.0)  # Beta distribution of a scene's probability of knowing the answer


def truth(metric: str) -> float:
    """The figure that the runs of a metric are drawn around, on the 0–100 scale."""
    if metric != "MRA":
        return 100 * SKILL[0] / sum(SKILL)
    z = NormalDist().cdf
    limits = [1 - theta / 100 for theta in range(50, 100, 5)]
    each = [np.mean([z(np.log1p(t) / s) - z(np.log1p(-t) / s) for t in limits]) for s in SPREADS]
    return 100 * float(np.mean(each))


def simulate(metric: str, clustered: bool, generator: np.random.Generator) -> pl.DataFrame:
    """One run's rows of scores."""
    sizes = generator.integers(1, 21, 150) if clustered else np.ones(500, dtype=int)
    scene = np.repeat(np.arange(len(sizes)), sizes)
    options = generator.integers(2, 7, len(scene))
    skill = generator.beta(*SKILL, len(sizes))[scene]
    if metric == "MRA":
        spread = np.array(SPREADS)[generator.integers(0, 3, len(sizes))][scene]
        predictions = np.exp(spread * generator.standard_normal(len(scene)))
        score = np.array([mra_vsi_bench(p, 1.0) for p in predictions])
    else:
        guess = 1 / options if metric == "CAA" else np.zeros(len(scene))
        score = (generator.random(len(scene)) < guess + (1 - guess) * skill).astype(float)
    return pl.DataFrame(
        {
            "id": [str(i) for i in range(len(scene))],
            "task": ["x"] * len(scene),
            "cluster": [str(s) for s in scene],
            "options": options,
            "status": ["scored"] * len(scene),
            "score": score,
        }
    )


def hits(job: tuple[str, bool, int, int]) -> tuple[int, int]:
    """How many of some draws' bootstrap and closed-form intervals hold the truth."""
    metric, clustered, first, last = job
    true = truth(metric)
    held = [0, 0]
    for draw in range(first, last):
        generator = np.random.default_rng([20261121, draw, clustered, list(TABLES).index(metric)])
        cell = cells(simulate(metric, clustered, generator), TABLES[metric], seed=draw)["x"]
        for i, interval in enumerate((cell.bootstrap, cell.closed_form)):
            assert interval is not None
            held[i] += interval.low <= true <= interval.high
    return held[0], held[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    step = max(1, options.draws // 20)
    print("| metric | questions | truth | bootstrap | closed form |\n|---|---|---:|---:|---:|")
    with ProcessPoolExecutor(options.processes) as pool_of_processes:
        for clustered in (False, True):
            for metric in TABLES:
                ranges = [(metric, clustered, a, min(a + step, options.draws)) for a in range(0, options.draws, step)]
                counts = np.array(list(pool_of_processes.map(hits, ranges))).sum(0)
                shares = " | ".join(f"{100 * c / options.draws:.2f} %" for c in counts)
                kind = "150 scenes of 1–20" if clustered else "500, unclustered"
                print(f"| {metric} | {kind} | {truth(metric):.2f} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
