"""The owner's console: a project's items as a table, one item, acts on them, the audit log, and previews.

The audit log records sign-ins and failed ones, invitations, resets, closed accounts, started projects and exports. It
is the part of the history that isn't about single items. Rows are only ever added: the database refuses the rest.

Previews are the pages of a project for a person with a role, made as for a real person; nothing of it is stored. An
account of the role is made in a transaction that is rolled back, and the page is requested with its cookie through the
application itself. Everything that the page could send is removed from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Form, HTTPException, Query
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm
from starlette.types import ASGIApp, Message

from tolman.review import accounts, tasks
from tolman.review.console import SORTS, STATES, ItemFilter, acts as bulk, item_detail, labels_of, page_of
from tolman.review.console.acts import KINDS, ActError
from tolman.review.forms import Clean, Key, Paragraphs, RowId, clean, shown_answer
from tolman.review.modes import MODES
from tolman.review.projects import project_of
from tolman.review.site import REHEARSED, Guest, Me, Site, TheSite, Visitor, allow, environment, page, see_other
from tolman.review.store import ROLES, Flag, HistoryEvent, ItemVersion, Member, Project, User
from tolman.review.store.database import rehearsal
from tolman.review.tasks.blinding import blind
from tolman.runtime import run_blocking

console_router = APIRouter(prefix="/projects/{project}", dependencies=[allow("owner")])
_LONGEST = 200
_ACTS = 100
Text = Annotated[str, Query(max_length=_LONGEST), Clean]
State = Literal["", "waiting", "leased", "answered", "settled", "flagged", "left out", "not asked"]
Sort = Literal["id", "label", "state", "answers", "disagreement", "time", "models"]
Do = Annotated[Literal["reopen", "leave out", "take in", "assign", "nothing"], Form()]
Ids = Annotated[list[Annotated[int, Field(ge=1, le=2**31 - 1)]], Form(default_factory=list, max_length=1000)]


@console_router.get("/items", response_class=HTMLResponse)
def show_items(
    site: TheSite, guest: Guest, project: Key, text: Text = "", label: Text = "", state: State = "", sort: Sort = "id",
    order: Literal["", "down"] = "", page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    act: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
) -> Response:  # fmt: skip
    """A page of the items that a filter chooses."""
    chosen = ItemFilter(text, label, state, sort, order, page)
    return _items(site, guest, project, chosen, act=act)


def _items(
    site: Site, guest: Visitor, project: int, chosen: ItemFilter, *, act: int = 0, problem: str = ""
) -> Response:
    with site.database.read() as db:
        found = project_of(db, project)
        content: dict[str, Any] = {
            "project": found,
            "mode": MODES[found.mode],
            "chosen": chosen,
            "table": page_of(db, found, chosen, site.settings.clock()),
            "labels": labels_of(db, found),
            "people": bulk.workers(db, found),
            "act": bulk.act_of(db, found, act) if act else None,
            "slots": item_detail.slots_of(db, found, site.settings.clock()) if MODES[found.mode].makes_items else [],
        }
    return page(
        guest, "items.html", status=409 if problem else 200, states=STATES, sorts=SORTS, kinds=KINDS, problem=problem,
        **content,
    )  # fmt: skip


@console_router.post("/items/act", response_class=HTMLResponse)
def act(
    site: TheSite, guest: Guest, me: Me, project: Key, do: Do, ids: Ids, whole: bool = Form(False),
    reason: Paragraphs = "", person: RowId = None, query: Paragraphs = "", back: RowId = None,
) -> Response:  # fmt: skip
    """Do something with the items that are ticked, or with all that match the filter."""
    chosen = _of_query(query)
    with site.database.view() as db:
        project_of(db, project)
    if do == "nothing":  # Enter was pressed in a field
        return see_other(_address(project, back, chosen, 0))
    try:
        number = bulk.begin_act(
            site, project, me, do, chosen if whole else ids, reason=reason.strip(), person=person
        )  # fmt: skip
    except ActError as error:
        if back is not None:
            return _item(site, guest, project, back, problem=str(error))
        return _items(site, guest, project, chosen, problem=str(error))
    return see_other(_address(project, back, chosen, number))


@console_router.post("/slots", response_class=HTMLResponse)
def slot(site: TheSite, guest: Guest, me: Me, project: Key, assignment: RowId = None, person: RowId = None) -> Response:
    """Take a task that is about no item yet from a person, and give it to the named one, if any."""
    with site.database.view() as db:
        project_of(db, project)
    try:
        item_detail.release_slot(site, project, me, assignment or 0, person)
    except ActError as error:
        return _items(site, guest, project, ItemFilter(), problem=str(error))
    return see_other(f"/projects/{project}/items")


@console_router.get("/items/{version}", response_class=HTMLResponse)
def show_item(
    site: TheSite, guest: Guest, project: Key, version: Key, act: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0
) -> Response:
    """One item: as people see it, with its submissions, leases and decisions."""
    return _item(site, guest, project, version, act=act)


@console_router.post("/items/{version}/lease", response_class=HTMLResponse)
def lease(
    site: TheSite, guest: Guest, me: Me, project: Key, version: Key, assignment: RowId = None, person: RowId = None
) -> Response:
    """Take an item from its holder, and give it to the named person, if any."""
    with site.database.view() as db:
        _version(db, project, version)
    try:
        number = item_detail.release_lease(site, project, me, version, assignment or 0, person)
    except ActError as error:
        return _item(site, guest, project, version, problem=str(error))
    return see_other(_address(project, version, ItemFilter(), number))


@console_router.post("/items/{version}/void", response_class=HTMLResponse)
def void(
    site: TheSite, guest: Guest, me: Me, project: Key, version: Key, submission: RowId = None, reason: Paragraphs = "",
    again: bool = Form(False),
) -> Response:  # fmt: skip
    """Void a person's submission, and have the item asked again."""
    with site.database.view() as db:
        _version(db, project, version)
    try:
        number = item_detail.void_submission(site, project, me, version, submission or 0, reason.strip(), again=again)
    except ActError as error:
        return _item(site, guest, project, version, problem=str(error))
    return see_other(_address(project, version, ItemFilter(), number))


@console_router.get("/acts", response_class=HTMLResponse)
def show_acts(site: TheSite, guest: Guest, project: Key) -> Response:
    """Show the acts on a project's items."""
    return _acts(site, guest, project)


def _acts(site: Site, guest: Visitor, project: int, problem: str = "") -> Response:
    with site.database.read() as db:
        found = project_of(db, project)
        listed = bulk.acts_of(db, found, _ACTS)
    status = 409 if problem else 200
    return page(guest, "acts.html", status=status, project=found, acts=listed, problem=problem)


@console_router.post("/acts/{act}/undo", response_class=HTMLResponse)
def undo_an_act(site: TheSite, guest: Guest, me: Me, project: Key, act: Key) -> Response:
    """Have all items of an act as they were before it."""
    with site.database.view() as db:
        if bulk.act_of(db, project_of(db, project), act) is None:
            raise HTTPException(404, "There is no such act.")
    try:
        bulk.undo_act(site, project, act, me)
    except ActError as error:
        return _acts(site, guest, project, problem=str(error))
    return see_other(f"/projects/{project}/acts")


def _item(site: Site, guest: Visitor, project: int, version: int, *, act: int = 0, problem: str = "") -> Response:
    with site.database.read() as db:
        found, about = _version(db, project, version)
        now = site.settings.clock()
        item = tasks.item_of(about)
        content: dict[str, Any] = {
            "project": found,
            "version": about,
            "versions": item_detail.versions_of(db, found, about),
            "item": item,
            "question": blind(site, found.id, item),
            "truth": shown_answer(item, item.answer),
            "submissions": item_detail.submissions_about(db, found, about),
            "leases": item_detail.leases_about(db, about, now),
            "decisions": item_detail.decisions_about(db, found, about),
            "flags": list(db.scalars(select(Flag).where(Flag.item_id == about.id).order_by(Flag.id))),
            "people": bulk.workers(db, found),
            "act": bulk.act_of(db, found, act) if act else None,
        }
    status = 409 if problem else 200
    return page(guest, "item.html", status=status, kinds=KINDS, problem=problem, **content)


def _of_query(query: str) -> ItemFilter:
    """The filter of an address's query, as the table's form sends it along."""
    told = {name: clean(values[-1])[:_LONGEST] for name, values in parse_qs(query).items()}
    state, sort, number = told.get("state", ""), told.get("sort", "id"), told.get("page", "1")
    if state not in ("", *STATES) or sort not in SORTS:
        raise HTTPException(422, "The filter can't be read. Load the page again.")
    return ItemFilter(
        told.get("text", ""), told.get("label", ""), state, sort, "down" if told.get("order") == "down" else "",
        int(number) if number.isdecimal() and 0 < len(number) < 7 else 1,
    )  # fmt: skip


def _address(project: int, version: int | None, chosen: ItemFilter, act: int) -> str:
    if version is not None:
        return f"/projects/{project}/items/{version}?act={act}"
    return f"/projects/{project}/items?" + "&".join(filter(None, (chosen.query(page=chosen.page), f"act={act}")))


def _version(db: Orm, project: int, version: int) -> tuple[Project, ItemVersion]:
    found, about = project_of(db, project), db.get(ItemVersion, version)
    if about is None or about.project_id != found.id:
        raise HTTPException(404, "There is no such question.")
    return found, about


audit_router = APIRouter(prefix="/audit", dependencies=[allow("owner")])
EVENTS_SHOWN = 200
_EVENTS_AT_ONCE = 1000


@audit_router.get("", response_class=HTMLResponse)
def show_audit(site: TheSite, guest: Guest, before: Annotated[int, Query(ge=0)] = 0) -> Response:
    """The newest events, or those before one."""
    with site.database.read() as db:
        chosen = _events().order_by(HistoryEvent.id.desc()).limit(EVENTS_SHOWN)
        found = db.execute(chosen.where(HistoryEvent.id < before) if before else chosen).all()
    rows = [_event_row(event, name) for event, name in found]
    return page(guest, "audit.html", rows=rows, more=rows[-1]["id"] if len(rows) == EVENTS_SHOWN else 0)


@audit_router.get("/events.jsonl", response_class=StreamingResponse)
def events(site: TheSite) -> Response:
    """All events, the oldest first, one JSON object a line."""
    headers = {"content-disposition": 'attachment; filename="audit.jsonl"'}
    return StreamingResponse(_event_lines(site), media_type="application/jsonl", headers=headers)


def _events() -> Any:
    """Events that aren't about single items, each with its person's name."""
    return (
        select(HistoryEvent, User.name)
        .outerjoin(User, User.id == HistoryEvent.user_id)
        .where(HistoryEvent.item.is_(None))
    )


def _event_lines(site: Site) -> Iterator[str]:
    last = 0
    while True:
        with site.database.read() as db:
            part = db.execute(
                _events().where(HistoryEvent.id > last).order_by(HistoryEvent.id).limit(_EVENTS_AT_ONCE)
            ).all()
        for event, name in part:
            yield json.dumps(_event_row(event, name), ensure_ascii=False) + "\n"
        if len(part) < _EVENTS_AT_ONCE:
            return
        last = part[-1][0].id


def _event_row(event: HistoryEvent, name: str | None) -> dict[str, Any]:
    return {
        "id": event.id,
        "time": datetime.fromtimestamp(event.created, UTC).isoformat(timespec="seconds"),
        "what": event.what,
        "who": name,
        "project": event.project_id,
        "more": event.content,
    }


PREVIEWED_PAGES = {"work": "/projects/{project}/work", "home": "/", "progress": "/projects/{project}/progress"}
"""Pages that can be looked at → their addresses."""
_MOST_STEPS = 6
_SENDS = re.compile(
    r'\s(?:hx-[a-z-]+|action|formaction|method|data-time-over|data-ask|data-undo)(?:="[^"]*")?(?=[\s>])'
)
_PRESSED = re.compile(r'<button(?![^>]*\stype="button")')


def preview(app: ASGIApp, site: Site, project: int, role: str, name: str, host: str) -> str:
    """Make a page as a person with a role would see it, without a real visitor and without anything that sends.

    Args:
        app: the application.
        site: the opened store.
        project: whose page.
        role: of the imagined visitor.
        name: of `PAGES`.
        host: by which the application was called.
    """
    with rehearsal(site.database) as database:
        rehearsed = replace(site, database=database, totals={})
        with database.write() as db:
            cookie = _somebody(db, rehearsed, project, role)
        address = PREVIEWED_PAGES[name].format(project=project)
        for _ in range(_MOST_STEPS):
            status, headers, body = _asked(app, rehearsed, address, cookie, host)
            if status != 303:
                break
            address = urlsplit(headers["location"]).path
    return _inert(body.decode())


def _somebody(db: Orm, site: Site, project: int, role: str) -> str:
    """The cookie of a new person who belongs to the project."""
    token = site.settings.token()
    user = User(name=f"preview {token[:8]}", role=role, password=None, created=site.settings.clock())
    db.add(user)
    db.flush()
    if db.get_one(Project, project).restricted:
        db.add(Member(project_id=project, user_id=user.id))
    return accounts.sign_in(db, site.settings, user, None)


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


preview_router = APIRouter(dependencies=[allow("owner")])


@preview_router.get("/projects/{project}/preview/{role}", response_class=HTMLResponse)
def show_preview(
    site: TheSite, guest: Guest, project: Key, role: Literal["owner", "annotator", "reviewer", "subject"],
    view: Literal["work", "home", "progress"] = "work",
) -> Response:  # fmt: skip
    """Show a page; nothing is written, and nothing on it can be sent."""
    with site.database.read() as db:
        found = project_of(db, project)
    host = guest.request.headers.get("host", "localhost")
    seen = preview(guest.request.app, site, project, role, view, host)
    bar = environment().get_template("_preview.html").render(
        project=found, roles=ROLES, pages=PREVIEWED_PAGES, role=role, view=view, prefix=site.settings.prefix
    )  # fmt: skip
    # Whatever the person would have been told, the preview itself has succeeded.
    return HTMLResponse(seen.replace('<main id="main"', f'{bar}<main id="main"', 1))


ROUTERS = (console_router, audit_router, preview_router)
