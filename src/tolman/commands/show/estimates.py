"""What runs would take, in the terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tolman.commands.show.report import print_wide
from tolman.workflows.estimate import RunEstimate

HEADS = (
    "benchmark", "model", "protocol", "items", "calls", "images", "videos", "text tokens", "answer tokens", "minutes",
    "cost",
)  # fmt: skip


def show_estimates(
    console: Console, found: Sequence[RunEstimate], *, as_json: bool, lacking: Sequence[str] = ()
) -> None:
    """Print a line for each run and their sum, or JSON; then a sentence for each run that isn't among them."""
    _show_table(console, found, as_json=as_json)
    told = Console(stderr=True) if as_json else console
    for text in lacking:
        told.print(text, style="bold red", markup=False, highlight=False, soft_wrap=True)


def _show_table(console: Console, found: Sequence[RunEstimate], *, as_json: bool) -> None:
    if as_json:
        console.file.write(json.dumps([asdict(one) for one in found], indent=2) + "\n")
        return
    grid = Table(box=None, pad_edge=False, title="Nothing was asked.", title_justify="left", title_style="dim")
    for number, head in enumerate(HEADS):
        grid.add_column(head, justify="left" if number < 3 else "right", no_wrap=True)
    for one in found:
        videos = f"{one.videos:,} × {one.frames}" if one.videos else "0"
        grid.add_row(
            escape(one.benchmark), escape(one.model), one.protocol, f"{one.items:,}", f"{one.calls:,}",
            f"{one.images:,}", videos, f"{one.text_tokens:,}",
            "no limit" if one.answer_tokens is None else f"≤ {one.answer_tokens:,}",
            "–" if one.minutes is None else f"{one.minutes:,.1f}", "–" if one.cost is None else f"≤ {one.cost:,.2f}",
        )  # fmt: skip
    if len(found) > 1:
        known = [one.cost for one in found]
        cost = "–" if None in known else f"≤ {sum(cost for cost in known if cost is not None):,.2f}"
        calls = f"{sum(one.calls for one in found):,}"
        items = f"{sum(one.items for one in found):,}"
        grid.add_row("[bold]all[/]", "", "", items, calls, "", "", "", "", "", cost, style="bold")
    print_wide(console, grid)
    console.print(
        "Calls are the fewest that a protocol makes, those in the response store among them; text is counted at four "
        "letters a token; cost is of text and the longest answers, without pictures and videos; minutes are by the "
        "speed of this model's answers in the response store.",
        style="dim", markup=False, highlight=False, soft_wrap=True,
    )  # fmt: skip
