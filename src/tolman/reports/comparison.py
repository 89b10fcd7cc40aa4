"""What `tolman compare` prints."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.markup import escape

from tolman import benchmarks
from tolman.errors import UsageError
from tolman.reports.content import load_runs
from tolman.reports.terminal import print_differences
from tolman.scoring.compare import differences


def compare_runs(console: Console, a: Path, b: Path, rules: str | None, *, as_json: bool) -> None:
    """Compare two run folders.

    Raises:
        UsageError: they are of different benchmarks or data, or don't have that rule set.
    """
    one, other = load_runs([a, b])
    left, right = one.record.settings, other.record.settings
    if left.benchmark != right.benchmark:
        raise UsageError(f"the runs are of different benchmarks: {left.benchmark} and {right.benchmark}.")
    if left.subset == right.subset and left.data_hash != right.data_hash:
        raise UsageError(f"the runs were made on different data ({left.data_hash} and {right.data_hash}).")
    known = [name for name in one.figures["rule_sets"] if name in other.figures["rule_sets"]]
    chosen = rules or (known[0] if known else "")
    if chosen not in known:
        raise UsageError(f"the runs don't share the rule set '{chosen}'; shared: {', '.join(known) or 'none'}.")
    first, second = (run.folder.scores().filter(pl.col("rule_set") == chosen) for run in (one, other))
    answered = [set(frame.filter(pl.col("score").is_not_null())["id"]) for frame in (first, second)]
    if not answered[0] & answered[1]:
        raise UsageError("the runs have no answered item in common.")
    table = benchmarks.get(left.benchmark).table
    found = differences(first, second, table, seed=left.seed)
    if as_json:
        content = {"a": str(a), "b": str(b), "rules": chosen, "columns": {k: asdict(d) for k, d in found.items()}}
        console.file.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        return
    alone = len(answered[0] ^ answered[1])
    if alone:
        console.print(f"[bold red]{alone:,} items were answered by one of the two only and are left out.[/]")
    print_differences(console, table, found, a=one.name, b=other.name, rules=escape(chosen))
