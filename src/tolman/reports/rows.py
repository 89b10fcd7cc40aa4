"""Rows of tables in reports: figures with what goes with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tolman.reports.no_interval import Lacking, sentences
from tolman.runs.folder import PEOPLE
from tolman.scoring.intervals import Interval
from tolman.scoring.table import Column
from tolman.scoring.unread import Unread

MADE_BEFORE = "scored by an earlier version, whose intervals were too narrow; 'tolman score FOLDER' computes them anew"


@dataclass(frozen=True)
class Figure:
    """One cell.

    Attributes:
        value: on the 0–100 scale.
        interval: 95 %, clustered by scene.
        n: scored items.
        effective_scenes: Kish's effective number of scenes.
        method, reason: how the interval was computed, or why there is none.
        missing: titles of parts of the figure without a scored item.
        attainable: what the figure is for a perfect model: below 100 where missing parts count as 0.
        unanswered: questions of it whose call failed, or that have no answer; they are not in it.
        rank: place among the models of its column, from 1; None where nothing is ranked (`reports.ranking`).
        competitors: how many models there are.
    """

    value: float
    interval: Interval | None = None
    n: int | None = None
    effective_scenes: float | None = None
    method: str | None = None
    reason: str | None = None
    missing: tuple[str, ...] = ()
    attainable: float = 100.0
    unanswered: int = 0
    rank: int | None = None
    competitors: int = 0


@dataclass(frozen=True)
class ReportRow:
    """One row.

    Attributes:
        name: model, with what sets the row apart.
        rules: rule set, or 'published'.
        figures: column key → figure; a key is missing where there is none.
        headline: whether this is the row to quote.
        source, date: of a published row.
        differs: of a published row, the signs of what isn't comparable with the runs (`reports.published`).
        group: 'run', or 'model', 'human', 'chance' for published rows.
        incomplete: failures or missing answers are not in the figures.
        unread: column key → shares and bounds of what could not be read.
        marked: key of the table's headline where so much of it could not be read that it bears a sign.
        ranked: whether its figures compete with those of other rows.
        values: of the labels that stand in rows, in a table by labels; None for all of a label's values together.
    """

    name: str
    rules: str
    figures: Mapping[str, Figure]
    headline: bool = False
    source: str = ""
    date: str = ""
    differs: tuple[str, ...] = ()
    group: str = "run"
    incomplete: bool = False
    unread: Mapping[str, Unread] = field(default_factory=dict)
    marked: str = ""
    ranked: bool = False
    values: tuple[str | None, ...] = ()


@dataclass
class ReportTable:
    """One table of a report.

    Attributes:
        title: what stands above it; empty for the benchmark's own table.
        columns: its figures.
        headline: key of the column to quote.
        rows: of it.
        by: the labels of a table by labels.
        in_rows: those of them whose values stand in the rows (`ReportRow.values`).
        across: whether the last label's values are the columns, so that all columns are one figure of the benchmark's.
        column_values: then, key of each column → the value; None for all of them together.
        figure: then, key of that figure in the benchmark's table.
        benchmark: name of the benchmark whose table it is, where that isn't the report's: a taxonomy.
        marks: what the signs in it mean, right below it.
        notes: what else is to be said.
    """

    title: str
    columns: tuple[Column, ...]
    headline: str
    rows: list[ReportRow]
    by: tuple[str, ...] = ()
    in_rows: tuple[str, ...] = ()
    across: bool = False
    column_values: Mapping[str, str | None] = field(default_factory=dict)
    figure: str = ""
    benchmark: str = ""
    marks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def has_ranks(self) -> bool:
        """Whether models in it compete."""
        return any(figure.rank is not None for row in self.rows for figure in row.figures.values())

    def scenes(self, row: ReportRow) -> str:
        """Effective number of scenes of a row's headline figure, as it is printed; empty where it isn't known."""
        figure = row.figures.get(self.headline)
        return "" if figure is None or figure.effective_scenes is None else f"{figure.effective_scenes:.1f}"

    def rank(self, row: ReportRow) -> str:
        """The rank of a row's headline figure, as it is printed; empty where there is none."""
        figure = row.figures.get(self.headline)
        return "" if figure is None or figure.rank is None else str(figure.rank)

    def figure_key(self, column: Column) -> str:
        """The key that a column's figure has in the benchmark's table."""
        return self.figure if self.across else column.key

    def labels(self, row: ReportRow, column: Column) -> dict[str, str | None]:
        """What questions a cell is of: label → value; None for all of the label's values."""
        found = dict(zip(self.in_rows, row.values, strict=True))
        return found | {self.by[-1]: self.column_values[column.key]} if self.across else found


def figures_of(cells: Mapping[str, Any]) -> dict[str, Figure]:
    """The figures of cells as scores.json has them; those without a value are left out."""
    found = {}
    for key, cell in cells.items():
        if cell["value"] is None:
            continue
        interval = Interval(**cell["interval"]) if cell.get("interval") else None
        reason = cell.get("reason", MADE_BEFORE)
        found[key] = Figure(
            cell["value"],
            interval,
            cell["n"],
            cell.get("effective_scenes"),
            cell.get("method"),
            reason,
            tuple(cell.get("missing", ())),
            cell.get("attainable", 100.0),
            cell.get("unanswered", 0),
        )
    return found


def _groups(rows: Sequence[ReportRow]) -> list[str]:
    """What rows are of, where people are among them: somebody alone has fewer scenes than all have together."""
    alone = [row.name.startswith(PEOPLE) for row in rows]
    if not any(alone):
        return [""] * len(rows)
    together = [row.name.startswith("people, ") for row in rows]
    return [
        "people one by one" if one else "people together" if all_of_them else "models"
        for one, all_of_them in zip(alone, together, strict=True)
    ]


def missing_intervals(rows: Sequence[ReportRow], columns: Sequence[Column]) -> list[str]:
    """Why figures of runs have no interval: a sentence for those of too few scenes, and one for old run folders."""
    groups = _groups(rows)
    own = [
        (group, column.title, row.figures[column.key])
        for row, group in zip(rows, groups, strict=True)
        for column in columns
        if row.rules != "published" and column.key in row.figures
    ]
    said = []
    lacking = [
        Lacking(title, f.effective_scenes, f.reason or "", group)
        for group, title, f in own
        if f.interval is None and f.effective_scenes is not None
    ]
    said += sentences(lacking, all_figures=len(lacking) == len(own))
    if any(f.reason == MADE_BEFORE for _, _, f in own):
        said.append(f"No interval: {MADE_BEFORE}.")
    return said
