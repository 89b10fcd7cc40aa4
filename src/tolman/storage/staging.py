"""Work on places: fetched before, put up unit by unit while it goes on, and whole at its end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tolman.storage.lease import SECONDS, Lease, LostLeaseError
from tolman.storage.mirror import Mirror
from tolman.storage.places import mirror_of
from tolman.storage.remote import StorageError

EVERY = 2.0
"""Seconds between two looks for finished units."""
_open: set[Path] = set()
_log = logging.getLogger(__name__)


@contextmanager
def opened(inputs: Iterable[Path], outputs: Iterable[Path]) -> Iterator[None]:
    """Work with paths some of which lie in mirrors; what changed there is put up at the end.

    Inside another block for the same place nothing more is done. After an error the finished units are put up and
    nothing else, so that the same command goes on from them.

    Args:
        inputs: paths that are read; commands that add to them, such as scores to a run, may write there too.
        outputs: paths that are written; each has a lease.

    Raises:
        StorageError: a store can't be used, or another job writes to an output.
    """
    writing = _mirrors(outputs)
    reading = _mirrors(inputs) - writing
    _open.update(reading | writing)
    places = [_Place(Mirror(folder), writes=folder in writing) for folder in sorted(reading | writing)]
    begun: list[_Place] = []
    finished = False
    try:
        for place in places:
            begun.append(place)
            place.begin()
        yield
        finished = True
    finally:
        _open.difference_update(reading | writing)
        for place in begun:
            place.end(finished=finished)


def _mirrors(paths: Iterable[Path]) -> set[Path]:
    return {mirror for path in paths if (mirror := mirror_of(path)) is not None} - _open


class _Place:
    """One place while work goes on."""

    def __init__(self, mirror: Mirror, *, writes: bool) -> None:
        self.mirror, self.writes = mirror, writes
        self._lease: Lease | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_after, daemon=True)
        self._lost: LostLeaseError | None = None

    def begin(self) -> None:
        if self.writes:
            self._lease = Lease(self.mirror.remote)
        self.mirror.pull()
        if self.writes:
            self._thread.start()

    def end(self, *, finished: bool) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        try:
            if self._lost is not None:
                raise self._lost
            if self._lease is not None:
                self._lease.renew()
                self.mirror.push(finished=finished, still=self._lease.renew)
            elif finished and not self.writes and self.mirror.is_changed():
                self._lease = Lease(self.mirror.remote)
                self.mirror.push(finished=True)
        except StorageError:
            if finished:
                raise  # else the error that ended the work is the one to tell
        finally:
            if self._lease is not None:
                with suppress(StorageError):  # it runs out by itself
                    self._lease.end()

    def _look_after(self) -> None:
        """Put finished units up and renew the lease; a store that fails is told of once, and tried again."""
        assert self._lease is not None
        renewed, told = time.time(), False
        while not self._over.wait(EVERY):
            try:
                if time.time() - renewed > SECONDS / 4:
                    self._lease.renew()
                    renewed = time.time()
                self.mirror.push(finished=False, still=self._lease.renew)
            except LostLeaseError as error:
                self._lost = error
                _log.warning("%s", error)
                return
            except StorageError as error:
                if not told:
                    _log.warning("%s Work goes on; what is finished is put up as soon as that is possible.", error)
                told = True
