"""Putting runs into one table beside published rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent
from tolman.workflows.notebook import Displayable, NotebookTable, counted
from tolman.workflows.report_cuts import CutSettings, cut_tables

if TYPE_CHECKING:
    import polars as pl

    from tolman.reports.content import Report
    from tolman.reports.loaded import LoadedRun
    from tolman.reports.published import Published
    from tolman.reports.rows import ReportTable
    from tolman.reports.site.question_sets import QuestionSet
    from tolman.reports.thumbnails import Thumbnails


TABLES = "Tables by labels"


SITE = "site"
"""The form that is a folder."""
_SITE = "Site"


@dataclass(frozen=True, kw_only=True)
class ReportConfig:
    """Which runs are reported, and in which form."""

    runs: Annotated[
        tuple[Path, ...],
        Setting("Run folders of one benchmark; of several for a site.", positional=True, repeated=True),
    ]
    format: Annotated[
        str | None,
        Setting("Format: terminal, markdown, csv, latex, json, html or site. Default: that of --out, or terminal."),
    ] = None
    out: Annotated[
        Path | None,
        Setting(
            "File to write; its suffix names the format. A name without a suffix is the folder of a site: leaderboard, "
            "list and page of every item. Default: none, the report is printed."
        ),
    ] = None
    published: Annotated[
        str,
        Setting(
            "Published rows: none, baselines (chance and people), newest (these and the models printed last), paper "
            "(those of the benchmark's own paper) or all."
        ),
    ] = "newest"
    by: Annotated[
        tuple[str, ...],
        Setting(
            "Further table by labels of the questions, such as source, difficulty or evidence; several with commas "
            "between them are crossed. Once for each table.",
            repeated=True,
            metavar="LABEL[,LABEL…]",
            panel=TABLES,
        ),
    ] = ()
    taxonomy: Annotated[
        tuple[str, ...],
        Setting(
            "Further table that scores the questions under the classification of another benchmark's paper: vsi-bench, "
            "site, mmsi-bench or spatialbench. Once for each table.",
            repeated=True,
            metavar="NAME",
            panel=TABLES,
        ),
    ] = ()
    figure: Annotated[
        str | None,
        Setting(
            "Column of the benchmark's table whose figure is shown for each value of a label. Default: its headline.",
            metavar="COLUMN",
            panel=TABLES,
        ),
    ] = None
    layout: Annotated[
        str | None,
        Setting(
            "Layout: across (a column for each value of the last label) or down (a row for each, with all columns of "
            "the benchmark's table). Default: across up to 12 values.",
            panel=TABLES,
        ),
    ] = None
    scorer: Annotated[
        str | None,
        Setting("Scorer of these tables, or all for each. Default: that of the headline.", panel=TABLES),
    ] = None
    places: Annotated[
        Path | None,
        Setting(
            "TOML file that gives question types, or values of another label, their places in taxonomies. Default: "
            "what the questions' labels say, or the place of generated questions of the same type.",
            panel=TABLES,
        ),
    ] = None
    media: Annotated[
        Path | None,
        Setting("Folder that the paths of videos and pictures begin in. Default: the runs' own.", panel=_SITE),
    ] = None
    scenes: Annotated[
        Path | None,
        Setting("Folder of the scenes, for floor plans. Default: what the runs or the benchmark name.", panel=_SITE),
    ] = None
    videos: Annotated[bool, Setting("Bring videos into the site, not only the frames that were sent.", panel=_SITE)] = (
        False
    )
    redact: Annotated[
        bool,
        Setting(
            "Leave videos and pictures out of a site or page, where a licence forbids showing them.",
            panel=_SITE,
        ),
    ] = False


@dataclass(frozen=True, repr=False)
class ReportResult(Displayable):
    """Runs in one table.

    Attributes:
        report: its rows and remarks.
        runs: what is in it.
        left_out: a sentence for each path that is no run with scores.
        format: the form that was asked for.
        out: the file or folder that was written, or None.
        remarks: what a site lacks.
    """

    report: Report
    runs: tuple[LoadedRun, ...]
    left_out: tuple[str, ...]
    format: str
    out: Path | None = None
    remarks: tuple[str, ...] = ()

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
            Columns name, scorer ('published' for published rows), group, column, title, value, low, high, n, headline.

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

    def cut(self, place: int = 0, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each row and figure of a table by labels, or under a taxonomy.

        Args:
            place: of the table in the report, from 0.
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns name, scorer ('published' for published rows), group, labels (a struct with the value of each label;
            null for all of them together), column (of the benchmark's table), value, low, high, n, effective_scenes,
            unanswered, rank (among models, null where nothing is ranked).

        Raises:
            UsageError: there is no such table.
            MissingExtraError: pandas is wanted and not installed.
        """
        import polars as pl

        from tolman.errors import UsageError
        from tolman.workflows.frames import given_as

        if not 0 <= place < len(self.report.cuts):
            raise UsageError(f"the report has {len(self.report.cuts)} tables by labels, and none at place {place}.")
        table = self.report.cuts[place]
        schema: dict[str, Any] = {
            "name": pl.String, "scorer": pl.String, "group": pl.String,
            "labels": pl.Struct(dict.fromkeys(table.by, pl.String)), "column": pl.String, "value": pl.Float64,
            "low": pl.Float64, "high": pl.Float64, "n": pl.Int64, "effective_scenes": pl.Float64,
            "unanswered": pl.Int64, "rank": pl.Int64,
        }  # fmt: skip
        rows = [
            (
                row.name, row.rules, row.group, table.labels(row, column), table.figure_key(column), figure.value,
                figure.interval.low if figure.interval else None, figure.interval.high if figure.interval else None,
                figure.n, figure.effective_scenes, figure.unanswered, figure.rank,
            )
            for row in table.rows
            for column in table.columns
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
    """Put runs into one table; what is no run with scores is left out and named. Writes the file or site that is named.

    Raises:
        UsageError: an unknown form or choice of published rows, runs of different question sets but for a site, or
            options that only a site has.
        InputError: no run has scores.
    """
    from typing import get_args

    from tolman.errors import UsageError
    from tolman.reports.content import build
    from tolman.reports.loaded import load_scored
    from tolman.reports.published import Published
    from tolman.reports.write import FORMATS, form_of, render, save

    if config.published not in get_args(Published):
        raise UsageError(f"--published takes {', '.join(get_args(Published))}, not '{config.published}'.")
    form = config.format or (form_of(config.out) if config.out else "terminal")
    if form not in FORMATS:
        raise UsageError(f"there is no report format '{form}'; known: {', '.join(FORMATS)}.")
    if form == SITE:
        return _site(config, events)
    for name in ("scenes", "videos") if form == "html" else ("media", "scenes", "videos", "redact"):
        if getattr(config, name):
            raise UsageError(f"--{name} belongs to a site; name its folder with --out.")
    runs, left_out = load_scored(config.runs)
    made = build(runs, cast("Published", config.published), left_out)
    made = replace(made, cuts=_cuts(config, runs, made, config.by))
    out = config.out if form != "terminal" else None
    if out is not None:
        save(out, render(made, runs, form, _thumbnails(config, runs) if form == "html" else None))
    return ReportResult(made, tuple(runs), tuple(left_out), form, out)


def _thumbnails(config: ReportConfig, runs: Sequence[LoadedRun]) -> Thumbnails | None:
    """Pictures for a page of few items."""
    from tolman.reports.thumbnails import thumbnails

    return None if config.redact else thumbnails(runs, config.media)


def _cuts(config: ReportConfig, runs: Sequence[LoadedRun], made: Report, by: Sequence[str]) -> list[ReportTable]:
    """Tables by labels, and under other benchmarks' taxonomies."""
    settings = CutSettings(
        by=tuple(by),
        taxonomy=config.taxonomy,
        figure=config.figure,
        layout=config.layout,
        scorer=config.scorer,
        places=config.places,
        published=config.published != "none",
    )
    return cut_tables(runs, made.benchmark, settings, [row for row in made.rows if row.rules == "published"])


def site_tables(config: ReportConfig) -> Callable[[QuestionSet], list[ReportTable]]:
    """What makes a site's tables by labels: those that are asked for, or one for each label with a few values."""
    from tolman.reports.site.board import cut_labels

    def tables(one: QuestionSet) -> list[ReportTable]:
        return _cuts(config, one.runs, one.report, config.by or cut_labels(one.items))

    return tables


def _site(config: ReportConfig, events: Events) -> ReportResult:
    """Write a site; the report of its first question set stands for it."""
    from tolman.errors import UsageError
    from tolman.reports.content import build
    from tolman.reports.loaded import load_scored
    from tolman.reports.site.question_sets import first_set
    from tolman.reports.site.writing import SiteOptions, check_target, write_site
    from tolman.workflows.events import told

    if config.out is None:
        raise UsageError("a site is a folder; name it with --out.")
    if config.redact and (config.videos or config.media is not None):
        raise UsageError("--redact leaves all media out; leave out --videos and --media with it.")
    check_target(config.out)
    runs, left_out = load_scored(config.runs)
    published = cast("Published", config.published)
    options = SiteOptions(
        media="none" if config.redact else "all" if config.videos else "frames",
        why_none="left out with --redact" if config.redact else "",
        media_folder=config.media,
        scenes=config.scenes,
        published=published,
        tables=site_tables(config),
    )
    written = write_site(config.out, runs, left_out, options, told(events))
    first = build(first_set(runs), published, left_out)
    return ReportResult(first, tuple(runs), tuple(left_out), SITE, config.out, tuple(written.remarks))


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
