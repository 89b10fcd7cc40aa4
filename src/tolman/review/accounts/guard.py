"""Guards around every answer: headers that keep a browser from doing harm, and the limit on the size of requests."""

from __future__ import annotations

import re

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")


class Guard:
    """ASGI middleware.

    Args:
        app: what is guarded.
        body_limit: bytes that a request may bring.
        upload_limit: the same for addresses at which files are taken.
        hosts: names by which the server may be called; any where None. The address at which a request arrived always
            may, for whoever looks after the server.
        prefix: the path under which a proxy shows the server, such as /tolman; requests may come with it or without.
        strict_transport: whether browsers are told to come over TLS only, for a year.
    """

    def __init__(
        self,
        app: ASGIApp,
        body_limit: int,
        upload_limit: int = 0,
        *,
        hosts: frozenset[str] | None = None,
        prefix: str = "",
        strict_transport: bool = False,
    ) -> None:
        self.app, self.body_limit, self.upload_limit = app, body_limit, upload_limit
        self.hosts, self.prefix = hosts, prefix
        self.headers = (*HEADERS, STRICT_TRANSPORT) if strict_transport else HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.prefix:
            scope = _without_prefix(scope, self.prefix)
        started = False

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                own = [(name, value) for name, value in message.get("headers", []) if name.lower() != b"server"]
                present = {name.lower() for name, _ in own}
                if self.prefix:
                    own = [(n, _prefixed(v, self.prefix) if n.lower() == b"location" else v) for n, v in own]
                own += [header for header in self.headers if header[0] not in present]
                if b"cache-control" not in present:
                    own.append((b"cache-control", b"no-store"))
                message = {**message, "headers": own}
            await send(message)

        if self.hosts is not None and not _is_called(scope, self.hosts):
            await _refuse(guarded_send, 421, "This server is not called by this name.")
            return
        limit = self.body_limit
        if scope["path"].endswith("/upload"):
            limit = max(limit, self.upload_limit)
        too_large = f"This is too large: at most {limit / 1024:.0f} KiB can be sent at once."
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not length.isdigit() or int(length) > limit:
            await _refuse(guarded_send, 413, too_large)
            return
        received = 0

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise _TooLargeError
            return message

        try:
            await self.app(scope, counted_receive, guarded_send)
        except _TooLargeError:
            if not started:
                await _refuse(guarded_send, 413, too_large)
        except ClientDisconnect:
            pass  # the browser has taken the request back


class _TooLargeError(Exception):
    pass


def _without_prefix(scope: Scope, prefix: str) -> Scope:
    """A request as it would have come without the prefix, which some proxies take away and others don't."""
    path: str = scope["path"]
    if path != prefix and not path.startswith(prefix + "/"):
        return scope
    return {**scope, "path": path[len(prefix) :] or "/"}


def _prefixed(location: bytes, prefix: str) -> bytes:
    return prefix.encode() + location if location.startswith(b"/") and not location.startswith(b"//") else location


def _is_called(scope: Scope, hosts: frozenset[str]) -> bool:
    """Tell whether a request calls the server by one of its names."""
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    server = scope.get("server")
    return host_name(host) in hosts | {server[0].casefold() if server else ""} - {""}


def host_name(host: str) -> str:
    """The name in a Host header, without its port; empty where it is no such header."""
    found = re.fullmatch(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::\d{1,5})?", host, re.IGNORECASE | re.ASCII)
    return (found.group(1) or found.group(2)).casefold() if found else ""


async def _refuse(send: Send, status: int, sentence: str) -> None:
    text = sentence.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": text})
