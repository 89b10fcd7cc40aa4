"""Prices of tokens, from a file of the user's, and a limit on the cost of a run.

No call is started that would probably exceed the limit.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, fields
from pathlib import Path

from tolman.errors import InputError
from tolman.models.model import CallError
from tolman.responses import FailureKind, Usage

LETTERS_OF_A_TOKEN = 4
"""Of English text, about."""


@dataclass(frozen=True)
class Price:
    """The price of a million tokens, in the currency of the file.

    Attributes:
        input, output: of tokens that are read and written; reasoning is written.
        cached: of tokens read that the endpoint had from earlier calls; None where it isn't known.
    """

    input: float
    output: float
    cached: float | None = None

    def cost(self, usage: Usage) -> float:
        """Return the cost of a call's tokens; cached ones cost as much as others where no price of theirs is known."""
        price = self.input if self.cached is None else self.cached
        cached = min(usage.cached_tokens, usage.input_tokens)
        new = usage.input_tokens - cached
        return (self.input * new + price * cached + self.output * usage.output_tokens) / 1e6


_FIELDS = tuple(field.name for field in fields(Price))


def read_price(path: Path, model: str) -> Price:
    """A model's price in a JSON file: {"openai/NAME": {"input": 2.5, "output": 10, "cached": 0.25}}, of a million
    tokens each; `cached` may be left out.

    Raises:
        InputError: the file has no price for the model, one that is negative, infinite or no number, or an unknown key.
    """
    try:
        entry = json.loads(path.read_text(encoding="utf-8-sig"))[model]
        unknown = [name for name in entry if name not in _FIELDS] if isinstance(entry, dict) else []
        if unknown:
            raise InputError(path, f"has the unknown key '{unknown[0]}' for {model}", fix=f"use {', '.join(_FIELDS)}")
        given = {name: entry[name] for name in ("input", "output")} | {"cached": entry.get("cached")}
        prices = {name: float(value) for name, value in given.items() if value is not None}
        price = Price(prices["input"], prices["output"], prices.get("cached"))
    except OSError as error:
        raise InputError(path, error.strerror or "can't be read") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        fix = f'write {{"{model}": {{"input": 2.5, "output": 10}}}}, prices of a million tokens'
        raise InputError(path, f"has no price for {model}", fix=fix) from None
    for name, value in prices.items():
        if not 0 <= value < math.inf:
            fix = "write a finite number from 0, the price of a million tokens"
            raise InputError(path, f"has the price {value:g} for {model}", field=name, fix=fix)
    return price


class Budget:
    """A limit on the total cost of calls. A call is expected to cost as much as those before it on average.

    Args:
        most: that they may cost; None for any sum.
        spent: their cost so far.
    """

    def __init__(self, most: float | None, spent: Callable[[], float]) -> None:
        self._most, self._spent = most, spent
        self._in_flight = self._answered = 0
        self._ended = asyncio.Event()  # a call ended since the event was cleared

    @property
    def is_used_up(self) -> bool:
        """Check whether no further call may start, however those in flight end."""
        return not self._allows(1)

    def call(self) -> AbstractAsyncContextManager[None]:
        """Wait until a call may start, and count it while it runs; its cost is spent before it is over.

        Raises:
            CallError: the money is used up.
        """
        return nullcontext() if self._most is None else self._counted()

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
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
        """Return the failure message of an item that isn't asked about for want of money."""
        return f"this call of the run has cost {self._spent():.4g} of at most {self._most or 0:g} (--max-cost)"

    def _allows(self, calls: int) -> bool:
        if self._most is None:
            return True
        spent = self._spent()
        mean = spent / self._answered if self._answered else 0.0
        return spent < self._most and spent + mean * calls <= self._most
