"""Limits on guessing passwords: attempts are counted before a password is looked at, so that none slips through."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address

_MANY = 10_000
"""Counters after which those that have run out are thrown away."""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` failed attempts in so many seconds."""

    most: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt that is being made, with the counters it is in."""

    keys: tuple[tuple[str, ...], ...]
    at: float


class Attempts:
    """Counters of attempts, safe to use from any thread; they live as long as the server.

    Args:
        clock: seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._counted: dict[tuple[str, ...], deque[float]] = {}
        self._ends: dict[tuple[str, ...], float] = {}

    def begin(self, limits: Sequence[tuple[tuple[str, ...], Limit]]) -> Attempt | None:
        """Count an attempt under some keys, all or none; None where one of them has had its number."""
        now = self._clock()
        with self._lock:
            if len(self._counted) > _MANY:
                self._forget(now)
            for key, limit in limits:
                counted = self._counted.get(key, deque())
                while counted and counted[0] <= now - limit.seconds:
                    counted.popleft()
                if len(counted) >= limit.most:
                    return None
            for key, limit in limits:
                self._counted.setdefault(key, deque()).append(now)
                self._ends[key] = now + limit.seconds
        return Attempt(tuple(key for key, _ in limits), now)

    def succeeded(self, attempt: Attempt) -> None:
        """Take an attempt out of its counters: only failed ones are limited."""
        with self._lock:
            for key in attempt.keys:
                counted = self._counted.get(key)
                if counted and attempt.at in counted:
                    counted.remove(attempt.at)

    def _forget(self, now: float) -> None:
        for key in [key for key, end in self._ends.items() if end <= now]:
            del self._counted[key], self._ends[key]


def network_of(address: str) -> str:
    """The network that an address is counted as: of IPv6 the /64, of which a household has any number of addresses."""
    try:
        found = ip_address(address.split("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(IPv6Network((found, 64), strict=False))
    return str(found)
