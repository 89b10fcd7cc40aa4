"""Reports of runs and scenes: tables, pages, and sites that are written or served."""

from __future__ import annotations

import asyncio
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args
from urllib.parse import quote

import polars as pl
from aiohttp import web

from tolman.errors import UsageError, counted
from tolman.features.events import Advanced, Began, Ended, Events, Noted, silent, told
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.features.report.config import CutSettings, ReportConfig, ScenesConfig, ViewConfig
from tolman.features.report.report_cuts import cut_tables
from tolman.files import check_report
from tolman.generate.scene_geometry import open_collection
from tolman.ingest.vsi_meta_info import Skipped
from tolman.reports.loaded_runs import LoadedRun, load_scored
from tolman.reports.reference_rows import Published
from tolman.reports.report_content import Report, build
from tolman.reports.report_pages import FORMATS, form_of, render, save_report, thumbnails, write_page
from tolman.reports.scene_pages import floor_plan_svg, page, summary
from tolman.reports.site.question_sets import QuestionSet, cut_labels, first_set
from tolman.reports.site.writing import MARK, SiteOptions, check_target, write_site
from tolman.reports.svg_figures import why_not_drawn
from tolman.reports.text import interval_shown, label, shown
from tolman.runtime import run_until_stopped

if TYPE_CHECKING:
    from tolman.reports.table_rows import ReportTable


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
    is named.

    Raises:
        UsageError: an unknown form or choice of published rows, runs of different question sets but for a site, or
            options that only a site has.
        InputError: no run has scores.
    """

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
    if config.out is not None and form != "terminal":
        check_report(config.out)
    runs, left_out = load_scored(config.runs)
    made = build(runs, cast("Published", config.published), left_out)
    made = replace(made, cuts=_cuts(config, runs, made, config.by))
    out = config.out if form != "terminal" else None
    if out is not None:
        small = thumbnails(runs, config.media) if form == "html" and not config.redact else None
        save_report(out, render(made, runs, form, small), form)
    return ReportResult(made, tuple(runs), tuple(left_out), form, out)


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
    """Return a function that makes a site's tables by labels: those requested, or one for each label with a few
    values."""

    def tables(one: QuestionSet) -> list[ReportTable]:
        return _cuts(config, one.runs, one.report, config.by or cut_labels(one.items))

    return tables


def _site(config: ReportConfig, events: Events) -> ReportResult:
    """Write a site; the report of its first question set represents it."""

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

    pages = [write_page(path / "report.html", [path], published) for path in paths]
    if len(paths) == 1:
        return pages[0]
    last = paths[-1]
    return write_page(last.with_name(last.name.rpartition("-")[0] + ".html"), paths, published)


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
    missing = why_not_drawn()
    events(Began("reading scenes" if config.out is None else "drawing scenes"))
    for found in open_collection(config.path):
        if isinstance(found, Skipped):
            skipped.append(found)
            continue
        rows.append(summary(found.scene, found.captures))
        if config.out is not None and len(pictures) < config.most:
            pictures.append("" if missing else floor_plan_svg(found.scene, found.captures))
        events(Advanced())
    events(Ended())
    if config.out is not None:
        save_report(config.out, page(config.path.resolve().name, rows, pictures, skipped, missing), "html")
        if missing:
            events(Noted(f"Floor plans are left out. {missing}"))
    return ScenesResult(config.path, tuple(rows), tuple(skipped), config.out)


@contextmanager
def prepared(config: ViewConfig, events: Events = silent) -> Iterator[Path]:
    """Yield the folder of the site: the one that is named, or one that is written for as long as it is looked at.

    Raises:
        InputError: no path is a run with scores.
        UsageError: a site is named with other paths, or with options of runs; or no run has the item.
    """

    sites = [path for path in config.paths if (path / MARK).is_file()]
    if sites:
        if len(config.paths) > 1 or config.media is not None or config.scenes is not None:
            raise UsageError(f"{sites[0]} is a site that is written already; name it alone, or the runs instead.")
        yield sites[0]
        return
    runs, left_out = load_scored(config.paths)
    if config.item is not None and all(item.id != config.item for run in runs for item in run.folder.items()):
        raise UsageError(f"no run has an item '{config.item}'; --item takes an id of the list of items.")
    tables = site_tables(ReportConfig(runs=config.paths))
    options = SiteOptions(media="all", media_folder=config.media, scenes=config.scenes, link=True, tables=tables)
    with tempfile.TemporaryDirectory(prefix="tolman-view-") as place:
        written = write_site(Path(place) / "site", runs, left_out, options, told(events))
        for remark in written.remarks:
            events(Noted(remark, "warning"))
        yield written.path


def serve(config: ViewConfig, folder: Path, ready: Callable[[str], None] = lambda address: None) -> None:
    """Serve a site until the process is stopped.

    Args:
        config: the port, the item to open, and whether a browser is opened.
        folder: of the site.
        ready: called with the address once the server takes connections.

    Raises:
        UsageError: the port is taken.
        KeyboardInterrupt: it was stopped.
    """

    def listening(address: str) -> None:
        place = address if config.item is None else f"{address}#/item/{quote(config.item, safe='')}"
        ready(place)
        if config.browser:
            webbrowser.open(place)

    run_until_stopped(serve_folder(folder, config.port, listening))


HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""Hosts that requests may name: another site's page can't reach this one under a name of its own."""
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def application(folder: Path) -> web.Application:
    """Return the application that serves a folder: its files, parts of them too, so that videos can be sought in."""
    root = folder.resolve()

    async def file(request: web.Request) -> web.StreamResponse:
        if request.host.rpartition(":")[0] not in NAMES and request.host not in NAMES:
            raise web.HTTPForbidden(text="This server answers requests for this machine only.")
        path = (root / (request.match_info["path"] or "index.html")).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path, headers=_HEADERS)

    app = web.Application()
    app.router.add_get("/{path:.*}", file)
    return app


async def serve_folder(folder: Path, port: int, ready: Callable[[str], None]) -> None:
    """Serve a folder until cancelled.

    Args:
        folder: of the site.
        port: 0 takes a free one.
        ready: called with the address once the server takes connections.

    Raises:
        UsageError: the port is taken.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"port {port} of {HOST} can't be listened on ({reason}); give another with --port.") from None
    runner = web.AppRunner(application(folder), access_log=None)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        ready(f"http://{HOST}:{listening.getsockname()[1]}/")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
