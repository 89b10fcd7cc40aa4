"""Writing files whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_HERE = os.urandom(3).hex()
"""Tells this machine's processes from those of others with the same number, on a disk that both see."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A path beside the target to write to; it takes the target's place if nothing goes wrong.

    Readers see the old content or the new, never a part. Processes and threads that write the same file don't
    disturb each other; the last one wins. What is no file, such as /dev/null or /dev/stdout, is written into and stays.
    """
    if _is_stream(path):
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder) / path.name
            with (Path(folder) / path.name).open("rb") as made, path.open("wb") as stream:
                shutil.copyfileobj(made, stream)
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}-{_HERE}.partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A new folder beside the target to write into; it takes the target's place if nothing goes wrong."""
    partial = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        if path.is_dir():
            shutil.rmtree(path)
        partial.replace(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def remove_partials(folder: Path) -> None:
    """Remove what `atomic_write` left of files up to two folders below one, where its process or machine was lost.

    Nobody else may be writing there.
    """
    for pattern in ("*/.*.partial", "*/*/.*.partial"):
        for path in folder.glob(pattern):
            if path.is_file():
                path.unlink(missing_ok=True)


def _is_stream(path: Path) -> bool:
    """Whether a path is a device, a pipe or a name for one, which must not be replaced by a file."""
    return path.parent == Path("/dev") or (path.exists() and not path.is_file() and not path.is_dir())


def remove(path: Path) -> None:
    """Remove a file, or a folder with all it holds; nothing where there is none, or where it is a device."""
    if _is_stream(path):
        return
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """Write a text, or its pieces one after the other, into a file, whole or not at all."""
    with atomic_write(path) as partial, partial.open("w", encoding="utf-8") as file:
        file.writelines([text] if isinstance(text, str) else text)


def cache_folder() -> Path:
    """$TOLMAN_CACHE, or Tolman's place in the user's cache folder: what is there can always be made again."""
    cache = os.environ.get("TOLMAN_CACHE")
    return Path(cache) if cache else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tolman"


def link_or_copy(there: Path, here: Path) -> None:
    """Put a file at another place too: as a link to the same bytes where the disk allows it, else as a copy."""
    here.parent.mkdir(parents=True, exist_ok=True)
    here.unlink(missing_ok=True)
    try:
        os.link(there, here)
    except OSError:
        shutil.copyfile(there, here)
