"""Tables by labels: cuts of runs laid out as rows and columns.

Across: a row for each run and value of the other labels, a column for each value of the last one, in all of them one
figure. Down: a row for each run and values of all labels, with all columns of the benchmark's table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from tolman.analyze.labels import NOT_LABELLED, Cut, CutCell, Values, in_order
from tolman.benchmarks.published import PublishedCut
from tolman.errors import UsageError, unknown
from tolman.reports.report_content import with_ranks
from tolman.reports.table_rows import (
    FEW_LEGEND as FEW_LEGEND,
    Figure,
    ReportRow,
    ReportTable,
    figures_of,
    mark_sentence,
    missing_intervals,
    missing_sentences as missing_sentences,
)
from tolman.scoring.score_table import Column, Mean, Table
from tolman.visible import printable

Layout = Literal["across", "down"]
MOST_ACROSS = 12
"""Values of a label above which they stand in rows if nothing else is asked for."""

ALL = "all"
"""Heading of all values of a label together."""


@dataclass(frozen=True)
class CutRun:
    """A run's cut under one scorer.

    Attributes:
        name: of the run.
        rules: the scorer.
        cut: its figures.
        ranked: whether it competes with other runs.
        has_judge: whether a judge read its responses.
        left_to: the model to which the released code leaves responses that the scorer can't read; empty where to none.
        counts_failures: whether failed and missing answers count as wrong, so that nothing is left out for them.
        part, models: as in `ReportRow`.
    """

    name: str
    rules: str
    cut: Cut
    ranked: bool = False
    has_judge: bool = False
    left_to: str = ""
    counts_failures: bool = False
    part: str = ""
    models: int = 0


def table_by(
    runs: Sequence[CutRun],
    table: Table,
    *,
    head: str = "",
    figure: str = "",
    layout: str = "",
    published: Iterable[PublishedCut] = (),
    beside: Sequence[ReportRow] = (),
    benchmark: str = "",
) -> ReportTable:
    """Arrange cuts by the same labels as a table.

    Args:
        runs: one or more.
        table: of the benchmark.
        head: the beginning of its heading, before the labels and the scorer.
        figure: key of the column whose figure is across; the headline where empty.
        layout: 'across' or 'down'; where empty, down for a label of more than `MOST_ACROSS` values.
        published: figures of papers for the same labels.
        beside: published rows of the benchmark's table. They are next to a value's figure that is one of that table's
            columns, as that of a level or a question type.
        benchmark: name of the table's benchmark, where that isn't the report's.

    Raises:
        UsageError: there is no such figure or layout, or no label to put across.
    """
    by, values = runs[0].cut.by, _values(runs)
    if layout and layout not in get_args(Layout):
        raise unknown("layout", layout, get_args(Layout))
    if layout == "across" and not by:
        raise UsageError("a table without labels has no values to lay across; leave the layout out.")
    across = bool(by) and (layout == "across" or (not layout and len(values[-1]) <= MOST_ACROSS))
    column = table.column(figure or table.headline)
    if across:
        keys = {_key(value, values[-1]): value for value in (*values[-1], None)}
        columns = tuple(Column(key, printable(key), column.node, column.digits, by[-1]) for key in keys)
        made = ReportTable(
            title=_title(head, f"{column.title} by {' × '.join(by)}", runs),
            columns=columns,
            headline=_key(None, values[-1]),
            rows=[],
            by=by,
            in_rows=by[:-1],
            across=True,
            column_values=keys,
            figure=column.key,
            benchmark=benchmark,
        )
    else:
        title = _title(head, f"By {' × '.join(by)}" if by else "", runs)
        made = ReportTable(title, table.columns, table.headline, [], by, by, benchmark=benchmark)
    groups = _groups(runs, values, across=across)
    papers = list(published)
    rows = [
        row for group in groups for row in (*_published_rows(papers, group, made), *_rows(runs, group, made, table))
    ]
    rows = [*_rows_beside(beside, runs, made, table), *rows]
    made.rows = with_ranks(rows, made.columns)
    made.marks = _marks(made, runs)
    made.notes = _notes(made, runs)
    return made


def _title(head: str, labels: str, runs: Sequence[CutRun]) -> str:
    scorers = dict.fromkeys(run.rules for run in runs)
    return ", ".join([": ".join(text for text in (head, labels) if text), *scorers])


def _values(runs: Sequence[CutRun]) -> list[list[str]]:
    """The values of each label in any of the runs, in the first run's order; others where they belong."""
    found = []
    for place in range(len(runs[0].cut.by)):
        own = list(runs[0].cut.values[place])
        others = [value for run in runs[1:] for value in run.cut.values[place] if value not in own]
        found.append(own if not others else _merged(own, others))
    return found


def _merged(own: list[str], others: list[str]) -> list[str]:
    together = list(dict.fromkeys([*own, *others]))
    ordered = in_order(together)
    kept = [value for value in ordered if value in own] == own
    last = [NOT_LABELLED] if NOT_LABELLED in together else []
    return ordered if kept else [value for value in together if value not in last] + last


def _groups(runs: Sequence[CutRun], values: Sequence[Sequence[str]], *, across: bool) -> list[Values]:
    """Return the combinations of values that are rows, in the order of their values; all of them together at the
    end."""
    in_rows = len(values) - across
    places = [{value: place for place, value in enumerate(own)} for own in values[:in_rows]]
    found = {key[:in_rows] for run in runs for key in run.cut.cells if None not in key[:in_rows]}
    ordered = sorted(found, key=lambda key: [places[i][value] for i, value in enumerate(key) if value is not None])
    return [*ordered, (None,) * in_rows] if in_rows else [()]


def _rows(runs: Sequence[CutRun], group: Values, made: ReportTable, table: Table) -> Iterable[ReportRow]:
    for run in runs:
        found: dict[str, CutCell] = {}
        for column in made.columns:
            key = (*group, made.column_values[column.key]) if made.across else group
            if key in run.cut.cells:
                found[column.key] = run.cut.cells[key]
        cells = {key: cell.cells[made.figure if made.across else key].to_dict() for key, cell in found.items()}
        unread = {
            key: one for key, cell in found.items() if (one := cell.unread.get(made.figure if made.across else key))
        }
        figures = figures_of(cells, table)
        lost = 0 if run.counts_failures else max((cell["unanswered"] for cell in cells.values()), default=0)
        if figures or lost:
            yield ReportRow(
                name=run.name,
                rules=run.rules,
                figures=figures,
                headline=True,
                incomplete=bool(lost),
                part=run.part,
                models=run.models,
                unread=unread,
                marked=made.headline if made.headline in unread and unread[made.headline].is_marked else "",
                ranked=run.ranked and not lost,
                values=group,
            )


def _published_rows(published: Sequence[PublishedCut], group: Values, made: ReportTable) -> Iterable[ReportRow]:
    """Rows of papers for the same values of labels, each model's figures in one row."""
    found: dict[tuple[str, str, str, str], dict[str, Figure]] = {}
    for one in published:
        if one.by != made.by or one.values[: len(group)] != group:
            continue
        for column in made.columns:
            value = (*group, made.column_values[column.key]) if made.across else group
            if one.values == value and one.column == made.figure_key(column):
                found.setdefault((one.group, one.name, one.setting, one.source), {})[column.key] = Figure(one.value)
    order = {"chance": 0, "human": 1}
    for (kind, name, setting, source), figures in sorted(found.items(), key=lambda entry: order.get(entry[0][0], 2)):
        yield ReportRow(
            name=f"{name} ({setting})" if setting else name,
            rules="published",
            figures=figures,
            source=source,
            group=kind,
            ranked=kind == "model" and not setting,
            values=group,
        )


def _rows_beside(
    rows: Iterable[ReportRow], runs: Sequence[CutRun], made: ReportTable, table: Table
) -> Iterable[ReportRow]:
    """Rows of the benchmark's table with the figures that are those of values of the one label."""
    if not made.across or len(made.by) != 1:
        return
    figure = table.column(made.figure)
    same = {made.headline: figure}
    for key, value in made.column_values.items():
        types = {run.cut.types.get(made.by[0], {}).get(value or "", frozenset()) for run in runs}
        found = table.same_as(figure, next(iter(types))) if len(types) == 1 else None
        if found is not None:
            same[key] = found
    for row in rows:
        figures = {key: row.figures[column.key] for key, column in same.items() if column.key in row.figures}
        if set(figures) - {made.headline}:
            yield replace(row, figures=figures, unread={}, marked="")


def _marks(made: ReportTable, runs: Sequence[CutRun]) -> list[str]:
    found = []
    known = {(run.name, run.rules): run for run in runs}
    lacking: dict[tuple[str, Values, tuple[tuple[str, tuple[str, ...], float, int], ...]], list[str]] = {}
    for row in made.rows:
        if row.rules == "published":
            continue
        if row.marked:
            headline = next(column for column in made.columns if column.key == made.headline)
            unread, run = row.unread[made.headline], known[row.name, row.rules]
            name = _described([row.name], row.values, made)
            readers = {
                other.rules: other.unread[made.headline]
                for other in made.rows
                if (other.name, other.values) == (row.name, row.values) and made.headline in other.unread
            }
            told = mark_sentence(
                name, row.rules, unread, headline, has_judge=run.has_judge, left_to=run.left_to, others=readers
            )
            found.append(told)
        figures = tuple(
            (column.title, figure.missing, figure.attainable, column.digits)
            for column in made.columns
            if (figure := row.figures.get(column.key)) and figure.missing
        )
        if figures:
            lacking.setdefault((row.rules, row.values, figures), []).append(row.name)
    for (rules, values, figures), names in lacking.items():  # runs on the same questions lack the same parts
        found += missing_sentences(f"{_described(names, values, made)}, {rules}", figures)
    return found + ([FEW_LEGEND] if any(f.small for row in made.rows for f in row.figures.values()) else [])


def _notes(made: ReportTable, runs: Sequence[CutRun]) -> list[str]:
    found = []
    follows = list(dict.fromkeys(name for run in runs for name in run.cut.follows_task))
    if follows and any(isinstance(column.node, Mean) for column in made.columns):
        found.append(
            f"A question's {' and '.join(follows)} follows from its question type: means over question types are over "
            "those of the cell."
        )
    for row in made.rows:
        lost = [
            f"{column.title} {figure.unanswered:,}"
            for column in made.columns
            if (figure := row.figures.get(column.key)) and figure.unanswered
        ]
        if lost and row.incomplete:
            found.append(
                f"{_described([row.name], row.values, made)}: failed or missing, not in the figures: {', '.join(lost)}."
            )
    return [*found, *missing_intervals(made.rows, made.columns)]


def _described(names: Sequence[str], group: Values, made: ReportTable) -> str:
    """Runs, with the values of the labels in their row."""
    values = [f"{name} {printable(value)}" for name, value in zip(made.in_rows, group, strict=True) if value]
    return ", ".join([*names, *values])


def _key(value: str | None, values: Sequence[str]) -> str:
    """Return the key of a column across: its value, or a key for all of them."""
    return value if value is not None else next(one for one in (ALL, "all together", "(all)") if one not in values)
