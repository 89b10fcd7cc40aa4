"""What `tolman benchmarks` and `tolman protocols` print."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from tolman import benchmarks, protocols
from tolman.benchmarks.base import BenchmarkSpec


def print_all(console: Console, *, as_json: bool) -> None:
    """All benchmarks, a line each."""
    found = [benchmarks.get(name) for name in benchmarks.names()]
    if as_json:
        console.file.write(json.dumps([_plain(b) for b in found], indent=2, ensure_ascii=False) + "\n")
        return
    grid = RichTable(box=None, pad_edge=False)
    for heading in ("name", "title", "subsets", "figures", "published rows"):
        grid.add_column(heading, no_wrap=heading == "name")
    for b in found:
        grid.add_row(b.name, b.title, ", ".join(b.subsets), str(len(b.table.columns)), str(len(b.published_rows)))
    console.print(grid)


def print_one(console: Console, name: str, *, as_json: bool) -> None:
    """One benchmark with its subsets, presets, rule sets and columns."""
    b = benchmarks.get(name)
    if as_json:
        console.file.write(json.dumps(_plain(b), indent=2, ensure_ascii=False) + "\n")
        return
    console.print(f"[bold]{escape(b.title)}[/]  {escape(b.credits)}", highlight=False, soft_wrap=True)
    place = f"{b.hub.repository} at {b.hub.revision}" if b.hub else "local only"
    console.print(f"Found at: {place}", highlight=False)
    for title, rows in (
        ("Subsets", list(b.subsets.items())),
        ("Presets", [(p.name, p.source) for p in b.presets]),
        ("Rule sets", [(r.name, "headline" if r is b.rule_sets[0] else "") for r in b.rule_sets]),
        ("With --judge", [("judged", b.judging.source)]),
        ("Figures", [(c.key, f"{c.group}: {c.title}" if c.group else c.title) for c in b.table.columns]),
    ):
        grid = RichTable(
            title=title, title_justify="left", title_style="bold", show_header=False, box=None, pad_edge=False
        )
        grid.add_column(no_wrap=True)
        grid.add_column()
        for row in rows:
            grid.add_row(*row)
        console.print(grid)


def print_protocols(console: Console, *, as_json: bool) -> None:
    """All protocols: the ways of asking, of which a run has one, then what can be joined to them."""
    found = sorted(protocols.describe(), key=lambda row: (row[1] != "strategy", row[0]))
    if as_json:
        keys = ("name", "kind", "summary")
        rows = [dict(zip(keys, row, strict=True)) for row in found]
        console.file.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        return
    for title, kind in (("Ways of asking, one for a run", "strategy"), ("Joined to them with '+'", "modifier")):
        grid = RichTable(
            title=title, title_justify="left", title_style="bold", show_header=False, box=None, pad_edge=False
        )
        grid.add_column(no_wrap=True)
        grid.add_column()
        for name, own, summary in found:
            if own == kind:
                grid.add_row(name, summary)
        console.print(grid)


def _plain(b: BenchmarkSpec) -> dict[str, Any]:
    return {
        "name": b.name,
        "title": b.title,
        "paper": b.paper,
        "scored_like": b.scored_like,
        "licence": b.licence,
        "subsets": dict(b.subsets),
        "presets": {p.name: p.source for p in b.presets},
        "rule_sets": [r.name for r in b.rule_sets],
        "judging": b.judging.source,
        "columns": [{"key": c.key, "title": c.title, "group": c.group} for c in b.table.columns],
        "headline": b.table.headline,
        "published_rows": len(b.published_rows),
        "hub": b.hub.repository if b.hub else None,
    }
