"""Guards around every answer: headers that keep a browser from doing harm, and the limit on the size of requests."""

from __future__ import annotations

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


class Guard:
    """ASGI middleware.

    Args:
        app: what is guarded.
        body_limit: bytes that a request may bring.
        upload_limit: the same for addresses at which files are taken.
    """

    def __init__(self, app: ASGIApp, body_limit: int, upload_limit: int = 0) -> None:
        self.app, self.body_limit, self.upload_limit = app, body_limit, upload_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                own = [(name, value) for name, value in message.get("headers", []) if name.lower() != b"server"]
                present = {name.lower() for name, _ in own}
                own += [header for header in HEADERS if header[0] not in present]
                if b"cache-control" not in present:
                    own.append((b"cache-control", b"no-store"))
                message = {**message, "headers": own}
            await send(message)

        limit = self.body_limit
        if scope["path"].endswith("/upload"):
            limit = max(limit, self.upload_limit)
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not length.isdigit() or int(length) > limit:
            await _refuse(guarded_send, limit)
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
                await _refuse(guarded_send, limit)
        except ClientDisconnect:
            pass  # the browser has taken the request back


class _TooLargeError(Exception):
    pass


async def _refuse(send: Send, limit: int) -> None:
    text = f"This is too large: at most {limit / 1024:.0f} KiB can be sent at once.".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": text})
