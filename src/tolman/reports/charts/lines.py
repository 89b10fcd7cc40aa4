"""Lines over numbers, a line for each series with the interval at each point; panels beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from tolman.reports.charts.chart import Chart, plain
from tolman.reports.charts.marks import MARK, behind_entries, dot_entries, ends, marker, style, whisker, wrapped
from tolman.reports.charts.page import Entry, Form
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS_A_LINE = 3


def draw(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `low` and `high` as for dots; `logarithmic`, whether the axis of numbers
    is; `ticks`, the numbers that it names, as (place, text)."""
    panels, runs = chart.values("panel") or [""], chart.series("run")
    across = min(len(panels), PANELS_A_LINE)
    places = figure.subplots(-(-len(panels) // across), across, squeeze=False, sharey=True)
    limits = ends(chart.data.iter_rows(named=True), chart.settings.get("low", 0), chart.settings.get("high", 100))
    ticks = chart.settings.get("ticks", ())
    for number, axes in enumerate(places.flat):
        if number >= len(panels):
            axes.set_visible(False)
            continue
        panel = panels[number]
        own = chart.data.filter((pl.col("panel").fill_null("") == panel) & pl.col("value").is_not_null())
        if chart.settings.get("logarithmic"):
            axes.set_xscale("log", base=2)
        for i, name in enumerate(runs):
            rows = list(
                own.filter((pl.col("series") == name) & pl.col("x").is_not_null()).sort("x").iter_rows(named=True)
            )
            axes.plot(
                [row["x"] for row in rows], [row["value"] for row in rows], color=theme.of(i), linewidth=1.5,
                marker=marker(i), markeredgecolor=theme.ground, zorder=3, **MARK | {"linestyle": "-"},
            )  # fmt: skip
            for row in rows:
                whisker(axes, row["x"], row, theme.of(i), along="y")
        behind = own.filter(pl.col("role") != "run")
        for name in behind["series"].unique(maintain_order=True):
            line = behind.filter((pl.col("series") == name) & pl.col("x").is_not_null()).sort("x")
            axes.plot(
                line["x"].to_list(), line["value"].to_list(), color=theme.behind, linewidth=0.9, marker="o",
                markersize=3.2, markerfacecolor="none", markeredgewidth=0.7, zorder=1.5,
            )  # fmt: skip
        for row in behind.iter_rows(named=True):
            if row["x"] is None:
                axes.axhline(row["value"], color=theme.behind, linewidth=1.2, linestyle=(0, (3, 2)), zorder=1)
        if ticks:
            axes.set_xticks([place for place, _ in ticks], [text for _, text in ticks])
            axes.minorticks_off()
        axes.set_ylim(*limits)
        axes.set_xlabel(wrapped(chart.x, 88 // across))
        if number % across == 0:
            axes.set_ylabel(chart.y)
        if panel:
            axes.set_title(wrapped(plain(panel), 30), loc="left", fontsize=9)
        style(axes, grid="y")


def _height(chart: Chart) -> float:
    panels = len(chart.values("panel"))
    lines = -(-max(1, panels) // PANELS_A_LINE)
    return 2.8 if panels < 2 else 2.2 * lines + 0.2


def _entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    return [*dot_entries(chart, theme, line=True), *behind_entries(chart, theme)]


FORM = Form(draw, _height, _entries)
