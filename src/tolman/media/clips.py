"""Clips: frames that were sampled here as one video, with the times at which they are shown.

The times are told as a clock and the frames' places on it. Where the video's frames are evenly spaced, the clock is its
frame rate and the places are the frames' numbers, as the endpoints' own readers have them. Where they are not (phones,
screen recordings), the clock ticks 1,000 times a second and the places are milliseconds.

Of a part of a video (`Media.start`, `Media.end`) the times count from the part's first frame, as if it had been cut
out: this is all that the model is shown, so a second of the whole video would mean nothing to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from tolman.files import write_text
from tolman.items import Media
from tolman.media.sampling import MARK, Frames
from tolman.media.store import FrameStore, part_of
from tolman.media.video import BrokenMediaError, VideoIndex, read_index
from tolman.messages import Clip, Part, Picture

MILLISECONDS = 1000.0
"""Ticks a second of the clock for frames that are not evenly spaced."""
EVEN_TOLERANCE = 0.001
"""Seconds by which a frame's time may differ from its number over the frame rate: containers round to milliseconds."""


class VideoClock(BaseModel):
    """The clock of a video, or of a part of one.

    Attributes:
        fps: ticks a second.
        even: whether a frame's place is its number.
        first: the number of the first frame.
        start: when that is shown, in seconds from the whole video's first.
        total: ticks.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fps: float
    even: bool
    first: int
    start: float
    total: int

    def place(self, picture: Picture) -> int:
        """The tick at which a frame is shown."""
        if self.even:
            return picture.frame - self.first
        return round(((picture.seconds or 0.0) - self.start) * self.fps)


def clip_of(store: FrameStore, data: Path, media: Media, frames: Frames) -> Clip:
    """A video's sampled frames as one video.

    Args:
        store: of frames.
        data: the folder that the video's path is relative to.
        media: a video, or a part of one.
        frames: sampling, quality and size.

    Raises:
        BrokenMediaError: it can't be read, or its frames change their size on the way, which no video can.
        MissingExtraError: what reads it is not installed.
    """
    pictures = store.pictures(data, media, frames)
    where = str(data / media.path)
    sizes = list(dict.fromkeys(size_of(picture) for picture in pictures))
    if len(sizes) > 1:
        told = ", then ".join(f"{width}×{height}" for width, height in sizes[:2])
        raise BrokenMediaError(f"{where}: its frames change their size ({told}); show them with --as images")
    clock = _stored_clock(store, data, media, where)
    ticks = tuple(clock.place(picture) for picture in pictures)
    return Clip(frames=pictures, fps=clock.fps, ticks=ticks, total=max(clock.total, ticks[-1] + 1))


@lru_cache(maxsize=4096)
def size_of(picture: Picture) -> tuple[int, int]:
    """Width and height of a stored picture, in pixels."""
    from PIL import Image

    with Image.open(picture.path) as image:
        return image.size


def _stored_clock(store: FrameStore, data: Path, media: Media, where: str) -> VideoClock:
    """The clock, found out once for each video and part."""
    key = json.dumps([store.video(data, media).sha256, media.start, media.end])
    note = store.root / "clocks" / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
    try:
        return VideoClock.model_validate_json(note.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        pass
    clock = clock_of(read_index(data / media.path), media, where)
    note.parent.mkdir(parents=True, exist_ok=True)
    write_text(note, clock.model_dump_json())
    return clock


def clock_of(index: VideoIndex, media: Media, where: str) -> VideoClock:
    """The clock of a video or of a part of one.

    Raises:
        BrokenMediaError: the part holds no frame.
    """
    first, last = part_of(index, media, where)
    count, start = last - first, index.seconds(first)
    length = index.duration * count / len(index.times)
    rate = _even_rate([(stamp - index.times[first]) * index.time_base for stamp in index.times[first:last]], length)
    if rate is not None:
        return VideoClock(fps=float(rate), even=True, first=first, start=start, total=count)
    return VideoClock(fps=MILLISECONDS, even=False, first=first, start=start, total=max(1, round(length * 1000)))


def _even_rate(times: Sequence[Fraction], length: Fraction) -> Fraction | None:
    """Frames a second where the times are evenly spaced: the video's average rate, or that of its time stamps; None
    where neither holds."""
    rates = [Fraction(len(times)) / length] if length > 0 else []
    if len(times) > 1:
        rates.append(Fraction(len(times) - 1) / (times[-1] - times[0]))
    for rate in rates:
        step = float(1 / rate)
        if all(abs(float(time) - number * step) <= EVEN_TOLERANCE for number, time in enumerate(times)):
            return rate
    return None


def labelled(pictures: Sequence[Picture], label: str) -> tuple[Picture | str, ...]:
    """Separate pictures of a video, each in its text.

    Args:
        pictures: of the video.
        label: of `Frames`.
    """
    before, _, after = label.partition(MARK)
    parts: list[Picture | str] = []
    text = ""
    for number, picture in enumerate(pictures, start=1):
        told = {"number": number, "seconds": picture.seconds or 0.0}
        text += before.format(**told)
        parts += [text, picture] if text else [picture]
        text = after.format(**told)
    return (*parts, text) if text else tuple(parts)


def pictures_in(parts: Sequence[Part]) -> tuple[Part, ...]:
    """What media became, for a protocol that looks at single frames: clips as their frames, no texts around them."""
    found: list[Part] = []
    for part in parts:
        found += part.frames if isinstance(part, Clip) else () if isinstance(part, str) else (part,)
    return tuple(found)
