"""Inputs of figures: runs with their warnings, columns of tables, rows of charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import polars as pl

from tolman.errors import UsageError, unknown
from tolman.features.analyses.scored_runs import ScoredRuns, scored_runs
from tolman.features.figures import TableFigureConfig
from tolman.features.report.config import CutSettings
from tolman.features.report.report_cuts import cut_tables
from tolman.reports.charts.chart import CLUSTERED, ends_of
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.reference_rows import Published
from tolman.reports.report_content import build, marks_of, warnings_of
from tolman.reports.table_rows import (
    UNREAD_SIGN,
    ReportRow,
    few_marks,
    missing_intervals,
    missing_marks as missing_marks,
)
from tolman.reports.text import label
from tolman.scoring.further_figures import Unread
from tolman.scoring.score_table import Column


@dataclass(frozen=True)
class TableRows:
    """The rows of a figure of a benchmark's table, or of a table by labels.

    Attributes:
        title: of the benchmark, its part, and the scorer or labels.
        scored: the runs, and under which scorer.
        shown: the rows of runs and papers.
        columns: those that the figure shows.
        marks: the meaning of the signs in them.
    """

    title: str
    scored: ScoredRuns
    shown: list[ReportRow]
    columns: list[Column]
    marks: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Rows of a chart's data."""
        found = []
        for column in self.columns:
            for row in self.shown:
                figure = row.figures.get(column.key)
                if figure is None:
                    continue
                role = "published" if row.group == "model" else row.group
                values = [value for value in row.values if value is not None]
                found.append(
                    {
                        "series": series_name(row),
                        "role": role,
                        "label": " · ".join((*values, column.title)),
                        "value": figure.value,
                        **ends_of(figure.interval),
                        "n": figure.n,
                        "unread": _share(row.unread.get(column.key)),
                        "unanswered": figure.unanswered if role == "run" else None,
                    }
                )
        return found

    def notes(self) -> tuple[str, ...]:
        """Return the warnings of the runs, and notes on the intervals."""
        own = [row for row in self.shown if row.group == "run"]
        has_intervals = any(row.figures[c.key].interval for row in own for c in self.columns if c.key in row.figures)
        said = [CLUSTERED] if has_intervals else []
        return tuple(
            dict.fromkeys(
                [
                    *said,
                    *run_notes(self.scored),
                    *self.marks,
                    *few_marks(own, self.columns),
                    *missing_intervals(own, self.columns),
                ]
            )
        )


def table_rows(config: TableFigureConfig) -> TableRows:
    """Open the runs of a figure of a table.

    Raises:
        InputError: one of them is no run, or has no scores.
        UsageError: they can't be held against each other, or there is no such column or label.
    """
    scored = scored_runs(config.runs, config.scorer)
    if config.by:
        return _rows_by(config, scored)
    report = build(scored.runs, cast("Published", config.published))
    shown = [row for row in report.rows if row.group != "run" or row.rules == scored.scorer]
    title = f"{report.benchmark.title} · {report.subset}, scorer {scored.scorer}"
    return TableRows(title, scored, shown, _filled(chosen_columns(report.columns, config.columns), shown))


def _rows_by(config: TableFigureConfig, scored: ScoredRuns) -> TableRows:
    """The rows of a figure by labels: one column of the benchmark's table, for each value of the label."""

    table = scored.benchmark.table
    chosen = chosen_columns(table.columns, config.columns or (table.headline,))
    if len(chosen) > 1:
        raise UsageError("a figure by labels shows one column of the table; name one with --columns.")
    settings = CutSettings(
        by=(",".join(config.by),),
        figure=chosen[0].key,
        layout="across",
        scorer=scored.scorer,
        published=config.published != "none",
    )
    (made,) = cut_tables(scored.runs, scored.benchmark, settings)
    # All values of a label that stands in rows are every other row once more.
    shown = [row for row in made.rows if None not in row.values]
    title = f"{scored.benchmark.title}: {made.title}"
    return TableRows(title, scored, shown, _filled(list(made.columns), shown), tuple(made.marks))


def _filled(columns: Sequence[Column], rows: Sequence[ReportRow]) -> list[Column]:
    """The columns in which a run has a figure.

    Raises:
        UsageError: there is none.
    """
    own = [row for row in rows if row.group == "run"]
    filled = [column for column in columns if any(column.key in row.figures for row in own)]
    if not filled:
        raise UsageError(f"no run has a figure in {', '.join(c.title for c in columns)}; nothing can be drawn.")
    return filled


def chosen_columns(columns: Sequence[Column], names: Sequence[str]) -> list[Column]:
    """The columns of those names, by key or title; all where none is named.

    Raises:
        UsageError: there is none of that name.
    """
    if not names:
        return list(columns)
    found = {name.casefold(): column for column in columns for name in (column.title, column.key)}
    for name in names:
        if name.casefold() not in found:
            raise unknown("column", name, [column.key for column in columns])
    return [found[name.casefold()] for name in names]


def run_notes(scored: ScoredRuns) -> tuple[str, ...]:
    """Sentences on runs: parts, failed calls, answers that were ended or could not be read, missing question types."""
    said: dict[str, None] = dict.fromkeys(run_warnings(scored))
    for run in scored.runs:
        used = {scored.scorer: run.figures["rule_sets"][scored.scorer]}
        said |= dict.fromkeys(marks_of(run, scored.benchmark, used))
        headline = scored.benchmark.table.headline
        said |= dict.fromkeys(missing_marks(run.name, run.folder.path, used, scored.benchmark, [headline]))
    return tuple(said)


def run_warnings(scored: ScoredRuns) -> tuple[str, ...]:
    """Return the sentences on runs for every figure: parts, failed calls, answers that were ended."""
    return tuple(warnings_of(scored.runs, scored.benchmark))


def series_name(row: ReportRow) -> str:
    """The name of a row, with the signs that it has in tables."""
    return label(replace(row, name=f"{row.name} {UNREAD_SIGN}" if row.marked else row.name))


def series_names(scored: ScoredRuns) -> dict[str, str]:
    """Each run's name with the signs that its row has in tables."""
    rows = build(scored.runs, "none").rows
    return {row.name: series_name(row) for row in rows if row.group == "run" and row.rules == scored.scorer}


def answers(scored: ScoredRuns, run: LoadedRun, tasks: Sequence[str] = ()) -> pl.DataFrame:
    """The scored rows of a run that are of some question types; of all where none is named.

    Raises:
        UsageError: a question type that no item is of.
    """
    rows = scored.rows(run)
    known = rows["task"].unique().to_list()
    for task in tasks:
        if task not in known:
            raise unknown("question type", task, known)
    return rows.filter(pl.col("task").is_in(list(tasks or known)) & (pl.col("status") == "scored"))


def _share(unread: Unread | None) -> float | None:
    return None if unread is None else unread.share


def one_for_each(names: Mapping[str, int], what: str) -> None:
    """Refuse two runs at one place of a figure.

    Raises:
        UsageError: naming the first such place.
    """
    for name, count in names.items():
        if count > 1:
            raise UsageError(f"{count} runs are {what} {name}; give one of them.")
