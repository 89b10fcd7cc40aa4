"""Which hub is asked and where its cache is, as the environment says when a call is made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tolman.files import cache_folder


def endpoint() -> str:
    """The hub's address: $HF_ENDPOINT, or what its client takes."""
    from huggingface_hub import constants

    return os.environ.get("HF_ENDPOINT", constants.ENDPOINT).rstrip("/")


def hub_cache() -> Path:
    """The folder of the hub's cache: $HF_HUB_CACHE, or what its client takes."""
    from huggingface_hub import constants

    return Path(os.environ.get("HF_HUB_CACHE", constants.HF_HUB_CACHE)).expanduser()


def storage(repository: str) -> Path:
    """The folder of a data set in the hub's cache, with `blobs`, `refs` and `snapshots`."""
    return hub_cache() / ("datasets--" + repository.replace("/", "--"))


def unpacking_folder() -> Path:
    """The folder of Tolman's cache that archives are unpacked into."""
    return cache_folder() / "media"


def client() -> Any:
    """The hub's client."""
    from huggingface_hub import HfApi

    from tolman import __version__

    return HfApi(endpoint=endpoint(), library_name="tolman", library_version=__version__)


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
