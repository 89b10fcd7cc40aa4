"""A circuit breaker: an endpoint that fails call after call is asked by one call at a time until it answers again.

Closed, calls go as they come. After several failures in a row without an answer it opens: calls wait, and one of them
after the other is sent as a probe, with pauses that grow. An answer closes it; if none comes for too long, the run is
over. (The pattern is M. Nygard's, "Release It!", 2007.)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from tolman.errors import EndpointError, as_sentence
from tolman.models.base import CallError
from tolman.models.durations import in_words
from tolman.responses import FailureKind
from tolman.runs.limits import Limits

ABSENT_FAILURES = 4
"""Failures in a row that open it where nobody answers at the address: no item can be to blame."""
ONE_SUBJECT = 4
"""Times as many failures open it where all are about one item or one video, which may be to blame."""
LOOK_SECONDS = 1.0
"""The longest time between two looks at whether a server that was started here is still there."""


class Breaker:
    """Whether calls may go, after what became of those before.

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
        self._subjects: set[str] = set()  # that they were about
        self._absent = 0  # of them the last ones, where nobody answered
        self._probes = 0
        self._opened = self._due = self._deadline = 0.0
        self._told = False
        self._last: CallError | None = None
        self.over: EndpointError | None = None
        """Why the run can't go on; None where it can."""

    @property
    def was_absent(self) -> bool:
        """Whether nobody answered at the address since the last answer."""
        return self._absent > 0

    @property
    def is_open(self) -> bool:
        """Whether calls must wait for their turn as the probe."""
        return not self._closed.is_set()

    def answered(self, sent: float) -> None:
        """The endpoint answered, if only that it won't take this request.

        Args:
            sent: when the request was (`time.monotonic`); what was on its way already when the endpoint went down says
                nothing of how it does now.
        """
        if self.is_open and sent < self._opened:
            return
        if self.is_open and self._told:
            away = in_words(time.monotonic() - self._opened)
            self._noted(f"{self._name} answers again after {away}; the run goes on.")
        self._row = self._absent = self._probes = 0
        self._subjects.clear()
        self._told = False
        self._closed.set()

    def failed(self, error: CallError, subject: str, sent: float, *, probe: bool = False) -> None:
        """A call brought nothing.

        Args:
            error: what it ended with.
            subject: the item or video that it was about.
            sent: when it was, as in `answered`.
            probe: whether it was the probe.
        """
        if error.scope == "call":
            if error.kind != FailureKind.MEDIA:  # which never left this machine
                self.answered(sent)
            return
        self._row += 1
        self._absent = self._absent + 1 if error.scope == "absent" else 0
        self._subjects.add(subject)
        self._last = error
        if not self.is_open:
            if self._is_enough():
                self._open(error)
        elif probe:
            self._probes += 1
            self._put_off(error)

    async def due(self) -> bool:
        """Wait until the next probe may go; for the holder of `turn`.

        Returns:
            Whether it is open still: a call that was on its way may have been answered meanwhile.

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

    def _is_enough(self) -> bool:
        enough = self._limits.failures_before_pause
        if self._absent >= min(enough, ABSENT_FAILURES):
            return True
        return self._row >= (enough if len(self._subjects) > 1 else enough * ONE_SUBJECT)

    def _open(self, error: CallError) -> None:
        self._opened = time.monotonic()
        self._deadline = self._opened + max(self._limits.give_up_seconds, self._limits.wait_seconds)
        self._closed.clear()
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
            failures = f"{self._row} failures in a row, the last: " if not self._told else ""
            self._noted(f"{failures}{as_sentence(error.message)} Calls pause; one is tried in {in_words(pause)}.")
            self._told = True

    def _given_up(self, why: str, *, longer: bool = False) -> EndpointError:
        assert self._last is not None
        hint = " (--wait waits longer)" if longer else ""
        return EndpointError(f"{self._last.message.rstrip('.')}; {self._row} failures in a row and {why}{hint}.")

    def _ended(self) -> EndpointError | None:
        why = self._gone()
        return EndpointError(why) if why else None
