"""Asking and scoring a run that is prepared."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from tolman.files import write_text
from tolman.items import Item
from tolman.memory import give_back
from tolman.models.base import HasExpectation, Model, is_stored
from tolman.outcomes import Outcomes
from tolman.responses import Failure, FailureKind, Outcome, Response
from tolman.runs.engine import Engine
from tolman.runs.folder import RunFolder, RunRecord
from tolman.runs.limits import Limits
from tolman.runs.read_ahead import ReadAhead
from tolman.runs.request import RunRequest, Started
from tolman.runs.same_model import kept_under, served_before, settle
from tolman.runs.store import open_store
from tolman.runs.watcher import Tells, Watcher
from tolman.runtime import HEAD_START, uninterrupted

if TYPE_CHECKING:
    from tolman.runs.judging import Consultation


def ignored(what: object) -> None:
    """A callback that does nothing."""


class PreparedRun:
    """A run that nothing known stands in the way of: its folder is this process's until `close`, and nothing is asked.

    Attributes:
        folder, record, items: what the run is.
    """

    def __init__(
        self,
        request: RunRequest,
        engine: Engine,
        record: RunRecord,
        items: list[Item],
        folder: RunFolder,
        earlier: Outcomes,
        judge: Model | None,
        held: ExitStack,
    ) -> None:
        self.folder, self.record, self.items = folder, record, items
        self._request, self._engine, self._earlier, self._judge, self._held = request, engine, earlier, judge, held
        self._everyone = (engine.model, *engine.helpers.values())
        self._judging: Consultation | None = None
        self._read_ahead: ReadAhead | None = None

    async def ask(
        self,
        *,
        started: Callable[[Started], None] = ignored,
        done: Callable[[Outcome], None] = ignored,
        noted: Callable[[str], None] = ignored,
    ) -> None:
        """Ask every item, and the judge where there is one; what came is with `finish`, also after a cancellation.

        Args:
            started: called before the first call, and before the judge's first.
            done: called with every outcome as it comes, and with every judgement.
            noted: called with a sentence about each pause, and whatever else is met on the way.

        Raises:
            EndpointError: the first call showed that none can succeed, or an endpoint went down and stayed so.
            InputError: the response store can't be used.
        """
        engine, request = self._engine, self._request
        settings = self.record.settings
        rule_sets = engine.benchmark.rule_sets_of(settings.preset)
        self._read_ahead = ReadAhead(rule_sets, self.items, settings.seed)
        engine.done = self._with_reading(done)
        engine.watcher = Watcher(noted)
        if request.server is not None:
            engine.watcher = Watcher(noted, request.server.gone)
            if request.server.start(self.folder.path):
                noted(f"Started {request.server.command[0]} at {request.server.url}; its log is {request.server.log}.")
        # SQLite's connections belong to the thread that opened them, which is that of the event loop.
        engine.store = open_store(request.store) if any(is_stored(one) for one in self._everyone) else None
        started(
            Started(
                len(self.items) * request.repeats, self.folder.path, engine.tally, bool(engine.prices), self._is_remote
            )
        )
        written = asyncio.ensure_future(self._write_items())
        try:
            await self._identify()
            await engine.run(self.items, request.repeats)
        finally:
            if engine.store is not None:
                engine.store.close()
            await asyncio.shield(written)
        if any(one.kind == FailureKind.INTERRUPTED for one in self._failures()) and engine.budget.is_used_up:
            noted(f"{engine.budget.sentence.capitalize()}: {self._kept_so_far}")
        if request.judge is None or self._judge is None:
            return
        from tolman.runs.judging import JudgedRun

        self.finish()  # whatever becomes of the judge
        outcomes, seed = self._outcomes(), request.options.seed
        judge = replace(request.judge, limits=self._left_for(request.judge.limits))
        judged = JudgedRun(self.folder, engine.benchmark, self.items, outcomes.values(), judge, self._judge, seed)
        self._judging = judged.consultation
        await judged.ask(
            done=done,
            noted=noted,
            started=lambda calls, tally, remote: started(
                Started(calls, self.folder.path, tally, bool(request.prices), remote, "judging")
            ),
        )

    async def _identify(self) -> None:
        """Find out what the model's addresses serve, and write it into run.json."""
        before, engine = self.folder.before, self._engine
        found = await engine.identify(recorded=kept_under(before), served_before=served_before(before))
        if found:
            self.record = settle(self.folder.path, before, self.record, engine.model.settings, found)
            self.folder.write_record(self.record)

    def finish(self) -> tuple[RunFolder, dict[str, Any]]:
        """Write and score what came.

        Returns:
            The run's folder and what its scores.json holds.
        """
        from tolman.runs.scoring import score_run

        outcomes = self._engine.outcomes = self._keep()  # of two orders one is enough from here on
        give_back()
        model = self._engine.model
        expectation = model if isinstance(model, HasExpectation) else None
        return self.folder, score_run(
            self.folder,
            self._engine.benchmark,
            self.record,
            self.items,
            outcomes,
            expectation=expectation,
            metrics=self._request.metrics,
            read_ahead=self._read_ahead,
        )

    async def _write_items(self) -> None:
        """Write the questions while the first answer is waited for."""
        await asyncio.sleep(HEAD_START)
        await asyncio.to_thread(self.folder.write_items, self.items)

    def _with_reading(self, done: Callable[[Outcome], None]) -> Callable[[Outcome], None]:
        """The same callback, told after the outcome is read; items that aren't waited for are read at the end."""
        ahead = self._read_ahead
        if ahead is None or not self._is_remote:
            return done

        def read(outcome: Outcome) -> None:
            ahead.add(outcome)
            done(outcome)

        return read

    def keep(self) -> None:
        """Write what came, where anything did, without scoring it."""
        if self._engine.outcomes:
            self._keep()

    @property
    def stopped(self) -> str:
        """What to say of a run that was stopped."""
        return self._judging.stopped if self._judging is not None else f"Stopped: {self._kept_so_far}"

    @property
    def has_answers(self) -> bool:
        """Whether the run itself, not its judge, brought an answer since it was started."""
        return self._judging is None and any(isinstance(one, Response) for one in self._engine.outcomes.values())

    def ended(self, why: object) -> str:
        """What to say of a run that ended before its last question."""
        return f"{why} {self._kept_so_far}"

    @property
    def _kept_so_far(self) -> str:
        outcomes = self._outcomes()
        answered = sum(isinstance(outcome, Response) for outcome in outcomes.values())
        asked = len(self.items) * self._request.repeats
        kept = "kept; the same command goes on." if self._is_stored else "kept in its folder."
        return f"{answered:,} of {asked:,} answered and {kept}"

    def close(self) -> None:
        """Let others write into the folder."""
        self._held.close()

    def __enter__(self) -> PreparedRun:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def _is_remote(self) -> bool:
        return any(one.remote for one in self._everyone)

    @property
    def _is_stored(self) -> bool:
        """Whether a run that starts again finds its answers, or they cost nothing."""
        return all(is_stored(one) or not one.remote for one in self._everyone)

    def _failures(self) -> list[Failure]:
        return [one for one in self._engine.outcomes.values() if isinstance(one, Failure)]

    def _left_for(self, limits: Limits) -> Limits:
        """The limits of a judge, whose calls cost what the run has left."""
        if limits.most_cost is None:
            return limits
        return replace(limits, most_cost=max(0.0, limits.most_cost - self._engine.tally.cost))

    def _outcomes(self) -> Outcomes:
        """What came, in the order of items, then repeats; what an earlier start of this run had stays beside it."""
        found, came = Outcomes(), self._engine.outcomes
        for key in ((item.id, repeat) for item in self.items for repeat in range(self._request.repeats)):
            if key in came:
                found.take(key, came)
            elif key in self._earlier:
                found.take(key, self._earlier)
        return found

    def _keep(self) -> Outcomes:
        with uninterrupted():  # a second Ctrl-C must not stop the writing
            outcomes = self._outcomes()
            self.folder.write_outcomes(outcomes.values())
            usage = asdict(self._engine.tally)
            del usage["remarks"]
            if not self._engine.prices:
                del usage["cost"]
            if isinstance(self._engine.model, Tells):
                usage["addresses"] = self._engine.model.counts
            write_text(self.folder.path / "usage.json", json.dumps(usage, indent=2) + "\n")
            return outcomes
