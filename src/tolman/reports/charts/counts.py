"""Counts: a panel of bars for each property, each with an axis of its own; the number stands behind its bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from tolman.reports.charts.chart import Chart, plain
from tolman.reports.charts.marks import hatch, patch_entries, style
from tolman.reports.charts.page import Entry, Form
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS_A_LINE = 2
_LINE = 0.2


def _lines(chart: Chart) -> list[list[tuple[str, int]]]:
    """The panels in lines, each with how many bars' room it needs."""
    sizes = [
        (panel, chart.data.filter(pl.col("panel") == panel)["label"].n_unique() * max(1, 0.6 * len(chart.series())))
        for panel in chart.values("panel")
    ]
    rounded = [(panel, round(size + 0.49)) for panel, size in sizes]
    return [rounded[i : i + PANELS_A_LINE] for i in range(0, len(rounded), PANELS_A_LINE)]


def _tallest(line: Sequence[tuple[str, int]]) -> int:
    return max(size for _, size in line)


def draw(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure."""
    lines, series = _lines(chart), chart.series()
    across = min(PANELS_A_LINE, len(chart.values("panel")))
    places = figure.subplots(
        len(lines), across, squeeze=False, height_ratios=[_LINE * _tallest(line) + 0.5 for line in lines]
    )
    width = 0.78 / len(series)
    for own, line in zip(places, lines, strict=True):
        for axes in own[len(line) :]:
            axes.set_visible(False)
        for axes, (panel, _) in zip(own, line, strict=False):
            rows = chart.data.filter(pl.col("panel") == panel)
            labels = list(rows["label"].unique(maintain_order=True))
            for row in rows.iter_rows(named=True):
                number = series.index(row["series"])
                at = labels.index(row["label"]) + width * (number + 0.5) - 0.39
                axes.barh(
                    at, row["value"], height=width * 0.92, color=theme.of(number), hatch=hatch(number),
                    edgecolor=theme.ground, linewidth=0, zorder=2,
                )  # fmt: skip
                axes.annotate(
                    f"{row['value']:,.0f}", (row["value"], at), xytext=(3, 0), textcoords="offset points", va="center",
                    fontsize=7, color=theme.faint,
                )  # fmt: skip
            axes.set_yticks(range(len(labels)), [plain(label, 34) for label in labels])
            axes.set_ylim(max(len(labels), round(0.6 * _tallest(line) / max(1, 0.6 * len(series)))) - 0.4, -0.6)
            axes.set_xlim(0, 1.16 * max(1, rows["value"].max()))  # type: ignore[type-var, operator]
            axes.set_title(plain(panel), loc="left", fontsize=9)
            axes.tick_params(axis="both", labelsize=8)
            axes.locator_params(axis="x", nbins=4)
            style(axes, grid="x")
            axes.tick_params(axis="y", length=0)
    for axes in places[-1]:
        axes.set_xlabel(chart.x)


def _height(chart: Chart) -> float:
    return sum(_LINE * _tallest(line) + 0.55 for line in _lines(chart)) + 0.25


def _entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    return patch_entries(chart.series(), theme) if len(chart.series()) > 1 else []


FORM = Form(draw, _height, _entries)
