"""A comparison of runs in the terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from tolman.commands.show.report import print_differences
from tolman.reports.missing import sentences as missing_sentences
from tolman.reports.remarks import ended_early, marks_of
from tolman.scoring.compare import Difference
from tolman.scoring.paired_test import MAX_EXACT_SCENES, SIGN_PATTERNS
from tolman.workflows.compare import CompareResult


def show_comparison(console: Console, result: CompareResult, *, as_json: bool) -> None:
    """Print one table for each pair of runs, with what is to be said of them."""
    if as_json:
        console.file.write(json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n")
        return
    benchmark, chosen = result.benchmark, result.scorer
    runs = (result.run, *(one.run for one in result.comparisons))
    for text in dict.fromkeys(text for run in runs for text in ended_early(run)):
        console.print(f"[bold red]{escape(text)}[/]", soft_wrap=True)
    for one in result.comparisons:
        if one.answered_by_one:
            console.print(
                f"[bold red]{one.answered_by_one:,} items were answered by one of the two only and are left out.[/]"
            )
        print_differences(
            console,
            benchmark.table,
            one.differences,
            one.p_holm,
            a=result.run.name,
            b=one.run.name,
            rules=escape(chosen),
        )
    marks = (mark for run in runs for mark in marks_of(run, benchmark.table, [chosen]))
    for text in (*dict.fromkeys(marks), *_missing(result)):
        console.print(f"[bold]{escape(text)}[/]", soft_wrap=True)
    for text in _notes([d for one in result.comparisons for d in one.differences.values()], result.seed):
        console.print(f"[dim]{escape(text)}[/]", soft_wrap=True, highlight=False)


def _missing(result: CompareResult) -> list[str]:
    """Sentences for the figures that lack parts, by comparison."""
    said = []
    for one in result.comparisons:
        found = one.differences
        own = [(c.title, found[c.key], c.digits) for c in result.benchmark.table.columns if c.key in found]
        said += missing_sentences(
            f"A − {one.run.name}", [(title, d.missing, d.attainable, digits) for title, d, digits in own]
        )
    return said


def _notes(every: Sequence[Difference], seed: int) -> list[str]:
    how = "all sign patterns" if all(d.exact for d in every) else f"{SIGN_PATTERNS:,} sign patterns (seed {seed})"
    if any(d.exact for d in every) and not all(d.exact for d in every):
        how += f", all of them up to {MAX_EXACT_SCENES} scenes"
    notes = [
        f"p: two-sided randomisation test by scene, {how}; Holm: corrected for {len(every):,} tests, * below 0.05.",
        "detectable: the smallest difference that such a pair of runs shows with 80 % power at the 5 % level.",
    ]
    few = sorted({d.reason for d in every if d.reason})
    return [*notes, *([f"Where there is no interval: {few[0]}."] if few else [])]
