"""Data set formats in, Scenes and Captures out: a module for each format, and the look-up of formats by name.

A module of this package that isn't among the helpers is a format: it has an object `FORMAT`. Other packages add theirs
through the entry point group `tolman.formats`.
"""

from __future__ import annotations

from tolman.errors import UsageError
from tolman.ingest.base import Format
from tolman.registry import Registry

_HELPERS = frozenset(
    {
        "annotated",
        "arkit_trajectory",
        "base",
        "build",
        "categories",
        "checks",
        "corrections",
        "documents",
        "ego_exo4d_events",
        "ego_exo4d_poses",
        "exported",
        "films",
        "generic_schema",
        "house",
        "json_rows",
        "make",
        "matterport_cameras",
        "media_files",
        "media_pool",
        "media_search",
        "numbers",
        "nuscenes_boxes",
        "nuscenes_tables",
        "pictures",
        "ply",
        "quaternions",
        "scannetpp_depth",
        "segments",
        "sens",
        "stills",
        "summary",
        "surfaces",
        "videos",
        "vsi_meta_info",
    }
)
_REGISTRY = Registry("format", __name__, "FORMAT", "tolman.formats", _HELPERS)
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
