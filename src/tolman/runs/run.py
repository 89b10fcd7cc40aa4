"""One run from what the user asked for to its scores, here or on the caller's own event loop.

`run` asks and waits. `arun` is its twin for a caller with an event loop: cancelled, it keeps and scores what came and
is cancelled then. Both are `prepare`, `PreparedRun.ask` and `PreparedRun.finish`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tolman.errors import EndpointError, RunInterruptedError
from tolman.responses import Outcome
from tolman.runs.folder import RunFolder
from tolman.runs.prepare import prepare
from tolman.runs.prepared import PreparedRun, ignored
from tolman.runs.request import RunRequest, Started
from tolman.runtime import run_until_stopped

__all__ = ["PreparedRun", "RunRequest", "Started", "arun", "prepare", "run"]


def run(
    request: RunRequest,
    *,
    started: Callable[[Started], None] = ignored,
    done: Callable[[Outcome], None] = ignored,
    noted: Callable[[str], None] = ignored,
) -> tuple[RunFolder, dict[str, Any]]:
    """Ask, score and write; in a script, in a thread, or where an event loop is running, which waits meanwhile.

    Args:
        request: what was asked for.
        started: called before the first call, in this thread or in that of an event loop.
        done: called with every outcome as it comes, likewise.
        noted: called with a sentence about each pause, and whatever else is met on the way, likewise.

    Returns:
        The run's folder and what its scores.json holds.

    Raises:
        TolmanError: before the first call, for everything that can be known before it; after the first call, where
            it shows that none can succeed.
        EndpointError: an endpoint went down and stayed so; what was answered is kept and scored.
        RunInterruptedError: the user, a batch system or a container stopped it; what was answered is kept and scored.
    """
    with prepare(request) as prepared:
        try:
            run_until_stopped(prepared.ask(started=started, done=done, noted=noted))
        except KeyboardInterrupt:
            prepared.finish()
            raise RunInterruptedError(prepared.stopped) from None
        except EndpointError as error:
            raise _scored(prepared, error) from None
        except BaseException:
            prepared.keep()
            raise
        return prepared.finish()


async def arun(
    request: RunRequest,
    *,
    started: Callable[[Started], None] = ignored,
    done: Callable[[Outcome], None] = ignored,
    noted: Callable[[str], None] = ignored,
) -> tuple[RunFolder, dict[str, Any]]:
    """The same on the caller's event loop, which is free while files are read, answers come and scores are computed.

    Raises:
        TolmanError: as `run` does.
        CancelledError: it was cancelled; what was answered is kept and scored.
    """
    preparing = asyncio.ensure_future(asyncio.to_thread(prepare, request))
    try:
        prepared = await asyncio.shield(preparing)
    except asyncio.CancelledError:
        preparing.add_done_callback(_let_go)
        raise
    with prepared:
        try:
            await prepared.ask(started=started, done=done, noted=noted)
        except asyncio.CancelledError:
            prepared.finish()
            raise
        except EndpointError as error:
            raise await asyncio.to_thread(_scored, prepared, error) from None
        except BaseException:
            prepared.keep()
            raise
        finishing = asyncio.ensure_future(asyncio.to_thread(prepared.finish))
        try:
            return await asyncio.shield(finishing)
        except asyncio.CancelledError:
            await finishing  # what is written is to become whole, and the folder stays ours until then
            raise


def _scored(prepared: PreparedRun, error: EndpointError) -> EndpointError:
    """Keep what came, score it as a part, and say so."""
    if not prepared.has_answers:
        prepared.keep()
        return error
    prepared.finish()
    return EndpointError(prepared.ended(error))


def _let_go(preparing: asyncio.Future[PreparedRun]) -> None:
    if not preparing.cancelled() and preparing.exception() is None:
        preparing.result().close()
