"""Comparisons and reconciliations in the terminal."""

from __future__ import annotations

import shlex

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from tolman.analyze.score_causes import named
from tolman.features.compare.compute import CompareResult
from tolman.features.compare.reconcile_runs import ReconcileResult
from tolman.features.printing import plain_table, say, write_json
from tolman.features.report.render import print_wide
from tolman.reports.comparison import HEADINGS, DifferenceTable, left_out_sentence
from tolman.reports.reconciliation import Reconciliation, example_line, examples


def show_comparison(console: Console, result: CompareResult, *, as_json: bool) -> None:
    """Print one table for each pair of runs, one for each of its further metrics, and remarks on them."""
    if as_json:
        write_json(console, result.to_dict(), ascii_only=False)
        return
    for text in result.warnings:
        console.print(f"[bold red]{escape(text)}[/]", soft_wrap=True)
    for one in result.comparisons:
        if said := left_out_sentence(one):
            console.print(f"[bold red]{said}[/]")
        for table in result.tables_of(one):
            _print_difference_table(console, table)
    for text in result.marks:
        console.print(f"[bold]{escape(text)}[/]", soft_wrap=True)
    for text in result.notes:
        console.print(f"[dim]{escape(text)}[/]", soft_wrap=True, highlight=False)
    if result.out is not None:
        say(console, f"Written: {result.out}")


def _print_difference_table(console: Console, table: DifferenceTable) -> None:
    grid = RichTable(title=escape(table.title), title_justify="left", title_style="bold", box=None)
    for heading in HEADINGS:
        grid.add_column(heading, justify="left" if not heading else "right", no_wrap=True)
    for row in table.rows:
        cells = [Text(cell) for cell in row.cells]
        cells[3].style = "bold" if row.is_sure else ""
        grid.add_row(*cells)
    print_wide(console, grid)


MOST_COMBINATIONS = 8
BAR_WIDTH = 16
"""Characters of the longest bar of the waterfall."""


def show_reconciliation(console: Console, result: ReconcileResult, *, as_json: bool) -> None:
    """Print the waterfall, which causes items have together, examples, and the limits of the answer."""
    if as_json:
        write_json(console, result.to_dict(), ascii_only=False)
        return
    found, content = result.found, result.content
    say(console, content.heading, "bold")
    say(console, content.count)
    _print_waterfall(console, content)
    if any(len(labels) > 1 for labels, _ in result.combinations):
        grid = plain_table(content.together, left=content.together[:1])
        for labels, number in result.combinations[:MOST_COMBINATIONS]:
            grid.add_row(" and ".join(map(named, labels)), f"{number:,}")
        rest = result.combinations[MOST_COMBINATIONS:]
        if rest:
            grid.add_row(f"… {len(rest):,} further combinations", f"{sum(number for _, number in rest):,}")
        console.print()
        console.print(grid)
    for piece in found.pieces:
        for number, item in enumerate(examples(found, piece)):
            if not number:
                console.print()
                say(console, named(piece.label), "bold")
            say(console, f"  {example_line(item)}")
    if (command := _view_command(result)) is not None:
        console.print()
        say(console, f"An example with its frames: {command}")
    console.print()
    for text in content.remarks:
        say(console, text, "dim")
    if result.out is not None:
        say(console, f"Written: {result.out}")


def _view_command(result: ReconcileResult) -> str | None:
    """The command that opens the first example on the page of a run; None where neither side is a run that has it."""
    found = result.found
    for item in (item for piece in found.pieces for item in examples(found, piece)):
        sides = zip(result.paths, result.sides, strict=True)
        runs = {str(path): side.items[item.id].id for path, side in sides if path.is_dir() and item.id in side.items}
        if runs:
            return shlex.join(["tolman", "view", *runs, "--item", next(iter(runs.values()))])
    return None


def _print_waterfall(console: Console, content: Reconciliation) -> None:
    grid = plain_table(["", "points", "", *content.headings[2:]], left=["", "meaning"], whole=["", "points"])
    pieces = content.found.pieces
    largest = max((abs(piece.points) for piece in pieces), default=0)
    bars = [
        f"[{'green' if piece.points > 0 else 'red'}]"
        f"{'█' * (round(BAR_WIDTH * abs(piece.points) / largest) if largest else 0)}[/]"
        for piece in pieces
    ]
    for (name, points, *counts, said), bar in zip(content.rows, ["", *bars, ""], strict=True):
        meaning = f"[dim]{escape(said)}[/]" if bar else escape(said)
        grid.add_row(escape(name), points, bar, *counts, meaning)
    console.print()
    console.print(grid)
