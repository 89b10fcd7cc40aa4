"""Dots with their intervals, one line for each label, as an SVG element that needs no other package."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from tolman.reports.charts.theme import LIGHT, following
from tolman.scoring.intervals import Interval

WIDTH, LINE, SIZE = 860.0, 30.0, 13.0
"""Pixels: of the whole, of a label's line, of letters."""
MOST_STEPS = 8
"""Between the ticks of an axis around 0."""
_LETTER = 0.56 * SIZE  # the mean width of a letter of a sans-serif font


@dataclass(frozen=True)
class Dots:
    """One colour: a run, or what stands behind the runs.

    Attributes:
        name: in the legend.
        points: (line from 0, value, interval or None).
        marker: 'dot' in a colour of its own, or a grey 'bar' or 'diamond' behind the dots.
    """

    name: str
    points: Sequence[tuple[int, float, Interval | None]]
    marker: Literal["dot", "bar", "diamond"] = "dot"


def dots_svg(labels: Sequence[str], series: Sequence[Dots], axis: str, *, around_zero: bool = False) -> str:
    """A dot, with a line for its 95 % interval, for each series at each label.

    Args:
        labels: of the lines, from above.
        series: grey marks first, as later ones cover them.
        axis: what is said below the values.
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


def begun(height: float, told: str) -> list[str]:
    """The start of an SVG element of `WIDTH` that is drawn in the light theme's colours and follows its reader's,
    on a ground of its own, as the page around it may not.

    Args:
        height: pixels.
        told: to those who don't see it.
    """
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="follows" width="{WIDTH:g}" height="{height:g}" '
        f'viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="{escape(told)}" '
        f'font-family="sans-serif" font-size="{SIZE:g}" fill="{LIGHT.ink}">',
        f"<style>{escape(following(), quote=False)}</style>",
        f'<rect width="{WIDTH:g}" height="{height:g}" fill="{LIGHT.ground}"/>',
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
