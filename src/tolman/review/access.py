"""The one place that decides who may call a route.

Every route names its roles by `allow(…)`; an application with a route that doesn't is refused at its start. A request
that changes something must carry the token of its own session (CSRF).
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request
from fastapi.routing import APIRoute

from tolman.review.accounts.identity import Person, person_of, saw
from tolman.review.site import Site, site_of
from tolman.review.store.schema import ROLES

ANYBODY = "anybody"
SAFE = ("GET", "HEAD", "OPTIONS")


class SignInNeededError(Exception):
    """Somebody who isn't signed in asked for a page that needs it."""


@dataclass(frozen=True)
class Visitor:
    """Whose request it is.

    Attributes:
        person: who is signed in, or None.
        cookie: the browser's, or a new one that the answer will set.
        csrf: the token that requests which change something must carry.
        is_new: whether the browser came without a cookie.
    """

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
        return Visitor(None, cookie, site.sign("csrf", cookie), is_new=True)
    with site.database.look() as db:
        person = person_of(db, site.settings, cookie)
    if person is not None and person.stale:
        with site.database.write_for(person.id) as db:
            saw(db, site.settings, cookie)
    request.state.person = person.id if person else None
    return Visitor(person, cookie, site.sign("csrf", cookie), is_new=False)


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
