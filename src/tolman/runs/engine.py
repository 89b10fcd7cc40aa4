"""Putting every item to a model: concurrently, retried, stored as it comes, and stopped cleanly."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import EndpointError
from tolman.items import Item, Media
from tolman.media.clips import clip_of, labelled, pictures_in
from tolman.media.store import FrameStore
from tolman.media.video import BrokenMediaError
from tolman.messages import Message, Part
from tolman.models.base import CallError, Model, Request, is_stored
from tolman.models.code import code_of
from tolman.models.recipes.tokens import VideoTokens
from tolman.outcomes import Outcomes
from tolman.protocols.base import Answer, Ask, Look, Protocol, Step
from tolman.responses import Failure, FailureKind, Outcome, Response, Turn, Usage
from tolman.runs.again import answered, was_asked_again
from tolman.runs.budget import Budget
from tolman.runs.calling import Caller, Limits, Tally
from tolman.runs.identifying import AtAddresses, identify
from tolman.runs.order import interleave
from tolman.runs.prices import Price
from tolman.runs.store import AnswerStore, request_key
from tolman.runs.thinks import remark_on
from tolman.runs.video_tokens import difference
from tolman.runs.watcher import Watcher
from tolman.runs.without_text import NoAnswerError, failure_of

__all__ = ["Engine", "Limits", "Tally"]

DECODERS = 2
"""Videos decoded side by side."""
FIRST_LOOK, LAST_LOOK = 0.05, 1.0
"""Seconds between looks at whether another process has its answer: at first, and at most."""
LAST_ANSWER_SECONDS = 30.0
"""The longest wait for answers that are on their way when a run ends."""
_NOT_KEPT = {"id", "repeat", "response", "turns", "notes", "cost", "served"}
"""What a turn has of its own, or not at all."""


@dataclass
class Engine:
    """Everything a run needs to ask.

    Attributes:
        benchmark, model, protocol, preset: what the run is.
        data: the folder that media are relative to.
        frames: the frame store.
        store: the response store, or None where no answer is kept.
        limits: when to give up.
        done: called with every outcome as it comes.
        helpers: further models by the role that a protocol gives them, such as 'captioner'.
        prices: of tokens, by role; the run's model is 'model'.
        video_tokens: how many tokens a video becomes; None where that isn't known.
        tally: what happened so far.
        outcomes: by item and repeat, as they come.
        watcher: who is told of pauses, and knows whether a run can go on.
        older: `id` of a model → settings that earlier answers of it may be kept under.
    """

    benchmark: BenchmarkSpec
    model: Model
    protocol: Protocol
    preset: PromptPreset
    data: Path
    frames: FrameStore
    store: AnswerStore | None
    limits: Limits = field(default_factory=Limits)
    done: Callable[[Outcome], None] = lambda outcome: None
    helpers: Mapping[str, Model] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    video_tokens: VideoTokens | None = None
    tally: Tally = field(default_factory=Tally)
    outcomes: Outcomes = field(default_factory=Outcomes)
    watcher: Watcher = field(default_factory=Watcher)
    older: dict[int, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    async def run(self, items: Sequence[Item], repeats: int = 1, *, close: bool = True) -> None:
        """Ask every item as often as `repeats` says; `outcomes` fills as answers come.

        Args:
            items: each id once.
            repeats: how often each is asked.
            close: whether the models let go of their connections and weights afterwards; who goes on asking on the same
                event loop closes them at the end.

        Raises:
            EndpointError: the first call showed that none can succeed, or an endpoint went down and stayed so.
        """
        models = {"model": self.model, **self.helpers}
        self.budget = Budget(self.limits.most_cost, lambda: self.tally.cost)
        self.callers = {
            role: Caller(model, self.limits, self.tally, self.prices.get(role), self.budget, self.watcher)
            for role, model in models.items()
        }
        self._pictures: dict[Media, asyncio.Future[tuple[Part, ...]]] = {}
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._told: set[Caller] = set()  # whose first reply was looked at
        deadline = None if self.limits.run_seconds is None else time.monotonic() + self.limits.run_seconds
        # Questions about one video follow each other, so that it is decoded once and its first answers come early.
        jobs = sorted(((item, r) for item in items for r in range(repeats)), key=lambda job: _media_key(job[0]))
        streams = len(self.model.urls) if isinstance(self.model, AtAddresses) else 1
        queue = iter(interleave(jobs, lambda job: _media_key(job[0]) or job[0].id, streams))
        with ThreadPoolExecutor(DECODERS, thread_name_prefix="decode") as self._decoders:
            workers = [asyncio.create_task(self._work(queue, deadline)) for _ in range(min(self._workers(), len(jobs)))]
            try:
                await asyncio.gather(*workers)
            except EndpointError:
                await self._last_answers()
                raise
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
                self._decoders.shutdown(wait=False, cancel_futures=True)
                if close:
                    await self.close()

    async def _last_answers(self) -> None:
        """Take in what is on its way where nothing more is sent: it is paid for."""
        until, some = time.monotonic() + LAST_ANSWER_SECONDS, True
        while some and time.monotonic() < until:
            some = any(caller.in_flight for caller in self.callers.values())
            await asyncio.sleep(FIRST_LOOK)  # after the last too, so that it is kept

    async def identify(self, **more: Any) -> Mapping[str, Any]:
        """Find out what is asked, for all models; see `identifying.identify`.

        Args:
            more: what an earlier start of the run knows of its model.

        Returns:
            What is recorded of the run's model.
        """
        for helper in self.helpers.values():
            self.older[id(helper)] = (await identify(helper, self.store, self.limits, self.watcher)).older
        found = await identify(self.model, self.store, self.limits, self.watcher, **more)
        self.older[id(self.model)] = found.older
        return found.record

    async def close(self) -> None:
        """Close the models."""
        for model in (self.model, *self.helpers.values()):
            await model.close()

    def _workers(self) -> int:
        """Some more than calls may be in flight, so that the next are ready when a place is free."""
        return self.model.concurrency + (4 if self.protocol.shows_media else 0)

    async def _work(self, queue: Iterator[tuple[Item, int]], deadline: float | None) -> None:
        for item, repeat in queue:  # shared by all workers: each takes the next
            if deadline is not None and time.monotonic() > deadline:
                outcome: Outcome = Failure(
                    id=item.id, kind=FailureKind.INTERRUPTED, message="the run's time limit was over", repeat=repeat
                )
            elif self.budget.is_used_up:
                outcome = Failure(id=item.id, kind=FailureKind.INTERRUPTED, message=self.budget.sentence, repeat=repeat)
            else:
                left = None if deadline is None else deadline - time.monotonic()
                outcome = await self._ask_item(item, repeat, left)
            self.outcomes[item.id, repeat] = outcome
            self.done(outcome)

    async def _ask_item(self, item: Item, repeat: int, seconds: float | None) -> Outcome:
        attempts = 1
        try:
            async with asyncio.timeout(seconds):
                return await self._converse(item, repeat)
        except CallError as error:
            kind, message = error.kind, error.message
            attempts = 1 + (self.limits.retries if error.retry else 0)
        except BrokenMediaError as error:
            kind, message = FailureKind.MEDIA, str(error)
        except TimeoutError:
            kind, message = FailureKind.INTERRUPTED, "the run's time limit was over"
        return Failure(id=item.id, kind=kind, message=f"item {item.id}: {message}", repeat=repeat, attempts=attempts)

    async def _converse(self, item: Item, repeat: int) -> Response:
        """Carry a conversation through to the text that is scored."""
        conversation = self.protocol.converse(self.benchmark, item, self.preset)
        spoken: list[tuple[Ask, Response]] = []
        step = next(conversation)
        while True:
            received = await self._take(item, step, repeat, spoken)
            try:
                step = conversation.send(received)
            except StopIteration as finished:
                answer = finished.value if isinstance(finished.value, Answer) else Answer(finished.value)
                return self._whole(item, repeat, answer, spoken)

    async def _take(self, item: Item, step: Step, repeat: int, spoken: list[tuple[Ask, Response]]) -> Any:
        """What a conversation is sent for a step of it."""
        if isinstance(step, Look):
            return pictures_in([part for media in step.media for part in await self._pictures_of(media)])
        if isinstance(step, Ask):
            response = await self._ask(item, step, repeat)
            spoken.append((step, response))
            return response
        # All are waited for, whatever becomes of one of them: what they bring is paid for and stored.
        found = await asyncio.gather(*(self._ask(item, ask, repeat) for ask in step), return_exceptions=True)
        responses: list[Response] = []
        for one in found:
            if isinstance(one, BaseException):
                raise one
            responses.append(one)
        spoken += zip(step, responses, strict=True)
        return responses

    def _whole(self, item: Item, repeat: int, answer: Answer, spoken: Sequence[tuple[Ask, Response]]) -> Response:
        """The response to an item: the text that is scored, with all that led to it."""
        if len(spoken) == 1 and spoken[0][1].response == answer.text:
            turns = []
        else:
            turns = [self._turn(ask, response) for ask, response in spoken]
        costs = [self.callers[ask.role].cost(response) for ask, response in spoken]
        timed = [response.seconds for _, response in spoken if response.seconds is not None]
        changes = {
            "id": item.id,
            "repeat": repeat,
            "response": answer.text,
            "usage": Usage.total(response.usage for _, response in spoken),
            "seconds": round(sum(timed), 4) if timed else None,
            "turns": tuple(turns),
            "notes": _notes(answer, spoken),
            "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
        }
        return spoken[-1][1].model_copy(update=changes)

    def _turn(self, ask: Ask, response: Response) -> Turn:
        model = self.callers[ask.role].model.name if ask.role != "model" else None
        kept = response.model_dump(exclude=_NOT_KEPT)
        return Turn(
            purpose=ask.purpose,
            prompt=ask.messages[-1].text,
            response=response.response,
            draw=ask.draw,
            model=model,
            **kept,
        )

    async def _ask(self, item: Item, ask: Ask, repeat: int) -> Response:
        """One turn: from the store if it holds it, else from the model into the store."""
        caller, messages = self.callers[ask.role], ask.messages
        if caller.model.remote:  # the others look at the item, not at its pictures
            messages = tuple([await self._with_pictures(message) for message in messages])
        request = Request(item, messages, ask.sampling or self.preset.sampling, repeat, ask.purpose, ask.draw)
        if self.store is None or not is_stored(caller.model):
            return self._checked(request, await self._answered(caller, request))
        model = caller.model
        key, text = request_key(
            model.name, dict(model.settings), messages, request.sampling, repeat, ask.draw, code_of(model)
        )
        request = replace(request, key=key)
        # Who asks the same while the answer is on its way, such as for a caption of the same frame, waits for it.
        async with self._asking.setdefault(key, asyncio.Lock()), _leased(self.store, key, self.limits.again) as found:
            found = found or self._kept_earlier(caller.model, request)
            if found is not None:
                self.tally.reused += 1
                return found
            response = self._checked(request, await self._answered(caller, request))
            kept = self.store.put(key, model.name, text, response)
            return kept if self.limits.again or not was_asked_again(kept) else response

    async def _answered(self, caller: Caller, request: Request) -> Response:
        """A response to one request, asked for again where it was cut off in reasoning; the first of a model tells
        whether it reasons."""
        seen: Response | None = None
        try:
            seen = await answered(caller.call, request, self.limits.again, self._count_again)
            return seen
        except NoAnswerError as error:
            seen = error.response
            raise
        finally:
            if seen is not None and caller not in self._told:
                self._told.add(caller)
                remark = remark_on(caller.model.name, seen, request.sampling)
                self.tally.remarks += [remark] if remark and caller.model.remote else []

    def _count_again(self) -> None:
        self.tally.again += 1

    def _checked(self, request: Request, response: Response) -> Response:
        """The response, with a note where its videos became other tokens than they should."""
        noted = difference(self.video_tokens, request.messages, response.usage)
        return response.model_copy(update={"notes": {**response.notes, noted: 1}}) if noted else response

    def _kept_earlier(self, model: Model, request: Request) -> Response | None:
        """An answer of the same weights that was kept under other settings, such as their address."""
        assert self.store is not None
        for settings in self.older.get(id(model), ()):
            key, _ = request_key(
                model.name, dict(settings), request.messages, request.sampling, request.repeat, request.draw
            )
            found = _stored(self.store, key, self.limits.again)
            if found is not None:
                return found
        return None

    async def _with_pictures(self, message: Message) -> Message:
        """The turn with its media as pictures of the frame store, or as clips or whole videos where the preset says
        so."""
        if not message.media:
            return message
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, Media):
                parts += await self._pictures_of(part)
            else:
                parts.append(part)
        return Message(role=message.role, parts=tuple(parts))

    async def _pictures_of(self, media: Media) -> tuple[Part, ...]:
        """What a medium becomes, made once however many items wait for it."""
        if media not in self._pictures:
            loop = asyncio.get_running_loop()
            made = asyncio.ensure_future(loop.run_in_executor(self._decoders, self._show, media))
            made.add_done_callback(_retrieve)
            self._pictures[media] = made
        return await asyncio.shield(self._pictures[media])

    def _show(self, media: Media) -> tuple[Part, ...]:
        # Key frames and joined images are media of their own kind, whatever the preset says about videos.
        if type(media) is Media and media.kind == "video":
            if self.preset.frames.whole:
                return (self.frames.video(self.data, media),)
            if self.preset.frames.native:
                return (clip_of(self.frames, self.data, media, self.preset.frames),)
            if self.preset.frames.label:
                return labelled(self.frames.pictures(self.data, media, self.preset.frames), self.preset.frames.label)
        return self.frames.pictures(self.data, media, self.preset.frames)


def _notes(answer: Answer, spoken: Sequence[tuple[Ask, Response]]) -> dict[str, int]:
    """What happened on the way to an answer and how often, as the protocol says and as each call does."""
    counts = Counter(answer.notes)
    for _, response in spoken:
        counts.update(response.notes)
    return {name: count for name, count in counts.items() if count}


def _retrieve(future: asyncio.Future[Any]) -> None:
    """Look at the error of a future that nobody may wait for any more, so that it isn't printed as forgotten."""
    if not future.cancelled():
        future.exception()


@asynccontextmanager
async def _leased(store: AnswerStore, key: str, again: int) -> AsyncIterator[Response | None]:
    """The answer under a key, waited for while another process asks for it; None, with the lease on asking, where there
    is none."""
    found, pause = _stored(store, key, again), FIRST_LOOK
    while found is None and not store.lease(key):
        await asyncio.sleep(pause)
        pause = min(LAST_LOOK, 1.5 * pause)
        found = _stored(store, key, again)
    if found is not None:
        yield found
        return
    try:
        yield _stored(store, key, again, forget=True)  # another may have stored it just before its lease ended
    finally:
        store.end_lease(key)


def _stored(store: AnswerStore, key: str, again: int, *, forget: bool = False) -> Response | None:
    """The answer under a key; a call without text, which earlier versions kept, is none and may be forgotten. Where
    nothing is asked again, an answer that needed more room than was asked for is none either."""
    found = store.get(key)
    if found is None or (failure_of(found) is None and (again or not was_asked_again(found))):
        return found
    if forget and failure_of(found) is not None:
        store.forget(key)
    return None


def _media_key(item: Item) -> tuple[str, ...]:
    return tuple(media.path for media in item.media)
