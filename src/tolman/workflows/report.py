"""Putting runs into one table beside the papers' rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent
from tolman.workflows.notebook import Displayable, NotebookTable, counted

if TYPE_CHECKING:
    import polars as pl

    from tolman.reports.content import Published, Report
    from tolman.reports.loaded import LoadedRun


@dataclass(frozen=True, kw_only=True)
class ReportConfig:
    """Which runs are reported, and in which form."""

    runs: Annotated[tuple[Path, ...], Setting("Run folders of one benchmark.", positional=True, repeated=True)]
    format: Annotated[
        str | None,
        Setting("Format: terminal, markdown, csv, latex, json or html. Default: that of --out, or terminal."),
    ] = None
    out: Annotated[
        Path | None, Setting("File to write; its suffix names the format. Default: none, the report is printed.")
    ] = None
    published: Annotated[str, Setting("Rows of the papers: none, baselines (chance and people) or all.")] = "baselines"


@dataclass(frozen=True, repr=False)
class ReportResult(Displayable):
    """Runs in one table.

    Attributes:
        report: its rows and remarks.
        runs: what is in it.
        left_out: a sentence for each path that is no run with scores.
        format: the form that was asked for.
        out: the file that was written, or None.
    """

    report: Report
    runs: tuple[LoadedRun, ...]
    left_out: tuple[str, ...]
    format: str
    out: Path | None = None

    def render(self, form: str) -> str:
        """The report as text.

        Args:
            form: 'markdown', 'csv', 'latex', 'json' or 'html'.

        Raises:
            UsageError: there is no such form.
        """
        from tolman.reports.write import render

        return render(self.report, list(self.runs), form)

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each row and figure of the report.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns name, scorer ('published' for rows of papers), group, column, title, value, low, high, n, headline.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        import polars as pl

        from tolman.workflows.frames import given_as

        schema = {
            "name": pl.String, "scorer": pl.String, "group": pl.String, "column": pl.String, "title": pl.String,
            "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64, "headline": pl.Boolean,
        }  # fmt: skip
        rows = [
            (
                row.name, row.rules, row.group, column.key, column.title, figure.value,
                figure.interval.low if figure.interval else None, figure.interval.high if figure.interval else None,
                figure.n, row.headline,
            )
            for row in self.report.rows
            for column in self.report.columns
            if (figure := row.figures.get(column.key)) is not None
        ]  # fmt: skip
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        return f"{self.report.benchmark.title} · {self.report.subset}: {counted(len(self.runs), 'run')}"

    def _shown(self) -> NotebookTable:
        from tolman.reports.text import interval_shown, label, shown

        heads = ["", "scorer", *(column.title for column in self.report.columns)]
        rows = [
            [
                label(row),
                row.rules,
                *(" ".join((shown(row, c), interval_shown(row, c))).strip() for c in self.report.columns),
            ]
            for row in self.report.rows
        ]
        return NotebookTable(heads, rows, [*self.report.warnings, *self.report.marks])


def report(config: ReportConfig, events: Events = silent) -> ReportResult:
    """Put runs into one table; what is no run with scores is left out and named. Writes the file where one is named.

    Raises:
        UsageError: an unknown form or choice of published rows, or runs of different question sets.
        InputError: no run has scores.
    """
    from typing import get_args

    from tolman.errors import UsageError
    from tolman.reports.content import Published, build
    from tolman.reports.loaded import load_scored
    from tolman.reports.write import FORMATS, form_of, render, save

    if config.published not in get_args(Published):
        raise UsageError(f"--published takes {', '.join(get_args(Published))}, not '{config.published}'.")
    runs, left_out = load_scored(config.runs)
    form = config.format or (form_of(config.out) if config.out else "terminal")
    if form not in FORMATS:
        raise UsageError(f"there is no report format '{form}'; known: {', '.join(FORMATS)}.")
    rows = cast("Published", "all" if form == "html" and config.published == "baselines" else config.published)
    made = build(runs, rows, left_out)
    out = config.out if form != "terminal" else None
    if out is not None:
        save(out, render(made, runs, form))
    return ReportResult(made, tuple(runs), tuple(left_out), form, out)


def write_pages(paths: Sequence[Path]) -> Path:
    """Write the page of each run, and one of all of them beside them where there are several.

    Args:
        paths: run folders; of several, folders whose names differ in what follows the last '-'.

    Returns:
        The page of all.

    Raises:
        InputError: one is no run with scores.
    """
    from tolman.reports.write import write_page

    pages = [write_page(path / "report.html", [path]) for path in paths]
    if len(paths) == 1:
        return pages[0]
    last = paths[-1]
    return write_page(last.with_name(last.name.rpartition("-")[0] + ".html"), paths)
