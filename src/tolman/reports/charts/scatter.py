"""Points: a panel for each pair of quantities, named points or many small ones, with the line that they are held to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from tolman.reports.charts.chart import Chart, plain
from tolman.reports.charts.marks import MARK, dot_entries, logarithmic, marker, place_labels, style, whisker, wrapped
from tolman.reports.charts.page import Entry, Form
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS_A_LINE = 3
MANY = 60
"""Points of a panel from which they are small and without a name."""


def draw(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `diagonal`, whether x and y share their axes and the line of equal values
    is drawn; `fit`, whether the least-squares line is; `logarithmic`, the axes that are ('x', 'xy' …); `names`, whether
    labels stand beside their points; `axes`, panel → what stands at its x axis; `said`, panel → text within it."""
    panels, runs = chart.values("panel") or [""], chart.series("run")
    across = _across(chart)
    places = figure.subplots(-(-len(panels) // across), across, squeeze=False)
    for number, axes in enumerate(places.flat):
        if number >= len(panels):
            axes.set_visible(False)
            continue
        panel = panels[number]
        rows = chart.data.filter(
            (pl.col("panel").fill_null("") == panel) & pl.col("x").is_not_null() & pl.col("value").is_not_null()
        )
        which = chart.settings.get("logarithmic", "")
        logarithmic(axes, x="x" in which, y="y" in which)
        small = len(rows) > MANY
        for i, run in enumerate(runs):
            own = rows.filter(pl.col("series") == run)
            look = MARK | ({"markersize": 3, "alpha": 0.55, "markeredgewidth": 0} if small else {})
            axes.plot(
                own["x"].to_list(), own["value"].to_list(), marker=marker(i), color=theme.of(i),
                markeredgecolor=theme.ground, zorder=3, **look,
            )  # fmt: skip
            for row in own.iter_rows(named=True):
                whisker(axes, row["x"], row, theme.of(i), along="y")
        if chart.settings.get("diagonal") and len(rows):
            _diagonal(axes, rows, theme)
        if chart.settings.get("fit"):
            _fit(axes, rows, theme)
        if chart.settings.get("names") and not small:
            axes.margins(0.08)
            where = list(rows.select("x", "value").iter_rows())
            texts = [plain(text or "", 28) for text in rows["label"]]
            place_labels(axes, where, texts, (7.0 / across - 0.8, 2.6 if len(panels) == 1 else 1.6))
        said = chart.settings.get("said", {}).get(panel)
        if said:
            axes.set_title(said, loc="left", fontsize=8)
        axes.set_xlabel(wrapped(plain(chart.settings.get("axes", {}).get(panel, chart.x)), 34 if across > 1 else 90))
        if number % across == 0:
            axes.set_ylabel(chart.y)
        if panel and panel not in chart.settings.get("axes", {}):
            axes.set_title(wrapped(plain(panel), 30), loc="left", fontsize=9)
        style(axes, grid="both")


def _diagonal(axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
    """Both axes alike, from the least to the greatest true value and a bit more, with the line of equal values. Values
    beyond are drawn at the edge."""
    low, high = float(rows["x"].min()), float(rows["x"].max())  # type: ignore[arg-type]
    if axes.get_xscale() == "log":
        low, high = low / 2, high * 2
    else:
        room = 0.25 * ((high - low) or abs(high) or 1)
        low, high = max(0.0, low - room) if low >= 0 else low - room, high + room
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.plot([low, high], [low, high], color=theme.ink, linewidth=0.9, zorder=1)


def _fit(axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
    import numpy as np

    x, y = rows["x"].to_numpy(), rows["value"].to_numpy()
    if len(x) > 2 and np.ptp(x) > 0:
        slope, start = np.polyfit(x, y, 1)
        ends = np.array([x.min(), x.max()])
        axes.plot(ends, start + slope * ends, color=theme.behind, linewidth=1.2, linestyle=(0, (3, 2)), zorder=1)


def _height(chart: Chart) -> float:
    panels = max(1, len(chart.values("panel")))
    return 3.4 if panels == 1 else 2.5 * -(-panels // _across(chart))


def _across(chart: Chart) -> int:
    """How many panels stand beside each other: fewer where points have names."""
    return min(max(1, len(chart.values("panel"))), 2 if chart.settings.get("names") else PANELS_A_LINE)


def _entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    panels = max(1, len(chart.values("panel")))
    named = chart.settings.get("names") and len(chart.data) <= MANY * panels
    return [] if named else dot_entries(chart, theme)


FORM = Form(draw, _height, _entries)
