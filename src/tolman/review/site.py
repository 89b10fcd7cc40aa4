"""The site that all pages of a running server share, and the one place that decides who may call a route.

Every route names its roles by `allow(…)`; an application with a route that doesn't is refused at its start. A request
that changes something must carry the token of its own session (CSRF).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request
from fastapi.routing import APIRoute

from tolman.benchmarks.benchmark_folder import FILE
from tolman.files import write_text
from tolman.item_table import write_items
from tolman.review.accounts import Person, ensure_owner, person_of, plain_name, saw
from tolman.review.accounts.protection import Attempts, Limit, Passwords, host_name, network_of
from tolman.review.evidence.point_clouds import places
from tolman.review.server_settings import ReviewSettings
from tolman.review.store.database import Database
from tolman.review.store.pool import MediaPool
from tolman.review.store.schema import ROLES, Fact
from tolman.runs.run_items import Loaded, load


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
    """Numbers that pages of large projects tell, with their times; see `tasks.assignments.total`."""

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders in which media of items are looked for, in this order.

        Media of items that people made are in the store, under names made from their content.
        """
        scenes = self.settings.scenes
        return (self.folder, self.settings.store, *([scenes] if scenes else []))

    def sign(self, *parts: object) -> str:
        """Return a name of 128 bits for some parts, which others can neither make nor read."""
        return signed(self.key, *parts)

    @property
    def hosts(self) -> frozenset[str] | None:
        """Return the names by which the server may be called; None for any, if the settings name none."""
        named = [urlsplit(self.settings.base_url).hostname or ""] if self.settings.base_url else []
        named += self.settings.hosts
        return frozenset(own_names(None) | {name.casefold() for name in named}) if named else None

    def attempt(self, name: str, address: str) -> str | None:
        """Count an attempt at a person's password before it is checked; None if it has to wait."""
        for_name, for_address = self.settings.tries
        name, network = plain_name(name).casefold(), network_of(address)
        return self.attempts.begin(
            [
                (("name", name, network), Limit(for_name, 60.0)),
                (("address", network), Limit(for_address, 60.0)),
                (("account", name), Limit(self.settings.account_tries, 600.0)),
            ]
        )

    def link(self, path: str, request: Request) -> dict[str, Any]:
        """Return the whole address of a path of this server, for sending to people; values of a page.

        Args:
            path: begins with a slash.
            request: of the page. Anybody can forge its browser's name for this server.

        Returns:
            The `link`, and whether it is `named`: has that name, or comes from `ReviewSettings.base_url`.
        """
        if self.settings.base_url is not None:
            return {"link": self.settings.base_url.rstrip("/") + path, "named": True}  # with its path prefix
        scheme, host, server = request.url.scheme, request.headers.get("host"), request.scope.get("server")
        if host is not None and host_name(host) in own_names(server):
            return {"link": f"{scheme}://{host}{path}", "named": True}
        address, port = server or ("localhost", 80)
        return {"link": f"{scheme}://{f'[{address}]' if ':' in address else address}:{port}{path}", "named": False}


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


ANYBODY = "anybody"
SAFE = ("GET", "HEAD", "OPTIONS")


class SignInNeededError(Exception):
    """A page that needs a sign-in was requested without one."""


@dataclass(frozen=True)
class Visitor:
    """Whose request it is.

    Attributes:
        request: itself.
        person: who is signed in, or None.
        cookie: the browser's, or a new one that the answer will set.
        csrf: the token that requests which change something must carry.
        is_new: whether the browser came without a cookie.
    """

    request: Request
    person: Person | None
    cookie: str
    csrf: str
    is_new: bool


async def _site(request: Request) -> Site:
    """The site; a coroutine, as FastAPI has plain functions wait for a thread."""
    return site_of(request)


def visitor_of(request: Request) -> Visitor:
    """Find the sender of a request, by its cookie."""
    request.state.route = getattr(request.scope.get("route"), "path", None)  # for the log
    site = site_of(request)
    cookie = request.cookies.get(site.settings.cookie)
    if not cookie or len(cookie) > 200:
        cookie = site.settings.token()
        return Visitor(request, None, cookie, site.sign("csrf", cookie), is_new=True)
    with site.database.look() as db:
        person = person_of(db, site.settings, cookie)
    if person is not None and person.stale:
        with site.database.write_for(person.id) as db:
            saw(db, site.settings, cookie)
    request.state.person = person.id if person else None
    return Visitor(request, person, cookie, site.sign("csrf", cookie), is_new=False)


class _Allowed:
    """The dependency behind `allow`."""

    def __init__(self, roles: Sequence[str]) -> None:
        self.roles = tuple(roles)

    async def __call__(self, request: Request, visitor: Annotated[Visitor, Depends(visitor_of)]) -> None:
        if ANYBODY not in self.roles:
            if visitor.person is None:
                raise SignInNeededError
            if not set(visitor.person.roles) & set(self.roles):
                raise HTTPException(403, "This page is not for your role.")
        if request.method not in SAFE:
            given = request.headers.get("x-csrf-token") or (await request.form()).get("csrf")
            if not isinstance(given, str) or not hmac.compare_digest(given.encode(), visitor.csrf.encode()):
                raise HTTPException(403, "This form is out of date. Load the page again and send it once more.")


def allow(*roles: str) -> Any:
    """For `dependencies=[…]` of a route or router: who may call it. `anybody` needs no sign-in."""
    unknown = set(roles) - {*ROLES, ANYBODY}
    if unknown or not roles:
        raise ValueError(f"no roles: {unknown or roles}")
    return Depends(_Allowed(roles))


def roles_of(route: APIRoute) -> frozenset[str]:
    """Roles that may call a route: those that every `allow` on it names; empty where it has none."""
    named = [set(d.call.roles) for d in route.dependant.dependencies if isinstance(d.call, _Allowed)]
    return frozenset(set.intersection(*named)) if named else frozenset()


async def signed_in(visitor: Annotated[Visitor, Depends(visitor_of)]) -> Person:
    """The person; for routes that `allow` has kept anybody else from."""
    if visitor.person is None:
        raise SignInNeededError
    return visitor.person


Me = Annotated[Person, Depends(signed_in)]
Guest = Annotated[Visitor, Depends(visitor_of)]
TheSite = Annotated[Site, Depends(_site)]
