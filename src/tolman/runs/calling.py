"""Calling one model: how many at once, what is tried again, and whether calls can succeed at all."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field

from tolman.errors import EndpointError, as_sentence
from tolman.models.base import CallError, LeavesQuestions, Model, Request, is_stored
from tolman.models.batching.interface import IN_BATCH, PRICE_SHARE
from tolman.models.credentials import without_password
from tolman.models.durations import in_words
from tolman.models.identity import changed
from tolman.models.pacing import paced
from tolman.models.thinking import limit_of
from tolman.models.watching import ServedWatch
from tolman.responses import FailureKind, Response, Usage
from tolman.runs.breaker import LOOK_SECONDS, Breaker
from tolman.runs.budget import Budget
from tolman.runs.identifying import AtAddresses
from tolman.runs.limits import Limits
from tolman.runs.prices import Price
from tolman.runs.throttle import Throttle
from tolman.runs.watcher import Tells, Watcher
from tolman.runs.without_text import ANSWERED, failure_of

__all__ = ["Caller", "Limits", "Tally"]

PROBE_RETRIES = 4
"""How often a run's first call is tried again."""
HEAD_STARTS = 5
"""How many times as long as a look at the list of models the first call has for itself where the model stands in it."""
LEAST_HEAD_START = 0.05
"""Seconds that it has at least."""
LONGEST_WAIT_STEP = 10.0
"""Seconds between two tries of the first call while its endpoint is waited for."""


@dataclass
class Tally:
    """What happened in a run so far."""

    called: int = 0  # requests sent, tries included
    reused: int = 0  # answers found in the store
    retried: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0  # of the output
    cached_tokens: int = 0  # of the input
    media_tokens: int = 0  # of the input
    again: int = 0  # questions asked again with more room for reasoning
    cost: float = 0.0  # of these tokens, where prices are known
    remarks: list[str] = field(default_factory=list)  # sentences about what was met, for the terminal

    @property
    def usage(self) -> Usage:
        """The tokens."""
        return Usage(**{name: getattr(self, name) for name in Usage.model_fields})

    def add(self, usage: Usage) -> None:
        """Count a call's tokens."""
        for name in Usage.model_fields:
            setattr(self, name, getattr(self, name) + getattr(usage, name))


class Caller:
    """One model with its limit on calls in flight.

    Args:
        model: who answers.
        limits: when to give up.
        tally: counts that grow.
        price: of the model's tokens.
        budget: of the run; one of its own where None.
        watcher: who is told of pauses.
    """

    def __init__(
        self,
        model: Model,
        limits: Limits,
        tally: Tally,
        price: Price | None,
        budget: Budget | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        watcher = watcher or Watcher()
        self.model, self.throttle = model, Throttle(model.concurrency)
        self._limits, self._tally, self._price, self._watcher = limits, tally, price, watcher
        self._budget = budget or Budget(limits.most_cost, lambda: tally.cost)
        self._breaker = Breaker(model.name, limits, watcher.noted, watcher.gone)
        self._served = ServedWatch(model.name, watcher.noted)
        self._tells = isinstance(model, Tells)
        self._leaves = model if isinstance(model, LeavesQuestions) else None
        if isinstance(model, Tells):
            model.noted = watcher.noted
        self._called = 0
        self.in_flight = 0
        """Requests that are on their way now."""
        self._guarded = is_stored(model)
        self._probed = not self._guarded
        self._others = False  # whether others were sent before the first was answered
        self._refused = False  # whether a try of the first call failed
        self._probe = asyncio.Lock()

    async def call(self, request: Request) -> Response:
        """Call the model; before anything else is sent, one call must show that calls can succeed at all.

        An endpoint whose list of models has this one is up and takes the key: there the others wait no longer than a
        refusal would take to come (`_head_start`), since an answer may take minutes.

        Raises:
            CallError: no text came.
            EndpointError: the first call showed that none can succeed, or the endpoint went down and stayed so.
        """
        left = self._leaves is not None and self._leaves.is_asked(request)
        if not self._probed and not left:
            first: asyncio.Task[Response] | None = None
            async with self._probe:
                if self._breaker.over is not None:  # those who wait behind this call must not try their luck
                    raise self._breaker.over
                if not (self._probed or self._others):
                    first = asyncio.create_task(self._first(request))
                    try:
                        done, _ = await asyncio.wait({first}, timeout=self._head_start())
                        if not done and self._refused:
                            done, _ = await asyncio.wait({first})
                    except asyncio.CancelledError:
                        first.cancel()
                        raise
                    self._others = not done
            if first is not None:
                return await first
        return await self._persist(request)

    def _head_start(self) -> float | None:
        """Seconds that the first call has for itself; None, as long as it takes, where the model isn't known to be
        served."""
        looks = self.model.looks if isinstance(self.model, AtAddresses) else ()
        known = [look.known for look in looks]
        if not known or not all(one is not None and one.listed for one in known):
            return None
        return max(LEAST_HEAD_START, HEAD_STARTS * max(look.took for look in looks))

    def cost(self, response: Response) -> float | None:
        """What a response's tokens cost; None where the price isn't known."""
        if self._price is None:
            return None
        share = PRICE_SHARE if IN_BATCH in response.notes else 1.0
        return share * self._price.cost(response.usage)

    async def _first(self, request: Request) -> Response:
        """The first call, which tells after a few tries; an endpoint that isn't up is waited for as the user says."""
        attempt, looks, began = 0, 0, time.monotonic()
        while True:
            try:
                response = await self._try(request)
            except CallError as error:
                self._refused = True
                if self._others and self._probed:  # the others are answered: it is this question's own
                    return await self._persist(request)
                if error.kind in ANSWERED or (not error.retry and error.kind == FailureKind.INTERRUPTED):
                    self._probed = error.kind in ANSWERED
                    raise
                if error.kind == FailureKind.MEDIA and not error.retry:
                    raise
                absent = error.kind == FailureKind.NETWORK or error.scope == "absent"
                if absent and self._limits.wait_seconds:
                    looks += 1
                    await self._wait_for_start(error, began, looks)
                    continue
                if self._is_final(error, attempt, min(self._limits.retries, PROBE_RETRIES)) or (
                    error.kind == FailureKind.NETWORK and attempt >= 2
                ):
                    raise self._hopeless(error, "") from None
                self._tally.retried += 1
                await asyncio.sleep(error.after if error.after is not None else self._delay(request, attempt))
                attempt += 1
            else:
                self._probed = True
                return response

    async def _wait_for_start(self, error: CallError, began: float, looks: int) -> None:
        """Pause before the next try of the first call.

        Raises:
            EndpointError: it was waited for long enough, or is gone.
        """
        now, allowed = time.monotonic(), self._limits.wait_seconds
        pause = min(LONGEST_WAIT_STEP, self._limits.base_delay * 2.0**looks)
        if now - began + pause > allowed:
            raise self._hopeless(error, f" It was waited for {in_words(now - began)} (--wait).")
        if looks == 1:
            self._watcher.noted(f"{as_sentence(error.message)} It is waited for, {in_words(allowed)} at most.")
        self._tally.retried += 1
        until = now + pause
        while (left := until - time.monotonic()) > 0:
            if why := self._watcher.gone():
                self._breaker.over = EndpointError(why)
                raise self._breaker.over
            await asyncio.sleep(min(left, LOOK_SECONDS))

    async def _persist(self, request: Request) -> Response:
        """A call that is tried again while that may help."""
        attempt = 0
        while True:
            try:
                return await self._try(request)
            except CallError as error:
                if self._breaker.over is not None:
                    raise self._breaker.over from None
                if error.scope == "lasting":
                    raise self._hopeless(error, "") from None
                if error.scope == "absent" and self._breaker.is_open:
                    self._tally.retried += 1  # the breaker paces it, and no item is to blame
                    continue
                if self._is_final(error, attempt, self._limits.retries):
                    raise
                self._tally.retried += 1
                await asyncio.sleep(error.after if error.after is not None else self._delay(request, attempt))
                attempt += 1

    def _is_final(self, error: CallError, attempt: int, tries: int) -> bool:
        too_long = error.after is not None and error.after > self._limits.longest_pause
        return not error.retry or too_long or attempt >= tries

    def _hopeless(self, error: CallError, more: str) -> EndpointError:
        """Remember that nothing can succeed, for those who wait."""
        nothing = ""
        if not (self._probed or self._others):
            to_it = "" if self._tally.called == self._called else f" to {self.model.name}"
            nothing = f" Nothing else was sent{to_it}."
        self._breaker.over = EndpointError(f"{as_sentence(error.message)}{more}{nothing}")
        return self._breaker.over

    async def _try(self, request: Request) -> Response:
        """One call, as the probe where the endpoint is down."""
        async with self._budget.call(), self.throttle.slot():
            if self._breaker.is_open:
                async with self._breaker.turn:
                    if await self._breaker.due():
                        await self._refuse_others()
                        return await self._send(request, probe=True)
            return await self._send(request)

    async def _refuse_others(self) -> None:
        """Make sure that an endpoint that was away serves what it served before.

        Raises:
            EndpointError: it doesn't.
        """
        if not self._breaker.was_absent or self._tells or not isinstance(self.model, AtAddresses):
            return
        for look in self.model.looks:
            _, sentence = await changed(look)
            if sentence is not None:
                self._breaker.over = EndpointError(
                    f"{without_password(self.model.urls[0])} was away, and {sentence}: the run ends."
                )
                raise self._breaker.over

    async def _send(self, request: Request, *, probe: bool = False) -> Response:
        """One request. That the endpoint is overloaded is noted before the call's place is given to another."""
        if self._breaker.over is not None:
            raise self._breaker.over
        self._tally.called += 1
        self._called += 1
        self.in_flight += 1
        sent = time.monotonic()
        try:
            response = await paced(self.model, request)
        except CallError as error:
            if error.overloaded and (error.after or 0) <= self._limits.longest_pause:
                self.throttle.overloaded(error.after)
            if (self._probed or self._others) and self._guarded:
                self._breaker.failed(error, _subject(request), sent, probe=probe)
            raise
        finally:
            self.in_flight -= 1
        self._breaker.answered(sent)
        self.throttle.succeeded()
        self._probed = self._probed or self._others
        return self._counted(request, response)

    def _counted(self, request: Request, response: Response) -> Response:
        """The response, whose tokens are paid for whatever they say.

        Raises:
            CallError: it holds no text.
        """
        if not self._tells:
            self._served.saw(response.served)
        self._tally.add(response.usage)
        self._tally.cost += self.cost(response) or 0.0
        lost = failure_of(response, limit_of(request.sampling))
        if lost is not None:
            raise lost
        return response

    def _delay(self, request: Request, attempt: int) -> float:
        """Exponential back-off with jitter, so that calls that failed together don't come back together."""
        jitter = random.Random(f"{request.item.id}:{request.repeat}:{attempt}").uniform(0.5, 1.0)
        return min(self._limits.most_delay, self._limits.base_delay * 2.0**attempt) * jitter


def _subject(request: Request) -> str:
    """What a call is about: the item's first medium, or the item."""
    return request.item.media[0].path if request.item.media else request.item.id
