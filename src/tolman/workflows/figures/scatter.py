"""A score against results of other tasks, a point for each model (MMSI-Bench, Appendix E; SITE, Tables 5 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.analyses.settings import Seed
from tolman.workflows.config import Setting
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import FigureConfig

if TYPE_CHECKING:
    from tolman.analyze.correlation import Correlation
    from tolman.reports.charts.chart import Chart


@dataclass(frozen=True, kw_only=True)
class ScatterConfig(FigureConfig):
    """Settings of `scatter_chart`."""

    runs: Annotated[
        tuple[Path, ...],
        Setting(
            "Run folders of one benchmark, whose headlines are the models' scores; none with --score.", positional=True
        ),
    ] = ()
    table: Annotated[Path, Setting("CSV with a row for each model: its name first, then figures.")]
    score: Annotated[str | None, Setting("Column that is held against the others. Default: the runs' headline.")] = None
    against: Annotated[
        tuple[str, ...],
        Setting("Column it is held against; may be given several times. Default: all.", repeated=True),
    ] = ()
    lower_is_better: Annotated[
        tuple[str, ...],
        Setting("Column that is negated, such as a distance; may be given several times.", repeated=True),
    ] = ()
    seed: Seed = 0


def scatter_chart(config: ScatterConfig, events: Events) -> Chart:
    """Make the data: for each column of the table (panel) and model (label) its figure (x) and score (value).

    Raises:
        InputError, UsageError: as `tolman analyze correlation`; or no model has both figures.
    """
    from tolman.reports.charts.chart import Chart, frame
    from tolman.workflows.analyses.correlation import CorrelationConfig, correlated_columns, correlations
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.figures.inputs import run_notes

    settings = CorrelationConfig(
        table=config.table, runs=config.runs, score=config.score, against=config.against,
        lower_is_better=config.lower_is_better, seed=config.seed,
    )  # fmt: skip
    columns = correlated_columns(settings)
    found = correlations(columns, config.seed)
    rows = [
        {
            "panel": other, "series": "models", "role": "run", "label": name, "x": columns.figures[other][i],
            "value": columns.figures[columns.score][i],
        }
        for other in columns.others
        for i, name in enumerate(columns.models)
    ]  # fmt: skip
    whole = [row for row in rows if row["x"] == row["x"] and row["value"] == row["value"]]
    if not whole:
        raise UsageError("no model has both figures; nothing can be drawn.")
    turned = {name: f"{name}, negated" if name in config.lower_is_better else name for name in columns.others}
    title = f"{columns.score} against other results, {len({row['label'] for row in whole})} models"
    notes = ["r: Pearson, ρ: Spearman, with 95 % bootstrap intervals over models. Dashed: least squares."]
    if config.runs:
        notes += run_notes(scored_runs(config.runs))
    return Chart(
        frame(whole),
        title,
        y=columns.score,
        notes=(*notes, *columns.marks),
        settings={
            "fit": True,
            "names": True,
            "axes": turned,
            "said": {other: said(found[other]) for other in columns.others},
        },
    )


def said(found: Correlation) -> str:
    """Both coefficients with their intervals, on two lines."""
    parts = (("r", found.pearson, found.pearson_interval), ("ρ", found.spearman, found.spearman_interval))
    return "\n".join(
        f"{name} = {value:.2f}" + (f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else "")
        for name, value, interval in parts
        if value is not None
    )


FIGURE = FigureKind(
    name="scatter",
    title="A benchmark's score against results of other tasks, a point for each model, with the correlation.",
    config=ScatterConfig,
    make=scatter_chart,
    form="scatter",
    columns=("panel", "series", "role", "label", "x", "value"),
    examples=("scatter runs/mmsi-bench-full/* --table downstream.csv",),
)
