"""Figures of a report, as SVG."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from tolman.errors import MissingExtraError
from tolman.extras import needs
from tolman.reports.content import Report
from tolman.reports.dots import Dots, dots_svg
from tolman.reports.missing import SIGN
from tolman.reports.rows import ReportRow
from tolman.scoring.intervals import Interval
from tolman.scoring.table import Column

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

EXTRA, PURPOSE = "figures", "Drawing figures"


def why_not_drawn() -> str | None:
    """The sentence that stands in place of figures where Matplotlib isn't installed; None where it is."""
    return None if find_spec("matplotlib") else str(MissingExtraError("matplotlib", EXTRA, PURPOSE))


def tasks_svg(report: Report) -> str:
    """A dot with its 95 % interval for each run and figure; chance and people as marks behind them.

    Returns:
        One SVG element, to be put into a page; it is drawn without Matplotlib.
    """
    columns = [c for c in report.columns if any(c.key in row.figures for row in report.rows)]
    runs = [row for row in report.rows if row.headline]
    behind = [Dots(f"{row.name}, published", _points(row, columns), marker) for row, marker in _marks(report)]
    dots = [Dots(f"{row.name}, {row.rules}", _points(row, columns)) for row in runs]
    axis = "score, with 95 % interval clustered by scene" if report.has_intervals else "score"
    return dots_svg([_title(c, runs) for c in columns], [*behind, *dots], axis)


def _points(row: ReportRow, columns: Sequence[Column]) -> list[tuple[int, float, Interval | None]]:
    figures = ((place, row.figures.get(column.key)) for place, column in enumerate(columns))
    return [(place, figure.value, figure.interval) for place, figure in figures if figure is not None]


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


def _marks(report: Report) -> list[tuple[ReportRow, Literal["bar", "diamond"]]]:
    """The first chance and the first human row, with their markers."""
    found: list[tuple[ReportRow, Literal["bar", "diamond"]]] = []
    markers: tuple[tuple[str, Literal["bar", "diamond"]], ...] = (("chance", "bar"), ("human", "diamond"))
    for group, marker in markers:
        row = next((r for r in report.rows if r.group == group and r.figures), None)
        if row is not None:
            found.append((row, marker))
    return found
