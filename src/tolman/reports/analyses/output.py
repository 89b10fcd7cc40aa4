"""Forms that analyses share: tables, intervals, shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from tolman.reports.figures import why_not_drawn
from tolman.scoring.intervals import Interval
from tolman.scoring.shares import Share

Shown = str | Text | RichTable
"""A part of what is printed: a sentence, or a table as wide as it is."""


def table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, title: str | None = None
) -> RichTable:
    """A table.

    Args:
        headings: of the columns.
        rows: of texts, taken as they are.
        left: how many columns hold names; the others hold figures.
        title: above it.
    """
    grid = RichTable(title=title and escape(title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    for i, heading in enumerate(headings):
        grid.add_column(escape(heading), justify="left" if i < left else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*(escape(cell) for cell in row))
    return grid


def warning(sentence: str) -> Text:
    """A sentence that is not to be overlooked."""
    return Text(sentence, style="bold red")


def format_interval(interval: Interval | None, digits: int = 1, *, signed: bool = False) -> str:
    """Format an interval; '–' where there is none."""
    if interval is None:
        return "–"
    form = f"{'+' if signed else ''}.{digits}f"
    return f"{interval.low:{form}} … {interval.high:{form}}"


def format_share(share: Share | None) -> str:
    """Format a share with its interval, where it has one; '–' where there is none."""
    if share is None:
        return "–"
    interval = f"{format_interval(share.interval)}, " if share.interval else ""
    return f"{share.value:.1f} % ({interval}n = {share.n:,})"


def missing_intervals(reasons: Iterable[str | None]) -> list[str]:
    """Sentence about why intervals are missing, where some are; the first reason."""
    said = [reason for reason in reasons if reason]
    return [f"Where there is no interval: {said[0]}."] if said else []


def list_written(files: Sequence[Path], *, drawn: bool) -> list[str]:
    """Sentences about the files that were written, and why figures are not among them.

    Args:
        files: what was written; nothing is said where it is nothing.
        drawn: whether figures are among them where they can be drawn.
    """
    if not files:
        return []
    missing = why_not_drawn() if drawn else None
    return [f"Written: {', '.join(map(str, files))}.", *([f"Figures are left out. {missing}"] if missing else [])]
