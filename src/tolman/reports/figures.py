"""Figures of a report, as SVG."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tolman.errors import MissingExtraError
from tolman.extras import needs
from tolman.reports.content import Report, ReportRow
from tolman.reports.missing import SIGN
from tolman.scoring.table import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

EXTRA, PURPOSE = "figures", "Drawing figures"


def why_not_drawn() -> str | None:
    """The sentence that stands in place of figures where Matplotlib isn't installed; None where it is."""
    return None if find_spec("matplotlib") else str(MissingExtraError("matplotlib", EXTRA, PURPOSE))


def tasks_svg(report: Report) -> str:
    """A dot with its 95 % interval for each run and figure; chance and people as marks behind them.

    Returns:
        One SVG element, to be put into a page.
    """
    columns = [c for c in report.columns if any(c.key in row.figures for row in report.rows)]
    runs = [row for row in report.rows if row.headline]

    def draw(figure: Drawing) -> None:
        axes = figure.add_subplot()
        positions = {column.key: -i for i, column in enumerate(columns)}
        for row, marker, name in _marks(report):
            points = [(row.figures[c.key].value, positions[c.key]) for c in columns if c.key in row.figures]
            values, heights = [value for value, _ in points], [height for _, height in points]
            axes.scatter(values, heights, marker=marker, s=55, color="#b5b5b5", zorder=1, label=name)
        for i, row in enumerate(runs):
            _draw_run(axes, row, columns, positions, offset=0.5 * ((i + 0.5) / len(runs) - 0.5))
        axes.set_yticks(list(positions.values()), [_title(c, runs) for c in columns])
        axes.set_xlabel("score, with 95 % interval clustered by scene" if report.has_intervals else "score")
        axes.grid(axis="x", color="#e5e5e5")
        axes.set_axisbelow(True)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=9)

    return svg((9, 0.42 * len(columns) + 1.3), draw)


def _title(column: Column, runs: Sequence[ReportRow]) -> str:
    lacks = any(column.key in row.figures and row.figures[column.key].missing for row in runs)
    return f"{column.title} {SIGN}" if lacks else column.title


def svg(size: tuple[float, float], draw: Callable[[Drawing], None]) -> str:
    """A drawing as one SVG element, the same bytes for the same content.

    Args:
        size: width and height in inches.
        draw: draws on the empty figure.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    with needs(EXTRA, PURPOSE):
        from matplotlib import rc_context
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "tolman", "font.family": "sans-serif", "font.size": 10}):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    text = out.getvalue()
    return text[text.index("<svg") :]


def _marks(report: Report) -> list[tuple[ReportRow, str, str]]:
    """The first chance and the first human row, with their markers."""
    found = []
    for group, marker in (("chance", "|"), ("human", "D")):
        row = next((r for r in report.rows if r.group == group and r.figures), None)
        if row is not None:
            found.append((row, marker, f"{row.name}, published"))
    return found


def _draw_run(axes: Axes, row: ReportRow, columns: list[Column], positions: dict[str, int], offset: float) -> None:
    present = [(row.figures[c.key], positions[c.key] - offset) for c in columns if c.key in row.figures]
    values = [figure.value for figure, _ in present]
    heights = [height for _, height in present]
    reach = [
        [max(0.0, f.value - f.interval.low) if f.interval else math.nan for f, _ in present],
        [max(0.0, f.interval.high - f.value) if f.interval else math.nan for f, _ in present],
    ]
    axes.errorbar(
        values, heights, xerr=reach, fmt="o", markersize=5, capsize=2.5, linewidth=1.2, label=f"{row.name}, {row.rules}"
    )
