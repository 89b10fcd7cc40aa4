"""Charts: the data table of a figure, its page as SVG, PDF or PNG, and the marks that several forms draw.

The page has title and legend above, notes below, and the form between. Shared marks are series in their colours,
intervals, published rows behind them, and axes.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tolman.errors import UsageError
from tolman.extras import needs
from tolman.reports.charts.theme import DARK, HATCHES, LIGHT, MARKERS, Theme, following
from tolman.reports.svg_figures import EXTRA, PURPOSE
from tolman.text_tables import frame_csv

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tolman.scoring.intervals import Interval


SCHEMA: dict[str, Any] = {
    "panel": pl.String,
    "series": pl.String,
    "role": pl.String,
    "label": pl.String,
    "x": pl.Float64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "unread": pl.Float64,
    "unanswered": pl.Int64,
}
"""Columns of every figure's data; a kind of figure says which of them it fills.

`panel` is a part of the figure with axes of its own, `series` what has one colour, `role` one of `ROLES`, `label` a
place on an axis of names, `x` one on an axis of numbers, `value` the figure, `low` and `high` the ends of its 95 %
interval, `n` the items behind it, `unread` the per cent of their responses without a readable answer, `unanswered` the
items that failed or are missing and are in no figure."""

ROLES = ("run", "chance", "human", "published")
"""Whose a value is: a run's, a baseline's or a person's row of a paper, a model's row of a paper."""

MOST_LETTERS = 60
"""Letters of a label; longer ones are cut, for a model's or a file's text may have any length."""

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]+")


@dataclass(frozen=True)
class Chart:
    """A figure before it is drawn.

    Attributes:
        data: one row for each mark, with the columns of `SCHEMA`.
        title: above it.
        x, y: labels of the axes; '' for none.
        notes: sentences below it: missing data, unread responses.
        settings: of the form that draws it, such as the ends of an axis.
    """

    data: pl.DataFrame
    title: str
    x: str = ""
    y: str = ""
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def values(self, column: str) -> list[str]:
        """The distinct texts of a column, in the order of their first row."""
        return [str(text) for text in self.data[column].drop_nulls().unique(maintain_order=True)]

    def series(self, *roles: str) -> list[str]:
        """The names of series, in the order of their first row; of some roles where these are named."""
        rows = self.data.filter(pl.col("role").is_in(roles)) if roles else self.data
        return [str(text) for text in rows["series"].drop_nulls().unique(maintain_order=True)]

    def filled(self) -> pl.DataFrame:
        """The data without the columns that this figure doesn't fill."""
        return self.data.select([name for name in self.data.columns if self.data[name].null_count() < len(self.data)])

    def to_csv(self) -> str:
        """The same as CSV."""
        return frame_csv(self.filled())


def frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """The data of a chart from rows that give some of its columns; the others are null."""
    return pl.DataFrame([{name: row.get(name) for name in SCHEMA} for row in rows], schema=SCHEMA, orient="row")


CLUSTERED = "Lines: 95 % intervals, clustered by scene."


def ends_of(interval: Interval | None) -> dict[str, float | None]:
    """The columns of an interval."""
    return {"low": interval.low if interval else None, "high": interval.high if interval else None}


def plain(text: str, most: int = MOST_LETTERS) -> str:
    """Return a text in a form for pictures: one line, no control characters, at most so many letters."""
    said = _UNPRINTABLE.sub(" ", " ".join(text.split())).strip()
    return said if len(said) <= most else said[: most - 1].rstrip() + "…"


def shortened(names: Sequence[str], most: int = MOST_LETTERS) -> dict[str, str]:
    """Return names in a form for pictures, each unlike the others: where two are alike when cut, a number follows."""
    found: dict[str, str] = {}
    for name in names:
        said, number = plain(name, most), 2
        while said in found.values():
            said, number = f"{plain(name, most - 4)} ({number})", number + 1
        found[name] = said
    return found


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
        name: its text.
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
        name: of the form, 'bars'; a plugin's form without one is named as its file.
    """

    draw: Callable[[Figure, Chart, Theme], None]
    height: Callable[[Chart], float]
    entries: Callable[[Chart, Theme], Sequence[Entry]]
    name: str = ""


def rendered(chart: Chart, form: Form) -> str:
    """Draw a chart as one SVG element, as `render` does."""
    return render(chart, form).decode()


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
        chart: the chart to draw.
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
        known: dict[str, dict[str, Any]] = {
            "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
            "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
            "png": {"Software": "written by Tolman"},
        }
        figure.savefig(out, format=suffix, metadata=known[suffix], dpi=DPI if suffix == "png" else 72)
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
    """Return entries of a legend for the rows of papers: one for each role. The chart's setting `behind` adds to the
    description of a role."""
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
    """Return the marker of the series with that number; where colours repeat, another one than before."""
    return MARKERS[(number + number // len(MARKERS)) % len(MARKERS)]


def hatch(number: int) -> str:
    """Return the hatch of the series with that number; where colours repeat, another one than before."""
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


def logarithmic(axes: Axes, *, x: bool = False, y: bool = False, most: int = 7) -> None:
    """Make axes logarithmic, with plain numbers at them.

    Args:
        axes: whose axes.
        x, y: which.
        most: numbers at an axis, so that they don't run into each other.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    class Few(LogLocator):
        """The finest of some series of numbers that has few within the limits."""

        def tick_values(self, vmin: float, vmax: float) -> Any:
            found = decades(vmin, vmax, most)
            return found if len(found) > 1 else super().tick_values(vmin, vmax)

    for axis, wanted, scale in ((axes.xaxis, x, axes.set_xscale), (axes.yaxis, y, axes.set_yscale)):
        if wanted:
            scale("log")
            axis.set_major_locator(Few(subs=(1.0, 2.0, 5.0), numticks=8))
            axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,g}"))
            axis.set_minor_formatter(NullFormatter())


def decades(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two, evenly placed on a logarithmic axis: 1, 2, 5, 10, or 1, 3, 10, or powers of ten, the
    first of these series that has at most so many."""
    if not 0 < low <= high < math.inf:
        return []
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    found: list[float] = []
    for subs, step in (((1, 2, 5), 1), ((1, 3), 1), *(((1,), step) for step in range(1, last - first + 2))):
        found = [
            s * 10.0**e for e in range(first, last + 1) if e % step == 0 for s in subs if low <= s * 10.0**e <= high
        ]
        if len(found) <= most:
            break
    return found


def ends(
    rows: Iterable[Mapping[str, Any]], lowest: float | None = 0, highest: float | None = 100
) -> tuple[float, float]:
    """Return the ends of an axis of figures: the given ones, or wider where values and intervals need it.

    Args:
        rows: of a chart's data.
        lowest, highest: the least range of the axis; None for the range of the values.
    """
    found = [v for row in rows for v in (row["value"], row["low"], row["high"]) if v is not None and math.isfinite(v)]
    low = min([*found, *([] if lowest is None else [lowest])], default=0.0)
    high = max([*found, *([] if highest is None else [highest])], default=1.0)
    room = 0.03 * ((high - low) or 1)
    return (low - room if low != lowest else low, high + room)


def place_labels(
    axes: Axes, points: Sequence[tuple[float, float]], texts: Sequence[str], room: tuple[float, float], size: float = 7
) -> None:
    """Write texts next to their points, each on the side where it covers least; texts without room are left out.

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
    return "\n".join(textwrap.wrap(text, most, break_long_words=False)[:4])
