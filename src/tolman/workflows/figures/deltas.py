"""Differences between a model's runs: vision on and off, one protocol less another (VSI-Bench, Figures 8 and 12)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import Columns, RunsFigureConfig

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart


@dataclass(frozen=True, kw_only=True)
class DeltasFigureConfig(RunsFigureConfig):
    """Settings of `deltas_chart`."""

    columns: Columns = ()
    chance: Annotated[
        str,
        Setting("Baseline that blind runs are compared with: best-constant, random … or none."),
    ] = "none"
    benchmark_data: Annotated[
        Path | None,
        Setting("Folder of the whole benchmark, which --chance is computed on. Default: where the runs' data was."),
    ] = None
    means_only: Annotated[bool, Setting("Show the mean over models alone, where there are several.")] = False


def deltas_chart(config: DeltasFigureConfig, events: Events) -> Chart:
    """Make the data: a row for each comparison (panel), model (series) and column (label).

    Raises:
        InputError, UsageError: as `tolman analyze deltas`.
    """
    from tolman.reports.charts.chart import Chart, frame
    from tolman.workflows.analyses.deltas import DeltasConfig, analyze_deltas
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.figures.inputs import chosen_columns, ends, run_notes

    found = analyze_deltas(
        DeltasConfig(runs=config.runs, scorer=config.scorer, chance=config.chance, data=config.benchmark_data), events
    )
    columns = chosen_columns(found.columns, config.columns)
    means = {delta.what for delta in found.deltas if delta.model.startswith("mean of ")}
    rows = [
        {
            "panel": delta.what,
            "series": delta.model,
            "role": "run",
            "label": column.title,
            "value": delta.figures[column.key].value,
            **ends(delta.figures[column.key].interval),
            "n": delta.figures[column.key].n,
        }
        for delta in found.deltas
        if not config.means_only or delta.model.startswith("mean of ") or delta.what not in means
        for column in columns
        if column.key in delta.figures
    ]
    if not rows:
        raise UsageError("the runs share no item in these columns; there is nothing to compare.")
    scored = scored_runs(config.runs, config.scorer)
    said = "Lines: paired 95 % intervals, clustered by scene; on items that both runs answered."
    notes = (said, *run_notes(scored))
    title = f"{scored.benchmark.title}: differences in points, scorer {found.scorer}"
    settings = {"low": None, "high": None, "zero": True}
    return Chart(frame(rows), title, x="difference, points", notes=notes, settings=settings)


FIGURE = FigureKind(
    name="deltas",
    title="Differences between a model's runs by column: with vision − blind, one protocol − direct.",
    config=DeltasFigureConfig,
    make=deltas_chart,
    form="dots",
    columns=("panel", "series", "role", "label", "value", "low", "high", "n"),
    examples=("deltas runs/vsi-bench-full/my-model-direct runs/vsi-bench-full/my-model-blind",),
)
