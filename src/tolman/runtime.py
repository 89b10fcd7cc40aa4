"""The event loop and the signals: the only place that starts the one and handles the others.

Coroutines run to their end wherever the caller is: in a script, in a thread, or inside an event loop as in a notebook.
A batch system, a container or a closed terminal ends the running work as Ctrl-C does.
"""

from __future__ import annotations

import contextvars
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from tolman.errors import RunInterruptedError
from tolman.extras import asyncio

_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
HEAD_START = 0.05
"""Seconds in which a command's first request is sent, before what can be done while its answer is awaited begins."""
T = TypeVar("T")
_asking: asyncio.Task[Any] | None = None
"""What the main thread waits for in `run_until_stopped`, in whichever thread its event loop is: signals come to the
main thread, and what other threads wait for is none of their business."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block as Ctrl-C does, with exit code 128 + the signal's number.

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
        stopped = RunInterruptedError("Stopped.")
        stopped.exit_code = 128 + told
        raise stopped from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_blocking(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where this thread's event loop is running, as in a notebook.

    There it runs in a loop of its own in another thread, for which this one waits; an interruption of the wait cancels
    the coroutine, which cleans up first.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main)
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def watched() -> T:
        task = asyncio.ensure_future(main)
        begun.set_result((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1, "tolman") as threads:
        found = threads.submit(contextvars.copy_context().run, asyncio.run, watched())
        try:
            return found.result()
        except BaseException:
            if not found.done():
                loop, task = begun.result()
                loop.call_soon_threadsafe(task.cancel)
            raise


def run_until_stopped(main: Coroutine[Any, Any, T], run: Callable[[Coroutine[Any, Any, T]], T] = run_blocking) -> T:
    """Run a coroutine, which is cancelled and cleans up after itself where a signal of `stoppable` comes.

    asyncio itself handles Ctrl-C; a shell's background job ignores it, and still receives the other signals.

    Args:
        main: the coroutine.
        run: in place of `run_blocking`, where an event loop serves several coroutines.

    Raises:
        KeyboardInterrupt: a signal came.
    """

    is_main = threading.current_thread() is threading.main_thread()

    async def watched() -> T:
        global _asking
        before = _asking
        if is_main:
            _asking = asyncio.current_task()
        try:
            return await main
        finally:
            if is_main:
                _asking = before

    try:
        return run(watched())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C, SIGTERM and SIGHUP while something is written that must become whole."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = (number for number in (signal.SIGINT, *_SIGNALS) if signal.getsignal(number) is not None)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in known}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Restore the signal handlers after the block, even if a package changes them inside."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *_SIGNALS)}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that gave out the work; for worker processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
