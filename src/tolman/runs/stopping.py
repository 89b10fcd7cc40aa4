"""Being told to stop by a batch system, a container or a closed terminal, as by Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from tolman.errors import RunInterruptedError

_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_asking: asyncio.Task[Any] | None = None
"""What the main thread's event loop is at work on."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end what is done inside as Ctrl-C does, with exit code 128 + the signal's number.

    Signals that are ignored or handled already stay so, and threads other than the main one can't handle any.

    Raises:
        RunInterruptedError: a signal came, and nothing inside made one of it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    told = 0

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal told
        if told:
            return  # `timeout` sends its signal twice; what is written meanwhile is to become whole
        told = number
        if _asking is None:
            raise KeyboardInterrupt
        _asking.get_loop().call_soon_threadsafe(_asking.cancel)

    before = {number: signal.signal(number, stop) for number in _SIGNALS if signal.getsignal(number) == signal.SIG_DFL}
    try:
        yield
    except RunInterruptedError as error:
        if told:
            error.exit_code = 128 + told
        raise
    except KeyboardInterrupt:
        if not told:
            raise
        stopped = RunInterruptedError("Stopped; the same command goes on.")
        stopped.exit_code = 128 + told
        raise stopped from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_until_stopped(
    main: Coroutine[Any, Any, None], run: Callable[[Coroutine[Any, Any, None]], None] = asyncio.run
) -> None:
    """Run a coroutine, which is cancelled and cleans up after itself where a signal of `stoppable` comes.

    Ctrl-C is asyncio's own affair; a shell's background job ignores it, and is told by the other signals all the same.

    Args:
        main: the coroutine.
        run: in place of `asyncio.run`, where an event loop serves several coroutines.

    Raises:
        KeyboardInterrupt: a signal came.
    """

    async def watched() -> None:
        global _asking
        _asking = asyncio.current_task()
        try:
            await main
        finally:
            _asking = None

    try:
        run(watched())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C, SIGTERM and SIGHUP while something is written that must become whole."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, *_SIGNALS)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
