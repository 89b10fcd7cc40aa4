"""What settings of a run say about its endpoints: how long they are waited for, what they may cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from tolman.errors import UsageError

if TYPE_CHECKING:
    from tolman.models.serving import Server
    from tolman.runs.limits import Limits
    from tolman.workflows.run_config import RunConfig


BATCH_ALONE = "--batch leaves questions at a provider; leave out --stream and --serve."
SERVER_WAIT_SECONDS = 1800.0
"""How long a server that is started for a run may take to load, where --wait doesn't say."""


def limits_of(config: RunConfig, *, of_judge: bool = False) -> Limits:
    """When the calls of a run, or of its judge, are given up.

    Raises:
        UsageError: a wait that is no duration, or a cost without prices.
    """
    from tolman.runs.limits import Limits

    if config.max_cost is not None and config.prices is None:
        raise UsageError("--max-cost needs the prices of tokens; name a file of them with --prices.")
    wait = _wait_seconds(config, started=config.serve is not None and not of_judge)
    return Limits(retries=config.retries, wait_seconds=wait, most_cost=config.max_cost)


def _wait_seconds(config: RunConfig, *, started: bool) -> float:
    """The seconds of --wait; where it isn't given, those of a server that is started, else 0.

    Raises:
        UsageError: it is no duration.
    """
    from tolman.models.durations import seconds_of

    if config.wait is None:
        return SERVER_WAIT_SECONDS if started else 0.0
    found = seconds_of(config.wait)
    if found is None:
        raise UsageError(f"--wait takes a duration such as 90s, 20m or 2h, not '{config.wait}'.")
    return found


@contextmanager
def server_of(config: RunConfig) -> Iterator[tuple[RunConfig, Server | None]]:
    """The server that a run is to start, and the config that asks at its address; it is ended behind it.

    Raises:
        UsageError: it can't be started, or the model is at an address that is given.
    """
    asked, server = with_server(config)
    with server or nullcontext():
        yield asked, server


def with_server(config: RunConfig) -> tuple[RunConfig, Server | None]:
    """The config that asks at the address of the server that a run is to start, and the server, which isn't started.

    Raises:
        UsageError: it can't be started, or the model is at an address that is given.
    """
    from tolman.models.serving import Server

    if config.serve is None:
        return config, None
    if config.batch:
        raise UsageError(BATCH_ALONE)
    family = config.model.partition("/")[0]
    if family != "openai":
        raise UsageError(f"--serve starts a server for openai/NAME, not for {config.model}.")
    if config.base_url is not None:
        raise UsageError("--serve starts a server of its own; leave out --base-url, or --serve.")
    server = Server(config.serve)
    return replace(config, base_url=server.url), server
