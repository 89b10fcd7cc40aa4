"""Starting a server, and the owner's link."""

from __future__ import annotations

from collections.abc import Callable

import uvicorn

from tolman.errors import UsageError
from tolman.review.accounts import ensure_owner, invite
from tolman.review.app import create_app
from tolman.review.settings import Settings
from tolman.review.site import Site, open_site

_LINK_HOURS = 24.0


def owner_link(site: Site, base: str) -> str:
    """An address at which the owner signs in once."""
    with site.database.write() as db:
        owner = ensure_owner(db, site.settings)
        token = invite(db, site.settings, owner.role, user=owner.id, hours=_LINK_HOURS)
    return f"{base}/enter/{token}"


def serve(settings: Settings, host: str, port: int, say: Callable[[str], None]) -> None:
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
    config = uvicorn.Config(
        create_app(settings, site), host=host, port=port, log_level="warning", server_header=False,
        timeout_graceful_shutdown=3,
    )  # fmt: skip
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host
    try:
        listening = config.bind_socket()
    except SystemExit:
        raise UsageError(f"port {port} of {host} is taken or not allowed; give another with --port.") from None
    with listening:
        say(owner_link(site, f"http://{shown}:{listening.getsockname()[1]}"))
        uvicorn.Server(config).run([listening])
