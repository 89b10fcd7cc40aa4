"""Coming in and going out: signing in, invitations, one's own account.

What hashes a password is a coroutine: it waits in the event loop (`passwords`), and reads and writes in threads.
"""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from tolman.review.access import ANYBODY, Guest, Me, TheSite, Visitor, allow
from tolman.review.accounts import identity
from tolman.review.accounts.attempts import network_of
from tolman.review.accounts.identity import ENTER, JOIN, RESET, AccountError, Person
from tolman.review.forms.fields import Line, Name, Secret
from tolman.review.pages import page, see_other, set_cookie
from tolman.review.store.history import record
from tolman.review.store.schema import ROLES, User

_WAIT = "Too many failed attempts. Wait a minute and try again; after many of them, ten."

public = APIRouter(dependencies=[allow(ANYBODY, *ROLES)])
private = APIRouter(dependencies=[allow(*ROLES)])


@public.get("/signin", response_class=HTMLResponse)
def sign_in_page(request: Request, guest: Guest) -> Response:
    """The form."""
    return page(request, guest, "signin.html", name="", problem="")


@public.post("/signin", response_class=HTMLResponse)
async def sign_in(request: Request, site: TheSite, guest: Guest, name: Line = "", password: Secret = "") -> Response:
    """Check a password; the session that begins has an id that nobody knew before."""
    attempt = await run_in_threadpool(site.attempt, name, _address(request))
    if attempt is None:
        return page(request, guest, "signin.html", status=429, name=name, problem=_WAIT)
    user, stored = await run_in_threadpool(_stored, site, name)
    if not await site.passwords.is_right(stored, password):
        problem = "Name and password don't go together."
        await run_in_threadpool(_failed, request, site, user)
        return page(request, guest, "signin.html", status=401, name=name, problem=problem)
    await run_in_threadpool(site.attempts.succeeded, attempt)
    return await run_in_threadpool(_let_in, request, site, guest, user, "password")


@private.post("/signout", response_class=HTMLResponse)
def sign_out(site: TheSite, guest: Guest, me: Me) -> Response:
    """End the session."""
    with site.database.write() as db:
        identity.sign_out(db, guest.cookie)
        record(db, site.settings, "signed out", user=me.id)
    answer = see_other("/signin")
    answer.headers["clear-site-data"] = '"cache", "storage"'
    return answer


@public.get("/enter/{token}", response_class=HTMLResponse)
def enter_page(request: Request, site: TheSite, guest: Guest, token: str) -> Response:
    """A button: a link that is only looked at, by a chat program's preview say, isn't used up."""
    problem = _problem(site, token, ENTER)
    return page(request, guest, "enter.html", token=token, problem=problem, status=404 if problem else 200)


@public.post("/enter/{token}", response_class=HTMLResponse)
def enter(request: Request, site: TheSite, guest: Guest, token: str) -> Response:
    """Sign in by a link."""
    try:
        with site.database.write() as db:
            user = identity.enter(db, site.settings, token[:200]).id
    except AccountError as error:
        return page(request, guest, "enter.html", token=token, problem=str(error), status=404)
    return _let_in(request, site, guest, user, "link")


@public.get("/invitation/{token}", response_class=HTMLResponse)
def invitation_page(request: Request, site: TheSite, guest: Guest, token: str) -> Response:
    """The form for a new account."""
    problem = _problem(site, token, JOIN)
    status = 404 if problem else 200
    return page(request, guest, "invitation.html", token=token, name="", closed=problem, problem="", status=status)


@public.post("/invitation/{token}", response_class=HTMLResponse)
async def accept(
    request: Request, site: TheSite, guest: Guest, token: str, name: Name, password: Secret = "", again: Secret = ""
) -> Response:
    """Make the account and sign in."""

    def make(stored: str) -> int:
        with site.database.write() as db:
            return identity.accept(db, site.settings, token[:200], name, stored).id

    try:
        user = await _with_new_password(site, token, JOIN, password, again, make, name)
    except AccountError as error:
        content = {"token": token, "name": name, "closed": "", "problem": str(error)}
        return page(request, guest, "invitation.html", status=400, **content)
    return await run_in_threadpool(_let_in, request, site, guest, user, "link")


@public.get("/reset/{token}", response_class=HTMLResponse)
def reset_page(request: Request, site: TheSite, guest: Guest, token: str) -> Response:
    """The form for a new password, by a link that the owner made."""
    closed = _problem(site, token, RESET)
    status = 404 if closed else 200
    return page(request, guest, "reset.html", token=token, closed=closed, problem="", status=status)


@public.post("/reset/{token}", response_class=HTMLResponse)
async def reset(
    request: Request, site: TheSite, guest: Guest, token: str, password: Secret = "", again: Secret = ""
) -> Response:
    """Set the new password and sign in."""

    def set_it(stored: str) -> int:
        with site.database.write() as db:
            return identity.set_by_link(db, site.settings, token[:200], stored).id

    try:
        user = await _with_new_password(site, token, RESET, password, again, set_it)
    except AccountError as error:
        return page(request, guest, "reset.html", token=token, closed="", problem=str(error), status=400)
    return await run_in_threadpool(_let_in, request, site, guest, user, "link")


@private.get("/account", response_class=HTMLResponse)
def account_page(request: Request, site: TheSite, guest: Guest, me: Me) -> Response:
    """One's own account."""
    return page(request, guest, "account.html", problem="", done=False, has_password=_password_of(site, me) is not None)


@private.post("/account", response_class=HTMLResponse)
async def set_password(
    request: Request, site: TheSite, guest: Guest, me: Me, current: Secret = "", password: Secret = "",
    again: Secret = "",
) -> Response:  # fmt: skip
    """A new password. Who has one must know it; all other sessions of the account end."""
    stored = await run_in_threadpool(_password_of, site, me)
    try:
        identity.check_new(password, again, me.name)
        if stored is not None:
            attempt = await run_in_threadpool(site.attempt, me.name, _address(request))
            if attempt is None:
                raise AccountError(_WAIT)
            if not await site.passwords.is_right(stored, current):
                await run_in_threadpool(_failed, request, site, me.id)
                raise AccountError("The current password is another.")
            await run_in_threadpool(site.attempts.succeeded, attempt)
    except AccountError as error:
        content = {"problem": str(error), "done": False, "has_password": stored is not None}
        return page(request, guest, "account.html", status=400, **content)
    fresh = await site.passwords.hash(password)

    def change() -> str:
        with site.database.write() as db:
            user = db.get_one(User, me.id)
            user.password = fresh
            identity.end_sessions(db, user)
            record(db, site.settings, "password", user=me.id)
            return identity.sign_in(db, site.settings, user, guest.cookie)

    token = await run_in_threadpool(change)
    # The page's forms go with the new cookie.
    visitor = Visitor(me, token, site.sign("csrf", token), is_new=True)
    return page(request, visitor, "account.html", problem="", done=True, has_password=True)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _stored(site: TheSite, name: str) -> tuple[int, str | None]:
    """The user of a name and the hash of their password; None where nobody can sign in by that name."""
    with site.database.read() as db:
        user = identity.user_of(db, name)
        return (user.id, user.password) if user is not None else (0, None)


def _password_of(site: TheSite, me: Person) -> str | None:
    with site.database.read() as db:
        return db.get_one(User, me.id).password


async def _with_new_password(
    site: TheSite, token: str, purpose: str, password: str, again: str, use: Callable[[str], int], name: str = ""
) -> int:
    """Hash a new password for who has a link that is good, and then use the link. The hash is made before anything is
    written, as one writer keeps all others waiting.

    Raises:
        AccountError: the link is not good, or the password can't be set.
    """
    closed = await run_in_threadpool(_problem, site, token, purpose)
    if closed:
        raise AccountError(closed)
    identity.check_new(password, again, name)
    return await run_in_threadpool(use, await site.passwords.hash(password))


def _failed(request: Request, site: TheSite, user: int) -> None:
    """Write a wrong password down; of a name that nobody has not even the name, which may be a password by mistake."""
    with site.database.write() as db:
        record(db, site.settings, "sign-in failed", user=user or None, network=network_of(_address(request)))


def _let_in(request: Request, site: TheSite, guest: Guest, user: int, how: str) -> Response:
    with site.database.write() as db:
        record(db, site.settings, "signed in", user=user, by=how, network=network_of(_address(request)))
        token = identity.sign_in(db, site.settings, db.get_one(User, user), guest.cookie)
    answer = see_other("/")
    set_cookie(request, answer, token)
    return answer


def _problem(site: TheSite, token: str, purpose: str) -> str:
    try:
        with site.database.read() as db:
            identity.invitation(db, site.settings, token[:200], purpose)
    except AccountError as error:
        return str(error)
    return ""
