"""Site: what every page of a running server shares."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import Request

from tolman.benchmarks.folder import FILE
from tolman.files import write_text
from tolman.item_table import write_items
from tolman.review.accounts.attempts import Attempt, Attempts, Limit, network_of
from tolman.review.accounts.guard import host_name
from tolman.review.accounts.identity import ensure_owner, plain_name
from tolman.review.accounts.passwords import Passwords
from tolman.review.evidence.clouds import places
from tolman.review.settings import ReviewSettings
from tolman.review.store.database import Database
from tolman.review.store.pool import MediaPool
from tolman.review.store.schema import Fact
from tolman.runs.load import Loaded, load


@dataclass(frozen=True)
class Site:
    """The database, the benchmark, the key, and the counters of attempts to sign in."""

    settings: ReviewSettings
    database: Database
    loaded: Loaded
    folder: Path
    key: bytes
    attempts: Attempts
    passwords: Passwords
    pool: MediaPool | None = None
    totals: dict[tuple[object, ...], tuple[float, int]] = field(default_factory=dict)
    """Numbers that pages of large projects tell, with their times; see `tasks.taking.total`."""

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders in which media of items are looked for, in this order.

        Media of items that people made are in the store, under names made from their content.
        """
        scenes = self.settings.scenes
        return (self.folder, self.settings.store, *([scenes] if scenes else []))

    def sign(self, *parts: object) -> str:
        """A name of 128 bits for some parts that nobody else can make or read."""
        return signed(self.key, *parts)

    @property
    def hosts(self) -> frozenset[str] | None:
        """Names by which the server may be called; any where nobody said how people reach it."""
        named = [urlsplit(self.settings.base_url).hostname or ""] if self.settings.base_url else []
        named += self.settings.hosts
        return frozenset(own_names(None) | {name.casefold() for name in named}) if named else None

    def attempt(self, name: str, address: str) -> Attempt | None:
        """Count an attempt to give somebody's password before it is looked at; None where it has to wait."""
        for_name, for_address = self.settings.tries
        name, network = plain_name(name).casefold(), network_of(address)
        return self.attempts.begin(
            [
                (("name", name, network), Limit(for_name, 60.0)),
                (("address", network), Limit(for_address, 60.0)),
                (("account", name), Limit(self.settings.account_tries, 600.0)),
            ]
        )

    def link(self, path: str, scheme: str, host: str | None, server: tuple[str, int] | None) -> tuple[str, bool]:
        """The whole address of a path of this server, for sending to people.

        Args:
            path: begins with a slash.
            scheme: http or https, by which the request came.
            host: what the browser says it calls this server, which anybody can forge.
            server: the address and port at which the request arrived.

        Returns:
            The address, and whether the browser's name for the server is in it or `ReviewSettings.base_url` tells it.
        """
        if self.settings.base_url is not None:
            return self.settings.base_url.rstrip("/") + path, True  # with its path prefix
        if host is not None and host_name(host) in own_names(server):
            return f"{scheme}://{host}{path}", True
        address, port = server or ("localhost", 80)
        return f"{scheme}://{f'[{address}]' if ':' in address else address}:{port}{path}", False


REHEARSED = "tolman.rehearsed"
"""Key of a request's scope under which a preview puts a site of its own."""


def signed(key: bytes, *parts: object) -> str:
    """A name of 128 bits for some parts, made with a key."""
    text = "\x1f".join(str(part) for part in parts)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:32]


def open_site(settings: ReviewSettings) -> Site:
    """Load the benchmark, open the database and see to its owner and its key."""
    if settings.pool is not None and not Path(settings.benchmark).exists():
        begin_empty(Path(settings.benchmark))
    places(settings.rigs)  # what is wrong with them is told before anything is opened
    loaded = load(settings.benchmark, settings.data, settings.subset)
    pool = MediaPool(settings.pool, settings.store) if settings.pool is not None else None
    make_store(settings.store)
    database = Database(settings.url)
    with database.write() as db:
        ensure_owner(db, settings)
        key = db.get(Fact, "key")
        if key is None:
            key = Fact(name="key", value=settings.token())
            db.add(key)
        secret = key.value.encode()
    attempts = Attempts(database, settings.clock, partial(signed, secret))
    return Site(settings, database, loaded, loaded.media_folder(), secret, attempts, Passwords(), pool)


def make_store(folder: Path) -> None:
    """Make the folder of the database and of uploads, for its owner's eyes alone; one that is there stays as it is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def own_names(server: tuple[str, int] | None) -> set[str]:
    """Names that surely mean this machine: loopback, its own name, and the address at which a request arrived."""
    arrived_at = {server[0].casefold()} if server else set()
    return {"localhost", "127.0.0.1", "::1", socket.gethostname().casefold()} | arrived_at


def begin_empty(folder: Path) -> None:
    """A benchmark without questions, to be written from a pool."""
    folder.mkdir(parents=True)
    write_items(folder / "items.parquet", [])
    card = {"name": folder.resolve().name, "title": folder.resolve().name}
    write_text(folder / FILE, json.dumps(card, ensure_ascii=False) + "\n")


def site_of(request: Request) -> Site:
    """The site that a request came to."""
    site: Site = request.scope.get(REHEARSED) or request.app.state.site
    return site
