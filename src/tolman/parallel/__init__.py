"""Mapping a pure function over scenes or items: in this process, over processes, or on a Ray cluster.

Results come in the order of their arguments, and are the same in any place and with any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from tolman.parallel.work_places import HERE, PROCESSES, RAY, TaskNeeds, Workers, WorkPlace, cores, in_order, place_of

__all__ = ["HERE", "PROCESSES", "RAY", "TaskNeeds", "WorkPlace", "Workers", "cores", "parallel_map", "place_of"]

T = TypeVar("T")
R = TypeVar("R")


def parallel_map(
    function: Callable[[T], R],
    arguments: Iterable[T],
    workers: Workers,
    *,
    needs: TaskNeeds | None = None,
    shared: Sequence[Path] = (),
) -> Iterator[R]:
    """Yield the function's results, in the arguments' order.

    A bounded number of arguments is under way at a time, and no more results wait for their turn than a few for each
    worker, so that any number of arguments fits. An argument whose worker is lost is given to another one, a bounded
    number of times.

    Args:
        function: importable by its name; its results don't depend on other calls.
        arguments: of its calls, taken as they are needed.
        workers: the number of processes (1 runs everything here), or a place.
        needs: of one call; one processor core where None.
        shared: files and folders that are there, and that workers on other machines must see too.

    Raises:
        WorkerError: workers can't be used, or are lost again and again.
        MissingExtraError: the place is a cluster, and Ray isn't installed.
        Exception: any error that the function raises, when the turn of its argument comes; calls not begun are dropped
            then.
    """
    place = WorkPlace.of(workers)
    needs = needs or TaskNeeds()
    rest = iter(arguments)
    if place.is_cluster:
        from tolman.parallel.workers import ClusterWorkers

        yield from in_order(ClusterWorkers(function, place, needs, shared), rest)
        return
    first = list(islice(rest, 2))
    count = place.processes(needs)
    if count == 1 or len(first) < 2:
        yield from map(function, chain(first, rest))
        return
    from tolman.parallel.workers import ProcessWorkers

    yield from in_order(ProcessWorkers(function, count), chain(first, rest))
