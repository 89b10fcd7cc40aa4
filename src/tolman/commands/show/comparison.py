"""A comparison of runs in the terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from tolman.commands.show.report import print_differences
from tolman.reports.further_metrics import metric_heading
from tolman.reports.missing import sentences as missing_sentences
from tolman.reports.no_interval import Lacking
from tolman.reports.no_interval import sentences as why_none
from tolman.reports.remarks import marks_of
from tolman.scoring.compare import Difference
from tolman.scoring.further import further_table
from tolman.scoring.metric import Metric
from tolman.scoring.paired_test import MAX_EXACT_SCENES, SIGN_PATTERNS
from tolman.workflows.compare import CompareResult, Comparison


def show_comparison(console: Console, result: CompareResult, *, as_json: bool) -> None:
    """Print one table for each pair of runs, one for each of its further metrics, and what is to be said of them."""
    if as_json:
        console.file.write(json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n")
        return
    benchmark, chosen = result.benchmark, result.scorer
    runs = (result.run, *(one.run for one in result.comparisons))
    for text in result.warnings:
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
        for metric in result.metrics:
            if metric.name in one.further:
                _print_further(console, result, one, metric)
    marks = (mark for run in runs for mark in marks_of(run, benchmark.table, [chosen]))
    for text in (*dict.fromkeys(marks), *_missing(result), *_for_nothing(result)):
        console.print(f"[bold]{escape(text)}[/]", soft_wrap=True)
    every = [d for one in result.comparisons for d in _rows(one)]
    for text in (*_notes(every, result.seed), *_intervals(result)):
        console.print(f"[dim]{escape(text)}[/]", soft_wrap=True, highlight=False)


def _print_further(console: Console, result: CompareResult, one: Comparison, metric: Metric) -> None:
    found = one.further[metric.name]
    tasks = list(found)[:-1] if len(found) > 1 else []
    print_differences(
        console,
        further_table(metric, tasks, result.benchmark.table.task_titles),
        found,
        one.further_p_holm[metric.name],
        a=result.run.name,
        b=one.run.name,
        rules=escape(f"{result.scorer}: {metric_heading(metric.title, metric.unit)}"),
    )


def _rows(one: Comparison) -> list[Difference]:
    return [*one.differences.values(), *(d for own in one.further.values() for d in own.values())]


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


def _for_nothing(result: CompareResult) -> list[str]:
    """Sentences for the metrics that no answer of a pair of runs has a value of."""
    return [
        f"A − {one.run.name}: no answer of both has a value of the metric {metric.name}."
        for one in result.comparisons
        for metric in result.metrics
        if metric.name not in one.further
    ]


def _notes(every: Sequence[Difference], seed: int) -> list[str]:
    how = "all sign patterns" if all(d.exact for d in every) else f"{SIGN_PATTERNS:,} sign patterns (seed {seed})"
    if any(d.exact for d in every) and not all(d.exact for d in every):
        how += f", all of them up to {MAX_EXACT_SCENES} scenes"
    return [
        f"p: two-sided randomisation test by scene, {how}; Holm: corrected for {len(every):,} tests, * below 0.05.",
        "detectable: the smallest difference that such a pair of runs shows with 80 % power at the 5 % level.",
    ]


def _intervals(result: CompareResult) -> list[str]:
    """Why differences have no interval."""
    titles = {column.key: column.title for column in result.benchmark.table.columns}
    tasks = result.benchmark.table.task_titles
    names = {metric.name: metric_heading(metric.title, metric.unit) for metric in result.metrics}
    own = [(titles[key], "", d) for one in result.comparisons for key, d in one.differences.items()]
    own += [
        (tasks.get(task, task), names[name], d)
        for one in result.comparisons
        for name, found in one.further.items()
        for task, d in found.items()
    ]
    lacking = [Lacking(title, d.effective_scenes, d.reason or "", table) for title, table, d in own if not d.interval]
    return why_none(lacking, all_figures=len(lacking) == len(own))
