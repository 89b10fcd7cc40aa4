"""What `tolman benchmarks` and `tolman protocols` print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tolman.commands.show.printing import table, write_json
from tolman.models.thinking import REASONING, room

if TYPE_CHECKING:
    from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
    from tolman.workflows.catalogue import ProtocolSummary
    from tolman.workflows.suite_names import NamedSuite


def show_benchmarks(
    console: Console, found: Sequence[BenchmarkSpec], suites: Sequence[NamedSuite] = (), *, as_json: bool
) -> None:
    """All benchmarks, a line each, then the suites of them; as JSON the benchmarks alone."""
    if as_json:
        write_json(console, [_plain(one) for one in found], ascii_only=False)
        return
    headings = ("name", "title", "subsets", "figures", "published rows")
    grid = table(headings, left=headings)
    for b in found:
        grid.add_row(b.name, b.title, ", ".join(b.subsets), str(len(b.table.columns)), str(len(b.published_rows)))
    console.print(grid)
    rows = [(one.name, f"{one.about}: {', '.join(one.benchmarks)}") for one in suites]
    if rows:
        console.print()
        _pairs(console, "Suites, carried out by 'tolman run NAME --model …'", rows)


def show_suite_file(console: Console, suite: NamedSuite, *, as_json: bool) -> None:
    """The file of a suite, as it is."""
    if as_json:
        record = {"name": suite.name, "about": suite.about, "benchmarks": list(suite.benchmarks), "file": suite.text}
        write_json(console, record, ascii_only=False)
        return
    console.file.write(suite.text)


def show_benchmark(console: Console, b: BenchmarkSpec, *, as_json: bool) -> None:
    """One benchmark with its subsets, prompt presets, scorers and columns."""
    if as_json:
        write_json(console, _plain(b), ascii_only=False)
        return
    console.print(f"[bold]{escape(b.title)}[/]  {escape(b.credits)}", highlight=False, soft_wrap=True)
    place = f"{b.hub.repository} at {b.hub.revision}" if b.hub else "local only"
    console.print(f"Found at: {place}", highlight=False)
    for title, rows in (
        ("Subsets", list(b.subsets.items())),
        ("Prompt presets", [(p.name, p.source) for p in b.presets]),
        ("Tokens of an answer, at most", [(p.name, _limits(p)) for p in b.presets]),
        ("Scorers", [(r.name, "headline" if r is b.rule_sets[0] else "") for r in b.rule_sets]),
        ("With --judge", [("judged", b.judging.source)]),
        ("Figures", [(c.key, f"{c.group}: {c.title}" if c.group else c.title) for c in b.table.columns]),
    ):
        _pairs(console, title, rows)


def show_protocols(console: Console, found: Sequence[ProtocolSummary], *, as_json: bool) -> None:
    """All protocols: the ways of asking, of which a run has one, then what can be joined to them."""
    if as_json:
        write_json(console, [asdict(one) for one in found], ascii_only=False)
        return
    for title, kind in (("Ways of asking, one for a run", "strategy"), ("Joined to them with '+'", "modifier")):
        _pairs(console, title, [(one.name, one.summary) for one in found if one.kind == kind])


def _pairs(console: Console, title: str, rows: Sequence[tuple[str, str]]) -> None:
    grid = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=None, pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column()
    for row in rows:
        grid.add_row(*row)
    console.print(grid)


def _limits(preset: PromptPreset) -> str:
    """A preset's budget for the answer, and the one for reasoning where the model is told to."""
    answer = preset.sampling.max_tokens
    if answer is None:
        return "no limit"
    return f"{answer:,}, and {room(preset.sampling.thinking or REASONING):,} more for reasoning where it is asked for"


def _plain(b: BenchmarkSpec) -> dict[str, Any]:
    return {
        "name": b.name,
        "title": b.title,
        "paper": b.paper,
        "scored_like": b.scored_like,
        "licence": b.licence,
        "subsets": dict(b.subsets),
        "presets": {p.name: p.source for p in b.presets},
        "tokens": {
            p.name: {"answer": p.sampling.max_tokens, "reasoning": room(p.sampling.thinking or REASONING)}
            for p in b.presets
        },
        "rule_sets": [r.name for r in b.rule_sets],
        "judging": b.judging.source,
        "columns": [{"key": c.key, "title": c.title, "group": c.group} for c in b.table.columns],
        "headline": b.table.headline,
        "published_rows": len(b.published_rows),
        "hub": b.hub.repository if b.hub else None,
    }
