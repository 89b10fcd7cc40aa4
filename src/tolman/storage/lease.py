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


class Lease:
    """The right to write to a place.

    Args:
        remote: the place.

    Raises:
        StorageError: another job has it, or the store can't be written.
    """

    def __init__(self, remote: Remote) -> None:
        self._remote, self._holder = remote, uuid.uuid4().hex
        if remote.create(LEASE, self._content()):
            return
        found = _read(remote)
        if found is not None and not _is_over(found):
            until = time.strftime("%H:%M:%S", time.gmtime(found["until"]))
            raise StorageError(
                f"{remote.url}: another job (process {found['process']} on {found['machine']}) writes there; wait for "
                f"its end, or, if it was lost, until {until} UTC."
            )
        remote.remove(LEASE)
        if not remote.create(LEASE, self._content()):
            raise StorageError(f"{remote.url}: another job has begun to write there; wait for its end.")

    def renew(self) -> None:
        """Hold it for longer.

        Raises:
            StorageError: another job took it, since it wasn't renewed in time.
        """
        found = _read(self._remote)
        if found is None or found["holder"] != self._holder:
            raise StorageError(f"{self._remote.url}: another job has begun to write there; this one stops.")
        self._remote.write(LEASE, self._content())

    def end(self) -> None:
        """Give it back."""
        found = _read(self._remote)
        if found is not None and found["holder"] == self._holder:
            self._remote.remove(LEASE)

    def _content(self) -> bytes:
        about = {"holder": self._holder, "machine": socket.gethostname(), "process": os.getpid()}
        return json.dumps(about | {"until": time.time() + SECONDS}).encode()


def _read(remote: Remote) -> dict[str, Any] | None:
    data = remote.read(LEASE)
    found: dict[str, Any] | None = None if data is None else json.loads(data)
    return found


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
