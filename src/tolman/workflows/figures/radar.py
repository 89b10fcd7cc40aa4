"""A radar over columns of the table: SITE's Figure 7a."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tolman.errors import UsageError
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.bars import COLUMNS, bars_chart
from tolman.workflows.figures.settings import TableFigureConfig

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart

LEAST_AXES = 3


def radar_chart(config: TableFigureConfig, events: Events) -> Chart:
    """Make the data: as for bars, without the headline and plain accuracy where no columns are named.

    Raises:
        InputError, UsageError: as for bars; or fewer than three columns.
    """
    import polars as pl

    chart = bars_chart(config, events)
    if not config.columns and not config.by:
        from tolman.workflows.analyses.inputs import scored_runs

        table = scored_runs(config.runs[:1]).benchmark.table
        # The headline and what is over all items hold the others; they are no axis beside them.
        same = [c.title for c in table.columns if c.key == table.headline or getattr(c.node, "tasks", ()) is None]
        chart = replace(chart, data=chart.data.filter(~pl.col("label").is_in(same)))
    if len(chart.values("label")) < LEAST_AXES:
        raise UsageError(f"a radar needs {LEAST_AXES} columns, and here are {len(chart.values('label'))}; draw dots.")
    negative = chart.data.filter((pl.col("role") == "run") & (pl.col("value") < 0)).height
    said = (f"{negative} figures below 0 are drawn at the centre.",) if negative else ()
    return replace(chart, notes=(*chart.notes, *said))


FIGURE = FigureKind(
    name="radar",
    title="Scores by column of the table on axes around a centre, a line for each run (SITE, Figure 7a).",
    config=TableFigureConfig,
    make=radar_chart,
    form="radar",
    columns=COLUMNS,
    examples=("radar runs/site-full/* --out categories.svg",),
)
