"""Leases: a process's claim on its work, so that two processes don't pay for the same answer.

A lease is a lock of the operating system on one byte of a file. It ends with the process that holds it, however that
ends (kill -9 too), so that none is ever stale, and nothing is written for it. Locks belong to the opened file (Linux,
fcntl(2), "open file description locks"), not to the process, so that two stores in one process exclude each other too;
systems without them have locks by process. If a file system has no locks, every lease is granted.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tolman.errors import RunBusyError
from tolman.files import writing

try:
    import fcntl
except ImportError:  # no POSIX system
    fcntl = None  # type: ignore[assignment]

_HELD = (errno.EAGAIN, errno.EACCES)
"""What the system says of a byte that another holds."""


class Leases:
    """Leases by name on the bytes of one file.

    Args:
        path: of the file; made empty if it isn't there, and never removed: another may hold a lock on it.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)

    def take(self, name: str) -> bool:
        """Take a lease unless another has it.

        Args:
            name: hexadecimal, at least 15 digits; those decide which byte it is.

        Returns:
            True if it is taken now.
        """
        return self._lock(name, "F_WRLCK")

    def give_back(self, name: str) -> None:
        """End a lease."""
        self._lock(name, "F_UNLCK")

    def is_at(self, path: Path) -> bool:
        """Check whether the file is still the one at a path."""
        try:
            return os.path.samestat(os.fstat(self._file), path.stat())
        except OSError:
            return False

    def close(self) -> None:
        """End all leases."""
        os.close(self._file)

    def _lock(self, name: str, kind: str) -> bool:
        if fcntl is None:
            return True
        byte = int(name[:15], 16)
        try:
            if hasattr(fcntl, "F_OFD_SETLK"):
                # struct flock: type, whence, start, length, process (0 for locks of an opened file)
                lock = struct.pack("hhqqi4x", getattr(fcntl, kind), os.SEEK_SET, byte, 1, 0)
                fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, lock)
            else:
                how = fcntl.LOCK_UN if kind == "F_UNLCK" else fcntl.LOCK_EX | fcntl.LOCK_NB
                fcntl.lockf(self._file, how, 1, byte)
        except OSError as error:
            return error.errno not in _HELD
        return True


_WHOLE = "0" * 15


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Be the only process that writes into a run's folder, which is made if it isn't there.

    Raises:
        RunBusyError: another is at work there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder.absolute() / ".lease"
    while True:
        leases = Leases(path)
        is_taken = leases.take(_WHOLE)
        if is_taken and leases.is_at(path):
            break
        leases.close()  # where it was taken, another had it and removed the file in between
        if not is_taken:
            raise RunBusyError(
                f"{folder}: {_holder(path)} is at work in this folder; wait for its end, or give another with --out."
            )
    try:
        with writing(path):
            path.write_text(f"process {os.getpid()} on {socket.gethostname()}", encoding="utf-8")
        yield
    finally:
        path.unlink(missing_ok=True)
        leases.close()


def is_held(folder: Path) -> bool:
    """Check whether a process writes into a run's folder now."""
    path = folder / ".lease"
    if not path.exists():
        return False
    leases = Leases(path)
    try:
        return not leases.take(_WHOLE)
    finally:
        leases.close()


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") or "another process"
    except (OSError, UnicodeDecodeError):
        return "another process"
