"""Carrying out a suite: its runs, each model's after each other and different models' side by side, as one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.errors import RunBusyError, RunInterruptedError, TolmanError
from tolman.workflows.data_sets import DataSets
from tolman.workflows.evaluate import requests_of
from tolman.workflows.events import Advanced, Began, Ended, Events, Noted, silent
from tolman.workflows.fleet import with_server
from tolman.workflows.run_config import RunConfig
from tolman.workflows.suite_file import check_names, folder_of, models_of

if TYPE_CHECKING:
    from tolman.models.serving import Server
    from tolman.responses import Outcome
    from tolman.runs.request import RunRequest, Started
    from tolman.workflows.opened_run import Run

PAUSE = 1.0
"""Seconds between looks at a run that another process is at work on."""


@dataclass(frozen=True)
class SuiteResult:
    """What a suite brought.

    Attributes:
        folder: of all its runs.
        runs: those that are scored, in the order of the suite.
        failed: a sentence for each run that couldn't be carried out.
        lacking: what the report lacks for that reason.
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
        model: what was to be evaluated, as a table's row is named.
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
        RunInterruptedError: it was stopped; what was answered is kept and scored.
    """
    from tolman.runtime import run_until_stopped

    check_names(configs)
    suite = _Suite(configs, events)
    try:
        run_until_stopped(suite.carry_out())
    except KeyboardInterrupt:
        raise RunInterruptedError(suite.stopped) from None
    finally:
        events(Ended())
    return suite.result()


@dataclass(frozen=True)
class _Group:
    """The runs of one model, and the server that is started for them."""

    requests: Sequence[RunRequest]
    server: Server | None


class _Suite:
    """The runs while they go on."""

    def __init__(self, configs: Sequence[RunConfig], events: Events) -> None:
        self._events = events
        self._folder = folder_of(configs)
        self._data = DataSets()
        self._failed: dict[Path, str] = {}
        self._places: dict[Path, LackingRun] = {}
        self._groups = [self._group(group) for group in models_of(configs)]
        self._serving = asyncio.Lock()
        self._done: set[Path] = set()
        self._answered = self._reused = 0

    async def carry_out(self) -> None:
        """All runs."""
        requests = [request for group in self._groups for request in group.requests]
        calls = sum(self._calls(request) for request in requests)
        self._events(Began(f"asking in {len(requests)} runs", calls))
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
        from tolman.runs.run import arun

        tally: list[Started] = []

        def began(started: Started) -> None:
            tally.append(started)

        def done(outcome: Outcome) -> None:
            self._answered += 1
            self._events(Advanced(state=f"{self._failed_sentence()}{len(self._done):,} runs done"))

        def noted(text: str) -> None:
            self._events(Noted(f"{_folder(request)}: {text}"))

        folder, _ = await arun(request, started=began, done=done, noted=noted)
        self._done.add(folder.path)

    def _failed_sentence(self) -> str:
        return f"{len(self._failed)} failed, " if self._failed else ""

    def result(self) -> SuiteResult:
        """What it came to."""
        from tolman.workflows.opened_run import Run

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
            f"Stopped: {len(self._done)} of {count} runs done; what was answered is kept, and the same command goes on."
        )

    def _group(self, configs: Sequence[RunConfig]) -> _Group:
        """The runs of one model, which ask one server where one is to be started."""
        server = with_server(configs[0])[1]
        at = [replace(config, base_url=server.url) if server else config for config in configs]
        requests = [replace(request, server=server) for config in at for request in requests_of(config)]
        for request in requests:
            name = request.model if request.options.label is None else f"{request.model} ({request.options.label})"
            self._places[_folder(request)] = LackingRun(request.benchmark, request.subset, name)
        return _Group([one for one in map(self._with_items, requests) if one is not None], server)

    def _with_items(self, request: RunRequest) -> RunRequest | None:
        """The request with its benchmark; None where its data can't be loaded, which is told of."""
        try:
            return replace(request, loaded=self._data.load(request))
        except TolmanError as error:
            self._failed[_folder(request)] = f"{_folder(request)}: INCOMPLETE: {error}"
            return None

    def _is_whole(self, request: RunRequest) -> bool:
        """Whether a run that another process was at work on is scored, with an answer to each question."""
        from tolman.responses import Response
        from tolman.runs.folder import RunFolder

        folder = RunFolder(_folder(request))
        if folder.is_at_work or not (folder.path / "scores.json").exists():
            return False
        answered = sum(isinstance(outcome, Response) for outcome in folder.outcomes())
        return answered >= self._calls(request)

    def _calls(self, request: RunRequest) -> int:
        assert request.loaded is not None
        return len(request.selection.apply(request.loaded.items)) * request.repeats


def _folder(request: RunRequest) -> Path:
    assert request.out is not None
    return request.out if request.part is None else request.out / request.part
