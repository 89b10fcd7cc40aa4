"""Local networks on the machines of a Ray cluster: a copy on each GPU, loaded once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tolman.errors import WorkerError
from tolman.messages import Clip, Picture
from tolman.models.base import CallError, ModelOptions, Request, Scope
from tolman.parallel import WorkPlace
from tolman.parallel.actors import ClusterCopies
from tolman.responses import FailureKind, Response


@dataclass(frozen=True)
class _Refused:
    """A `CallError` as it travels."""

    kind: FailureKind
    message: str
    retry: bool
    scope: Scope


class NetworkOnCluster:
    """A network of `hf/`, of which machines of a cluster have copies.

    Its settings, and so the keys of its answers, are those of the same network on one machine with the same device.

    Args:
        name: of the network, after `hf/`; a folder must lie where all machines see it.
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
    from tolman.models.hf import create

    return create(*argument)


def _describe(model: Any, _: None) -> dict[str, Any]:
    names = ("name", "settings", "takes_pictures", "takes_clips", "concurrency")
    return {name: getattr(model, name) for name in names}


async def _answer(model: Any, request: Request) -> Response | _Refused:
    import platform

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
