"""The result of `tolman analyze humans`: people's figures, and the tiers."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tolman.analyze.humans import TIERS, Difficulty, HumansResult
from tolman.reports.analyses.output import Shown, format_interval, table


def show(result: HumansResult) -> list[Shown]:
    """Make what is printed: a row for each person and their average, figures that lack parts, a row for each tier."""
    columns, average = result.columns, result.average
    body = [
        [name, *(f"{figures[c.key]:.{c.digits}f}" if c.key in figures else "–" for c in columns)]
        for name, figures in result.people.items()
    ]
    body.append(["average", *(f"{average[c.key].value:.{c.digits}f}" for c in columns)])
    body.append(["95 % interval", *(format_interval(average[c.key].interval) for c in columns)])
    for row in result.published:
        setting = f" ({row.setting})" if row.setting else ""
        figures = ["–" if (value := row.values.get(c.key)) is None else f"{value}" for c in columns]
        body.append([f"{row.name}{setting}, published", *figures])
    title = f"{len(result.people)} people, {result.scorer}"
    shown: list[Shown] = [table(["", *(c.title for c in columns)], body, title=title)]
    shown += result.marks
    sources = ", ".join(
        dict.fromkeys(f"{row.source} ({row.date})" if row.date else row.source for row in result.published)
    )
    shown += [f"published: {sources}."] if sources else []
    shown += [one.told(only="Human") for one in result.published_tables]
    if result.difficulty is None:
        shown += [result.no_tiers] if result.no_tiers else []
    else:
        shown += _tiers(result.difficulty, result.out)
    return shown


def _tiers(found: Difficulty, out: Path | None) -> list[Shown]:
    tasks = list(dict.fromkeys(found.frame["task"].to_list()))
    body = []
    for tier in TIERS:
        own = found.frame.filter(pl.col("tier") == tier)
        mean, wrong = own["seconds"].mean(), int((own["wrong"] > 0).sum())
        seconds = f"{mean:.1f}" if isinstance(mean, float) else "–"
        per_task = [f"{int((own['task'] == task).sum()):,}" for task in tasks]
        body.append([tier, f"{own.height:,}", seconds, f"{wrong:,}", *per_task])
    headings = ["tier", "items", "mean seconds", "answered wrongly", *tasks]
    low, high = found.cuts
    shown: list[Shown] = [
        table(headings, body, title="difficulty, from normalised answering times"),
        f"easy up to {low:.1f} s, medium up to {high:.1f} s; an item that anybody answered wrongly is hard.",
    ]
    if found.untimed:
        shown.append(f"{found.untimed:,} items were answered without a time and are in no tier.")
    if out is not None:
        shown.append(f"Written: {out / 'tiers.csv'}, and a list of ids for each tier (--ids {out / 'hard.txt'}).")
    return shown
