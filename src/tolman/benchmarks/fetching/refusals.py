"""What the hub's client raises, as one sentence that says what to do."""

from __future__ import annotations

import errno
from pathlib import Path

from tolman.benchmarks.fetching.moved import copies
from tolman.benchmarks.fetching.place import endpoint, hub_cache, page
from tolman.errors import TolmanError, UsageError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LOCAL_COPY = "give a local copy with --data FOLDER"


def refusal(error: Exception, repository: str, revision: str) -> TolmanError:
    """The sentence for an error of the hub's client, which raises many unrelated types.

    Args:
        error: that was raised.
        repository: which was asked for.
        revision: that was asked for.
    """
    from huggingface_hub import get_token
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError

    if isinstance(error, TolmanError):
        return error
    if is_full(error):
        return full(hub_cache())
    if isinstance(error, GatedRepoError):
        if get_token() is None:
            return UsageError(
                f"the data set {repository} is gated: accept its licence at {page(repository)}, make a token that may "
                f"read at {endpoint()}/settings/tokens, and give it as HF_TOKEN or with 'hf auth login'."
            )
        return UsageError(
            f"the data set {repository} is gated, and the account of your token has no access: accept its licence at "
            f"{page(repository)} (its authors may have to agree), with a token that may read gated repositories."
        )
    if isinstance(error, RepositoryNotFoundError):
        others = "".join(f" (a copy: {page(name)})" for name in copies(repository))
        return UsageError(
            f"the hub has no data set {repository}, or it is private and the token (HF_TOKEN) may not read it; "
            f"{LOCAL_COPY}{others}."
        )
    if isinstance(error, RevisionNotFoundError):
        return UsageError(
            f"the data set {repository} has no revision '{revision}'; look at {page(repository)}/commits."
        )
    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, HfHubHTTPError) and status == 401:
        return UsageError("the hub doesn't know your token: make another, or unset HF_TOKEN.")
    reason = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
    return UsageError(
        f"the data set {repository} can't be fetched from the Hugging Face hub at {endpoint()} ({reason}); "
        f"try again later, or {LOCAL_COPY}."
    )


def is_full(error: BaseException) -> bool:
    """Whether a disk or a quota has no room left."""
    return isinstance(error, OSError) and error.errno in _FULL


def full(folder: Path) -> UsageError:
    """The sentence for a disk that became full on the way."""
    return UsageError(
        f"there is no room left in {folder}; free some, or name a folder on another disk with HF_HUB_CACHE (downloads) "
        "and TOLMAN_CACHE (unpacked archives). What has arrived is kept, and the same command goes on from there."
    )
