"""Mapping a pure function over scenes or items, over processes, with results in the order of what they come from."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from tolman.plugins import load_plugins, loaded_plugins
from tolman.runtime import ignore_interrupts

T = TypeVar("T")
R = TypeVar("R")
_LOOK = 1.0
"""Seconds after which a worker looks again whether anybody waits for it."""


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parallel_map(function: Callable[[T], R], arguments: Sequence[T], workers: int) -> Iterator[R]:
    """The function's results, in the arguments' order.

    Args:
        function: importable by its name; its results don't depend on what else runs.
        arguments: what it is called with.
        workers: processes; 1 runs everything here.

    Raises:
        whatever the function raises, when the turn of its argument comes; what has not begun is dropped then.
    """
    if workers <= 1 or len(arguments) <= 1:
        yield from map(function, arguments)
        return
    # Spawned processes hold no open graphics contexts, locks or threads of this one.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        min(workers, len(arguments)),
        mp_context=context,
        initializer=_begin,
        initargs=(os.getpid(), tuple(loaded_plugins())),
    )
    try:
        yield from pool.map(function, arguments)
    except BaseException:
        # Nobody waits for results any more, and a worker may have minutes to go.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


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
