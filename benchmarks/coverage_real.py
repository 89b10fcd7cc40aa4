"""Draws of scenes from real questions: VSI-Bench's 5,130, as two baselines answer them.

The 288 scenes are the population, their figures the truth; a draw takes some of them, with replacement.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman import benchmarks
from tolman.features.analyses.scored_runs import chance_scores
from tolman.scoring.aggregate import Prepared, prepare
from tolman.scoring.clusters import WORKING_CORRELATION, WORKING_CORRELATION_PAIRED, Clustered
from tolman.scoring.score_table import Column, Table

Floats = NDArray[np.float64]
BASELINES = ("best-constant", "most-frequent-text")
COLUMNS = ("rel_distance", "object_size", "average")


class Population:
    """VSI-Bench under two baselines.

    Attributes:
        figures: (name, first run or difference, column) of each figure that is measured.
    """

    def __init__(self, shared: Path) -> None:
        benchmark = benchmarks.get("vsi-bench")
        items = benchmark.load(shared / "data" / "vsi-bench", "full")
        self.table: Table = benchmark.table
        runs = [
            prepare(chance_scores(name, benchmark, items, benchmark.rule_sets[0]).sort("id"), benchmark.table)
            for name in BASELINES
        ]
        self._runs: tuple[Prepared, Prepared] = (runs[0], runs[1])
        self.figures: list[tuple[str, bool, Column]] = [
            (f"{kind}{column.title}", paired, column)
            for paired, kind in ((False, ""), (True, "difference in "))
            for column in (self.table.column(key) for key in COLUMNS)
        ]

    def draws(
        self, column: Column, paired: bool, scenes: int, count: int, seed: int
    ) -> tuple[Clustered, Floats, float]:
        """Sums of draws in which no pool of the figure is empty, the figure's weights, and its true value."""
        run, other = self._runs
        weights = run.weights([column.node])[0]
        used = weights[0] != 0
        numerators = (run.numerators - other.numerators if paired else run.numerators)[:, used]
        arrays = (numerators, run.denominators[:, used], run.membership[:, used].astype(np.float64), numerators**2)
        size = int(run.cluster.max()) + 1
        by_scene = [np.zeros((size, int(used.sum()))) for _ in arrays]
        for target, values in zip(by_scene, arrays, strict=True):
            np.add.at(target, run.cluster, values)
        truth = float(weights[0, used] @ (by_scene[0].sum(0) / by_scene[1].sum(0)))
        generator = np.random.default_rng([20261122, scenes, paired, seed])
        mine = np.flatnonzero(by_scene[2].sum(1) > 0)
        kept: list[NDArray[np.intp]] = []
        for _ in range(50):
            picks = generator.choice(mine, (count, scenes))
            kept += list(picks[(by_scene[2][picks].sum(1) > 0).all(1)])
            if len(kept) >= count:
                break
        chosen = np.array(kept[:count], dtype=np.intp).reshape(-1, scenes)
        num, den, items, square = (values[chosen] for values in by_scene)
        counts = items.sum(1)
        sums = Clustered(
            num,
            den,
            items,
            np.stack([square.sum(1), num.sum(1), counts], axis=-1),  # denominators are 1
            -counts if paired else 0 * counts,
            counts,
            WORKING_CORRELATION_PAIRED if paired else WORKING_CORRELATION,
        )
        return sums, weights[:, used], truth
