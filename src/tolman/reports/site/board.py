"""The tables of a question set as the page takes them: the benchmark's own with published rows, and those by labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tolman.analyze.labels import label_names
from tolman.items import Item
from tolman.reports.ranking import LEGEND, emphasis
from tolman.reports.rows import ReportRow, ReportTable
from tolman.reports.site.question_sets import QuestionSet
from tolman.reports.text import first_cells, heads, interval_shown, shown, values_shown
from tolman.reports.unread import BOUNDS_LABEL, SHARES_LABEL, bounds, described, needs_row, shares
from tolman.scoring.table import Column

MOST_PARTS = 24
"""Values of a label that a table is made for if nobody asks for it."""
NOT_CUT = ("scene", "answer")
"""Labels that no table is made for unasked: too many values, or values that say nothing of the questions."""


def board_of(one: QuestionSet, tables: Sequence[ReportTable] = ()) -> dict[str, Any]:
    """The tables of a question set.

    Args:
        one: the set.
        tables: further ones, by labels and under other benchmarks' taxonomies.
    """
    report = one.report
    names = [run.name for run in one.runs]
    return {
        "title": one.title,
        "credits": report.benchmark.credits,
        "warnings": report.warnings,
        "marks": report.marks,
        "notes": report.notes,
        "legend": LEGEND,
        "unread": [SHARES_LABEL, BOUNDS_LABEL],
        "table": table_of(report.table, names),
        "tables": [table_of(table, names) for table in tables],
        "further": [
            {
                "title": further.title,
                "headings": list(further.headings),
                "rows": [
                    [name, [_further(cells, column) for column in further.columns]]
                    for name, cells in further.rows.items()
                ],
                "notes": list(further.notes),
            }
            for further in report.further
        ],
        "settings": [[run.name, run.record.model_dump_json(indent=2)] for run in one.runs],
    }


def _further(cells: Any, column: Any) -> list[str]:
    cell = cells.get(column)
    return [] if cell is None else [cell.shown, cell.interval_shown, cell.count]


def table_of(table: ReportTable, names: Sequence[str]) -> dict[str, Any]:
    """One table; a column that stands for a value of a label says which.

    Args:
        table: of a report.
        names: of the runs.
    """
    return {
        "title": table.title,
        "headline": table.headline,
        "heads": heads(table),
        "label": table.by[-1] if table.across else None,
        "columns": [
            {
                "key": column.key,
                "title": column.title,
                "group": column.group,
                "unit": column.unit,
                "value": table.column_values.get(column.key),
            }
            for column in table.columns
        ],
        "rows": [_row(table, row, names) for row in table.rows],
        "marks": table.marks,
        "notes": table.notes,
    }


def _row(table: ReportTable, row: ReportRow, names: Sequence[str]) -> dict[str, Any]:
    first = first_cells(table, row)
    is_unread = needs_row(row.unread, table.columns)
    return {
        "first": first,
        "name": row.name,
        "group": row.group,
        "source": row.source,
        "headline": row.headline,
        "run": names.index(row.name) if row.group == "run" and row.name in names else None,
        "cells": [_cell(row, column) for column in table.columns],
        "between": [*values_shown(row), row.rules, *[""] * (len(first) - 2 - len(row.values))] if is_unread else [],
        "unread": [
            [shares(row.unread.get(column.key)), bounds(row.unread.get(column.key), column)] for column in table.columns
        ]
        if is_unread
        else [],
    }


def _cell(row: ReportRow, column: Column) -> dict[str, Any] | None:
    figure = row.figures.get(column.key)
    if figure is None:
        return None
    return {
        "value": figure.value,
        "shown": shown(row, column),
        "interval": interval_shown(row, column),
        "low": figure.interval.low if figure.interval else None,
        "high": figure.interval.high if figure.interval else None,
        "n": figure.n,
        "mark": emphasis(row, column),
        "said": described(row.unread.get(column.key)),
    }


def cut_labels(items: Sequence[Item]) -> list[str]:
    """The labels that tables are made for if nobody asks for others."""
    counts = label_names(items)
    return [name for name, count in counts.items() if count <= MOST_PARTS and name not in NOT_CUT]
