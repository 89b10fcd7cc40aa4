"""What `tolman scenes` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tolman.commands.show.printing import say, write_json

if TYPE_CHECKING:
    from tolman.workflows.scenes import ScenesResult

_LISTED = 40
"""Scenes that are listed; the page has all."""


def show_collection(console: Console, result: ScenesResult, *, as_json: bool) -> None:
    """A row for each scene, what was skipped, and where the page is."""
    from tolman.reports.floor_plans import plain
    from tolman.reports.scene_pages import HEADINGS, cells

    if as_json:
        skipped = [{"scene": one.scene, "reason": one.reason} for one in result.skipped]
        write_json(console, {"scenes": result.rows, "skipped": skipped})
        return
    grid = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        left = heading == "scene"
        grid.add_column(heading, justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for row in result.rows[:_LISTED]:
        grid.add_row(*(Text(cell) for cell in cells(row)))
    console.print(grid)
    if len(result.rows) > _LISTED:
        say(console, f"… and {len(result.rows) - _LISTED:,} more")
    for one in result.skipped:
        say(console, f"skipped: {plain(one.scene)}: {one.reason}", "yellow")
    totals = f"{len(result.rows):,} scenes, {sum(row['objects'] for row in result.rows):,} objects"
    say(console, f"{totals}: {result.page}." if result.page is not None else f"{totals}.")
