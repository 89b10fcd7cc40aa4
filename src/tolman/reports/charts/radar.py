"""A radar: an axis for each label, a closed line for each series; values below 0 are drawn at the centre.

The area of such a shape depends on the order of the axes, and its intervals can't be read: `dots` says more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from tolman.reports.charts.chart import Chart, plain
from tolman.reports.charts.marks import MARK, behind_entries, dot_entries, marker, wrapped
from tolman.reports.charts.page import Entry, Form
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DASHES: dict[str, Any] = {"chance": (0, (1, 1.5)), "human": (0, (5, 2)), "published": "-"}


def draw(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw it on an empty figure, with the intervals as lines along the axes."""
    labels, runs = chart.values("label"), chart.series("run")
    turns = [2 * math.pi * i / max(1, len(labels)) for i in range(len(labels))]
    axes: Any = figure.add_subplot(projection="polar")
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    top = 0.0
    for name in [*chart.series("published", "chance", "human"), *runs]:
        rows = {row["label"]: row for row in chart.data.filter(pl.col("series") == name).iter_rows(named=True)}
        role = next(iter(rows.values()))["role"]
        kept = [(turn, rows[label]) for turn, label in zip(turns, labels, strict=True) if label in rows]
        kept = [(turn, row) for turn, row in kept if row["value"] is not None]
        if not kept:
            continue
        closed = len(kept) == len(labels)
        x = [turn for turn, _ in kept] + ([kept[0][0]] if closed else [])
        y = [max(0.0, row["value"]) for _, row in kept]
        y += [y[0]] if closed else []
        top = max([top, *y, *(row["high"] for _, row in kept if row["high"] is not None)])
        if role != "run":
            axes.plot(x, y, color=theme.behind, linewidth=1, linestyle=_DASHES[role], zorder=2)
            continue
        number = runs.index(name)
        shift = 0.02 * (number - (len(runs) - 1) / 2)
        axes.plot(x, y, color=theme.of(number), linewidth=1.5, zorder=3)
        axes.fill(x, y, color=theme.of(number), alpha=0.07, linewidth=0, zorder=1)
        axes.plot(x, y, marker=marker(number), color=theme.of(number), markeredgecolor=theme.ground, zorder=4, **MARK)
        for turn, row in kept:
            if row["low"] is not None:
                reach = [max(0.0, row["low"]), max(0.0, row["high"])]
                axes.plot([turn + shift] * 2, reach, color=theme.of(number), linewidth=1, zorder=3)
    axes.set_ylim(0, 20 * math.ceil(max(top, 20) / 20))
    axes.set_yticks(range(20, int(axes.get_ylim()[1]) + 1, 20))
    axes.set_rlabel_position(180 / max(1, len(labels)))
    axes.tick_params(axis="y", labelsize=7, labelcolor=theme.faint)
    axes.set_xticks(turns, [wrapped(plain(label), 16) for label in labels])
    axes.tick_params(axis="x", pad=7)
    for label, turn in zip(axes.get_xticklabels(), turns, strict=True):
        right = math.sin(turn)
        label.set_horizontalalignment("center" if abs(right) < 0.15 else "left" if right > 0 else "right")
    axes.grid(linewidth=0.7)
    axes.spines["polar"].set_color(theme.grid)


def _entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    return [*dot_entries(chart, theme, line=True), *_behind(chart, theme)]


def _behind(chart: Chart, theme: Theme) -> list[Entry]:
    from matplotlib.lines import Line2D

    names = [entry.name for entry in behind_entries(chart, theme)]
    roles = [role for role in ("chance", "human", "published") if chart.series(role)]
    return [
        Entry(name, Line2D([], [], color=theme.behind, linewidth=1, linestyle=_DASHES[role]))
        for name, role in zip(names, roles, strict=True)
    ]


FORM = Form(draw, lambda chart: 4.3, _entries)
