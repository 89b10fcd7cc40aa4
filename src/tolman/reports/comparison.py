"""What `tolman compare` prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.markup import escape

from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.reports.alike import one_benchmark, one_rule_set, scores_under
from tolman.reports.loaded import LoadedRun, load_runs
from tolman.reports.missing import sentences as missing_sentences
from tolman.reports.remarks import ended_early, marks_of
from tolman.reports.terminal import print_differences
from tolman.reports.unread import stored
from tolman.scoring.compare import Difference, differences
from tolman.scoring.paired_test import MAX_EXACT_SCENES, SIGN_PATTERNS, holm


def compare_runs(console: Console, a: Path, others: Sequence[Path], rules: str | None, *, as_json: bool) -> None:
    """Compare a run folder with others.

    Raises:
        UsageError: they are of different benchmarks or data, have no item in common, or don't have that rule set.
    """
    one, *rest = load_runs([a, *others])
    benchmark = one_benchmark([one, *rest])
    chosen = one_rule_set([one, *rest], rules)
    first, answered = scores_under(one, chosen), {}
    seed = one.record.settings.seed
    found: list[dict[str, Difference]] = []
    table = benchmark.table_of(chosen)
    for path, other in zip(others, rest, strict=True):
        second = scores_under(other, chosen)
        ids = [set(frame.filter(pl.col("score").is_not_null())["id"]) for frame in (first, second)]
        if not ids[0] & ids[1]:
            raise UsageError(f"the runs {a} and {path} have no answered item in common.")
        answered[path] = len(ids[0] ^ ids[1])
        found.append(differences(first, second, table, seed=seed))
    adjusted = adjust(found)
    if as_json:
        comparisons = [
            {
                "b": str(path),
                "columns": {key: {**asdict(d), "p_holm": own[key]} for key, d in each.items()},
                "unread": _unread(other, chosen),
                "endings": other.figures.get("endings", {}),
            }
            for path, other, each, own in zip(others, rest, found, adjusted, strict=True)
        ]
        content = {
            "a": str(a),
            "rules": chosen,
            "seed": seed,
            "unread": _unread(one, chosen),
            "endings": one.figures.get("endings", {}),
            "comparisons": comparisons,
        }
        console.file.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        return
    for text in dict.fromkeys(text for run in (one, *rest) for text in ended_early(run)):
        console.print(f"[bold red]{escape(text)}[/]", soft_wrap=True)
    for path, other, each, own in zip(others, rest, found, adjusted, strict=True):
        if answered[path]:
            console.print(
                f"[bold red]{answered[path]:,} items were answered by one of the two only and are left out.[/]"
            )
        print_differences(console, benchmark.table, each, own, a=one.name, b=other.name, rules=escape(chosen))
    marks = (mark for run in (one, *rest) for mark in marks_of(run, benchmark.table, [chosen]))
    for text in (*dict.fromkeys(marks), *_missing(benchmark, found, rest)):
        console.print(f"[bold]{escape(text)}[/]", soft_wrap=True)
    for text in _notes(found, seed):
        console.print(f"[dim]{escape(text)}[/]", soft_wrap=True, highlight=False)


def adjust(found: Sequence[dict[str, Difference]]) -> list[dict[str, float]]:
    """Holm's correction over all columns of all comparisons."""
    p_values = iter(holm([d.p for each in found for d in each.values()]))
    return [{key: next(p_values) for key in each} for each in found]


def _unread(run: LoadedRun, rules: str) -> dict[str, Any]:
    """What could not be read of each figure, for JSON."""
    return {key: asdict(unread) for key, unread in stored(run.figures["rule_sets"][rules]).items()}


def _missing(
    benchmark: BenchmarkSpec, found: Sequence[dict[str, Difference]], others: Sequence[LoadedRun]
) -> list[str]:
    """Sentences for the figures that lack parts, by comparison."""
    said = []
    for other, each in zip(others, found, strict=True):
        own = [(c.title, each[c.key], c.digits) for c in benchmark.table.columns if c.key in each]
        said += missing_sentences(f"A − {other.name}", [(t, d.missing, d.attainable, digits) for t, d, digits in own])
    return said


def _notes(found: Sequence[dict[str, Difference]], seed: int) -> list[str]:
    every = [d for each in found for d in each.values()]
    how = "all sign patterns" if all(d.exact for d in every) else f"{SIGN_PATTERNS:,} sign patterns (seed {seed})"
    if any(d.exact for d in every) and not all(d.exact for d in every):
        how += f", all of them up to {MAX_EXACT_SCENES} scenes"
    notes = [
        f"p: two-sided randomisation test by scene, {how}; Holm: corrected for {len(every):,} tests, * below 0.05.",
        "detectable: the smallest difference that such a pair of runs shows with 80 % power at the 5 % level.",
    ]
    few = sorted({d.reason for d in every if d.reason})
    return [*notes, *([f"Where there is no interval: {few[0]}."] if few else [])]
