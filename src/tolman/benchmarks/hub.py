"""Fetching released data from the Hugging Face hub."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from filelock import FileLock

from tolman.benchmarks.base import HubSource
from tolman.errors import InputError, UsageError


def fetch(source: HubSource, revision: str | None = None) -> Path:
    """The local folder of a data set's question files, downloaded unless the hub's cache has them.

    Args:
        source: which data set and files.
        revision: a commit other than the source's.

    Returns:
        The snapshot's folder; its name is the commit.

    Raises:
        UsageError: the hub can't be reached and the cache doesn't hold them.
    """
    return _snapshot(source, source.patterns, revision)


def fetch_media(source: HubSource, cache: Path, revision: str | None = None) -> Path:
    """The local folder of a data set's videos and images, archives unpacked once.

    Args:
        source: which data set.
        cache: where archives are unpacked to.
        revision: a commit other than the source's.

    Raises:
        UsageError: as `fetch`.
        InputError: an archive is broken.
    """
    snapshot = _snapshot(source, source.media, revision)
    archives = sorted(snapshot.glob("*.zip"))
    if not archives:
        return snapshot
    folder = cache / source.repository.replace("/", "--") / snapshot.name
    for archive in archives:
        done = folder / f".{archive.name}.unpacked"
        if done.exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f".{archive.name}.lock"):  # runs of a suite, or of several processes, wait for the first
            if not done.exists():
                _unpack(archive, folder)
                done.touch()
    return folder


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack beside the target and move into place, so that an interrupted unpacking leaves nothing half done."""
    work = folder / f".{archive.name}.unpacking"
    shutil.rmtree(work, ignore_errors=True)  # of one that was killed
    try:
        with zipfile.ZipFile(archive) as content:
            content.extractall(work)
        for path in sorted(p for p in work.rglob("*") if p.is_file()):
            target = folder / path.relative_to(work)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
    except zipfile.BadZipFile as error:
        raise InputError(archive, f"is no readable archive ({error})", fix="delete it and fetch it again") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _snapshot(source: HubSource, patterns: tuple[str, ...], revision: str | None) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(
                source.repository,
                repo_type="dataset",
                revision=revision or source.revision,
                allow_patterns=list(patterns),
            )
        )
    except Exception as error:  # the hub's client raises many unrelated types
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UsageError(
            f"the data set {source.repository} can't be fetched from the Hugging Face hub ({reason}); "
            "give a local copy with --data FOLDER."
        ) from None
