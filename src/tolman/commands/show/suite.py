"""A suite in the terminal: the table of each benchmark, then the headline figures of all."""

from __future__ import annotations

import json

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tolman.commands.show.report import print_report, print_wide
from tolman.reports.text import as_json
from tolman.workflows.suite import SuiteResult
from tolman.workflows.suite_report import report_suite


def show_suite(console: Console, result: SuiteResult, *, as_json_list: bool) -> None:
    """Print a suite's tables, or JSON with an entry for each benchmark, and write its pages."""
    report = report_suite(result)
    if as_json_list:
        tables = [json.loads(as_json(one)) for one in report.reports]
        console.file.write(json.dumps({"benchmarks": tables, "failed": list(result.failed)}, indent=2) + "\n")
        return
    for one in report.reports:
        print_report(console, one)
        console.print()
    grid = Table(title=escape(result.folder.name), title_justify="left", title_style="bold", box=None, pad_edge=False)
    grid.add_column("", no_wrap=True)
    for name, headline in report.matrix.columns:
        grid.add_column(f"{escape(name)}\n[dim]{escape(headline)}[/]", justify="right")
    for name, cells in report.matrix.rows.items():
        shown = [Group(Text(c.value, style="bold"), Text(c.interval, style="dim")) if c else Text("–") for c in cells]
        grid.add_row(Text(name), *shown)
    print_wide(console, grid)
    for text in result.failed:
        console.print(text, style="bold red", markup=False, highlight=False, soft_wrap=True)
    console.print(f"Every item: {report.page}", markup=False, highlight=False, soft_wrap=True)
