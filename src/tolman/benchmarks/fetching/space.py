"""Room on disks, asked for before anything is fetched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from tolman.benchmarks.fetching.place import in_units
from tolman.errors import UsageError

MARGIN = 64 * 1024 * 1024
"""Bytes that stay free beside what is fetched."""


def check_space(needs: Mapping[Path, int], what: str) -> None:
    """Make sure that disks have room; folders on one disk count together.

    Args:
        needs: folder (which may not exist yet) → bytes that are to be written there.
        what: is fetched, for what is said.

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
