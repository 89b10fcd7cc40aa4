"""What several forms draw: series in their colours, intervals, rows of papers behind, axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from tolman.reports.charts.chart import Chart, shortened
from tolman.reports.charts.page import Entry
from tolman.reports.charts.theme import HATCHES, MARKERS, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEHIND: Mapping[str, dict[str, Any]] = {
    "chance": {"marker": "_", "markersize": 9, "markeredgewidth": 1.6},
    "human": {"marker": "d", "markersize": 6, "markerfacecolor": "none"},
    "published": {"marker": "o", "markersize": 3.2, "markerfacecolor": "none", "markeredgewidth": 0.7},
}
"""How rows of papers look, by their role: in grey, so that runs stand before them."""
_ENTRIES = {"chance": "chance level, published", "human": "people, published", "published": "models, published"}

MARK: dict[str, Any] = {"markersize": 5, "markeredgewidth": 0.7, "linestyle": "none"}
"""How the dot of a run looks."""


def behind_entries(chart: Chart, theme: Theme, *, turned: bool = False) -> list[Entry]:
    """Entries of a legend for the rows of papers: one for each role. The chart's setting `behind` says of a role what
    else it is."""
    from matplotlib.lines import Line2D

    found = []
    for role, look in BEHIND.items():
        names = chart.series(role)
        if names:
            told = f"{shortened(names)[names[0]]}, published" if len(names) == 1 else _ENTRIES[role]
            name = chart.settings.get("behind", {}).get(role, told)
            marker = "|" if turned and role == "chance" else look["marker"]
            found.append(Entry(name, Line2D([], [], color=theme.behind, linestyle="none", **look | {"marker": marker})))
    return found


def dot_entries(chart: Chart, theme: Theme, *, line: bool = False) -> list[Entry]:
    """Entries of a legend for series of dots, with the line between them where they have one."""
    from matplotlib.lines import Line2D

    names = shortened(chart.series("run"))
    return [
        Entry(
            said, Line2D([], [], color=theme.of(i), marker=marker(i), **MARK | {"linestyle": "-" if line else "none"})
        )
        for i, said in enumerate(names.values())
    ]


def patch_entries(names: Sequence[str], theme: Theme) -> list[Entry]:
    """Entries of a legend for series of areas."""
    from matplotlib.patches import Patch

    return [
        Entry(said, Patch(facecolor=theme.of(i), edgecolor=theme.ground, hatch=hatch(i), linewidth=0))
        for i, said in enumerate(shortened(names).values())
    ]


def marker(number: int) -> str:
    """The marker of the series with that number; where colours begin anew, another one than before."""
    return MARKERS[(number + number // len(MARKERS)) % len(MARKERS)]


def hatch(number: int) -> str:
    """The hatch of the series with that number; where colours begin anew, another one than before."""
    return HATCHES[(number + number // len(HATCHES)) % len(HATCHES)]


def whisker(
    axes: Axes, at: float, row: Mapping[str, Any], colour: str, *, along: Literal["x", "y"], behind: float = 2
) -> None:
    """Draw an interval, where there is one, with its ends marked.

    Args:
        axes: that it is drawn on.
        at: its place on the other axis.
        row: of a chart's data.
        colour: of the line.
        along: the axis that it runs along.
        behind: the z-order.
    """
    if row["low"] is None or row["high"] is None:
        return
    ends, beside = (row["low"], row["high"]), (at, at)
    x, y, cap = (ends, beside, "|") if along == "x" else (beside, ends, "_")
    axes.plot(
        x, y, color=colour, linewidth=1.1, marker=cap, markersize=4, markeredgewidth=1.1, zorder=behind,
        solid_capstyle="butt",
    )  # fmt: skip


def style(axes: Axes, *, grid: Literal["x", "y", "both"] | None) -> None:
    """Draw an axis with lines behind the marks and without a box."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=2.5, width=0.8)
    if grid:
        axes.grid(axis=grid, linewidth=0.7)
        axes.set_axisbelow(True)


def logarithmic(axes: Axes, *, x: bool = False, y: bool = False) -> None:
    """Make axes logarithmic, with plain numbers at them, 3 to 6 of them where the range allows."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis, wanted, scale in ((axes.xaxis, x, axes.set_xscale), (axes.yaxis, y, axes.set_yscale)):
        if wanted:
            scale("log")
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
            axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,g}"))
            axis.set_minor_formatter(NullFormatter())


def ends(
    rows: Iterable[Mapping[str, Any]], lowest: float | None = 0, highest: float | None = 100
) -> tuple[float, float]:
    """The ends of an axis of figures: these at least, and what values and intervals need.

    Args:
        rows: of a chart's data.
        lowest, highest: what the axis reaches at least; None for what the values need.
    """
    found = [v for row in rows for v in (row["value"], row["low"], row["high"]) if v is not None and math.isfinite(v)]
    low = min([*found, *([] if lowest is None else [lowest])], default=0.0)
    high = max([*found, *([] if highest is None else [highest])], default=1.0)
    room = 0.03 * ((high - low) or 1)
    return (low - room if low != lowest else low, high + room)


def place_labels(
    axes: Axes, points: Sequence[tuple[float, float]], texts: Sequence[str], room: tuple[float, float], size: float = 7
) -> None:
    """Write texts beside their points, each on the side where it covers least; what has no room is left out.

    A greedy placement over eight sides (Christensen, Marks and Shieber 1995), in the order of the points.

    Args:
        axes: with their limits set.
        points: places in the axes' units.
        texts: one for each; '' for none.
        room: width and height of the axes in inches, about.
        size: of the letters, points.
    """
    axes.autoscale_view()  # else the limits are those of an empty axis until it is drawn
    letter, line = 0.55 * size / 72, 1.15 * size / 72
    to_inches = axes.transData + axes.transAxes.inverted()
    at = [(float(x) * room[0], float(y) * room[1]) for x, y in to_inches.transform(list(points))] if points else []
    taken = [(x - 0.04, y - 0.04, x + 0.04, y + 0.04) for x, y in at]
    for (x, y), (inch_x, inch_y), text in zip(points, at, texts, strict=True):
        if not text:
            continue
        wide, best = letter * len(text), None
        for across, up in ((1, 0.5), (-1, 0.5), (1, -0.5), (-1, -0.5), (0, 1), (0, -1), (1, 1.4), (-1, -1.4)):
            left = inch_x + (0.07 if across > 0 else -0.07 - wide if across < 0 else -wide / 2)
            low = inch_y + up * line - line / 2
            box = (left, low, left + wide, low + line)
            outside = max(0.0, -left, box[2] - room[0]) + max(0.0, -low, box[3] - room[1])
            cost = sum(_shared(box, other) for other in taken) + outside
            if best is None or cost < best[0] - 1e-9:
                best = cost, box, across, up
        if best is None or best[0] > 0.25 * wide * line:
            continue
        _, box, across, up = best
        taken.append(box)
        axes.annotate(
            text, (x, y), xytext=(5 * across, 72 * up * line), textcoords="offset points", fontsize=size, zorder=4,
            ha={1: "left", -1: "right", 0: "center"}[across], va="center", annotation_clip=False,
        ).set_in_layout(False)  # fmt: skip


def _shared(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    """The area that two boxes share."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def wrapped(text: str, most: int = 14) -> str:
    """A label in lines of about so many letters."""
    import textwrap

    return "\n".join(textwrap.wrap(text, most, break_long_words=False)[:4])
