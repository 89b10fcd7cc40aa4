"""The result of `tolman analyze deltas`: a table for each comparison."""

from __future__ import annotations

from rich.table import Table as RichTable

from tolman.analyze.deltas import Delta, DeltasResult, PublishedDelta
from tolman.reports.analyses.output import Shown, format_interval, missing_intervals, table, warning
from tolman.reports.missing import SIGN, sentences
from tolman.scoring.table import Column


def show(result: DeltasResult) -> list[Shown]:
    """Make what is printed: runs with missing answers, the tables, and what the figures rest on."""
    shown: list[Shown] = [
        warning(f"{name}: {count:,} items without an answer are left out.") for name, count in result.unanswered.items()
    ]
    for delta in result.deltas:
        shown.append(_table(delta, result))
    shown += [_published(one) for one in result.published]
    shown += dict.fromkeys(text for delta in result.deltas for text in _missing(delta, result.columns))
    shown += missing_intervals(d.reason for delta in result.deltas for d in delta.figures.values())
    if result.chance_items:
        built = f"built from all {result.chance_items:,} questions of the benchmark"
        method = f"Intervals are paired and clustered by scene; scorer: {result.scorer}."
        shown.append(f"chance: baseline/{result.chance}, {built}. {method}")
    return shown


def _table(delta: Delta, result: DeltasResult) -> RichTable:
    """The runs' two sides and their difference, then the difference of each published model."""
    rows = []
    published = [one for one in result.published if one.what == delta.what]
    for column in result.columns:
        if column.key not in delta.figures:
            continue
        d = delta.figures[column.key]
        figures = [f"{d.a:.{column.digits}f}", f"{d.b:.{column.digits}f}", f"{d.value:+.{column.digits}f}"]
        interval = format_interval(d.interval, column.digits, signed=True)
        beside = [_difference(one, column) for one in published]
        rows.append([column.title + (SIGN if d.missing else ""), *figures, interval, f"{d.n:,}", *beside])
    one, other = delta.what.split(" − ")
    names = [f"published: {one.model}" for one in published]
    headings = ["", one, other, "difference", "95 % interval", "items", *names]
    return table(headings, rows, title=f"{delta.model}: {delta.what}")


def _difference(published: PublishedDelta, column: Column) -> str:
    if column.key not in published.figures:
        return "–"
    a, b = published.figures[column.key]
    return f"{a - b:+.1f}"


def _published(one: PublishedDelta) -> str:
    subset = "" if not one.subset else f", subset {one.subset}"
    return f"published, {one.model}: {one.what} of {one.source}{subset}, the source's own runs."


def _missing(delta: Delta, columns: tuple[Column, ...]) -> list[str]:
    own = [(c, delta.figures[c.key]) for c in columns if c.key in delta.figures]
    return sentences(delta.what, [(c.title, d.missing, d.attainable, c.digits) for c, d in own])
