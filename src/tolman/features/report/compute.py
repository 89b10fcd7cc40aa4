"""Reports of runs and scenes: tables, pages, and sites that are written or served."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from tolman import features
from tolman.errors import UsageError, counted
from tolman.extras import LazyModule, pl
from tolman.features.events import Advanced, Began, Ended, Events, Noted, silent
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.features.report.config import CutSettings, ReportConfig, ScenesConfig
from tolman.files import check_report
from tolman.reports.loaded_runs import LoadedRun, load_scored
from tolman.reports.reference_rows import Published
from tolman.reports.report_content import Report, build
from tolman.reports.text import interval_shown, label, shown

if TYPE_CHECKING:
    from tolman.features.report import report_cuts
    from tolman.ground_truth import scene_arrays
    from tolman.items import Item
    from tolman.reports import report_pages, scene_pages, svg_figures
    from tolman.reports.table_rows import ReportTable
    from tolman.scenes import Skipped
else:
    report_cuts = LazyModule("tolman.features.report.report_cuts")
    scene_arrays = LazyModule("tolman.ground_truth.scene_arrays")
    report_pages = LazyModule("tolman.reports.report_pages")
    scene_pages = LazyModule("tolman.reports.scene_pages")
    svg_figures = LazyModule("tolman.reports.svg_figures")


SITE = "site"
"""The form that is a folder."""


@dataclass(frozen=True, repr=False)
class ReportResult(Displayable):
    """Runs in one table.

    Attributes:
        report: its rows and remarks.
        runs: in the table.
        left_out: a sentence for each path that is no run with scores.
        format: the form that was asked for.
        out: the file or folder that was written, or None.
        remarks: the gaps of a site.
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

        return report_pages.render(self.report, list(self.runs), form)

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each row and figure of the report.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns name, scorer ('published' for published rows), group, column, title, value, low, high, n, headline.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """

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

        if not 0 <= place < len(self.report.cuts):
            raise UsageError(
                f"the report has {counted(len(self.report.cuts), 'table')} by labels, and none at place {place}."
            )
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
    """Put runs into one table; paths that hold no run with scores are left out and named. Writes the file or site that
    is named, and logs the runs to the trackers that are named.

    Raises:
        UsageError: an unknown form or choice of published rows, runs of different question sets but for a site, or
            options that only a site has.
        InputError: no run has scores.
        MissingExtraError: a tracker's package isn't installed.
    """

    if config.log:
        features.report.trackers.check_trackers(config.log)
    made = _made(config, events)
    if config.log:
        features.report.trackers.log_runs(config.log, [run.folder.path for run in made.runs], events)
    return made


def _made(config: ReportConfig, events: Events) -> ReportResult:
    if config.published not in get_args(Published):
        raise UsageError(f"--published takes {', '.join(get_args(Published))}, not '{config.published}'.")
    form = config.format or (report_pages.form_of(config.out) if config.out else "terminal")
    if form != "terminal" and form not in report_pages.FORMATS:
        raise UsageError(f"there is no report format '{form}'; known: {', '.join(report_pages.FORMATS)}.")
    if form == SITE:
        return features.report.sites.write_report_site(config, events)  # imported here: a table needs no web server
    for name in ("scenes", "videos") if form == "html" else ("media", "scenes", "videos", "redact"):
        if getattr(config, name):
            raise UsageError(f"--{name} belongs to a site; name its folder with --out.")
    if config.out is not None and form != "terminal":
        check_report(config.out)
    runs, left_out = load_scored(config.runs)
    made = build(runs, cast("Published", config.published), left_out)
    made = replace(made, cuts=tables_by_labels(config, runs, made, config.by))
    out = config.out if form != "terminal" else None
    if out is not None:
        small = report_pages.thumbnails(runs, config.media) if form == "html" and not config.redact else None
        report_pages.save_report(out, report_pages.render(made, runs, form, small), form)
    return ReportResult(made, tuple(runs), tuple(left_out), form, out)


def tables_by_labels(
    config: ReportConfig,
    runs: Sequence[LoadedRun],
    made: Report,
    by: Sequence[str],
    items_of: Callable[[LoadedRun], list[Item]] | None = None,
) -> list[ReportTable]:
    """Tables by labels, and under other benchmarks' taxonomies; see `report_cuts.cut_tables`."""
    settings = CutSettings(
        by=tuple(by),
        taxonomy=config.taxonomy,
        figure=config.figure,
        layout=config.layout,
        scorer=config.scorer,
        places=config.places,
        published=config.published != "none",
    )
    if settings.is_empty:
        for option, value in (
            ("--figure", settings.figure),
            ("--layout", settings.layout),
            ("--places", settings.places),
        ):
            if value is not None:
                raise UsageError(f"{option} is for tables by labels; add --by or --taxonomy.")
        return []
    return report_cuts.cut_tables(
        runs, made.benchmark, settings, [row for row in made.rows if row.rules == "published"], items_of
    )


def write_pages(paths: Sequence[Path], published: Published = "newest") -> Path:
    """Write the page of each run, and next to them one of all where there are several.

    Args:
        paths: run folders; of several, folders whose names differ in the part after the last '-'.
        published: which published rows are on the pages.

    Returns:
        The page of all.

    Raises:
        InputError: one is no run with scores.
    """

    pages = [report_pages.write_page(path / "report.html", [path], published) for path in paths]
    if len(paths) == 1:
        return pages[0]
    last = paths[-1]
    return report_pages.write_page(last.with_name(last.name.rpartition("-")[0] + ".html"), paths, published)


@dataclass(frozen=True)
class ScenesResult:
    """A collection's scenes.

    Attributes:
        path: the collection's folder.
        rows: one for each scene, as `tolman scenes --json` prints it.
        skipped: scenes and objects that can't be used, with the reason.
        page: the HTML file; None where none was written.
    """

    path: Path
    rows: tuple[dict[str, Any], ...]
    skipped: tuple[Skipped, ...]
    page: Path | None


def show_scenes(config: ScenesConfig, events: Events = silent) -> ScenesResult:
    """Read the scenes of a collection, and write their page where the config names one.

    Raises:
        UsageError: the page is to be where a folder is.
        InputError: it is no collection, or holds no usable scene.
    """

    if config.out is not None and config.out.is_dir():
        raise UsageError(f"--out takes the file of a page, and {config.out} is a folder.")
    if config.out is not None:
        check_report(config.out)
    rows: list[dict[str, Any]] = []
    pictures: list[str] = []
    skipped: list[Skipped] = []
    missing = svg_figures.why_not_drawn()
    events(Began("reading scenes" if config.out is None else "drawing scenes"))
    for found in scene_arrays.open_collection(config.path):
        if not isinstance(found, scene_arrays.SceneGeometry):
            skipped.append(found)
            continue
        rows.append(scene_pages.summary(found.scene, found.captures))
        if config.out is not None and len(pictures) < config.most:
            pictures.append("" if missing else scene_pages.floor_plan_svg(found.scene, found.captures))
        events(Advanced())
    events(Ended())
    if config.out is not None:
        report_pages.save_report(
            config.out, scene_pages.page(config.path.resolve().name, rows, pictures, skipped, missing), "html"
        )
        if missing:
            events(Noted(f"Floor plans are left out. {missing}"))
    return ScenesResult(config.path, tuple(rows), tuple(skipped), config.out)
