"""Sites of runs: written into a folder, or served on this machine until stopped."""

from __future__ import annotations

import asyncio
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from aiohttp import web

from tolman.errors import UsageError
from tolman.features.events import Events, Noted, silent, told
from tolman.features.report.compute import SITE, ReportResult, tables_by_labels
from tolman.features.report.config import ReportConfig, ViewConfig
from tolman.reports.loaded_runs import load_scored
from tolman.reports.report_content import build
from tolman.reports.report_pages import write_space_card
from tolman.reports.site.question_sets import QuestionSet, cut_labels, first_set
from tolman.reports.site.writing import MARK, SiteOptions, check_target, write_site
from tolman.runtime import run_until_stopped

if TYPE_CHECKING:
    from tolman.reports.reference_rows import Published
    from tolman.reports.table_rows import ReportTable


def site_tables(config: ReportConfig) -> Callable[[QuestionSet], list[ReportTable]]:
    """Return a function that makes a site's tables by labels: those requested, or one for each label with a few
    values."""

    def tables(one: QuestionSet) -> list[ReportTable]:
        return tables_by_labels(config, one.runs, one.report, config.by or cut_labels(one.items), one.items_of)

    return tables


def write_report_site(config: ReportConfig, events: Events) -> ReportResult:
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
    write_space_card(config.out, "Report of benchmark runs")
    first = build(first_set(runs), published, left_out)
    return ReportResult(first, tuple(runs), tuple(left_out), SITE, config.out, tuple(written.remarks))


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
