"""Where work is done, and what one piece of it needs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from tolman.errors import UsageError

HERE, PROCESSES, RAY = "here", "processes", "ray"
_SCHEME = "ray://"


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class TaskNeeds:
    """What one call of a function takes while it runs.

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
    """Where a function is carried out.

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
        """Whether it is Ray's."""
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
