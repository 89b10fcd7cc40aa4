"""What `tolman analyze weights` reads and prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console

from tolman import benchmarks
from tolman.analyze.weights import solve
from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.names import hint
from tolman.reports.alike import one_benchmark, one_rule_set
from tolman.reports.analyses.output import print_table, say, write_json
from tolman.reports.loaded import load_runs

LEVELS = "Levels"
"""The group of the columns that are levels, in a table that has them."""


@dataclass(frozen=True)
class _Scores:
    """Models' figures, column key → figure, and how many questions each column has where that is known."""

    names: list[str]
    figures: list[dict[str, float | None]]
    counts: dict[str, int]


def print_weights(
    console: Console,
    runs: Sequence[Path],
    *,
    published: str | None,
    levels: Sequence[str],
    counts: Sequence[float],
    leave_out: Sequence[str],
    alpha: float,
    trade_off: float,
    seed: int,
    as_json: bool,
) -> None:
    """Solve for the weights of levels.

    Raises:
        UsageError: no scores, unknown columns or models, or no solution.
    """
    if bool(runs) == (published is not None):
        raise UsageError("give runs, or --published BENCHMARK for the rows of its paper.")
    benchmark, scores = _of_runs(runs) if runs else _published(published or "")
    columns = {column.key: column for column in benchmark.table.columns}
    keys = list(levels) or [c.key for c in benchmark.table.columns if c.group == LEVELS]
    unknown = [key for key in keys if key not in columns]
    if unknown or not keys:
        problem = f"no column '{unknown[0]}'" if unknown else "no levels of its own"
        which = hint(unknown[0] if unknown else "", columns)
        raise UsageError(f"{benchmark.title} has {problem}; name some with --levels; {which}.")
    missing = [name for name in leave_out if name not in scores.names]
    if missing:
        raise UsageError(f"there is no row '{missing[0]}' to leave out; {hint(missing[0], scores.names)}.")
    taken = [
        (name, [own.get(key) for key in keys])
        for name, own in zip(scores.names, scores.figures, strict=True)
        if name not in leave_out and all(own.get(key) is not None for key in keys)
    ]
    numbers = list(counts) or [float(scores.counts.get(key, 0)) for key in keys]
    if len(numbers) != len(keys) or not all(number > 0 for number in numbers):
        raise UsageError(f"say how many questions each of the {len(keys)} levels has: --counts N,N,…")
    means = np.array([row for _, row in taken], dtype=np.float64).reshape(len(taken), len(keys))
    found = solve(means, np.array(numbers), alpha=alpha, trade_off=trade_off, seed=seed)
    names = [name for name, _ in taken]
    if as_json:
        content = {
            key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in asdict(found).items()
        }
        write_json(console, {"levels": keys, "models": names, "alpha": alpha, "k": trade_off, **content})
        return
    rows = [
        [columns[key].title, f"{numbers[i]:g}", f"{found.deviations[i]:.2f}"]
        + [f"{values[i]:.4f}" for values in (found.e, found.f, found.c)]
        for i, key in enumerate(keys)
    ]
    headings = ["level", "questions", "deviation S", "E", "weight F", "C = F·S"]
    print_table(console, headings, rows, title=f"{benchmark.title}: weights over {len(names)} models")
    order = np.argsort(-found.scores, kind="stable")
    print_table(console, ["model", "score"], [[names[i], f"{found.scores[i]:.2f}"] for i in order])
    say(console, f"variance of the steps of C {found.variance:.4f}, objective {found.objective:.4f}.")
    if found.degenerate:
        say(console, "Two levels count the same: the paper discards such an optimum; try other --alpha and --k.")


def _of_runs(paths: Sequence[Path]) -> tuple[BenchmarkSpec, _Scores]:
    runs = load_runs(paths)
    benchmark = one_benchmark(runs)
    rules = one_rule_set(runs, None)
    cells = [run.figures["rule_sets"][rules]["cells"] for run in runs]
    figures = [{key: cell["value"] for key, cell in own.items()} for own in cells]
    counts = {key: max(own[key]["n"] for own in cells if key in own) for key in cells[0]}
    return benchmark, _Scores([run.name for run in runs], figures, counts)


def _published(name: str) -> tuple[BenchmarkSpec, _Scores]:
    """The rows of models in the paper's main table, in its default setting."""
    benchmark = benchmarks.get(name)
    rows = [row for row in benchmark.published_rows if row.group == "model" and not row.setting]
    if not rows:
        raise UsageError(f"{benchmark.title} has no published rows.")
    return benchmark, _Scores([row.name for row in rows], [row.values for row in rows], {})
