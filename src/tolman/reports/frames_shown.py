"""Sentences on what a run's frames leave out, from scores.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def frames_warning(run: str, figures: Mapping[str, Any]) -> list[str]:
    """A sentence above the table where some items can't be answered from what is shown."""
    found = figures.get("frames_shown")
    if not found or not found["unanswerable"]:
        return []
    known = found["answerable"] + found["unanswerable"]
    unknown = f"; of {found['unknown']:,} more it isn't known" if found["unknown"] else ""
    return [
        f"FRAMES: {run}: {found['unanswerable']:,} of {known:,} items can't be answered from what is shown "
        f"({found['sampling']}): a thing that they need is in none of these frames, or comes into view in another "
        f"order{unknown}."
    ]


def frames_note(run: str, figures: Mapping[str, Any]) -> list[str]:
    """A sentence below it where that isn't known of some items, and nothing stands above."""
    found = figures.get("frames_shown")
    if not found or not found["unknown"] or found["unanswerable"]:
        return []
    return [
        f"{run}: {found['unknown']:,} items don't say which frames carry their answers; whether what is shown "
        f"({found['sampling']}) does isn't known."
    ]
