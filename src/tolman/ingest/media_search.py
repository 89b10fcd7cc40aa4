"""Finding media: in folders and those below them, by name, or from lists of paths."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tolman.errors import InputError
from tolman.ingest.media_files import IMAGES, VIDEOS
from tolman.ingest.readers.numbers import natural

LISTS = frozenset({".txt", ".lst"})
"""Endings of text files with a path on each line."""


@dataclass(frozen=True)
class Found:
    """A file that is named like a medium.

    Attributes:
        path: where it is.
        original: as in PoolMedium.
        size, modified: as in PoolMedium.
        problem: why it can't be read; empty where nothing is known against it.
    """

    path: Path
    original: str
    size: int = 0
    modified: int = 0
    problem: str = ""

    def target(self, source: str) -> str:
        return f"media/{source}/{self.original}"


def search(paths: Sequence[Path], pool: Path) -> tuple[list[Found], int]:
    """All files of some paths that are named like media, in order, and how many others there are.

    Args:
        paths: folders, media, or text files with a path on each line.
        pool: a folder that is not looked into.

    Raises:
        InputError: a path isn't there, or a text file can't be read.
    """
    files: list[Path] = []
    roots: list[Path] = []
    for path in paths:
        if path.is_dir():
            roots.append(path.absolute())
            files += _below(path.absolute(), pool.absolute())
        elif path.suffix.lower() in LISTS and path.is_file():
            listed = _listed(path)
            roots += [one.parent for one in listed]
            files += [inside for one in listed for inside in (_below(one, pool.absolute()) if one.is_dir() else [one])]
        elif path.is_file():
            roots.append(path.absolute().parent)
            files.append(path.absolute())
        else:
            raise InputError(path, "isn't there", fix="give a folder, media, or a text file with a path on each line")
    root = Path(os.path.commonpath(roots)) if roots else Path()
    unique = dict.fromkeys(files)
    media = [path for path in unique if path.suffix.lower() in IMAGES | VIDEOS]
    found = [_found(path, path.relative_to(root).as_posix()) for path in media]
    return sorted(found, key=lambda one: natural(one.original)), len(unique) - len(media)


def _below(folder: Path, pool: Path) -> Iterator[Path]:
    """The files of a folder and those below it, but for hidden ones and the pool's own."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and Path(place, name) != pool)
        yield from (Path(place, name) for name in sorted(names) if name[0] != ".")


def _listed(path: Path) -> list[Path]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except ValueError:
        raise InputError(path, "is no text in UTF-8", fix="give a text file with a path on each line") from None
    # Without '..' a file's place below the common folder is what it seems to be.
    named = [Path(os.path.normpath(path.absolute().parent / line.strip())) for line in lines if line.strip()]
    if not named:
        raise InputError(path, "names no file", fix="write a path on each line")
    return named


def _found(path: Path, original: str) -> Found:
    try:
        original.encode()
    except UnicodeEncodeError:
        return Found(path, ascii(original)[1:-1], problem="has a name that isn't UTF-8")
    if "\\" in original:
        return Found(path, original, problem="has a backslash in its name")
    try:
        state = path.stat()
    except OSError as error:
        return Found(path, original, problem=f"can't be read ({error.strerror or error})")
    if not stat.S_ISREG(state.st_mode):
        return Found(path, original, problem="is no file")
    return Found(path, original, state.st_size, state.st_mtime_ns)
