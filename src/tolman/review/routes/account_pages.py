"""Pages of accounts: signing in, one's own account, and for the owner people, links, roles and projects.

Handlers that hash a password are coroutines: they wait in the event loop (`accounts.protection.Passwords`), and read
and write in threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, HTTPException
from fastapi.responses import HTMLResponse, Response
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm
from starlette.concurrency import run_in_threadpool

from tolman.review import accounts, projects
from tolman.review.accounts import ENTER, JOIN, RESET, AccountError, Person
from tolman.review.accounts.protection import network_of
from tolman.review.forms import Key, Line, Name, Secret
from tolman.review.modes import MODES
from tolman.review.site import ANYBODY, Guest, Me, Site, TheSite, Visitor, allow, page, see_other, set_cookie
from tolman.review.store import ROLES, Invitation, Member, Project, User
from tolman.review.store.database import record
from tolman.review.studies.study_records import names_of

_WAIT = "Too many failed attempts. Wait a minute and try again; after many of them, ten."

public = APIRouter(dependencies=[allow(ANYBODY, *ROLES)])
private = APIRouter(dependencies=[allow(*ROLES)])


@public.get("/signin", response_class=HTMLResponse)
def sign_in_page(guest: Guest) -> Response:
    """The form."""
    return page(guest, "signin.html", name="", problem="")


@public.post("/signin", response_class=HTMLResponse)
async def sign_in(site: TheSite, guest: Guest, name: Line = "", password: Secret = "") -> Response:
    """Check a password and begin a session with a fresh id."""
    attempt = await run_in_threadpool(site.attempt, name, _address(guest))
    if attempt is None:
        return page(guest, "signin.html", status=429, name=name, problem=_WAIT)
    user, stored = await run_in_threadpool(_stored, site, name)
    if not await site.passwords.is_right(stored, password):
        problem = "Name and password don't go together."
        await run_in_threadpool(_failed, guest, site, user)
        return page(guest, "signin.html", status=401, name=name, problem=problem)
    await run_in_threadpool(site.attempts.succeeded, attempt)
    return await run_in_threadpool(_let_in, site, guest, user, "password")


@private.post("/signout", response_class=HTMLResponse)
def sign_out(site: TheSite, guest: Guest, me: Me) -> Response:
    """End the session."""
    with site.database.write() as db:
        accounts.sign_out(db, guest.cookie)
        record(db, site.settings, "signed out", user=me.id)
    answer = see_other("/signin")
    answer.headers["clear-site-data"] = '"cache", "storage"'
    return answer


@public.get("/enter/{token}", response_class=HTMLResponse)
def enter_page(site: TheSite, guest: Guest, token: str) -> Response:
    """A button: a link that is only looked at, by a chat program's preview say, isn't used up."""
    problem = _problem(site, token, ENTER)
    return page(guest, "enter.html", token=token, problem=problem, status=404 if problem else 200)


@public.post("/enter/{token}", response_class=HTMLResponse)
def enter(site: TheSite, guest: Guest, token: str) -> Response:
    """Sign in by a link."""
    try:
        with site.database.write() as db:
            user = accounts.enter(db, site.settings, token[:200]).id
    except AccountError as error:
        return page(guest, "enter.html", token=token, problem=str(error), status=404)
    return _let_in(site, guest, user, "link")


@public.get("/invitation/{token}", response_class=HTMLResponse)
def invitation_page(site: TheSite, guest: Guest, token: str) -> Response:
    """The form for a new account."""
    return _link_page(site, guest, "invitation.html", token, JOIN, name="", problem="")


@public.post("/invitation/{token}", response_class=HTMLResponse)
async def accept(
    site: TheSite, guest: Guest, token: str, name: Name, password: Secret = "", again: Secret = ""
) -> Response:
    """Make the account and sign in."""

    def make(stored: str) -> int:
        with site.database.write() as db:
            return accounts.accept(db, site.settings, token[:200], name, stored).id

    try:
        user = await _with_new_password(site, token, JOIN, password, again, make, name)
    except AccountError as error:
        content = {"token": token, "name": name, "closed": "", "problem": str(error)}
        return page(guest, "invitation.html", status=400, **content)
    return await run_in_threadpool(_let_in, site, guest, user, "link")


@public.get("/reset/{token}", response_class=HTMLResponse)
def reset_page(site: TheSite, guest: Guest, token: str) -> Response:
    """The form for a new password, by a link that the owner made."""
    return _link_page(site, guest, "reset.html", token, RESET, problem="")


@public.post("/reset/{token}", response_class=HTMLResponse)
async def set_new_password(
    site: TheSite, guest: Guest, token: str, password: Secret = "", again: Secret = ""
) -> Response:
    """Set the new password and sign in."""

    def set_it(stored: str) -> int:
        with site.database.write() as db:
            return accounts.set_by_link(db, site.settings, token[:200], stored).id

    try:
        user = await _with_new_password(site, token, RESET, password, again, set_it)
    except AccountError as error:
        return page(guest, "reset.html", token=token, closed="", problem=str(error), status=400)
    return await run_in_threadpool(_let_in, site, guest, user, "link")


@private.get("/account", response_class=HTMLResponse)
def account_page(site: TheSite, guest: Guest, me: Me) -> Response:
    """One's own account."""
    return page(guest, "account.html", problem="", done=False, has_password=_password_of(site, me) is not None)


@private.post("/account", response_class=HTMLResponse)
async def set_password(
    site: TheSite, guest: Guest, me: Me, current: Secret = "", password: Secret = "", again: Secret = ""
) -> Response:
    """Set a new password and end all other sessions of the account. A user with a password must enter it."""
    stored = await run_in_threadpool(_password_of, site, me)
    try:
        accounts.check_new(password, again, me.name)
        if stored is not None:
            attempt = await run_in_threadpool(site.attempt, me.name, _address(guest))
            if attempt is None:
                raise AccountError(_WAIT)
            if not await site.passwords.is_right(stored, current):
                await run_in_threadpool(_failed, guest, site, me.id)
                raise AccountError("The current password is another.")
            await run_in_threadpool(site.attempts.succeeded, attempt)
    except AccountError as error:
        content = {"problem": str(error), "done": False, "has_password": stored is not None}
        return page(guest, "account.html", status=400, **content)
    fresh = await site.passwords.hash(password)

    def change() -> str:
        with site.database.write() as db:
            user = db.get_one(User, me.id)
            user.password = fresh
            accounts.end_sessions(db, user)
            record(db, site.settings, "password", user=me.id)
            return accounts.sign_in(db, site.settings, user, guest.cookie)

    token = await run_in_threadpool(change)
    # The page's forms go with the new cookie.
    fresh_guest = replace(guest, cookie=token, csrf=site.sign("csrf", token), is_new=True)
    return page(fresh_guest, "account.html", problem="", done=True, has_password=True)


def _address(guest: Guest) -> str:
    return guest.request.client.host if guest.request.client else ""


def _stored(site: TheSite, name: str) -> tuple[int, str | None]:
    """Return the user of a name and the hash of their password, or None if no user can sign in by that name."""
    with site.database.read() as db:
        user = accounts.user_of(db, name)
        return (user.id, user.password) if user is not None else (0, None)


def _password_of(site: TheSite, me: Person) -> str | None:
    with site.database.read() as db:
        return db.get_one(User, me.id).password


async def _with_new_password(
    site: TheSite, token: str, purpose: str, password: str, again: str, use: Callable[[str], int], name: str = ""
) -> int:
    """Hash a new password if the link is good, and then use the link. The hash is made before anything is written, as
    one writer keeps all others waiting.

    Raises:
        AccountError: the link is not good, or the password can't be set.
    """
    closed = await run_in_threadpool(_problem, site, token, purpose)
    if closed:
        raise AccountError(closed)
    accounts.check_new(password, again, name)
    return await run_in_threadpool(use, await site.passwords.hash(password))


def _failed(guest: Guest, site: TheSite, user: int) -> None:
    """Record a failed sign-in without the name, as an unknown one may be a password entered by mistake."""
    with site.database.write() as db:
        record(db, site.settings, "sign-in failed", user=user or None, network=network_of(_address(guest)))


def _let_in(site: TheSite, guest: Guest, user: int, how: str) -> Response:
    with site.database.write() as db:
        record(db, site.settings, "signed in", user=user, by=how, network=network_of(_address(guest)))
        token = accounts.sign_in(db, site.settings, db.get_one(User, user), guest.cookie)
    answer = see_other("/")
    set_cookie(guest, answer, token)
    return answer


def _problem(site: TheSite, token: str, purpose: str) -> str:
    try:
        with site.database.read() as db:
            accounts.invitation(db, site.settings, token[:200], purpose)
    except AccountError as error:
        return str(error)
    return ""


def _link_page(site: TheSite, guest: Guest, template: str, token: str, purpose: str, **content: Any) -> Response:
    closed = _problem(site, token, purpose)
    return page(guest, template, token=token, closed=closed, status=404 if closed else 200, **content)


people_router = APIRouter(prefix="/people", dependencies=[allow("owner")])
Role = Literal["annotator", "reviewer", "subject", "owner"]


@people_router.get("", response_class=HTMLResponse)
def show_people(site: TheSite, guest: Guest) -> Response:
    """Show all accounts and links."""
    with site.database.read() as db:
        content = _people_content(db, site)
    return page(guest, "people.html", **content)


@people_router.post("/invite", response_class=HTMLResponse)
def invite(site: TheSite, guest: Guest, me: Me, role: Annotated[Role, Form()], note: Line = "") -> Response:
    """Make an invitation; its link is shown once and stored nowhere."""
    note = " ".join(note.split())
    with site.database.write() as db:
        token = accounts.invite(db, site.settings, role, note=note)
        record(db, site.settings, "invited", user=me.id, role=role, note=note)
        content = _people_content(db, site)
    link = site.link(f"/invitation/{token}", guest.request)
    return page(guest, "people.html", **content | link | {"role": role, "note": note})


@people_router.post("/invitations/{invitation}/revoke", response_class=HTMLResponse)
def revoke_invitation(site: TheSite, me: Me, invitation: Key) -> Response:
    """Revoke an unused link."""
    with site.database.write() as db:
        found = db.get(Invitation, invitation)
        if found is None or not accounts.revoke_link(site.settings, found):
            raise HTTPException(404, "There is no such open link that you could revoke.")
        record(
            db, site.settings, "link revoked", user=me.id, invitation=found.id, purpose=found.purpose, role=found.role
        )
    return see_other("/people")


@people_router.post("/{user}/reset", response_class=HTMLResponse)
def reset_somebody(site: TheSite, guest: Guest, me: Me, user: Key) -> Response:
    """Remove a person's password and make a link for setting another; it is shown once and stored nowhere."""
    with site.database.write() as db:
        found = db.get(User, user)
        if found is None or found.id == me.id or not found.active:
            raise HTTPException(404, "There is no such account whose password you could reset.")
        token = accounts.reset_password(db, site.settings, found)
        record(db, site.settings, "password reset", user=me.id, account=found.name)
        name = found.name
        content = _people_content(db, site)
    link = site.link(f"/reset/{token}", guest.request)
    return page(guest, "people.html", **content | link | {"about": name})


@people_router.post("/{user}/close", response_class=HTMLResponse)
def close_somebody(site: TheSite, me: Me, user: Key) -> Response:
    """Close a person's account and keep their work."""
    with site.database.write() as db:
        found = db.get(User, user)
        if found is None or found.id == me.id:
            raise HTTPException(404, "There is no such account that you could close.")
        found.active = False
        accounts.end_sessions(db, found)
        record(db, site.settings, "closed", user=me.id, account=found.name)
    return see_other("/people")


def _people_content(db: Orm, site: Site) -> dict[str, Any]:
    return {
        "users": list(db.scalars(select(User).order_by(User.role, User.name))),
        "names": names_of(db, *db.scalars(select(Project))),
        "links": accounts.listed_links(db, site.settings),
        "purposes": accounts.PURPOSES,
        "roles": ROLES[1:],
        **dict.fromkeys(("link", "role", "note", "about"), ""),
        "named": True,
    }


membership_router = APIRouter(dependencies=[allow("owner")])
Roles = Annotated[list[Literal["owner", "annotator", "reviewer", "subject"]], Form(default_factory=list)]
Ids = Annotated[list[Annotated[int, Field(ge=1, le=2**31 - 1)]], Form(default_factory=list)]


@membership_router.get("/people/{user}", response_class=HTMLResponse)
def show_person(site: TheSite, guest: Guest, user: Key) -> Response:
    """Show a person's roles and projects."""
    with site.database.read() as db:
        return _person_page(db, guest, _user(db, user))


@membership_router.post("/people/{user}", response_class=HTMLResponse)
def set_person(site: TheSite, guest: Guest, me: Me, user: Key, roles: Roles, projects: Ids) -> Response:
    """Set a person's roles and restricted projects."""
    with site.database.write() as db:
        found = _user(db, user)
        try:
            accounts.set_roles(db, found, roles)
        except AccountError as error:
            return _person_page(db, guest, found, str(error), status=400)
        theirs = accounts.set_projects(db, found, projects)
        given = [found.role, *found.further]
        record(db, site.settings, "roles set", user=me.id, account=found.name, roles=given, projects=theirs)
    return see_other("/people")


@membership_router.get("/projects/{project}/people", response_class=HTMLResponse)
def show_members(site: TheSite, guest: Guest, project: Key) -> Response:
    """Show who may work in a project."""
    with site.database.read() as db:
        return _members_page(db, guest, projects.project_of(db, project))


@membership_router.post("/projects/{project}/people", response_class=HTMLResponse)
def set_project_members(
    site: TheSite, guest: Guest, me: Me, project: Key, restricted: Annotated[bool, Form()], users: Ids
) -> Response:
    """Have everybody of the roles in a project, or some people."""
    with site.database.write() as db:
        found = projects.project_of(db, project)
        try:
            accounts.set_members(db, found, users, restricted=restricted)
        except AccountError as error:
            return _members_page(db, guest, found, str(error), status=409)
        names = list(db.scalars(select(User.name).where(User.id.in_(users)).order_by(User.name)))
        record(db, site.settings, "people set", project=found.id, user=me.id, restricted=restricted, people=names)
    return see_other("/")


def _user(db: Orm, user: int) -> User:
    found = db.get(User, user)
    if found is None or not found.active:
        raise HTTPException(404, "There is no such account.")
    return found


def _person_page(db: Orm, guest: Visitor, user: User, problem: str = "", status: int = 200) -> Response:
    mine = set(db.scalars(select(Member.project_id).where(Member.user_id == user.id)))
    some = list(db.scalars(select(Project).where(Project.restricted).order_by(Project.id)))
    content: dict[str, Any] = {"user": user, "roles": ROLES, "projects": some, "mine": mine, "problem": problem}
    return page(guest, "person.html", status=status, **content)


def _members_page(db: Orm, guest: Visitor, project: Project, problem: str = "", status: int = 200) -> Response:
    """Those are offered who have a role in the project, and those who were chosen before."""
    mode, chosen = MODES[project.mode], accounts.members(db, project)
    users = [
        user
        for user in db.scalars(select(User).where(User.active).order_by(User.name))
        if user.id in chosen or (user.role != "owner" and mode.stages_for(user.role, *user.further))
    ]
    content: dict[str, Any] = {
        "project": project, "mode": mode, "users": users, "chosen": chosen, "problem": problem,
        "names": names_of(db, *db.scalars(select(Project))),
    }  # fmt: skip
    return page(guest, "members.html", status=status, **content)


ROUTERS = (public, private, people_router, membership_router)
