"""The formats, a module each with an object `FORMAT`, and their look-up by name.

Other packages add theirs through the entry point group `tolman.formats`.
"""

from __future__ import annotations

from tolman.errors import UsageError
from tolman.ingest.base import Format
from tolman.registry import Registry

_REGISTRY = Registry("format", __name__, "FORMAT", "tolman.formats")
names = _REGISTRY.names


def get(name: str) -> Format:
    """The format of that name.

    Raises:
        UsageError: there is none; the sentence lists those there are.
    """
    found: Format = _REGISTRY.get(name)
    if not all(hasattr(found, part) for part in ("name", "title", "find", "read")):
        raise UsageError(f"what is registered as format '{name}' is no tolman.ingest.base.Format.")
    return found
