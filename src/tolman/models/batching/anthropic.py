"""Anthropic's message batches, through its own package: 100,000 requests or 256 MB at most, ended within 24 hours."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.models import endpoint
from tolman.models.base import CallError
from tolman.models.batching.interface import BatchLine, BatchState

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

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
        refusal: an error of the package's → what is made of it.
    """

    most_requests = 100_000
    most_bytes = 60_000_000
    """A quarter of what the endpoint takes: a batch is built in memory by the package."""

    def __init__(self, url: str, client: AsyncAnthropic, refusal: Callable[[Any], CallError]) -> None:
        self._url, self._client, self._refusal = url, client, refusal

    def line(self, key: str, body: dict[str, Any]) -> dict[str, Any]:
        """A question as it stands in a batch."""
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
        """How a batch stands."""
        import anthropic

        try:
            batch = await self._client.messages.batches.retrieve(name)
        except anthropic.NotFoundError:
            return BatchState("gone", f"{self._url} knows no batch {name} any more")
        except anthropic.AnthropicError as error:
            raise self._told(error) from None
        return BatchState("ended" if batch.processing_status == "ended" else "working")

    async def results(self, name: str) -> AsyncIterator[BatchLine]:
        """What became of the questions."""
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
        import anthropic

        try:
            return await call()
        except anthropic.AnthropicError as error:
            raise self._told(error) from None

    def _told(self, error: Any) -> CallError:
        """What is made of an error of the package's."""
        import anthropic

        if isinstance(error, anthropic.APITimeoutError):
            return endpoint.timed_out(self._url, WAIT_SECONDS)
        if isinstance(error, anthropic.APIStatusError):
            return self._refusal(error)
        return endpoint.unreachable(self._url, error.__cause__ or error)


def _seconds(moment: Any) -> float:
    """Seconds since 1970 of a time, as the package or the wire gives it."""
    found = moment if isinstance(moment, datetime) else datetime.fromisoformat(str(moment))
    return found.timestamp()
