"""Reports in the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from tolman.features.printing import TextConsole
from tolman.features.report.compute import SITE, ReportResult
from tolman.reports.further_metrics import FurtherCell, FurtherTable
from tolman.reports.report_content import Report, emphasis
from tolman.reports.table_rows import (
    BOUNDS_LABEL,
    SHARES_LABEL,
    ReportRow,
    ReportTable,
    crossing_unread,
    needs_row,
    unread_bounds,
    unread_shares,
)
from tolman.reports.text import RANK, SCENES, first_cells, interval_shown, shown, values_shown
from tolman.scoring.score_table import Column
from tolman.visible import visible

MOST_COLUMNS = 10
"""A table with more figures is printed in blocks."""
BEST, SECOND = "▲", "△"
"""Before the best and the second best figure of a column, as text without colours has no bold."""


def print_report(console: Console, report: Report) -> None:
    """Print warnings, the table in the paper's column order, and remarks."""
    for text in report.warnings:
        console.print(f"[bold red]{escape(text)}[/]", soft_wrap=True)
    _print_report_table(console, report.table, f"{report.benchmark.title} · {report.subset}")
    _print_remarks(console, report.marks, report.notes)
    for table in report.further:
        _print_further(console, table)
    for cut in report.cuts:
        console.print()
        _print_report_table(console, cut, cut.title)
        _print_remarks(console, cut.marks, cut.notes)


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


def _print_remarks(console: Console, marks: Iterable[str], notes: Iterable[str]) -> None:
    for text in marks:
        console.print(f"[bold]{escape(text)}[/]", soft_wrap=True)
    for text in notes:
        console.print(f"[dim]{escape(text)}[/]", soft_wrap=True)


def _print_report_table(console: Console, table: ReportTable, title: str) -> None:
    """Print a table, in blocks where it has many columns."""
    if not table.columns:
        console.print(f"[bold]{escape(title)}[/]", soft_wrap=True)
    for start in range(0, len(table.columns), MOST_COLUMNS):
        _print_block(console, table, table.columns[start : start + MOST_COLUMNS], "" if start else title)
    if table.has_ranks:
        console.print(f"[dim]{BEST} best, {SECOND} second best, of the models in a column.[/]", soft_wrap=True)


def _print_block(console: Console, table: ReportTable, columns: tuple[Column, ...], title: str) -> None:
    heading = escape(title) if title else None
    grid = RichTable(title=heading, title_justify="left", title_style="bold", box=None, pad_edge=False)
    grid.add_column("", no_wrap=True)
    for name in (*table.in_rows, "rules"):
        grid.add_column(escape(name), no_wrap=True)
    for name in (*([RANK.lower()] if table.has_ranks else []), SCENES.lower()):
        grid.add_column(name, justify="right", no_wrap=True)
    for column in columns:
        grid.add_column(escape(column.title), justify="right", no_wrap=True)
    for row in table.rows:
        cells = [_cell(row, column) for column in columns]
        style = "dim" if row.rules == "published" else ""
        grid.add_row(*map(Text, first_cells(table, row)), *cells, style=style)
        if needs_row(row.unread, columns):
            found = [(crossing_unread(row.unread, c), c) for c in columns]
            below = [
                Group(unread_shares(one), Text(unread_bounds(one, c), style="dim")) if one else "" for one, c in found
            ]
            own = [*values_shown(row), row.rules, *([""] if table.has_ranks else []), ""]
            grid.add_row(Group(f"  {SHARES_LABEL}", Text(f"  {BOUNDS_LABEL}", style="dim")), *map(Text, own), *below)
    print_wide(console, grid)


def _cell(row: ReportRow, column: Column) -> Group | Text:
    sign = {"best": f"{BEST} ", "second": f"{SECOND} ", "": ""}[emphasis(row, column)]
    text = Text(f"{sign}{shown(row, column)}", style="bold" if sign else "")
    interval = interval_shown(row, column)
    return Group(text, Text(interval, style="dim")) if interval else text


def print_wide(console: Console, grid: RichTable) -> None:
    """Print a table at its own width: in a log or a narrow window a line that runs on beats a broken figure."""
    wide = TextConsole(
        file=console.file, width=max(console.width, 400), force_terminal=console.is_terminal, no_color=console.no_color
    )
    needed = wide.measure(grid).maximum
    wide.width = max(needed, 40)
    wide.print(grid)


def show_report(console: Console, result: ReportResult) -> None:
    """Print a report in its form, or where it was written and which runs are not in it."""
    if result.format == "terminal":
        print_report(console, result.report)
    elif result.format == SITE:
        for sentence in (*result.left_out, *result.remarks):
            console.print(sentence, style="yellow", markup=False, highlight=False, soft_wrap=True)
        page = f"{result.out}/index.html"
        console.print(
            f"Written: {page}; open it, or tolman view {result.out}", markup=False, highlight=False, soft_wrap=True
        )
    elif result.out is None:
        text = result.render(result.format)
        console.file.write(visible(text) if console.is_terminal else text)
    else:
        for sentence in result.report.warnings[: len(result.left_out)]:
            console.print(sentence, style="bold red", markup=False, highlight=False, soft_wrap=True)
        console.print(f"Written: {result.out}", markup=False, highlight=False, soft_wrap=True)
