"""`hf/NAME`: local networks through Hugging Face transformers (extra `local`), here or on a Ray cluster.

NAME is a repository on the hub ('owner/name', also 'owner/name@revision'), a local folder, or a GGUF file. Networks
that see get pictures, and videos as frames: as one video with its times where the family takes it
(`models.hf_inputs`), else as separate pictures. Those that only read answer without (`--protocol blind`). Requests
that wait together are answered together, up to `--batch-size`. On a cluster each GPU has a copy, which is loaded once.
"""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tolman.errors import WorkerError
from tolman.extras import needs
from tolman.messages import Clip, Picture, Video
from tolman.models.hf_inputs import AS_IMAGES, MEDIA, clips_of, import_torchvision, media_options, shape_of
from tolman.models.hf_network import Network
from tolman.models.hf_weights import Checkpoint, find, place
from tolman.models.model import CallError, ModelOptions, Request, Scope
from tolman.parallel import WorkPlace
from tolman.parallel.workers import ClusterCopies
from tolman.responses import FailureKind, Response

LINGER = 0.02
"""Seconds that a batch which isn't full waits for more."""


@dataclass(frozen=True, eq=False)
class _Waiting:
    request: Request
    answer: asyncio.Future[Response]

    @property
    def kind(self) -> tuple[object, ...]:
        """Properties that requests of one batch share."""
        return self.request.sampling, _holds(self.request, Picture), shape_of(self.request)


class HuggingFace:
    """A network on this machine; its weights are loaded when the first question comes.

    Args:
        name: of the model.
        checkpoint: its weights.
        options: device, arithmetic, batch size, seed, further arguments of `generate` (--body) and, in its field
            `mm_processor_kwargs`, of the processor of pictures and videos.

    Raises:
        UsageError: an argument of the processor is none, or is set by the run itself.
    """

    remote = True

    def __init__(self, name: str, checkpoint: Checkpoint, options: ModelOptions) -> None:
        import torch
        import transformers

        self.name = f"hf/{name}"
        self.takes_pictures, self.takes_clips = checkpoint.sees, checkpoint.takes_clips
        self._checkpoint = checkpoint
        self._device, self._dtype = place(options.device, options.dtype)
        self._body = {key: value for key, value in options.body.items() if value is not None}
        self._media = media_options(self._body)
        self._seed = options.seed
        self._batch_size = options.batch_size
        self.concurrency = 2 * options.batch_size  # the next batch gets ready while one is answered
        self.settings: Mapping[str, Any] = {
            "weights": checkpoint.identity,
            "device": self._device,
            "dtype": self._dtype,
            "transformers": transformers.__version__,
            "torch": torch.__version__,
            "seed": options.seed,
        } | ({"body": self._body} if self._body else {})
        self._queue: list[_Waiting] = []
        self._arrived = asyncio.Event()
        self._server: asyncio.Task[None] | None = None
        self._network: Network | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="network")

    async def answer(self, request: Request) -> Response:
        """One answer, generated together with others that wait.

        Raises:
            CallError: the network can't be loaded or can't take this request.
        """
        if _holds(request, Video):
            raise CallError(FailureKind.MEDIA, f"{self.name} takes pictures, not whole videos", retry=False)
        if clips_of(request.messages) and not self.takes_clips:
            raise CallError(FailureKind.MEDIA, f"{self.name} takes no videos; {AS_IMAGES}", retry=False)
        waiting = _Waiting(request, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        if self._server is None:
            self._server = asyncio.create_task(self._serve())
        self._arrived.set()
        return await waiting.answer

    async def close(self) -> None:
        """Stop generating, and let go of the weights."""
        if self._network is not None:
            self._network.stop()
        if self._server is not None:
            self._server.cancel()
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)
        self._network = None

    async def _serve(self) -> None:
        """Answer waiting requests, batch after batch."""
        loop = asyncio.get_running_loop()
        while True:
            await self._arrived.wait()
            if len(self._queue) < self._batch_size:
                await asyncio.sleep(LINGER)
            batch = self._take()
            if not batch:
                self._arrived.clear()
                continue
            answers = await loop.run_in_executor(self._thread, self._answer, [waiting.request for waiting in batch])
            for waiting, answer in zip(batch, answers, strict=True):
                if waiting.answer.done():  # nobody waits any more
                    continue
                if isinstance(answer, CallError):
                    waiting.answer.set_exception(answer)
                else:
                    waiting.answer.set_result(answer)

    def _take(self) -> list[_Waiting]:
        """The one that waits longest, with others like it."""
        self._queue = [waiting for waiting in self._queue if not waiting.answer.done()]
        alike = [waiting for waiting in self._queue if waiting.kind == self._queue[0].kind][: self._batch_size]
        self._queue = [waiting for waiting in self._queue if waiting not in alike]
        return alike

    def _answer(self, requests: list[Request]) -> list[Response | CallError]:
        if self._network is None:
            try:
                self._network = self._load()
            except CallError as error:
                return [error] * len(requests)
        return self._network.answer(requests)

    def _load(self) -> Network:
        extra = {key: value for key, value in self._body.items() if key != MEDIA}
        return Network(self.name, self._checkpoint, self._device, self._dtype, extra, self._media, self._seed)


def _holds(request: Request, kind: type) -> bool:
    return any(isinstance(part, kind) for message in request.messages for part in message.parts)


def create(name: str, options: ModelOptions) -> HuggingFace | NetworkOnCluster:
    """The network of that name, on this machine or on a cluster.

    Raises:
        MissingExtraError: transformers or torch isn't installed.
        InputError, UsageError: there is no such network, device or arithmetic.
        WorkerError: the cluster can't be used.
    """
    if options.on is not None:
        return NetworkOnCluster(name, options)
    with needs("local", f"hf/{name}"):
        import torch  # noqa: F401
        import transformers  # noqa: F401
    import_torchvision()  # before transformers does, which then knows of no network where it can't be imported
    path = Path(name).expanduser()
    return HuggingFace(path.name if path.exists() else name, find(name), options)


@dataclass(frozen=True)
class _Refused:
    """A `CallError` as it travels."""

    kind: FailureKind
    message: str
    retry: bool
    scope: Scope


class NetworkOnCluster:
    """A network of `hf/` with copies on machines of a cluster.

    Its settings, and so the keys of its answers, are those of the same network on one machine with the same device.

    Args:
        name: of the network, after `hf/`; a folder must be visible to all machines.
        options: as for a network on this machine; `on` is the cluster, `workers` how many copies.

    Raises:
        MissingExtraError: Ray isn't installed here, or transformers there.
        WorkerError: no cluster is there, it has no room for the copies, or a machine can't see the weights.
        InputError, UsageError: there is no such network, device or arithmetic.
    """

    remote = True

    def __init__(self, name: str, options: ModelOptions) -> None:
        assert options.on is not None
        place = WorkPlace(options.on, options.workers)
        weights = Path(name).expanduser()
        there = replace(options, on=None, workers=None)
        self._copies = ClusterCopies(_make, (name, there), place, (weights,) if weights.exists() else ())
        try:
            told = self._copies.ask_first(_describe)
        except BaseException:
            self._copies.close()
            raise
        self.name: str = told["name"]
        self.settings: Mapping[str, Any] = told["settings"]
        self.takes_pictures: bool = told["takes_pictures"]
        self.takes_clips: bool = told["takes_clips"]
        self.concurrency: int = told["concurrency"] * self._copies.count

    async def answer(self, request: Request) -> Response:
        """One answer of one of the copies.

        Raises:
            CallError: as of a network on this machine; copies were lost again and again; or a machine doesn't see the
                pictures.
        """
        try:
            found = await self._copies.ask(_answer, request)
        except WorkerError as error:
            raise CallError(FailureKind.NETWORK, str(error), retry=False, scope="lasting") from None
        if isinstance(found, _Refused):
            raise CallError(found.kind, found.message, retry=found.retry, scope=found.scope)
        answered: Response = found
        return answered

    async def close(self) -> None:
        """End all copies."""
        self._copies.close()


def _make(argument: tuple[str, ModelOptions]) -> Any:
    return create(*argument)


def _describe(model: Any, _: None) -> dict[str, Any]:
    names = ("name", "settings", "takes_pictures", "takes_clips", "concurrency")
    return {name: getattr(model, name) for name in names}


async def _answer(model: Any, request: Request) -> Response | _Refused:
    for picture in _pictures(request):
        if not Path(picture.path).exists():
            said = (
                f"the cluster's machine {platform.node()} does not see {picture.path}: put the frame store on a disk "
                f"that all machines share, with --frame-store"
            )
            return _Refused(FailureKind.MEDIA, said, retry=False, scope="lasting")
    try:
        answered: Response = await model.answer(request)
    except CallError as error:
        return _Refused(error.kind, error.message, error.retry, error.scope)
    return answered


def _pictures(request: Request) -> list[Picture]:
    parts = [part for message in request.messages for part in message.parts]
    clips = [picture for part in parts if isinstance(part, Clip) for picture in part.frames]
    return clips + [part for part in parts if isinstance(part, Picture)]
