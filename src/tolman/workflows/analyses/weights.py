"""Capability weights: how much each cognitive level counts, from runs or from the rows that a paper prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.names import hint
from tolman.workflows.analyses import Analysis, to_plain
from tolman.workflows.analyses.settings import Seed
from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent

if TYPE_CHECKING:
    from tolman.analyze.weights import WeightsResult
    from tolman.benchmarks.base import BenchmarkSpec
    from tolman.reports.analyses.output import Shown

LEVELS = "Levels"
"""The group of the columns that are levels, in a table that has them."""


@dataclass(frozen=True, kw_only=True)
class WeightsConfig:
    """Settings of `analyze_weights`."""

    runs: Annotated[
        tuple[Path, ...], Setting("Run folders of one benchmark; none with --published.", positional=True)
    ] = ()
    published: Annotated[
        str | None,
        Setting("Benchmark whose paper's rows are taken instead of runs, such as spatialbench. Default: none."),
    ] = None
    levels: Annotated[
        tuple[str, ...], Setting("Columns of the table, the simplest level first. Default: the table's levels.")
    ] = ()
    counts: Annotated[
        tuple[float, ...], Setting("Number of questions of each level. Default: the runs'.", metavar="N,N[,N…]")
    ] = ()
    leave_out: Annotated[
        tuple[str, ...], Setting("Model that is left out; may be given several times.", repeated=True)
    ] = ()
    alpha: Annotated[
        float, Setting("Part of a weight that the questions' shares decide, 0–1: the paper's α.", least=0, most=1)
    ] = 0.4
    k: Annotated[
        float, Setting("Reward of large contributions in the objective, 0 or more: the paper's k.", least=0)
    ] = 0.01
    seed: Seed = 0


@dataclass(frozen=True)
class _Figures:
    """Models' figures, column key → figure, and how many questions each column has where that is known."""

    names: list[str]
    figures: list[dict[str, float | None]]
    counts: dict[str, int]


def analyze_weights(config: WeightsConfig, events: Events = silent) -> WeightsResult:
    """Solve for the weights of levels.

    Raises:
        MissingExtraError: scipy isn't installed.
        UsageError: no scores, unknown columns or models, or no solution.
    """
    import numpy as np

    from tolman.analyze.weights import WeightsResult, solve

    if bool(config.runs) == (config.published is not None):
        raise UsageError("give runs, or --published BENCHMARK for the rows of its paper.")
    benchmark, scores = _of_runs(config.runs) if config.runs else _published(config.published or "")
    columns = {column.key: column for column in benchmark.table.columns}
    keys = list(config.levels) or [c.key for c in benchmark.table.columns if c.group == LEVELS]
    unknown = [key for key in keys if key not in columns]
    if unknown or not keys:
        problem = f"no column '{unknown[0]}'" if unknown else "no levels of its own"
        which = hint(unknown[0] if unknown else "", columns)
        raise UsageError(f"{benchmark.title} has {problem}; name some with --levels; {which}.")
    missing = [name for name in config.leave_out if name not in scores.names]
    if missing:
        raise UsageError(f"there is no row '{missing[0]}' to leave out; {hint(missing[0], scores.names)}.")
    taken = [
        (name, [own.get(key) for key in keys])
        for name, own in zip(scores.names, scores.figures, strict=True)
        if name not in config.leave_out and all(own.get(key) is not None for key in keys)
    ]
    numbers = list(config.counts) or [float(scores.counts.get(key, 0)) for key in keys]
    if len(numbers) != len(keys) or not all(number > 0 for number in numbers):
        raise UsageError(f"say how many questions each of the {len(keys)} levels has: --counts N,N,…")
    means = np.array([row for _, row in taken], dtype=np.float64).reshape(len(taken), len(keys))
    found = solve(means, np.array(numbers), alpha=config.alpha, trade_off=config.k, seed=config.seed)
    return WeightsResult(
        title=benchmark.title,
        levels={key: columns[key].title for key in keys},
        counts=numbers,
        models=[name for name, _ in taken],
        alpha=config.alpha,
        k=config.k,
        weights=found,
    )


def _of_runs(paths: Sequence[Path]) -> tuple[BenchmarkSpec, _Figures]:
    from tolman.workflows.analyses.inputs import scored_runs

    scored = scored_runs(paths)
    cells = [run.figures["rule_sets"][scored.scorer]["cells"] for run in scored.runs]
    figures = [{key: cell["value"] for key, cell in own.items()} for own in cells]
    counts = {key: max(own[key]["n"] for own in cells if key in own) for key in cells[0]}
    return scored.benchmark, _Figures([run.name for run in scored.runs], figures, counts)


def _published(name: str) -> tuple[BenchmarkSpec, _Figures]:
    """The rows of models in the paper's main table, in its default setting."""
    from tolman import benchmarks

    benchmark = benchmarks.get(name)
    rows = [row for row in benchmark.published_rows if row.group == "model" and not row.setting]
    if not rows:
        raise UsageError(f"{benchmark.title} has no published rows.")
    rows = [row for row in rows if row.source == rows[0].source]
    return benchmark, _Figures([row.name for row in rows], [row.values for row in rows], {})


def to_json(result: WeightsResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    settings = {"levels": list(result.levels), "models": result.models, "alpha": result.alpha, "k": result.k}
    return {**settings, **to_plain(result.weights)}


def show(result: WeightsResult) -> list[Shown]:
    """Make tables and sentences of a result."""
    from tolman.reports.analyses import weights as form

    return form.show(result)


ANALYSIS = Analysis(
    name="weights",
    title="Capability weights of cognitive levels, by SpatialBench's constrained optimum.",
    config=WeightsConfig,
    run=analyze_weights,
    show=show,
    to_json=to_json,
    examples=("weights --published spatialbench --counts 318,527,291,98,113",),
)
