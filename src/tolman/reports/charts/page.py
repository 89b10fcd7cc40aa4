"""The page of a figure: title and legend above, notes below, the form between; as SVG, PDF or PNG."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.errors import UsageError
from tolman.extras import needs
from tolman.reports.charts.chart import Chart, plain
from tolman.reports.charts.theme import DARK, LIGHT, Theme, following
from tolman.reports.figures import EXTRA, PURPOSE

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")
WIDTH = 7.2
"""Inches: both columns of a paper."""
DPI = 200
"""Pixels per inch of a PNG."""
_LINE, _LETTER, _SIZE = 0.165, 0.073, 9.0
"""Inches of a line of text and of its mean letter, and points."""
_RC = {
    "svg.fonttype": "none",
    "svg.hashsalt": "tolman",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.size": _SIZE,
    "hatch.linewidth": 0.5,
    "axes.linewidth": 0.8,
    "text.parse_math": False,
    "axes.formatter.useoffset": False,
}


@dataclass(frozen=True)
class Entry:
    """An entry of a legend.

    Attributes:
        name: what is said.
        mark: how it looks.
    """

    name: str
    mark: Artist


@dataclass(frozen=True)
class Form:
    """A way of drawing charts.

    Attributes:
        draw: puts the marks on an empty figure.
        height: of the marks in inches.
        entries: the legend's.
    """

    draw: Callable[[Figure, Chart, Theme], None]
    height: Callable[[Chart], float]
    entries: Callable[[Chart, Theme], Sequence[Entry]]


def check_drawing() -> None:
    """Make sure that figures can be drawn.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    with needs(EXTRA, PURPOSE):
        import matplotlib  # noqa: F401


def format_of(path: Path) -> str:
    """The format that a file's suffix names.

    Raises:
        UsageError: it names none.
    """
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise UsageError(f"{path} has no suffix of a figure; use one of {', '.join('.' + name for name in FORMATS)}.")
    return suffix


def render(chart: Chart, form: Form, suffix: str = "svg", *, dark: bool = False, width: float = WIDTH) -> bytes:
    """Draw a chart: the same bytes for the same chart.

    Args:
        chart: what is drawn.
        form: how.
        suffix: one of `FORMATS`.
        dark: in the dark theme; else in the light one, which an SVG leaves where its reader prefers dark.
        width: in inches.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    with needs(EXTRA, PURPOSE):
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

    theme = DARK if dark else LIGHT
    chart = replace(chart, x=plain(chart.x, 90), y=plain(chart.y, 50))
    settings: Any = {**_RC, **_colours(theme)}
    with rc_context(settings), warnings.catch_warnings():
        # Names may be in any script; a PDF has boxes for letters that its font lacks, an SVG leaves them to the reader.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        columns = max(20, int((width - 0.2) / _LETTER))
        title = textwrap.wrap(plain(chart.title, 400), int(columns * 0.84))
        notes = [line for note in chart.notes for line in textwrap.wrap(plain(note, 1000), int(columns * 1.36))]
        legend = _rows(form.entries(chart, theme), width)
        top = 0.1 + 1.15 * _LINE * len(title) + (1.25 * _LINE * len(legend) + 0.06 if legend else 0)
        bottom = 0.06 + (0.9 * _LINE * len(notes) + 0.08 if notes else 0)
        height = top + form.height(chart) + bottom
        figure = Figure(figsize=(width, height), layout="constrained", facecolor=theme.ground)
        FigureCanvasAgg(figure)
        engine: Any = figure.get_layout_engine()
        engine.set(rect=(0.01, bottom / height, 0.98, (height - top - bottom) / height))
        form.draw(figure, chart, theme)
        at = height - 0.08
        for line in title:
            figure.text(0.1 / width, at / height, line, va="top", weight="bold", size=_SIZE + 1)
            at -= 1.15 * _LINE
        _draw_legend(figure, legend, width, height, at - 0.03)
        at = bottom - 0.08
        for line in notes:
            figure.text(0.1 / width, at / height, line, va="top", size=_SIZE - 1.5, color=theme.faint)
            at -= 0.9 * _LINE
        out = io.BytesIO()
        metadata: dict[str, Any] = {
            "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
            "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
            "png": {"Software": None},
        }[suffix]
        figure.savefig(out, format=suffix, metadata=metadata, dpi=DPI if suffix == "png" else 72)
    return _svg(out.getvalue(), chart, dark=dark) if suffix == "svg" else out.getvalue()


def _colours(theme: Theme) -> dict[str, str]:
    ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "patch.edgecolor")
    return dict.fromkeys(ink, theme.ink) | {
        "axes.facecolor": theme.ground, "savefig.facecolor": theme.ground, "grid.color": theme.grid,
        "axes.titlecolor": theme.ink,
    }  # fmt: skip


def _rows(entries: Sequence[Entry], width: float) -> list[list[tuple[Entry, float]]]:
    """The lines of a legend: entries, each with its place from the left in inches."""
    rows: list[list[tuple[Entry, float]]] = []
    at = 0.0
    for entry in entries:
        needed = 0.42 + _LETTER * len(entry.name)
        if not rows or (rows[-1] and at + needed > width - 0.1):
            rows.append([])
            at = 0.1
        rows[-1].append((entry, at))
        at += needed
    return rows


def _draw_legend(
    figure: Figure, rows: Sequence[Sequence[tuple[Entry, float]]], width: float, height: float, at: float
) -> None:
    for row in rows:
        for entry, x in row:
            drawn = figure.legend(
                [entry.mark], [entry.name], loc="upper left", bbox_to_anchor=(x / width, at / height), frameon=False,
                borderpad=0, borderaxespad=0, handletextpad=0.5, handlelength=1.6, fontsize=_SIZE - 0.5,
            )  # fmt: skip
            drawn.set_in_layout(False)
        at -= 1.25 * _LINE


def _svg(content: bytes, chart: Chart, *, dark: bool) -> bytes:
    """One SVG element with a name for those who can't see it, which follows its reader's preference."""
    text = content.decode("utf-8")
    start = text.index("<svg")
    end = text.index(">", start)
    style = "" if dark else f"\n <style>{following()}</style>"
    head = f'{text[start:end]} role="img">\n <title>{escape(plain(chart.title, 400))}</title>{style}'
    return (head + text[end + 1 :]).encode()
