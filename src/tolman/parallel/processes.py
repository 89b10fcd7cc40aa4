"""Workers that are processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Generic, TypeVar

from tolman.parallel.ordered import LostError
from tolman.plugins import load_plugins, loaded_plugins
from tolman.runtime import ignore_interrupts

T = TypeVar("T")
R = TypeVar("R")
_LOOK = 1.0
"""Seconds after which a worker looks again whether anybody waits for it."""
LOST = (
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
        """What came of it; see `ordered.Crew`."""
        try:
            found: R = future.result()
        except BrokenProcessPool:
            raise LostError(LOST) from None
        return found

    def check(self) -> None:
        """Nothing: the pool tells by itself when a process is lost."""

    def close(self, *, stopped: bool) -> None:
        """Let them go."""
        if stopped:
            # Nobody waits for results any more, and a worker may have minutes to go.
            for process in set(multiprocessing.active_children()) - self._others:
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int, plugins: Sequence[Path]) -> None:
    """What a worker does first.

    Ctrl-C reaches every process of a terminal; the one that gave out the work ends the others. Where that one is gone
    without a word, killed, a worker would go on for nobody until its piece of work ends. What it is given may be made
    of what plugins declare.
    """
    ignore_interrupts()
    load_plugins(plugins)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)
