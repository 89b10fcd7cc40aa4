"""Previews: the pages that a project has for somebody of a role, made as for a real person; nothing of it is written.

An account of the role is made in a transaction that is rolled back, the page is asked for with its cookie through the
application itself, and all that the page could send is taken out of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from sqlalchemy.orm import Session as Orm
from starlette.types import ASGIApp, Message

from tolman.review.accounts import identity
from tolman.review.site import REHEARSED, Site
from tolman.review.store.rehearsal import rehearsal
from tolman.review.store.schema import Member, Project, User
from tolman.runtime import run_blocking

PAGES = {"work": "/projects/{project}/work", "home": "/", "progress": "/projects/{project}/progress"}
"""Pages that can be looked at → their addresses."""
_MOST_STEPS = 6
_SENDS = re.compile(
    r'\s(?:hx-[a-z-]+|action|formaction|method|data-time-over|data-ask|data-undo)(?:="[^"]*")?(?=[\s>])'
)
_PRESSED = re.compile(r'<button(?![^>]*\stype="button")')


@dataclass(frozen=True)
class Previewed:
    """A page as somebody of a role would see it.

    Attributes:
        status: of the answer.
        address: where they came out: the page of a task, say.
        text: the page, without anything that sends.
    """

    status: int
    address: str
    text: str


def preview(app: ASGIApp, site: Site, project: int, role: str, name: str, host: str) -> Previewed:
    """Make a page for nobody.

    Args:
        app: the application.
        site: the opened store.
        project: whose page.
        role: of who would look at it.
        name: of `PAGES`.
        host: by which the application was called.
    """
    with rehearsal(site.database) as database:
        rehearsed = replace(site, database=database, totals={})
        with database.write() as db:
            cookie = _somebody(db, rehearsed, project, role)
        address = PAGES[name].format(project=project)
        for _ in range(_MOST_STEPS):
            status, headers, body = _asked(app, rehearsed, address, cookie, host)
            if status != 303:
                break
            address = urlsplit(headers["location"]).path
    return Previewed(status, address, _inert(body.decode()))


def _somebody(db: Orm, site: Site, project: int, role: str) -> str:
    """The cookie of a new person who belongs to the project."""
    token = site.settings.token()
    user = User(name=f"preview {token[:8]}", role=role, password=None, created=site.settings.clock())
    db.add(user)
    db.flush()
    if db.get_one(Project, project).restricted:
        db.add(Member(project_id=project, user_id=user.id))
    return identity.sign_in(db, site.settings, user, None)


def _asked(app: ASGIApp, site: Site, path: str, cookie: str, host: str) -> tuple[int, dict[str, str], bytes]:
    """Ask the application for a page; in an event loop of this thread, as the server's threads may all be waiting."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    own = f"{site.settings.cookie}={cookie}".encode()
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "client": None, "server": None,
        "headers": [(b"host", host.encode("latin-1")), (b"cookie", own)], REHEARSED: site,
    }  # fmt: skip

    async def once() -> None:
        await app(scope, receive, send)

    run_blocking(once())
    headers = {name.decode().lower(): value.decode("latin-1") for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


def _inert(text: str) -> str:
    """A page whose forms go nowhere and whose buttons that send can't be pressed."""
    text = re.sub(r"<[a-z][^>]*>", lambda tag: _SENDS.sub("", tag.group()), text)
    return _PRESSED.sub("<button disabled", text)
