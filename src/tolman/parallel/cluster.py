"""Workers of a Ray cluster, on this machine or on many."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import tolman
from tolman.errors import WorkerError
from tolman.extras import needs as needs_extra
from tolman.parallel import errand
from tolman.parallel.errand import State, Terms
from tolman.parallel.ordered import LOOK_SECONDS, LostError
from tolman.parallel.place import RAY, TaskNeeds, WorkPlace, cores
from tolman.plugins import loaded_plugins
from tolman.runtime import handlers_kept

T = TypeVar("T")
R = TypeVar("R")
ADDRESS = "RAY_ADDRESS"
ANSWER_SECONDS = 10.0
"""Seconds in which an address must answer."""
ENTER_TIMES, ENTER_SECONDS = 4, 5.0
"""How often a cluster that answers and can't serve yet is asked, and the seconds in between."""
_NOT_YET = "Initialization failure from server"
"""What Ray says of that (ray.util.client, `ConnectionError`)."""
PATIENCE_SECONDS = 60.0
"""Seconds for which there may be no machine that fits: one is replaced, or a cluster grows."""
LOST = (
    "a machine of the cluster, or a process on it, was lost in the middle of its work, and so were those that did it "
    "again"
)
_QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}


class ClusterWorkers(Generic[T, R]):
    """Tasks of a cluster that call a function.

    Args:
        function: importable by its name on each machine.
        place: the cluster.
        needs: of each call.
        shared: files and folders that each machine must see.

    Raises:
        MissingExtraError: Ray isn't installed.
        WorkerError: no cluster is there.
    """

    def __init__(self, function: Callable[[T], R], place: WorkPlace, needs: TaskNeeds, shared: Sequence[Path]) -> None:
        self._function, self._needs, self._workers = function, needs, place.workers
        self._ray = connect(place)
        self._refs: dict[Future[Any], Any] = {}
        self._terms = terms_of(shared)
        self._ray.cloudpickle.register_pickle_by_value(errand)
        self._task = self._ray.remote(errand.carry_out).options(
            name=getattr(function, "__qualname__", "call"),
            num_cpus=needs.cpus,
            num_gpus=needs.gpus or None,
            memory=needs.memory,
            max_retries=0,  # `ordered` gives lost work out again, however it was lost
        )
        self._looked, self._slots = float("-inf"), 1
        self._lonely_since: float | None = None

    def most(self) -> int:
        """As many as are wanted; else two for each that the cluster has room for, so that none waits for its next."""
        if self._workers is not None:
            return self._workers
        if time.monotonic() > self._looked + LOOK_SECONDS:
            self._slots, self._looked = max(1, sum(self._room())), time.monotonic()
        return 2 * self._slots

    def submit(self, argument: T) -> Future[Any]:
        """Give them an argument."""
        call = pickle.dumps((self._function, argument), protocol=pickle.HIGHEST_PROTOCOL)
        with _told():
            ref = self._task.remote(self._terms, call)
            future: Future[Any] = ref.future()
        self._refs[future] = ref
        return future

    def result(self, future: Future[Any]) -> R:
        """What came of it; see `ordered.Crew`."""
        self._refs.pop(future, None)
        with outcome_told(self._ray):
            state, content = future.result()
        result: R = unpacked(state, content)
        return result

    def check(self) -> None:
        """See whether a machine is there that fits."""
        with _told():
            if any(self._room()):
                self._lonely_since = None
                return
        self._lonely_since = self._lonely_since or time.monotonic()
        if time.monotonic() > self._lonely_since + PATIENCE_SECONDS:
            wanted = [f"{self._needs.cpus} processor cores"]
            wanted += [f"{self._needs.gpus:g} GPUs"] if self._needs.gpus else []
            wanted += [f"{self._needs.memory / 2**30:.1f} GiB"] if self._needs.memory else []
            raise WorkerError(
                f"the cluster has no machine with {', '.join(wanted)} any more: add one and start again, what is done "
                "is kept."
            )

    def close(self, *, stopped: bool) -> None:
        """Let them go. What runs on a cluster that was begun from here ends; on another what was given out."""
        if not stopped:
            return
        with contextlib.suppress(Exception):
            for ref in self._refs.values():
                self._ray.cancel(ref, force=True)
        self._refs.clear()
        leave(self._ray)

    def _room(self) -> Iterator[int]:
        return room(self._ray, self._needs)


def terms_of(shared: Sequence[Path]) -> Terms:
    """What each machine must have that does work of this process.

    Args:
        shared: files and folders that it must see.
    """
    folder = Path.cwd()
    return Terms(
        version=tolman.__version__,
        folder=str(folder),
        plugins=[str(path) for path in loaded_plugins()],
        shared=[str(folder / path) for path in shared],
    )


def room(ray: Any, needs: TaskNeeds) -> Iterator[int]:
    """For each machine of the cluster that is there, how many calls fit on it."""
    for node in ray.nodes():
        if node["Alive"]:
            has = node["Resources"]
            fits = [has.get("CPU", 0) // needs.cpus]
            fits += [has.get("GPU", 0) // needs.gpus] if needs.gpus else []
            fits += [has.get("memory", 0) // needs.memory] if needs.memory else []
            yield int(min(fits))


@contextlib.contextmanager
def outcome_told(ray: Any) -> Iterator[None]:
    """What a cluster says of work that brought neither a result nor an error of its own.

    Raises:
        LostError: who did it was lost.
        WorkerError: it could not be done.
    """
    errors = ray.exceptions
    lost = (
        errors.WorkerCrashedError,
        errors.NodeDiedError,
        errors.OutOfMemoryError,
        errors.ObjectLostError,
        errors.LocalRayletDiedError,
        errors.ActorDiedError,
        errors.ActorUnavailableError,
    )
    try:
        with _told():
            yield
    except lost:
        raise LostError(LOST) from None
    except errors.RayError as error:
        raise WorkerError(f"the cluster could not do the work ({_line(error)}).") from None


def unpacked(state: State, content: Any) -> Any:
    """The result of an errand.

    Raises:
        WorkerError: the machine can't do such work.
        whatever was raised there.
    """
    if state == "refused":
        raise WorkerError(content)
    found = pickle.loads(content)
    if state == "raised":
        raise found
    return found


_joined = False
"""Whether it was this module that connected this process to a cluster."""


def connect(place: WorkPlace) -> Any:
    """Connect this process to a place's cluster, once.

    A process that is connected already stays where it is. Without an address, the cluster that runs on this machine is
    used, else one is started, which ends with this process.

    Returns:
        The module `ray`.

    Raises:
        MissingExtraError: Ray isn't installed.
        WorkerError: nothing answers at the address, or what does is another version of Ray or Python.
    """
    global _joined
    # Ray would tell its makers of each cluster that is started.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with needs_extra("ray", "Work on a cluster"):
        import ray
        import ray.exceptions
    if ray.is_initialized():
        return ray
    address = place.on if place.on != RAY else os.environ.get(ADDRESS)
    with _told(address), handlers_kept():
        if address:
            _answers(address)
            _enter(ray, address)
        else:
            try:
                ray.init("auto", **_QUIET)
            except ConnectionError:
                ray.init("local", num_cpus=place.workers or cores(), include_dashboard=False, **_QUIET)
    _joined = True
    return ray


def _enter(ray: Any, address: str) -> None:
    """Connect; a cluster that was started just now answers before it can serve clients, and is asked again."""
    for left in range(ENTER_TIMES - 1, -1, -1):
        try:
            ray.init(address, **_QUIET)
            return
        except ConnectionError as error:
            if _NOT_YET not in str(error) or not left:
                raise
            time.sleep(ENTER_SECONDS)


def leave(ray: Any) -> None:
    """End the connection that `connect` made, and the cluster where it started one."""
    global _joined
    if _joined:
        with contextlib.suppress(Exception):
            ray.shutdown()
        _joined = False


def _answers(address: str) -> None:
    """Make sure that somebody answers, which Ray tries for minutes.

    Raises:
        OSError: nobody does.
        ValueError: it is no address.
    """
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname and parts.port is not None:  # 'auto' and 'local' have none
        socket.create_connection((parts.hostname, parts.port), timeout=ANSWER_SECONDS).close()


@contextlib.contextmanager
def _told(address: str | None = None) -> Iterator[None]:
    """What goes wrong with a connection, in a sentence."""
    at = f"the cluster at {address}" if address else "the cluster"
    try:
        yield
    except (OSError, ConnectionError) as error:
        raise WorkerError(
            f"{at} does not answer ({_line(error)}): check the address, or start it, and start again; what is done is "
            "kept."
        ) from None
    except (RuntimeError, ValueError, AssertionError) as error:
        raise WorkerError(f"{at} can't be used ({_line(error)}).") from None


def _line(error: BaseException) -> str:
    """An error on one line, without what follows it."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:299]}…"
