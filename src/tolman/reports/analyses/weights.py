"""The result of `tolman analyze weights`: the weights, and the models' scores with them."""

from __future__ import annotations

import numpy as np

from tolman.analyze.weights import WeightsResult
from tolman.reports.analyses.output import Shown, table


def show(result: WeightsResult) -> list[Shown]:
    """Make what is printed: a row for each level, a row for each model, and what the optimum is worth."""
    found = result.weights
    rows = [
        [title, f"{result.counts[i]:g}", f"{found.deviations[i]:.2f}"]
        + [f"{values[i]:.4f}" for values in (found.e, found.f, found.c)]
        for i, title in enumerate(result.levels.values())
    ]
    headings = ["level", "questions", "deviation S", "E", "weight F", "C = F·S"]
    best_first = np.argsort(-found.scores, kind="stable")
    shown: list[Shown] = [
        table(headings, rows, title=f"{result.title}: weights over {len(result.models)} models"),
        table(["model", "score"], [[result.models[i], f"{found.scores[i]:.2f}"] for i in best_first]),
        f"variance of the steps of C {found.variance:.4f}, objective {found.objective:.4f}.",
    ]
    if found.degenerate:
        shown.append("Two levels count the same: the paper discards such an optimum; try other --alpha and --k.")
    return shown
