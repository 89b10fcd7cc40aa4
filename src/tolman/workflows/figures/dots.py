"""Dots: the figures of runs with their intervals, a line for each column."""

from __future__ import annotations

from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.bars import COLUMNS, bars_chart
from tolman.workflows.figures.settings import TableFigureConfig

FIGURE = FigureKind(
    name="dots",
    title="Scores by column of the table, a dot with its interval for each run, chance and people behind.",
    config=TableFigureConfig,
    make=bars_chart,
    form="dots",
    columns=COLUMNS,
    examples=("dots runs/spatialbench-full/* --published all --out tasks.pdf",),
)
