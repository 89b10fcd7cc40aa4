"""A waterfall from one figure to another, as an SVG element that needs no other package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tolman.reports.charts.theme import LIGHT
from tolman.reports.dots import LINE, SIZE, WIDTH, begun

UP, DOWN, WHOLE = LIGHT.of(2), LIGHT.of(1), LIGHT.behind
_LETTER = 0.56 * SIZE  # the mean width of a letter of a sans-serif font
_VALUE = 96.0
"""Pixels kept to the right for the value of a line."""
_LEAST = 1.5
"""Pixels that a bar is wide at least, so that a piece of 0 points is seen."""


@dataclass(frozen=True)
class Step:
    """A piece of the way from the first figure to the last.

    Attributes:
        name: beside its bar.
        points: what it adds.
    """

    name: str
    points: float


def waterfall_svg(first: tuple[str, float], steps: Sequence[Step], last: tuple[str, float], digits: int) -> str:
    """Two bars from 0, and between them one for each step, which begins where the one above ends.

    The axis begins at 0 or at the least value on the way, and lines join the ends of neighbouring bars. A value stands
    beside each bar, so that colours are never the only thing that tells up from down.

    Args:
        first, last: names and values of the two figures.
        steps: they add up to the difference of these.
        digits: of the values.

    Returns:
        One SVG element, the same bytes for the same content.
    """
    bars: list[tuple[str, float, float, str, str]] = [(first[0], 0.0, first[1], WHOLE, f"{first[1]:.{digits}f}")]
    level = first[1]
    for step in steps:
        colour = UP if step.points >= 0 else DOWN
        bars.append((step.name, level, level + step.points, colour, f"{step.points:+.{digits}f}"))
        level += step.points
    bars.append((last[0], 0.0, last[1], WHOLE, f"{last[1]:.{digits}f}"))
    ends = [value for _, begin, end, *_ in bars for value in (begin, end)]
    low, high = min(0.0, *ends), max(ends)
    high = high if high > low else low + 1
    left = min(14 + _LETTER * max(len(name) for name, *_ in bars), WIDTH / 2)
    height = 12 + LINE * len(bars) + 8

    def across(value: float) -> float:
        return left + (value - low) / (high - low) * (WIDTH - left - _VALUE)

    told = f"From {first[0]}, {first[1]:.{digits}f}, to {last[0]}, {last[1]:.{digits}f}, by cause"
    out = begun(height, told)
    for line, (name, begin, end, colour, value) in enumerate(bars):
        top, middle = 12 + LINE * line, 12 + LINE * (line + 0.5)
        x, width = across(min(begin, end)), max(across(max(begin, end)) - across(min(begin, end)), _LEAST)
        baseline = middle + 0.35 * SIZE
        out.append(f'<text x="{left - 12:.1f}" y="{baseline:.1f}" text-anchor="end">{escape(_short(name))}</text>')
        out.append(
            f'<rect x="{x:.1f}" y="{top + 5:.1f}" width="{width:.1f}" height="{LINE - 10:g}" fill="{colour}">'
            f"<title>{escape(f'{name}: {value}')}</title></rect>"
        )
        out.append(f'<text x="{x + width + 6:.1f}" y="{baseline:.1f}">{escape(value)}</text>')
        if line + 1 < len(bars):
            at = across(end)
            out.append(f'<path d="M{at:.1f} {top + LINE - 5:.1f}v10" stroke="{LIGHT.faint}" stroke-dasharray="2 2"/>')
    return "\n".join([*out, "</svg>"])


def _short(name: str) -> str:
    most = int((WIDTH / 2 - 14) / _LETTER)
    return name if len(name) <= most else f"{name[: most - 1]}…"
