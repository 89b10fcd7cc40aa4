"""Workers: processes of this machine, tasks of a Ray cluster, and copies of an object that its machines keep.

A copy is made once on a machine and asked often, such as a network on each GPU.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import pickle
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import tolman
from tolman.errors import WorkerError
from tolman.extras import needs as needs_extra
from tolman.parallel import remote_call
from tolman.parallel.remote_call import State, Terms
from tolman.parallel.work_places import LOOK_SECONDS, MAX_LOSSES, RAY, LostError, TaskNeeds, WorkPlace, cores
from tolman.plugins import load_plugins, loaded_plugins
from tolman.runtime import handlers_kept, ignore_interrupts

T = TypeVar("T")
R = TypeVar("R")
_LOOK = 1.0
"""Seconds after which a worker looks again whether anybody waits for it."""
LOST_PROCESS = (
    "a process ended in the middle of its work, most likely for want of memory (fewer --workers need less), "
    "and so did those that did it again"
)


class ProcessWorkers(Generic[T, R]):
    """Processes that call a function.

    Args:
        function: importable by its name.
        count: how many.
    """

    def __init__(self, function: Callable[[T], R], count: int) -> None:
        self._function, self._count = function, count
        self._others = set(multiprocessing.active_children())
        self._pool = self._open()

    def _open(self) -> ProcessPoolExecutor:
        # Spawned processes hold no open graphics contexts, locks or threads of this one.
        return ProcessPoolExecutor(
            self._count,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(os.getpid(), tuple(loaded_plugins())),
        )

    def most(self) -> int:
        """Two for each process, so that none waits for its next."""
        return 2 * self._count

    def submit(self, argument: T) -> Future[Any]:
        """Give them an argument; where the pool broke, a new one."""
        try:
            return self._pool.submit(self._function, argument)
        except BrokenProcessPool:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = self._open()
            return self._pool.submit(self._function, argument)

    def result(self, future: Future[Any]) -> R:
        """Return its result; see `ordered.Crew`."""
        try:
            found: R = future.result()
        except BrokenProcessPool:
            raise LostError(LOST_PROCESS) from None
        return found

    def check(self) -> None:
        """Do nothing: the pool notices by itself when a process is lost."""

    def close(self, *, stopped: bool) -> None:
        """Let them go."""
        if stopped:
            # Nobody waits for results any more, and a worker may have minutes to go.
            for process in set(multiprocessing.active_children()) - self._others:
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int, plugins: Sequence[Path]) -> None:
    """Prepare a worker for its work.

    Ctrl-C reaches every process of a terminal; the one that gave out the work ends the others. If that one was killed,
    a worker would go on in vain until its piece of work ends. Its arguments may be of types that plugins declare.
    """
    ignore_interrupts()
    load_plugins(plugins)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")
ADDRESS = "RAY_ADDRESS"
ANSWER_SECONDS = 10.0
"""Seconds in which an address must answer."""
ENTER_TIMES, ENTER_SECONDS = 4, 5.0
"""How often a cluster that answers and can't serve yet is asked, and the seconds in between."""
_NOT_YET = "Initialization failure from server"
"""What Ray says of that (ray.util.client, `ConnectionError`)."""
PATIENCE_SECONDS = 60.0
"""Seconds for which there may be no machine that fits: one is replaced, or a cluster grows."""
LOST_MACHINE = (
    "a machine of the cluster, or a process on it, was lost in the middle of its work, and so were those that did it "
    "again"
)
_QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}


class ClusterWorkers(Generic[TaskT, ResultT]):
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

    def __init__(
        self, function: Callable[[TaskT], ResultT], place: WorkPlace, needs: TaskNeeds, shared: Sequence[Path]
    ) -> None:
        self._function, self._needs, self._workers = function, needs, place.workers
        self._ray = connect(place)
        self._refs: dict[Future[Any], Any] = {}
        self._terms = terms_of(shared)
        self._ray.cloudpickle.register_pickle_by_value(remote_call)
        self._task = self._ray.remote(remote_call.carry_out).options(
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

    def submit(self, argument: TaskT) -> Future[Any]:
        """Give them an argument."""
        call = pickle.dumps((self._function, argument), protocol=pickle.HIGHEST_PROTOCOL)
        with _told():
            ref = self._task.remote(self._terms, call)
            future: Future[Any] = ref.future()
        self._refs[future] = ref
        return future

    def result(self, future: Future[Any]) -> ResultT:
        """Return its result; see `ordered.Crew`."""
        self._refs.pop(future, None)
        with outcome_told(self._ray):
            state, content = future.result()
        result: ResultT = unpacked(state, content)
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
        """Release the workers. On a cluster that was started from here all work ends; on another the work given out."""
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
    """Return the requirements for each machine that does work of this process.

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
    """Convert the cluster's errors on work that brought neither a result nor an error of its own.

    Raises:
        LostError: its worker was lost.
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
        raise LostError(LOST_MACHINE) from None
    except errors.RayError as error:
        raise WorkerError(f"the cluster could not do the work ({_line(error)}).") from None


def unpacked(state: State, content: Any) -> Any:
    """Return the result of a remote call.

    Raises:
        WorkerError: the machine can't do such work.
        Exception: any error raised there.
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
        WorkerError: nothing answers at the address, or another version of Ray or Python does.
    """
    global _joined
    # Ray would tell its makers of each cluster that is started.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with needs_extra("cluster", "Work on a cluster"):
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
    """Check that the address answers, which Ray tries for minutes.

    Raises:
        OSError: it doesn't.
        ValueError: it is no address.
    """
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname and parts.port is not None:  # 'auto' and 'local' have none
        socket.create_connection((parts.hostname, parts.port), timeout=ANSWER_SECONDS).close()


@contextlib.contextmanager
def _told(address: str | None = None) -> Iterator[None]:
    """Convert errors of a connection to a WorkerError with one sentence."""
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
    """Return an error on one line, cut at 300 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:299]}…"


class ClusterCopies:
    """Copies that are asked side by side; each question goes to the copy with the fewest under way.

    A copy whose process or machine is lost is made again, elsewhere if need be, and its questions are asked again.

    Args:
        make: function of `argument` that makes a copy; importable by its name on each machine, as functions asked are.
        argument: of `make`.
        place: the cluster; its `workers` are the number of copies. Default: as many as there is room for on machines
            with a GPU, one GPU each; without any GPU one copy.
        shared: files and folders that each machine must see.

    Raises:
        MissingExtraError: Ray isn't installed.
        WorkerError: no cluster is there, or it has no room for a copy.
    """

    def __init__(
        self, make: Callable[[Any], Any], argument: Any, place: WorkPlace, shared: Sequence[Path] = ()
    ) -> None:
        self._ray = connect(place)
        gpus = sum(room(self._ray, TaskNeeds(gpus=1)))
        needs = TaskNeeds(gpus=1 if gpus else 0)
        fits = gpus or sum(room(self._ray, needs))
        self.count = place.workers or (gpus or 1)
        if self.count > fits:
            what = "GPU" if gpus else "processor core"
            raise WorkerError(
                f"the cluster has room for {fits} copies, one for each {what}, and {self.count} are wanted: ask for "
                f"fewer with --workers."
            )
        self._ray.cloudpickle.register_pickle_by_value(remote_call)
        kind = self._ray.remote(remote_call.Kept).options(
            num_cpus=needs.cpus, num_gpus=needs.gpus or None, max_restarts=0
        )
        terms, call = terms_of(shared), pickle.dumps((make, argument), protocol=pickle.HIGHEST_PROTOCOL)
        self._begin: Callable[[], Any] = lambda: kind.remote(terms, call)
        self._copies = [self._begin() for _ in range(self.count)]
        self._busy = [0] * self.count

    def ask_first(self, function: Callable[[Any, None], Any]) -> Any:
        """Return the result of a function of the first copy and None; waits until the copy is made.

        Raises:
            WorkerError: the copy can't be made there.
            Exception: any error that the function raises.
        """
        with outcome_told(self._ray):
            state, content = self._ray.get(self._copies[0].ask.remote(_packed(function, None)))
        return unpacked(state, content)

    async def ask(self, function: Callable[[Any, Any], Any], argument: Any) -> Any:
        """Return the result of a function of a copy and an argument; it may be a coroutine function.

        Raises:
            WorkerError: copies were lost again and again.
            Exception: any error that the function raises.
        """
        call = _packed(function, argument)
        for left in range(MAX_LOSSES, -1, -1):
            number = min(range(self.count), key=self._busy.__getitem__)
            copy = self._copies[number]
            self._busy[number] += 1
            try:
                with outcome_told(self._ray):
                    state, content = await asyncio.wrap_future(copy.ask.remote(call).future())
                return unpacked(state, content)
            except LostError as error:
                if not left:
                    raise WorkerError(f"{error}: start again, finished work is kept.") from None
                if self._copies[number] is copy:  # nobody has replaced it yet
                    self._copies[number] = self._begin()
            finally:
                self._busy[number] -= 1
        raise AssertionError

    def close(self) -> None:
        """End all copies."""
        for copy in self._copies:
            with contextlib.suppress(Exception):
                self._ray.kill(copy)
        leave(self._ray)


def _packed(function: Callable[[Any, Any], Any], argument: Any) -> bytes:
    return pickle.dumps((function, argument), protocol=pickle.HIGHEST_PROTOCOL)
