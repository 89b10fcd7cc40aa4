"""Contract of every model: it answers requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import UsageError
from tolman.items import Item
from tolman.messages import Message, Sampling
from tolman.models.code import UNKNOWN, code_of
from tolman.responses import FailureKind, Response


@dataclass(frozen=True)
class ModelOptions:
    """Options of a model on the command line besides its name.

    Attributes:
        base_url: of an endpoint; of several that serve the same, with commas between.
        label: the user's name of the served weights, where nothing else identifies them.
        server: which one answers at the address (`recipes.recipe.Server`), where it doesn't say so itself.
        whole_videos: how servers that sample are given a video's file, by server; None where they are given none.
        serve: the setting that starts the endpoint's server, where the run does.
        api_key: for it; None takes it from the environment.
        body: fields that every request carries besides the usual ones; a field of None takes a usual one out.
        concurrency: the most requests in flight.
        timeout: seconds for one call.
        batch: whether requests go through the provider's batch interface.
        stream: whether replies come in pieces, so that no proxy takes a long silence for the end.
        seed: for models that draw at random themselves.
        scenes: a folder of scenes, for the oracle.
        device, dtype: where a local network runs and in which arithmetic; None leaves it to the family.
        batch_size: how many requests a local network answers together.
        on: the cluster whose machines have copies of a local network ('ray', 'ray://HOST:PORT'); None for this machine.
        workers: how many copies; None for one on each GPU.
    """

    base_url: str | None = None
    label: str | None = None
    server: str | None = None
    whole_videos: Mapping[str, Any] | None = None
    serve: str | None = None
    api_key: str | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int = 32
    timeout: float = 600.0
    batch: bool = False
    stream: bool = False
    seed: int = 0
    scenes: Path | None = None
    device: str | None = None
    dtype: str | None = None
    batch_size: int = 8
    on: str | None = None
    workers: int | None = None

    @property
    def urls(self) -> list[str]:
        """The addresses in `base_url`."""
        return [url.strip() for url in (self.base_url or "").split(",") if url.strip()]


def check_address(url: str) -> None:
    """Refuse an endpoint's address that lacks its scheme.

    Raises:
        UsageError: it does.
    """
    if not url.startswith(("http://", "https://")):
        right = f"http://{url.rpartition('://')[2]}"
        raise UsageError(f"an endpoint's address must begin with http:// or https://: write {right}, not '{url}'.")


@dataclass(frozen=True)
class Request:
    """One call.

    Attributes:
        item: the question; only baselines look at it, all other models at the messages.
        messages: the conversation so far.
        sampling: how to draw.
        repeat: how often the item was asked before.
        purpose, draw: which turn of the conversation this is, for models that read their answers; of equal turns,
            `draw` counts from 0, and a model that draws its answers draws another for each.
        key: under which the answer is kept; empty where it isn't.
    """

    item: Item
    messages: tuple[Message, ...]
    sampling: Sampling
    repeat: int = 0
    purpose: str = "answer"
    draw: int = 0
    key: str = ""


Scope = Literal["call", "endpoint", "absent", "lasting"]


class CallError(Exception):
    """A call that brought no text.

    Args:
        kind: of the failure.
        message: one sentence.
        retry: whether the same call may succeed later.
        after: seconds that the endpoint asked to wait.
        overloaded: whether the endpoint asks for fewer requests.
        scope: calls that fail for the same reason: only this 'call'; others of the 'endpoint' too; all, because nothing
            answers yet or any more ('absent'); all, however long one waits ('lasting'). Default: 'endpoint' where the
            same call may succeed later, else 'call'.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        retry: bool,
        after: float | None = None,
        overloaded: bool = False,
        scope: Scope | None = None,
    ) -> None:
        super().__init__(message)
        self.scope: Scope = scope or ("endpoint" if retry else "call")
        self.kind, self.message, self.retry, self.after, self.overloaded = kind, message, retry, after, overloaded


def refused(sentence: str) -> CallError:
    """The error of a request that a model doesn't take."""
    return CallError(FailureKind.REFUSED, sentence, retry=False)


class Model(Protocol):
    """Something that answers.

    Attributes:
        name: as given on the command line.
        settings: all that determines its answers besides the request; written into the run.
        remote: whether calls cost time or money: they are stored, tried again and first tried with one item, and the
            messages hold pictures.
        concurrency: the most requests in flight.

    A model may also say that it `takes_videos` (whole files; else it doesn't) or `takes_clips` (sampled frames as one
    video; else it doesn't), whether it `takes_pictures` (else it does), or whether its answers are `stored` (else they
    are where it is `remote`): where not, each run asks again, and the first call says nothing of those that follow. A
    model of the user's own may have a `version`, a text that changes when a change of its code changes answers
    (`tolman.models.code`).
    """

    name: str
    settings: Mapping[str, Any]
    remote: bool
    concurrency: int

    async def answer(self, request: Request) -> Response:
        """Answer one request, whose messages hold texts, pictures and, for a model that takes them, videos.

        Raises:
            CallError: no text came.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def is_stored(model: Model) -> bool:
    """Check whether a model's answers are kept for later runs, and its first call shows whether others can succeed."""
    return bool(getattr(model, "stored", model.remote)) and code_of(model) != UNKNOWN


@runtime_checkable
class KnowsTheTruth(Protocol):
    """A baseline that looks at the benchmark's own answers before it is asked."""

    def prepare(self, benchmark: BenchmarkSpec, items: Sequence[Item]) -> None:
        """Look at all items of the subset before the first is asked."""
        ...


@runtime_checkable
class LeavesQuestions(Protocol):
    """A model that leaves questions somewhere and comes back for their answers (`tolman.models.batching`)."""

    def keep_in(self, folder: Path) -> None:
        """Record in a folder which questions were left in which batch.

        Raises:
            InputError: the record there was damaged.
        """
        ...

    def is_asked(self, request: Request) -> bool:
        """Check whether a request was left before."""
        ...


@runtime_checkable
class HasExpectation(Protocol):
    """A random answerer whose expected score has a closed form."""

    def distribution(self, item: Item) -> Sequence[tuple[str, float]]:
        """The texts it may answer, with their probabilities."""
        ...
