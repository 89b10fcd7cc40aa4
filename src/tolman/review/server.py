"""Starting a server, and the owner's link."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable

import uvicorn

from tolman.errors import UsageError
from tolman.review.accounts.identity import ensure_owner, invite
from tolman.review.app import create_app
from tolman.review.media.serving import absent
from tolman.review.projects.parts import StartedStudy, start_named
from tolman.review.settings import ReviewSettings
from tolman.review.site import Site, open_site
from tolman.review.workers import Workers

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
        say: is told the owner's link, those of the study that is started, and sentences about what must
            be known beforehand, once the server listens.
        workers: processes that serve.

    Raises:
        UsageError: the port is taken, or the database can't be used.
        InputError: the benchmark's files can't be used.
    """
    site = open_site(settings)
    started = start_named(site, settings.study) if settings.study is not None else StartedStudy()
    listening = listen(host, port)
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host
    with listening:
        base = (settings.base_url or f"http://{shown}:{listening.getsockname()[1]}").rstrip("/")
        say(owner_link(site, base), [base + path for path in started.links], [*_absent(site), *started.foreseen])
        if workers == 1:
            server_of(settings, site).run([listening])
            return
        site.database.close()
        Workers(_serve_one, (settings, listening), workers).run()


def _absent(site: Site) -> list[str]:
    paths, looked_for = absent(site, site.loaded.items)
    if not paths:
        return []
    return [
        f"{len(paths):,} of {looked_for:,} media files of the questions are not there, the first {paths[0]}: whoever "
        f"is asked about them can only report them. Name their folder with --data."
    ]


def _serve_one(settings: ReviewSettings, listening: socket.socket) -> None:
    server_of(settings, open_site(settings)).run([listening])


def prepare(settings: ReviewSettings, site: Site, host: str, port: int) -> tuple[uvicorn.Server, socket.socket]:
    """A server, and the socket that it is to be run with, which takes connections from now on.

    Raises:
        UsageError: the port is taken.
    """
    listening = listen(host, port)
    return server_of(settings, site), listening


def server_of(settings: ReviewSettings, site: Site) -> uvicorn.Server:
    """A server that is to be run with a socket."""
    # Threads that compute take turns every millisecond: with the usual five, short pages wait for long ones.
    sys.setswitchinterval(0.001)
    config = uvicorn.Config(
        create_app(settings, site), log_level="warning", server_header=False, timeout_keep_alive=65,
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
