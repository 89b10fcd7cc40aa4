"""The batch interfaces of OpenAI and Anthropic.

With OpenAI, and with those who speak its form, such as DashScope, a file of requests is uploaded. Files of answers and
errors are there when the batch has ended. It takes at most 50,000 requests and 200 MB, in a window of 24 hours.

Anthropic's message batches go through its own package. They take 100,000 requests or 256 MB at most and end within 24
hours.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from tolman.extras import LazyModule
from tolman.models import endpoint
from tolman.models.batching.batch_client import BatchLine, BatchState
from tolman.models.model import CallError

if TYPE_CHECKING:
    import anthropic
    from anthropic import AsyncAnthropic
else:
    anthropic = LazyModule("anthropic")


WINDOW = "24h"
ENDPOINT = "/v1/chat/completions"
UPLOAD_SECONDS = 3600.0
BATCHES_A_PAGE = 100
"""The newest batches, among which one that was perhaps left is looked for."""
_ENDED = ("completed", "expired", "cancelled")
_FULL = "token_limit_exceeded"
_BATCH_HINTS = {404: "has this endpoint a batch interface?", 405: "has this endpoint a batch interface?"}


class OpenAIBatches:
    """The batches of one endpoint.

    Args:
        url: of the endpoint, such as https://api.openai.com/v1.
        headers: of every request.
    """

    most_requests = 50_000
    most_bytes = 190_000_000

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = {name: value for name, value in headers.items() if name.casefold() != "content-type"}

    def line(self, key: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return a question as written in a batch's file."""
        return {"custom_id": key, "method": "POST", "url": ENDPOINT, "body": body}

    async def submit(self, path: Path, token: str) -> str:
        """Upload a file of questions, and have them answered."""
        with path.open("rb") as file:
            form = aiohttp.FormData({"purpose": "batch"})
            form.add_field("file", file, filename=f"{token}.jsonl", content_type="application/jsonl")
            uploaded = await self._asked("POST", "/files", data=form)
        wanted = {
            "input_file_id": str(uploaded["id"]), "endpoint": ENDPOINT, "completion_window": WINDOW,
            "metadata": {"tolman": token},
        }  # fmt: skip
        return str((await self._asked("POST", "/batches", json=wanted))["id"])

    async def find(self, token: str, count: int, since: float, others: Collection[str]) -> str | None:
        """The batch of a token, among the newest."""
        listed = await self._asked("GET", f"/batches?limit={BATCHES_A_PAGE}")
        for one in listed.get("data", ()):
            metadata = one.get("metadata")
            if isinstance(metadata, dict) and metadata.get("tolman") == token:
                return str(one["id"])
        return None

    async def state(self, name: str) -> BatchState:
        """Return the state of a batch."""
        told = await self._asked("GET", f"/batches/{name}", known=True)
        if not told:
            return BatchState("gone", f"{self._url} knows no batch {name} any more")
        state = told.get("status")
        if state == "failed":
            error = _first_error(told)
            said = str(error.get("message") or "no reason given")
            is_full = error.get("code") == _FULL
            return BatchState("refused", f"{self._url} refused the batch {name}: {said}", is_full, is_read=False)
        return BatchState("ended" if state in _ENDED else "working", is_read=state != "validating")

    async def results(self, name: str) -> AsyncIterator[BatchLine]:
        """The answers, and the errors behind them."""
        told = await self._asked("GET", f"/batches/{name}")
        for field in ("output_file_id", "error_file_id"):
            if told.get(field):
                async for text in self._lines(f"/files/{told[field]}/content"):
                    yield self._line(text)

    def _line(self, text: bytes) -> BatchLine:
        try:
            line = json.loads(text)
            reply, error = line.get("response"), line.get("error")
            if reply is not None and (error is None or reply.get("status_code") != 200):
                content = json.dumps(reply["body"], ensure_ascii=False)
                return BatchLine(str(line["custom_id"]), int(reply["status_code"]), content)
            return BatchLine(str(line["custom_id"]), 0, f"{self._url}: {(error or {}).get('message', 'no answer')}")
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise endpoint.malformed(self._url, "line of a batch", problem, text.decode("utf-8", "replace")) from None

    async def _asked(self, method: str, path: str, *, known: bool = False, **more: Any) -> dict[str, Any]:
        """The JSON object that a request is answered with; an empty one where something that was `known` is gone."""
        try:
            async with self._session() as session, session.request(method, self._url + path, **more) as reply:
                content = await reply.read()
        except TimeoutError:
            raise endpoint.timed_out(self._url, UPLOAD_SECONDS) from None
        except aiohttp.ClientError as error:
            raise endpoint.unreachable(self._url, error) from None
        if known and reply.status == 404:
            return {}
        if reply.status != 200:
            raise endpoint.refusal(self._url, reply.status, content, headers=reply.headers, hints=_BATCH_HINTS)
        try:
            found = json.loads(content)
            if not isinstance(found, dict) or not (isinstance(found.get("id"), str) or _is_list(found.get("data"))):
                raise ValueError("neither an object with an id nor a list of them")
        except (ValueError, RecursionError) as error:
            raise endpoint.malformed(self._url, "batch", error, content.decode("utf-8", "replace")) from None
        return found

    async def _lines(self, path: str) -> AsyncIterator[bytes]:
        """The lines of a file, however long they are."""
        rest = b""
        try:
            async with self._session() as session, session.get(self._url + path) as reply:
                if reply.status != 200:
                    raise endpoint.refusal(self._url, reply.status, await reply.read(), headers=reply.headers)
                async for chunk in reply.content.iter_chunked(1 << 20):
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in lines:
                        if line.strip():
                            yield line
        except TimeoutError:
            raise endpoint.timed_out(self._url, UPLOAD_SECONDS) from None
        except aiohttp.ClientError as error:
            raise endpoint.unreachable(self._url, error) from None
        if rest.strip():
            yield rest

    def _session(self) -> aiohttp.ClientSession:
        """Connections of one look; looks are far apart."""
        return aiohttp.ClientSession(headers=self._headers, timeout=aiohttp.ClientTimeout(total=UPLOAD_SECONDS))


def _is_list(data: object) -> bool:
    return isinstance(data, list) and all(isinstance(one, dict) and isinstance(one.get("id"), str) for one in data)


def _first_error(batch: dict[str, Any]) -> dict[str, Any]:
    try:
        error = batch["errors"]["data"][0]
    except (KeyError, IndexError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}


WAIT_SECONDS = 600.0
"""The longest that a batch is sent."""
LISTED = 100
"""The newest batches, among which one that was perhaps left is looked for."""
CLOCKS = 60.0
"""Seconds by which the provider's clock may be behind."""
_STATUS = {
    "invalid_request_error": 400, "authentication_error": 401, "permission_error": 403, "not_found_error": 404,
    "request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "overloaded_error": 529,
}  # fmt: skip
"""Type of an error → the status with which a call by itself would have brought it."""


class AnthropicBatches:
    """The batches of one endpoint.

    Args:
        url: of the endpoint, for sentences.
        client: the package's.
        refusal: an error of the package's → a `CallError`.
    """

    most_requests = 100_000
    most_bytes = 60_000_000
    """A quarter of what the endpoint takes: a batch is built in memory by the package."""

    def __init__(self, url: str, client: AsyncAnthropic, refusal: Callable[[Any], CallError]) -> None:
        self._url, self._client, self._refusal = url, client, refusal

    def line(self, key: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return a question as written in a batch."""
        return {"custom_id": key, "params": body}

    async def submit(self, path: Path, token: str) -> str:
        """Leave the questions; nothing can be sent with them by which they are known again."""
        requests = [json.loads(line) for line in path.read_bytes().splitlines()]
        batch = await self._asked(lambda: self._client.messages.batches.create(requests=requests, timeout=WAIT_SECONDS))
        return str(batch.id)

    async def find(self, token: str, count: int, since: float, others: Collection[str]) -> str | None:
        """The newest batch with so many questions that was left since then and is none of the others."""
        page = await self._asked(lambda: self._client.messages.batches.list(limit=LISTED))
        for batch in page.data:
            counts = batch.request_counts
            total = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
            if total == count and batch.id not in others and _seconds(batch.created_at) >= since - CLOCKS:
                return str(batch.id)
        return None

    async def state(self, name: str) -> BatchState:
        """Return the state of a batch."""
        try:
            batch = await self._client.messages.batches.retrieve(name)
        except anthropic.NotFoundError:
            return BatchState("gone", f"{self._url} knows no batch {name} any more")
        except anthropic.AnthropicError as error:
            raise self._told(error) from None
        return BatchState("ended" if batch.processing_status == "ended" else "working")

    async def results(self, name: str) -> AsyncIterator[BatchLine]:
        """Return the results of the questions."""
        found = await self._asked(lambda: self._client.messages.batches.results(name))
        try:
            async for line in found:
                yield self._line(line)
        except (ValueError, AttributeError) as error:
            raise endpoint.malformed(self._url, "line of a batch", error) from None

    def _line(self, line: Any) -> BatchLine:
        result = line.result
        if result.type == "succeeded":
            return BatchLine(line.custom_id, 200, result.message.to_json(indent=None))
        if result.type == "errored":
            error = result.error.error
            content = json.dumps({"error": {"type": error.type, "message": error.message}})
            return BatchLine(line.custom_id, _STATUS.get(error.type, 500), content)
        why = "the question was not reached within 24 hours" if result.type == "expired" else "the batch was cancelled"
        return BatchLine(line.custom_id, 0, f"{self._url}: {why}")

    async def _asked(self, call: Callable[[], Awaitable[Any]]) -> Any:
        try:
            return await call()
        except anthropic.AnthropicError as error:
            raise self._told(error) from None

    def _told(self, error: Any) -> CallError:
        """Convert an error of the package's to a CallError."""
        if isinstance(error, anthropic.APITimeoutError):
            return endpoint.timed_out(self._url, WAIT_SECONDS)
        if isinstance(error, anthropic.APIStatusError):
            return self._refusal(error)
        return endpoint.unreachable(self._url, error.__cause__ or error)


def _seconds(moment: Any) -> float:
    """Seconds since 1970 of a time, as the package or the wire gives it."""
    found = moment if isinstance(moment, datetime) else datetime.fromisoformat(str(moment))
    return found.timestamp()
