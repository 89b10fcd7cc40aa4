"""Batch interfaces of OpenAI and Anthropic on the loopback interface, as their documentation describes the wire."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from loopback import Server
from wires import Messages, reply, text

Fate = Callable[[str], str | None]
"""Text of a question → what becomes of it: 'expired', 'error' (HTTP 500), 'invalid' (HTTP 400); None: answered."""


@dataclass
class Batch:
    """A batch that was left.

    Attributes:
        requests: as they came, in their order.
        looks: how often was looked how it stands.
    """

    name: str
    requests: list[dict[str, Any]]
    metadata: dict[str, str] = field(default_factory=dict)
    looks: int = 0
    state: str = ""


def texts(body: dict[str, Any]) -> str:
    """All words of a request."""
    found = []
    for message in body["messages"]:
        content = message["content"]
        found += [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]
    return "\n".join(found)


class OpenAIBatchServer(Server):
    """OpenAI's chat completions, files and batches.

    Args:
        looks: after so many looks a batch has ended.
        fate: of questions.
        full: so many batches are refused first since too much is waiting.
        lost: so many times a batch is taken and the connection cut before its name is told.
        refused: why all batches are.
    """

    def __init__(
        self,
        *,
        looks: int = 2,
        fate: Fate = lambda text: None,
        full: int = 0,
        lost: int = 0,
        refused: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__(**more)
        self.end_after, self.fate, self.full, self.lost, self.refused = looks, fate, full, lost, refused
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self.numbers = itertools.count()
        self.asked: Counter[str] = Counter()
        self.alone: Counter[str] = Counter()

    def app(self) -> web.Application:
        app = super().app()
        app.router.add_post("/v1/files", self.upload)
        app.router.add_get("/v1/files/{name}/content", self.download)
        app.router.add_post("/v1/batches", self.create)
        app.router.add_get("/v1/batches", self.newest)
        app.router.add_get("/v1/batches/{name}", self.retrieve)
        return app

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.alone[texts(json.loads(await request.read()))] += 1
        return await super().complete(request)

    async def upload(self, request: web.Request) -> web.Response:
        fields = await request.post()
        assert fields["purpose"] == "batch"
        uploaded: Any = fields["file"]
        content = uploaded.file.read()
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return web.json_response({"id": name, "object": "file", "bytes": len(content), "purpose": "batch"})

    async def download(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["name"]], content_type="application/octet-stream")

    async def create(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        assert body["endpoint"] == "/v1/chat/completions"
        assert body["completion_window"] == "24h"
        requests = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert all((one["method"], one["url"]) == ("POST", "/v1/chat/completions") for one in requests)
        assert len({one["custom_id"] for one in requests}) == len(requests)
        batch = Batch(f"batch_{next(self.numbers)}", requests, body["metadata"])
        self.batches[batch.name] = batch
        if self.full:
            self.full -= 1
            batch.state = "full"
        else:
            self.asked.update(texts(one["body"]) for one in requests)
        if self.lost:
            self.lost -= 1
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        return web.json_response(self.told(batch))

    async def newest(self, request: web.Request) -> web.Response:
        listed = [self.told(batch) for batch in reversed(self.batches.values())]
        return web.json_response({"object": "list", "data": listed, "has_more": False})

    async def retrieve(self, request: web.Request) -> web.Response:
        batch = self.batches.get(request.match_info["name"])
        if batch is None:
            return web.json_response({"error": {"message": "No such batch"}}, status=404)
        batch.looks += 1
        return web.json_response(self.told(batch))

    def told(self, batch: Batch) -> dict[str, Any]:
        """A batch as the wire shows it."""
        found: dict[str, Any] = {"id": batch.name, "object": "batch", "metadata": batch.metadata, "errors": None}
        if batch.state == "full" or self.refused:
            code = "token_limit_exceeded" if batch.state == "full" else "model_not_found"
            said = "Enqueued token limit reached." if batch.state == "full" else self.refused
            return found | {"status": "failed", "errors": {"object": "list", "data": [{"code": code, "message": said}]}}
        if batch.looks < self.end_after:
            return found | {"status": "validating" if batch.looks == 0 else "in_progress"}
        answers, errors = self._ended(batch)
        return found | {
            "status": "expired" if any("batch_expired" in line for line in errors) else "completed",
            "output_file_id": self._file(f"out-{batch.name}", answers),
            "error_file_id": self._file(f"err-{batch.name}", errors),
        }

    def _file(self, name: str, lines: list[str]) -> str | None:
        self.files[name] = "".join(lines).encode()
        return name if lines else None

    def _ended(self, batch: Batch) -> tuple[list[str], list[str]]:
        answers, errors = [], []
        for one in reversed(batch.requests):  # in any order
            fate = self.fate(texts(one["body"]))
            line: dict[str, Any] = {"id": f"r-{one['custom_id'][:5]}", "custom_id": one["custom_id"], "error": None}
            if fate == "expired":
                said = "This request could not be executed before the completion window expired."
                line |= {"response": None, "error": {"code": "batch_expired", "message": said}}
            elif fate is not None:
                status = {"error": 500, "invalid": 400}[fate]
                line["response"] = {
                    "status_code": status,
                    "request_id": "x",
                    "body": {"error": {"message": f"a {fate}"}},
                }
            else:
                answer = self.answer if self.reply is None else self.reply(one["body"])
                message = {"role": "assistant", "content": answer}
                body = {
                    "id": "x", "object": "chat.completion", "model": one["body"]["model"],
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10},
                }  # fmt: skip
                line["response"] = {"status_code": 200, "request_id": "x", "body": body}
            (answers if fate is None else errors).append(json.dumps(line) + "\n")
        return answers, errors


class AnthropicBatchServer(Messages):
    """Anthropic's messages and message batches.

    Args:
        looks, fate, lost: as above.
    """

    def __init__(
        self, *, looks: int = 2, fate: Fate = lambda text: None, lost: int = 0, answer: Callable[[str], str]
    ) -> None:
        super().__init__()
        self.end_after, self.fate, self.lost, self.say = looks, fate, lost, answer
        self.batches: dict[str, Batch] = {}
        self.numbers = itertools.count()
        self.asked: Counter[str] = Counter()
        self.alone: Counter[str] = Counter()

    def app(self) -> web.Application:
        app = super().app()
        app.router.add_post("/v1/messages/batches", self.create)
        app.router.add_get("/v1/messages/batches", self.newest)
        app.router.add_get("/v1/messages/batches/{name}", self.retrieve)
        app.router.add_get("/v1/messages/batches/{name}/results", self.results)
        return app

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        self.alone[texts(body)] += 1
        return web.json_response(reply(text(self.say(texts(body)))))

    async def create(self, request: web.Request) -> web.StreamResponse:
        requests = json.loads(await request.read())["requests"]
        assert len({one["custom_id"] for one in requests}) == len(requests)
        batch = Batch(f"msgbatch_{next(self.numbers)}", requests)
        self.batches[batch.name] = batch
        self.asked.update(texts(one["params"]) for one in requests)
        if self.lost:
            self.lost -= 1
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        return web.json_response(self.told(batch, request))

    async def newest(self, request: web.Request) -> web.Response:
        listed = [self.told(batch, request) for batch in reversed(self.batches.values())]
        return web.json_response({"data": listed, "has_more": False, "first_id": None, "last_id": None})

    async def retrieve(self, request: web.Request) -> web.Response:
        batch = self.batches.get(request.match_info["name"])
        if batch is None:
            error = {"type": "not_found_error", "message": "no such batch"}
            return web.json_response({"type": "error", "error": error}, status=404)
        batch.looks += 1
        return web.json_response(self.told(batch, request))

    def told(self, batch: Batch, request: web.Request) -> dict[str, Any]:
        """A batch as the wire shows it."""
        ended = batch.looks >= self.end_after
        total = len(batch.requests)
        counts = {"processing": 0 if ended else total, "succeeded": total if ended else 0}
        url = str(request.url.origin()) + f"/v1/messages/batches/{batch.name}/results"
        return {
            "id": batch.name, "type": "message_batch", "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts | {"errored": 0, "canceled": 0, "expired": 0},
            "created_at": "2999-01-01T00:00:00Z", "expires_at": "2999-01-02T00:00:00Z", "ended_at": None,
            "archived_at": None, "cancel_initiated_at": None, "results_url": url if ended else None,
        }  # fmt: skip

    async def results(self, request: web.Request) -> web.Response:
        lines = []
        for one in reversed(self.batches[request.match_info["name"]].requests):
            said = texts(one["params"])
            fate = self.fate(said)
            result: dict[str, Any] = {"type": "succeeded", "message": reply(text(self.say(said)))}
            if fate == "expired":
                result = {"type": "expired"}
            elif fate is not None:
                kind = {"error": "api_error", "invalid": "invalid_request_error"}[fate]
                error = {"type": "error", "error": {"type": kind, "message": f"a {fate}"}, "request_id": None}
                result = {"type": "errored", "error": error}
            lines.append(json.dumps({"custom_id": one["custom_id"], "result": result}) + "\n")
        return web.Response(text="".join(lines), content_type="application/x-jsonl")
