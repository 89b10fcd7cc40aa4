"""Hashes of files as the hub writes them."""

from __future__ import annotations

import hashlib
from pathlib import Path

_CHUNK = 1 << 20


def sha256(path: Path) -> str:
    """'sha256:…' over a file's content."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def digest_like(path: Path, expected: str) -> str:
    """A file's hash of the kind that is expected.

    Args:
        path: the file.
        expected: 'sha256:…' or 'git:…', the SHA-1 of git over a header and the content.
    """
    if not expected.startswith("git:"):
        return sha256(path)
    found = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return f"git:{found.hexdigest()}"
