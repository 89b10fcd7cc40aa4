"""Files of a listing into the hub's own cache, from which every program of this machine takes them.

The hub's client fetches, names and links them. Two things are added: a large file that is broken off, by a signal or
with the machine, goes on where it was (current versions of the client delete what they have of it), and each file's
hash is held against the listing's.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import IO, Any

from filelock import FileLock

from tolman.benchmarks.fetching.digests import digest_like
from tolman.benchmarks.fetching.listing import HubFile, Listing
from tolman.benchmarks.fetching.place import endpoint, hub_cache, in_units, page, storage
from tolman.benchmarks.fetching.refusals import full, is_full, refusal
from tolman.errors import InputError, UsageError

LARGE = 8 * 1024 * 1024
"""Bytes from which a file is fetched by itself and goes on where it was broken off."""
THREADS = 8
"""Small files that are fetched at a time."""
ATTEMPTS = 3
"""Connections in a row that bring nothing before a file is given up; the client has tried several times in each."""

Arrived = Callable[[int], None]
"""Called with each number of bytes that have arrived; with a negative number where they have to come again."""


def nobody(size: int) -> None:
    """Tell nobody."""


def local(listing: Listing, file: HubFile) -> Path | None:
    """Where a file is in the hub's cache, or None where it isn't yet."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(
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
        arrived: told of bytes.

    Returns:
        The snapshot's folder, whose name is the commit; it has the files under their paths.

    Raises:
        UsageError: the hub refuses or breaks off, or the disk is full; what has arrived is kept.
        InputError: what arrives is not what the hub lists.
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
    from huggingface_hub import hf_hub_download

    return Path(
        hf_hub_download(
            listing.repository,
            file.path,
            repo_type="dataset",
            revision=listing.commit,
            cache_dir=hub_cache(),
            endpoint=endpoint(),
        )
    )


def _large(listing: Listing, file: HubFile, arrived: Arrived) -> None:
    """Put a file's blob into the cache, going on with what is there of it."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    url = hf_hub_url(listing.repository, file.path, repo_type="dataset", revision=listing.commit, endpoint=endpoint())
    headers = _utils().build_hf_headers()
    etag = get_hf_file_metadata(url).etag
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
    """Fetch what is missing of a file."""
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.file_download import http_get

    in_vain = 0
    while (here := part.stat().st_size if part.exists() else 0) != file.size:
        if here > file.size:  # of a server without ranges, with a client that doesn't notice
            part.unlink()
            arrived(-here)
            continue
        try:
            with part.open("ab") as opened:
                target: Any = _Counted(opened, arrived)
                http_get(url, target, resume_size=here, headers=dict(headers), expected_size=file.size)
        except HfHubHTTPError:
            raise
        except Exception as error:  # of the client's transport, which differs between its versions
            if is_full(error):
                raise full(part.parent) from None
            come = part.stat().st_size - here
            in_vain = 0 if come > 0 else in_vain + 1
            if in_vain == ATTEMPTS:
                raise UsageError(
                    f"the hub broke off '{file.path}' after {in_units(part.stat().st_size)} of {in_units(file.size)} "
                    f"({_first_line(error)}); the same command goes on from there."
                ) from None


class _Counted:
    """A file that tells how much is written into it; it loses what the client takes back."""

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
        f"what the hub sends is not what it lists ({found[:19]}… in place of {file.digest[:19]}…), twice",
        fix="look for a proxy or a mirror on the way (HF_ENDPOINT), or try again later",
    )


def _blobs(listing: Listing) -> Path:
    return storage(listing.repository) / "blobs"


def _bare(digest: str) -> str:
    return digest.partition(":")[2]


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__


def _utils() -> Any:
    """The client's helpers, which it documents and doesn't declare as exported."""
    return import_module("huggingface_hub.utils")


class _Quiet:
    """The hub's client without bars and lines of its own: its caller tells what goes on.

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
