"""A reconciliation in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from tolman.analyze.reconciling.causes import named
from tolman.commands.show.printing import say, table, write_json
from tolman.reports.reconciliation import Reconciliation, example_line, examples
from tolman.workflows.reconcile import ReconcileResult

MOST_COMBINATIONS = 8
BAR_WIDTH = 16
"""Characters of the longest bar of the waterfall."""


def show_reconciliation(console: Console, result: ReconcileResult, *, as_json: bool) -> None:
    """Print the waterfall, which causes items have together, examples, and what limits the answer."""
    if as_json:
        write_json(console, result.to_dict(), ascii_only=False)
        return
    found, content = result.found, result.content
    say(console, content.heading, "bold")
    say(console, content.count)
    _print_waterfall(console, content)
    if any(len(labels) > 1 for labels, _ in result.combinations):
        grid = table(["causes of an item together", "items"], left=["causes of an item together"])
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
    console.print()
    for text in content.remarks:
        say(console, text, "dim")
    if result.out is not None:
        say(console, f"Written: {result.out}")


def _print_waterfall(console: Console, content: Reconciliation) -> None:
    grid = table(["", "points", "", "items", "up", "down", "meaning"], left=["", "meaning"], whole=["", "points"])
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
