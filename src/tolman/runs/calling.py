"""Calling one model: how many at once, what is tried again, and whether calls can succeed at all."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from tolman.errors import EndpointError
from tolman.models.base import CallError, Model, Request, is_stored
from tolman.models.thinking import limit_of
from tolman.responses import FailureKind, Response, Usage
from tolman.runs.prices import Price
from tolman.runs.throttle import Throttle
from tolman.runs.without_text import ANSWERED, failure_of

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


@dataclass(frozen=True)
class Limits:
    """When to give up.

    Attributes:
        retries: how often a call is tried again.
        base_delay, most_delay: seconds before the first and before any further try, where the endpoint asks for none.
        longest_pause: seconds; an endpoint that asks for a longer one is not waited for.
        run_seconds: the run's time limit; what is not asked by then is a failure of kind 'interrupted'.
        wait_seconds: how long an endpoint that doesn't answer, or is loading, is waited for: before the run's first
            call and after it went down.
        most_cost: of the run's calls, in the currency of its prices; what is not asked by then is a failure of kind
            'interrupted'.
        again: how often a question whose answer was cut off in reasoning is asked again with more room.
    """

    retries: int = 8
    base_delay: float = 0.5
    most_delay: float = 30.0
    longest_pause: float = 600.0
    run_seconds: float | None = None
    wait_seconds: float = 0.0
    most_cost: float | None = None
    again: int = 2


class Caller:
    """One model with its limit on calls in flight.

    Args:
        model: who answers.
        limits: when to give up.
        tally: counts that grow.
        price: of the model's tokens.
    """

    def __init__(self, model: Model, limits: Limits, tally: Tally, price: Price | None) -> None:
        self.model, self.throttle = model, Throttle(model.concurrency)
        self._limits, self._tally, self._price = limits, tally, price
        self._called = 0
        self._probed = not is_stored(model)
        self._probe = asyncio.Lock()
        self._hopeless: EndpointError | None = None

    async def call(self, request: Request) -> Response:
        """Call the model; before anything else is sent, one call must show that calls can succeed at all.

        Raises:
            CallError: no text came.
            EndpointError: the first call showed that none can succeed.
        """
        if not self._probed:
            async with self._probe:
                if self._hopeless is not None:
                    raise self._hopeless
                if not self._probed:
                    try:
                        return await self._retrying(request, probing=True)
                    except EndpointError as error:
                        self._hopeless = error  # those who wait behind this call must not try their luck
                        raise
        return await self._retrying(request, probing=False)

    async def _retrying(self, request: Request, *, probing: bool) -> Response:
        attempt = 0
        # The first call tells after a few tries; once one has succeeded, patience is worth more.
        tries = min(self._limits.retries, PROBE_RETRIES) if probing else self._limits.retries
        while True:
            try:
                response = await self._try(request)
            except CallError as error:
                unreachable = error.kind == FailureKind.NETWORK and attempt >= 2
                too_long = error.after is not None and error.after > self._limits.longest_pause
                final = not error.retry or too_long or attempt >= tries or (probing and unreachable)
                if final and error.kind in ANSWERED:
                    self._probed = True
                    raise
                if final and probing and error.kind != FailureKind.MEDIA:
                    to_it = "" if self._tally.called == self._called else f" to {self.model.name}"
                    raise EndpointError(f"{error.message}. Nothing else was sent{to_it}.") from None
                if final:
                    raise
                self._tally.retried += 1
                await asyncio.sleep(error.after if error.after is not None else self._delay(request, attempt))
                attempt += 1
            else:
                self.throttle.succeeded()
                self._tally.add(response.usage)
                self._tally.cost += self.cost(response) or 0.0
                self._probed = True
                lost = failure_of(response, limit_of(request.sampling))  # after its tokens, which are paid for
                if lost is not None:
                    raise lost
                return response

    def cost(self, response: Response) -> float | None:
        """What a response's tokens cost; None where the price isn't known."""
        if self._price is None:
            return None
        return self._price.cost(response.usage)

    async def _try(self, request: Request) -> Response:
        """One call. That the endpoint is overloaded is noted before the call's place is given to another."""
        async with self.throttle.slot():
            self._tally.called += 1
            self._called += 1
            try:
                return await self.model.answer(request)
            except CallError as error:
                if error.overloaded and (error.after or 0) <= self._limits.longest_pause:
                    self.throttle.overloaded(error.after)
                raise

    def _delay(self, request: Request, attempt: int) -> float:
        """Exponential back-off with jitter, so that calls that failed together don't come back together."""
        jitter = random.Random(f"{request.item.id}:{request.repeat}:{attempt}").uniform(0.5, 1.0)
        return min(self._limits.most_delay, self._limits.base_delay * 2.0**attempt) * jitter
