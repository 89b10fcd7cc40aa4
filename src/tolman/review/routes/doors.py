"""Coming in and going out: signing in, invitations, one's own account."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from tolman.review import accounts
from tolman.review.access import ANYBODY, Guest, Me, TheSite, allow
from tolman.review.accounts import AccountError
from tolman.review.fields import Line, Name, Secret
from tolman.review.history import record
from tolman.review.pages import page, see_other, set_cookie
from tolman.review.schema import ROLES, User

public = APIRouter(dependencies=[allow(ANYBODY, *ROLES)])
private = APIRouter(dependencies=[allow(*ROLES)])


@public.get("/signin", response_class=HTMLResponse)
def sign_in_page(request: Request, guest: Guest) -> Response:
    """The form."""
    return page(request, guest, "signin.html", name="", problem="")


@public.post("/signin", response_class=HTMLResponse)
def sign_in(request: Request, site: TheSite, guest: Guest, name: Line = "", password: Secret = "") -> Response:
    """Check a password; the session that begins has an id that nobody knew before."""
    address = request.client.host if request.client else ""
    if site.failed_too_often(name, address):
        problem = "Too many failed attempts. Wait a minute and try again."
        return page(request, guest, "signin.html", status=429, name=name, problem=problem)
    with site.database.read() as db:
        user = accounts.check_password(db, name, password)
    if user is None:
        site.count_failure(name, address)
        problem = "Name and password don't go together."
        return page(request, guest, "signin.html", status=401, name=name, problem=problem)
    return _let_in(request, site, guest, user.id)


@private.post("/signout", response_class=HTMLResponse)
def sign_out(site: TheSite, guest: Guest) -> Response:
    """End the session."""
    with site.database.write() as db:
        accounts.sign_out(db, guest.cookie)
    return see_other("/signin")


@public.get("/enter/{token}", response_class=HTMLResponse)
def enter_page(request: Request, site: TheSite, guest: Guest, token: str) -> Response:
    """A button: a link that is only looked at, by a chat program's preview say, isn't used up."""
    problem = _problem(site, token, to_sign_in=True)
    return page(request, guest, "enter.html", token=token, problem=problem, status=404 if problem else 200)


@public.post("/enter/{token}", response_class=HTMLResponse)
def enter(request: Request, site: TheSite, guest: Guest, token: str) -> Response:
    """Sign in by a link."""
    try:
        with site.database.write() as db:
            user = accounts.enter(db, site.settings, token[:200]).id
    except AccountError as error:
        return page(request, guest, "enter.html", token=token, problem=str(error), status=404)
    return _let_in(request, site, guest, user)


@public.get("/invitation/{token}", response_class=HTMLResponse)
def invitation_page(request: Request, site: TheSite, guest: Guest, token: str) -> Response:
    """The form for a new account."""
    problem = _problem(site, token, to_sign_in=False)
    status = 404 if problem else 200
    return page(request, guest, "invitation.html", token=token, name="", closed=problem, problem="", status=status)


@public.post("/invitation/{token}", response_class=HTMLResponse)
def accept(
    request: Request, site: TheSite, guest: Guest, token: str, name: Name, password: Secret = "", again: Secret = ""
) -> Response:
    """Make the account and sign in."""
    try:
        if password != again:
            raise AccountError("The two passwords differ.")
        with site.database.write() as db:
            user = accounts.accept(db, site.settings, token[:200], name, password).id
    except AccountError as error:
        content = {"token": token, "name": name, "closed": "", "problem": str(error)}
        return page(request, guest, "invitation.html", status=400, **content)
    return _let_in(request, site, guest, user)


@private.get("/account", response_class=HTMLResponse)
def account_page(request: Request, guest: Guest) -> Response:
    """One's own account."""
    return page(request, guest, "account.html", problem="", done=False)


@private.post("/account", response_class=HTMLResponse)
def set_password(
    request: Request, site: TheSite, guest: Guest, me: Me, password: Secret = "", again: Secret = ""
) -> Response:
    """A new password."""
    try:
        if password != again:
            raise AccountError("The two passwords differ.")
        stored = accounts.hash_password(password)
    except AccountError as error:
        return page(request, guest, "account.html", status=400, problem=str(error), done=False)
    with site.database.write() as db:
        db.get_one(User, me.id).password = stored
        record(db, site.settings, "password", user=me.id)
    return page(request, guest, "account.html", problem="", done=True)


def _let_in(request: Request, site: TheSite, guest: Guest, user: int) -> Response:
    with site.database.write() as db:
        token = accounts.sign_in(db, site.settings, db.get_one(User, user), guest.cookie)
    answer = see_other("/")
    set_cookie(request, answer, token)
    return answer


def _problem(site: TheSite, token: str, *, to_sign_in: bool) -> str:
    try:
        with site.database.read() as db:
            accounts.invitation(db, site.settings, token[:200], to_sign_in=to_sign_in)
    except AccountError as error:
        return str(error)
    return ""
