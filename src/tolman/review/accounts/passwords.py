"""Hashing passwords by Argon2id, one after another: a hash takes 64 MiB and four threads.

Who waits for one waits in the event loop, not in a thread, so that a flood of sign-ins takes neither the memory nor the
threads that all other pages need.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

AT_ONCE = 1
"""Hashes that are computed at the same time."""
_AROUND = "0123456789 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_LEAST_DIFFERENT = 4
"""Characters of which a password must have as many that differ."""
_WORDS = frozenset({"tolman", "tolmanreview", "review", "benchmark", "owner", "annotator", "reviewer", "subject"})
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


def is_common(password: str, words: Sequence[str] = ()) -> bool:
    """Tell whether a password is among the first that somebody else would try: one of 49,233 common ones or a word that
    belongs here (a name, the program's), also in capitals, said twice, and with digits or signs around it."""
    plain = password.casefold().strip()
    bare = plain.strip(_AROUND)
    halves = [text[: len(text) // 2] for text in (plain, bare) if text and text[: len(text) // 2] * 2 == text]
    known = {*_common(), *(word.casefold() for word in words if len(word) > 2), *_WORDS}
    if len(set(plain)) < _LEAST_DIFFERENT or not bare:
        return True
    return any(text in known for text in (plain, bare, plain.replace(" ", ""), bare.replace(" ", ""), *halves))


@cache
def _common() -> frozenset[str]:
    """The list of @zxcvbn-ts/language-common; see common_passwords.LICENSE."""
    packed = (Path(__file__).parent / "common_passwords.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().split("\n"))


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
