"""The result of `tolman analyze bias`: a row for each learner on each subset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tolman.analyze.bias.analysis import BiasResult
from tolman.reports.analyses.output import Shown, format_interval, table
from tolman.scoring.aggregate import Cell
from tolman.scoring.table import Column


def show(result: BiasResult) -> list[Shown]:
    """Make what is printed: the table, each learner's headline with its interval, and what was written."""
    found = result.bias
    columns = found.table.columns
    count = f"{len(found.guesses.items):,}"
    body = [["all", "", "random", count, *(_figure(result.chance, column) for column in columns)]]
    body += [
        [row.subset, row.trained, row.learner, f"{row.n:,}", *(_figure(row.figures, column) for column in columns)]
        for row in found.rows
    ]
    headings = ["items", "trained on", "learner", "n", *(column.title for column in columns)]
    title = f"{result.label}: blind scores, {result.folds} folds by scene, scorer {result.scorer}"
    shown: list[Shown] = [table(headings, body, left=3, title=title)]
    headline = found.table.column(found.table.headline)
    for row in found.rows:
        interval = row.figures[headline.key].interval
        if row.subset == "all" and interval is not None:
            figure = f"{headline.title} {_figure(row.figures, headline)}"
            shown.append(f"{row.learner}: {figure}, 95 % interval {format_interval(interval)}")
    if result.out is not None:
        lists = _lists(result.out) if found.kept is not None else "."
        shown.append(f"Written: {result.out / 'guessability.csv'}{lists}")
    return shown


def _figure(figures: Mapping[str, Cell], column: Column) -> str:
    value = figures[column.key].value
    return "–" if value is None else f"{value:.1f}"


def _lists(out: Path) -> str:
    keep, leave = out / "keep.txt", out / "leave-out.txt"
    return f", {keep}, {leave}; use them with 'tolman run … --ids {keep}' or '--exclude {leave}'."
