"""Needed frames: those of the standard video that carry an answer, from what its recording sees when."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tolman.generate.draft import Draft, Needs, Thing
from tolman.generate.geometry import SceneGeometry
from tolman.media.needed import KEY, NeededFrames, NeededThing, Span


def one_of(geometry: SceneGeometry, *numbers: int) -> list[Thing]:
    """Single objects, by their numbers in the scene; none where it isn't known what its video shows."""
    if geometry.video_capture is None:
        return []
    objects = [geometry.scene.objects[number] for number in numbers]
    return [(thing.category, geometry.shown_frames.get(thing.id, ())) for thing in objects]


def every(geometry: SceneGeometry, *categories: str) -> list[Thing]:
    """Every object of some categories; none where it isn't known what the scene's video shows."""
    if geometry.video_capture is None:
        return []
    return one_of(geometry, *(number for category in categories for number in geometry.members.get(category, ())))


def nearest(geometry: SceneGeometry, to: str, *categories: str) -> list[Thing]:
    """Of each category the object that is nearest to a unique one: those farther off don't decide a distance.

    None where it isn't known what the scene's video shows.
    """
    if geometry.video_capture is None:
        return []
    (here,) = geometry.members[to]
    return one_of(
        geometry,
        *(min(geometry.members[category], key=lambda i: geometry.between(here, i)) for category in categories),
    )


def needed(geometry: SceneGeometry, things: Iterable[Thing], *, in_order: bool = False) -> Needs | None:
    """The things that must be shown; None where it isn't known what the standard video shows."""
    capture = geometry.video_capture
    if capture is None or not capture.media or capture.media != geometry.scene.video:
        return None
    return Needs(capture, tuple(things), in_order, geometry.looked_every)


def with_needed_frames(draft: Draft) -> Draft:
    """A draft whose evidence holds what it needs to be shown, and its least frame budget, where that is known."""
    if draft.needs is None:
        return draft
    found = frames_of(draft.needs)
    written = {} if found is None else {KEY: _written(found.with_least())}
    return replace(draft, evidence={**draft.evidence, **written}, needs=None)


def frames_of(needs: Needs) -> NeededFrames | None:
    """The frames of the video that show what is needed; None where it shows a part of it nowhere.

    A thing that two frames show between which none was looked at is taken to be shown by those between as well, and
    what the last one that was looked at shows by the few after it.
    """
    times = needs.capture.times
    # Several parts of a question may name the same thing.
    every, total = needs.looked_every, len(times)
    found = dict.fromkeys((name, _spans(tuple(frames), every, total)) for name, frames in needs.things)
    if not found or not all(spans for _, spans in found):
        return None
    length = times[-1] - times[0]
    return NeededFrames(
        frames=len(times),
        seconds=round(length + length / max(1, len(times) - 1), 3),
        needed=tuple(_thing(name, spans, times) for name, spans in found),
        in_order=needs.in_order,
    )


@lru_cache(maxsize=1024)
def _thing(name: str, spans: tuple[Span, ...], times: tuple[float, ...]) -> NeededThing:
    seconds = tuple((round(times[a] - times[0], 3), round(times[b] - times[0], 3)) for a, b in spans)
    return NeededThing(name=name, frames=spans, seconds=seconds)


def _written(found: NeededFrames) -> dict[str, Any]:
    """As `model_dump(mode="json")` writes it, each thing once for all questions that ask for it."""
    plain = found.model_dump(mode="json", exclude={"needed"})
    return {name: plain.get(name) for name in NeededFrames.model_fields} | {
        "needed": [_written_thing(one) for one in found.needed]
    }


@lru_cache(maxsize=1024)
def _written_thing(thing: NeededThing) -> dict[str, Any]:
    return thing.model_dump(mode="json")


@lru_cache(maxsize=1024)
def _spans(frames: tuple[int, ...], looked_every: int, total: int) -> tuple[Span, ...]:
    """Frames as runs of those in a row; a scene's questions ask for the same things again and again."""
    ordered = sorted(set(frames))
    if ordered and ordered[-1] + looked_every >= total:
        ordered.append(total - 1)
    # Frames that were moved to the nearest of a video lie one apart from their rule.
    most = looked_every + 1 if looked_every > 1 else 1
    starts = [n for n, (before, here) in enumerate(itertools.pairwise(ordered), 1) if here - before > most]
    ends = [*starts, len(ordered)] if ordered else []
    return tuple((ordered[a], ordered[b - 1]) for a, b in zip([0, *starts], ends, strict=False))
