"""Dots with their intervals: a line for each label, a dot for each run, rows of papers as grey marks, panels beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from tolman.reports.charts.chart import Chart, plain
from tolman.reports.charts.marks import BEHIND, MARK, behind_entries, dot_entries, ends, marker, style, whisker, wrapped
from tolman.reports.charts.page import Entry, Form
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_LINE = 0.24
"""Inches of a label's line at least."""
_DOT = 0.115


def _line(chart: Chart) -> float:
    return max(LEAST_LINE, _DOT * (len(chart.series("run")) + 0.8))


def draw(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `low` and `high`, what the axis reaches at least (0 and 100; None for
    what the values need), and `zero`, whether there is a line at 0."""
    labels, runs, panels = chart.values("label"), chart.series("run"), chart.values("panel") or [""]
    low, high = chart.settings.get("low", 0), chart.settings.get("high", 100)
    limits = ends(chart.data.iter_rows(named=True), low, high)
    room = 0.72 / max(1, len(runs))
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False, sharey=True)[0], panels, strict=True):
        rows = chart.data.filter(pl.col("panel").fill_null("") == panel)
        if chart.settings.get("zero"):
            axes.axvline(0, color=theme.ink, linewidth=0.9, zorder=1)
        for row in rows.iter_rows(named=True):
            if row["value"] is None:
                continue
            place = labels.index(row["label"])
            if row["role"] != "run":
                look = BEHIND[row["role"]] | ({"marker": "|"} if row["role"] == "chance" else {})
                axes.plot([row["value"]], [place], color=theme.behind, linestyle="none", zorder=1.5, **look)
                continue
            number = runs.index(row["series"])
            at = place + room * (number + 0.5) - 0.36 if len(runs) > 1 else place
            whisker(axes, at, row, theme.of(number), along="x")
            axes.plot(
                [row["value"]], [at], marker=marker(number), color=theme.of(number), markeredgecolor=theme.ground,
                zorder=3, **MARK,
            )  # fmt: skip
        for place in range(1, len(labels), 2):
            axes.axhspan(place - 0.5, place + 0.5, color=theme.grid, alpha=0.45, linewidth=0, zorder=0)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_yticks(range(len(labels)), [plain(label, 44) for label in labels])
        axes.set_xlim(*limits)
        axes.set_xlabel(wrapped(chart.x, 88 // len(panels)))
        if panel:
            axes.set_title(wrapped(plain(panel), 88 // len(panels)), loc="left", fontsize=9)
        style(axes, grid="x")
        axes.tick_params(axis="y", length=0)


def _height(chart: Chart) -> float:
    return _line(chart) * len(chart.values("label")) + 0.55 + (0.3 if chart.values("panel") else 0)


def _entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    runs = dot_entries(chart, theme) if len(chart.series("run")) > 1 or not chart.settings.get("alone") else []
    return [*runs, *behind_entries(chart, theme, turned=True)]


FORM = Form(draw, _height, _entries)
