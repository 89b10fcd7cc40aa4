"""Settings of a review server."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

FILE = "review.sqlite"


def _token() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class ReviewSettings:
    """Places of files, and the limits.

    Attributes:
        benchmark: a name or a folder, as `tolman run` takes it.
        store: the folder of the database and of uploads; made if it is missing.
        data, subset: of the benchmark, as for `tolman run`.
        database: SQLAlchemy's URL; a SQLite file in the store where None.
        scenes: the collection that the benchmark was generated from, where its provenance says if None; routes and
            distractors are made of it as well.
        runs: folders of runs whose answers people label.
        pool: the media pool that people write questions from.
        uploads: megabytes that a file may have which annotators add to the pool; 0 where they may add none.
        verify: models' answers for the mode Verify: review.jsonl files and folders of runs.
        try_models: models that try a question while it is written, by the names that `tolman run --model` takes.
        rigs: recordings with a LiDAR that questions are measured in: rigs' folders and collections.
        study: a study that is started with the server: a name of the package's, or the path of a file.
        ask: names of people for whom a study is started with the server, with a link for each.
        questions: of each of them.
        body_limit: bytes that a request may bring.
        lease: seconds after which a task that a person took and left is given to another.
        session_hours: after which one signs in again in any case.
        idle_hours: after which one signs in again where nothing came from the browser.
        invitation_hours: for which an invitation is good.
        base_url: under which people reach the server, such as https://review.example.org/tolman; links are made with
            it, and its path precedes the address of every page.
        hosts: names by which the server may be called besides that of `base_url` and this machine's own; any if there
            is no `base_url` either.
        proxies: the only addresses whose X-Forwarded-For and X-Forwarded-Proto are believed.
        tries: failed sign-ins a minute, for one name at one address and for one address.
        account_tries: failed sign-ins in ten minutes for one name, whichever addresses they come from.
        log: file that a line of JSON is appended to for each request; '-' is the standard error output.
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
    try_models: tuple[str, ...] = ()
    rigs: tuple[Path, ...] = ()
    study: str | None = None
    ask: tuple[str, ...] = ()
    questions: int = 20
    body_limit: int = 1 << 20
    lease: float = 1800.0
    session_hours: float = 12 * 24.0
    idle_hours: float = 24.0
    invitation_hours: float = 14 * 24.0
    base_url: str | None = None
    hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    tries: tuple[int, int] = (5, 60)
    account_tries: int = 20
    log: Path | None = None
    clock: Callable[[], float] = field(default=time.time)
    token: Callable[[], str] = field(default=_token)

    @property
    def url(self) -> str:
        """The database's URL."""
        return self.database or sqlite_url(self.store)

    @property
    def prefix(self) -> str:
        """The path of `base_url`, without a slash at its end: empty, or such as /tolman."""
        return urlsplit(self.base_url).path.rstrip("/") if self.base_url else ""

    @property
    def is_secure(self) -> bool:
        """Check whether people reach the server over TLS only, by `base_url`."""
        return (self.base_url or "").startswith("https://")

    @property
    def cookie(self) -> str:
        """The cookie's name; over TLS one that browsers keep from being set by anybody else."""
        if not self.is_secure:
            return "tolman"
        return "__Secure-tolman" if self.prefix else "__Host-tolman"


def sqlite_url(store: Path) -> str:
    """The URL of a store's own database."""
    return f"sqlite:///{store.resolve() / FILE}"
