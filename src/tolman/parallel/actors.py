"""Copies of something that machines of a Ray cluster make once and keep, such as a network on each GPU."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tolman.errors import WorkerError
from tolman.parallel import errand
from tolman.parallel.cluster import connect, leave, outcome_told, room, terms_of, unpacked
from tolman.parallel.ordered import MAX_LOSSES, LostError
from tolman.parallel.place import TaskNeeds, WorkPlace


class ClusterCopies:
    """Copies that are asked side by side; each question goes to the copy with the fewest under way.

    A copy whose process or machine is lost is made anew, elsewhere if need be, and its questions are put again.

    Args:
        make: function of `argument` that makes a copy; importable by its name on each machine, as functions asked are.
        argument: of `make`.
        place: the cluster; its `workers` are the number of copies. Default: as many as there is room for on machines
            with a GPU, one GPU each; without any GPU one copy.
        shared: files and folders that each machine must see.

    Raises:
        MissingExtraError: Ray isn't installed.
        WorkerError: no cluster is there, or it has no room for a copy.
    """

    def __init__(
        self, make: Callable[[Any], Any], argument: Any, place: WorkPlace, shared: Sequence[Path] = ()
    ) -> None:
        self._ray = connect(place)
        gpus = sum(room(self._ray, TaskNeeds(gpus=1)))
        needs = TaskNeeds(gpus=1 if gpus else 0)
        fits = gpus or sum(room(self._ray, needs))
        self.count = place.workers or (gpus or 1)
        if self.count > fits:
            what = "GPU" if gpus else "processor core"
            raise WorkerError(
                f"the cluster has room for {fits} copies, one for each {what}, and {self.count} are wanted: ask for "
                f"fewer with --workers."
            )
        self._ray.cloudpickle.register_pickle_by_value(errand)
        kind = self._ray.remote(errand.Kept).options(num_cpus=needs.cpus, num_gpus=needs.gpus or None, max_restarts=0)
        terms, call = terms_of(shared), pickle.dumps((make, argument), protocol=pickle.HIGHEST_PROTOCOL)
        self._begin: Callable[[], Any] = lambda: kind.remote(terms, call)
        self._copies = [self._begin() for _ in range(self.count)]
        self._busy = [0] * self.count

    def ask_first(self, function: Callable[[Any, Any], Any], argument: Any = None) -> Any:
        """What a function of the first copy and an argument gives; waits until it is made.

        Raises:
            WorkerError: the copy can't be made there.
            whatever the function raises.
        """
        with outcome_told(self._ray):
            state, content = self._ray.get(self._copies[0].ask.remote(_packed(function, argument)))
        return unpacked(state, content)

    async def ask(self, function: Callable[[Any, Any], Any], argument: Any) -> Any:
        """What a function of a copy and an argument gives; the function may be a coroutine's.

        Raises:
            WorkerError: copies were lost again and again.
            whatever the function raises.
        """
        call = _packed(function, argument)
        for left in range(MAX_LOSSES, -1, -1):
            number = min(range(self.count), key=self._busy.__getitem__)
            copy = self._copies[number]
            self._busy[number] += 1
            try:
                with outcome_told(self._ray):
                    state, content = await asyncio.wrap_future(copy.ask.remote(call).future())
                return unpacked(state, content)
            except LostError as error:
                if not left:
                    raise WorkerError(f"{error}: start again, what is done is kept.") from None
                if self._copies[number] is copy:  # nobody has replaced it yet
                    self._copies[number] = self._begin()
            finally:
                self._busy[number] -= 1
        raise AssertionError

    def close(self) -> None:
        """End all copies."""
        for copy in self._copies:
            with contextlib.suppress(Exception):
                self._ray.kill(copy)
        leave(self._ray)


def _packed(function: Callable[[Any, Any], Any], argument: Any) -> bytes:
    return pickle.dumps((function, argument), protocol=pickle.HIGHEST_PROTOCOL)
