"""Serving a site's folder on the loopback interface."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

from aiohttp import web

from tolman.errors import UsageError

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""Hosts that requests may name: another site's page can't reach this one under a name of its own."""
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def application(folder: Path) -> web.Application:
    """What serves a folder: its files, parts of them too, so that videos can be sought in."""
    root = folder.resolve()

    async def file(request: web.Request) -> web.StreamResponse:
        if request.host.rpartition(":")[0] not in NAMES and request.host not in NAMES:
            raise web.HTTPForbidden(text="This server answers requests for this machine only.")
        path = (root / (request.match_info["path"] or "index.html")).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path, headers=_HEADERS)

    app = web.Application()
    app.router.add_get("/{path:.*}", file)
    return app


async def serve_folder(folder: Path, port: int, ready: Callable[[str], None]) -> None:
    """Serve a folder until cancelled.

    Args:
        folder: of the site.
        port: 0 takes a free one.
        ready: is told the address once the server takes connections.

    Raises:
        UsageError: the port is taken.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"port {port} of {HOST} can't be listened on ({reason}); give another with --port.") from None
    runner = web.AppRunner(application(folder), access_log=None)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        ready(f"http://{HOST}:{listening.getsockname()[1]}/")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
