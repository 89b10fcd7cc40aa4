"""Forms of charts with points and lines: dots, lines, scatter, planes, and a radar.

Dots have a line for each label, a dot with its interval for each run, and published rows as grey marks. Lines have a
series each, with the interval at each point. A scatter has a panel for each pair of quantities, with the line that
the points are held to. Planes have a panel for each map, with drawn places joined to the true ones of the same name.
A radar has an axis for each label and a closed line for each series; values below 0 are drawn at the centre. The area
of such a shape depends on the order of the axes, and its intervals can't be read: `dots` says more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tolman.reports.charts.chart import (
    BEHIND,
    MARK,
    Chart,
    Entry,
    Form,
    behind_entries,
    dot_entries,
    ends,
    logarithmic,
    marker,
    place_labels,
    plain,
    style,
    whisker,
    wrapped,
)
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LEAST_LINE = 0.24
"""Inches of a label's line at least."""
_DOT = 0.115


def draw_dots(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `low` and `high`, the least range of the axis (0 and 100; None for the
    range of the values), and `zero`, whether there is a line at 0."""
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


def _dots_height(chart: Chart) -> float:
    line = max(LEAST_LINE, _DOT * (len(chart.series("run")) + 0.8))
    return line * len(chart.values("label")) + 0.55 + (0.3 if chart.values("panel") else 0)


def _dots_entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    runs = dot_entries(chart, theme) if len(chart.series("run")) > 1 or not chart.settings.get("alone") else []
    return [*runs, *behind_entries(chart, theme, turned=True)]


DOTS_FORM = Form(draw_dots, _dots_height, _dots_entries, "dots")


LINES_PANELS_A_LINE = 3


def draw_lines(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `low` and `high` as for dots; `logarithmic`, whether the axis of numbers
    is; `ticks`, the numbers that it names, as (place, text)."""
    panels, runs = chart.values("panel") or [""], chart.series("run")
    across = min(len(panels), LINES_PANELS_A_LINE)
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
                dashes = (0, (8, 3)) if row["role"] == "human" else (0, (3, 2))
                axes.axhline(row["value"], color=theme.behind, linewidth=1.2, linestyle=dashes, zorder=1)
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


def _lines_height(chart: Chart) -> float:
    panels = len(chart.values("panel"))
    lines = -(-max(1, panels) // LINES_PANELS_A_LINE)
    return 2.8 if panels < 2 else 2.2 * lines + 0.2


LINES_FORM = Form(
    draw_lines,
    _lines_height,
    lambda chart, theme: [*dot_entries(chart, theme, line=True), *behind_entries(chart, theme)],
    "lines",
)


SCATTER_PANELS_A_LINE = 3
MANY = 60
"""Points of a panel from which they are small and without a name."""


def draw_scatter(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `diagonal`, whether x and y share their axes and the line of equal values
    is drawn; `fit`, whether the least-squares line is; `logarithmic`, the axes that are ('x', 'xy' …); `names`, whether
    points have labels; `axes`, panel → label of its x axis; `units`, panel → the unit of both axes; `said`, panel →
    text within it."""
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
        logarithmic(axes, x="x" in which, y="y" in which, most=4 if across > 1 else 7)
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
        units = chart.settings.get("units", {})
        unit = f", {units[panel]}" if panel in units else ""
        told = plain(chart.settings.get("axes", {}).get(panel, chart.x)) + unit
        axes.set_xlabel(wrapped(told, 34 if across > 1 else 90))
        if number % across == 0 or units:
            axes.set_ylabel(f"{chart.y}{unit}")
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
    x, y = rows["x"].to_numpy(), rows["value"].to_numpy()
    if len(x) > 2 and np.ptp(x) > 0:
        slope, start = np.polyfit(x, y, 1)
        ends = np.array([x.min(), x.max()])
        axes.plot(ends, start + slope * ends, color=theme.behind, linewidth=1.2, linestyle=(0, (3, 2)), zorder=1)


def _scatter_height(chart: Chart) -> float:
    panels = max(1, len(chart.values("panel")))
    return 3.4 if panels == 1 else 2.5 * -(-panels // _across(chart))


def _across(chart: Chart) -> int:
    """Return how many panels are side by side: fewer where points have names."""
    return min(max(1, len(chart.values("panel"))), 2 if chart.settings.get("names") else SCATTER_PANELS_A_LINE)


def _scatter_entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    panels = max(1, len(chart.values("panel")))
    named = chart.settings.get("names") and len(chart.data) <= MANY * panels
    return [] if named else dot_entries(chart, theme)


SCATTER_FORM = Form(draw_scatter, _scatter_height, _scatter_entries, "scatter")


PLANES_PANELS_A_LINE = 2
TRUE, DRAWN = "true", "drawn"
"""The series of the data: places on the true map, and on the one that a model drew."""


def draw_planes(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure: a hollow square where a thing is, a dot where the model has it, a line between them
    where both maps have one of the name. Settings: `grid`, cells along each side."""
    panels, grid = chart.values("panel"), chart.settings.get("grid", 10)
    across = min(len(panels), PLANES_PANELS_A_LINE)
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


def _planes_height(chart: Chart) -> float:
    panels = len(chart.values("panel"))
    lines = -(-panels // PLANES_PANELS_A_LINE)
    return 5.0 if panels == 1 else 3.6 * lines


def _planes_entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    from matplotlib.lines import Line2D

    joined = chart.data.group_by("panel").agg(pl.col("series").n_unique())["series"].max() == 2
    line = [Entry("from one to the other", Line2D([], [], color=theme.behind, linewidth=0.9))] if joined else []
    return [
        Entry("true place", Line2D([], [], marker="s", color=theme.ink, markerfacecolor="none", linestyle="none")),
        Entry("drawn by the model", Line2D([], [], marker="o", color=theme.of(0), linestyle="none")),
        *line,
    ]


PLANES_FORM = Form(draw_planes, _planes_height, _planes_entries, "planes")


_DASHES: dict[str, Any] = {"chance": (0, (1, 1.5)), "human": (0, (5, 2)), "published": "-"}


def draw_radar(figure: Figure, chart: Chart, theme: Theme) -> None:
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


def _behind(chart: Chart, theme: Theme) -> list[Entry]:
    from matplotlib.lines import Line2D

    names = [entry.name for entry in behind_entries(chart, theme)]
    roles = [role for role in ("chance", "human", "published") if chart.series(role)]
    return [
        Entry(name, Line2D([], [], color=theme.behind, linewidth=1, linestyle=_DASHES[role]))
        for name, role in zip(names, roles, strict=True)
    ]


RADAR_FORM = Form(
    draw_radar,
    lambda chart: 4.3,
    lambda chart, theme: [*dot_entries(chart, theme, line=True), *_behind(chart, theme)],
    "radar",
)


FORMS = (DOTS_FORM, LINES_FORM, SCATTER_FORM, PLANES_FORM, RADAR_FORM)
