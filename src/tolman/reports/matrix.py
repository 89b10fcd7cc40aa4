"""Several benchmarks in one table: a row for each run's name, a column for each benchmark with its headline figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jinja2 import Environment, PackageLoader, StrictUndefined

from tolman.reports.content import Report
from tolman.reports.text import interval_shown, label, shown


@dataclass(frozen=True)
class MatrixCell:
    """A headline figure as it is printed.

    Attributes:
        value: with its signs.
        interval: 95 %, empty where there is none.
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


def matrix_of(reports: Sequence[Report]) -> Matrix:
    """The headline figures of the runs of several reports, in the reports' order."""
    found = Matrix()
    for place, report in enumerate(reports):
        title = f"{report.benchmark.title} · {report.subset}"
        column = report.benchmark.table.column(report.benchmark.table.headline)
        found.columns.append((title, column.title))
        found.warnings += [f"{title}: {text}" for text in report.warnings]
        for row in report.rows:
            if row.headline:
                cells = found.rows.setdefault(label(row), [None] * len(reports))
                cells[place] = MatrixCell(shown(row, column), interval_shown(row, column))
    return found


def matrix_page(title: str, matrix: Matrix, pages: Sequence[str], failed: Sequence[str]) -> str:
    """The matrix as a page.

    Args:
        title: of the page.
        matrix: what it shows.
        pages: of each column, the address of the page with its whole table.
        failed: sentences about runs that aren't in it.
    """
    environment = Environment(
        loader=PackageLoader("tolman.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    columns = list(zip(matrix.columns, pages, strict=True))
    return environment.get_template("matrix.html.j2").render(
        title=title, columns=columns, rows=matrix.rows, warnings=[*failed, *matrix.warnings]
    )
