"""Several server processes on one socket and one database; one that dies is started again."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tolman.plugins import load_plugins, loaded_plugins
from tolman.runtime import ignore_interrupts

_SPAWN = multiprocessing.get_context("spawn")  # a fork would share the parent's threads' locks
_LOOK_SECONDS = 0.5
_LEAST_SECONDS = 2.0
"""Seconds that a process lives at least; one that dies sooner is waited for, lest it be started without an end."""


class Workers:
    """Processes that serve.

    Args:
        serve: what each does until it is told to end; a function of a module.
        arguments: what it is given, the socket among them.
        number: how many there are.
    """

    def __init__(self, serve: Callable[..., None], arguments: tuple[Any, ...], number: int) -> None:
        self._serve, self._arguments, self._number = serve, arguments, number

    def run(self) -> None:
        """Serve until this thread is interrupted; then the processes end after the requests that they have begun."""
        running = [self._started() for _ in range(self._number)]
        try:
            while True:
                time.sleep(_LOOK_SECONDS)
                for place, (process, since) in enumerate(running):
                    if not process.is_alive() and time.monotonic() - since > _LEAST_SECONDS:
                        process.join()
                        running[place] = self._started()
        finally:
            for process, _ in running:
                process.terminate()
            for process, _ in running:
                process.join(10.0)
                if process.is_alive():
                    process.kill()

    def _started(self) -> tuple[BaseProcess, float]:
        plugins = tuple(loaded_plugins())
        process = _SPAWN.Process(
            target=_begin, args=(self._serve, self._arguments, plugins, os.getpid()), name="tolman-review"
        )
        process.start()
        return process, time.monotonic()


def _begin(serve: Callable[..., None], arguments: tuple[Any, ...], plugins: Sequence[Path], parent: int) -> None:
    ignore_interrupts()  # Ctrl-C reaches the whole group; the parent says when to end
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    load_plugins(plugins)
    serve(*arguments)


def _end_with(parent: int) -> None:
    """Don't outlive a parent that was killed: its port would stay taken."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)
