"""A limit on what a run costs: no call is started that would probably exceed it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tolman.models.base import CallError
from tolman.responses import FailureKind


class Budget:
    """What calls may cost together. A call is expected to cost what those before it did on average.

    Args:
        most: that they may cost; None for any sum.
        spent: what they cost so far.
    """

    def __init__(self, most: float | None, spent: Callable[[], float]) -> None:
        self._most, self._spent = most, spent
        self._in_flight = self._answered = 0
        self._ended = asyncio.Event()  # a call ended since the event was cleared

    @property
    def is_used_up(self) -> bool:
        """Whether not even one more call may start, however those end that are on their way."""
        return not self._allows(1)

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """Wait until a call may start, and count it while it runs; its cost is spent before it is over.

        Raises:
            CallError: the money is used up.
        """
        while not self._allows(self._in_flight + 1):
            if not self._in_flight:
                raise CallError(FailureKind.INTERRUPTED, self.sentence, retry=False)
            self._ended.clear()
            await self._ended.wait()
        self._in_flight += 1
        try:
            yield
            self._answered += 1
        finally:
            self._in_flight -= 1
            self._ended.set()

    @property
    def sentence(self) -> str:
        """What is said of an item that isn't asked about for want of money."""
        return f"the run has cost {self._spent():.4g} of at most {self._most or 0:g} (--max-cost)"

    def _allows(self, calls: int) -> bool:
        if self._most is None:
            return True
        spent = self._spent()
        mean = spent / self._answered if self._answered else 0.0
        return spent < self._most and spent + mean * calls <= self._most
