"""Gemini's and Anthropic's endpoints on the loopback interface: they behave as these APIs do at the wire.

`loopback.serving` serves them; what they answer is told them, or a class derived from one thinks of it.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from thinkers import camel
from tolman.models.model import CallError
from tolman.responses import FailureKind


def generated(*parts: dict[str, Any], reason: str = "STOP") -> dict[str, Any]:
    return {
        "candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason, "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 2, "thoughtsTokenCount": 5},
        "modelVersion": "m",
    }


def failure(code: int, message: str, status: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


def asked_once(ask: Callable[[Any], Any], server: Any, kind: FailureKind, *, retry: bool) -> None:
    """A question that brings no text is sent once, and its error is a sentence about the address."""
    with pytest.raises(CallError) as caught:
        ask(server)
    error = caught.value
    assert (error.kind, error.retry) == (kind, retry)
    assert "http://127.0.0.1" in error.message
    assert "\n" not in error.message
    assert len(error.message) < 600
    assert len(server.bodies) == 1  # trying again is the engine's
    if kind == FailureKind.RATE_LIMIT:
        assert (error.after, error.overloaded) == (7, True)


class Google:
    """A server that speaks the resumable upload, `files` and `generateContent`.

    Args:
        content, status, headers: of what `generateContent` answers.
        states: of a file, look after look; the last one stays.
        refuse: how many uploads are answered with status 503.
        lost: how many questions are told that the file isn't there.
    """

    def __init__(
        self,
        content: object = None,
        status: int = 200,
        headers: dict[str, str] | None = None,
        *,
        states: tuple[str, ...] = ("PROCESSING", "PROCESSING", "ACTIVE"),
        refuse: int = 0,
        lost: int = 0,
    ) -> None:
        self.content = generated({"text": "A"}) if content is None else content
        self.status, self.headers, self.states, self.refuse, self.lost = status, headers, states, refuse, lost
        self.bodies: list[dict[str, Any]] = []
        self.log: list[str] = []
        self.started: list[dict[str, str]] = []
        self.received: dict[str, bytes] = {}
        self.looks: Counter[str] = Counter()
        self.keys: set[str | None] = set()

    def app(self) -> web.Application:
        app = web.Application(client_max_size=1 << 28)
        version = "/{version:v1|v1beta}"  # as newer and older packages ask
        app.router.add_post(f"/upload{version}/files", self.start)
        app.router.add_post("/upload/here/{id}", self.receive)
        app.router.add_get(version + "/files/{id}", self.look)
        app.router.add_delete(version + "/files/{id}", self.delete)
        app.router.add_post(version + "/models/{model}", self.generate)
        app.router.add_route("*", "/{rest:.*}", self.nowhere)
        return app

    async def nowhere(self, request: web.Request) -> web.StreamResponse:
        self.log.append(f"nowhere {request.method} {request.path}")
        return web.json_response(failure(404, f"no such path {request.path}", "NOT_FOUND"), status=404)

    async def start(self, request: web.Request) -> web.StreamResponse:
        self.keys.add(request.headers.get("x-goog-api-key"))
        assert request.headers["X-Goog-Upload-Protocol"] == "resumable"
        assert request.headers["X-Goog-Upload-Command"] == "start"
        prefix = "X-Goog-Upload-Header-Content-"
        self.started.append({name: request.headers[prefix + name] for name in ("Length", "Type")})
        if self.refuse:
            self.refuse -= 1
            return web.json_response(failure(503, "overloaded", "UNAVAILABLE"), status=503)
        name = f"f{len(self.started)}"
        return web.json_response({}, headers={"X-Goog-Upload-URL": str(request.url.with_path(f"/upload/here/{name}"))})

    async def receive(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["id"]
        so_far = self.received.get(name, b"")
        assert int(request.headers["X-Goog-Upload-Offset"]) == len(so_far)
        self.received[name] = so_far + await request.read()
        self.log.append(f"upload {name}")
        if "finalize" not in request.headers["X-Goog-Upload-Command"]:
            return web.Response(headers={"X-Goog-Upload-Status": "active"})
        return web.json_response({"file": self.file(name)}, headers={"X-Goog-Upload-Status": "final"})

    async def look(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["id"]
        self.looks[name] += 1
        return web.json_response(self.file(name))

    async def delete(self, request: web.Request) -> web.StreamResponse:
        self.log.append(f"delete {request.match_info['id']}")
        return web.json_response({})

    def file(self, name: str) -> dict[str, Any]:
        state = self.states[min(self.looks[name], len(self.states) - 1)]
        found: dict[str, Any] = {
            "name": f"files/{name}", "uri": f"https://files.test/v1beta/files/{name}", "mimeType": "video/mp4", "state": state,
        }  # fmt: skip
        return found | ({"error": {"code": 3, "message": "no video stream"}} if state == "FAILED" else {})

    async def generate(self, request: web.Request) -> web.StreamResponse:
        self.log.append(f"ask {request.match_info['model']}")
        self.keys.add(request.headers.get("x-goog-api-key"))
        self.bodies.append(camel(json.loads(await request.read())))
        if self.lost:
            self.lost -= 1
            gone = failure(
                403, "You do not have permission to access the File f1 or it may not exist.", "PERMISSION_DENIED"
            )
            return web.json_response(gone, status=403)
        if self.content == "stall":
            await asyncio.sleep(3600)
        said = self.content if isinstance(self.content, str) else json.dumps(self.content)
        form = "text/html" if said.startswith("<html") and self.status != 200 else "application/json"
        return web.Response(text=said, status=self.status, headers=self.headers, content_type=form)


def reply(*blocks: dict[str, Any], stop: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": list(blocks),
        "stop_reason": stop, "stop_sequence": None,
        "usage": {"input_tokens": 12, "cache_read_input_tokens": 3, "output_tokens": 5},
    }  # fmt: skip


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


class Messages:
    """A server that speaks `POST /v1/messages`."""

    def __init__(
        self, content: object = None, status: int = 200, headers: dict[str, str] | None = None, *, slow: bool = False
    ) -> None:
        self.content = reply(text("A")) if content is None else content
        self.status, self.headers, self.slow = status, headers, slow
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []

    def app(self) -> web.Application:
        app = web.Application(client_max_size=1 << 28)
        app.router.add_post("/v1/messages", self.answer)
        return app

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(json.loads(await request.read()))
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.keys.append(request.headers.get("x-api-key") or bearer)  # as older and newer packages send it
        if self.slow:
            body = web.StreamResponse(headers={"Content-Type": "application/json"})
            await body.prepare(request)
            while True:
                await body.write(b" ")
                await asyncio.sleep(0.05)
        said = self.content if isinstance(self.content, str) else json.dumps(self.content)
        return web.Response(text=said, status=self.status, headers=self.headers, content_type="application/json")
