"""Message and Sampling: the input of a model, and how it is to sample its answer.

A protocol writes messages with Media in them; before they are sent, each medium becomes Pictures of the frame store, a
Clip where the model is to take them as one video, or a Video where it is to be sent the file itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tolman.items import Media


class Picture(BaseModel):
    """A JPEG in the frame store, as a model is shown it.

    Attributes:
        path: the file.
        sha256: of its bytes.
        frame: the number of the video's frame, from 0 by presentation time; 0 for an image.
        seconds: when that frame is shown; None for an image.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    path: str
    sha256: str
    frame: int = 0
    seconds: float | None = None


class Video(BaseModel):
    """A video's file, for a model that takes it whole.

    Attributes:
        path: the file.
        sha256: of its bytes.
        start, end: the part that is meant, in seconds; the whole where None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    path: str
    sha256: str
    start: float | None = None
    end: float | None = None


class Clip(BaseModel):
    """Frames of a video that were sampled here, for a model that takes them as one video with their times.

    Attributes:
        frames: in rising order.
        fps: ticks a second of the clock for the times: the video's frames a second, or 1000 where its frames are not
            evenly spaced.
        ticks: when each frame is shown, in that clock: frame i at ticks[i] / fps seconds.
        total: ticks of the whole video.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    frames: tuple[Picture, ...]
    fps: float
    ticks: tuple[int, ...]
    total: int

    @property
    def duration(self) -> float:
        """Length of the whole video in seconds."""
        return self.total / self.fps


class KeyFrames(Media):
    """Some frames of a video, other than the preset's.

    Attributes:
        numbers: of the frames by presentation time, from 0, in the order in which they are shown; those that the
            video doesn't have are left out.
        quality: of their JPEGs, 1 to 95.
        as_sampled: whether they are shown in the preset's form of a video, such as one video with times, and not as
            separate pictures.
    """

    numbers: tuple[int, ...]
    quality: int = 85
    as_sampled: bool = False


class Detail(Media):
    """One picture of a medium, or an enlarged part of one.

    Attributes:
        seconds: a moment in the video's own time, of whose nearest frame within the part that is meant this is the
            picture. None for an image.
        box: left, top, right and bottom side of the part, in percent of width and height. None is the whole.
    """

    seconds: float | None = None
    box: tuple[float, float, float, float] | None = None


class Joined(Media):
    """Images side by side in one picture. `path` and `part` are the first one's.

    Attributes:
        members: the images, from left to right.
        matcher: draws lines between the points that it matches in neighbouring images; None draws nothing.
    """

    members: tuple[Media, ...]
    matcher: str | None = None


Part = str | Media | Picture | Video | Clip


class Message(BaseModel):
    """One turn of a conversation: texts and media in the order in which the model sees them."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    role: Literal["system", "user", "assistant"] = "user"
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All texts, joined by new lines."""
        return "\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def media(self) -> tuple[Media, ...]:
        """All media, in order."""
        return tuple(part for part in self.parts if isinstance(part, Media))


class Thinking(BaseModel):
    """How much a model is to reason before it answers. None leaves a setting to the model.

    Attributes:
        on: whether it reasons at all.
        effort: in the endpoint's own word, such as 'low'; the endpoint decides its number of tokens.
        budget: most tokens of the reasoning, in addition to `Sampling.max_tokens` for the answer; 0 switches it off.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    on: bool | None = None
    effort: str | None = None
    budget: int | None = None

    @property
    def wanted(self) -> bool | None:
        """Check whether the model is to reason; None where that is left to it."""
        if self.on is False or self.budget == 0 or self.effort == "none":
            return False
        return True if self.on or self.budget or self.effort else None

    def describe(self) -> str:
        """The settings in words, such as 'effort high, reasoning budget 2,048'."""
        said = [] if self.on is None else [f"thinking {'on' if self.on else 'off'}"]
        said += [f"effort {self.effort}"] if self.effort is not None else []
        said += [f"reasoning budget {self.budget:,}"] if self.budget is not None else []
        return ", ".join(said)


class Sampling(BaseModel):
    """How a model draws its answer. None leaves a setting to the endpoint.

    Attributes:
        temperature, top_p, top_k, seed: of drawing tokens.
        max_tokens: most tokens of the answer; where `thinking` has a budget, without those of the reasoning.
        thinking: how much the model is to reason.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    temperature: float | None = 0.0
    top_p: float | None = None
    top_k: int | None = None
    max_tokens: int | None = None
    seed: int | None = None
    thinking: Thinking | None = None


def content_of(messages: Iterable[Message]) -> list[Any]:
    """Return a conversation's content as JSON values: pictures and videos enter by the hash of their bytes, so that
    equal ones match at any path."""
    return [[message.role, [_content(part) for part in message.parts]] for message in messages]


WITH_MEDIA = " OR ".join(f"""request LIKE '%{{"{kind}": %'""" for kind in ("picture", "video", "clip"))
"""In SQL, whether the column `request`, JSON that has `content_of` a conversation, holds media."""


def _content(part: Part) -> Any:
    if isinstance(part, Picture):
        return {"picture": part.sha256}
    if isinstance(part, Video):
        return {"video": part.sha256, "start": part.start, "end": part.end}
    if isinstance(part, Clip):
        frames = [picture.sha256 for picture in part.frames]
        return {"clip": frames, "fps": part.fps, "ticks": part.ticks, "total": part.total}
    return part
