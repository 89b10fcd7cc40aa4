"""Asking and scoring a run that is prepared.

A run that starts again must ask the model that it asked before: the same weights, wherever they are served.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tolman
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import EndpointError, RunConflictError, counted
from tolman.extras import LazyModule
from tolman.files import write_text
from tolman.item_table import field_values
from tolman.items import Item
from tolman.memory import give_back
from tolman.models.code import UNKNOWN, code_of
from tolman.models.model import HasExpectation, Model, is_stored
from tolman.responses import Failure, FailureKind, Outcome, Outcomes, Response
from tolman.runs.engine import Engine, Tally
from tolman.runs.flow_control import Limits, Tells, Watcher
from tolman.runs.identifying import is_by_address
from tolman.runs.progress import ProgressFile
from tolman.runs.request import RunRequest, Started
from tolman.runs.response_store import UnfinishedRun, open_store
from tolman.runs.run_folder import RunFolder, RunRecord
from tolman.runs.run_scoring import ReadAhead, score_run
from tolman.runtime import HEAD_START, uninterrupted

if TYPE_CHECKING:
    from tolman.runs import judging
    from tolman.runs.adaptive_items import AdaptiveItems
else:
    judging = LazyModule("tolman.runs.judging")


def kept_under(record: RunRecord | None) -> tuple[str, ...]:
    """The addresses under which earlier starts of a run kept answers, because nothing else was known."""
    if record is None:
        return ()
    settings, urls = record.settings.model_settings, list(record.endpoint.get("kept_under", ()))
    if is_by_address(settings):
        urls.append(str(settings["base_url"]))
    return tuple(dict.fromkeys(urls))


def served_before(record: RunRecord | None) -> dict[str, str]:
    """Return address → the weights reported there to an earlier start of a run."""
    if record is None or not record.endpoint.get("weights"):
        return {}
    return {str(address): str(record.endpoint["weights"]) for address in record.endpoint.get("addresses", ())}


def settle(
    folder: Path,
    before: RunRecord | None,
    record: RunRecord,
    settings: Mapping[str, Any],
    endpoint: Mapping[str, Any],
    *,
    binds: bool = True,
) -> RunRecord:
    """Return the record of a run whose model is identified.

    Args:
        folder: of the run, for the sentence.
        before: the record of an earlier start.
        record: of this start.
        settings: that the model's answers are kept under.
        endpoint: record of its identity.
        binds: whether the earlier start brought answers.

    Raises:
        RunConflictError: other weights were asked before, or they aren't known to be the same.
    """
    addresses = list(endpoint.get("addresses", ()))
    if before is not None and binds:
        _refuse_others(folder, before, settings, endpoint)
        addresses = list(dict.fromkeys([*before.endpoint.get("addresses", ()), *addresses]))
    kept = [url for url in kept_under(before) if url != settings.get("base_url")]
    found = {**endpoint, "addresses": addresses} | ({"kept_under": kept} if kept else {})
    return record.model_copy(
        update={
            "settings": record.settings.model_copy(update={"model_settings": dict(settings)}),
            "endpoint": found if addresses else {},
        }
    )


def _refuse_others(folder: Path, before: RunRecord, settings: Mapping[str, Any], endpoint: Mapping[str, Any]) -> None:
    old = before.settings.model_settings
    was, now = before.endpoint.get("weights") or old.get("served"), endpoint.get("weights")
    here = ", ".join(endpoint.get("addresses", ()))
    if was is not None and now is not None and was != now:
        raise RunConflictError(
            f"{folder} holds a run of {was}, and {here} serves {now}; give another folder with --out."
        )
    if "base_url" not in settings:
        return
    if settings.get("base_url") in kept_under(before):
        return
    where = old.get("base_url") or ", ".join(before.endpoint.get("addresses", ())) or "another address"
    raise RunConflictError(
        f"{folder} holds a run of {was or before.settings.model} that was asked at {where}, and no record shows "
        f"whether {here} serves the same; say so with --label NAME, or give another folder with --out."
    )


UNIDENTIFIED = "the model can't be identified (it is no plain function of a module, and has no attribute `version`)"
"""Why answers of an earlier start aren't reused."""


def ignored(what: object) -> None:
    """A callback that does nothing."""


class PreparedRun:
    """A run without known obstacles: its folder is this process's until `close`, and nothing is asked.

    Attributes:
        folder, record: of the run. The folder's path is absolute, as code of a model may change the working directory.
        items: that are asked; of an adaptive run, those that were chosen so far.
    """

    def __init__(
        self,
        request: RunRequest,
        engine: Engine,
        benchmark: BenchmarkSpec,
        record: RunRecord,
        items: Sequence[Item],
        folder: RunFolder,
        earlier: Outcomes,
        judge: Model | None,
        held: ExitStack,
        adaptive: AdaptiveItems | None = None,
    ) -> None:
        self._named, folder.path = folder.path, folder.path.absolute()
        self.folder, self.record, self._candidates, self._adaptive = folder, record, items, adaptive
        self.items: Sequence[Item] = items if adaptive is None else []
        self._request, self._engine, self._benchmark = request, engine, benchmark
        self._earlier, self._judge, self._held = earlier, judge, held
        self._everyone = (engine.model, *engine.helpers.values())
        self._judging: judging.Consultation | None = None
        self._read_ahead: ReadAhead | None = None
        self._unfinished: UnfinishedRun | None = None
        self._progress = ProgressFile(folder.path)
        if not self._is_stored:
            self._unfinished = UnfinishedRun(folder.path, _code_of(self._everyone))
            self._earlier = Outcomes()  # other code may have answered

    async def ask(
        self,
        *,
        started: Callable[[Started], None] = ignored,
        done: Callable[[Outcome], None] = ignored,
        noted: Callable[[str], None] = ignored,
    ) -> None:
        """Ask every item, and the judge where there is one; get the outcomes from `finish`, also after a cancellation.

        Args:
            started: called before the first call, and before the judge's first.
            done: called with every outcome as it comes, and with every judgement.
            noted: called with a sentence about each pause and any other event.

        Raises:
            EndpointError: the first call showed that none can succeed, or an endpoint went down and stayed so.
            InputError: the response store can't be used.
        """
        engine, request = self._engine, self._request
        started, done = self._with_progress(started, done)
        settings = self.record.settings
        rule_sets = self._benchmark.rule_sets_of(settings.preset)
        self._read_ahead = ReadAhead(rule_sets, self._candidates, settings.seed)
        engine.done = self._with_reading(done)
        self._watch(noted)
        # SQLite's connections belong to the thread that opened them, which is that of the event loop.
        engine.store = open_store(request.store) if any(is_stored(one) for one in self._everyone) else None
        most = len(self.items) if self._adaptive is None else self._adaptive.most
        started(Started(most * request.repeats, self._named, engine.tally, bool(engine.prices), self._is_remote))
        if self._unfinished is not None:
            self._go_on(self._unfinished, noted)
        written = asyncio.ensure_future(self._write_items())
        try:
            await self._identify()
            await self._ask_items()
        except BaseException:
            if self._judges_itself:
                await engine.close()
            raise
        finally:
            if engine.store is not None:
                engine.store.close()
            await asyncio.shield(written)
        failures = (one for one in engine.outcomes.values() if isinstance(one, Failure))
        if any(one.kind == FailureKind.INTERRUPTED for one in failures) and engine.budget.is_used_up:
            noted(f"{engine.budget.sentence.capitalize()}: {self._kept_so_far()}")
        if request.judge is None or self._judge is None:
            return
        try:
            await self._ask_judge(request.judge, self._judge, started=started, done=done, noted=noted)
        finally:
            if self._judges_itself:
                await engine.close()

    @asynccontextmanager
    async def ready(self, noted: Callable[[str], None] = ignored) -> AsyncIterator[Engine]:
        """The engine with its server started, its store open and its models identified, to ask some items and score
        nothing.

        Args:
            noted: as of `ask`.

        Raises:
            EndpointError, InputError, UsageError: as `ask` does before its first call.
        """
        engine = self._engine
        self._watch(noted)
        engine.store = open_store(self._request.store)
        try:
            await engine.identify()
            yield engine
        finally:
            await engine.close()
            engine.store.close()

    def _watch(self, noted: Callable[[str], None]) -> None:
        """Start the run's server, where it has one, and have pauses reported."""
        server = self._request.server
        self._engine.watcher = Watcher(noted)
        if server is not None:
            self._engine.watcher = Watcher(noted, server.gone)
            if server.start(self._named):
                noted(f"Started {server.command[0]} at {server.url}; its log is {server.log}.")

    async def _ask_items(self) -> None:
        """Ask all items, or those that an adaptive run chooses, batch after batch."""
        engine, repeats = self._engine, self._request.repeats
        if self._adaptive is None:
            await engine.run(self.items, repeats, close=not self._judges_itself)
            return
        try:
            while batch := self._adaptive.next_batch(engine.outcomes):
                self.items = [*self.items, *batch]
                await engine.run(batch, repeats, close=False)
                if any(_is_interrupted(engine.outcomes[item.id, r]) for item in batch for r in range(repeats)):
                    break
        finally:
            if not self._judges_itself:
                await engine.close()

    async def _ask_judge(
        self,
        asked: judging.JudgeRequest,
        model: Model,
        *,
        started: Callable[[Started], None],
        done: Callable[[Outcome], None],
        noted: Callable[[str], None],
    ) -> None:
        """Ask the judge about the responses."""
        self.finish()  # whatever becomes of the judge
        outcomes, seed, request = self._outcomes(), self._request.options.seed, self._request
        judge = replace(asked, limits=self._left_for(asked.limits))
        judged = judging.JudgedRun(self.folder, self._benchmark, self.items, outcomes.values(), judge, model, seed)
        self._judging = judged.consultation

        def began(calls: int, tally: Tally, remote: bool) -> None:
            started(Started(calls, self._named, tally, bool(request.prices), remote, "judging"))

        await judged.ask(started=began, done=done, noted=noted)

    def _go_on(self, unfinished: UnfinishedRun, noted: Callable[[str], None]) -> None:
        """Take over the answers of an earlier start of the run, and keep new ones."""
        engine, (kept, others) = self._engine, unfinished.begin()
        if kept:
            answer, answers = "answer of an earlier start is", "answers of an earlier start are"
            noted(
                f"{counted(len(kept), answer, answers)} reused; to ask these questions again, remove "
                f"{self._named / unfinished.path.name}."
            )
        elif self._adaptive is not None:
            self._adaptive.forget()
        if others and not kept:
            why = "the code has changed since" if unfinished.can_go_on else UNIDENTIFIED
            noted(f"Answers of an earlier start are not reused: {why}.")
        engine.kept = kept
        told = engine.done

        def done(outcome: Outcome) -> None:
            if (outcome.id, outcome.repeat) not in kept:
                unfinished.add(outcome)
            told(outcome)

        engine.done = done

    async def _identify(self) -> None:
        """Find out which weights the model's addresses serve, and write them into run.json."""
        engine, before = self._engine, self.folder.before
        if not self.folder.is_bound and self._request.options.label is None:
            before = None  # another address may serve something else
        found = await engine.identify(recorded=kept_under(before), served_before=served_before(before))
        if found:
            settings, binds = engine.model.settings, self.folder.is_bound
            self.record = settle(self._named, before, self.record, settings, found, binds=binds)
            self.folder.write_record(self.record)

    def finish(self) -> tuple[RunFolder, dict[str, Any]]:
        """Write and score the outcomes.

        Returns:
            The run's folder, by the name that the user gave it, and the content of its scores.json.
        """
        outcomes = self._engine.outcomes = self._keep()  # of two orders one is enough from here on
        give_back(len(outcomes))
        model = self._engine.model
        expectation = model if isinstance(model, HasExpectation) and self._adaptive is None else None
        figures = score_run(
            self.folder,
            self._benchmark,
            self.record,
            self.items,
            outcomes,
            expectation=expectation,
            metrics=self._request.metrics,
            read_ahead=self._read_ahead,
        )
        if "served" in figures:  # more than one model answered
            endpoint = {**self.record.endpoint, "served": figures["served"]}
            self.record = self.record.model_copy(update={"endpoint": endpoint})
            self.folder.write_record(self.record)
        is_as_named = self._named.absolute() == self.folder.path
        return RunFolder(self._named) if is_as_named else self.folder, figures

    async def _write_items(self) -> None:
        """Write the questions while the first answer is waited for."""
        await asyncio.sleep(HEAD_START)
        if self._adaptive is not None:
            return  # they are known at the end
        await asyncio.to_thread(self.folder.write_items, self.items)

    def _with_reading(self, done: Callable[[Outcome], None]) -> Callable[[Outcome], None]:
        """Return the same callback, called after the outcome is read; items not waited for are read at the end."""
        ahead = self._read_ahead
        if ahead is None or not self._is_remote:
            return done

        def read(outcome: Outcome) -> None:
            ahead.add(outcome)
            done(outcome)

        return read

    def _with_progress(
        self, started: Callable[[Started], None], done: Callable[[Outcome], None]
    ) -> tuple[Callable[[Started], None], Callable[[Outcome], None]]:
        """Return the same callbacks, which also write the file of progress; of a run that isn't waited for, none."""
        if not self._is_remote:
            return started, done
        tally = self._engine.tally

        def began(round_: Started) -> None:
            nonlocal tally
            tally = round_.tally
            self._progress.begin(round_.what, round_.calls)
            started(round_)

        def came(outcome: Outcome) -> None:
            self._progress.add(outcome, {name: n for name, n in vars(tally).items() if n and name != "remarks"})
            done(outcome)

        return began, came

    def keep(self) -> None:
        """Write the outcomes, if any, without scoring them."""
        if self._engine.outcomes:
            self._keep()

    @property
    def stopped(self) -> str:
        """What to say of a run that was stopped."""
        return self._judging.stopped if self._judging is not None else f"Stopped: {self._kept_so_far()}"

    @property
    def has_answers(self) -> bool:
        """Check whether the run itself, not its judge, brought an answer since it was started."""
        return self._judging is None and any(isinstance(one, Response) for one in self._engine.outcomes.values())

    def ended(self, why: EndpointError) -> str:
        """What to say of a run that ended before its last question."""
        return f"{why} {self._kept_so_far(goes_on=why.goes_on)}"

    def _kept_so_far(self, *, goes_on: bool = True) -> str:
        outcomes = self._outcomes()
        answered = sum(isinstance(outcome, Response) for outcome in outcomes.values())
        most = len(self.items) if self._adaptive is None else self._adaptive.most
        asked = most * self._request.repeats
        goes_on = goes_on and (self._unfinished is None or self._unfinished.can_go_on)
        kept = "kept; run the same command again to resume." if goes_on else "kept in its folder."
        return f"{answered:,} of {asked:,} answered and {kept}"

    def close(self) -> None:
        """Let others write into the folder."""
        if self._unfinished is not None:
            self._unfinished.end(is_whole=False)
        self._progress.close()
        self._held.close()

    def __enter__(self) -> PreparedRun:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def _judges_itself(self) -> bool:
        """Check whether the judge is the same open model, as one that Python hands over can't be made again."""
        return self._judge is not None and self._judge is self._engine.model

    @property
    def _is_remote(self) -> bool:
        return any(one.remote for one in self._everyone)

    @property
    def _is_stored(self) -> bool:
        """Check whether a run that starts again finds its answers, or they cost nothing."""
        return all(is_stored(one) or not one.remote for one in self._everyone)

    def _left_for(self, limits: Limits) -> Limits:
        """Return the limits of a judge, whose calls may cost the run's remaining budget."""
        if limits.most_cost is None:
            return limits
        return replace(limits, most_cost=max(0.0, limits.most_cost - self._engine.tally.cost))

    def _outcomes(self) -> Outcomes:
        """Return the outcomes in the order of items, then repeats, with those of an earlier start of this run."""
        found, came = Outcomes(), self._engine.outcomes
        ids = field_values(self.items, "id")
        for key in ((id, repeat) for id in ids for repeat in range(self._request.repeats)):
            if key in came:
                found.take(key, came)
            elif key in self._earlier:
                found.take(key, self._earlier)
        return found

    def _keep(self) -> Outcomes:
        with uninterrupted():  # a second Ctrl-C must not stop the writing
            outcomes = self._outcomes()
            self.folder.write_outcomes(outcomes.values())
            if self._adaptive is not None:
                self.folder.write_items(self.items)
            if self._unfinished is not None:
                answered = sum(isinstance(one, Response) for one in outcomes.values())
                is_over = self._adaptive is None or self._adaptive.is_over
                self._unfinished.end(is_whole=is_over and answered == len(self.items) * self._request.repeats)
            usage = asdict(self._engine.tally)
            del usage["remarks"]
            if not self._engine.prices:
                del usage["cost"]
            if isinstance(self._engine.model, Tells):
                usage["addresses"] = self._engine.model.counts
            write_text(self.folder.path / "usage.json", json.dumps(usage, indent=2) + "\n")
            return outcomes


def _is_interrupted(outcome: Outcome) -> bool:
    return isinstance(outcome, Failure) and outcome.kind == FailureKind.INTERRUPTED


def _code_of(models: Iterable[Model]) -> str:
    """The identity of the code behind several models; empty where one of them has none."""
    found = [code_of(one) for one in models]
    return "" if UNKNOWN in found else " ".join(one or f"tolman {tolman.__version__}" for one in found)
