"""Figures as SVG elements without matplotlib: dots with intervals, and waterfalls."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from tolman.errors import MissingExtraError
from tolman.extras import needs
from tolman.reports.charts.theme import LIGHT, following
from tolman.reports.report_content import Report
from tolman.reports.table_rows import MISSING_SIGN, ReportRow
from tolman.scoring.intervals import Interval
from tolman.scoring.score_table import Column

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


WIDTH, LINE, SIZE = 860.0, 30.0, 13.0
"""Pixels: of the whole, of a label's line, of letters."""
MOST_STEPS = 8
"""Between the ticks of an axis around 0."""
_LETTER = 0.56 * SIZE  # the mean width of a letter of a sans-serif font


@dataclass(frozen=True)
class Dots:
    """One colour: a run, or the marks behind the runs.

    Attributes:
        name: in the legend.
        points: (line from 0, value, interval or None).
        marker: 'dot' in a colour of its own, or a grey 'bar' or 'diamond' behind the dots.
    """

    name: str
    points: Sequence[tuple[int, float, Interval | None]]
    marker: Literal["dot", "bar", "diamond"] = "dot"


def dots_svg(labels: Sequence[str], series: Sequence[Dots], axis: str, *, around_zero: bool = False) -> str:
    """Draw a dot, with a line for its 95 % interval, for each series at each label.

    Args:
        labels: of the lines, from above.
        series: grey marks first, as later ones cover them.
        axis: the title below the values.
        around_zero: the values are differences: the axis reaches as far as they do, and 0 is marked.

    Returns:
        One SVG element, the same bytes for the same content.
    """
    left = 14 + _LETTER * max((len(label) for label in labels), default=0)
    left = min(left, WIDTH / 2)
    entries = list(_legend(series))
    top = 12 + 22.0 * (1 + max((row for *_, row in entries), default=0))
    bottom = top + LINE * len(labels)
    height = bottom + 46
    ends = [end for one in series for point in one.points for end in _ends(point)]
    ticks = _ticks_around_zero(ends) if around_zero else _ticks(ends)
    low, high = ticks[0], ticks[-1]

    def across(value: float) -> float:
        return left + (value - low) / (high - low) * (WIDTH - left - 20)

    out = begun(height, axis)
    for tick in ticks:
        x, colour = across(tick), LIGHT.ink if around_zero and tick == 0 else LIGHT.grid
        out.append(f'<line x1="{x:.1f}" y1="{top:g}" x2="{x:.1f}" y2="{bottom:g}" stroke="{colour}"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 17:g}" text-anchor="middle" fill="{LIGHT.faint}">{tick:g}</text>')
    for line, label in enumerate(labels):
        y = top + LINE * (line + 0.5) + 0.35 * SIZE
        out.append(f'<text x="{left - 12:.1f}" y="{y:.1f}" text-anchor="end">{escape(label)}</text>')
    middle = left + (WIDTH - left - 20) / 2
    out.append(f'<text x="{middle:.1f}" y="{bottom + 38:g}" text-anchor="middle">{escape(axis)}</text>')
    dotted = [one for one in series if one.marker == "dot"]
    for one in series:
        colour, offset = LIGHT.behind, 0.0
        if one.marker == "dot":
            place = dotted.index(one)
            colour, offset = LIGHT.of(place), LINE * 0.6 * ((place + 0.5) / len(dotted) - 0.5)
        for line, value, interval in one.points:
            y = top + LINE * (line + 0.5) + offset
            if interval is not None:
                out += _whisker(across(interval.low), across(interval.high), y, colour)
            out.append(_mark(one.marker, across(value), y, colour, f"{one.name}: {value:.1f}"))
    for one, colour, x, row in entries:
        y = 12 + 22.0 * row
        out.append(_mark(one.marker, x, y, colour, ""))
        out.append(f'<text x="{x + 10:.1f}" y="{y + 0.35 * SIZE:.1f}">{escape(one.name)}</text>')
    return "\n".join([*out, "</svg>"])


def begun(height: float, told: str, width: float = WIDTH) -> list[str]:
    """Return the start of an SVG element in the light theme's colours. It follows its reader's theme, on a
    ground of its own, as the page around it may not.

    Args:
        height: pixels.
        told: to those who don't see it.
        width: pixels.
    """
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="follows" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(told)}" '
        f'font-family="sans-serif" font-size="{SIZE:g}" fill="{LIGHT.ink}">',
        f"<style>{escape(following(), quote=False)}</style>",
        f'<rect width="{width:g}" height="{height:g}" fill="{LIGHT.ground}"/>',
    ]


def _legend(series: Sequence[Dots]) -> Iterator[tuple[Dots, str, float, int]]:
    """Each series with its colour and its place: pixels from the left, and row from 0."""
    x, row, number = 20.0, 0, 0
    for one in series:
        width = 34 + _LETTER * len(one.name)
        if x > 20 and x + width > WIDTH:
            x, row = 20.0, row + 1
        colour = LIGHT.of(number) if one.marker == "dot" else LIGHT.behind
        number += one.marker == "dot"
        yield one, colour, x, row
        x += width


def _ends(point: tuple[int, float, Interval | None]) -> tuple[float, ...]:
    _, value, interval = point
    return (value,) if interval is None else (interval.low, value, interval.high)


def _ticks(values: Sequence[float]) -> list[float]:
    """Every 20, from 0 to 100 at least, as far as values reach."""
    low = 20 * min(0, int(min(values, default=0.0) // 20))
    high = 20 * max(5, -int(-max(values, default=100.0) // 20))
    return [float(tick) for tick in range(low, high + 1, 20)]


def _ticks_around_zero(values: Sequence[float]) -> list[float]:
    """At most nine, at multiples of a round number, with 0 among them, as far as values reach."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    low, high = min(low, 0.0), max(high, 0.0)
    for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100):
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first <= MOST_STEPS:
            break
    if first == last:
        first, last = -1, 1
    return [round(tick * step, 6) for tick in range(first, last + 1)]


def _whisker(low: float, high: float, y: float, colour: str) -> list[str]:
    ends = [f'<path d="M{x:.1f} {y - 3:.1f}v6" stroke="{colour}"/>' for x in (low, high)]
    return [f'<path d="M{low:.1f} {y:.1f}H{high:.1f}" stroke="{colour}" stroke-width="1.3"/>', *ends]


def _mark(marker: str, x: float, y: float, colour: str, told: str) -> str:
    title = f"<title>{escape(told)}</title>" if told else ""
    if marker == "dot":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="{colour}">{title}</circle>'
    shape = f"M{x:.1f} {y - 6:.1f}v12" if marker == "bar" else f"M{x - 5:.1f} {y:.1f}l5 -5 5 5 -5 5z"
    look = f'stroke="{colour}" stroke-width="2"' if marker == "bar" else f'fill="{colour}"'
    return f'<path d="{shape}" {look}>{title}</path>'


EXTRA, PURPOSE = "analyze", "Drawing figures"


def why_not_drawn() -> str | None:
    """Return the sentence in place of figures where Matplotlib isn't installed; None where it is."""
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
    return f"{column.title} {MISSING_SIGN}" if lacks else column.title


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


UP, DOWN, WHOLE = LIGHT.of(2), LIGHT.of(1), LIGHT.behind
_BAR_LETTER = 0.56 * SIZE  # the mean width of a letter of a sans-serif font
_VALUE = 96.0
"""Pixels kept to the right for the value of a line."""
_LEAST = 1.5
"""Pixels that a bar is wide at least, so that a piece of 0 points is seen."""


@dataclass(frozen=True)
class Step:
    """A piece of the way from the first figure to the last.

    Attributes:
        name: next to its bar.
        points: its contribution.
        is_known: whether its cause is; else its bar is an outline.
    """

    name: str
    points: float
    is_known: bool = True


def waterfall_svg(
    first: tuple[str, float],
    steps: Sequence[Step],
    last: tuple[str, float],
    digits: int,
    width: float = WIDTH,
    letters: int = 0,
) -> str:
    """Draw two bars from 0, and between them one for each step, which begins where the one above ends.

    The axis begins at 0 or at the least value on the way, and lines join the ends of neighbouring bars. Each bar has a
    value next to it, so that colours are never the only sign of up or down.

    Args:
        first, last: names and values of the two figures.
        steps: they add up to the difference of these.
        digits: of the values.
        width: pixels.
        letters: room for names of so many at least, so that several figures share one scale.

    Returns:
        One SVG element, the same bytes for the same content.
    """
    bars: list[tuple[str, float, float, str, str]] = [(first[0], 0.0, first[1], WHOLE, f"{first[1]:.{digits}f}")]
    level = first[1]
    for step in steps:
        shown = round(step.points, digits)
        colour = (UP if shown > 0 else DOWN) if shown else WHOLE
        colour = colour if step.is_known else LIGHT.ground
        value = f"{shown:{'+' if shown else 'z'}.{digits}f}".replace("-", "−")
        bars.append((step.name, level, level + step.points, colour, value))
        level += step.points
    bars.append((last[0], 0.0, last[1], WHOLE, f"{last[1]:.{digits}f}"))
    ends = [value for _, begin, end, *_ in bars for value in (begin, end)]
    low, high = min(0.0, *ends), max(ends)
    high = high if high > low else low + 1
    left = min(14 + _BAR_LETTER * max(letters, *(len(name) for name, *_ in bars)), width / 2)
    height = 12 + LINE * len(bars) + 8

    def across(value: float) -> float:
        return left + (value - low) / (high - low) * (width - left - _VALUE)

    told = f"From {first[0]}, {first[1]:.{digits}f}, to {last[0]}, {last[1]:.{digits}f}, by cause"
    out = begun(height, told, width)
    for line, (name, begin, end, colour, value) in enumerate(bars):
        top, middle = 12 + LINE * line, 12 + LINE * (line + 0.5)
        x, wide = across(min(begin, end)), max(across(max(begin, end)) - across(min(begin, end)), _LEAST)
        baseline = middle + 0.35 * SIZE
        look = f'fill="{colour}"' + (f' stroke="{WHOLE}" stroke-dasharray="4 2"' if colour == LIGHT.ground else "")
        out.append(
            f'<text x="{left - 12:.1f}" y="{baseline:.1f}" text-anchor="end">{escape(_short(name, width))}</text>'
        )
        out.append(
            f'<rect x="{x:.1f}" y="{top + 5:.1f}" width="{wide:.1f}" height="{LINE - 10:g}" {look}>'
            f"<title>{escape(f'{name}: {value}')}</title></rect>"
        )
        out.append(f'<text x="{x + wide + 6:.1f}" y="{baseline:.1f}">{escape(value)}</text>')
        if line + 1 < len(bars):
            at = across(end)
            out.append(f'<path d="M{at:.1f} {top + LINE - 5:.1f}v10" stroke="{LIGHT.faint}" stroke-dasharray="2 2"/>')
    return "\n".join([*out, "</svg>"])


def _short(name: str, width: float) -> str:
    most = int((width / 2 - 14) / _BAR_LETTER)
    return name if len(name) <= most else f"{name[: most - 1]}…"
