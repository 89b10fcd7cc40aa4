"""Who is here: accounts, and the links by which people come in; for the owner."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.accounts import identity, links
from tolman.review.forms.fields import Key, Line
from tolman.review.pages import page, see_other
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import ROLES, Invitation, User

router = APIRouter(prefix="/people", dependencies=[allow("owner")])
Role = Literal["annotator", "reviewer", "subject", "owner"]


@router.get("", response_class=HTMLResponse)
def people(request: Request, site: TheSite, guest: Guest) -> Response:
    """Show all accounts and links."""
    with site.database.read() as db:
        content = _people(db, site)
    return page(request, guest, "people.html", **content)


@router.post("/invite", response_class=HTMLResponse)
def invite(
    request: Request, site: TheSite, guest: Guest, me: Me, role: Annotated[Role, Form()], note: Line = ""
) -> Response:
    """Make an invitation; its link is shown once and stored nowhere."""
    note = " ".join(note.split())
    with site.database.write() as db:
        token = identity.invite(db, site.settings, role, note=note)
        record(db, site.settings, "invited", user=me.id, role=role, note=note)
        content = _people(db, site)
    link, named = _link(request, site, f"/invitation/{token}")
    return page(request, guest, "people.html", **content | {"link": link, "named": named, "role": role, "note": note})


@router.post("/invitations/{invitation}/revoke", response_class=HTMLResponse)
def revoke(site: TheSite, me: Me, invitation: Key) -> Response:
    """Take a link back that nobody has used yet."""
    with site.database.write() as db:
        found = db.get(Invitation, invitation)
        if found is None or not links.revoke(site.settings, found):
            raise HTTPException(404, "There is no such open link that you could revoke.")
        record(
            db, site.settings, "link revoked", user=me.id, invitation=found.id, purpose=found.purpose, role=found.role
        )
    return see_other("/people")


@router.post("/{user}/reset", response_class=HTMLResponse)
def reset(request: Request, site: TheSite, guest: Guest, me: Me, user: Key) -> Response:
    """Take somebody's password away and make a link by which they set another; it is shown once and stored nowhere."""
    with site.database.write() as db:
        found = db.get(User, user)
        if found is None or found.id == me.id or not found.active:
            raise HTTPException(404, "There is no such account whose password you could reset.")
        token = identity.reset_password(db, site.settings, found)
        record(db, site.settings, "password reset", user=me.id, account=found.name)
        name = found.name
        content = _people(db, site)
    link, named = _link(request, site, f"/reset/{token}")
    return page(request, guest, "people.html", **content | {"link": link, "named": named, "about": name})


@router.post("/{user}/close", response_class=HTMLResponse)
def close(site: TheSite, me: Me, user: Key) -> Response:
    """Close somebody's account; what they did stays."""
    with site.database.write() as db:
        found = db.get(User, user)
        if found is None or found.id == me.id:
            raise HTTPException(404, "There is no such account that you could close.")
        identity.close_account(db, found)
        record(db, site.settings, "closed", user=me.id, account=found.name)
    return see_other("/people")


def _people(db: Orm, site: Site) -> dict[str, Any]:
    """What the page is made of; the link that has just been made comes on top."""
    return {
        "users": list(db.scalars(select(User).order_by(User.role, User.name))),
        "links": links.listed(db, site.settings),
        "roles": ROLES[1:],
        "link": "",
        "named": True,
        "role": "",
        "note": "",
        "about": "",
    }


def _link(request: Request, site: Site, path: str) -> tuple[str, bool]:
    return site.link(path, request.url.scheme, request.headers.get("host"), request.scope.get("server"))
