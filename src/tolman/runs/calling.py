"""Calling one model: concurrency, retries, and whether calls can succeed at all.

A call that ended without any text is a failure, unless the model was done and said nothing.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolman.errors import EndpointError, as_sentence
from tolman.extras import LazyModule
from tolman.models.identity import AtAddresses, ServedWatch, changed, without_password
from tolman.models.model import CallError, LeavesQuestions, Model, Request, is_stored
from tolman.models.pacing import in_words, paced
from tolman.models.thinking import limit_of
from tolman.responses import FailureKind, Response, Usage
from tolman.runs.flow_control import Breaker, FirstCalls, Limits, Tells, Throttle, Watcher
from tolman.runs.prices import LETTERS_OF_A_TOKEN, Budget, Price
from tolman.scoring.response_states import USUAL_REASONS, ending_named

if TYPE_CHECKING:
    from tolman.models.batching import batch_client
else:
    batch_client = LazyModule("tolman.models.batching.batch_client")

ANSWERED = frozenset({FailureKind.CUT_OFF, FailureKind.FILTERED, FailureKind.NO_TEXT})
"""Failures of calls that were answered: the endpoint works, and other questions may bring text."""


class NoAnswerError(CallError):
    """A call that was answered without an answer.

    Args:
        kind, message: as in `CallError`.
        response: that came.
    """

    def __init__(self, kind: FailureKind, message: str, response: Response) -> None:
        super().__init__(kind, message, retry=False)
        self.response = response


def failure_of(response: Response, max_tokens: int | None = None) -> NoAnswerError | None:
    """Why a call's response is no answer; None where it is one.

    An empty text is an answer where the model was done: it said nothing. It is none where the token limit or a filter
    came first, where the model refused or called a tool, or where all that it said was reasoning.

    Args:
        response: of one call, as it came.
        max_tokens: the limit that was sent, to name it.
    """
    if response.response.strip():
        return None
    reason = (response.finish_reason or "").lower()
    kind = FailureKind.NO_TEXT
    match ending_named(reason):
        case "cut off":
            limit = f" of {max_tokens:,}" if max_tokens else ""
            reasoned = response.reasoning or response.usage.reasoning_tokens
            spent = "while the model was reasoning" if reasoned else "before its first word"
            advice = "give more with --reasoning-budget" if reasoned else "give more with --max-tokens"
            kind, sentence = FailureKind.CUT_OFF, f"the token limit{limit} ended the answer {spent}; {advice}"
        case "filtered":
            kind = FailureKind.FILTERED
            sentence = f"the answer was filtered out (finish reason '{response.finish_reason}')"
        case "refused":
            kind = FailureKind.FILTERED
            sentence = f"the model refused to answer (finish reason '{response.finish_reason}')"
        case "tool call":
            sentence = "the model called a tool instead of answering"
        case _ if reason not in USUAL_REASONS:
            sentence = f"the answer ended without text (finish reason '{response.finish_reason}')"
        case _ if response.reasoning:
            sentence = "the model gave reasoning and no answer"
        case _:
            return None
    return NoAnswerError(kind, sentence, response)


__all__ = ["Caller", "Limits", "Tally"]

FIRST_RETRIES = 4
"""Times that a question is tried again before the run's first answer, at most."""
LONGEST_FIRST_DELAY = 4.0
"""Seconds between two tries before the first answer, at most."""
HEAD_STARTS = 5
"""How many times as long as a look at the list of models the first call has for itself where the model stands in it."""
LEAST_HEAD_START = 0.05
"""Seconds that it has at least."""
MOST_REFUSED = 4
"""Times as many failures as calls may be in flight that end a run before its first answer, once all calls may go."""
OWN = (FailureKind.INTERRUPTED, FailureKind.MEDIA)
"""Failures of calls that were never sent."""
LONGEST_WAIT_STEP = 10.0
"""Seconds between two tries of the first call while its endpoint is waited for."""


@dataclass
class Tally:
    """Counts of a run so far."""

    called: int = 0  # requests sent, tries included
    reused: int = 0  # answers found in the store
    retried: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0  # of the output
    cached_tokens: int = 0  # of the input
    media_tokens: int = 0  # of the input
    uncounted: int = 0  # replies whose tokens the endpoint didn't report
    again: int = 0  # questions asked again with more room for reasoning
    cost: float = 0.0  # of these tokens, where prices are known; estimated from the text where they weren't reported
    remarks: list[str] = field(default_factory=list)  # sentences about what was met, for the terminal

    @property
    def usage(self) -> Usage:
        """The tokens."""
        return Usage(**{name: getattr(self, name) for name in Usage.model_fields})

    def count_again(self) -> None:
        """Count a question that is asked again with more room for reasoning."""
        self.again += 1

    def add(self, usage: Usage) -> None:
        """Count a call's tokens."""
        for name in Usage.model_fields:
            setattr(self, name, getattr(self, name) + getattr(usage, name))


class Caller:
    """One model with its limit on calls in flight.

    Args:
        model: that answers.
        limits: of the run.
        tally: counts that grow.
        price: of the model's tokens.
        budget: of the run; one of its own where None.
        watcher: is notified of pauses.
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
        self._first = FirstCalls()
        self._answered = False  # whether a call was
        self._refused = False  # whether a try of the first calls failed
        self._looks, self._began = 0, 0.0  # tries for which the endpoint wasn't up yet, and the time of the first
        self._known: Request | None = None  # that was answered before
        self._unanswered: CallError | None = None  # the last failure before the first answer
        if not self._guarded:
            self._first.end()

    @property
    def hopeless(self) -> EndpointError | None:
        """Return why no call was answered; None where one was, or where the items are the reason."""
        if self._answered or self._unanswered is None or not self._guarded:
            return None
        return self._breaker.over or self._give_up(self._unanswered)

    def was_answered(self, request: Request) -> None:
        """Remember a request that the model answered before: it shows whether an endpoint is up where others fail."""
        if self._known is None and self._leaves is None and self._guarded:
            self._known = request

    async def call(self, request: Request) -> Response:
        """Call the model; before the first answer one call goes at a time, to show that calls can succeed at all.

        An endpoint whose list of models has this one is up and takes the key: there the others wait no longer than a
        refusal would take to come (`_head_start`), since an answer may take minutes.

        Raises:
            CallError: no text came.
            EndpointError: the first calls showed that none can succeed, or the endpoint went down and stayed so.
        """
        attempt = 0
        left = self._leaves is not None and self._leaves.is_asked(request)
        while not (self._first.are_over or left):
            async with self._first.turn(_subject(request)) as is_alone:
                if self._breaker.over is not None:  # those who wait behind this call must not try their luck
                    raise self._breaker.over
                if not is_alone:
                    break
                first = asyncio.create_task(self._call_alone(request, attempt))
                try:
                    done, _ = await asyncio.wait({first}, timeout=self._head_start())
                    if not done and self._refused:
                        done, _ = await asyncio.wait({first})
                except asyncio.CancelledError:
                    first.cancel()
                    raise
                if not done:
                    self._first.end()
            response = await first
            if response is not None:
                return response
            attempt += 1
        return await self._persist(request, attempt)

    def _head_start(self) -> float | None:
        """Seconds that the first call has for itself; None, as long as it takes, where the model isn't known to be
        served."""
        looks = self.model.looks if isinstance(self.model, AtAddresses) else ()
        known = [look.known for look in looks]
        if not known or not all(one is not None and one.listed for one in known):
            return None
        return max(LEAST_HEAD_START, HEAD_STARTS * max(look.took for look in looks))

    def cost(self, response: Response) -> float | None:
        """Return the cost of a response's tokens; None without a known price, or where tokens weren't reported."""
        return self._cost(response, response.usage) if response.is_counted else None

    def _cost(self, response: Response, usage: Usage) -> float | None:
        if self._price is None:
            return None
        share = batch_client.PRICE_SHARE if batch_client.IN_BATCH in response.notes else 1.0
        return share * self._price.cost(usage)

    async def _call_alone(self, request: Request, attempt: int) -> Response | None:
        """Try a call before the first answer; None where it failed, and other questions are to be tried.

        Raises:
            CallError: the call failed because of this question, as far as is known.
            EndpointError: no call can succeed.
        """
        try:
            return await self._try(request)
        except CallError as error:
            self._refused = True
            if error.kind in ANSWERED or (not error.retry and error.kind in OWN):
                raise
            self._unanswered = error
            absent = error.kind == FailureKind.NETWORK or error.scope == "absent"
            if absent and self._limits.wait_seconds and not self._answered:
                await self._wait_for_start(error)
                return None
            is_hopeless = self._first.fail(error, _subject(request)) or self._is_too_long(error)
            if self._first.are_over:  # others were sent meanwhile
                if not self._answered and error.scope in ("endpoint", "lasting") and not error.retry:
                    raise self._give_up(error) from None
                return await self._persist(request, attempt, failed=error)
            if self._known is not None and error.scope != "lasting" and await self._is_known_answered():
                return await self._persist(request, attempt, failed=error)
            if is_hopeless:
                raise self._give_up(error) from None
            if not error.retry or attempt >= min(self._limits.retries, FIRST_RETRIES):
                raise
            self._tally.retried += 1
            delay = min(LONGEST_FIRST_DELAY, self._delay(request, self._first.tries - 1))
            await asyncio.sleep(error.after if error.after is not None else delay)
            return None

    async def _wait_for_start(self, error: CallError) -> None:
        """Pause before the next try of a first call.

        Raises:
            EndpointError: it was waited for long enough, or is gone.
        """
        now, allowed = time.monotonic(), self._limits.wait_seconds
        self._looks += 1
        self._began = self._began or now
        pause = min(LONGEST_WAIT_STEP, self._limits.base_delay * 2.0**self._looks)
        if now - self._began + pause > allowed:
            raise self._give_up(error, f" It was waited for {in_words(now - self._began)} (--wait).")
        if self._looks == 1:
            self._watcher.noted(f"{as_sentence(error.message)} Waiting for it, {in_words(allowed)} at most.")
        self._tally.retried += 1
        try:
            await self._watcher.sleep(pause)
        except EndpointError as gone:
            self._breaker.over = gone
            raise

    async def _persist(self, request: Request, attempt: int, *, failed: CallError | None = None) -> Response:
        """A call that is tried again while that may help.

        Args:
            request: to be sent.
            attempt: tries before.
            failed: how the last of them ended, if it isn't dealt with yet.
        """
        while True:
            try:
                if failed is not None:
                    raise failed
                return await self._try(request)
            except CallError as error:
                failed = None
                if self._breaker.over is not None:
                    raise self._breaker.over from None
                if error.scope == "lasting":
                    raise self._give_up(error) from None
                if error.scope == "absent" and self._breaker.is_open:
                    self._tally.retried += 1  # the breaker paces it, and no item is to blame
                    continue
                if not error.retry or self._is_too_long(error) or attempt >= self._limits.retries:
                    if not self._answered and error.kind not in OWN:
                        self._unanswered = error
                        self._first.fail(error, _subject(request))
                        if self._first.tries >= MOST_REFUSED * self.model.concurrency:
                            raise self._give_up(error) from None
                    raise
                self._tally.retried += 1
                await asyncio.sleep(error.after if error.after is not None else self._delay(request, attempt))
                attempt += 1

    def _is_too_long(self, error: CallError) -> bool:
        return error.after is not None and error.after > self._limits.longest_pause

    def _give_up(self, error: CallError, more: str = "") -> EndpointError:
        """Remember that nothing can succeed, for those who wait."""
        nothing = ""
        if not (self._answered or self._first.are_over):
            several = self._first.questions > 1 and error.scope != "absent"
            tried = f" {self._first.questions} questions were tried." if several else ""
            to_it = "" if self._tally.called == self._called else f" to {self.model.name}"
            nothing = f"{tried} Nothing else was sent{to_it}."
        self._breaker.over = EndpointError(f"{as_sentence(error.message)}{more}{nothing}")
        return self._breaker.over

    async def _try(self, request: Request) -> Response:
        """One call, as the probe where the endpoint is down and no request is known that it answered before."""
        async with self._budget.call(), self.throttle.slot():
            if self._breaker.is_open:
                async with self._breaker.turn:
                    while await self._breaker.due():
                        if self._known is None or not self._breaker.repeats:
                            return await self._send(request, probe=True)
                        await self._is_known_answered(probe=True)
            return await self._send(request)

    async def _is_known_answered(self, *, probe: bool = False) -> bool:
        """Check whether the endpoint answers a request that it answered before: if so, it is up, and other requests
        fail for reasons of their own."""
        assert self._known is not None
        try:
            await self._send(self._known, probe=probe, repeated=True)
        except NoAnswerError:
            return True
        except CallError as error:
            if error.kind == FailureKind.MEDIA:  # its pictures are gone
                self._known = None
            return error.scope == "call" and error.kind != FailureKind.MEDIA
        return True

    async def _refuse_others(self) -> None:
        """Check that an endpoint that was away, and answers again, serves the same weights as before. A look before the
        answer may find it still away, and other weights may come until the next call.

        Raises:
            EndpointError: it doesn't.
        """
        if self._tells or not isinstance(self.model, AtAddresses):
            return
        for look in self.model.looks:
            _, sentence = await changed(look)
            if sentence is not None:
                self._breaker.over = EndpointError(
                    f"{without_password(self.model.urls[0])} was away, and {sentence}: the run ends.", goes_on=False
                )
                raise self._breaker.over

    async def _send(self, request: Request, *, probe: bool = False, repeated: bool = False) -> Response:
        """One request. That the endpoint is overloaded is noted before the call's place is given to another.

        Args:
            request: to be sent.
            probe: whether it shows if the endpoint is up again.
            repeated: whether it was answered before.
        """
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
            if self._first.are_over and self._guarded:
                self._breaker.failed(error, sent, probe=probe, can_repeat=self._known is not None)
            raise
        finally:
            self.in_flight -= 1
        if self._breaker.is_back(sent):
            await self._refuse_others()
        self._breaker.answered(sent, repeated=repeated)
        self.throttle.succeeded()
        self._answered = True
        self._first.end()
        self.was_answered(request)
        return self._counted(request, response)

    def _counted(self, request: Request, response: Response) -> Response:
        """Count and return the response, whose tokens are paid for in any case.

        Raises:
            CallError: it holds no text.
        """
        if not self._tells:
            self._served.saw(response.served)
        usage = response.usage
        self._tally.add(usage)
        if not response.is_counted and self.model.remote:
            self._note_uncounted()
            estimate = estimated_usage(request, response)
            usage = usage.model_copy(
                update={
                    "input_tokens": usage.input_tokens or estimate.input_tokens,
                    "output_tokens": usage.output_tokens or estimate.output_tokens,
                }
            )
        self._tally.cost += self._cost(response, usage) or 0.0
        lost = failure_of(response, limit_of(request.sampling))
        if lost is not None:
            raise lost
        return response

    def _note_uncounted(self) -> None:
        """Count a reply that lacks token counts; the first one is said to loosen a limit on the cost."""
        self._tally.uncounted += 1
        if self._tally.uncounted == 1 and self._limits.most_cost is not None:
            self._watcher.noted(
                f"{self.model.name} doesn't report all tokens, so --max-cost can't be held: it is compared with an "
                "estimate from the text, without pictures and videos."
            )

    def _delay(self, request: Request, attempt: int) -> float:
        """Exponential back-off with jitter, so that calls that failed together don't come back together."""
        jitter = random.Random(f"{request.item.id}:{request.repeat}:{attempt}").uniform(0.5, 1.0)
        return min(self._limits.most_delay, self._limits.base_delay * 2.0**attempt) * jitter


def estimated_usage(request: Request, response: Response) -> Usage:
    """The tokens of a call by the length of its texts; its media aren't among them."""
    asked = sum(len(message.text) for message in request.messages)
    said = len(response.response) + len(response.reasoning or "")
    return Usage(input_tokens=asked // LETTERS_OF_A_TOKEN, output_tokens=said // LETTERS_OF_A_TOKEN)


def _subject(request: Request) -> str:
    """Return the subject of a call: the item's first medium, or the item."""
    return request.item.media[0].path if request.item.media else request.item.id
