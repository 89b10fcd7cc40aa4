"""A report in the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from tolman.reports.content import Report
from tolman.reports.further_metrics import FurtherCell, FurtherTable
from tolman.reports.missing import SIGN
from tolman.reports.text import SCENES, interval_shown, label, shown
from tolman.reports.unread import BOUNDS_LABEL, SHARES_LABEL, bounds, crossing, needs_row, shares
from tolman.scoring.compare import Difference
from tolman.scoring.table import Column, Table

MOST_COLUMNS = 10
"""A table with more figures is printed in blocks."""


def print_report(console: Console, report: Report) -> None:
    """Print warnings, the table in the paper's column order, and remarks."""
    for text in report.warnings:
        console.print(f"[bold red]{escape(text)}[/]", soft_wrap=True)
    columns = report.columns
    for start in range(0, len(columns), MOST_COLUMNS):
        _print_block(console, report, columns[start : start + MOST_COLUMNS], title=start == 0)
    for text in report.marks:
        console.print(f"[bold]{escape(text)}[/]", soft_wrap=True)
    for text in report.notes:
        console.print(f"[dim]{escape(text)}[/]", soft_wrap=True)
    for table in report.further:
        _print_further(console, table)


def print_differences(
    console: Console,
    table: Table,
    found: Mapping[str, Difference],
    adjusted: Mapping[str, float],
    *,
    a: str,
    b: str,
    rules: str,
) -> None:
    """Print a paired comparison, one line for each figure.

    Args:
        console: where to.
        table: the benchmark's.
        found: column key → difference.
        adjusted: column key → p-value after Holm's correction.
        a, b, rules: names.
    """
    grid = RichTable(title=f"{escape(a)}  −  {escape(b)}, {rules}", title_justify="left", title_style="bold", box=None)
    headings = ("", "A", "B", "A − B", "95 % interval", "p", "p (Holm)", "detectable", SCENES.lower())
    for heading in (*headings, "items", "won", "lost"):
        grid.add_column(heading, justify="left" if not heading else "right", no_wrap=True)
    for column in table.columns:
        if column.key not in found:
            continue
        d = found[column.key]
        interval = f"{d.interval.low:+.{column.digits}f} … {d.interval.high:+.{column.digits}f}" if d.interval else "–"
        figures = [f"{d.a:.{column.digits}f}", f"{d.b:.{column.digits}f}"]
        sure = adjusted[column.key] < 0.05
        delta = Text(f"{d.value:+.{column.digits}f}", style="bold" if sure else "")
        tests = [_probability(d.p), _probability(adjusted[column.key]) + ("*" if sure else "")]
        least = "–" if d.detectable is None else f"{d.detectable:.{column.digits}f}"
        counts = [f"{d.effective_scenes:.1f}", f"{d.n:,}", f"{d.won:,}", f"{d.lost:,}"]
        style = "bold" if column.key == table.headline else ""
        name = column.title + (SIGN if d.missing else "")
        grid.add_row(name, *figures, delta, interval, *tests, least, *counts, style=style)
    print_wide(console, grid)


def _print_further(console: Console, table: FurtherTable) -> None:
    grid = RichTable(title=escape(table.title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    grid.add_column("", no_wrap=True)
    for heading in table.headings:
        grid.add_column(escape(heading), justify="right", no_wrap=True)
    for name, cells in table.rows.items():
        grid.add_row(Text(name), *(_further_cell(cells.get(column)) for column in table.columns))
    print_wide(console, grid)
    for note in table.notes:
        console.print(f"[dim]{escape(note)}[/]", soft_wrap=True)


def _further_cell(cell: FurtherCell | None) -> Group | str:
    if cell is None:
        return ""
    lines = [text for text in (cell.interval_shown, cell.count) if text]
    return Group(Text(cell.shown), *(Text(text, style="dim") for text in lines))


def _probability(p: float) -> str:
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.4f}" if p < 0.01 else f"{p:.3f}"


def _print_block(console: Console, report: Report, columns: tuple[Column, ...], *, title: bool) -> None:
    heading = f"{report.benchmark.title} · {report.subset}" if title else None
    grid = RichTable(title=heading, title_justify="left", title_style="bold", box=None, pad_edge=False)
    grid.add_column("", no_wrap=True)
    grid.add_column("rules", no_wrap=True)
    grid.add_column(SCENES.lower(), justify="right", no_wrap=True)
    for column in columns:
        grid.add_column(column.title, justify="right", no_wrap=True)
    for row in report.rows:
        cells = [
            Group(Text(shown(row, c)), Text(i, style="dim")) if (i := interval_shown(row, c)) else shown(row, c)
            for c in columns
        ]
        style = "bold" if row.headline else "dim" if row.rules == "published" else ""
        grid.add_row(Text(label(row)), Text(row.rules), Text(report.scenes(row)), *cells, style=style)
        if needs_row(row.unread, columns):
            found = [(crossing(row.unread, c), c) for c in columns]
            below = [Group(shares(one), Text(bounds(one, c), style="dim")) if one else "" for one, c in found]
            grid.add_row(Group(f"  {SHARES_LABEL}", Text(f"  {BOUNDS_LABEL}", style="dim")), row.rules, "", *below)
    print_wide(console, grid)


def print_wide(console: Console, grid: RichTable) -> None:
    """Print a table at its own width: in a log or a narrow window a line that runs on beats a broken figure."""
    wide = Console(
        file=console.file, width=max(console.width, 400), force_terminal=console.is_terminal, no_color=console.no_color
    )
    needed = wide.measure(grid).maximum
    wide.width = max(needed, 40)
    wide.print(grid)
