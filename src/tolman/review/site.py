"""Site: what every page of a running server shares."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass
from pathlib import Path

from fastapi import Request
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from tolman.benchmarks.folder import FILE
from tolman.files import write_text
from tolman.item_table import write_items
from tolman.review.accounts import ensure_owner
from tolman.review.clouds import places
from tolman.review.database import Database
from tolman.review.pool import Pool
from tolman.review.schema import Fact
from tolman.review.settings import Settings
from tolman.runs.load import Loaded, load


@dataclass(frozen=True)
class Site:
    """The database, the benchmark, the key, and the counters of failed sign-ins."""

    settings: Settings
    database: Database
    loaded: Loaded
    folder: Path
    key: bytes
    limiter: MovingWindowRateLimiter
    pool: Pool | None = None

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where media of items are looked for, in this order: what people made an item of is in the store, under a name
        made from its content."""
        scenes = self.settings.scenes
        return (self.folder, self.settings.store, *([scenes] if scenes else []))

    def sign(self, *parts: object) -> str:
        """A name of 128 bits for some parts that nobody else can make or read."""
        text = "\x1f".join(str(part) for part in parts)
        return hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()[:32]

    def failed_too_often(self, name: str, address: str) -> bool:
        """Whether signing in has to wait."""
        return not all(self.limiter.test(limit, *keys) for limit, keys in self._limits(name, address))

    def count_failure(self, name: str, address: str) -> None:
        """Somebody gave a wrong password."""
        for limit, keys in self._limits(name, address):
            self.limiter.hit(limit, *keys)

    def _limits(self, name: str, address: str) -> list[tuple[RateLimitItemPerMinute, tuple[str, ...]]]:
        for_name, for_address = self.settings.tries
        return [
            (RateLimitItemPerMinute(for_name), ("name", name.casefold(), address)),
            (RateLimitItemPerMinute(for_address), ("address", address)),
        ]


def open_site(settings: Settings) -> Site:
    """Load the benchmark, open the database and see to its owner and its key."""
    if settings.pool is not None and not Path(settings.benchmark).exists():
        begin_empty(Path(settings.benchmark))
    places(settings.rigs)  # what is wrong with them is told before anything is opened
    loaded = load(settings.benchmark, settings.data, settings.subset)
    pool = Pool(settings.pool, settings.store) if settings.pool is not None else None
    settings.store.mkdir(parents=True, exist_ok=True)
    database = Database(settings.url)
    with database.write() as db:
        ensure_owner(db, settings)
        key = db.get(Fact, "key")
        if key is None:
            key = Fact(name="key", value=settings.token())
            db.add(key)
        secret = key.value.encode()
    return Site(
        settings, database, loaded, loaded.media_folder(), secret, MovingWindowRateLimiter(MemoryStorage()), pool
    )


def begin_empty(folder: Path) -> None:
    """A benchmark without questions, to be written from a pool."""
    folder.mkdir(parents=True)
    write_items(folder / "items.parquet", [])
    card = {"name": folder.resolve().name, "title": folder.resolve().name}
    write_text(folder / FILE, json.dumps(card, ensure_ascii=False) + "\n")


def site_of(request: Request) -> Site:
    """The site that a request came to."""
    site: Site = request.app.state.site
    return site
