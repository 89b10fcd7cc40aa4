"""What `tolman analyze representative` prints and writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from tolman.analyze.representative import Subset, representative
from tolman.errors import UsageError
from tolman.files import write_text
from tolman.reports.alike import one_benchmark, one_rule_set, scores_under
from tolman.reports.analyses.output import print_table, say, steps, write_ids, write_json
from tolman.reports.loaded import load_runs
from tolman.scoring.table import Table


def print_representative(
    console: Console, paths: Sequence[Path], *, size: int, rules: str | None, seed: int, out: Path, as_json: bool
) -> None:
    """Choose a subset, check it on models left out, and write its ids.

    Raises:
        UsageError: too few runs or items, or two runs of one name.
    """
    runs = load_runs(paths)
    benchmark = one_benchmark(runs)
    chosen = one_rule_set(runs, rules)
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two runs are of {twice}; each counts as a model of its own, so give one of them.")
    with steps(Console(stderr=True), "choosing", len(runs) + 1) as step:
        frames = [scores_under(run, chosen) for run in runs]
        found = representative(frames, benchmark.table_of(chosen), size, seed=seed, done=lambda count: step())
    content = {"models": names, "rules": chosen, "seed": seed, "size": size, **asdict(found)}
    out.mkdir(parents=True, exist_ok=True)
    write_ids(out / "ids.txt", found.ids)
    write_text(out / "subset.json", json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    if as_json:
        write_json(console, content)
        return
    _print(console, found, names, benchmark.table)
    say(console, f"Written: {out / 'ids.txt'}; use it with 'tolman run … --ids {out / 'ids.txt'}'.")


def _print(console: Console, found: Subset, names: Sequence[str], table: Table) -> None:
    headline = table.column(table.headline)
    body = []
    for i, name in enumerate(names):
        held_out = found.held_out[i]
        figures = [own[i][headline.key] for own in (found.full, found.figures)]
        errors = [found.errors[i], held_out.chosen, held_out.drawn]
        body.append(
            [name, *(f"{f:.2f}" for f in figures), *(f"{e.headline:.2f}" for e in errors)]
            + [f"{e.mean:.2f}" for e in errors]
        )
    short = ["taking part", "held out", "random draw"]
    headings = ["", "all items", "subset", *short, *(f"{name}, all columns" for name in short)]
    title = f"{len(found.ids):,} of {found.items:,} items; {headline.title} and its error in points"
    print_table(console, headings, body, title=title)
    gains = [sum(getattr(check, side).mean for check in found.held_out) for side in ("chosen", "drawn")]
    if gains[0] >= gains[1]:
        console.print(
            "[bold red]On models left out the subset does no better than a stratified random draw.[/]", soft_wrap=True
        )
