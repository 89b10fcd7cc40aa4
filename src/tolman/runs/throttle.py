"""How many calls are in flight: as many as the user allows, fewer while the endpoint says that it is overloaded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


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
