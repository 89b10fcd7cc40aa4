"""What `tolman analyze deltas` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import polars as pl
from rich.console import Console

from tolman.analyze.deltas import BLIND, Asked, Delta, deltas
from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.reports.alike import one_benchmark, one_rule_set, scores_under
from tolman.reports.analyses.chance import chance_scores, whole_benchmark
from tolman.reports.analyses.output import print_table, reach, say, say_missing, write_json
from tolman.reports.loaded import load_runs
from tolman.reports.missing import SIGN, sentences

NO_CHANCE = "none"


def print_deltas(
    console: Console, paths: Sequence[Path], *, chance: str, rules: str | None, data: Path | None, as_json: bool
) -> None:
    """Compare each model's runs under different protocols.

    Raises:
        UsageError: the runs can't be compared, nothing comes of it, or the whole benchmark isn't at hand for chance.
    """
    runs = load_runs(paths)
    benchmark = one_benchmark(runs)
    chosen = one_rule_set(runs, rules)
    asked: dict[tuple[str, str], Asked] = {}
    for run in runs:
        key = run.record.settings.model, run.record.settings.protocol
        if key in asked:
            raise UsageError(f"two runs are of {key[0]} under the protocol {key[1]}; give one of them.")
        asked[key] = Asked(*key, scores_under(run, chosen))
    floor, whole = None, 0
    if chance != NO_CHANCE and any(protocol == BLIND for _, protocol in asked):
        items = whole_benchmark(runs, data)
        floor, whole = chance_scores(chance, benchmark, items, benchmark.rule_set(chosen)), len(items)
    table = benchmark.table_of(chosen)
    found = deltas(list(asked.values()), table, chance=floor, seed=runs[0].record.settings.seed)
    if not found:
        raise UsageError("there is nothing to compare: give a model's runs under two protocols, such as direct, blind.")
    if as_json:
        write_json(
            console, {"rules": chosen, "chance": chance, "chance_items": whole, "deltas": list(map(asdict, found))}
        )
        return
    for run in runs:
        lost = int(scores_under(run, chosen).filter(pl.col("status").is_in(["failed", "missing"])).height)
        if lost:
            console.print(f"[bold red]{run.name}: {lost:,} items without an answer are left out.[/]", soft_wrap=True)
    for delta in found:
        _print(console, delta, benchmark)
    for text in dict.fromkeys(text for delta in found for text in _missing(delta, benchmark)):
        say(console, text)
    say_missing(console, [d.reason for delta in found for d in delta.figures.values()])
    if floor is not None:
        built = f"built from all {whole:,} questions of the benchmark"
        say(
            console,
            f"chance: baseline/{chance}, {built}. Intervals are paired and clustered by scene; rules: {chosen}.",
        )


def _print(console: Console, delta: Delta, benchmark: BenchmarkSpec) -> None:
    rows = []
    for column in benchmark.table.columns:
        if column.key not in delta.figures:
            continue
        d = delta.figures[column.key]
        figures = [f"{d.a:.{column.digits}f}", f"{d.b:.{column.digits}f}", f"{d.value:+.{column.digits}f}"]
        interval = reach(d.interval, column.digits, signed=True)
        rows.append([column.title + (SIGN if d.missing else ""), *figures, interval, f"{d.n:,}"])
    one, other = delta.what.split(" − ")
    title = f"{delta.model}: {delta.what}"
    print_table(console, ["", one, other, "difference", "95 % interval", "items"], rows, title=title)


def _missing(delta: Delta, benchmark: BenchmarkSpec) -> list[str]:
    own = [(c, delta.figures[c.key]) for c in benchmark.table.columns if c.key in delta.figures]
    return sentences(delta.what, [(c.title, d.missing, d.attainable, c.digits) for c, d in own])
