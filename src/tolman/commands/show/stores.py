"""What `tolman store` prints."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Console

from tolman.commands.show.printing import say, table, write_json

if TYPE_CHECKING:
    from tolman.workflows.stores import StoreSummary


def show_store(console: Console, summary: StoreSummary, *, as_json: bool) -> None:
    """A row for each model, and the file they are in."""
    if as_json:
        models = [
            {"model": one.model, "answers": one.answers, "first": one.first, "last": one.last} for one in summary.models
        ]
        write_json(console, {"store": summary.place, "models": models})
        return
    grid = table(("model", "answers", "first", "last"), left=("model", "first", "last"), whole=())
    for one in summary.models:
        grid.add_row(one.model, f"{one.answers:,}", _day(one.first), _day(one.last))
    console.print(grid)
    say(console, f"{summary.place}: {summary.size / 1e6:.1f} MB")


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
