"""Bars: the figures of runs side by side, column by column, before the papers' marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import TableFigureConfig

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart

COLUMNS = ("series", "role", "label", "value", "low", "high", "n", "unread", "unanswered")
"""What figures of a table fill."""


def bars_chart(config: TableFigureConfig, events: Events) -> Chart:
    """Make the data: a row for each run or row of a paper, and column.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: runs that can't be held against each other, or an unknown column.
    """
    from tolman.reports.charts.chart import Chart, frame
    from tolman.workflows.figures.inputs import table_rows

    found = table_rows(config)
    return Chart(frame(found.rows()), found.title, x="score", y="score", notes=found.notes())


FIGURE = FigureKind(
    name="bars",
    title="Scores by column of the table, a bar with its interval for each run, chance and people behind.",
    config=TableFigureConfig,
    make=bars_chart,
    form="bars",
    columns=COLUMNS,
    examples=("bars runs/vsi-bench-full/* --out tasks.svg",),
)
