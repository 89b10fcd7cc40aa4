"""Hashing passwords by Argon2id, one after another: a hash takes 64 MiB and four threads.

Who waits for one waits in the event loop, not in a thread, so that a flood of sign-ins takes neither the memory nor the
threads that all other pages need.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

AT_ONCE = 1
"""Hashes that are computed at the same time."""
_HASHER = PasswordHasher()
_NOBODY = _HASHER.hash("nobody has this password")


def hash_now(password: str) -> str:
    """The hash of a password, computed here and now."""
    return _HASHER.hash(password)


def is_right(stored: str | None, password: str) -> bool:
    """Tell whether a password is that of a hash. None is nobody's and takes as long."""
    try:
        _HASHER.verify(stored or _NOBODY, password)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


class Passwords:
    """Hashing from the event loop, at most `AT_ONCE` at a time."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="argon2")

    async def hash(self, password: str) -> str:
        """The hash of a password."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, hash_now, password)

    async def is_right(self, stored: str | None, password: str) -> bool:
        """Tell whether a password is that of a hash."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, is_right, stored, password)
