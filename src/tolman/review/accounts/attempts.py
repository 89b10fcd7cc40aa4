"""Limits on guessing passwords: attempts are counted before a password is looked at, so that none slips through.

They are counted in the database, so that all processes of a server count together, and a start forgets none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session as Orm

from tolman.review.store.database import Database
from tolman.review.store.schema import SignInAttempt


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` failed attempts in so many seconds."""

    most: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt that is being made, by the name of its rows."""

    name: str


class Attempts:
    """Counters of attempts, safe to use from any thread and any process.

    Args:
        database: that counts.
        clock: seconds since 1970.
        name: makes a name of 32 characters or less for some parts that nobody else can make or read.
    """

    def __init__(self, database: Database, clock: Callable[[], float], name: Callable[..., str]) -> None:
        self._database, self._clock, self._name = database, clock, name

    def begin(self, limits: Sequence[tuple[tuple[str, ...], Limit]]) -> Attempt | None:
        """Count an attempt under some keys, all or none; None where one of them has had its number."""
        now = self._clock()
        counted = [(self._name("attempt", *key), limit) for key, limit in limits]
        with self._database.read() as db:  # a flood that is refused writes nothing
            if not _room(db, counted, now):
                return None
        with self._database.write() as db:
            db.execute(delete(SignInAttempt).where(SignInAttempt.ends <= now))
            if not _room(db, counted, now):
                return None
            rows = [SignInAttempt(attempt="", key=key, at=now, ends=now + limit.seconds) for key, limit in counted]
            db.add_all(rows)
            db.flush()
            attempt = Attempt(str(rows[0].id))
            for row in rows:
                row.attempt = attempt.name
        return attempt

    def succeeded(self, attempt: Attempt) -> None:
        """Take an attempt out of its counters: only failed ones are limited."""
        with self._database.write() as db:
            db.execute(delete(SignInAttempt).where(SignInAttempt.attempt == attempt.name))


def _room(db: Orm, counted: Sequence[tuple[str, Limit]], now: float) -> bool:
    for key, limit in counted:
        number = select(func.count()).where(SignInAttempt.key == key, SignInAttempt.at > now - limit.seconds)
        if (db.scalar(number) or 0) >= limit.most:
            return False
    return True


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
