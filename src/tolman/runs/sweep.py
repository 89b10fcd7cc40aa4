"""Several runs that differ in one setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tolman.runs.request import RunRequest


def by_frames(request: RunRequest, counts: Sequence[int]) -> list[RunRequest]:
    """A run for each number of frames, in a folder of its own; the one request where there are not several.

    With `out` the folders are out/frames-N, else the default's name with -frames-N behind it.
    """
    if len(counts) < 2:
        return [request]
    return [
        replace(request, frames={**(request.frames or {}), "count": count}, part=f"frames-{count}") for count in counts
    ]


def by_form(request: RunRequest, forms: Sequence[str]) -> list[RunRequest]:
    """A run for each form of videos, in a folder of its own, 'as-video'; the one request with its form where there are
    not several."""
    if len(forms) < 2:
        return [replace(request, form=forms[0])] if forms else [request]
    before = f"{request.part}-" if request.part is not None else ""
    return [replace(request, form=form, part=f"{before}as-{form}") for form in forms]
