"""The site that all pages of a running server share, and the one place that decides who may call a route.

Every route names its roles by `allow(…)`; an application with a route that doesn't is refused at its start. A request
that changes something must carry the token of its own session (CSRF).

Pages are made from templates, with one table of their keyboard shortcuts. They show the table on `?`, and tests read
it. Its keys are punctuation, arrows and combinations. Letters and digits choose: the page itself shows them, on the
element that they press (`data-key`). So no key of the table can be an option's letter as well."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import socket
import string
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tolman.benchmarks.benchmark_folder import FILE
from tolman.errors import counted
from tolman.files import write_text
from tolman.item_table import write_items
from tolman.review.accounts import Person, ensure_owner, person_of, plain_name, saw
from tolman.review.accounts.protection import Attempts, Limit, Passwords, host_name, network_of
from tolman.review.evidence.point_clouds import places
from tolman.review.server_settings import ReviewSettings
from tolman.review.store import ROLES, Fact
from tolman.review.store.database import Database
from tolman.review.store.pool import MediaPool
from tolman.runs.run_items import Loaded, load
from tolman.scoring.agreement_coefficients import Coefficient

CHOICE_KEYS = string.digits[1:] + string.digits[0] + string.ascii_lowercase
"""Keys that choose, in the order in which a page without letters of its own gives them out."""


@dataclass(frozen=True)
class PageKey:
    """A key that does one thing wherever it does anything.

    Attributes:
        key: as `keys.js` names it: KeyboardEvent.key, 'Space' for the space bar, after Ctrl+ (on a Mac Command) and,
            where the key writes no character, Shift+.
        shown: the same for people; keys that are pressed together joined by '+'.
        act: name of its action, by which scripts and buttons (`data-act`) know it.
        does: the same for people.
        needs: CSS selector of an element that a page must show for the key to do anything; '' for every page.
    """

    key: str
    shown: str
    act: str
    does: str
    needs: str = ""


_VIDEO = ".stage video"
_STAGE = ".stage"
_MANY = ".media.many"
_RADIO = "form[data-ask] input[type=radio], main:has(.media) input[type=radio]"
KEY_TABLE: tuple[PageKey, ...] = (
    PageKey("?", "?", "keys", "show or hide these keys"),
    PageKey("Enter", "Enter", "submit", "submit", "form[data-ask]"),
    PageKey("Ctrl+z", "Ctrl+Z", "undo", "take the last answer back", "[data-undo]"),
    PageKey("ArrowUp", "↑", "option-before", "go to the option before", _RADIO),
    PageKey("ArrowDown", "↓", "option-after", "go to the next option", _RADIO),
    PageKey("Space", "Space", "play", "play or pause; on a button or a free option, press it", _VIDEO),
    PageKey("ArrowLeft", "←", "second-back", "one second back", _VIDEO),
    PageKey("ArrowRight", "→", "second-on", "one second on", _VIDEO),
    PageKey(",", ",", "frame-back", "one frame back", _VIDEO),
    PageKey(".", ".", "frame-on", "one frame on", _VIDEO),
    PageKey("<", "<", "slower", "play slower", _VIDEO),
    PageKey(">", ">", "faster", "play faster", _VIDEO),
    PageKey(";", ";", "moment", "add the moment that the video shows to the key frames", "form[data-ask] #frames"),
    PageKey("+", "+", "zoom-in", "enlarge the picture", _STAGE),
    PageKey("-", "-", "zoom-out", "make the picture smaller", _STAGE),
    PageKey("=", "=", "zoom-whole", "show the whole picture", _STAGE),
    PageKey("Shift+ArrowLeft", "Shift+←", "pan-left", "show more of the enlarged picture's left", _STAGE),
    PageKey("Shift+ArrowRight", "Shift+→", "pan-right", "show more of its right", _STAGE),
    PageKey("Shift+ArrowUp", "Shift+↑", "pan-up", "show more of its top", _STAGE),
    PageKey("Shift+ArrowDown", "Shift+↓", "pan-down", "show more of its bottom", _STAGE),
    PageKey("(", "(", "picture-before", "go to the picture before", _MANY),
    PageKey(")", ")", "picture-after", "go to the next picture", _MANY),
    PageKey("/", "/", "blink", "blink between two pictures, and show the other one", _MANY),
)


@cache
def key_table_json() -> str:
    """The table for a page's attribute."""
    return json.dumps([asdict(row) for row in KEY_TABLE], ensure_ascii=False)


def choice_keys() -> Iterator[str]:
    """Give out the keys that choose, one after the other; '' where there are none left."""
    yield from CHOICE_KEYS
    while True:
        yield ""


HERE = Path(__file__).parent


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates; every value in them is escaped."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # the package's own files don't change while it runs
    )
    made.globals["key_table"] = key_table_json
    made.globals["choice_keys"] = choice_keys
    made.globals["next"] = next
    made.filters["counted"] = counted
    made.filters["minutes"] = minutes
    made.filters["utc"] = utc
    made.filters["percent"] = lambda share: "–" if share is None else f"{100 * share:.0f} %"
    made.filters["figure"] = lambda value: "–" if value is None else f"{value:.2f}"
    return made


def minutes(seconds: float | None) -> str:
    """A time as people say it."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60):02d} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"


def utc(seconds: float) -> str:
    """A time as the tables of pages have it, to the minute; its column says that it is UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


COEFFICIENT = ("value", "95 % interval", "questions")
"""Headings of what `coefficient` gives."""


def coefficient(found: Coefficient) -> tuple[str, str, int]:
    """A coefficient of agreement for a table: value, interval or why there is none, and the number of questions."""
    value = "–" if found.value is None else f"{found.value:.2f}"
    between = found.interval
    interval = f"none: {found.reason}" if between is None else f"{between.low:.2f} to {between.high:.2f}"
    return value, interval, found.n


def page(visitor: Visitor, template: str, /, *, status: int = 200, **content: Any) -> HTMLResponse:
    """Return a whole page. Templates are given `me` (a Person or None), `csrf` and `path` besides the content."""
    shared = {"me": visitor.person, "csrf": visitor.csrf, "path": visitor.request.url.path}
    text = environment().get_template(template).render(**shared, **content)
    prefix = site_of(visitor.request).settings.prefix
    answer = HTMLResponse(_ADDRESS.sub(rf"\1{prefix}/", text) if prefix else text, status_code=status)
    if visitor.is_new:
        set_cookie(visitor, answer, visitor.cookie)
    return answer


_ADDRESS = re.compile(r'(\s(?:href|src|action|formaction|poster|hx-(?:get|post)|data-[a-z-]+)=")/(?!/)')
"""An address of this server in a page. What people wrote holds no quotation mark that isn't escaped."""


def see_other(address: str) -> RedirectResponse:
    """Go and look there: after everything that changed something, so that loading again sends nothing again."""
    return RedirectResponse(address, status_code=303)


def set_cookie(visitor: Visitor, answer: Response, token: str) -> None:
    """Give the browser its cookie: out of reach of scripts, not sent along by other sites' forms."""
    settings = site_of(visitor.request).settings
    secure = visitor.request.url.scheme == "https" or settings.is_secure
    path = settings.prefix or "/"
    answer.set_cookie(settings.cookie, token, httponly=True, samesite="lax", secure=secure, path=path)


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
