"""Sites of runs, written into a folder or served on this machine until stopped; and live pages of runs."""

from __future__ import annotations

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

from tolman import benchmarks
from tolman.errors import InputError, UsageError, counted
from tolman.extras import LazyModule
from tolman.features.events import Events, Noted, silent, summary, told
from tolman.features.report.compute import SITE, ReportResult, tables_by_labels
from tolman.features.report.config import ReportConfig, ViewConfig, WatchConfig
from tolman.reports.loaded_runs import LoadedRun, load_scored
from tolman.reports.report_content import Report, build
from tolman.reports.report_pages import (
    LiveState,
    MatrixCell,
    TaskProgress,
    live_page,
    live_suite_page,
    matrix_of,
    write_space_card,
)
from tolman.reports.site.question_sets import QuestionSet, cut_labels, first_set
from tolman.reports.site.writing import MARK, SiteOptions, check_target, write_site
from tolman.responses import Failure, Outcome, Outcomes
from tolman.runs.progress import Progress
from tolman.runs.run_folder import RunFolder, RunRecord
from tolman.runtime import run_until_stopped

if TYPE_CHECKING:
    import asyncio

    from aiohttp import web

    from tolman.items import Item
    from tolman.models import pacing
    from tolman.reports.reference_rows import Published
    from tolman.reports.table_rows import ReportTable
    from tolman.runs import calling, request, run_scoring
else:  # a site that is only written needs no server and no run
    asyncio, web = LazyModule("asyncio"), LazyModule("aiohttp.web")
    pacing, calling = LazyModule("tolman.models.pacing"), LazyModule("tolman.runs.calling")
    request, run_scoring = LazyModule("tolman.runs.request"), LazyModule("tolman.runs.run_scoring")


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
        return self.brief()[0].state

    def brief(self) -> tuple[LiveState, MatrixCell | None]:
        """The run's state, and its headline figure once it has scores; nothing is scored for it."""
        with self._one_at_a_time:
            state = self._look(score=False)
            cells = matrix_of([self._report[0]]).rows.values() if self._report and state.is_over else ()
            return state, next((row[0] for row in cells), None)

    def _look(self, *, score: bool = True) -> LiveState:
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
            if score:
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
            about = "" if left is None else f", about {pacing.in_words(left)} left"
            yield f"{pacing.in_words(now - progress.began)} so far{about}"
        spent: Mapping[str, Any] = progress.spent
        if not progress.purpose:
            with suppress(OSError, ValueError):
                spent = json.loads((self._folder.path / "usage.json").read_text(encoding="utf-8"))
        tally = calling.Tally(**{one.name: spent[one.name] for one in fields(calling.Tally) if one.name in spent})
        if tally.called or tally.reused:
            yield summary(request.Started(progress.calls, self._folder.path, tally, "cost" in spent, True))

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
        _, figures = run_scoring.compute_scores(benchmark, record, items, outcomes)
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


class LiveSuite:
    """The runs below a folder, as a page that leads to the live page of each. Runs that begin later are found, too.

    Args:
        path: the folder.

    Raises:
        InputError: it is no run's, and holds none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runs: dict[str, LiveRun] = {}
        if not self._found():
            RunFolder(path).record()

    def run(self, name: str) -> LiveRun | None:
        """The run of a folder, named from the suite's."""
        return self._found().get(name)

    def page(self) -> str:
        """The page of all runs as they are now."""
        rows = [(name, *run.brief()) for name, run in self._found().items()]
        return live_suite_page(self._path.resolve().name, _at_work(state for _, state, _ in rows), rows)

    @property
    def state(self) -> str:
        """The present activity of the runs, as a sentence."""
        return _at_work(run.brief()[0] for run in self._found().values())

    def _found(self) -> dict[str, LiveRun]:
        """The runs by the path of their folder, the benchmark's and the model's. Parts of a run are one deeper."""
        places = (self._path.glob(f"{way}/run.json") for way in ("*", "*/*", "*/*/*"))
        found = {}
        for folder in sorted(file.parent for files in places for file in files):
            name = folder.relative_to(self._path).as_posix()
            with suppress(InputError):  # is being written
                found[name] = self._runs.get(name) or LiveRun(folder)
        self._runs = found
        return found


def _at_work(states: Iterable[LiveState]) -> str:
    """The activity of several runs, as a sentence."""
    over = [state.is_over for state in states]
    return f"has {counted(len(over), 'run')} that began; {len(over) - sum(over):,} at work."


def watch(config: WatchConfig, ready: Callable[[str, str], None] = lambda address, state: None) -> None:
    """Serve the live page of a run, or of all runs below a folder, until the process is stopped.

    Args:
        config: the folder, the port, and whether a browser is opened.
        ready: called with the address and the present state once the server takes connections.

    Raises:
        InputError: the folder is no run's, and holds none.
        UsageError: the port is taken.
        KeyboardInterrupt: it was stopped.
    """
    live = LiveRun(config.run) if (config.run / "run.json").is_file() else LiveSuite(config.run)

    async def page(request: web.Request) -> web.Response:
        _refuse_strangers(request)
        asked = request.match_info["name"].rstrip("/")
        shown = live if not asked else live.run(asked) if isinstance(live, LiveSuite) else None
        if shown is None:
            raise web.HTTPNotFound
        text = await asyncio.to_thread(shown.page)
        return web.Response(text=text, content_type="text/html", headers=_LIVE_HEADERS)

    def listening(address: str) -> None:
        ready(address, live.state)
        if config.browser:
            webbrowser.open(address)

    app = web.Application()
    app.router.add_get("/{name:.*}", page)
    run_until_stopped(serve_application(app, config.port, listening))
