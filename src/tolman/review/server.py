"""The server: the application with its routes and error pages, its processes, its start, and the owner's link.

The application checks that every route says who may call it. It has some seventy routes. A request is matched only with
those that begin as its address does, in their order; matching all of them, router by router, takes a fifth of the time
of a short page. Several processes may serve on one socket and one database; one that dies is started again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import anyio.to_thread
import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from sqlalchemy.exc import IntegrityError, OperationalError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from tolman.errors import UsageError, counted
from tolman.plugins import load_plugins, loaded_plugins
from tolman.review import media, projects, routes
from tolman.review.accounts import ensure_owner, invite
from tolman.review.accounts.protection import Guard, JsonLines, Logged
from tolman.review.console import acts
from tolman.review.evidence import foreseen_unfit
from tolman.review.evidence.scene_drawings import EXPLORER
from tolman.review.media import absent
from tolman.review.modes import MODES
from tolman.review.projects.study_projects import StartedStudy, check_store, start_asked, start_named
from tolman.review.routes import account_pages, console_pages, correction_pages, study_pages
from tolman.review.server_settings import ReviewSettings
from tolman.review.site import HERE, SignInNeededError, Site, Visitor, open_site, page, roles_of, see_other, visitor_of
from tolman.runtime import ignore_interrupts

_PAGES = (account_pages, routes, correction_pages, console_pages, routes, study_pages)
THREADS = 8
"""Requests whose pages are made at the same time; the others wait in the event loop."""
_SENTENCES = {404: "There is no such page.", 405: "This can't be done here."}


def create_app(settings: ReviewSettings, site: Site | None = None) -> FastAPI:
    """Return the application of one benchmark and one database.

    Args:
        settings: what to open.
        site: the open site, if there is one already.

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
        going_on = [await run_in_threadpool(one.resume, opened, stopping.is_set) for one in (projects, acts)]
        yield
        stopping.set()
        for thread in going_on:
            if thread is not None:
                await run_in_threadpool(thread.join, 5.0)
        opened.database.close()

    # Redirected slashes would lead to whatever name the request gives this server.
    app = FastAPI(title="Tolman review", openapi_url=None, lifespan=lifespan, redirect_slashes=False)
    app.state.site = opened
    routers = [media.router, *(router for pages in _PAGES for router in pages.ROUTERS)]
    for route in [route for router in (*routers, *(mode.router for mode in MODES.values())) for route in router.routes]:
        if not isinstance(route, APIRoute) or not roles_of(route):
            raise ValueError(f"the route {route} says nowhere who may call it")
        app.router.routes.append(route)
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
    for error, handler in _HANDLERS.items():
        app.add_exception_handler(error, handler)
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
    """Answer the second of two people who did the same thing at once, such as taking a name. The first succeeded."""
    return await _problem(request, 409, "Somebody did the same just before you. Load the page again, and look.")


async def _busy(request: Request, error: Exception) -> Response:
    """The database doesn't answer. Nothing was changed; a page that waits for its form sends it again."""
    text = "The database can't be reached. What you sent is not saved yet; send it again in a moment."
    return Response(text, status_code=503, headers={"retry-after": "2"}, media_type="text/plain; charset=utf-8")


async def _problem(request: Request, status: int, sentence: str, headers: object = None) -> Response:
    visitor: Visitor = await run_in_threadpool(visitor_of, request)
    answer = page(visitor, "problem.html", status=status, title="That didn't work", problem=sentence)
    if isinstance(headers, dict):
        answer.headers.update(headers)
    return answer


_HANDLERS = {
    SignInNeededError: _sign_in, HTTPException: _refused, RequestValidationError: _unreadable,
    IntegrityError: _beaten, OperationalError: _busy,
}  # fmt: skip


_SPAWN = multiprocessing.get_context("spawn")  # a fork would share the parent's threads' locks
_LOOK_SECONDS = 0.5
_LEAST_SECONDS = 2.0
"""Seconds that a process lives at least; one that dies sooner is waited for, lest it be started without an end."""


def _serve_in_processes(settings: ReviewSettings, listening: socket.socket, number: int) -> None:
    """Serve until this thread is interrupted; then the processes end after the requests that they have begun."""

    def started() -> tuple[BaseProcess, float]:
        arguments = settings, listening, tuple(loaded_plugins()), os.getpid()
        process = _SPAWN.Process(target=_serve_one, args=arguments, name="tolman-review")
        process.start()
        return process, time.monotonic()

    running = [started() for _ in range(number)]
    try:
        while True:
            time.sleep(_LOOK_SECONDS)
            for place, (process, since) in enumerate(running):
                if not process.is_alive() and time.monotonic() - since > _LEAST_SECONDS:
                    process.join()
                    running[place] = started()
    finally:
        for process, _ in running:
            process.terminate()
        for process, _ in running:
            process.join(10.0)
            if process.is_alive():
                process.kill()


def _serve_one(settings: ReviewSettings, listening: socket.socket, plugins: Sequence[Path], parent: int) -> None:
    ignore_interrupts()  # Ctrl-C reaches the whole group; the parent says when to end
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    load_plugins(plugins)
    server_of(settings, open_site(settings)).run([listening])


def _end_with(parent: int) -> None:
    """Don't outlive a parent that was killed: its port would stay taken."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)


_LINK_HOURS = 24.0


def owner_link(site: Site, base: str) -> str:
    """An address at which the owner signs in once."""
    with site.database.write() as db:
        owner = ensure_owner(db, site.settings)
        token = invite(db, site.settings, owner.role, user=owner.id, hours=_LINK_HOURS)
    return f"{base.rstrip('/')}/enter/{token}"


def serve(
    settings: ReviewSettings, host: str, port: int, say: Callable[[str, list[str], list[str]], None], workers: int = 1
) -> None:
    """Serve until the user stops it.

    Args:
        settings: what to open.
        host, port: where to listen.
        say: called once the server listens, with the owner's link, the links of the study that is started, and
            sentences to read beforehand.
        workers: processes that serve.

    Raises:
        UsageError: the port is taken, or the database can't be used.
        InputError: the benchmark's files can't be used.
    """
    site = open_site(settings)
    others = check_store(site)
    unfit = foreseen_unfit(settings.verify, site.loaded.items, site.folder)
    started = StartedStudy()
    if settings.study is not None:
        started = start_named(site, settings.study)
    elif settings.ask:
        started = start_asked(site, settings.ask, settings.questions)
    listening = listen(host, port)
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host
    with listening:
        base = (settings.base_url or f"http://{shown}:{listening.getsockname()[1]}").rstrip("/")
        warnings = [*others, *_absent(site), *unfit, *started.foreseen]
        if settings.ask and settings.base_url is None and host == "127.0.0.1":
            warnings.append(
                f"The links work on this machine only; for others give --host 0.0.0.0 --base-url http://NAME:{port}."
            )
        say(owner_link(site, base), [base + path for path in started.links], warnings)
        if workers == 1:
            server_of(settings, site).run([listening])
            return
        site.database.close()
        _serve_in_processes(settings, listening, workers)


def _absent(site: Site) -> list[str]:
    paths, looked_for = absent(site, site.loaded.items)
    if not paths:
        return []
    return [
        f"{len(paths):,} of {counted(looked_for, 'media file')} {'is' if len(paths) == 1 else 'are'} not there, the "
        f"first {paths[0]}: people who are asked about them can only report them. Name their folder with --data."
    ]


def server_of(settings: ReviewSettings, site: Site) -> uvicorn.Server:
    """A server that is to be run with a socket."""
    # Threads that compute take turns every millisecond: with the usual five, short pages wait for long ones.
    sys.setswitchinterval(0.001)
    config = uvicorn.Config(
        create_app(settings, site), ws="none", log_level="warning", server_header=False, timeout_keep_alive=65,
        timeout_graceful_shutdown=3, proxy_headers=bool(settings.proxies), forwarded_allow_ips=list(settings.proxies),
    )  # fmt: skip
    return uvicorn.Server(config)


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections.

    Raises:
        UsageError: the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # asyncio doesn't set this on connections of a socket that it is given; without it each page waits 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        listening.bind((host, port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"port {port} of {host} can't be listened on ({reason}); give another with --port.") from None
    return listening
