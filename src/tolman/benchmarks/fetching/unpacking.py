"""Archives of media, unpacked once into Tolman's cache, each wholly or not at all."""

from __future__ import annotations

import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from filelock import FileLock

from tolman.benchmarks.fetching.refusals import full, is_full
from tolman.errors import InputError
from tolman.files import link_or_copy

_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


def is_archive(path: str) -> bool:
    """Whether a file is one, by its name."""
    return path.lower().endswith(_SUFFIXES)


def stem(path: str) -> str:
    """The name of an archive without its suffix: 'scannet' of 'data/scannet.tar.gz'."""
    name = PurePosixPath(path).name
    suffix = max((one for one in _SUFFIXES if name.lower().endswith(one)), key=len, default="")
    return name[: len(name) - len(suffix)]


def is_unpacked(folder: Path, archive: str) -> bool:
    """Whether an archive's content is in the folder.

    Args:
        folder: of the unpacked data set.
        archive: its path in the repository.
    """
    return _mark(folder, archive).exists()


def unpack(snapshot: Path, paths: Iterable[str], folder: Path) -> Path:
    """Unpack archives, each beside where it lies in the repository, and put the other files there too.

    Args:
        snapshot: the folder in the hub's cache.
        paths: of archives and files in it.
        folder: to unpack into.

    Returns:
        The folder with all of them: the snapshot where there is no archive.

    Raises:
        InputError: an archive is broken.
        UsageError: the disk is full.
    """
    paths = list(paths)
    if not any(is_archive(path) for path in paths):
        return snapshot
    try:
        for path in paths:
            if is_archive(path):
                _unpack_once(snapshot / path, path, folder)
            elif not (folder / path).exists():
                link_or_copy((snapshot / path).resolve(), folder / path)
    except OSError as error:
        if is_full(error):
            raise full(folder) from None
        raise
    return folder


def link_archives(snapshot: Path, paths: Iterable[str], folder: Path) -> None:
    """Link archives that questions come in to where they were unpacked, so that their hashes are held against a lock.

    Args:
        snapshot: the folder in the hub's cache.
        paths: of files in it.
        folder: that archives were unpacked into.
    """
    for path in paths:
        if is_archive(path):
            here = folder / path
            here.unlink(missing_ok=True)
            here.symlink_to((snapshot / path).resolve())


def _mark(folder: Path, archive: str) -> Path:
    path = folder / archive
    return path.with_name(f".{path.name}.unpacked")


def _unpack_once(archive: Path, path: str, folder: Path) -> None:
    done = _mark(folder, path)
    if done.exists():
        return
    done.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(
        done.with_name(f".{archive.name}.lock")
    ):  # runs of a suite, or of several processes, wait for the first
        if not done.exists():
            _unpack(archive, done.parent)
            done.touch()


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack beside the target and move into place, so that an interrupted unpacking leaves nothing half done."""
    work = folder / f".{archive.name}.unpacking"
    shutil.rmtree(work, ignore_errors=True)  # of one that was killed
    try:
        if archive.name.lower().endswith(".zip"):
            with zipfile.ZipFile(archive) as content:
                content.extractall(work)
        else:
            with tarfile.open(archive) as tar:
                for member in tar:
                    _unpack_member(tar, member, work)
        for path in sorted(p for p in work.rglob("*") if p.is_file()):
            target = folder / path.relative_to(work)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, KeyError, RecursionError) as error:
        raise InputError(archive, f"is no readable archive ({error})", fix="delete it and fetch it again") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _unpack_member(tar: tarfile.TarFile, member: tarfile.TarInfo, work: Path) -> None:
    """Write a member's bytes, and nothing else of it: Python's own filters came with 3.11.4.

    A link becomes the content of what it names in the archive; what stands outside of it is never read or written.
    """
    if member.isdir():
        return
    target = Path(os.path.normpath(work / member.name.lstrip("/")))
    if not target.is_relative_to(work) or target == work:
        raise tarfile.TarError(f"{member.name!r} leads out of it")
    content = tar.extractfile(member)
    if content is None:
        raise tarfile.TarError(f"{member.name!r} is no file")
    target.parent.mkdir(parents=True, exist_ok=True)
    with content, target.open("wb") as file:
        shutil.copyfileobj(content, file)
