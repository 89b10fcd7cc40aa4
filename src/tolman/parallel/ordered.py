"""Calls given out to workers, a bounded number at a time, and their results in the order of the arguments."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar, cast

from tolman.errors import WorkerError

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
        """What came of it.

        Raises:
            LostError: its worker is lost.
            WorkerError: they can't do such work at all.
            whatever the function raised.
        """

    def check(self) -> None:
        """Look whether there are workers.

        Raises:
            WorkerError: there are none, and none are to come.
        """

    def close(self, *, stopped: bool) -> None:
        """Let them go; at once where `stopped`, whatever they are at."""


@dataclass(frozen=True)
class _Result(Generic[R]):
    """What came of an argument: a value, or an error that is raised when its turn comes."""

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
        """Whether another argument may be given out."""
        most = self._crew.most()
        return len(self._flying) < most and len(self) < UNDELIVERED * most

    def submit(self, number: int, argument: T) -> None:
        """Give out an argument."""
        future = self._crew.submit(argument)
        self._flying[future] = number, argument
        future.add_done_callback(self._done.put)

    def ready(self) -> Iterator[R]:
        """Results whose turn it is.

        Raises:
            whatever the function raised.
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
                raise WorkerError(f"{error}: start again, what is done is kept.") from None
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
