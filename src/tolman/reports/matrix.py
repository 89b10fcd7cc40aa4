"""Several benchmarks in one table: a row for each run's name, a column for each benchmark with its headline figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from jinja2 import Environment, PackageLoader, StrictUndefined

from tolman.reports.content import Report
from tolman.reports.text import interval_shown, shown

LACKING = "INCOMPLETE"
"""What stands for a figure that couldn't be formed, and beside one that lacks answers."""


@dataclass(frozen=True)
class LackingFigure:
    """A run that isn't in any report.

    Attributes:
        title: of its benchmark, with the subset.
        headline: the title of the benchmark's headline.
        model: what the names of its rows begin with.
    """

    title: str
    headline: str
    model: str


@dataclass(frozen=True)
class MatrixCell:
    """A headline figure as it is printed.

    Attributes:
        value: with its signs; `LACKING` where there is none, as the run couldn't be carried out.
        interval: 95 %, empty where there is none; after `LACKING` where answers are missing.
    """

    value: str
    interval: str


@dataclass
class Matrix:
    """Headline figures of reports.

    Attributes:
        columns: of each report, the benchmark with its subset, and the title of its headline.
        rows: name of a run → a cell for each column; None where the run isn't in that report.
        warnings: of all reports, with the benchmark in front.
    """

    columns: list[tuple[str, str]] = field(default_factory=list)
    rows: dict[str, list[MatrixCell | None]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def matrix_of(reports: Sequence[Report], lacking: Sequence[LackingFigure] = ()) -> Matrix:
    """The headline figures of the runs of several reports, in the reports' order.

    Args:
        reports: of one benchmark each.
        lacking: runs without figures; benchmarks of which there is no report get columns after the others.
    """
    found = Matrix()
    heads = [(_title(report), report.benchmark.table.column(report.benchmark.table.headline)) for report in reports]
    without = [(one.title, one.headline) for one in lacking if one.title not in [title for title, _ in heads]]
    found.columns += [(title, column.title) for title, column in heads]
    found.columns += list(dict.fromkeys(without))
    for place, (report, (title, column)) in enumerate(zip(reports, heads, strict=True)):
        found.warnings += [f"{title}: {text}" for text in report.warnings]
        for row in report.rows:
            if row.headline:
                cells = found.rows.setdefault(row.name, [None] * len(found.columns))
                interval = interval_shown(row, column)
                said = f"{LACKING} {interval}".rstrip() if row.incomplete else interval
                cells[place] = MatrixCell(shown(row, column), said)
    for one in lacking:
        place = found.columns.index((one.title, one.headline))
        named = [name for name in found.rows if name == one.model or name.startswith(f"{one.model} (")] or [one.model]
        for name in named:
            cells = found.rows.setdefault(name, [None] * len(found.columns))
            cells[place] = cells[place] or MatrixCell(LACKING, "")
    return found


def _title(report: Report) -> str:
    return f"{report.benchmark.title} · {report.subset}"


def matrix_page(
    title: str, matrix: Matrix, pages: Sequence[str], failed: Sequence[str], further: Mapping[str, Matrix] | None = None
) -> str:
    """The matrix as a page.

    Args:
        title: of the page.
        matrix: what it shows.
        pages: of each column, the address of the page with its whole table; those of `LackingFigure` have none.
        failed: sentences about runs that aren't in it.
        further: title → tables below it, whose columns lead nowhere.
    """
    environment = Environment(
        loader=PackageLoader("tolman.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    columns = list(zip_longest(matrix.columns, pages))
    below = further or {}
    tables = [("", columns, matrix.rows)]
    tables += [(name, list(zip_longest(one.columns, ())), one.rows) for name, one in below.items()]
    warnings = [*failed, *matrix.warnings, *(text for one in below.values() for text in one.warnings)]
    return environment.get_template("matrix.html.j2").render(title=title, tables=tables, warnings=warnings)
