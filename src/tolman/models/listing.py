"""Lists of models, as endpoints answer `GET /v1/models`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def entries_of(listed: object) -> list[Mapping[str, Any]]:
    """The entries of a list of models; none where it is no such list."""
    entries = listed.get("data") if isinstance(listed, Mapping) else None
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []
