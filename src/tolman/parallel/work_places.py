"""Work places and their needs, and calls given to workers with results in the order of the arguments.

A work place is this process, processes of this machine, or a Ray cluster. The number of calls in flight is bounded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar, cast
from urllib.parse import urlsplit

from tolman.errors import UsageError, WorkerError

HERE, PROCESSES, RAY = "here", "processes", "ray"
_SCHEME = "ray://"


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class TaskNeeds:
    """Resources that one call of a function needs while it runs.

    Attributes:
        cpus: processor cores.
        gpus: GPUs, or a part of one; a cluster gives it to a machine that has them.
        memory: bytes; None where it is little.
    """

    cpus: int = 1
    gpus: float = 0.0
    memory: int | None = None


@dataclass(frozen=True)
class WorkPlace:
    """The place where a function is carried out.

    Attributes:
        on: 'here' (this process), 'processes', 'ray' (the cluster of RAY_ADDRESS, one that runs on this machine, or a
            local one that is started), or the address of a cluster, 'ray://HOST:PORT'.
        workers: how many calls run at a time; None for as many as there are processor cores.

    Raises:
        UsageError: there is no such place, or it has no workers.
    """

    on: str = PROCESSES
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.on not in (HERE, PROCESSES, RAY) and not _is_address(self.on):
            raise UsageError(f"--on takes here, processes, ray or ray://HOST:PORT, not '{self.on}'.")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"--workers takes a number from 1, not {self.workers}.")
        if self.on == HERE and (self.workers or 1) > 1:
            raise UsageError(f"--on here is one process: leave out --workers {self.workers}.")

    @property
    def is_cluster(self) -> bool:
        """Check whether it is Ray's."""
        return self.on.startswith(RAY)

    def processes(self, needs: TaskNeeds | None = None) -> int:
        """How many processes of this machine work at a time, by its cores and its memory."""
        if self.on == HERE:
            return 1
        if self.workers is not None:
            return self.workers
        memory = needs.memory if needs else None
        return min(cores(), max(1, _memory() // memory)) if memory else cores()

    def cores_each(self, calls: int) -> int:
        """How many processor cores each of so many calls may use."""
        return 1 if self.is_cluster else max(1, cores() // max(1, min(self.processes(), calls)))

    @staticmethod
    def of(workers: Workers) -> WorkPlace:
        """The place of a number of processes, or the place itself."""
        return workers if isinstance(workers, WorkPlace) else WorkPlace(PROCESSES, max(1, workers))


Workers = int | WorkPlace
"""A number of processes, or a place."""


def place_of(on: str | None, workers: int | None, few: bool = False) -> WorkPlace:
    """The place of settings that may be left out.

    Args:
        on: where; processes where None.
        workers: how many.
        few: whether there is too little to do for processes to be started unasked.

    Raises:
        UsageError: there is no such place.
    """
    if few and on is None and workers is None:
        return WorkPlace(HERE)
    return WorkPlace(on or PROCESSES, workers)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return text.startswith(_SCHEME) and bool(parts.hostname) and parts.port is not None
    except ValueError:  # a port that is no number
        return False


def _memory() -> int:
    """Bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 62


MAX_LOSSES = 3
"""Workers that one argument may lose; with the next it is given up."""
UNDELIVERED = 8
"""Arguments for each worker that are given out, or whose results wait for one before them."""
LOOK_SECONDS = 2.0
"""Seconds without a result after which is looked whether there are workers at all."""

T = TypeVar("T")
R = TypeVar("R")
_In = TypeVar("_In", contravariant=True)
_Out = TypeVar("_Out", covariant=True)


class LostError(Exception):
    """A worker ended, or its machine, before it was done. The text says how, as the rest of a sentence."""


class Crew(Protocol[_In, _Out]):
    """Workers that call one function."""

    def most(self) -> int:
        """How many arguments they are given at a time, those that wait at a worker's door included."""

    def submit(self, argument: _In) -> Future[Any]:
        """Give them an argument."""

    def result(self, future: Future[Any]) -> _Out:
        """Return its result.

        Raises:
            LostError: its worker is lost.
            WorkerError: they can't do such work at all.
            Exception: any error that the function raised.
        """

    def check(self) -> None:
        """Look whether there are workers.

        Raises:
            WorkerError: there are none, and none are to come.
        """

    def close(self, *, stopped: bool) -> None:
        """Release the workers; at once where `stopped`, even if busy."""


@dataclass(frozen=True)
class _Result(Generic[R]):
    """The result for an argument: a value, or an error that is raised when its turn comes."""

    value: R | None = None
    error: Exception | None = None


class _Calls(Generic[T, R]):
    """The calls that are under way, and results whose turn hasn't come."""

    def __init__(self, crew: Crew[T, R]) -> None:
        self._crew = crew
        self._flying: dict[Future[Any], tuple[int, T]] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()
        self._waiting: dict[int, _Result[R]] = {}
        self._losses: dict[int, int] = {}
        self._next = 0

    def __len__(self) -> int:
        return len(self._flying) + len(self._waiting)

    def has_room(self) -> bool:
        """Check whether another argument may be given out."""
        most = self._crew.most()
        return len(self._flying) < most and len(self) < UNDELIVERED * most

    def submit(self, number: int, argument: T) -> None:
        """Give out an argument."""
        future = self._crew.submit(argument)
        self._flying[future] = number, argument
        future.add_done_callback(self._done.put)

    def ready(self) -> Iterator[R]:
        """Yield results whose turn it is.

        Raises:
            Exception: any error that the function raised.
        """
        while self._next in self._waiting:
            found = self._waiting.pop(self._next)
            self._next += 1
            if found.error is not None:
                raise found.error
            yield cast(R, found.value)

    def wait(self) -> None:
        """Wait for a result; an argument whose worker is lost is given out again.

        Raises:
            WorkerError: an argument lost too many workers, or none are left.
        """
        try:
            future = self._done.get(timeout=LOOK_SECONDS)
        except Empty:
            self._crew.check()
            return
        number, argument = self._flying.pop(future)
        try:
            self._waiting[number] = _Result(self._crew.result(future))
        except LostError as error:
            self._losses[number] = self._losses.get(number, 0) + 1
            if self._losses[number] > MAX_LOSSES:
                raise WorkerError(f"{error}: start again, finished work is kept.") from None
            self.submit(number, argument)
        except Exception as error:
            self._waiting[number] = _Result(error=error)


def in_order(crew: Crew[T, R], arguments: Iterator[T]) -> Iterator[R]:
    """The results of a crew, in the arguments' order; it is let go behind the last, or where anything goes wrong."""
    calls, stopped = _Calls(crew), True
    try:
        for number, argument in enumerate(arguments):
            yield from calls.ready()
            while not calls.has_room():
                calls.wait()
                yield from calls.ready()
            calls.submit(number, argument)
        yield from calls.ready()
        while len(calls):
            calls.wait()
            yield from calls.ready()
        stopped = False
    finally:
        crew.close(stopped=stopped)
