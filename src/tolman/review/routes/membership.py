"""Who may work where, for the owner to say: somebody's roles and projects, and a project's people."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.access import Guest, Me, TheSite, Visitor, allow
from tolman.review.accounts import membership
from tolman.review.accounts.identity import AccountError
from tolman.review.forms.fields import Key
from tolman.review.modes import MODES
from tolman.review.pages import page, see_other
from tolman.review.store.history import record
from tolman.review.store.schema import ROLES, Member, Project, User

router = APIRouter(dependencies=[allow("owner")])
Roles = Annotated[list[Literal["owner", "annotator", "reviewer", "subject"]], Form(default_factory=list)]
Ids = Annotated[list[Annotated[int, Field(ge=1, le=2**31 - 1)]], Form(default_factory=list)]


@router.get("/people/{user}", response_class=HTMLResponse)
def person(request: Request, site: TheSite, guest: Guest, user: Key) -> Response:
    """Show somebody's roles and projects."""
    with site.database.read() as db:
        return _person(request, db, guest, _user(db, user))


@router.post("/people/{user}", response_class=HTMLResponse)
def set_person(
    request: Request, site: TheSite, guest: Guest, me: Me, user: Key, roles: Roles, projects: Ids
) -> Response:
    """Set somebody's roles, and which of the restricted projects they are in."""
    with site.database.write() as db:
        found = _user(db, user)
        try:
            membership.set_roles(db, found, roles)
        except AccountError as error:
            return _person(request, db, guest, found, str(error), status=400)
        theirs = membership.set_projects(db, found, projects)
        given = [found.role, *found.further]
        record(db, site.settings, "roles set", user=me.id, account=found.name, roles=given, projects=theirs)
    return see_other("/people")


@router.get("/projects/{project}/people", response_class=HTMLResponse)
def people(request: Request, site: TheSite, guest: Guest, project: Key) -> Response:
    """Show who may work in a project."""
    with site.database.read() as db:
        return _people(request, db, guest, _project(db, project))


@router.post("/projects/{project}/people", response_class=HTMLResponse)
def set_people(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, restricted: Annotated[bool, Form()], users: Ids
) -> Response:
    """Have everybody of the roles in a project, or some people."""
    with site.database.write() as db:
        found = _project(db, project)
        try:
            membership.set_members(db, found, users, restricted=restricted)
        except AccountError as error:
            return _people(request, db, guest, found, str(error), status=409)
        names = list(db.scalars(select(User.name).where(User.id.in_(users)).order_by(User.name)))
        record(
            db, site.settings, "people set", project=found.id, user=me.id, restricted=restricted, people=names
        )  # fmt: skip
    return see_other("/")


def _user(db: Orm, user: int) -> User:
    found = db.get(User, user)
    if found is None or not found.active:
        raise HTTPException(404, "There is no such account.")
    return found


def _project(db: Orm, project: int) -> Project:
    found = db.get(Project, project)
    if found is None or found.mode not in MODES:
        raise HTTPException(404, "There is no such project.")
    return found


def _person(request: Request, db: Orm, guest: Visitor, user: User, problem: str = "", status: int = 200) -> Response:
    mine = set(db.scalars(select(Member.project_id).where(Member.user_id == user.id)))
    projects = list(db.scalars(select(Project).where(Project.restricted).order_by(Project.id)))
    content: dict[str, Any] = {"user": user, "roles": ROLES, "projects": projects, "mine": mine, "problem": problem}
    return page(request, guest, "person.html", status=status, **content)


def _people(
    request: Request, db: Orm, guest: Visitor, project: Project, problem: str = "", status: int = 200
) -> Response:
    """Those are offered who have a role in the project, and those who were chosen before."""
    mode, chosen = MODES[project.mode], membership.members(db, project)
    users = [
        user
        for user in db.scalars(select(User).where(User.active).order_by(User.name))
        if user.id in chosen or (user.role != "owner" and mode.stages_for(user.role, *user.further))
    ]
    content: dict[str, Any] = {"project": project, "mode": mode, "users": users, "chosen": chosen, "problem": problem}
    return page(request, guest, "members.html", status=status, **content)
