"""Several runs that differ in one setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tolman.messages import Thinking
from tolman.runs.request import RunRequest


def by_frames(request: RunRequest, counts: Sequence[int]) -> list[RunRequest]:
    """A run for each number of frames, in a folder of its own; the one request where there are not several.

    With `out` the folders are out/frames-N, else the default's name with -frames-N behind it.
    """
    if len(counts) < 2:
        return [request]
    return [
        replace(request, frames={**(request.frames or {}), "count": count}, part=_part(request, f"frames-{count}"))
        for count in counts
    ]


def by_budget(request: RunRequest, budgets: Sequence[Thinking]) -> list[RunRequest]:
    """A run for each budget of reasoning, in a folder of its own (…reasoning-N); the one request where there are not
    several."""
    if len(budgets) < 2:
        return [request]
    return [
        replace(
            request,
            sampling={**(request.sampling or {}), "thinking": asked},
            part=_part(request, f"reasoning-{asked.budget}"),
        )
        for asked in budgets
    ]


def by_form(request: RunRequest, forms: Sequence[str]) -> list[RunRequest]:
    """A run for each form of videos, in a folder of its own, 'as-video'; the one request with its form where there are
    not several."""
    if len(forms) < 2:
        return [replace(request, form=forms[0])] if forms else [request]
    return [replace(request, form=form, part=_part(request, f"as-{form}")) for form in forms]


def _part(request: RunRequest, name: str) -> str:
    return name if request.part is None else f"{request.part}-{name}"
