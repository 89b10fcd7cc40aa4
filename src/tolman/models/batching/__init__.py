"""Batch interfaces of providers, which answer questions within a day for about half the price.

batch_client.py the interface of a provider's batches; gathers questions, sends them and fetches the answers
providers.py    the batch interfaces of OpenAI, which DashScope has too, and Anthropic

`BatchModel` is the model whose questions go there; this run fetches their answers, or one that comes back. The first
question is asked by itself. It shows whether questions can be answered at all, and which settings the endpoint
refuses. The others go through the batch client.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from tolman.models import endpoint
from tolman.models.batching.batch_client import (
    IN_BATCH,
    BatchClient,
    Batching,
    BatchInterface,
    BatchLine,
    BatchState,
    Pace,
)
from tolman.models.model import CallError, Request
from tolman.responses import FailureKind, Response

__all__ = ["BatchInterface", "BatchLine", "BatchModel", "BatchState", "Batching", "Pace"]


MOST_WAITING = 100_000
"""Questions that may wait for answers at a time."""


class BatchModel:
    """A model that is asked through its provider's batch interface.

    Args:
        inner: the model.
        pace: how long is waited.
    """

    remote = True
    takes_videos = takes_clips = False

    def __init__(self, inner: Batching, pace: Pace | None = None) -> None:
        self.name, self.settings, self.concurrency = inner.name, inner.settings, MOST_WAITING
        self.urls, self.label, self.origin = inner.urls, inner.label, inner.origin
        self.names_itself, self.looks = inner.names_itself, inner.looks
        self._inner = inner
        self._client = BatchClient(inner.batches, inner.urls[0], pace or Pace())
        self._is_shown = False  # that questions can be answered

    @property
    def noted(self) -> Callable[[str], None]:
        """Called with a sentence."""
        return self._client.noted

    @noted.setter
    def noted(self, noted: Callable[[str], None]) -> None:
        self._client.noted = noted

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """How many batches were left, with how many questions."""
        return {self.urls[0]: {"batches": self._client.sent, "questions": self._client.questions}}

    def keep_in(self, folder: Path) -> None:
        """Remember batches in a folder, and those that are remembered there.

        Raises:
            InputError: a file there was damaged.
        """
        self._client.keep_in(folder)

    def is_asked(self, request: Request) -> bool:
        """Check whether a request was left in a batch before."""
        return self._client.has(key_of(request))

    async def answer(self, request: Request) -> Response:
        """A request's answer, out of a batch.

        Raises:
            CallError: it brought no text. It isn't tried again: that would take another day.
        """
        key = key_of(request)
        if not self._client.has(key):
            if not self._is_shown:
                response = await self._inner.answer(request)
                self._is_shown = True
                return response
            await self._add(key, request)
        batch, line = await self._client.answer(key)
        try:
            if line.status == 0:
                raise CallError(FailureKind.INTERRUPTED, f"{line.content}; the same command asks again", retry=False)
            response = self._inner.read(request, line.status, line.content, batch.notes.get(key, ()))
        except CallError as error:
            self._client.forget(batch, key)
            raise CallError(error.kind, error.message, retry=False, scope="call") from None
        return response.model_copy(update={"notes": {**response.notes, IN_BATCH: 1}})

    async def close(self) -> None:
        """Stop waiting; batches left at the provider stay there."""
        await self._client.close()
        await self._inner.close()

    async def _add(self, key: str, request: Request) -> None:
        try:
            line, notes = await asyncio.to_thread(_line, self._inner, self._client.interface, key, request)
        except OSError as error:
            raise endpoint.unreadable(error) from None
        self._client.add(key, line, notes)


def key_of(request: Request) -> str:
    """A question's own key: that of the stored answer with how it is drawn, which changes where it is asked again."""
    drawn = request.sampling.model_dump_json(exclude_none=True)
    asked = request.key or [
        request.item.id, request.repeat, request.purpose, request.draw,
        [message.model_dump_json() for message in request.messages],
    ]  # fmt: skip
    return hashlib.sha256(f"{asked}\n{drawn}".encode()).hexdigest()


def _line(model: Batching, interface: BatchInterface, key: str, request: Request) -> tuple[bytes, list[str]]:
    body, notes = model.body_of(request)
    text = json.dumps(interface.line(key, body), ensure_ascii=False)
    return text.encode("utf-8", "replace") + b"\n", notes
