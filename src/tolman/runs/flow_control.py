"""Flow control of calls: how many are in flight, when an endpoint is left alone, and when a run gives up.

As many calls are in flight as the user allows, and fewer while the endpoint says that it is overloaded.

The first calls of a run go one at a time, each about another question, until the endpoint answers one. A refused
connection, a wrong key or an unknown model shows that no call can succeed. A server error or a refusal may be about
one question or one video, so others are tried before the run is given up.

Later a circuit breaker guards an endpoint that fails call after call (M. Nygard, "Release It!", 2007). Closed, calls go
as they come. After several failures in a row without an answer it opens: calls wait, and one probe after the other is
sent, with pauses that grow. Every other probe repeats a request that was answered before, so that no question can be to
blame for its failure. An answer closes it; if none comes for too long, the run is over. A `Watcher` is notified of a
run's pauses.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tolman.errors import EndpointError, as_sentence, counted
from tolman.models.model import CallError
from tolman.models.pacing import in_words
from tolman.responses import FailureKind


@dataclass(frozen=True)
class Limits:
    """Limits of a run, after which it gives up.

    Attributes:
        retries: how often a call is tried again.
        base_delay, most_delay: seconds before the first and before any further try, where the endpoint asks for none.
        longest_pause: seconds; an endpoint that asks for a longer one is not waited for.
        run_seconds: the run's time limit; questions not asked by then fail with kind 'interrupted'.
        wait_seconds: how long an endpoint that doesn't answer, or is loading, is waited for: before the run's first
            call and after it went down.
        most_cost: of the run's calls, in the currency of its prices; questions not asked by then fail with kind
            'interrupted'.
        again: how often a question whose answer was cut off in reasoning is asked again with more room.
        failures_before_pause: failures in a row, without an answer between them, after which calls pause and one is
            tried at a time.
        give_up_seconds: how long at least they pause until the run is given up.
    """

    retries: int = 8
    base_delay: float = 0.5
    most_delay: float = 30.0
    longest_pause: float = 600.0
    run_seconds: float | None = None
    wait_seconds: float = 0.0
    most_cost: float | None = None
    again: int = 2
    failures_before_pause: int = 8
    give_up_seconds: float = 100.0


@dataclass(frozen=True)
class Watcher:
    """A listener that is notified of a run's pauses, and knows when it can't go on.

    Attributes:
        noted: called with a sentence.
        gone: why no answer can come any more, such as the end of a server that was started here; None where it may.
    """

    noted: Callable[[str], None] = lambda sentence: None
    gone: Callable[[], str | None] = lambda: None

    async def sleep(self, seconds: float) -> None:
        """Wait, as long as an answer may still come.

        Raises:
            EndpointError: none can come any more.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if why := self.gone():
                raise EndpointError(why)
            await asyncio.sleep(min(left, LOOK_SECONDS))


@runtime_checkable
class Tells(Protocol):
    """A model that reports events at its addresses by itself.

    Attributes:
        noted: called with a sentence.
        counts: address → counts of events there, by name.
    """

    noted: Callable[[str], None]

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """The counts of events at each address."""
        ...


class Throttle:
    """A limit on calls in flight that halves when the endpoint is overloaded and grows back with success.

    Args:
        limit: the most calls in flight.
    """

    def __init__(self, limit: int) -> None:
        self._most = limit
        self._limit = float(limit)
        self._in_flight = 0
        self._resume = 0.0  # when calls may start again
        self._halved = 0.0
        self._changed = asyncio.Condition()

    @property
    def limit(self) -> int:
        """The most calls that may be in flight now."""
        return max(1, int(self._limit))

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait until a call may start, and hold its place while it runs."""
        while True:
            while (wait := self._resume - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            async with self._changed:
                await self._changed.wait_for(lambda: self._in_flight < self.limit)
                # A pause may have begun while this call waited for its place.
                if self._resume <= time.monotonic():
                    self._in_flight += 1
                    break
                self._changed.notify(1)
        try:
            yield
        finally:
            async with self._changed:
                self._in_flight -= 1
                self._changed.notify(1)

    def succeeded(self) -> None:
        """A call brought a text: one more in flight for each full round of successes."""
        self._limit = min(float(self._most), self._limit + 1 / max(1.0, self._limit))

    def overloaded(self, after: float | None) -> None:
        """The endpoint asked for fewer calls, and perhaps for a pause.

        Args:
            after: seconds to wait, as its Retry-After says.
        """
        now = time.monotonic()
        if now - self._halved > 1.0:  # answers to one burst halve the limit once
            self._limit, self._halved = max(1.0, self._limit / 2), now
        if after is not None:
            self._resume = max(self._resume, now + after)


TRIES = 5
"""Failures before the first answer that end a run, if they are about at least `SUBJECTS` items or videos."""
SUBJECTS = 3
MOST_TRIES = 32
"""Failures before the first answer that end a run, whatever they are about."""
ABSENT_TRIES = 3
"""Failed connections before the first answer that end a run."""


class FirstCalls:
    """Let calls through one at a time until all may go.

    Attributes:
        are_over: whether all calls may go.
        tries: failures so far.
    """

    def __init__(self) -> None:
        self.are_over = False
        self.tries = 0
        self._absent = 0
        self._subjects: set[str] = set()
        self._is_taken = False
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    @property
    def questions(self) -> int:
        """The number of items or videos that calls failed for."""
        return len(self._subjects)

    @asynccontextmanager
    async def turn(self, subject: str) -> AsyncIterator[bool]:
        """Wait for a turn. Calls about something that didn't fail yet come first.

        Args:
            subject: the item or video that the call is about.

        Yields:
            True if the call goes alone; False where all may go.
        """
        if self._is_taken and not self.are_over:
            place = subject, asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place[1]
            except asyncio.CancelledError:
                if not place[1].cancelled():  # it had the turn already
                    self._pass_on()
                raise
        if self.are_over:
            yield False
            return
        self._is_taken = True
        try:
            yield True
        finally:
            self._pass_on()

    def end(self) -> None:
        """Let all calls go."""
        self.are_over = True
        waiting, self._waiting = self._waiting, []
        for _, future in waiting:
            if not future.done():
                future.set_result(None)

    def fail(self, error: CallError, subject: str) -> bool:
        """Count a failed call.

        Returns:
            True if it shows that no call can succeed.
        """
        self.tries += 1
        self._subjects.add(subject)
        if error.scope == "lasting" or (error.scope == "endpoint" and not error.retry):
            return True
        if error.kind == FailureKind.MALFORMED and not error.retry:  # a dialect that can't be read
            return True
        if error.scope == "absent" and error.kind == FailureKind.NETWORK:
            self._absent += 1
        enough = TRIES if len(self._subjects) >= SUBJECTS else MOST_TRIES
        return self.tries >= enough or self._absent >= ABSENT_TRIES

    def _pass_on(self) -> None:
        """Give the turn to the next that waits."""
        self._waiting = [one for one in self._waiting if not one[1].done()]  # Ctrl-C cancels them all at once
        if not self._waiting:
            self._is_taken = False
            return
        fresh = (n for n, (subject, _) in enumerate(self._waiting) if subject not in self._subjects)
        self._waiting.pop(next(fresh, 0))[1].set_result(None)


ABSENT_FAILURES = 4
"""Failures in a row that open it where nobody answers at the address: no item can be to blame."""
MOST_PATIENCE = 8
"""Times as many failures open it at most after repeated requests were answered: then the questions are to blame."""
LOOK_SECONDS = 1.0
"""The longest time between two looks at whether a server that was started here is still there."""


class Breaker:
    """A circuit breaker, which allows calls depending on the results of earlier ones.

    Args:
        name: of the model.
        limits: failures that open it, pauses, and how long it stays open.
        noted: called with a sentence about each pause.
        gone: why no answer can come any more, such as the end of a server that was started here; None where it may.
    """

    def __init__(
        self,
        name: str,
        limits: Limits,
        noted: Callable[[str], None] = lambda sentence: None,
        gone: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._name, self._limits, self._noted, self._gone = name, limits, noted, gone
        self.turn = asyncio.Lock()
        """Held by the call that is the probe."""
        self._closed = asyncio.Event()
        self._closed.set()
        self._row = 0  # failures since the last answer
        self._patience = 1
        self._absent = 0  # of them the last ones, where nobody answered
        self._away = 0.0  # when an address last had nobody who answers; 0 once it answered a later request
        self._probes = 0
        self._opened = self._due = self._deadline = 0.0
        self._told = False
        self._last: CallError | None = None
        self.over: EndpointError | None = None
        """Why the run can't go on; None where it can."""

    @property
    def is_open(self) -> bool:
        """Check whether calls must wait for their turn as the probe."""
        return not self._closed.is_set()

    @property
    def repeats(self) -> bool:
        """Check whether the next probe is to repeat a request that was answered before."""
        return self._probes % 2 != 0 or not self._told

    def is_back(self, sent: float) -> bool:
        """Check whether the answer to a request of this time is the first one since the address was unreachable."""
        return 0 < self._away < sent

    def answered(self, sent: float, *, repeated: bool = False) -> None:
        """Record that the endpoint answered, if only that it won't take this request.

        Args:
            sent: when the request was (`time.monotonic`); a request sent before the endpoint went down says nothing of
                its present state.
            repeated: whether the request was answered before: then it says nothing of the questions that failed.
        """
        if self.is_open and sent < self._opened:
            return
        if self.is_open and self._told:
            away = in_words(time.monotonic() - self._opened)
            self._noted(f"{self._name} answers again after {away}; the run continues.")
        self._row = self._absent = self._probes = 0
        if self.is_back(sent):
            self._away = 0.0
        self._patience = min(MOST_PATIENCE, 2 * self._patience) if repeated else 1
        self._told = False
        self._closed.set()

    def failed(self, error: CallError, sent: float, *, probe: bool = False, can_repeat: bool = False) -> None:
        """Record that a call brought nothing. An error whose scope is 'call' counts as an answer of the endpoint.

        Args:
            error: that ended it.
            sent: when it was, as in `answered`.
            probe: whether it was the probe.
            can_repeat: whether a request is known that was answered before; the first probe then goes at once.
        """
        if error.scope == "call":
            if error.kind != FailureKind.MEDIA:  # which never left this machine
                self.answered(sent)
            return
        self._row += 1
        self._absent = self._absent + 1 if error.scope == "absent" else 0
        if self._absent:
            self._away = time.monotonic()
        self._last = error
        if not self.is_open:
            if self._is_down():
                self._open(error, at_once=can_repeat and error.after is None)
        elif probe:
            self._probes += 1
            self._put_off(error)

    async def due(self) -> bool:
        """Wait until the next probe may go; for the holder of `turn`.

        Returns:
            True if it is still open: a call that was on its way may have been answered meanwhile.

        Raises:
            EndpointError: nothing can come any more.
        """
        while self.is_open and self.over is None:
            self.over = self.over or self._ended()
            left = self._due - time.monotonic()
            if self.over is not None or left <= 0:
                break
            try:
                await asyncio.wait_for(self._closed.wait(), min(left, LOOK_SECONDS))
            except TimeoutError:
                continue
        if self.over is not None:
            raise self.over
        return self.is_open

    def _is_down(self) -> bool:
        enough = self._limits.failures_before_pause
        return self._absent >= self._patience * min(enough, ABSENT_FAILURES) or self._row >= self._patience * enough

    def _open(self, error: CallError, *, at_once: bool) -> None:
        self._opened = self._due = time.monotonic()
        self._deadline = self._opened + max(self._limits.give_up_seconds, self._limits.wait_seconds)
        self._closed.clear()
        if at_once:
            self._probes = -1  # one that needs no pause before it
        else:
            self._put_off(error)

    def _put_off(self, error: CallError) -> None:
        """Set the time of the next probe, or give up."""
        now = time.monotonic()
        pause = min(self._limits.most_delay, self._limits.base_delay * 2.0 ** (self._probes + 1))
        if error.after is not None:
            if error.after > self._limits.longest_pause:
                self.over = self._given_up(f"it asks for a pause of {in_words(error.after)}")
                return
            pause = max(pause, error.after)
            # An endpoint that says when it will take calls again is taken at its word, up to a point.
            self._deadline = max(self._deadline, min(now + pause + 1, self._opened + self._limits.longest_pause))
        self._due = now + pause
        if self._due > self._deadline:
            self.over = self._given_up(
                f"no answer for {in_words(now - self._opened)}", longer=not self._limits.wait_seconds
            )
            return
        # An endpoint that takes fewer calls than are sent says so now and then; that is told where it goes on.
        if error.kind != FailureKind.RATE_LIMIT or self._probes:
            failures = f"{counted(self._row, 'failure')} in a row, the last: " if not self._told else ""
            self._noted(f"{failures}{as_sentence(error.message)} Calls pause; one is tried in {in_words(pause)}.")
            self._told = True

    def _given_up(self, why: str, *, longer: bool = False) -> EndpointError:
        assert self._last is not None
        hint = " (--wait waits longer)" if longer else ""
        return EndpointError(
            f"{self._last.message.rstrip('.')}; {counted(self._row, 'failure')} in a row and {why}{hint}."
        )

    def _ended(self) -> EndpointError | None:
        why = self._gone()
        return EndpointError(why) if why else None
