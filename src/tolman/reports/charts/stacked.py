"""Stacked bars: a bar for each label, whose parts are the series; panels below each other."""

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

LINE = 0.27
"""Inches of a bar's line."""
NAMED_FROM = 5.0
"""Share of the axis from which a part of a bar has its figure written on it, per cent."""


def _panels(chart: Chart) -> dict[str, list[str]]:
    """Panel → its labels."""
    found: dict[str, list[str]] = {}
    for panel, label in chart.data.select(pl.col("panel").fill_null(""), "label").iter_rows():
        own = found.setdefault(panel, [])
        if label not in own:
            own.append(label)
    return found


def draw(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `high`, the end of the axis (100)."""
    panels, parts = _panels(chart), chart.series()
    high = chart.settings.get("high") or 100
    heights = [len(labels) + 0.9 for labels in panels.values()]
    places = figure.subplots(len(panels), 1, squeeze=False, sharex=True, height_ratios=heights)[:, 0]
    for axes, (panel, labels) in zip(places, panels.items(), strict=True):
        starts = dict.fromkeys(labels, 0.0)
        for row in chart.data.filter(pl.col("panel").fill_null("") == panel).iter_rows(named=True):
            number, place, width = parts.index(row["series"]), labels.index(row["label"]), row["value"] or 0.0
            axes.barh(
                place, width, left=starts[row["label"]], height=0.72, color=theme.of(number), hatch=hatch(number),
                edgecolor=theme.ground, linewidth=0.6, zorder=2,
            )  # fmt: skip
            if 100 * width / high >= NAMED_FROM:
                said = axes.text(
                    starts[row["label"]] + width / 2, place, f"{width:,.0f}", ha="center", va="center", fontsize=7.5,
                    color=theme.on(number), zorder=3, clip_on=True,
                    bbox={"facecolor": theme.of(number), "edgecolor": "none", "pad": 0.8},
                )  # fmt: skip
                said.set_in_layout(False)
            starts[row["label"]] += width
        counts = {row["label"]: row["n"] for row in chart.data.iter_rows(named=True) if row["n"] is not None}
        said = [plain(label, 40) + (f" ({counts[label]:,})" if label in counts else "") for label in labels]
        axes.set_yticks(range(len(labels)), said)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_xlim(0, high)
        if panel:
            axes.set_title(plain(panel, 90), loc="left", fontsize=9)
        style(axes, grid="x")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    places[-1].set_xlabel(chart.x)


def _height(chart: Chart) -> float:
    panels = _panels(chart)
    return LINE * sum(len(labels) + 0.9 for labels in panels.values()) + 0.2 * len(panels) + 0.45


def _entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    parts = chart.series()
    return patch_entries(parts, theme) if len(parts) > 1 else []


FORM = Form(draw, _height, _entries)
