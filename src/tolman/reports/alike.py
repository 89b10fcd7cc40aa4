"""Runs that can be held against each other: of one benchmark, on the same data, under one rule set."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tolman import benchmarks
from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.reports.loaded import LoadedRun
from tolman.runs.folder import same_benchmark


def one_benchmark(runs: Sequence[LoadedRun]) -> BenchmarkSpec:
    """The benchmark of all runs.

    Raises:
        UsageError: they are of different benchmarks or data.
    """
    first = runs[0].record.settings
    for run in runs[1:]:
        other = run.record.settings
        if not same_benchmark(first.benchmark, other.benchmark):
            raise UsageError(f"the runs are of different benchmarks: {first.benchmark} and {other.benchmark}.")
        if first.subset == other.subset and first.data_hash != other.data_hash:
            raise UsageError(f"the runs were made on different data ({first.data_hash} and {other.data_hash}).")
    return benchmarks.get(first.benchmark)


def one_rule_set(runs: Sequence[LoadedRun], rules: str | None) -> str:
    """The rule set asked for, or the first run's headline's.

    Raises:
        UsageError: not all runs have it.
    """
    known = [name for name in runs[0].figures["rule_sets"] if all(name in run.figures["rule_sets"] for run in runs)]
    chosen = rules or (known[0] if known else "")
    if chosen not in known:
        raise UsageError(f"the runs don't share the rule set '{chosen}'; shared: {', '.join(known) or 'none'}.")
    return chosen


def scores_under(run: LoadedRun, rules: str) -> pl.DataFrame:
    """A run's rows under one rule set."""
    return run.folder.scores().filter(pl.col("rule_set") == rules)
