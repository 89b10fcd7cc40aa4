"""Ranks: which model of a table is best in each column, and second best.

As the papers mark them: models only, not chance, people or baselines, and only what can be compared. Runs compete by
their headline's scorer, where they were asked as many questions as any and all have an answer; published rows where
nothing about them differs from the runs. A figure that lacks parts which others have has no rank. Figures that are
equal as printed have one rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from tolman.reports.loaded import LoadedRun
from tolman.reports.rows import Figure, ReportRow
from tolman.runs.folder import BASELINES
from tolman.scoring.table import Column, pools_of

Emphasis = Literal["best", "second", ""]
LEGEND = "best, and second best, of the models in a column"


def competing(runs: Sequence[LoadedRun]) -> set[str]:
    """The names of the runs that compete: of models, and asked as many questions as any."""
    most = max((run.figures["items"] for run in runs), default=0)
    return {
        run.name for run in runs if run.figures["items"] == most and not run.record.settings.model.startswith(BASELINES)
    }


def of_all_questions(runs: Sequence[LoadedRun]) -> bool:
    """Whether runs are of all questions, so that published rows can compete with them."""
    return all(run.record.settings.selection.is_all for run in runs)


def with_ranks(rows: Sequence[ReportRow], columns: Sequence[Column]) -> list[ReportRow]:
    """The same rows with ranks in their figures.

    Args:
        rows: those with `ranked` compete, with others of the same values of labels.
        columns: of the table.

    Returns:
        Rows in the same order; a column with one competitor has no ranks.
    """
    ranks: dict[tuple[int, str], tuple[int, int]] = {}
    for values in dict.fromkeys(row.values for row in rows):
        own = [place for place, row in enumerate(rows) if row.values == values and row.ranked]
        for column in columns:
            found = {place: figure for place in own if (figure := rows[place].figures.get(column.key))}
            of_column = _ranks(found, column)
            for place, rank in of_column.items():
                ranks[place, column.key] = rank, len(of_column)
    return [
        replace(row, figures={key: _ranked(f, ranks.get((place, key))) for key, f in row.figures.items()})
        for place, row in enumerate(rows)
    ]


def _ranked(figure: Figure, rank: tuple[int, int] | None) -> Figure:
    return replace(figure, rank=rank[0] if rank else None, competitors=rank[1] if rank else 0)


def emphasis(row: ReportRow, column: Column) -> Emphasis:
    """How a figure is set off; the second best only where there are three models or more."""
    figure = row.figures.get(column.key)
    if figure is None or figure.rank is None:
        return ""
    return "best" if figure.rank == 1 else "second" if figure.rank == 2 and figure.competitors > 2 else ""


def _ranks(figures: dict[int, Figure], column: Column) -> dict[int, int]:
    whole = {place: figure for place, figure in figures.items() if not figure.missing}
    compared = figures if len({figure.missing for figure in figures.values()}) == 1 else whole
    if len(compared) < 2:
        return {}
    worths = {place: _worth(figure.value, column) for place, figure in compared.items()}
    return {place: 1 + sum(other > worth for other in worths.values()) for place, worth in worths.items()}


def _worth(value: float, column: Column) -> float:
    """A figure as printed, on a scale on which more is better."""
    measures = [leaf.measure for leaf in pools_of([column.node]) if leaf.measure is not None]
    direction = measures[0].direction if measures else "higher"
    printed = round(value, column.digits)
    return {"higher": printed, "lower": -printed, "zero": -abs(printed)}[direction]
