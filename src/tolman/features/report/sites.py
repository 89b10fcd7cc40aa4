"""Sites of runs, written into a folder or served on this machine until stopped; and the live page of one run."""

from __future__ import annotations

import asyncio
import json
import socket
import tempfile
import threading
import time
import webbrowser
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from aiohttp import web

from tolman import benchmarks
from tolman.errors import InputError, UsageError
from tolman.features.events import Events, Noted, silent, summary, told
from tolman.features.report.compute import SITE, ReportResult, tables_by_labels
from tolman.features.report.config import ReportConfig, ViewConfig, WatchConfig
from tolman.models.pacing import in_words
from tolman.reports.loaded_runs import LoadedRun, load_scored
from tolman.reports.report_content import Report, build
from tolman.reports.report_pages import LiveState, TaskProgress, live_page, write_space_card
from tolman.reports.site.question_sets import QuestionSet, cut_labels, first_set
from tolman.reports.site.writing import MARK, SiteOptions, check_target, write_site
from tolman.responses import Failure, Outcome, Outcomes
from tolman.runs.engine import Tally
from tolman.runs.progress import Progress
from tolman.runs.request import Started
from tolman.runs.run_folder import RunFolder, RunRecord
from tolman.runs.run_scoring import compute_scores
from tolman.runtime import run_until_stopped

if TYPE_CHECKING:
    from tolman.items import Item
    from tolman.reports.reference_rows import Published
    from tolman.reports.table_rows import ReportTable


def site_tables(config: ReportConfig) -> Callable[[QuestionSet], list[ReportTable]]:
    """Return a function that makes a site's tables by labels: those requested, or one for each label with a few
    values."""

    def tables(one: QuestionSet) -> list[ReportTable]:
        return tables_by_labels(config, one.runs, one.report, config.by or cut_labels(one), one.items_of)

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
        _refuse_strangers(request)
        path = (root / (request.match_info["path"] or "index.html")).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path, headers=_HEADERS)

    app = web.Application()
    app.router.add_get("/{path:.*}", file)
    return app


def _refuse_strangers(request: web.Request) -> None:
    if request.host.rpartition(":")[0] not in NAMES and request.host not in NAMES:
        raise web.HTTPForbidden(text="This server answers requests for this machine only.")


async def serve_folder(folder: Path, port: int, ready: Callable[[str], None]) -> None:
    """Serve a folder until cancelled; arguments and errors as of `serve_application`."""
    await serve_application(application(folder), port, ready)


async def serve_application(app: web.Application, port: int, ready: Callable[[str], None]) -> None:
    """Serve an application on the loopback interface until cancelled.

    Args:
        app: the application.
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
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        ready(f"http://{HOST}:{listening.getsockname()[1]}/")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


PAUSES = 4
"""Times as long as a scoring took that pass before the next: a run's own process needs the processor, too."""


class LiveRun:
    """A run that another process may be at work on, as a page that is made again whenever it is asked for.

    Args:
        path: the run's folder.

    Raises:
        InputError: it is no run's.
    """

    def __init__(self, path: Path) -> None:
        self._folder = RunFolder(path)
        self._folder.record()
        self._progress = Progress(path)
        self._items: dict[str, Item] = {}
        self._report: tuple[Report, LoadedRun] | None = None
        self._kept = 0.0, Outcomes()
        self._known = self._due = 0.0  # what the report is of, and when it may be made again
        self._one_at_a_time = threading.Lock()

    def page(self) -> str:
        """The page as the run is now."""
        with self._one_at_a_time:
            state = self._look()
            report, run = self._report or (None, None)
            return live_page(state, report, [run] if run is not None else [])

    @property
    def state(self) -> str:
        """The present activity of the run, as a sentence."""
        with self._one_at_a_time:
            return self._look().state

    def _look(self) -> LiveState:
        is_at_work = self._folder.is_at_work  # before the files: those of a run that ends meanwhile are all there
        record = self._folder.record()
        self._progress = progress = self._progress.read_on()
        goes_on = progress.purpose == "asking"
        if not self._items:
            with suppress(OSError):  # written soon after the first call; by an adaptive run at its end
                self._items = {item.id: item for item in self._folder.items()}
        outcomes = progress.outcomes if goes_on else self._outcomes()
        asked = len(self._items) * record.settings.repeats
        calls = progress.calls or asked
        if goes_on:
            self._score_so_far(record, outcomes)
        elif not is_at_work or progress.purpose:
            self._read_scores()
        done = len(progress.times) if progress.purpose else len(outcomes)
        return LiveState(
            name=record.settings.named(),
            title=benchmarks.get(record.settings.benchmark).title,
            state=_state(self._folder, progress, done, calls, is_at_work=is_at_work),
            is_over=not is_at_work,
            done=done,
            calls=calls,
            facts=tuple(self._facts(is_at_work=is_at_work)),
            failures=tuple(_failures(outcomes.values())),
            tasks=tuple(_tasks(record, self._items, outcomes)),
        )

    def _facts(self, *, is_at_work: bool) -> Iterator[str]:
        """Sentences about the time left, and about tokens and cost."""
        progress, now = self._progress, time.time()
        if progress.purpose and is_at_work:
            left = progress.seconds_left(now)
            about = "" if left is None else f", about {in_words(left)} left"
            yield f"{in_words(now - progress.began)} so far{about}"
        spent: Mapping[str, Any] = progress.spent
        if not progress.purpose:
            with suppress(OSError, ValueError):
                spent = json.loads((self._folder.path / "usage.json").read_text(encoding="utf-8"))
        tally = Tally(**{one.name: spent[one.name] for one in fields(Tally) if one.name in spent})
        if tally.called or tally.reused:
            yield summary(Started(progress.calls, self._folder.path, tally, "cost" in spent, True))

    def _outcomes(self) -> Outcomes:
        """The outcomes in the run's own file, read again where that has changed."""
        with suppress(OSError):
            changed = self._folder.responses_path.stat().st_mtime
            if changed != self._kept[0]:
                self._kept = changed, Outcomes.of(self._folder.each_outcome())
        return self._kept[1]

    def _score_so_far(self, record: RunRecord, outcomes: Outcomes) -> None:
        """Score the outcomes so far, unless that was done just now."""
        now, items = time.monotonic(), [item for item in self._items.values() if _has_any(outcomes, item.id, record)]
        if not items or len(outcomes) == self._known or now < self._due:
            return
        benchmark = benchmarks.get(record.settings.benchmark)
        _, figures = compute_scores(benchmark, record, items, outcomes)
        figures["unanswered"]["missing"] = 0  # those are still to come
        run = LoadedRun(self._folder, record, figures)
        self._report, self._known = (build([run], "baselines"), run), len(outcomes)
        self._due = time.monotonic() + PAUSES * (time.monotonic() - now)

    def _read_scores(self) -> None:
        """Report the scores in the folder, where it has any."""
        with suppress(InputError, OSError):
            changed = (self._folder.path / "scores.json").stat().st_mtime
            if changed != self._known:
                run = LoadedRun(self._folder, self._folder.record(), self._folder.figures())
                self._report, self._known = (build([run], "baselines"), run), changed


def _has_any(outcomes: Outcomes, item: str, record: RunRecord) -> bool:
    return any((item, repeat) in outcomes for repeat in range(record.settings.repeats))


def _state(folder: RunFolder, progress: Progress, done: int, calls: int, *, is_at_work: bool) -> str:
    """The present activity of a run, as a sentence."""
    count = f"{done:,} of {calls:,}"
    if is_at_work:
        if not progress.purpose:
            return "is being prepared or scored."
        if progress.purpose == "judging":
            return f"is judged: {count} responses."
        return f"goes on: {count} answers." if done < calls else f"is being scored: {count} answers."
    if progress.purpose:
        return f"was killed after {count} answers; the same command resumes it."
    try:
        unanswered = sum(folder.figures()["unanswered"].values())
    except InputError:
        return f"holds no scores, and no process is at work on it; 'tolman score {folder.path}' scores it."
    if unanswered:
        return f"has ended: {calls - unanswered:,} of {calls:,} answered; the same command asks the others again."
    return f"is finished: {count} answered."


def _failures(outcomes: Iterable[Outcome]) -> list[str]:
    """A sentence for each kind of failure, the most frequent first."""
    counts, examples = Counter[str](), dict[str, str]()
    for outcome in outcomes:
        if isinstance(outcome, Failure):
            counts[outcome.kind] += 1
            examples[outcome.kind] = outcome.message
    return [f"{count:,} × {kind}, the last: {examples[kind]}" for kind, count in counts.most_common()]


def _tasks(record: RunRecord, items: Mapping[str, Item], outcomes: Outcomes) -> list[TaskProgress]:
    """The progress of each question type, in the order of the questions."""
    asked = Counter(item.task for item in items.values())
    answered, failed = Counter[str](), Counter[str]()
    for outcome in outcomes.values():
        if outcome.id in items:
            (failed if isinstance(outcome, Failure) else answered)[items[outcome.id].task] += 1
    titles = benchmarks.get(record.settings.benchmark).table.task_titles
    return [
        TaskProgress(titles.get(task, task), count * record.settings.repeats, answered[task], failed[task])
        for task, count in asked.items()
    ]


_LIVE_HEADERS = {
    **{name: value for name, value in _HEADERS.items() if name != "Content-Security-Policy"},
    "Content-Security-Policy": "frame-ancestors 'none'",  # the page itself says the rest
    "Cache-Control": "no-store",
}


def watch(config: WatchConfig, ready: Callable[[str, str], None] = lambda address, state: None) -> None:
    """Serve the live page of a run until the process is stopped.

    Args:
        config: the run, the port, and whether a browser is opened.
        ready: called with the address and the run's state once the server takes connections.

    Raises:
        InputError: the folder is no run's.
        UsageError: the port is taken.
        KeyboardInterrupt: it was stopped.
    """
    live = LiveRun(config.run)

    async def page(request: web.Request) -> web.Response:
        _refuse_strangers(request)
        text = await asyncio.to_thread(live.page)
        return web.Response(text=text, content_type="text/html", headers=_LIVE_HEADERS)

    def listening(address: str) -> None:
        ready(address, live.state)
        if config.browser:
            webbrowser.open(address)

    app = web.Application()
    app.router.add_get("/", page)
    run_until_stopped(serve_application(app, config.port, listening))
