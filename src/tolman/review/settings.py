"""Settings of a review server."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

FILE = "review.sqlite"


def _token() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class ReviewSettings:
    """Places of files, and the limits.

    Attributes:
        benchmark: a name or a folder, as `tolman run` takes it.
        store: the folder of the database and of what people upload; made where it is missing.
        data, subset: of the benchmark, as for `tolman run`.
        database: SQLAlchemy's URL; a SQLite file in the store where None.
        scenes: the collection that the benchmark was generated from, where its provenance says if None; routes and
            distractors are made of it as well.
        runs: folders of runs whose answers people label.
        pool: the media pool that people write questions from.
        uploads: megabytes that a file may have which annotators add to the pool; 0 where they may add none.
        verify: models' answers for the mode Verify: review.jsonl files and folders of runs.
        rigs: recordings with a LiDAR that questions are measured in: rigs' folders and collections.
        body_limit: bytes that a request may bring.
        lease: seconds after which a task that somebody took and left is given to somebody else.
        session_hours: after which one signs in again.
        invitation_hours: for which an invitation is good.
        base_url: under which people reach the server, such as https://review.example.org; links are made with it.
        proxies: addresses whose X-Forwarded-For and X-Forwarded-Proto are believed; nobody else's are.
        tries: failed sign-ins a minute, for one name at one address and for one address.
        account_tries: failed sign-ins in ten minutes for one name, whichever addresses they come from.
        clock: seconds since 1970; tests have their own.
        token: makes a secret of 256 bits; tests have their own.
    """

    benchmark: str
    store: Path
    data: Path | None = None
    subset: str | None = None
    database: str | None = None
    scenes: Path | None = None
    runs: tuple[Path, ...] = ()
    pool: Path | None = None
    uploads: int = 0
    verify: tuple[Path, ...] = ()
    rigs: tuple[Path, ...] = ()
    body_limit: int = 1 << 20
    lease: float = 1800.0
    session_hours: float = 12 * 24.0
    invitation_hours: float = 14 * 24.0
    base_url: str | None = None
    proxies: tuple[str, ...] = ()
    tries: tuple[int, int] = (5, 60)
    account_tries: int = 20
    clock: Callable[[], float] = field(default=time.time)
    token: Callable[[], str] = field(default=_token)

    @property
    def url(self) -> str:
        """The database's URL."""
        return self.database or sqlite_url(self.store)


def sqlite_url(store: Path) -> str:
    """The URL of a store's own database."""
    return f"sqlite:///{store.resolve() / FILE}"
