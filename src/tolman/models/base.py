"""What every model is: something that answers a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from tolman.benchmarks.base import Benchmark
from tolman.items import Item
from tolman.messages import Message, Sampling
from tolman.responses import Response


@dataclass(frozen=True)
class ModelOptions:
    """What the command line says about a model besides its name.

    Attributes:
        base_url: of an endpoint.
        seed: for models that draw at random themselves.
        extra: further settings of the family.
    """

    base_url: str | None = None
    seed: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """One call.

    Attributes:
        item: what is asked; only baselines look at it, everybody else at the messages.
        messages: the conversation so far.
        sampling: how to draw.
        repeat: the number of this draw, from 0.
    """

    item: Item
    messages: tuple[Message, ...]
    sampling: Sampling
    repeat: int = 0


class Model(Protocol):
    """Something that answers.

    Attributes:
        name: as given on the command line.
        settings: all that determines its answers besides the request; written into the run.
    """

    name: str
    settings: Mapping[str, Any]

    async def answer(self, request: Request) -> Response:
        """Answer one request."""
        ...


@runtime_checkable
class KnowsTheTruth(Protocol):
    """A baseline that is built from the benchmark's own answers."""

    def prepare(self, benchmark: Benchmark, items: Sequence[Item]) -> None:
        """Look at all items of the subset before the first is asked."""
        ...


@runtime_checkable
class HasExpectation(Protocol):
    """A random answerer whose expected score has a closed form."""

    def distribution(self, item: Item) -> Sequence[tuple[str, float]]:
        """The texts it may answer, with their probabilities."""
        ...
