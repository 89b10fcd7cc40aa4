"""Forms of charts with bars and squares: grouped bars, counts, stacked bars, and heat maps.

Grouped bars have a group for each label, a bar with its interval for each run, and published rows as grey marks;
groups that one line can't hold go on in a further line. Counts have a panel for each property with an axis of its
own, and the number behind each bar. Stacked bars have a bar for each label, whose parts are the series, and panels
below each other. A heat map has a panel for each run, rows by series, columns by label; a square is the fuller the
greater its value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from tolman.reports.charts.chart import (
    BEHIND,
    Chart,
    Entry,
    Form,
    behind_entries,
    ends,
    hatch,
    patch_entries,
    plain,
    style,
    whisker,
    wrapped,
)
from tolman.reports.charts.theme import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


ROW_HEIGHT = 2.0
"""Inches."""
_ROOM = 6.4
_BAR, _GAP, _LABEL = 0.085, 0.16, 0.56
"""Inches: of all groups side by side, of a bar at least, between groups, and of a label."""


def _bars_lines(chart: Chart) -> list[list[str]]:
    """The labels in the lines of the figure, as even as can be."""
    labels = chart.values("label")
    least = max(_LABEL, _BAR * len(chart.series("run")) + _GAP)
    most = max(1, int(_ROOM / least))
    count = math.ceil(len(labels) / most)
    each = math.ceil(len(labels) / max(1, count))
    return [labels[i : i + each] for i in range(0, len(labels), each)]


def draw_bars(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure."""
    lines = _bars_lines(chart)
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


BARS_FORM = Form(
    draw_bars,
    lambda chart: ROW_HEIGHT * len(_bars_lines(chart)) + 0.35,
    lambda chart, theme: [*patch_entries(chart.series("run"), theme), *behind_entries(chart, theme)],
    "bars",
)


PANELS_A_LINE = 2
_LINE = 0.2


def several_entries(chart: Chart, theme: Theme) -> Sequence[Entry]:
    """The entries of areas; none for one series."""
    return patch_entries(chart.series(), theme) if len(chart.series()) > 1 else []


def _counts_lines(chart: Chart) -> list[list[tuple[str, int]]]:
    """The panels in lines, each with how many bars' room it needs."""
    sizes = [
        (panel, chart.data.filter(pl.col("panel") == panel)["label"].n_unique() * max(1, 0.6 * len(chart.series())))
        for panel in chart.values("panel")
    ]
    rounded = [(panel, round(size + 0.49)) for panel, size in sizes]
    return [rounded[i : i + PANELS_A_LINE] for i in range(0, len(rounded), PANELS_A_LINE)]


def _tallest(line: Sequence[tuple[str, int]]) -> int:
    return max(size for _, size in line)


def draw_counts(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure."""
    lines, series = _counts_lines(chart), chart.series()
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


COUNTS_FORM = Form(
    draw_counts,
    lambda chart: sum(_LINE * _tallest(line) + 0.55 for line in _counts_lines(chart)) + 0.25,
    several_entries,
    "counts",
)


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


def draw_stacked(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `high`, the end of the axis (100)."""
    panels, parts = _panels(chart), chart.series()
    high = chart.settings.get("high") or 100
    heights = [len(labels) + 0.9 for labels in panels.values()]
    places = figure.subplots(len(panels), 1, squeeze=False, sharex=True, height_ratios=heights)[:, 0]
    for axes, (panel, labels) in zip(places, panels.items(), strict=True):
        starts = dict.fromkeys(labels, 0.0)
        rows = chart.data.filter(pl.col("panel").fill_null("") == panel).to_dicts()
        for row in rows:
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
        counts = {row["label"]: row["n"] for row in rows if row["n"] is not None}
        said = [plain(label, 40) + (f" ({counts[label]:,})" if label in counts else "") for label in labels]
        axes.set_yticks(range(len(labels)), said)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_xlim(0, high)
        if panel:
            axes.set_title(_stacked_title(panel), loc="left", fontsize=9)
        style(axes, grid="x")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    places[-1].set_xlabel(chart.x)


def _stacked_title(panel: str) -> str:
    return wrapped(plain(panel, 160), 56)


def _stacked_height(chart: Chart) -> float:
    panels = _panels(chart)
    titles = sum(1 + _stacked_title(panel).count("\n") for panel in panels)
    return LINE * sum(len(labels) + 0.9 for labels in panels.values()) + 0.2 * titles + 0.45


STACKED_FORM = Form(draw_stacked, _stacked_height, several_entries, "stacked")


_BRIGHT = 0.55
MOST_ACROSS = 4
"""Panels in a line for which a chart may ask."""


def _heat_names(chart: Chart, panel: str) -> tuple[list[str], list[str]]:
    """Rows and columns of a panel."""
    own = chart.data.filter(pl.col("panel").fill_null("") == panel)
    return [list(own[name].unique(maintain_order=True)) for name in ("series", "label")]  # type: ignore[return-value]


def _heat_lines(chart: Chart) -> list[list[str]]:
    """Arrange the panels in lines: as many side by side as the chart says, or as have room."""
    panels = chart.values("panel") or [""]
    given = chart.settings.get("across", 0)
    widest = max(len(_heat_names(chart, panel)[1]) for panel in panels)
    across = max(1, min(len(panels), 3 if widest <= 4 else 2 if widest <= 9 else 1))
    across = given if 0 < given <= MOST_ACROSS else across
    return [panels[i : i + across] for i in range(0, len(panels), across)]


def draw_heat(figure: Figure, chart: Chart, theme: Theme) -> None:
    """Draw them on an empty figure. Settings: `high`, the value of a full square (100); `digits`, decimals of the
    figures (0); `ring`, whether squares of equal row and column are framed; `across`, how many panels a line has."""
    lines = _heat_lines(chart)
    heights = [max(len(_heat_names(chart, panel)[0]) for panel in line) + 1.5 for line in lines]
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
    """Draw one panel, one of so many side by side."""
    from matplotlib.patches import Rectangle

    rows, columns = _heat_names(chart, panel)
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


def _heat_height(chart: Chart) -> float:
    rows = [max(len(_heat_names(chart, panel)[0]) for panel in line) for line in _heat_lines(chart)]
    return sum(0.31 * count + 1.0 for count in rows) + 0.2


HEAT_FORM = Form(draw_heat, _heat_height, lambda chart, theme: (), "heat")


FORMS = (BARS_FORM, COUNTS_FORM, STACKED_FORM, HEAT_FORM)
