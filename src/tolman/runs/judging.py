"""Judging of a run's responses by a model: through the same engine and store as the run's own questions.

A judgement belongs to an item and a response's text. Each is asked for once, even if several repeats brought the same
text. A reply that is nonsense is asked for again, as MMSI-Bench's released fallback does, and is then a failure of that
judgement. Judgements go into the run's folder, so that scoring again needs no call.

The judge is asked about the responses that the benchmark has judged. It is also asked about a random sample of those
that the reader read, in Tolman's own words, to measure how far the two agree.

The judge `self` is the run's own model. It reads its responses where the careful parser reads nothing, from their text
alone, and marks none.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import tolman
from tolman import models
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset, read_by_itself
from tolman.errors import EndpointError, RunInterruptedError, UsageError, counted
from tolman.items import Item
from tolman.media.frame_store import FrameStore, default_root
from tolman.messages import Message
from tolman.models.model import KnowsTheTruth, Model, ModelOptions, is_stored
from tolman.protocols import Ask, Conversation
from tolman.responses import Failure, Outcome, Response, Usage
from tolman.runs.engine import Engine, Limits, Tally
from tolman.runs.flow_control import Watcher
from tolman.runs.prices import LETTERS_OF_A_TOKEN, Price, read_price
from tolman.runs.response_store import open_store
from tolman.runs.run_folder import RunFolder
from tolman.runtime import run_until_stopped
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.judge_sample import SampleSize, draw as draw_sample, is_read
from tolman.scoring.judged import JudgedSample, Judgement, Judgements, digest, read_reply, stated_prompt
from tolman.scoring.rule_sets import RuleSet

Texts = Mapping[str, Sequence[str]]
"""Item's id → its responses' texts, each once, without empty ones."""


@dataclass(frozen=True)
class JudgeJob:
    """One response that the judge is asked about, how, and how its reply is read."""

    item: Item
    text: str
    prompt: str
    read: Callable[[Item, str], ParsedAnswer | None] = read_reply


@dataclass(frozen=True)
class JudgePlan:
    """All that a judge is asked about a run.

    Attributes:
        judged: the responses that the benchmark has judged, by the name of the judgement.
        sampled: the sample in the order of the items, each with the name of the judgement that answers it.
        readable: how many responses the sample was drawn from.
    """

    judged: Mapping[str, JudgeJob]
    sampled: Sequence[tuple[str, JudgeJob]]
    readable: int

    @property
    def asked(self) -> dict[str, JudgeJob]:
        """Every judgement, by its name."""
        return {**self.judged, **dict(self.sampled)}


def plan_judging(
    benchmark: BenchmarkSpec, items: Sequence[Item], outcomes: Iterable[Outcome], size: SampleSize, seed: int
) -> JudgePlan:
    """Plan the questions to a judge.

    Args:
        benchmark: for when and how it is asked.
        items, outcomes: of the run.
        size: of the sample.
        seed: of the run, for released parsers that draw at random and for the sample.
    """
    texts = _texts(outcomes)
    judged = _judged(benchmark, items, texts, seed)
    sample, readable = _sample(benchmark, items, texts, size, seed)
    # What is asked about a response in the same words already is not asked twice.
    known = {(job.item.id, job.prompt): key for key, job in judged.items()}
    sampled = []
    for job in sample:
        key = _key(job.item.id, list(texts[job.item.id]).index(job.text))
        free = f"{key}, sampled" if key in judged else key
        sampled.append((known.get((job.item.id, job.prompt), free), job))
    return JudgePlan(judged, sampled, readable)


@dataclass(frozen=True)
class JudgeEstimate:
    """The estimated cost of judging, including answers that are in the response store.

    Attributes:
        calls: at least; a reply that is nonsense is asked for again.
        input_tokens, output_tokens: about.
        cost: about; None without prices.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None

    def describe(self, judge: str) -> str:
        """The estimate in a sentence."""
        cost = "" if self.cost is None else f", a cost of about {self.cost:,.2f}"
        return (
            f"{judge} judges {counted(self.calls, 'response')}: about {self.input_tokens:,} tokens of prompts and "
            f"{self.output_tokens:,} of replies{cost}, less what the response store holds."
        )


def estimate_of(plan: JudgePlan, price: Price | None) -> JudgeEstimate:
    """Estimate tokens and cost by the length of the prompts."""
    asked = plan.asked.values()
    used = Usage(
        input_tokens=sum(len(job.prompt) for job in asked) // LETTERS_OF_A_TOKEN,
        output_tokens=REPLY_TOKENS * len(asked),
    )
    return JudgeEstimate(len(asked), used.input_tokens, used.output_tokens, price.cost(used) if price else None)


def reader_of(benchmark: BenchmarkSpec) -> RuleSet:
    """The rule set whose readings a judge's are held against: the careful one, or the one that its judging rests on."""
    names = {rules.name for rules in benchmark.rule_sets}
    return benchmark.rule_set("careful" if "careful" in names else benchmark.judging.base)


def _texts(outcomes: Iterable[Outcome]) -> Texts:
    texts: dict[str, dict[str, None]] = {}
    for outcome in outcomes:
        if isinstance(outcome, Response) and outcome.response.strip():
            texts.setdefault(outcome.id, {}).setdefault(outcome.response)
    return {identity: list(found) for identity, found in texts.items()}


def _judged(benchmark: BenchmarkSpec, items: Sequence[Item], texts: Texts, seed: int) -> dict[str, JudgeJob]:
    """Return the responses that the benchmark has judged, each text of an item once, in the order of the items."""
    judging = benchmark.judging
    base = benchmark.rule_set(judging.base)
    return {
        _key(item.id, number): JudgeJob(item, text, judging.prompt(item, text), judging.read)
        for item in items
        for number, text in enumerate(texts.get(item.id, ()))
        if judging.asks(item, text, base.read(item, text, seed))
    }


def _sample(
    benchmark: BenchmarkSpec, items: Sequence[Item], texts: Texts, size: SampleSize, seed: int
) -> tuple[list[JudgeJob], int]:
    """A random sample of the responses that were read, in the order of the items, and how many were."""
    if not size.of(1):
        return [], 0
    reader = reader_of(benchmark)
    read = {
        (item.id, digest(text)): (item, text)
        for item in items
        for text in texts.get(item.id, ())
        if is_read(reader.read(item, text, seed))
    }
    drawn = draw_sample(read, size.of(len(read)), seed)
    judging = benchmark.judging
    how = read_reply if judging.score is None else judging.read
    jobs = [
        JudgeJob(item, text, judging.sample_prompt(item, text), how)
        for key, (item, text) in read.items()
        if key in drawn
    ]
    return jobs, len(read)


def _key(identity: str, number: int) -> str:
    """Return the name of the judgement of an item's text."""
    return identity if number == 0 else f"{identity}, text {number + 1}"


T = TypeVar("T")
SELF = "self"
"""The name of the judge that is the run's own model."""
REPLY_TOKENS = 8
"""Of a reply that is a letter, a number or a mark, about."""
TRIES = 3
"""How often a judge is asked until its reply is an answer (MMSI-Bench's released fallback)."""


@dataclass(frozen=True)
class JudgeRequest:
    """The user's request for a judge.

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

    @property
    def is_self(self) -> bool:
        """Check whether the judge is the run's own model."""
        return self.model == SELF

    def open(self, own: Model | None = None) -> Model:
        """The judge, before anything is asked of anybody.

        Args:
            own: the run's model, which is the judge `self`.

        Raises:
            UsageError: there is no such model, or it is a baseline.
            InputError: its price is not in the file.
        """
        judge = own if self.is_self and own is not None else models.create(self.model, self.options)
        if isinstance(judge, KnowsTheTruth) or judge.name.startswith("baseline/"):
            raise UsageError(f"--judge takes a model that reads, and {judge.name} doesn't.")
        self.price(judge)
        return judge

    def price(self, judge: Model) -> Price | None:
        """The price of the judge's tokens; None where the user gave no prices."""
        return read_price(self.prices, judge.name) if self.prices else None


class Consultation:
    """Questions for a judge, to be asked in any event loop.

    Args:
        judge: from `request.open()`.
        request: the user's.
        items: with an id for each judgement.
        converse, preset: how they are put; see `Engine`.
        data: the folder that media are relative to, where the judge is shown any.
    """

    def __init__(
        self,
        judge: Model,
        request: JudgeRequest,
        items: Sequence[Item],
        *,
        converse: Callable[[Item], Conversation],
        preset: PromptPreset,
        data: Path = Path(),
    ) -> None:
        self._judge, self._request, self._items = judge, request, items
        self._price = request.price(judge)
        self._engine = Engine(
            model=judge,
            converse=converse,
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
        """Ask everything. If it is cancelled, judgements so far are in the response store.

        Args:
            started: called before the first call with the number of judgements, counts that grow, and whether calls
                cost.
            done: called as each judgement comes.
            noted: called with a sentence about each pause.

        Returns:
            Item's id → outcome, and the cost of all replies, None where the user gave no prices.

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
        cost = sum(one.cost or 0.0 for one in found.values() if isinstance(one, Response))
        return found, cost if self._price else None

    @property
    def stopped(self) -> str:
        """What to say where it was stopped."""
        made = len(self._engine.outcomes)
        return (
            f"Stopped: {made:,} of {counted(len(self._items), 'judgement')} made and kept; run the same command again "
            "to resume."
        )


class JudgedRun:
    """The responses of a run that the benchmark has judged, and a sample of those that were read, for a judge to read
    in any event loop.

    Args:
        folder: of the run.
        benchmark: for when and how a judge is asked.
        items, outcomes: of the run.
        request: the user's.
        judge: from `request.open()`.
        seed: of the run, for released parsers that draw at random and for the sample.
    """

    def __init__(
        self,
        folder: RunFolder,
        benchmark: BenchmarkSpec,
        items: Sequence[Item],
        outcomes: Iterable[Outcome],
        request: JudgeRequest,
        judge: Model,
        seed: int,
    ) -> None:
        if request.is_self:
            benchmark = read_by_itself(benchmark)
        self._folder, self._benchmark, self._request, self._judge, self._seed = folder, benchmark, request, judge, seed
        self._plan = plan_judging(benchmark, items, outcomes, request.sample, seed)
        asked = self._plan.asked
        self.consultation = Consultation(
            judge,
            request,
            [job.item.model_copy(update={"id": key}) for key, job in asked.items()],
            converse=lambda item: _converse(asked[item.id]),
            preset=PromptPreset("judge", benchmark.judging.source, sampling=benchmark.judging.sampling),
        )

    async def ask(
        self,
        *,
        started: Callable[[int, Tally, bool], None],
        done: Callable[[Outcome], None],
        noted: Callable[[str], None],
    ) -> Judgements:
        """Ask, and write the judgements.

        Args:
            started, done, noted: as in `Consultation.ask`.

        Raises:
            EndpointError: the first call showed that none can succeed.
        """
        plan = self._plan
        if plan.asked:
            noted(estimate_of(plan, self._request.price(self._judge)).describe(self._judge.name))
        replies, cost = await self.consultation.ask(started=started, done=done, noted=noted)
        found = Judgements(
            judge=self._judge.name,
            by_itself=self._request.is_self,
            prompt=next((stated_prompt(self._benchmark.judging, one.item) for one in plan.judged.values()), ""),
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


def until_stopped(asking: Coroutine[Any, Any, T], consultation: Consultation) -> T:
    """Run `asking` in an event loop of its own.

    Raises:
        RunInterruptedError: the user stopped it; judgements so far are kept.
    """
    try:
        return run_until_stopped(asking)
    except KeyboardInterrupt:
        raise RunInterruptedError(consultation.stopped) from None


def _converse(job: JudgeJob) -> Conversation:
    message = Message(parts=(job.prompt,))
    for draw in range(TRIES):
        response: Response = yield Ask((message,), draw=draw)
        if job.read(job.item, response.response) is not None:
            break
    return response.response


def _judgement(job: JudgeJob, outcome: Outcome) -> Judgement:
    if isinstance(outcome, Failure):
        reason = f"{outcome.kind}: {outcome.message}"
        return Judgement(id=job.item.id, response=digest(job.text), failure=reason)
    return Judgement(id=job.item.id, response=digest(job.text), reply=outcome.response)


def usage_of(outcomes: Iterable[Outcome]) -> Usage:
    """The tokens of all replies."""
    return Usage.total(outcome.usage for outcome in outcomes if isinstance(outcome, Response))
