"""Interfaces of a provider's batches, and of a model that is asked through them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from tolman.models.identity import AtAddresses
from tolman.models.model import Model, Request
from tolman.responses import Response

IN_BATCH = "answered in a batch"
"""Note of a response that came out of a batch."""
PRICE_SHARE = 0.5
"""What its tokens cost at OpenAI and Anthropic, of their price in a call by itself."""


@dataclass(frozen=True)
class Pace:
    """Waiting times of batches.

    Attributes:
        quiet: seconds without a new question after which the gathered ones are sent.
        look, longest_look: seconds between two looks at the state of batches, at first and at most.
        retry: seconds before a batch is sent again that wasn't taken, doubled each time.
        most_batches: left at a time.
    """

    quiet: float = 10.0
    look: float = 10.0
    longest_look: float = 60.0
    retry: float = 2.0
    most_batches: int = 50


@dataclass(frozen=True)
class BatchLine:
    """The result of one question of a batch.

    Attributes:
        key: its own, as it was sent.
        status: of HTTP; 0 where it was never asked.
        content: the body, as the same call by itself would have brought it; in words where it was never asked.
    """

    key: str
    status: int
    content: str


@dataclass(frozen=True)
class BatchState:
    """The state of a batch.

    Attributes:
        state: 'working'; 'ended', where there are results, be it of a part; 'refused', where nothing was asked; 'gone',
            where the provider knows no such batch.
        reason: why it was refused or is gone.
        is_full: whether it was refused since too much is waiting already, so that it may be sent again later.
        is_read: whether its file isn't needed any more.
    """

    state: Literal["working", "ended", "refused", "gone"]
    reason: str = ""
    is_full: bool = False
    is_read: bool = True


class BatchInterface(Protocol):
    """A provider's batches. All methods raise CallError where the provider can't be reached or refuses.

    Attributes:
        most_requests, most_bytes: of one batch.
    """

    most_requests: int
    most_bytes: int

    def line(self, key: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return a question as written in a batch's file."""
        ...

    async def submit(self, path: Path, token: str) -> str:
        """Leave a file of questions, a JSON object in each line.

        Args:
            path: of the file.
            token: by which `find` knows it again, where the provider keeps such a thing.

        Returns:
            The provider's name for the batch.
        """
        ...

    async def find(self, token: str, count: int, since: float, others: Collection[str]) -> str | None:
        """The name of a batch that was perhaps left: the answer to `submit` was never read.

        Args:
            token: as it was given to `submit`.
            count: of its questions.
            since: seconds since 1970 before which it wasn't.
            others: names of batches that it isn't.
        """
        ...

    async def state(self, name: str) -> BatchState:
        """Return the state of a batch."""
        ...

    def results(self, name: str) -> AsyncIterator[BatchLine]:
        """Return the results of its questions, in any order."""
        ...


@runtime_checkable
class Batching(AtAddresses, Model, Protocol):
    """A model at addresses that can be asked through a batch interface too."""

    def batches(self) -> BatchInterface:
        """The interface, which uses the model's connections."""
        ...

    def body_of(self, request: Request) -> tuple[dict[str, Any], list[str]]:
        """Return a request's body, and notes on its differences from the request. Reads the pictures.

        Raises:
            OSError: a picture can't be read.
            CallError: the model takes no such thing.
        """
        ...

    def read(self, request: Request, status: int, content: str, notes: Sequence[str]) -> Response:
        """The response that a body holds.

        Raises:
            CallError: it holds none.
        """
        ...
