"""Putting every item to a model: concurrently, retried, stored as it comes, and stopped cleanly."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tolman.benchmarks.base import Benchmark, Preset
from tolman.errors import EndpointError
from tolman.items import Item, Media
from tolman.media.store import FrameStore
from tolman.media.video import BrokenMediaError
from tolman.messages import Message, Part, Picture, Video
from tolman.models.base import CallError, Model, Request
from tolman.protocols.base import Ask, Protocol
from tolman.responses import Failure, FailureKind, Outcome, Response, Usage
from tolman.runs.store import ResponseStore, request_key
from tolman.runs.throttle import Throttle

DECODERS = 2
"""Videos decoded side by side."""
PROBE_RETRIES = 4
"""How often a run's first call is tried again."""


@dataclass
class Tally:
    """What happened in a run so far."""

    called: int = 0  # requests sent, tries included
    reused: int = 0  # answers found in the store
    retried: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True)
class Limits:
    """When to give up.

    Attributes:
        retries: how often a call is tried again.
        base_delay, most_delay: seconds before the first and before any further try, where the endpoint asks for none.
        longest_pause: seconds; an endpoint that asks for a longer one is not waited for.
        run_seconds: the run's time limit; what is not asked by then is a failure of kind 'interrupted'.
    """

    retries: int = 8
    base_delay: float = 0.5
    most_delay: float = 30.0
    longest_pause: float = 600.0
    run_seconds: float | None = None


@dataclass
class Engine:
    """Everything a run needs to ask.

    Attributes:
        benchmark, model, protocol, preset: what the run is.
        data: the folder that media are relative to.
        frames: the frame store.
        store: the response store, or None for a model whose answers cost nothing.
        limits: when to give up.
        done: called with every outcome as it comes.
        tally: what happened so far.
        outcomes: by item and repeat, as they come.
    """

    benchmark: Benchmark
    model: Model
    protocol: Protocol
    preset: Preset
    data: Path
    frames: FrameStore
    store: ResponseStore | None
    limits: Limits = field(default_factory=Limits)
    done: Callable[[Outcome], None] = lambda outcome: None
    tally: Tally = field(default_factory=Tally)
    outcomes: dict[tuple[str, int], Outcome] = field(default_factory=dict)

    async def run(self, items: Sequence[Item], repeats: int = 1) -> None:
        """Ask every item as often as `repeats` says; `outcomes` fills as answers come.

        Raises:
            EndpointError: the first call showed that none can succeed; nothing else was sent.
        """
        self._throttle = Throttle(self.model.concurrency)
        self._pictures: dict[Media, asyncio.Future[tuple[Picture | Video, ...]]] = {}
        self._probed = not self.model.remote
        self._probe = asyncio.Lock()
        self._hopeless: EndpointError | None = None
        deadline = None if self.limits.run_seconds is None else time.monotonic() + self.limits.run_seconds
        # Questions about one video follow each other, so that it is decoded once and its first answers come early.
        jobs = sorted(((item, r) for item in items for r in range(repeats)), key=lambda job: _media_key(job[0]))
        queue = iter(jobs)
        with ThreadPoolExecutor(DECODERS, thread_name_prefix="decode") as self._decoders:
            workers = [asyncio.create_task(self._work(queue, deadline)) for _ in range(min(self._workers(), len(jobs)))]
            try:
                await asyncio.gather(*workers)
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
                self._decoders.shutdown(wait=False, cancel_futures=True)
                await self.model.close()

    def _workers(self) -> int:
        """Some more than calls may be in flight, so that the next are ready when a place is free."""
        return self.model.concurrency + (4 if self.protocol.shows_media else 0)

    async def _work(self, queue: Iterator[tuple[Item, int]], deadline: float | None) -> None:
        for item, repeat in queue:  # shared by all workers: each takes the next
            if deadline is not None and time.monotonic() > deadline:
                outcome: Outcome = Failure(
                    id=item.id, kind=FailureKind.INTERRUPTED, message="the run's time limit was over", repeat=repeat
                )
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
        """Carry a conversation through to the text that is scored; tokens are summed over its turns."""
        conversation = self.protocol.converse(self.benchmark, item, self.preset)
        ask = next(conversation)
        spent: list[Usage] = []
        while True:
            response = await self._ask(item, ask, repeat)
            spent.append(response.usage)
            try:
                ask = conversation.send(response)
            except StopIteration as finished:
                usage = Usage(
                    input_tokens=sum(u.input_tokens for u in spent), output_tokens=sum(u.output_tokens for u in spent)
                )
                changes = {"id": item.id, "repeat": repeat, "response": finished.value, "usage": usage}
                return response.model_copy(update=changes)

    async def _ask(self, item: Item, ask: Ask, repeat: int) -> Response:
        """One turn: from the store if it holds it, else from the model into the store."""
        messages = ask.messages
        if self.model.remote:  # the others look at the item, not at its pictures
            messages = tuple([await self._with_pictures(message) for message in messages])
        request = Request(item, messages, ask.sampling or self.preset.sampling, repeat, draw=ask.draw)
        if self.store is None:
            return await self._call(request)
        key, text = request_key(
            self.model.name, dict(self.model.settings), messages, request.sampling, repeat, ask.draw
        )
        found = self.store.get(key)
        if found is not None:
            self.tally.reused += 1
            return found
        response = await self._call(request)
        return self.store.put(key, self.model.name, text, response)

    async def _call(self, request: Request) -> Response:
        """Call the model; before anything else is sent, one call must show that calls can succeed at all."""
        if not self._probed:
            async with self._probe:
                if self._hopeless is not None:
                    raise self._hopeless
                if not self._probed:
                    try:
                        response = await self._retrying(request, probing=True)
                    except EndpointError as error:
                        self._hopeless = error  # those who wait behind this call must not try their luck
                        raise
                    self._probed = True
                    return response
        return await self._retrying(request, probing=False)

    async def _retrying(self, request: Request, *, probing: bool) -> Response:
        attempt = 0
        # The first call tells after a few tries; once one has succeeded, patience is worth more.
        tries = min(self.limits.retries, PROBE_RETRIES) if probing else self.limits.retries
        while True:
            try:
                response = await self._try(request)
            except CallError as error:
                unreachable = error.kind == FailureKind.NETWORK and attempt >= 2
                too_long = error.after is not None and error.after > self.limits.longest_pause
                final = not error.retry or too_long or attempt >= tries or (probing and unreachable)
                if final and probing and error.kind != FailureKind.MEDIA:
                    raise EndpointError(f"{error.message}. Nothing else was sent.") from None
                if final:
                    raise
                self.tally.retried += 1
                await asyncio.sleep(error.after if error.after is not None else self._delay(request, attempt))
                attempt += 1
            else:
                self._throttle.succeeded()
                self.tally.input_tokens += response.usage.input_tokens
                self.tally.output_tokens += response.usage.output_tokens
                return response

    async def _try(self, request: Request) -> Response:
        """One call. That the endpoint is overloaded is noted before the call's place is given to another."""
        async with self._throttle.slot():
            self.tally.called += 1
            try:
                return await self.model.answer(request)
            except CallError as error:
                if error.overloaded and (error.after or 0) <= self.limits.longest_pause:
                    self._throttle.overloaded(error.after)
                raise

    def _delay(self, request: Request, attempt: int) -> float:
        """Exponential back-off with jitter, so that calls that failed together don't come back together."""
        jitter = random.Random(f"{request.item.id}:{request.repeat}:{attempt}").uniform(0.5, 1.0)
        return min(self.limits.most_delay, self.limits.base_delay * 2.0**attempt) * jitter

    async def _with_pictures(self, message: Message) -> Message:
        """The turn with its media as pictures of the frame store, or as whole videos where the preset says so."""
        if not message.media:
            return message
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, Media):
                parts += await self._pictures_of(part)
            else:
                parts.append(part)
        return Message(role=message.role, parts=tuple(parts))

    async def _pictures_of(self, media: Media) -> tuple[Picture | Video, ...]:
        """What a medium becomes, made once however many items wait for it."""
        if media not in self._pictures:
            loop = asyncio.get_running_loop()
            self._pictures[media] = asyncio.ensure_future(loop.run_in_executor(self._decoders, self._show, media))
        return await asyncio.shield(self._pictures[media])

    def _show(self, media: Media) -> tuple[Picture | Video, ...]:
        if media.kind == "video" and self.preset.frames.whole:
            return (self.frames.video(self.data, media),)
        return self.frames.pictures(self.data, media, self.preset.frames)


def _media_key(item: Item) -> tuple[str, ...]:
    return tuple(media.path for media in item.media)
