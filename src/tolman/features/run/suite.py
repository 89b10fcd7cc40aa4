"""Carrying out a suite as one, with one report of all its runs.

One model's runs follow each other; different models run side by side. The report has a table of headline figures and
a page for each benchmark.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tolman import benchmarks, features
from tolman.errors import InputError, RunBusyError, RunInterruptedError, TolmanError, counted
from tolman.features.events import Advanced, Began, Ended, Events, Noted, silent
from tolman.features.opened_folders import Run
from tolman.features.run.compute import requests_of, with_server
from tolman.features.run.config import RunConfig
from tolman.features.run.estimate import DataSets
from tolman.features.run.suite_file import (
    BOARDS,
    SuiteIndex,
    SuiteIndices,
    board_matrix,
    check_names,
    folder_of,
    models_of,
    suite_indices,
)
from tolman.models.servers import Server
from tolman.reports.loaded_runs import load_runs
from tolman.reports.reference_rows import Published
from tolman.reports.report_content import Report, build
from tolman.reports.report_pages import LackingFigure, Matrix, matrix_of, matrix_page, render, save
from tolman.responses import Outcome, Response
from tolman.runs.request import RunRequest, Started
from tolman.runs.run import arun
from tolman.runs.run_folder import RunFolder
from tolman.runs.run_items import subset_of
from tolman.runtime import run_until_stopped

INDEX_TITLE = "Index: weighted mean of the headlines"
"""The heading of the table of indices."""
PAUSE = 1.0
"""Seconds between looks at a run that another process is at work on."""


@dataclass(frozen=True)
class SuiteResult:
    """The result of a suite.

    Attributes:
        folder: of all its runs.
        runs: those that are scored, in the order of the suite.
        failed: a sentence for each run that couldn't be carried out.
        lacking: the runs that the report lacks for that reason.
    """

    folder: Path
    runs: tuple[Run, ...]
    failed: tuple[str, ...]
    lacking: tuple[LackingRun, ...] = ()


@dataclass(frozen=True)
class LackingRun:
    """A run of a suite without scores.

    Attributes:
        benchmark: its name, or the folder that it is.
        subset: its part; None for the first.
        model: the one to evaluate, as a table's row is named.
    """

    benchmark: str
    subset: str | None
    model: str


def run_suite(configs: Sequence[RunConfig], events: Events = silent) -> SuiteResult:
    """Carry out the runs of a suite; a run that can't be carried out, or whose data can't be loaded, stops no other.

    Runs of different models go on side by side; those of one endpoint come after each other, as it has one limit of
    requests in flight. Runs that another process is at work on are left to it and waited for.

    Args:
        configs: of `read_suite`.
        events: called with progress and notes of all of them together.

    Raises:
        TolmanError: a name in the suite names nothing; nothing was asked.
        RunInterruptedError: it was stopped; answers received are kept and scored.
    """

    check_names(configs)
    suite = _Suite(configs, events)
    try:
        run_until_stopped(suite.carry_out())
    except KeyboardInterrupt:
        raise RunInterruptedError(suite.stopped) from None
    finally:
        events(Ended())
    result = suite.result()
    for run in result.runs:
        if trackers := suite.trackers[run.path]:
            features.report.trackers.log_runs(trackers, [run.path], events)
    return result


@dataclass(frozen=True)
class _Group:
    """The runs of one model, and the server that is started for them."""

    requests: Sequence[RunRequest]
    server: Server | None


class _Suite:
    """The runs while they go on.

    Attributes:
        trackers: folder of a run → the trackers that it is logged to.
    """

    def __init__(self, configs: Sequence[RunConfig], events: Events) -> None:
        self._events = events
        self._folder = folder_of(configs)
        self._data = DataSets()
        self._failed: dict[Path, str] = {}
        self._places: dict[Path, LackingRun] = {}
        self.trackers: dict[Path, tuple[str, ...]] = {}
        self._groups = [self._group(group) for group in models_of(configs)]
        self._serving = asyncio.Lock()
        self._done: set[Path] = set()
        self._answered = 0

    async def carry_out(self) -> None:
        """All runs."""
        requests = [request for group in self._groups for request in group.requests]
        calls = sum(self._calls(request) for request in requests)
        self._events(Began(f"asking in {counted(len(requests), 'run')}", calls))
        await asyncio.gather(*(self._of_model(group) for group in self._groups))

    async def _of_model(self, group: _Group) -> None:
        """The runs of one model; a server is started by the first that asks, and there is one of them at a time."""
        if group.server is None or not group.requests:
            await self._in_turn(group.requests)
            return
        async with self._serving:
            try:
                await self._in_turn(group.requests)
            finally:
                await asyncio.to_thread(group.server.close)

    async def _in_turn(self, requests: Sequence[RunRequest]) -> None:
        """The runs of one model; those that others are at work on are looked at again and again at the end."""
        waiting, busy = deque(requests), set[Path]()
        while waiting:
            request = waiting.popleft()
            folder = _folder(request)
            try:
                if folder in busy and self._is_whole(request):  # by the other process
                    self._done.add(folder)
                    self._events(Advanced(self._calls(request)))
                else:
                    await self._one(request)
            except RunBusyError:
                waiting.append(request)
                if busy >= {_folder(one) for one in waiting}:
                    await asyncio.sleep(PAUSE)
                busy.add(folder)
            except TolmanError as error:
                self._failed[folder] = f"{folder}: {error}"
                self._events(Noted(self._failed[folder], "warning"))

    async def _one(self, request: RunRequest) -> None:
        tally: list[Started] = []

        def began(started: Started) -> None:
            tally.append(started)

        def done(outcome: Outcome) -> None:
            self._answered += 1
            self._events(Advanced(state=f"{self._failed_sentence()}{counted(len(self._done), 'run')} done"))

        def noted(text: str) -> None:
            self._events(Noted(f"{_folder(request)}: {text}"))

        folder, _ = await arun(request, started=began, done=done, noted=noted)
        self._done.add(folder.path)

    def _failed_sentence(self) -> str:
        return f"{len(self._failed)} failed, " if self._failed else ""

    def result(self) -> SuiteResult:
        """Return the suite's result."""

        scored = [path for path in self._places if (path / "scores.json").exists()]
        missing = {path: f"{path} holds no scores" for path in self._places if path not in scored}
        lacking = tuple(one for path, one in self._places.items() if path not in scored)
        failed = {**missing, **self._failed}
        return SuiteResult(self._folder, tuple(Run(path) for path in scored), tuple(failed.values()), lacking)

    @property
    def stopped(self) -> str:
        """What to say of a suite that was stopped."""
        count = len(self._places)
        return (
            f"Stopped: {len(self._done)} of {counted(count, 'run')} done. Answers are kept; run the same command again "
            "to resume."
        )

    def _group(self, configs: Sequence[RunConfig]) -> _Group:
        """The runs of one model, which ask one server where one is to be started."""
        server = with_server(configs[0])[1]
        at = [replace(config, base_url=server.url) if server else config for config in configs]
        asked = [(config, replace(request, server=server)) for config in at for request in requests_of(config)]
        requests = [request for _, request in asked]
        for config, request in asked:
            self.trackers[_folder(request)] = config.log
            name = request.model if request.options.label is None else f"{request.model} ({request.options.label})"
            self._places[_folder(request)] = LackingRun(request.benchmark, request.subset, name)
        return _Group([one for one in map(self._with_items, requests) if one is not None], server)

    def _with_items(self, request: RunRequest) -> RunRequest | None:
        """Return the request with its benchmark; None where its data can't be loaded, which is reported."""
        try:
            return replace(request, loaded=self._data.load(request))
        except TolmanError as error:
            self._failed[_folder(request)] = f"{_folder(request)}: INCOMPLETE: {error}"
            return None

    def _is_whole(self, request: RunRequest) -> bool:
        """Check whether a run that another process was at work on is scored, with an answer to each question."""

        folder = RunFolder(_folder(request))
        if folder.is_at_work or not (folder.path / "scores.json").exists():
            return False
        answered = sum(isinstance(outcome, Response) for outcome in folder.outcomes())
        return answered >= self._calls(request)

    def _calls(self, request: RunRequest) -> int:
        assert request.loaded is not None
        count, adaptive = len(request.selection.apply(request.loaded.items)), request.selection.adaptive
        return (count if adaptive is None else adaptive.most(count)) * request.repeats


def _folder(request: RunRequest) -> Path:
    assert request.out is not None
    return request.out if request.part is None else request.out / request.part


@dataclass(frozen=True)
class SuiteReport:
    """The report of a suite.

    Attributes:
        matrix: the headline figures.
        reports: the table of each benchmark.
        page: the HTML page with the matrix, which leads to the others.
        boards: title → the figures as a leaderboard forms them.
        indices: of the models; None where the suite has no index.
    """

    matrix: Matrix
    reports: tuple[Report, ...]
    page: Path
    boards: dict[str, Matrix] = field(default_factory=dict)
    indices: SuiteIndices | None = None


def report_suite(
    result: SuiteResult,
    board: str | None = None,
    *,
    published: Published = "newest",
    index: SuiteIndex | None = None,
) -> SuiteReport:
    """Put the runs of a suite into tables, and write the pages into its folder.

    Args:
        result: of the suite.
        board: a leaderboard whose figures are added (`suite_board.BOARDS`).
        published: which published rows are in the tables.
        index: weights of benchmarks, for an index of each model.

    Raises:
        InputError: a run's files are damaged.
    """

    by_questions: dict[tuple[str, str, str], list[Path]] = {}
    for run in result.runs:
        settings = run.record.settings
        by_questions.setdefault((settings.benchmark, settings.subset, settings.data_hash), []).append(run.path)
    reports, names, reported = [], [], []
    for paths in by_questions.values():
        runs = load_runs(paths)
        reports.append(build(runs, published))
        reported += [(run, reports[-1]) for run in runs]
        # Below the suite's folder is the benchmark's, and in it those of the runs.
        names.append(f"{paths[0].relative_to(result.folder).parts[0]}.html")
        save(result.folder / names[-1], render(reports[-1], runs, "html"))
    matrix = matrix_of(reports, [_lacking(one) for one in result.lacking])
    boards = {BOARDS[board]: board_matrix(result.runs)} if board is not None else {}
    indices = None if index is None else suite_indices(reported, result.folder, index)
    further = {**boards, **({} if indices is None else {INDEX_TITLE: indices.matrix()})}
    page = result.folder / "index.html"
    save(page, matrix_page(result.folder.name, matrix, names, result.failed, further))
    return SuiteReport(matrix, tuple(reports), page, boards, indices)


def _lacking(run: LackingRun) -> LackingFigure:
    try:
        benchmark = benchmarks.get(run.benchmark)
    except InputError:  # its questions can't be read, which is why the run lacks
        return LackingFigure(run.benchmark, "", run.model)
    headline = benchmark.table.column(benchmark.table.headline).title
    return LackingFigure(f"{benchmark.title} · {subset_of(benchmark, run.subset)}", headline, run.model)
