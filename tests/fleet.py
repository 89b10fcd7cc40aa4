"""Endpoints that go down and come back, that load for a while, or whose credit is used up, on the loopback interface."""

import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from loopback import Server, serving

QUOTA = {"message": "You exceeded your current quota.", "type": "insufficient_quota", "code": "insufficient_quota"}
LOADING = {"code": 503, "message": "Loading model", "type": "unavailable_error"}


class Endpoint(Server):
    """A server whose requests go wrong by a rule.

    Args:
        wrong: number of the request, from 1, → fault; None where it is answered. Besides the faults of `Server` there
            are 'loading' (llama.cpp's 503), 'quota' (OpenAI's 429 without credit) and '402'.
        listed: what /v1/models lists.
        routes: more paths at the server's root → what they answer.
        headers: of every answer; made anew for each where it is a function.
        fingerprint: of the answers, by their number.
    """

    def __init__(
        self,
        wrong: Callable[[int], str | None] = lambda number: None,
        *,
        listed: list[dict[str, Any]] | None = None,
        routes: dict[str, Any] | None = None,
        headers: Callable[[], dict[str, str]] | None = None,
        fingerprint: Callable[[int], str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.wrong, self.entries, self.routes, self.headers = wrong, listed, routes or {}, headers
        self.fingerprint = fingerprint
        self.times: list[float] = []
        self.looks = 0

    def app(self) -> web.Application:
        app = super().app()
        for path, content in self.routes.items():
            app.router.add_get(path, _page(content))
        if self.headers is not None:
            app.on_response_prepare.append(self._add_headers)
        return app

    async def _add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        assert self.headers is not None
        response.headers.update(self.headers())

    async def listed(self, request: web.Request) -> web.Response:
        self.looks += 1
        if self.entries is None:
            return await super().listed(request)
        return web.json_response({"object": "list", "data": self.entries})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        reply = await super().complete(request)
        if self.fingerprint is None or not isinstance(reply, web.Response) or reply.status != 200:
            return reply
        return web.json_response({**json.loads(str(reply.text)), "system_fingerprint": self.fingerprint(self.requests)})

    def _draw(self, pictures: list[str]) -> str | None:
        self.times.append(time.monotonic())
        return self.wrong(self.requests)

    async def _misbehave(self, request: web.Request, fault: str) -> web.StreamResponse:
        if fault == "loading":
            return web.json_response({"error": LOADING}, status=503)
        if fault == "quota":
            return web.json_response({"error": QUOTA}, status=429)
        if fault == "402":
            return web.json_response({"error": {"message": "Insufficient credits"}}, status=402)
        return await super()._misbehave(request, fault)


def _page(content: Any) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response(content)

    return answer


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def serving_later(server: Server, seconds: float, port: int) -> Iterator[str]:
    """A server that begins to listen after a while; the address is its own already."""
    over = threading.Event()

    def work() -> None:
        if not over.wait(seconds):
            with serving(server, port):
                over.wait()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        over.set()
        thread.join(120)


@contextmanager
def in_turn(first: Server, second: Server, *, after: int, pause: float, port: int | None = None) -> Iterator[str]:
    """A server that ends after so many requests, and another in its place after a pause.

    Args:
        first, second: the servers.
        after: requests of the first.
        pause: seconds in which nobody listens.
        port: of the second; the first's where None.
    """
    over, there = threading.Event(), threading.Event()
    own = free_port()

    def work() -> None:
        with serving(first, own):
            there.set()
            while first.requests < after and not over.wait(0.005):
                pass
        if not over.wait(pause):
            with serving(second, port or own):
                over.wait()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    there.wait(120)
    try:
        yield f"http://127.0.0.1:{own}/v1"
    finally:
        over.set()
        thread.join(120)
