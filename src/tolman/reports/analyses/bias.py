"""What `tolman analyze bias` prints and writes."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from tolman import benchmarks
from tolman.analyze.bias.analysis import Bias, analyze
from tolman.errors import InputError
from tolman.files import write_text
from tolman.items import Item
from tolman.names import unknown
from tolman.reports.analyses.chance import chance_scores
from tolman.reports.analyses.output import print_table, questions, say, steps, write_ids, write_json
from tolman.runs.selection import ids_from
from tolman.scoring.aggregate import Cell, cells
from tolman.scoring.rules import RuleSet
from tolman.scoring.table import Column

GIVEN = "given"


def print_bias(
    console: Console,
    source: str,
    *,
    data: Path | None,
    subset: str | None,
    keep: int | None,
    rounds: int,
    against: Path | None,
    folds: int,
    seed: int,
    rules: str | None,
    workers: int | None,
    out: Path,
    as_json: bool,
) -> None:
    """Measure what blind learners get, write it item by item, and prune.

    Raises:
        MissingExtraError: scikit-learn isn't installed.
        InputError: a list of ids that isn't one.
        UsageError: unknown names, too few scenes, or a subset that can't be.
    """
    name, items, label = questions(source, data, subset)
    benchmark = benchmarks.get(name)
    rule_set = _rule_set(benchmark.rule_sets, rules)
    given = {GIVEN: _left_out(against, items)} if against else {}
    total = 1 + (rounds + 1 if keep is not None else 0) + len(given)
    with steps(Console(stderr=True), "training", total) as step:
        found = analyze(
            items,
            benchmark.table_of(rule_set.name),
            rule_set,
            folds=folds,
            seed=seed,
            keep=keep,
            rounds=rounds,
            given=given,
            workers=workers,
            done=lambda name: step(),
        )
    chance = cells(chance_scores("random", benchmark, items, rule_set), found.table)
    content = _content(found, chance, label, rule_set.name, folds, seed)
    _write(out, found, content)
    if as_json:
        write_json(console, content)
        return
    _print(console, found, chance, f"{label}: blind scores, {folds} folds by scene, rules {rule_set.name}")
    say(console, f"Written: {out / 'guessability.csv'}" + (_lists(out) if found.kept is not None else "."))


def _rule_set(known: tuple[RuleSet, ...], name: str | None) -> RuleSet:
    for rules in known:
        if name in (None, rules.name):
            return rules
    raise unknown("rule set", name or "", [rules.name for rules in known])


def _left_out(path: Path, items: list[Item]) -> set[str]:
    if not path.is_file():
        raise InputError(path, "does not exist", fix="name a file with one id on each line")
    ids = set(ids_from(str(path)))
    known = {item.id for item in items}
    if not ids & known or known <= ids:
        what = "names no item of the benchmark" if not ids & known else "leaves no item"
        raise InputError(path, what, fix="give the ids that the subset leaves out, one on each line")
    return ids


def _print(console: Console, found: Bias, chance: dict[str, Cell], title: str) -> None:
    columns = found.table.columns
    body = [["all", "", "random", f"{len(found.guesses.items):,}", *(_figure(chance, column) for column in columns)]]
    body += [
        [row.subset, row.trained, row.learner, f"{row.n:,}", *(_figure(row.figures, column) for column in columns)]
        for row in found.rows
    ]
    headings = ["items", "trained on", "learner", "n", *(column.title for column in columns)]
    print_table(console, headings, body, left=3, title=title)
    headline = found.table.column(found.table.headline)
    for row in found.rows:
        interval = row.figures[headline.key].interval
        if row.subset == "all" and interval is not None:
            reach = f"{interval.low:.1f} … {interval.high:.1f}"
            say(console, f"{row.learner}: {headline.title} {_figure(row.figures, headline)}, 95 % interval {reach}")


def _figure(figures: dict[str, Cell], column: Column) -> str:
    value = figures[column.key].value
    return "–" if value is None else f"{value:.1f}"


def _lists(out: Path) -> str:
    keep, leave = out / "keep.txt", out / "leave-out.txt"
    return f", {keep}, {leave}; use them with 'tolman run … --ids {keep}' or '--exclude {leave}'."


def _content(found: Bias, chance: dict[str, Cell], label: str, rules: str, folds: int, seed: int) -> dict[str, Any]:
    rows = [
        {"subset": r.subset, "trained_on": r.trained, "learner": r.learner, "n": r.n, "columns": _plain(r.figures)}
        for r in found.rows
    ]
    settings = {"questions_of": label, "rules": rules, "folds": folds, "seed": seed}
    return {**settings, "chance": _plain(chance), "rows": rows}


def _plain(figures: dict[str, Cell]) -> dict[str, Any]:
    return {key: asdict(cell) for key, cell in figures.items()}


def _write(out: Path, found: Bias, content: dict[str, Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    frame = found.frame()
    write_text(out / "guessability.csv", frame.write_csv())
    write_text(out / "bias.json", json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    if found.kept is not None:
        write_ids(out / "keep.txt", frame.filter(pl.col("kept"))["id"])
        write_ids(out / "leave-out.txt", frame.filter(~pl.col("kept"))["id"])
