"""Squares of a table, the fuller the greater their value: a panel for each run, rows by series, columns by label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from tolman.reports.charts.chart import Chart, plain
from tolman.reports.charts.marks import wrapped
from tolman.reports.charts.page import Entry, Form
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BRIGHT = 0.55


def _names(chart: Chart, panel: str) -> tuple[list[str], list[str]]:
    """Rows and columns of a panel."""
    own = chart.data.filter(pl.col("panel").fill_null("") == panel)
    return [list(own[name].unique(maintain_order=True)) for name in ("series", "label")]  # type: ignore[return-value]


def _lines(chart: Chart) -> list[list[str]]:
    """The panels in lines, so many beside each other as have room."""
    panels = chart.values("panel") or [""]
    widest = max(len(_names(chart, panel)[1]) for panel in panels)
    across = max(1, min(len(panels), 3 if widest <= 4 else 2 if widest <= 9 else 1))
    return [panels[i : i + across] for i in range(0, len(panels), across)]


def draw(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `high`, the value of a full square (100); `digits`, decimals of the
    figures (0); `ring`, whether squares of equal row and column are framed."""
    lines = _lines(chart)
    heights = [max(len(_names(chart, panel)[0]) for panel in line) + 1.5 for line in lines]
    places = figure.subplots(len(lines), len(lines[0]), squeeze=False, height_ratios=heights)
    for own, line in zip(places, lines, strict=True):
        for axes in own[len(line) :]:
            axes.set_visible(False)
        for axes, panel in zip(own, line, strict=False):
            _squares(axes, chart, panel, theme, room=len(line))
            axes.set_xlabel(chart.x)
            if panel == line[0]:
                axes.set_ylabel(chart.y)


def _squares(axes: Axes, chart: Chart, panel: str, theme: Theme, room: int) -> None:
    """Draw one panel, one of so many beside each other."""
    from matplotlib.patches import Rectangle

    rows, columns = _names(chart, panel)
    high, digits = chart.settings.get("high") or 100, chart.settings.get("digits", 0)
    for cell in chart.data.filter(pl.col("panel").fill_null("") == panel).iter_rows(named=True):
        if cell["value"] is None:
            continue
        x, y = columns.index(cell["label"]), rows.index(cell["series"])
        share = min(1.0, max(0.0, cell["value"] / high))
        axes.add_patch(Rectangle((x - 0.48, y - 0.47), 0.96, 0.94, color=theme.of(0), alpha=share, linewidth=0))
        axes.text(
            x, y, f"{cell['value']:.{digits}f}", ha="center", va="center", fontsize=8,
            color=theme.on(0) if share > _BRIGHT else theme.ink,
        )  # fmt: skip
        if chart.settings.get("ring") and cell["label"] == cell["series"]:
            ring = Rectangle((x - 0.48, y - 0.47), 0.96, 0.94, fill=False, edgecolor=theme.ink, linewidth=1.1)
            axes.add_patch(ring)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    letters = max((len(word) for name in columns for word in plain(name).split()), default=0)
    steep = letters * 0.08 * len(columns) * room > 6.2 - 0.9 * room
    axes.set_xticks(
        range(len(columns)), [plain(name, 24) if steep else wrapped(plain(name), 12) for name in columns],
        rotation=40 if steep else 0, ha="right" if steep else "center",
        rotation_mode="anchor" if steep else "default",
    )  # fmt: skip
    axes.set_yticks(range(len(rows)), [plain(name, 30) for name in rows])
    axes.tick_params(length=0, labelsize=8)
    axes.spines[:].set_visible(False)
    if panel:
        axes.set_title(wrapped(plain(panel), 90 // room), loc="left", fontsize=9)


def _height(chart: Chart) -> float:
    rows = [max(len(_names(chart, panel)[0]) for panel in line) for line in _lines(chart)]
    return sum(0.31 * count + 1.0 for count in rows) + 0.2


def _entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    return []


FORM = Form(draw, _height, _entries)
