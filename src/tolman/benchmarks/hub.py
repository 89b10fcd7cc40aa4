"""Fetching released data from the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path

from tolman.benchmarks.base import HubSource
from tolman.errors import UsageError


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
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(
                source.repository,
                repo_type="dataset",
                revision=revision or source.revision,
                allow_patterns=list(source.patterns),
            )
        )
    except Exception as error:  # the hub's client raises many unrelated types
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UsageError(
            f"the data set {source.repository} can't be fetched from the Hugging Face hub ({reason}); "
            "give a local copy with --data FOLDER."
        ) from None
