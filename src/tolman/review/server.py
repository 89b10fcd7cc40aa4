"""Starting a server, and the owner's link."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from tolman.errors import UsageError
from tolman.review.accounts.identity import ensure_owner, invite
from tolman.review.app import create_app
from tolman.review.settings import ReviewSettings
from tolman.review.site import Site, open_site

_LINK_HOURS = 24.0


def owner_link(site: Site, base: str) -> str:
    """An address at which the owner signs in once."""
    with site.database.write() as db:
        owner = ensure_owner(db, site.settings)
        token = invite(db, site.settings, owner.role, user=owner.id, hours=_LINK_HOURS)
    return f"{base.rstrip('/')}/enter/{token}"


def serve(settings: ReviewSettings, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until the user stops it.

    Args:
        settings: what to open.
        host, port: where to listen.
        say: is told the owner's link once the server listens.

    Raises:
        UsageError: the port is taken, or the database can't be used.
        InputError: the benchmark's files can't be used.
    """
    site = open_site(settings)
    server, listening = prepare(settings, site, host, port)
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host
    with listening:
        say(owner_link(site, settings.base_url or f"http://{shown}:{listening.getsockname()[1]}"))
        server.run([listening])


def prepare(settings: ReviewSettings, site: Site, host: str, port: int) -> tuple[uvicorn.Server, socket.socket]:
    """A server, and the socket that it is to be run with, which takes connections from now on.

    Raises:
        UsageError: the port is taken.
    """
    config = uvicorn.Config(
        create_app(settings, site), host=host, port=port, log_level="warning", server_header=False,
        timeout_keep_alive=65, timeout_graceful_shutdown=3, proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
    )  # fmt: skip
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # asyncio doesn't set this on connections of a socket that it is given; without it each page waits 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        listening.bind((host, port))
        listening.listen(256)
    except OSError as error:
        listening.close()
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"port {port} of {host} can't be listened on ({reason}); give another with --port.") from None
    return uvicorn.Server(config), listening
