"""What a data set on the hub holds at a revision: its commit, its files with their hashes, and its name of today."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tolman.benchmarks.fetching.moved import newer_name
from tolman.benchmarks.fetching.place import client, storage
from tolman.benchmarks.fetching.refusals import refusal
from tolman.files import cache_folder, write_text

COMMIT = re.compile(r"[0-9a-f]{40}")
TIMEOUT = 20.0
"""Seconds that the hub has to answer what it holds."""


@dataclass(frozen=True)
class HubFile:
    """A file on the hub.

    Attributes:
        path: in the repository.
        size: bytes.
        digest: of its content: 'sha256:…' where the hub stores it apart (LFS, Xet), else 'git:…', the SHA-1 of git.
    """

    path: str
    size: int
    digest: str


@dataclass(frozen=True)
class Listing:
    """A data set at a commit.

    Attributes:
        repository: the name under which it answers; the one asked for, unless only a newer name exists.
        name: its name of today.
        commit: 40 hexadecimal digits.
        licence: as its card names it; empty where it doesn't.
        files: all of them.
    """

    repository: str
    name: str
    commit: str
    licence: str
    files: tuple[HubFile, ...]


def find_listing(repository: str, revision: str) -> Listing | None:
    """The listing of a data set at a revision; that of a commit is kept in Tolman's cache and asked for once.

    Args:
        repository: 'owner/name'.
        revision: a branch, a tag or a commit.

    Returns:
        The listing, or None where the hub can't be reached at all.

    Raises:
        UsageError: there is no such data set or revision, or it may not be read.
    """
    if COMMIT.fullmatch(revision):
        kept = _kept(repository, revision)
        if kept is not None:
            return kept
    try:
        return _asked(repository, revision)
    except Exception as error:  # the hub's client raises many unrelated types
        if _unreachable(error):
            return _kept(repository, _resolved_before(repository, revision))
        newer = newer_name(repository) if _is_unknown(error) else None
        if newer is None:
            raise refusal(error, repository, revision) from None
    try:
        return _asked(newer, revision)
    except Exception as error:
        raise refusal(error, newer, revision) from None


def _asked(repository: str, revision: str) -> Listing:
    from huggingface_hub.hf_api import RepoFile

    api = client()
    info = api.dataset_info(repository, revision=revision, timeout=TIMEOUT)
    _remember(repository, revision, info.sha)
    kept = _kept(repository, info.sha)
    if kept is not None:
        return kept
    tree = api.list_repo_tree(repository, repo_type="dataset", recursive=True, revision=info.sha)
    found = [_file(entry) for entry in tree if isinstance(entry, RepoFile)]
    licence = str(getattr(info.card_data, "license", None) or "") if info.card_data is not None else ""
    listing = Listing(repository, info.id, info.sha, licence, tuple(sorted(found, key=lambda one: one.path)))
    place = _place(repository, info.sha)
    place.parent.mkdir(parents=True, exist_ok=True)
    write_text(place, json.dumps(asdict(listing)))
    return listing


def _file(entry: Any) -> HubFile:
    if entry.lfs is not None:
        return HubFile(entry.path, entry.lfs.size, f"sha256:{entry.lfs.sha256}")
    return HubFile(entry.path, entry.size, f"git:{entry.blob_id}")


def _remember(repository: str, revision: str, commit: str) -> None:
    """Write into the hub's cache what a branch is, as its client does: without a network that is what it is."""
    if not COMMIT.fullmatch(revision):
        place = storage(repository) / "refs" / revision
        with suppress(OSError):  # a cache that may not be written
            place.parent.mkdir(parents=True, exist_ok=True)
            write_text(place, commit)


def _resolved_before(repository: str, revision: str) -> str:
    """The commit that a branch was when it was last asked for; empty where it never was."""
    try:
        return (storage(repository) / "refs" / revision).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _place(repository: str, commit: str) -> Path:
    return cache_folder() / "listings" / repository.replace("/", "--") / f"{commit}.json"


def _kept(repository: str, commit: str) -> Listing | None:
    try:
        found = json.loads(_place(repository, commit).read_text(encoding="utf-8"))
        return Listing(**found | {"files": tuple(HubFile(**one) for one in found["files"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _is_unknown(error: Exception) -> bool:
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    return isinstance(error, RepositoryNotFoundError) and not isinstance(error, GatedRepoError)


def _unreachable(error: Exception) -> bool:
    """Whether nobody answered: no network, no such host, a hub that is down, or the client told to stay offline."""
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    if isinstance(error, HfHubHTTPError):
        return getattr(error.response, "status_code", 0) >= 500
    names = {kind.__name__ for kind in type(error).__mro__}  # of requests or httpx, as the client's version has it
    return isinstance(error, OfflineModeIsEnabled | ConnectionError | TimeoutError) or bool(
        names
        & {"ConnectError", "TimeoutException", "ConnectionError", "Timeout", "NetworkError", "RemoteProtocolError"}
    )
