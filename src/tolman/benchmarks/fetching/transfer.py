"""Download files of a listing into the hub's own cache, and unpack archives of media into Tolman's.

Every program of this machine takes files from the hub's cache. The hub's client fetches, names and links them. Two
things are added. A large file whose download was interrupted, by a signal or with the machine, goes on where it was.
Current versions of the client delete its partial file. And each file's hash is compared with the listing's. Disk
space is checked before anything is fetched. Archives are unpacked once, each completely or not at all.
"""

from __future__ import annotations

import logging
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import IO, TYPE_CHECKING, Any

from filelock import FileLock

from tolman.benchmarks.fetching.listing import (
    HubFile,
    Listing,
    endpoint,
    full,
    hub_cache,
    in_units,
    is_full,
    page,
    refusal,
    storage,
)
from tolman.benchmarks.fetching.lock import digest_like
from tolman.errors import InputError, UsageError, first_line
from tolman.extras import LazyModule, hub_errors, huggingface_hub
from tolman.files import link_or_copy

if TYPE_CHECKING:
    from huggingface_hub import file_download
else:
    file_download = LazyModule("huggingface_hub.file_download")

LARGE = 8 * 1024 * 1024
"""Bytes from which a file is fetched by itself and goes on where it was broken off."""
THREADS = 8
"""Small files that are fetched at a time."""
ATTEMPTS = 3
"""Connections in a row that bring nothing before a file is given up; the client has tried several times in each."""

Arrived = Callable[[int], None]
"""Called with each number of bytes that have arrived; with a negative number where they have to come again."""


def nobody(size: int) -> None:
    """Ignore the bytes."""


def local(listing: Listing, file: HubFile) -> Path | None:
    """Return the path of a file in the hub's cache, or None where it isn't there yet."""
    found = huggingface_hub.try_to_load_from_cache(
        listing.repository, file.path, cache_dir=hub_cache(), revision=listing.commit, repo_type="dataset"
    )
    return Path(found) if isinstance(found, str) else None


def missing(listing: Listing, files: Sequence[HubFile]) -> list[HubFile]:
    """Those of some files that aren't in the cache yet."""
    return [file for file in files if local(listing, file) is None]


def begun(listing: Listing, file: HubFile) -> int:
    """Bytes of a missing file that are here from an attempt that was broken off."""
    found = [path.stat().st_size for path in _blobs(listing).glob(f"{_bare(file.digest)}*.tolman-part")]
    return min(file.size, max(found, default=0))


def bring(listing: Listing, files: Sequence[HubFile], arrived: Arrived = nobody) -> Path:
    """Bring files into the hub's cache.

    Args:
        listing: where they are.
        files: of it; those that are there already are passed over.
        arrived: called with numbers of bytes.

    Returns:
        The snapshot's folder, whose name is the commit; it has the files under their paths.

    Raises:
        UsageError: the hub refuses or breaks off, or the disk is full; downloaded data is kept.
        InputError: a file is not as the hub lists it.
    """
    wanted = missing(listing, files)
    try:
        with _QUIET:
            for file in wanted:
                if file.size >= LARGE:
                    _large(listing, file, arrived)
                    _link(listing, file)
            _small(listing, [file for file in wanted if file.size < LARGE], arrived)
    except Exception as error:  # the hub's client raises many unrelated types
        raise refusal(error, listing.repository, listing.commit) from None
    return storage(listing.repository) / "snapshots" / listing.commit


def _small(listing: Listing, files: Sequence[HubFile], arrived: Arrived) -> None:
    with ThreadPoolExecutor(THREADS) as threads:
        tasks = {threads.submit(_whole, listing, file): file for file in files}
        try:
            for done in as_completed(tasks):
                done.result()
                arrived(tasks[done].size)
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def _whole(listing: Listing, file: HubFile) -> None:
    for attempt in range(2):
        path = _link(listing, file)
        found = digest_like(path, file.digest)
        if found == file.digest:
            return
        path.resolve().unlink()  # the blob
        path.unlink(missing_ok=True)  # its link
        if attempt:
            raise _wrong(listing, file, found)


def _link(listing: Listing, file: HubFile) -> Path:
    """Fetch a file with the hub's client, which only links it where its blob is there."""
    return Path(
        huggingface_hub.hf_hub_download(
            listing.repository,
            file.path,
            repo_type="dataset",
            revision=listing.commit,
            cache_dir=hub_cache(),
            endpoint=endpoint(),
        )
    )


def _large(listing: Listing, file: HubFile, arrived: Arrived) -> None:
    """Put a file's blob into the cache, resuming a partial download."""
    url = huggingface_hub.hf_hub_url(
        listing.repository, file.path, repo_type="dataset", revision=listing.commit, endpoint=endpoint()
    )
    headers = _utils().build_hf_headers()
    etag = huggingface_hub.get_hf_file_metadata(url).etag
    blob = _blobs(listing) / (etag or _bare(file.digest))
    part = blob.with_name(f"{blob.name}.tolman-part")
    blob.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{part}.lock"):  # another process may be at the same file
        for attempt in range(2):
            if blob.exists():
                return
            _continued(url, headers, part, file, arrived)
            found = digest_like(part, file.digest)
            if found == file.digest:
                part.replace(blob)
                return
            part.unlink()
            if attempt:
                raise _wrong(listing, file, found)
            arrived(-file.size)


def _continued(url: str, headers: dict[str, str], part: Path, file: HubFile, arrived: Arrived) -> None:
    """Fetch the missing part of a file."""
    in_vain = 0
    while (here := part.stat().st_size if part.exists() else 0) != file.size:
        if here > file.size:  # of a server without ranges, with a client that doesn't notice
            part.unlink()
            arrived(-here)
            continue
        try:
            with part.open("ab") as opened:
                target: Any = _Counted(opened, arrived)
                file_download.http_get(url, target, resume_size=here, headers=dict(headers), expected_size=file.size)
        except hub_errors.HfHubHTTPError:
            raise
        except Exception as error:  # of the client's transport, which differs between its versions
            if is_full(error):
                raise full(part.parent) from None
            come = part.stat().st_size - here
            in_vain = 0 if come > 0 else in_vain + 1
            if in_vain == ATTEMPTS:
                raise UsageError(
                    f"the hub broke off '{file.path}' after {in_units(part.stat().st_size)} of {in_units(file.size)} "
                    f"({first_line(error)}); the same command resumes from there."
                ) from None


class _Counted:
    """A file that reports how many bytes are written into it, less those that the client takes back."""

    def __init__(self, file: IO[bytes], arrived: Arrived) -> None:
        self._file, self._arrived = file, arrived

    def write(self, data: bytes) -> int:
        self._arrived(len(data))
        return self._file.write(data)

    def truncate(self) -> int:
        place = self._file.tell()
        self._arrived(place - self._file.seek(0, os.SEEK_END))
        self._file.truncate(place)
        return self._file.seek(place)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _wrong(listing: Listing, file: HubFile, found: str) -> InputError:
    return InputError(
        f"{page(listing.repository)}/blob/{listing.commit[:12]}/{file.path}",
        f"the hub sends other content than it lists ({found[:19]}… in place of {file.digest[:19]}…), twice",
        fix="look for a proxy or a mirror on the way (HF_ENDPOINT), or try again later",
    )


def _blobs(listing: Listing) -> Path:
    return storage(listing.repository) / "blobs"


def _bare(digest: str) -> str:
    return digest.partition(":")[2]


def _utils() -> Any:
    """The client's helpers, which it documents and doesn't declare as exported."""
    return import_module("huggingface_hub.utils")


class _Quiet:
    """The hub's client without bars and lines of its own: its caller reports the progress.

    The client has one switch for all threads: the first that comes turns it, the last that goes turns it back.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._level, self._shown = logging.NOTSET, False

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside > 1:
                return
            log, utils = logging.getLogger("huggingface_hub"), _utils()
            self._level, self._shown = log.level, not utils.are_progress_bars_disabled()
            log.setLevel(logging.CRITICAL)
            if self._shown:
                utils.disable_progress_bars()

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside:
                return
            logging.getLogger("huggingface_hub").setLevel(self._level)
            if self._shown:
                _utils().enable_progress_bars()


_QUIET = _Quiet()


MARGIN = 64 * 1024 * 1024
"""Bytes that stay free beside what is fetched."""


def check_space(needs: Mapping[Path, int], what: str) -> None:
    """Make sure that disks have room; folders on one disk count together.

    Args:
        needs: folder (which may not exist yet) → bytes that are to be written there.
        what: is fetched, for the message.

    Raises:
        UsageError: a disk has too little room; nothing was fetched.
    """
    disks: dict[int, tuple[Path, int]] = {}
    for folder, size in needs.items():
        there = existing(folder)
        device = os.stat(there).st_dev
        first, before = disks.get(device, (folder, 0))
        disks[device] = first, before + size
    for folder, size in disks.values():
        free = shutil.disk_usage(existing(folder)).free
        if size and size + MARGIN > free:
            raise UsageError(
                f"{what} needs {in_units(size)} in {folder}, where {in_units(free)} are free: free some, or name a "
                "folder on another disk with HF_HUB_CACHE (downloads) and TOLMAN_CACHE (unpacked archives); nothing "
                "was fetched."
            )


def existing(folder: Path) -> Path:
    """The folder, or the nearest above it that exists."""
    folder = folder.absolute()
    return next(path for path in (folder, *folder.parents) if path.exists())


_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


def is_archive(path: str) -> bool:
    """Check whether a file is an archive, by its name."""
    return path.lower().endswith(_SUFFIXES)


def stem(path: str) -> str:
    """The name of an archive without its suffix: 'scannet' of 'data/scannet.tar.gz'."""
    name = PurePosixPath(path).name
    suffix = max((one for one in _SUFFIXES if name.lower().endswith(one)), key=len, default="")
    return name[: len(name) - len(suffix)]


def is_unpacked(folder: Path, archive: str) -> bool:
    """Check whether an archive's content is in the folder.

    Args:
        folder: of the unpacked data set.
        archive: its path in the repository.
    """
    return _mark(folder, archive).exists()


def unpack(snapshot: Path, paths: Iterable[str], folder: Path) -> Path:
    """Unpack archives, each at its place in the repository, and put the other files there too.

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
    """Unpack next to the target and move into place, so that an interrupted unpacking leaves nothing half done."""
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

    A link becomes the content of its target in the archive; nothing outside of it is ever read or written.
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
