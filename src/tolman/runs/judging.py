"""Having a model read the responses of a run: through the same engine and store as the run's own questions.

A judgement belongs to an item and a response's text. Each is asked for once, whatever the number of repeats that
brought the same text; a reply that is nonsense is asked for again, as MMSI-Bench's released fallback does, and is then
a failure of that judgement. What was said goes into the run's folder, so that scoring again needs no call.

Beside what the benchmark has judged, the judge is asked about a random sample of the responses that the reader read, in
Tolman's own words, to measure how far the two agree.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import tolman
from tolman import models
from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import EndpointError, RunInterruptedError, UsageError
from tolman.items import Item
from tolman.media.store import FrameStore, default_root
from tolman.messages import Message, Sampling
from tolman.models.base import KnowsTheTruth, Model, ModelOptions, is_stored
from tolman.protocols.base import Ask, Conversation, Protocol
from tolman.responses import Failure, Outcome, Response, Usage
from tolman.runs.engine import Engine, Limits, Tally
from tolman.runs.folder import RunFolder
from tolman.runs.judge_jobs import JudgeJob, plan_judging, reader_of
from tolman.runs.prices import Price, read_price
from tolman.runs.store import open_store
from tolman.runs.watcher import Watcher
from tolman.runtime import run_until_stopped
from tolman.scoring.judge_sample import SampleSize
from tolman.scoring.judged import JudgedSample, Judgement, Judgements, digest

T = TypeVar("T")
TRIES = 3
"""How often a judge is asked until its reply is an answer (MMSI-Bench's released fallback)."""


@dataclass(frozen=True)
class JudgeRequest:
    """What the user asked for.

    Attributes:
        model: the judge's name.
        options: of that model.
        limits: when to give up.
        store: of responses, other than the user's own.
        prices: a file with the price of tokens.
        sample: how many of the responses that were read the judge is asked about besides.
    """

    model: str
    options: ModelOptions = ModelOptions()
    limits: Limits = Limits()
    store: Path | str | None = None
    prices: Path | None = None
    sample: SampleSize = SampleSize()

    def open(self) -> Model:
        """The judge, before anything is asked of anybody.

        Raises:
            UsageError: there is no such model, or it is a baseline.
            InputError: its price is not in the file.
        """
        judge = models.create(self.model, self.options)
        if isinstance(judge, KnowsTheTruth) or self.model.startswith("baseline/"):
            raise UsageError(f"--judge takes a model that reads, and {self.model} doesn't.")
        self.price(judge)
        return judge

    def price(self, judge: Model) -> Price | None:
        """Of the judge's tokens; None where the user gave no prices."""
        return read_price(self.prices, judge.name) if self.prices else None


def judge_run(
    folder: RunFolder,
    benchmark: BenchmarkSpec,
    items: Sequence[Item],
    outcomes: Iterable[Outcome],
    request: JudgeRequest,
    judge: Model,
    *,
    started: Callable[[int, Tally, bool], None] = lambda calls, tally, remote: None,
    done: Callable[[Outcome], None] = lambda outcome: None,
    noted: Callable[[str], None] = lambda sentence: None,
    seed: int = 0,
) -> Judgements:
    """Ask the judge about every response that the benchmark has judged and about a sample of those that were read, and
    write what it said.

    Args:
        folder: of the run.
        benchmark: for when and how a judge is asked.
        items, outcomes: of the run.
        request: what the user asked for.
        judge: what `request.open()` gave.
        started: called before the first call with the number of judgements, counts that grow, and whether calls cost.
        done: called as each judgement comes.
        noted: called with a sentence about each pause.
        seed: of the run, for released parsers that draw at random and for the sample.

    Raises:
        EndpointError: the first call showed that none can succeed.
        RunInterruptedError: the user stopped it; what was judged is kept.
    """
    judging = JudgedRun(folder, benchmark, items, outcomes, request, judge, seed)
    return _until_stopped(judging.ask(started=started, done=done, noted=noted), judging.consultation)


def consult(
    judge: Model,
    request: JudgeRequest,
    items: Sequence[Item],
    *,
    benchmark: BenchmarkSpec,
    protocol: Protocol,
    preset: PromptPreset,
    data: Path = Path(),
    started: Callable[[int, Tally, bool], None] = lambda calls, tally, remote: None,
    done: Callable[[Outcome], None] = lambda outcome: None,
) -> tuple[dict[str, Outcome], float | None]:
    """Put questions to a judge.

    Args:
        judge, request, items, benchmark, protocol, preset, data: as in `Consultation`.
        started, done: as in `judge_run`.

    Returns:
        Item's id → outcome, and the cost of all replies, None where the user gave no prices.

    Raises:
        EndpointError: the first call showed that none can succeed.
        RunInterruptedError: the user stopped it; what was judged is kept.
    """
    asked = Consultation(judge, request, items, benchmark=benchmark, protocol=protocol, preset=preset, data=data)
    return _until_stopped(asked.ask(started=started, done=done), asked)


class Consultation:
    """Questions for a judge, to be asked in whatever event loop.

    Args:
        judge: what `request.open()` gave.
        request: what the user asked for.
        items: with an id for each judgement.
        benchmark, protocol, preset: how they are put.
        data: the folder that media are relative to, where the judge is shown any.
    """

    def __init__(
        self,
        judge: Model,
        request: JudgeRequest,
        items: Sequence[Item],
        *,
        benchmark: BenchmarkSpec,
        protocol: Protocol,
        preset: PromptPreset,
        data: Path = Path(),
    ) -> None:
        self._judge, self._request, self._items = judge, request, items
        self._price = request.price(judge)
        self._engine = Engine(
            benchmark=benchmark,
            model=judge,
            protocol=protocol,
            preset=preset,
            data=data,
            frames=FrameStore(default_root()),
            store=None,
            limits=request.limits,
            prices={"model": self._price} if self._price else {},
        )

    async def ask(
        self,
        *,
        started: Callable[[int, Tally, bool], None] = lambda calls, tally, remote: None,
        done: Callable[[Outcome], None] = lambda outcome: None,
        noted: Callable[[str], None] = lambda sentence: None,
    ) -> tuple[dict[str, Outcome], float | None]:
        """Ask everything; see `consult`. Where it is cancelled, what was judged is in the response store.

        Raises:
            EndpointError: the first call showed that none can succeed.
        """
        engine, engine.done = self._engine, done
        engine.watcher = Watcher(noted)
        engine.store = open_store(self._request.store) if is_stored(self._judge) else None
        started(len(self._items), engine.tally, self._judge.remote)
        try:
            await engine.identify()
            await engine.run(self._items)
        except EndpointError as error:
            raise EndpointError(f"the judge {self._judge.name}: {error}") from None
        finally:
            if engine.store is not None:
                engine.store.close()
        found = {item.id: engine.outcomes[item.id, 0] for item in self._items}
        return found, _cost(found.values()) if self._price else None

    @property
    def stopped(self) -> str:
        """What to say where it was stopped."""
        made = len(self._engine.outcomes)
        return f"Stopped: {made:,} of {len(self._items):,} judgements made and kept; the same command goes on."


class JudgedRun:
    """A run whose responses a judge is to read, in whatever event loop; see `judge_run`."""

    def __init__(
        self,
        folder: RunFolder,
        benchmark: BenchmarkSpec,
        items: Sequence[Item],
        outcomes: Iterable[Outcome],
        request: JudgeRequest,
        judge: Model,
        seed: int = 0,
    ) -> None:
        self._folder, self._benchmark, self._request, self._judge, self._seed = folder, benchmark, request, judge, seed
        self._plan = plan_judging(benchmark, items, outcomes, request.sample, seed)
        asked = self._plan.asked
        self.consultation = Consultation(
            judge,
            request,
            [job.item.model_copy(update={"id": key}) for key, job in asked.items()],
            benchmark=benchmark,
            protocol=Protocol("judge", shows_media=False, converse=_conversation(asked)),
            preset=PromptPreset("judge", benchmark.judging.source, sampling=Sampling(temperature=0.0)),
        )

    async def ask(
        self,
        *,
        started: Callable[[int, Tally, bool], None] = lambda calls, tally, remote: None,
        done: Callable[[Outcome], None] = lambda outcome: None,
        noted: Callable[[str], None] = lambda sentence: None,
    ) -> Judgements:
        """Ask, and write what the judge said.

        Raises:
            EndpointError: the first call showed that none can succeed.
        """
        plan = self._plan
        replies, cost = await self.consultation.ask(started=started, done=done, noted=noted)
        found = Judgements(
            judge=self._judge.name,
            settings=dict(self._judge.settings),
            source=self._benchmark.judging.source,
            tolman=tolman.__version__,
            usage=usage_of(replies.values()),
            cost=cost,
            judgements=tuple(_judgement(job, replies[key]) for key, job in plan.judged.items()),
            sample=JudgedSample(
                reader=reader_of(self._benchmark).name,
                seed=self._seed,
                size=str(self._request.sample),
                readable=plan.readable,
                judgements=tuple(_judgement(job, replies[key]) for key, job in plan.sampled),
            )
            if plan.sampled
            else None,
        )
        self._folder.write_judgements(found)
        return found


def _until_stopped(asking: Coroutine[Any, Any, T], consultation: Consultation) -> T:
    try:
        return run_until_stopped(asking)
    except KeyboardInterrupt:
        raise RunInterruptedError(consultation.stopped) from None


def _conversation(jobs: Mapping[str, JudgeJob]) -> Callable[[BenchmarkSpec, Item, PromptPreset], Conversation]:
    def converse(benchmark: BenchmarkSpec, item: Item, preset: PromptPreset) -> Conversation:
        job = jobs[item.id]
        message = Message(parts=(job.prompt,))
        for draw in range(TRIES):
            response: Response = yield Ask((message,), draw=draw)
            if job.read(job.item, response.response) is not None:
                break
        return response.response

    return converse


def _judgement(job: JudgeJob, outcome: Outcome) -> Judgement:
    if isinstance(outcome, Failure):
        reason = f"{outcome.kind}: {outcome.message}"
        return Judgement(id=job.item.id, response=digest(job.text), failure=reason)
    return Judgement(id=job.item.id, response=digest(job.text), reply=outcome.response)


def usage_of(outcomes: Iterable[Outcome]) -> Usage:
    """The tokens of all replies."""
    return Usage.total(outcome.usage for outcome in outcomes if isinstance(outcome, Response))


def _cost(outcomes: Iterable[Outcome]) -> float:
    return sum(outcome.cost or 0.0 for outcome in outcomes if isinstance(outcome, Response))
