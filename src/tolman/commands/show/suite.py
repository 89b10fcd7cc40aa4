"""A suite in the terminal: the table of each benchmark, then the headline figures of all."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tolman.commands.show.report import print_report, print_wide
from tolman.reports.matrix import Matrix
from tolman.reports.text import as_json
from tolman.workflows.suite import SuiteResult
from tolman.workflows.suite_report import report_suite


def show_suite(console: Console, result: SuiteResult, *, as_json_list: bool, board: str | None = None) -> None:
    """Print a suite's tables, or JSON with an entry for each benchmark, and write its pages.

    Args:
        console: where to.
        result: of the suite.
        as_json_list: whether as JSON.
        board: a leaderboard whose figures are printed too.
    """
    report = report_suite(result, board)
    if as_json_list:
        tables = [json.loads(as_json(one)) for one in report.reports]
        record: dict[str, Any] = {"benchmarks": tables, "failed": list(result.failed)}
        if board is not None:
            record[board] = {name: _values(one, name) for one in report.boards.values() for name in one.rows}
        console.file.write(json.dumps(record, indent=2) + "\n")
        return
    for one in report.reports:
        print_report(console, one)
        console.print()
    _print_matrix(console, result.folder.name, report.matrix)
    for title, matrix in report.boards.items():
        _print_matrix(console, title, matrix)
        for text in matrix.warnings:
            console.print(text, style="yellow", markup=False, highlight=False, soft_wrap=True)
    for text in result.failed:
        console.print(text, style="bold red", markup=False, highlight=False, soft_wrap=True)
    console.print(f"Every item: {report.page}", markup=False, highlight=False, soft_wrap=True)


def _values(matrix: Matrix, name: str) -> dict[str, str]:
    """A row's figures by column, with what is said of them."""
    cells = zip(matrix.columns, matrix.rows[name], strict=True)
    return {key: f"{cell.value} {cell.interval}".rstrip() for (key, _), cell in cells if cell is not None}


def _print_matrix(console: Console, title: str, matrix: Matrix) -> None:
    grid = Table(title=escape(title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    grid.add_column("", no_wrap=True)
    for name, headline in matrix.columns:
        grid.add_column(f"{escape(name)}\n[dim]{escape(headline)}[/]", justify="right")
    for name, cells in matrix.rows.items():
        shown = [Group(Text(c.value, style="bold"), Text(c.interval, style="dim")) if c else Text("–") for c in cells]
        grid.add_row(Text(name), *shown)
    print_wide(console, grid)
