"""The owner's console: a project's items as a table, one of them with all that happened to it, and acts on them."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import parse_qs

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import Field
from sqlalchemy.orm import Session as Orm

from tolman.review.access import Guest, Me, TheSite, Visitor, allow
from tolman.review.console import acts as acts_told
from tolman.review.console import bulk, detail, single
from tolman.review.console.changes import KINDS, ActError
from tolman.review.console.items import SORTS, STATES, ItemFilter, labels_of, page_of
from tolman.review.forms.answers import shown_answer
from tolman.review.forms.fields import Clean, Key, Paragraphs, RowId, clean
from tolman.review.media.blind import blind
from tolman.review.modes import MODES
from tolman.review.pages import page, see_other
from tolman.review.site import Site
from tolman.review.store.schema import ItemVersion, Project
from tolman.review.tasks import work

router = APIRouter(prefix="/projects/{project}", dependencies=[allow("owner")])
_LONGEST = 200
_ACTS = 100
Text = Annotated[str, Query(max_length=_LONGEST), Clean]
State = Literal["", "waiting", "leased", "answered", "settled", "flagged", "left out", "not asked"]
Sort = Literal["id", "label", "state", "answers", "disagreement", "time", "models"]
Do = Annotated[Literal["reopen", "leave out", "take in", "assign", "nothing"], Form()]
Ids = Annotated[list[Annotated[int, Field(ge=1, le=2**31 - 1)]], Form(default_factory=list, max_length=1000)]


@router.get("/items", response_class=HTMLResponse)
def items(
    request: Request, site: TheSite, guest: Guest, project: Key, text: Text = "", label: Text = "", state: State = "",
    sort: Sort = "id", order: Literal["", "down"] = "", page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    act: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
) -> Response:  # fmt: skip
    """A page of the items that a filter chooses."""
    chosen = ItemFilter(text, label, state, sort, order, page)
    return _items(request, site, guest, project, chosen, act=act)


def _items(
    request: Request,
    site: Site,
    guest: Visitor,
    project: int,
    chosen: ItemFilter,
    *,
    act: int = 0,
    problem: str = "",
) -> Response:
    with site.database.read() as db:
        found = _project(db, project)
        content: dict[str, Any] = {
            "project": found,
            "mode": MODES[found.mode],
            "chosen": chosen,
            "table": page_of(db, found, chosen, site.settings.clock()),
            "labels": labels_of(db, found),
            "people": bulk.workers(db, found),
            "act": acts_told.act_of(db, found, act) if act else None,
            "slots": detail.slots_of(db, found, site.settings.clock()) if MODES[found.mode].makes_items else [],
        }
    return page(
        request, guest, "items.html", status=409 if problem else 200, states=STATES, sorts=SORTS, kinds=KINDS,
        problem=problem, **content,
    )  # fmt: skip


@router.post("/items/act", response_class=HTMLResponse)
def act(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, do: Do, ids: Ids, whole: bool = Form(False),
    reason: Paragraphs = "", person: RowId = None, query: Paragraphs = "", back: RowId = None,
) -> Response:  # fmt: skip
    """Do something with the items that are ticked, or with all that match the filter."""
    chosen = _of_query(query)
    with site.database.view() as db:
        _project(db, project)
    if do == "nothing":  # Enter was pressed in a field
        return see_other(_address(project, back, chosen, 0))
    try:
        number = bulk.begin(
            site, project, me, do, chosen if whole else ids, reason=reason.strip(), person=person
        )  # fmt: skip
    except ActError as error:
        if back is not None:
            return _item(request, site, guest, project, back, problem=str(error))
        return _items(request, site, guest, project, chosen, problem=str(error))
    return see_other(_address(project, back, chosen, number))


@router.post("/slots", response_class=HTMLResponse)
def slot(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, assignment: RowId = None, person: RowId = None
) -> Response:
    """Take a task that is about no item yet from somebody, and give it to somebody else where one is named."""
    with site.database.view() as db:
        _project(db, project)
    try:
        single.release_slot(site, project, me, assignment or 0, person)
    except ActError as error:
        return _items(request, site, guest, project, ItemFilter(), problem=str(error))
    return see_other(f"/projects/{project}/items")


@router.get("/items/{version}", response_class=HTMLResponse)
def item(
    request: Request, site: TheSite, guest: Guest, project: Key, version: Key,
    act: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
) -> Response:  # fmt: skip
    """One item: as people see it, with its submissions, leases and decisions."""
    return _item(request, site, guest, project, version, act=act)


@router.post("/items/{version}/lease", response_class=HTMLResponse)
def lease(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, version: Key, assignment: RowId = None,
    person: RowId = None,
) -> Response:  # fmt: skip
    """Take an item from somebody who holds it, and give it to somebody else where one is named."""
    with site.database.view() as db:
        _version(db, project, version)
    try:
        number = single.release(site, project, me, version, assignment or 0, person)
    except ActError as error:
        return _item(request, site, guest, project, version, problem=str(error))
    return see_other(_address(project, version, ItemFilter(), number))


@router.post("/items/{version}/void", response_class=HTMLResponse)
def void(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, version: Key, submission: RowId = None,
    reason: Paragraphs = "", again: bool = Form(False),
) -> Response:  # fmt: skip
    """Take somebody's submission back, and have the item asked again."""
    with site.database.view() as db:
        _version(db, project, version)
    try:
        number = single.void(site, project, me, version, submission or 0, reason.strip(), again=again)
    except ActError as error:
        return _item(request, site, guest, project, version, problem=str(error))
    return see_other(_address(project, version, ItemFilter(), number))


@router.get("/acts", response_class=HTMLResponse)
def acts(request: Request, site: TheSite, guest: Guest, project: Key) -> Response:
    """What was done with a project's items."""
    return _acts(request, site, guest, project)


def _acts(request: Request, site: Site, guest: Visitor, project: int, problem: str = "") -> Response:
    with site.database.read() as db:
        found = _project(db, project)
        listed = acts_told.acts_of(db, found, _ACTS)
    status = 409 if problem else 200
    return page(request, guest, "acts.html", status=status, project=found, acts=listed, problem=problem)


@router.post("/acts/{act}/undo", response_class=HTMLResponse)
def undo(request: Request, site: TheSite, guest: Guest, me: Me, project: Key, act: Key) -> Response:
    """Have all items of an act as they were before it."""
    with site.database.view() as db:
        if acts_told.act_of(db, _project(db, project), act) is None:
            raise HTTPException(404, "There is no such act.")
    try:
        bulk.undo(site, project, act, me)
    except ActError as error:
        return _acts(request, site, guest, project, problem=str(error))
    return see_other(f"/projects/{project}/acts")


def _item(
    request: Request, site: Site, guest: Visitor, project: int, version: int, *, act: int = 0, problem: str = ""
) -> Response:
    with site.database.read() as db:
        found, about = _version(db, project, version)
        now = site.settings.clock()
        item = work.item_of(about)
        content: dict[str, Any] = {
            "project": found,
            "version": about,
            "versions": detail.versions_of(db, found, about),
            "item": item,
            "question": blind(site, found.id, item),
            "truth": shown_answer(item, item.answer),
            "submissions": detail.submissions_about(db, found, about),
            "leases": detail.leases_about(db, about, now),
            "decisions": detail.decisions_about(db, found, about),
            "flags": detail.flags_about(db, about),
            "people": bulk.workers(db, found),
            "act": acts_told.act_of(db, found, act) if act else None,
        }
    status = 409 if problem else 200
    return page(request, guest, "item.html", status=status, kinds=KINDS, problem=problem, **content)


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


def _project(db: Orm, project: int) -> Project:
    found = db.get(Project, project)
    if found is None or found.mode not in MODES:
        raise HTTPException(404, "There is no such project.")
    return found


def _version(db: Orm, project: int, version: int) -> tuple[Project, ItemVersion]:
    found, about = _project(db, project), db.get(ItemVersion, version)
    if about is None or about.project_id != found.id:
        raise HTTPException(404, "There is no such question.")
    return found, about
