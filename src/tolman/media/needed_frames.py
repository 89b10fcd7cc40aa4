"""Needed frames: which frames of a video carry an answer, and how few frames of it, evenly taken, show all of that.

A generated question keeps them in its evidence, as JSON values:

```
"needed_frames": {
  "frames": 720, "seconds": 30.0,                     of the whole video
  "needed": [{"name": "chair", "frames": [[0, 14], [30, 61]], "seconds": [[0.0, 0.6], [1.2, 2.5]]}, …],
  "in_order": false,                                  whether the things must also come into view in this order
  "least": {"down": 5, "nearest": 6}                  frame budget for each rounding of `media.sampling.Frames`
}
```

Each thing must be shown by one frame at least. Budgets don't nest: nine evenly taken frames needn't hold those of
eight. So a run is judged by the frames that it shows, not by whether it shows as many as the least budget.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import from_json

from tolman.item_table import evidence_text
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.scenes import Capture

KEY = "needed_frames"
"""In an item's evidence."""
THINGS = "needed"
"""In these, the list of things."""
Span = tuple[int, int]
"""The first and the last of some frames in a row."""


class NeededThing(BaseModel):
    """One thing that a question needs to be shown.

    Attributes:
        name: of the thing.
        frames: that show it well enough; each run of them by its first and last.
        seconds: the same, from the video's first frame on.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    frames: tuple[Span, ...]
    seconds: tuple[tuple[float, float], ...] = ()

    @cached_property
    def last(self) -> int:
        """The greatest frame of them; -1 where there are none, or a span is none of frames."""
        if any(not 0 <= first <= last for first, last in self.frames):
            return -1
        return max((last for _, last in self.frames), default=-1)

    @cached_property
    def bits(self) -> int:
        """The frames as a number that has a bit for each, the lowest one for the video's first."""
        return _number(_mask(self.frames, self.last + 1))


class WrittenThing(dict[str, Any]):
    """A thing in an item's evidence that many items have: its text and its meaning are made once for all of them.

    Args:
        text: as JSON.
    """

    def __init__(self, text: str) -> None:
        super().__init__(from_json(text))
        self.text = text

    @classmethod
    def of(cls, said: Any) -> WrittenThing | None:
        """Return a thing that compares equal to the given one; None if JSON can't represent it."""
        if not isinstance(said, dict) or said.keys() != NeededThing.model_fields.keys():
            return None
        made = cls(evidence_text(said))
        return made if made == said else None

    @cached_property
    def meant(self) -> NeededThing:
        """The thing.

        Raises:
            ValidationError: it is none.
        """
        return NeededThing.model_validate(self)


class NeededFrames(BaseModel):
    """The frames of a video that carry an answer.

    Attributes:
        frames: of the whole video.
        seconds: its length.
        needed: the things, each in a frame at least.
        in_order: whether they must also come into view in this order, one after the other.
        least: for each rounding of even positions the fewest evenly taken frames that show all of this.
    """

    model_config = ConfigDict(frozen=True)

    frames: int = Field(ge=1)
    seconds: float = Field(ge=0, allow_inf_nan=False)
    needed: tuple[NeededThing, ...] = Field(min_length=1)
    in_order: bool = False
    least: dict[Literal["down", "nearest"], int] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _spans_lie_in_the_video(self) -> NeededFrames:
        for thing in self.needed:
            if not 0 <= thing.last < self.frames:
                raise ValueError(f"the frames that show '{thing.name}' are none of the {self.frames}")
        return self

    def shown_by(self, sampling: Frames) -> bool:
        """Check that the frames that a way of sampling takes show everything; a whole video does."""
        return sampling.whole or _shows(self.needed, _taken(sampling, self.frames, self.seconds), self.in_order)

    def split(self, sampling: Frames) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Separate the frames that carry the answer from frames that show nothing of it.

        Args:
            sampling: of the video.

        Returns:
            The sampled frames that show a needed thing, and as many as are sampled in all, or as there are, of the
            video's frames that show none, evenly taken. None where the sampled frames don't show everything.
        """
        if sampling.whole or not self.shown_by(sampling):
            return None
        shown = self._masks().sum(axis=0)
        sampled = sampling.indices(self.frames, Fraction(self.seconds))
        others = np.flatnonzero(shown == 0).tolist()
        places = Frames(count=len(sampled)).indices(len(others), Fraction(0))
        return tuple(number for number in sampled if shown[number]), tuple(others[place] for place in places)

    def first_among(self, numbers: Sequence[int]) -> list[int | None]:
        """Find for each thing the first of some frames, in their order, that shows it; None where none does."""
        own = [n for n in numbers if 0 <= n < self.frames]
        return [next((n for n in own if thing.bits >> n & 1), None) for thing in self.needed]

    def with_least(self) -> NeededFrames:
        """The same with its least budgets."""
        roundings: tuple[Literal["down", "nearest"], ...] = ("down", "nearest")
        least = {rounding: _least(self.needed, self.frames, rounding, self.in_order) for rounding in roundings}
        return self.model_copy(update={"least": {name: count for name, count in least.items() if count}})

    def key_frames(self) -> list[int]:
        """Find few frames that together show everything, in the order of the video.

        Things that come into view in order have each the frame that shows it first. Else frames are taken one by one,
        each the one that shows the most of the remaining things (greedy set cover), in the middle of a run of such
        frames.
        """
        masks = self._masks()
        if self.in_order:
            return sorted({int(mask.argmax()) for mask in masks})
        found: list[int] = []
        while len(masks):
            shown = masks.sum(axis=0)
            best = np.flatnonzero(shown == shown.max())
            ends = np.append(np.flatnonzero(np.diff(best) > 1) + 1, len(best))
            lengths = np.diff(ends, prepend=0)
            longest = int(lengths.argmax())
            found.append(int(best[ends[longest] - lengths[longest] + lengths[longest] // 2]))
            masks = masks[~masks[:, found[-1]]]
        return sorted(found)

    def _masks(self) -> NDArray[np.bool_]:
        """Find the frames that show each thing. Shape (things, frames)."""
        return np.stack([_mask(thing.frames, self.frames) for thing in self.needed])


Thing = tuple[str, Sequence[int]]
"""A name, and the frames of a recording that show what it means."""


@dataclass(frozen=True)
class Needs:
    """Things that the frames of a question about the standard video must show.

    Attributes:
        capture: the recording that the video is.
        things: each must be shown by one of its frames.
        in_order: whether they must come into view in this order.
        looked_every: as `ground_truth.scene_arrays.SceneGeometry.looked_every`.
    """

    capture: Capture
    things: tuple[Thing, ...]
    in_order: bool = False
    looked_every: int = 1


def frames_of(needs: Needs) -> NeededFrames | None:
    """Return the frames of the video that show the needed things; None if it never shows one of them.

    If two frames show a thing and none between them was examined, those between count as showing it as well. The few
    frames after the last examined one count as showing the same things.
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


@lru_cache(maxsize=1024)
def _mask(spans: tuple[Span, ...], frames: int) -> NDArray[np.bool_]:
    """Find the frames of some spans, asked for again by each question about a thing. Shape (frames,)."""
    mask = np.zeros(frames, dtype=bool)
    for first, last in spans:
        mask[first : last + 1] = True
    return mask


def _number(mask: NDArray[np.bool_]) -> int:
    """The frames of a mask as `NeededThing.bits` has them."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def _shows(things: Sequence[NeededThing], chosen: int, in_order: bool) -> bool:
    """Check that some frames, as `NeededThing.bits` has them, show everything."""
    before = 0
    for thing in things:
        shown = thing.bits & chosen
        if not shown:
            return False
        first = shown & -shown  # the lowest bit
        if in_order and first <= before:
            return False
        before = first
    return True


def _least(
    things: Sequence[NeededThing], total: int, rounding: Literal["down", "nearest"], in_order: bool
) -> int | None:
    """None where not even all frames do, as where two things come into view in the same frame."""
    for count in range(1, total + 1):
        if _shows(things, _evenly(total, count, rounding), in_order):
            return count
    return None


@lru_cache(maxsize=4096)
def _evenly(total: int, count: int, rounding: Literal["down", "nearest"]) -> int:
    """So many frames of a video, as `NeededThing.bits` has them; asked for again by each question about one."""
    return _taken(Frames(count=count, rounding=rounding), total, 0)


@lru_cache(maxsize=1024)
def _taken(sampling: Frames, total: int, seconds: float) -> int:
    """The frames that a way of sampling takes of a video, as `NeededThing.bits` has them."""
    mask = np.zeros(total, dtype=bool)
    mask[sampling.indices(total, Fraction(seconds))] = True
    return _number(mask)


def needed_frames(item: Item) -> NeededFrames | None:
    """Read an item's account of the frames that carry its answer; None where there is none that can be understood."""
    said: Any = item.evidence.get(KEY)
    if said is None:
        return None
    try:
        if isinstance(said, dict) and isinstance(said.get(THINGS), list):
            things = [thing.meant if isinstance(thing, WrittenThing) else thing for thing in said[THINGS]]
            said = {**said, THINGS: things}
        return NeededFrames.model_validate(said)
    except ValidationError:
        return None


def text_with_things(evidence: Mapping[str, Any]) -> str:
    """The text that `evidence_text` gives, with those that things in needed frames have already."""
    said = evidence.get(KEY)
    things = said.get(THINGS) if isinstance(said, dict) else None
    if not things or not isinstance(things, list) or not all(isinstance(thing, WrittenThing) for thing in things):
        return evidence_text(evidence)
    listed = f"[{', '.join([thing.text for thing in things])}]"
    return _text_with(evidence, KEY, _text_with(evidence[KEY], THINGS, listed))


def _text_with(said: Mapping[str, Any], name: str, text: str) -> str:
    """Return the text of some values, one of them given as text."""
    names = list(said)
    place = names.index(name)
    before, after = (
        evidence_text({other: said[other] for other in own}) for own in (names[:place], names[place + 1 :])
    )
    return "{" + ", ".join(filter(None, (before[1:-1], f'"{name}": {text}', after[1:-1]))) + "}"


class FrameCount(BaseModel):
    """Count items that can be answered from the frames that they are shown with.

    Attributes:
        answerable, unanswerable: items that say which frames carry their answer.
        unknown: items about videos that don't.
    """

    model_config = ConfigDict(frozen=True)

    answerable: int = 0
    unanswerable: int = 0
    unknown: int = 0


Answerable = Literal["seen", "not seen", "unknown", "no video"]
"""Whether the frames that an item is shown with carry its answer; 'unknown' where the item doesn't say which do, 'no
video' where it is shown all of its media."""


def answerable_from(item: Item, sampling: Frames) -> Answerable:
    """Check whether the frames that a way of sampling takes carry an item's answer."""
    return answerable_with(item, needed_frames(item), [sampling])[0]


def answerable_with(item: Item, found: NeededFrames | None, samplings: Sequence[Frames]) -> list[Answerable]:
    """Check it for several ways of sampling.

    Args:
        item: that is shown.
        found: its account of the frames, where it was read before.
        samplings: of its video.
    """
    videos = [medium for medium in item.media if medium.kind == "video"]
    if not videos:
        return ["no video"] * len(samplings)
    if found is None or len(videos) > 1 or videos[0].start is not None or videos[0].end is not None:
        return ["unknown"] * len(samplings)
    return ["seen" if found.shown_by(sampling) else "not seen" for sampling in samplings]


def count_answerable(items: Sequence[Item], sampling: Frames) -> FrameCount:
    """Count items that can be answered from the frames that a way of sampling takes.

    Items without a video are shown all of their media, and not counted.
    """
    counts = Counter(answerable_from(item, sampling) for item in items)
    return FrameCount(answerable=counts["seen"], unanswerable=counts["not seen"], unknown=counts["unknown"])
