"""A model whose questions are left in batches and whose answers are fetched, by this run or by one that comes back.

The first question is asked by itself: it shows whether questions can be answered at all, and which settings the
endpoint refuses. The others go with a courier (`courier.py`).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from tolman.models import endpoint
from tolman.models.base import CallError, Request
from tolman.models.batching.courier import Courier
from tolman.models.batching.interface import IN_BATCH, Batching, BatchInterface, Pace
from tolman.responses import FailureKind, Response

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
        self._courier = Courier(inner.batches, inner.urls[0], pace or Pace())
        self._is_shown = False  # that questions can be answered

    @property
    def noted(self) -> Callable[[str], None]:
        """Called with a sentence."""
        return self._courier.noted

    @noted.setter
    def noted(self, noted: Callable[[str], None]) -> None:
        self._courier.noted = noted

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """How many batches were left, with how many questions."""
        return {self.urls[0]: {"batches": self._courier.sent, "questions": self._courier.questions}}

    def keep_in(self, folder: Path) -> None:
        """Remember batches in a folder, and those that are remembered there.

        Raises:
            InputError: a file there was damaged.
        """
        self._courier.keep_in(folder)

    def is_asked(self, request: Request) -> bool:
        """Whether a request was left in a batch before."""
        return self._courier.has(key_of(request))

    async def answer(self, request: Request) -> Response:
        """A request's answer, out of a batch.

        Raises:
            CallError: it brought no text. It isn't tried again: that would take another day.
        """
        key = key_of(request)
        if not self._courier.has(key):
            if not self._is_shown:
                response = await self._inner.answer(request)
                self._is_shown = True
                return response
            await self._add(key, request)
        batch, line = await self._courier.answer(key)
        try:
            if line.status == 0:
                raise CallError(FailureKind.INTERRUPTED, f"{line.content}; the same command asks again", retry=False)
            response = self._inner.read(request, line.status, line.content, batch.notes.get(key, ()))
        except CallError as error:
            self._courier.forget(batch, key)
            raise CallError(error.kind, error.message, retry=False, scope="call") from None
        return response.model_copy(update={"notes": {**response.notes, IN_BATCH: 1}})

    async def close(self) -> None:
        """Stop waiting; what was left at the provider stays there."""
        await self._courier.close()
        await self._inner.close()

    async def _add(self, key: str, request: Request) -> None:
        try:
            line, notes = await asyncio.to_thread(_line, self._inner, self._courier.interface, key, request)
        except OSError as error:
            raise endpoint.unreadable(error) from None
        self._courier.add(key, line, notes)


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
