"""Evidence of a generated answer: the frames that carry it, and the reasoning in words.

The needed frames are those of the standard video that carry an answer; they follow from its recording's sightings.
Families of questions about several pictures write their reasoning themselves, step by step. Here it is written for
questions about a video. Their evidence holds the times of sightings and the measured values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tolman.benchmarks.solved_example import KEY_FRAMES
from tolman.generate.family import Draft
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.media.needed_frames import KEY, NeededFrames, NeededThing, Needs, Thing, frames_of, needed_frames
from tolman.media.sampling import Frames


def one_of(geometry: SceneGeometry, *numbers: int) -> list[Thing]:
    """Return single objects by their numbers in the scene; empty if the video's sightings are unknown."""
    if geometry.video_capture is None:
        return []
    objects = [geometry.scene.objects[number] for number in numbers]
    return [(thing.category, geometry.shown_frames.get(thing.id, ())) for thing in objects]


def every(geometry: SceneGeometry, *categories: str) -> list[Thing]:
    """Return every object of some categories; empty if the sightings of the scene's video are unknown."""
    if geometry.video_capture is None:
        return []
    return one_of(geometry, *(number for category in categories for number in geometry.members.get(category, ())))


def nearest(geometry: SceneGeometry, to: str, *categories: str) -> list[Thing]:
    """Return the object of each category that is nearest to a unique one: those farther off don't decide a distance.

    Empty if the sightings of the scene's video are unknown.
    """
    if geometry.video_capture is None:
        return []
    (here,) = geometry.members[to]
    return one_of(
        geometry,
        *(min(geometry.members[category], key=lambda i: geometry.between(here, i)) for category in categories),
    )


def needed(geometry: SceneGeometry, things: Iterable[Thing], *, in_order: bool = False) -> Needs | None:
    """Return the things that must be shown; None if the standard video's sightings are unknown."""
    capture = geometry.video_capture
    if capture is None or not capture.media or capture.media != geometry.scene.video:
        return None
    return Needs(capture, tuple(things), in_order, geometry.looked_every)


def with_needed_frames(draft: Draft) -> Draft:
    """Add the needed things and the least frame budget to a draft's evidence, where they are known."""
    if draft.needs is None:
        return draft
    found = frames_of(draft.needs)
    written = {} if found is None else {KEY: _written(found.with_least())}
    return replace(draft, evidence={**draft.evidence, **written}, needs=None)


def _written(found: NeededFrames) -> dict[str, Any]:
    """As `model_dump(mode="json")` writes it, each thing once for all questions that ask for it."""
    plain = found.model_dump(mode="json", exclude={"needed"})
    return {name: plain.get(name) for name in NeededFrames.model_fields} | {
        "needed": [_written_thing(one) for one in found.needed]
    }


@lru_cache(maxsize=1024)
def _written_thing(thing: NeededThing) -> dict[str, Any]:
    return thing.model_dump(mode="json")


OVERVIEW = 8
"""Frames, evenly taken, that show a whole room, as of its area."""
_UNITS = {"m": " meters", "cm": " centimeters", "m2": " square meters"}


def with_key_frames(draft: Draft, geometry: SceneGeometry) -> Draft:
    """Add the frames that show the basis of the answer to the evidence of a draft about the standard video.

    Frames are evenly spaced if the basis is unknown; a draft that shows pictures is left as it is.
    """
    capture = geometry.video_capture
    if draft.shots or capture is None or not capture.media or capture.media != geometry.scene.video:
        return draft
    said = draft.evidence.get(KEY)
    if said is not None:
        numbers = NeededFrames.model_validate(said).key_frames()
    else:
        numbers = Frames(count=OVERVIEW).indices(len(capture.times), Fraction(0))
    return replace(draft, evidence={**draft.evidence, KEY_FRAMES: numbers})


def with_reasoning(item: Item, needed: NeededFrames | None = None) -> Item:
    """An item whose reasoning is written from its evidence, where it has none and its evidence says enough.

    Args:
        item: the question.
        needed: its needed frames, where they were read before.
    """
    if item.reasoning is not None:
        return item
    told = [*_seen(item, needed), *(text for key, write in _MEASURED.items() if (text := _sentence(write, item, key)))]
    if not told:
        return item
    end = f"So the answer is {item.answer_text}{_UNITS.get(item.unit or '', '')}."
    return item.model_copy(update={"reasoning": " ".join([*told, end])})


def _seen(item: Item, needed: NeededFrames | None) -> list[str]:
    """When the things that the answer rests on are in view, at the key frames."""
    numbers = item.evidence.get(KEY_FRAMES)
    needed = needed or needed_frames(item)
    if needed is None or not numbers:
        return []
    times: dict[str, set[int]] = {}
    for thing, number in zip(needed.needed, needed.first_among(numbers), strict=True):
        if number is not None:
            times.setdefault(thing.name, set()).add(int(number / needed.frames * needed.seconds))
    told = [f"{_the(name)} around {_listed([_clock(s) for s in sorted(at)])}" for name, at in times.items()]
    return [f"What the answer rests on is seen here: {', '.join(told)}."] if told else []


def _sentence(write: Callable[[Item, Any], str], item: Item, key: str) -> str:
    value = item.evidence.get(key)
    return "" if value is None else write(item, value)


def _counts(item: Item, value: Mapping[str, int]) -> str:
    return f"Counted over the whole video there are {_listed([f'{count} of {name}' for name, count in value.items()])}."


def _extents(item: Item, value: Sequence[float]) -> str:
    sides = sorted((100 * length for length in value), reverse=True)
    return f"Its sides are about {_listed([f'{side:.0f} cm' for side in sides])} long."


def _distances(item: Item, value: Mapping[str, float]) -> str:
    ordered = sorted(value.items(), key=lambda entry: entry[1])
    return f"Measured between the closest points, {_listed([f'{_the(n)} is {m:.1f} m away' for n, m in ordered])}."


def _first_seen(item: Item, value: Mapping[str, float]) -> str:
    ordered = sorted(value.items(), key=lambda entry: entry[1])
    return f"They come into view in this order: {_listed([f'{name} after {s:.1f} s' for name, s in ordered])}."


def _angle(item: Item, value: float) -> str:
    left = value % 360 <= 180
    turn = value % 360 if left else 360 - value % 360
    return (
        f"From the direction that is faced, what is asked about lies {turn:.0f}° to the {'left' if left else 'right'}."
    )


def _turns(item: Item, value: Sequence[float]) -> str:
    stops = item.evidence.get("stops") or []
    places = stops[1:-1] if len(stops) == len(value) + 2 else [None] * len(value)
    told = [
        f"{abs(angle):.0f}° to the {'left' if angle > 0 else 'right'}" + (f" at {_the(place)}" if place else "")
        for angle, place in zip(value, places, strict=True)
    ]
    return f"The route turns {_listed(told)}."


def _off(item: Item, value: Mapping[str, float]) -> str:
    told = [f"{degrees:.0f}° at {_the(name)}" for name, degrees in sorted(value.items(), key=lambda entry: entry[1])]
    return f"With the first landmark ahead, the second is off the middle of its side by {_listed(told)}."


def _along(item: Item, value: Mapping[str, float]) -> str:
    ordered = sorted(value.items(), key=lambda entry: entry[1])
    return f"On the way one is level with {_listed([f'{_the(name)} after {m:.1f} m' for name, m in ordered])}."


def _hop(item: Item, value: Mapping[str, Any]) -> str:
    gap = value.get("gap")
    return "" if gap is None else f"Which one is meant is clear: any other is at least {gap:.1f} m farther off."


_MEASURED: Mapping[str, Callable[[Item, Any], str]] = {
    "first": _hop,
    "object": lambda item, value: f"The object that serves the purpose is {_the(value)}.",
    "count": lambda item, value: f"Counted over the whole video there are {value}, each counted once.",
    "counts": _counts,
    "extents": _extents,
    "distance": lambda item, value: f"Their closest points are about {value:.2f} m apart.",
    "distances": _distances,
    "gap_cm": lambda item, value: f"The gap is about {value:.0f} cm wide.",
    "area": lambda item, value: f"The floor's area is about {value:.1f} square meters.",
    "first_seen": _first_seen,
    "angle": _angle,
    "turns": _turns,
    "off": _off,
    "along": _along,
    "metres": lambda item, value: f"The first thing on the way, after {value:.1f} m, is {_the(item.answer_text)}.",
}
"""Evidence of families → a sentence."""


def _the(name: str) -> str:
    return name if name.startswith("the ") else f"the {name}"


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
