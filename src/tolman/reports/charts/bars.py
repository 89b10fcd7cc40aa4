"""Bars in groups: a group for each label, a bar with its interval for each run, rows of papers as grey marks.

Groups that one line can't hold go on in a further line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tolman.reports.charts.chart import Chart, plain
from tolman.reports.charts.marks import BEHIND, behind_entries, ends, hatch, patch_entries, style, whisker, wrapped
from tolman.reports.charts.page import Entry, Form
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW_HEIGHT = 2.0
"""Inches."""
_ROOM = 6.4
_BAR, _GAP, _LABEL = 0.085, 0.16, 0.56
"""Inches: of all groups side by side, of a bar at least, between groups, and of a label."""


def _lines(chart: Chart) -> list[list[str]]:
    """The labels in the lines of the figure, as even as can be."""
    labels = chart.values("label")
    least = max(_LABEL, _BAR * len(chart.series("run")) + _GAP)
    most = max(1, int(_ROOM / least))
    count = math.ceil(len(labels) / most)
    each = math.ceil(len(labels) / max(1, count))
    return [labels[i : i + each] for i in range(0, len(labels), each)]


def draw(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure."""
    lines = _lines(chart)
    runs = chart.series("run")
    width = 0.82 / max(1, len(runs))
    limits = ends(chart.data.iter_rows(named=True))
    for axes, labels in zip(figure.subplots(len(lines), 1, squeeze=False)[:, 0], lines, strict=True):
        for row in chart.data.iter_rows(named=True):
            if row["label"] not in labels or row["value"] is None:
                continue
            place = labels.index(row["label"])
            if row["role"] != "run":
                look = BEHIND[row["role"]]
                if row["role"] == "chance":
                    axes.plot(
                        [place - 0.46, place + 0.46], [row["value"]] * 2, color=theme.behind, linewidth=1.4,
                        linestyle=(0, (3, 2)), zorder=4,
                    )  # fmt: skip
                else:
                    at = place + (0.45 if row["role"] == "published" else 0)
                    axes.plot([at], [row["value"]], color=theme.behind, linestyle="none", zorder=4, **look)
                continue
            number = runs.index(row["series"])
            x = place + width * (number + 0.5) - 0.41
            axes.bar(
                x, row["value"], width * 0.92, color=theme.of(number), hatch=hatch(number), edgecolor=theme.ground,
                linewidth=0, zorder=2,
            )  # fmt: skip
            whisker(axes, x, row, theme.ink, along="y", behind=3)
        axes.set_xlim(-0.55, len(labels) - 0.45)
        axes.set_xticks(range(len(labels)), [wrapped(plain(label)) for label in labels])
        axes.tick_params(axis="x", labelsize=8)
        axes.set_ylim(*limits)
        if limits[0] < 0:
            axes.axhline(0, color=theme.ink, linewidth=0.8, zorder=3)
        axes.set_ylabel(chart.y)
        style(axes, grid="y")
        axes.tick_params(axis="x", length=0)


def _height(chart: Chart) -> float:
    return ROW_HEIGHT * len(_lines(chart)) + 0.35


def _entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    return [*patch_entries(chart.series("run"), theme), *behind_entries(chart, theme)]


FORM = Form(draw, _height, _entries)
