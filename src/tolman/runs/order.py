"""The order in which items are asked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain, zip_longest
from typing import TypeVar

T = TypeVar("T")


def interleave(jobs: Iterable[T], key: Callable[[T], Hashable], streams: int) -> list[T]:
    """Deal groups of jobs to streams, the next one to that with the fewest jobs, and take from the streams in turn.

    So several addresses get questions about different videos at a time, while each still gets all about one video in a
    row.

    Args:
        jobs: in their order.
        key: what the jobs of a group have in common.
        streams: as many as there are addresses.
    """
    if streams < 2:
        return list(jobs)
    groups: dict[Hashable, list[T]] = {}
    for job in jobs:
        groups.setdefault(key(job), []).append(job)
    dealt: Sequence[list[T]] = [[] for _ in range(streams)]
    for group in groups.values():
        min(dealt, key=len).extend(group)
    nothing = object()
    turns = chain.from_iterable(zip_longest(*dealt, fillvalue=nothing))
    return [job for job in turns if job is not nothing]  # type: ignore[misc]
