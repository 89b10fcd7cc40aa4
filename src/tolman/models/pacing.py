"""Limits by the minute that an endpoint reports in its headers, kept by a token bucket that reserves and returns.

| headers of | limit, remainder, reset |
|---|---|
| OpenAI and many compatible | `x-ratelimit-limit-requests`, `-remaining-requests`, `-reset-requests`; `-tokens` |
| Anthropic | `anthropic-ratelimit-requests-limit`, `-remaining`, `-reset`; `tokens`, `input-tokens`, `output-tokens` |

A reset is a duration ('6m0s', '12ms', '1h30m'), a number of seconds (Azure) or a time (RFC 3339). A request reserves
the tokens of its question, as many as those before it had, and all that its answer may have. Endpoints count so before
they know; unused tokens come back. Limits of a day refill as slowly as their reset says.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from tolman.models.model import Model, Request
from tolman.responses import Response, Usage

MINUTE = 60.0
LONG_RESET = 90.0
"""Seconds; a reset that takes longer is no minute's."""
MEAN_WEIGHT = 0.2
"""Of the last call in the mean of the tokens of calls."""
LOOK_SECONDS = 1.0
"""The longest time between two looks at whether enough has come back."""
_KINDS = ("requests", "tokens", "input-tokens", "output-tokens")


@dataclass(frozen=True)
class Window:
    """One limit as an answer reports it.

    Attributes:
        limit: in a minute, or in as long as the reset says.
        remaining: of it.
        reset: seconds until all of it is there again; None where that isn't reported.
    """

    limit: float
    remaining: float
    reset: float | None


def windows_of(headers: Mapping[str, str]) -> dict[str, Window]:
    """Return the limits in an answer's headers, by kind: requests, tokens, input-tokens, output-tokens."""
    found: dict[str, Window] = {}
    if not any("ratelimit" in name.lower() for name in headers):  # as most endpoints' answers
        return found
    for kind in _KINDS:
        for name in (f"x-ratelimit-{{}}-{kind}", f"anthropic-ratelimit-{kind}-{{}}"):
            limit, remaining = (_number(headers.get(name.format(part))) for part in ("limit", "remaining"))
            # Azure and some proxies say 0 or -1 for what they don't know.
            if limit is not None and remaining is not None and limit > 0 and remaining >= 0:
                found[kind] = Window(limit, min(limit, remaining), _reset(headers.get(name.format("reset"))))
                break
    return found


class Pacer:
    """Holds requests back so that an endpoint's limits are kept.

    Attributes:
        is_told: whether the endpoint reported any.
    """

    def __init__(self) -> None:
        self._buckets: dict[str, _Bucket] = {}
        self._waiting = asyncio.Lock()
        self._input = self._output = 0.0  # means of the calls so far
        self._calls = 0

    @property
    def is_told(self) -> bool:
        """Check whether the endpoint reported a limit."""
        return bool(self._buckets)

    def heard(self, headers: Mapping[str, str]) -> None:
        """Read the headers of an answer of any status."""
        for kind, window in windows_of(headers).items():
            self._buckets.setdefault(kind, _Bucket()).told(window)

    async def reserve(self, request: Request) -> dict[str, float]:
        """Wait until a request may go, and return its reserved amounts, by kind."""
        costs = self._costs(request)
        async with self._waiting:  # the first that waits is the first that goes
            while (wait := max((b.wait(costs[kind]) for kind, b in self._buckets.items()), default=0.0)) > 0:
                await asyncio.sleep(min(wait, LOOK_SECONDS))
        for kind, bucket in self._buckets.items():
            bucket.take(costs[kind])
        return costs

    def settle(self, costs: Mapping[str, float], usage: Usage | None) -> None:
        """Give back the unused reservation of a call; all its tokens where it failed."""
        if usage is None:
            used = {"requests": 1.0}
        else:
            fresh = usage.input_tokens - usage.cached_tokens
            used = {
                "requests": 1.0,
                "tokens": float(usage.input_tokens + usage.output_tokens),
                "input-tokens": float(fresh),
                "output-tokens": float(usage.output_tokens),
            }
        for kind, bucket in self._buckets.items():
            bucket.give_back(costs[kind], used.get(kind, 0.0))

    def learn(self, usage: Usage) -> None:
        """Remember how many tokens a call had."""
        weight = MEAN_WEIGHT if self._calls else 1.0
        self._calls += 1
        self._input += weight * (usage.input_tokens - self._input)
        self._output += weight * (usage.output_tokens - self._output)

    def _costs(self, request: Request) -> dict[str, float]:
        written = sum(len(message.text) for message in request.messages) / 4  # characters in a token, about
        question = self._input if self._calls else written
        sampling = request.sampling
        thinking = (sampling.thinking.budget or 0) if sampling.thinking is not None else 0
        answer = float(sampling.max_tokens + thinking) if sampling.max_tokens else self._output
        return {"requests": 1.0, "tokens": question + answer, "input-tokens": question, "output-tokens": answer}


class _Bucket:
    """The remainder of one limit, as far as is known here."""

    def __init__(self) -> None:
        self._level = self._capacity = self._rate = 0.0
        self._reserved = 0.0  # by calls on their way
        self._updated = time.monotonic()
        self._is_new = True

    def told(self, window: Window) -> None:
        self._refill()
        self._capacity, self._rate = window.limit, window.limit / MINUTE
        missing = window.limit - window.remaining
        if window.reset is not None and window.reset > LONG_RESET and missing > 0:
            self._rate = missing / window.reset
        # Of what is reserved, the endpoint may have counted all or nothing.
        least = window.remaining - self._reserved
        self._level = window.remaining if self._is_new else min(window.remaining, max(self._level, least))
        self._is_new = False

    def wait(self, cost: float) -> float:
        """Return the seconds until so much is there; more than the whole limit goes when all of it is there."""
        self._refill()
        lacking = min(cost, self._capacity) - self._level
        return max(0.0, lacking) / self._rate if self._rate else 0.0

    def take(self, cost: float) -> None:
        self._level -= cost
        self._reserved += cost

    def give_back(self, reserved: float, used: float) -> None:
        self._refill()
        self._reserved = max(0.0, self._reserved - reserved)
        self._level = min(self._capacity, self._level + reserved - used)

    def _refill(self) -> None:
        now = time.monotonic()
        self._level = min(self._capacity, self._level + self._rate * (now - self._updated))
        self._updated = now


async def paced(model: Model, request: Request) -> Response:
    """A model's answer, asked for when its endpoint's limits allow.

    Raises:
        CallError: no text came.
    """
    pacer: Pacer | None = getattr(model, "pacer", None)
    if pacer is None:
        return await model.answer(request)
    costs = await pacer.reserve(request) if pacer.is_told else None
    usage: Usage | None = None
    try:
        response = await model.answer(request)
        usage = response.usage
    finally:
        if costs is not None:
            pacer.settle(costs, usage)
    pacer.learn(response.usage)
    return response


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _reset(text: str | None) -> float | None:
    """The seconds of a reset."""
    if text is None:
        return None
    found = seconds_of(text)
    if found is not None:
        return found
    try:
        then = datetime.fromisoformat(text)
    except ValueError:
        return None
    return max(0.0, ((then if then.tzinfo else then.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())


_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|min|s|m|h|d)\s*")


def seconds_of(text: str) -> float | None:
    """Return the seconds of a duration; a number alone is seconds; None for other texts."""
    text = text.strip()
    try:
        found = float(text)
    except ValueError:
        pass
    else:
        return found if 0 <= found < float("inf") else None
    parts = list(_PART.finditer(text))
    if not parts or "".join(part[0] for part in parts) != text:
        return None
    return sum(float(part[1]) * _SECONDS[part[2]] for part in parts)


def in_words(seconds: float) -> str:
    """A duration for a sentence: '0.5 s', '31 s', '20 min', '1 h 5 min'."""
    if seconds < 10:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    if round(seconds) < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
