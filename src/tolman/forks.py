"""Forked processes, in which Polars would wait for ever.

Polars computes in a pool of threads. A fork copies no threads, so a child whose parent had started the pool waits for
threads that do not exist. `check_fork` turns that into a sentence; `tolman.reward` needs no Polars and works there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tolman.errors import UsageError

_THREADS = Path("/proc/self/task")
_POOL = "polars-"
_lost_threads = False
_pool_before_fork = False


def check_fork() -> None:
    """Raise before Polars is used in a process that was forked after its threads had started.

    Raises:
        UsageError: Polars can't work in this process.
    """
    if _lost_threads:
        raise UsageError(
            "this process was forked from one that had used Polars, whose threads a fork does not copy: it would wait "
            "for ever. Start the workers with multiprocessing.get_context('spawn') or 'forkserver'; a PyTorch "
            "DataLoader takes multiprocessing_context='spawn'. tolman.reward works in forked processes."
        )


def _has_pool() -> bool:
    """Check whether the threads of Polars run in this process."""
    if "polars" not in sys.modules:
        return False
    try:
        names = [(thread / "comm").read_text().strip() for thread in _THREADS.iterdir()]
    except OSError:  # no such listing, or a thread that has just ended
        return True
    return any(name.startswith(_POOL) and name.removeprefix(_POOL).isdigit() for name in names)


def _before() -> None:
    global _pool_before_fork
    _pool_before_fork = _has_pool()


def _in_child() -> None:
    global _lost_threads
    _lost_threads = _lost_threads or _pool_before_fork


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
