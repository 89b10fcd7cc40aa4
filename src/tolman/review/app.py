"""The application: routes, errors as sentences, and the check that every route says who may call it."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from sqlalchemy.exc import IntegrityError, OperationalError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from tolman.review.access import SignInNeededError, Visitor, roles_of, visitor_of
from tolman.review.accounts.guard import Guard
from tolman.review.accounts.logs import JsonLines, Logged
from tolman.review.console import bulk
from tolman.review.dispatch import Dispatch
from tolman.review.evidence.drawn import EXPLORER
from tolman.review.media import serving
from tolman.review.modes import MODES
from tolman.review.pages import HERE, page, see_other
from tolman.review.projects import starting
from tolman.review.routes import (
    audit,
    auth,
    console,
    files,
    flags,
    health,
    home,
    membership,
    people,
    pictures,
    preview,
    studies,
    undo,
    workbench,
)
from tolman.review.settings import ReviewSettings
from tolman.review.site import Site, open_site

THREADS = 8
"""Requests whose pages are made at the same time; the others wait in the event loop."""
_SENTENCES = {404: "There is no such page.", 405: "This can't be done here."}


def create_app(settings: ReviewSettings, site: Site | None = None) -> FastAPI:
    """The application of one benchmark and one database.

    Args:
        settings: what to open.
        site: what is open already, where it is.

    Raises:
        UsageError: there is no such benchmark, or the database can't be used.
        InputError: the benchmark's files can't be used.
    """
    opened = site or open_site(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # With more threads at once, those that compute take turns too often and those that wait for the writer pile up.
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        stopping = threading.Event()
        going_on = [await run_in_threadpool(one.resume, opened, stopping.is_set) for one in (starting, bulk)]
        yield
        stopping.set()
        for thread in going_on:
            if thread is not None:
                await run_in_threadpool(thread.join, 5.0)
        opened.database.close()

    app = FastAPI(
        title="Tolman review",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
        redirect_slashes=False,  # it would redirect to whatever name the request gives this server
    )
    app.state.site = opened
    routers = [auth.public, auth.private, home.everybody, home.staff, home.owner, undo.router, flags.router]
    routers += [
        people.router,
        preview.router,
        membership.router,
        files.router,
        pictures.router,
        console.router,
        serving.router,
        workbench.owner,
        workbench.shared,
    ]
    routers += [studies.public, studies.everybody, studies.owner, health.router, audit.router]
    routes = [route for router in [*routers, *(mode.router for mode in MODES.values())] for route in router.routes]
    for route in routes:
        if not isinstance(route, APIRoute) or not roles_of(route):
            raise ValueError(f"the route {route} says nowhere who may call it")
    app.router.routes.append(Dispatch([route for route in routes if isinstance(route, APIRoute)]))
    app.mount("/static/explorer", StaticFiles(directory=EXPLORER))
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    # A form's other fields and its own marks come beside the file.
    uploads = settings.uploads * 1_000_000 + 10_000 if settings.uploads else 0
    app.add_middleware(
        Guard, body_limit=settings.body_limit, upload_limit=uploads, hosts=opened.hosts, prefix=settings.prefix,
        strict_transport=settings.is_secure,
    )  # fmt: skip
    if settings.log is not None:
        app.add_middleware(Logged, write=JsonLines(settings.log))
    app.add_exception_handler(SignInNeededError, _sign_in)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(IntegrityError, _beaten)
    app.add_exception_handler(OperationalError, _busy)
    return app


async def _sign_in(request: Request, error: Exception) -> Response:
    """To the sign-in page; a media element or a script gets a plain status instead."""
    if request.url.path.startswith("/media/") or request.method != "GET":
        return await _problem(request, 401, "You are not signed in any more. Sign in, and send it again.")
    return see_other("/signin")


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = error.detail if error.status_code not in _SENTENCES or error.detail.endswith(".") else None
    return await _problem(request, error.status_code, detail or _SENTENCES[error.status_code], error.headers)


async def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    field = str(first["loc"][-1])
    if first["loc"][0] == "path":
        return await _problem(request, 404, _SENTENCES[404])
    return await _problem(request, 422, f"The field '{field}' can't be used: {first['msg'].lower()}.")


async def _beaten(request: Request, error: Exception) -> Response:
    """Two people did at the same moment what only one can: take a name, say. The database let the first."""
    return await _problem(request, 409, "Somebody did the same just before you. Load the page again, and look.")


async def _busy(request: Request, error: Exception) -> Response:
    """The database doesn't answer. Nothing was changed; a page that waits for its form sends it again."""
    text = "The database can't be reached. What you sent is not saved yet; send it again in a moment."
    return Response(text, status_code=503, headers={"retry-after": "2"}, media_type="text/plain; charset=utf-8")


async def _problem(request: Request, status: int, sentence: str, headers: object = None) -> Response:
    visitor: Visitor = await run_in_threadpool(visitor_of, request)
    answer = page(request, visitor, "problem.html", status=status, title="That didn't work", problem=sentence)
    if isinstance(headers, dict):
        answer.headers.update(headers)
    return answer
