"""A comparison of runs in the terminal."""

from __future__ import annotations

import json

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from tolman.commands.show.printing import say
from tolman.commands.show.report import print_wide
from tolman.reports.comparison import HEADINGS, DifferenceTable, left_out_sentence
from tolman.workflows.compare import CompareResult


def show_comparison(console: Console, result: CompareResult, *, as_json: bool) -> None:
    """Print one table for each pair of runs, one for each of its further metrics, and what is to be said of them."""
    if as_json:
        console.file.write(json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n")
        return
    compared = result.compared
    for text in compared.warnings:
        console.print(f"[bold red]{escape(text)}[/]", soft_wrap=True)
    for one in compared.comparisons:
        if said := left_out_sentence(one):
            console.print(f"[bold red]{said}[/]")
        for table in compared.tables_of(one):
            _print_table(console, table)
    for text in compared.marks:
        console.print(f"[bold]{escape(text)}[/]", soft_wrap=True)
    for text in compared.notes:
        console.print(f"[dim]{escape(text)}[/]", soft_wrap=True, highlight=False)
    if result.out is not None:
        say(console, f"Written: {result.out}")


def _print_table(console: Console, table: DifferenceTable) -> None:
    grid = RichTable(title=escape(table.title), title_justify="left", title_style="bold", box=None)
    for heading in HEADINGS:
        grid.add_column(heading, justify="left" if not heading else "right", no_wrap=True)
    for row in table.rows:
        cells = [Text(cell) for cell in row.cells]
        cells[3].style = "bold" if row.is_sure else ""
        grid.add_row(*cells, style="bold" if row.is_headline else "")
    print_wide(console, grid)
