"""Leases: one job at a time writes to a place."""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
from typing import Any

from tolman.storage.mirror import LEASE
from tolman.storage.remote import Remote, StorageError

SECONDS = 60.0
"""How long a lease holds that nobody renews."""


class LostLeaseError(StorageError):
    """Another job has taken a lease that was not renewed in time."""


class Lease:
    """The right to write to a place: a file of its own beside those of the place.

    Whoever wants it looks for others, writes its file, and looks again. Of two that begin at the same moment at least
    one sees the other, as stores show what was written to whoever reads after; it needs no way to write on condition.

    Args:
        remote: the place.

    Raises:
        StorageError: another job has it, or the store can't be written.
    """

    def __init__(self, remote: Remote) -> None:
        self._remote, self._holder = remote, uuid.uuid4().hex
        self._name = f"{LEASE}{self._holder}.json"
        self._refuse()
        remote.write(self._name, self._content())
        try:
            over = self._refuse()
        except StorageError:
            remote.remove(self._name)
            raise
        for name in over:
            remote.remove(name)

    def renew(self) -> None:
        """Hold it for longer.

        Raises:
            LostLeaseError: another job took it, since it wasn't renewed in time.
            StorageError: the store can't be read or written.
        """
        if self._remote.read(self._name) is None:
            raise LostLeaseError(
                f"{self._remote.url}: another job has begun to write there, as this one was held up for more than "
                f"{SECONDS:.0f} s; what this one does now is not put up."
            )
        self._remote.write(self._name, self._content())

    def end(self) -> None:
        """Give it back."""
        self._remote.remove(self._name)

    def _refuse(self) -> list[str]:
        """The leases of others that are over; refused where one isn't."""
        over = []
        for name in self._remote.beginning_with(LEASE):
            if name == self._name:
                continue
            found = self._read(name)
            if found is not None and not _is_over(found):
                until = time.strftime("%H:%M:%S", time.gmtime(found["until"]))
                raise StorageError(
                    f"{self._remote.url}: another job (process {found['process']} on {found['machine']}) writes there; "
                    f"wait for its end, or, if it was lost, until {until} UTC."
                )
            over.append(name)
        return over

    def _read(self, name: str) -> dict[str, Any] | None:
        """What a lease says; None where it is gone, or no lease."""
        try:
            found = json.loads(self._remote.read(name) or b"null")
            return {"until": float(found["until"]), "process": int(found["process"]), "machine": str(found["machine"])}
        except (ValueError, KeyError, TypeError, OverflowError):
            return None

    def _content(self) -> bytes:
        about = {"machine": socket.gethostname(), "process": os.getpid()}
        return json.dumps(about | {"until": time.time() + SECONDS}).encode()


def _is_over(lease: dict[str, Any]) -> bool:
    """Whether nobody holds a lease any more: it ran out, or its process ended on this machine."""
    if lease["until"] < time.time():
        return True
    if lease["machine"] != socket.gethostname():
        return False
    try:
        os.kill(lease["process"], 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
