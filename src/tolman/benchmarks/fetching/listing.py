"""The hub and its data sets: commit, files with hashes, and current name at a revision, or why it refuses.

The environment says at each call which hub is asked and where its cache is. Renamed data sets, and copies of them, are
listed in `moved.toml`. An error of the hub's client becomes one sentence that names a fix.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tomllib
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from tolman import __version__
from tolman.errors import OutputError, TolmanError, UsageError, first_line
from tolman.extras import hub_errors, huggingface_hub
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
    api = client()
    info = api.dataset_info(repository, revision=revision, timeout=TIMEOUT)
    _remember(repository, revision, info.sha)
    kept = _kept(repository, info.sha)
    if kept is not None:
        return kept
    tree = api.list_repo_tree(repository, repo_type="dataset", recursive=True, revision=info.sha)
    found = [_file(entry) for entry in tree if isinstance(entry, huggingface_hub.hf_api.RepoFile)]
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
    """Write a branch's commit into the hub's cache, as its client does: without a network the branch is that commit."""
    if not COMMIT.fullmatch(revision):
        place = storage(repository) / "refs" / revision
        with suppress(OSError, OutputError):  # a cache that may not be written
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
    return isinstance(error, hub_errors.RepositoryNotFoundError) and not isinstance(error, hub_errors.GatedRepoError)


def _unreachable(error: Exception) -> bool:
    """Check whether no answer came: no network, no such host, a hub that is down, or the client's offline mode."""
    if isinstance(error, hub_errors.HfHubHTTPError):
        return getattr(error.response, "status_code", 0) >= 500
    names = {kind.__name__ for kind in type(error).__mro__}  # of requests or httpx, as the client's version has it
    return isinstance(error, hub_errors.OfflineModeIsEnabled | ConnectionError | TimeoutError) or bool(
        names
        & {"ConnectError", "TimeoutException", "ConnectionError", "Timeout", "NetworkError", "RemoteProtocolError"}
    )


def endpoint() -> str:
    """Return the hub's address: $HF_ENDPOINT, or its client's default."""
    return os.environ.get("HF_ENDPOINT", huggingface_hub.constants.ENDPOINT).rstrip("/")


def hub_cache() -> Path:
    """Return the folder of the hub's cache: $HF_HUB_CACHE, or its client's default."""
    return Path(os.environ.get("HF_HUB_CACHE", huggingface_hub.constants.HF_HUB_CACHE)).expanduser()


def storage(repository: str) -> Path:
    """The folder of a data set in the hub's cache, with `blobs`, `refs` and `snapshots`."""
    return hub_cache() / ("datasets--" + repository.replace("/", "--"))


def unpacking_folder() -> Path:
    """The folder of Tolman's cache that archives are unpacked into."""
    return cache_folder() / "media"


def client() -> Any:
    """The hub's client."""
    return huggingface_hub.HfApi(endpoint=endpoint(), library_name="tolman", library_version=__version__)


def page(repository: str) -> str:
    """The address of a data set's page."""
    return f"{endpoint()}/datasets/{repository}"


def in_units(size: float) -> str:
    """A number of bytes as people read it: '2.9 GB', of 1,000 to the next unit."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:,.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"


def newer_name(repository: str) -> str | None:
    """The name of today of a data set that has moved, or None."""
    return next((one["new"] for one in _known()["moved"] if one["old"] == repository), None)


def copies(repository: str) -> list[str]:
    """Return other names under which the hub has the same questions."""
    return [one["at"] for one in _known()["copies"] if one["of"] == repository]


@cache
def _known() -> dict[str, Any]:
    return tomllib.loads(files("tolman.benchmarks.fetching").joinpath("moved.toml").read_text(encoding="utf-8"))


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LOCAL_COPY = "give a local copy with --data FOLDER"


def refusal(error: Exception, repository: str, revision: str) -> TolmanError:
    """The sentence for an error of the hub's client, which raises many unrelated types.

    Args:
        error: that was raised.
        repository: which was asked for.
        revision: that was asked for.
    """
    if isinstance(error, TolmanError):
        return error
    if is_full(error):
        return full(hub_cache())
    if isinstance(error, hub_errors.GatedRepoError):
        if huggingface_hub.get_token() is None:
            return UsageError(
                f"the data set {repository} is gated: accept its licence at {page(repository)}, make a token that may "
                f"read at {endpoint()}/settings/tokens, and give it as HF_TOKEN or with 'hf auth login'."
            )
        return UsageError(
            f"the data set {repository} is gated, and the account of your token has no access: accept its licence at "
            f"{page(repository)} (its authors may have to agree), with a token that may read gated repositories."
        )
    if isinstance(error, hub_errors.RepositoryNotFoundError):
        others = "".join(f" (a copy: {page(name)})" for name in copies(repository))
        return UsageError(
            f"the hub has no data set {repository}, or it is private and the token (HF_TOKEN) may not read it; "
            f"{LOCAL_COPY}{others}."
        )
    if isinstance(error, hub_errors.RevisionNotFoundError):
        return UsageError(
            f"the data set {repository} has no revision '{revision}'; look at {page(repository)}/commits."
        )
    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, hub_errors.HfHubHTTPError) and status == 401:
        return UsageError("the hub doesn't know your token: make another, or unset HF_TOKEN.")
    return UsageError(
        f"the data set {repository} can't be fetched from the Hugging Face hub at {endpoint()} ({first_line(error)}); "
        f"try again later, or {LOCAL_COPY}."
    )


def is_full(error: BaseException) -> bool:
    """Check whether a disk or a quota has no room left."""
    return isinstance(error, OSError) and error.errno in _FULL


def full(folder: Path) -> UsageError:
    """The sentence for a disk that became full on the way."""
    return UsageError(
        f"there is no space left in {folder}; free some or name a folder on another disk with HF_HUB_CACHE (downloads) "
        "and TOLMAN_CACHE (unpacked archives). Finished downloads are kept, and the same command resumes from there."
    )
