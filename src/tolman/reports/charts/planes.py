"""Places in a plane: a panel for each map, drawn places joined to the true ones of the same name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from tolman.reports.charts.chart import Chart, plain
from tolman.reports.charts.marks import place_labels, wrapped
from tolman.reports.charts.page import Entry, Form
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS_A_LINE = 2
TRUE, DRAWN = "true", "drawn"
"""The series of the data: places on the true map, and on the one that a model drew."""


def draw(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure: a hollow square where a thing is, a dot where the model has it, a line between them
    where both maps have one of the name. Settings: `grid`, cells along each side."""
    panels, grid = chart.values("panel"), chart.settings.get("grid", 10)
    across = min(len(panels), PANELS_A_LINE)
    for number, axes in enumerate(figure.subplots(-(-len(panels) // across), across, squeeze=False).flat):
        if number >= len(panels):
            axes.set_visible(False)
            continue
        rows = chart.data.filter(pl.col("panel") == panels[number])
        places = {
            kind: {
                name: [(row["x"], row["value"]) for row in rows.iter_rows(named=True)
                       if row["series"] == kind and row["label"] == name]
                for name in chart.values("label")
            }
            for kind in (TRUE, DRAWN)
        }  # fmt: skip
        named: list[tuple[tuple[float, float], str]] = []
        for name in chart.values("label"):
            true, drawn = places[TRUE][name], places[DRAWN][name]
            if len(true) == len(drawn) == 1:
                axes.plot(*zip(*true, *drawn, strict=False), color=theme.behind, linewidth=0.9, zorder=1)
            for x, y in true:
                axes.plot([x], [y], "s", color=theme.ink, markerfacecolor="none", markersize=5.5, zorder=2)
            for x, y in drawn:
                axes.plot([x], [y], "o", color=theme.of(0), markersize=4.2, zorder=3)
            named += [(place, plain(name, 18)) for place in (true or drawn)[:1]]
            named += [(place, "") for place in drawn]
        axes.set_xlim(-0.4, grid + 0.4)
        axes.set_ylim(-0.4, grid + 0.4)
        axes.set_aspect("equal")
        side = 6.8 / across - 0.45 if across > 1 else 4.4
        place_labels(axes, [place for place, _ in named], [text for _, text in named], (side, side))
        step = max(1, grid // 5)
        axes.set_xticks(range(0, grid + 1, step))
        axes.set_yticks(range(0, grid + 1, step))
        axes.grid(linewidth=0.7)
        axes.set_axisbelow(True)
        axes.tick_params(length=0, labelsize=7)
        axes.spines[:].set_color(theme.grid)
        axes.set_title(wrapped(plain(panels[number], 70), 36), loc="left", fontsize=8)


def _height(chart: Chart) -> float:
    panels = len(chart.values("panel"))
    lines = -(-panels // PANELS_A_LINE)
    return 5.0 if panels == 1 else 3.6 * lines


def _entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    from matplotlib.lines import Line2D

    return [
        Entry("true place", Line2D([], [], marker="s", color=theme.ink, markerfacecolor="none", linestyle="none")),
        Entry("drawn by the model", Line2D([], [], marker="o", color=theme.of(0), linestyle="none")),
        Entry("from one to the other", Line2D([], [], color=theme.behind, linewidth=0.9)),
    ]


FORM = Form(draw, _height, _entries)
