"""An OpenAI-compatible server on the loopback interface that misbehaves on demand.

    python tests/loopback.py --latency 0.2 [--fault 500=0.1 --fault cut=0.05 …] [--seed 0] [--answer A]

Prints its port on the first line. `GET /stats` tells what it saw; `POST /v1/chat/completions` answers. A fault is drawn
for each request from a seeded generator:

429, 503     with Retry-After        stall        no answer, ever
500          with a JSON error       slow         headers, then a body that never ends
cut          closes the connection   malformed    200 with something that is no JSON
html         200 with a web page     shape        200 with JSON of another shape
empty        200 with an empty text  401, 404, images   refusals for good

With --thinks N it behaves as vLLM does with a model that thinks: reasoning of N tokens in a field of its own, then the
answer; a limit of no more tokens ends it with `finish_reason: length` and null content.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from aiohttp import web


class Server:
    """The server's behaviour and memory."""

    def __init__(
        self,
        *,
        latency: float = 0.0,
        faults: Mapping[str, float] | None = None,
        seed: int = 0,
        answer: str = "A",
        retry_after: float = 0.1,
        keep: bool = True,
        reply: Callable[[dict[str, Any]], str] | None = None,
        thinks: int = 0,
        models: tuple[str, ...] = ("my-model",),
        key: str | None = None,
    ) -> None:
        self.models, self.key = models, key
        self.reply, self.thinks = reply, thinks
        self.latency, self.answer, self.retry_after, self.keep = latency, answer, retry_after, keep
        self.faults = dict(faults or {})
        self._random = random.Random(seed)
        self.requests = 0
        self.first = self.last = 0.0  # when the first request came and the last reply went, seconds since 1970
        self.in_flight = self.peak = 0
        self.answered: Counter[str] = Counter()
        self.faulted: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.pictures: Counter[str] = Counter()
        self.bytes = 0

    def app(self) -> web.Application:
        """The application."""
        app = web.Application(client_max_size=1 << 28)
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_get("/v1/models", self.listed)
        app.router.add_get("/stats", self.stats)
        return app

    async def listed(self, request: web.Request) -> web.Response:
        """The models, for who has the key."""
        given = request.headers.get("Authorization", "")
        if self.key is not None and given != f"Bearer {self.key}":
            return web.json_response({"error": {"message": f"not with {given}"}}, status=401)
        return web.json_response({"object": "list", "data": [{"id": name} for name in self.models]})

    async def stats(self, request: web.Request) -> web.Response:
        """What was seen so far."""
        return web.json_response(
            {
                "requests": self.requests,
                "peak": self.peak,
                "answered": sum(self.answered.values()),
                "distinct": len(self.answered),
                "faulted": dict(self.faulted),
                "bytes": self.bytes,
                "first": self.first,
                "last": self.last,
            }
        )

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """One completion, or one fault."""
        raw = await request.read()
        self.first = self.first or time.time()
        self.requests += 1
        self.bytes += len(raw)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            body = json.loads(raw)
            if self.key is not None and request.headers.get("Authorization") != f"Bearer {self.key}":
                return await self._misbehave(request, "401")
            text, pictures = _seen(body)
            if self.keep:
                self.bodies.append(body)
                self.pictures.update(pictures)
            fault = self._draw(pictures)
            if fault:
                self.faulted[fault] += 1
                return await self._misbehave(request, fault)
            await asyncio.sleep(self.latency)
            self.answered[hashlib.sha256(text.encode()).hexdigest()] += 1
            answer = self.answer if self.reply is None else self.reply(body)
            return web.json_response(_completion(body, answer, len(raw), self.thinks))
        finally:
            self.in_flight -= 1
            self.last = time.time()

    def _draw(self, pictures: list[str]) -> str | None:
        if "images" in self.faults and pictures:
            return "images"
        draw = self._random.random()
        for fault, share in self.faults.items():
            draw -= share
            if draw < 0 and fault != "images":
                return fault
        return None

    async def _misbehave(self, request: web.Request, fault: str) -> web.StreamResponse:
        if fault in ("429", "503"):
            headers = {"Retry-After": str(self.retry_after)}
            return web.json_response({"error": {"message": "slow down"}}, status=int(fault), headers=headers)
        if fault in ("500", "401", "404"):
            return web.json_response({"error": {"message": f"told to answer {fault}"}}, status=int(fault))
        if fault == "images":
            return web.json_response({"error": {"message": "this model takes no images"}}, status=400)
        if fault == "cut":
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if fault == "stall":
            await asyncio.sleep(3600)
        if fault == "slow":
            reply = web.StreamResponse(headers={"Content-Type": "application/json"})
            await reply.prepare(request)
            while True:
                await reply.write(b" ")
                await asyncio.sleep(0.05)
        content = {
            "malformed": '{"choices": [{"message": {"content": "A"',
            "html": "<html><body>The answer is A. Error 5.</body></html>",
            "shape": '{"result": "A", "choices": []}',
            "empty": json.dumps(_completion({}, "", 0)),
        }[fault]
        return web.Response(text=content, content_type="application/json")


def _seen(body: dict[str, Any]) -> tuple[str, list[str]]:
    """The text of a request, and the hashes of its pictures."""
    texts, pictures = [], []
    for message in body["messages"]:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                texts.append(part["text"])
            else:
                found = part[part["type"]]["url"]  # several where frames make one video, also as a list
                header, *coded = (
                    found.split(",") if isinstance(found, str) else (url.split(",")[-1] for url in ["", *found])
                )
                assert header == "data:image/jpeg;base64" or part["type"] == "video_url", header
                pictures += [hashlib.sha256(base64.b64decode(one, validate=True)).hexdigest() for one in coded]
    return "\n".join(texts), pictures


def _completion(body: Mapping[str, Any], answer: str, size: int, thinks: int = 0) -> dict[str, Any]:
    if thinks:
        limit = body.get("max_completion_tokens") or body.get("max_tokens") or 1 << 17
        spoken, left = answer.split(), max(0, limit - thinks)
        message = {
            "role": "assistant",
            "content": " ".join(spoken[:left]) or None,
            "reasoning_content": " ".join(["Hmm."] * min(thinks, limit)),
        }
        reason = "stop" if len(spoken) <= left else "length"
        return {
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": size // 4, "completion_tokens": min(limit, thinks + len(spoken))},
        }
    return {
        "id": "x",
        "object": "chat.completion",
        "model": body.get("model"),
        "choices": [{"index": 0, "message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": size // 4,
            "completion_tokens": len(answer),
            "total_tokens": size // 4 + len(answer),
        },
    }


@contextmanager
def serving(server: Server, port: int = 0) -> Iterator[str]:
    """Serve in a thread, on a free port or on the one that is named; gives the base URL."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    address: list[str] = []

    async def start() -> web.AppRunner:
        runner = web.AppRunner(server.app(), handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port, reuse_address=True)
        await site.start()
        address.append(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
        return runner

    runner = None

    def work() -> None:
        nonlocal runner
        asyncio.set_event_loop(loop)
        runner = loop.run_until_complete(start())
        loop.call_soon(ready.set)
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    ready.wait(120)
    try:
        yield address[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--fault", action="append", default=[], help="NAME=SHARE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answer", default="A")
    parser.add_argument("--thinks", type=int, default=0)
    parser.add_argument("--model", default="my-model", help="the name in its list of models")
    options = parser.parse_args()
    faults = {name: float(share) for name, share in (fault.split("=") for fault in options.fault)}
    server = Server(
        latency=options.latency,
        faults=faults,
        seed=options.seed,
        answer=options.answer,
        thinks=options.thinks,
        models=(options.model,),
        keep=False,
    )
    with serving(server) as url:
        print(url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(0)
