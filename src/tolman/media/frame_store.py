"""The frame store, which decodes each video once per way of sampling, and clips of its frames with their times.

The store is a folder of JPEG files, addressed by content, so that runs, models and benchmarks share it:

```
index.json in each of  <first two characters of the key>/<key>/   with   0000.jpg, 0001.jpg …
```

The key is a hash of the medium's own bytes and of all that decides which frames are taken and how they are encoded. A
folder is written under another name and renamed when it is whole, so it is never seen half done.

A clip is sampled frames as one video, with the times at which they are shown: a clock and the frames' places on it.
If the video's frames are evenly spaced, the clock is its frame rate and the places are the frames' numbers, as in
the endpoints' own readers. If they are not (phones, screen recordings), the clock ticks 1,000 times a second and
the places are milliseconds. For a part of a video (`Media.start`, `Media.end`) the times count from the part's first
frame, as if it had been cut out. The model is shown nothing else.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tolman.extras import Image
from tolman.files import cache_folder, file_state, write_text
from tolman.items import Media
from tolman.media.images import image_to_jpeg, may_be_deep, read_image, read_upright, refuse_cut, to_jpeg
from tolman.media.integrity import lost_bytes
from tolman.media.sampling import MARK, Frames
from tolman.media.video import BrokenMediaError, VideoIndex, read_frames, read_index
from tolman.messages import Clip, Detail, Joined, KeyFrames, Part, Picture, Video
from tolman.storage import fetched

VERSION = 1
"""Part of every key; raised whenever the same settings would give other bytes."""
READING = 2
"""Part of the keys of videos: 2 since they are refused where cut off, and shown as in a browser."""


@dataclass(frozen=True)
class _Encoded:
    """A picture before it is in the store."""

    jpeg: bytes
    number: int
    seconds: float | None
    remark: str = ""


def default_root() -> Path:
    """$TOLMAN_CACHE/frames, or the user's cache folder."""
    return cache_folder() / "frames"


class FrameStore:
    """Media in, stored pictures out. Safe for threads and for several processes.

    Args:
        root: the store's folder.

    Attributes:
        remarks: sentences about choices that were made for the media asked for so far, such as between two tracks.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.remarks: dict[str, None] = {}
        self._digests: dict[tuple[str, tuple[int, ...]], str] = {}
        self._lock = threading.Lock()

    def pictures(self, data: Path, media: Media, frames: Frames) -> tuple[Picture, ...]:
        """The pictures that a medium becomes.

        Args:
            data: the folder that its path is relative to.
            media: a video or image, some frames of a video, or images that are joined.
            frames: sampling, quality and size.

        Raises:
            BrokenMediaError: the file is missing or can't be read; the sentence names it.
            MissingExtraError: the package that reads it is not installed.
        """
        if isinstance(media, Joined):
            return self._joined(data, media, frames)
        source = read_image(data, media.path, media.part) if media.kind == "image" else data / media.path
        if isinstance(source, Path):
            fetched(source)
        else:
            refuse_cut(source, str(data / media.path))
        digest = hashlib.sha256(source).hexdigest() if isinstance(source, bytes) else self._digest(source)
        encoding = _encoding(frames)
        sampling = {} if media.kind == "image" else {**frames.model_dump(exclude=_NOT_SAMPLING), "reading": READING}
        if isinstance(media, KeyFrames):
            encoding["quality"], sampling = media.quality, {"numbers": media.numbers, "reading": READING}
            frames = frames.model_copy(update={"quality": media.quality})
        if isinstance(media, Detail):
            sampling = {"seconds": media.seconds, "box": media.box, "reading": READING}
        key = {"media": digest, "start": media.start, "end": media.end, **encoding, **sampling}
        key |= _depth([source] if isinstance(source, bytes) else [])
        return self._stored(key, lambda: _encode(source, media, frames, str(data / media.path)))

    def _joined(self, data: Path, media: Joined, frames: Frames) -> tuple[Picture, ...]:
        from tolman.media.matchers import join

        sources = [(read_image(data, m.path, m.part), str(data / m.path)) for m in media.members]
        digests = [hashlib.sha256(source).hexdigest() for source, _ in sources]
        key = {"joined": digests, "matcher": media.matcher, **_encoding(frames)}
        key |= _depth([source for source, _ in sources])
        return self._stored(key, lambda: [_Encoded(to_jpeg(join(sources, media.matcher), frames), 0, None)])

    def _stored(self, key: dict[str, Any], make: Callable[[], Iterable[_Encoded]]) -> tuple[Picture, ...]:
        """The pictures under a key, made where they aren't there."""
        digest = hashlib.sha256(json.dumps({**key, "version": VERSION}, sort_keys=True).encode()).hexdigest()
        folder = self.root / digest[:2] / digest
        found = _read(folder)
        if found is None:
            shutil.rmtree(folder, ignore_errors=True)  # what a full disk or another program left of it
            self._write(folder, make())
            found = _read(folder)
        if found is None:
            raise BrokenMediaError(f"{folder}: the frame store can't be read back")
        if (remark := folder / _REMARK).is_file():
            self.remarks.setdefault(remark.read_text(encoding="utf-8"))
        return found

    def video(self, data: Path, media: Media) -> Video:
        """A video's file as it is.

        Raises:
            BrokenMediaError: it is missing or cut off.
        """
        path = fetched(data / media.path)
        try:
            lost = lost_bytes(path)
        except OSError:
            raise BrokenMediaError(f"{path}: the file is missing") from None
        if lost:
            raise BrokenMediaError(f"{path}: is cut off ({lost}); get it again")
        return Video(path=str(path), sha256=self._digest(path), start=media.start, end=media.end)

    def _digest(self, path: Path) -> str:
        """The hash of a video's bytes, remembered while the file is unchanged."""
        try:
            key = str(path), file_state(path)
        except OSError:
            raise BrokenMediaError(f"{path}: the file is missing") from None
        with self._lock:
            if key in self._digests:
                return self._digests[key]
        note = self.root / "digests" / hashlib.sha256(repr(key).encode()).hexdigest()
        if note.exists():
            digest = note.read_text()
        else:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            note.parent.mkdir(parents=True, exist_ok=True)
            write_text(note, digest)
        with self._lock:
            self._digests[key] = digest
        return digest

    def _write(self, folder: Path, pictures: Iterable[_Encoded]) -> None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
        try:
            entries = []
            for i, picture in enumerate(pictures):
                name = f"{i:04d}.jpg"
                (work / name).write_bytes(picture.jpeg)
                sha256 = hashlib.sha256(picture.jpeg).hexdigest()
                if picture.remark:
                    (work / _REMARK).write_text(picture.remark, encoding="utf-8")
                entries.append({"file": name, "sha256": sha256, "frame": picture.number, "seconds": picture.seconds})
            (work / "index.json").write_text(json.dumps(entries))
            try:
                work.rename(folder)
            except OSError:
                if not (folder / "index.json").exists():  # another writer was first: its content is the same
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)


_REMARK = "remark.txt"
_NOT_SAMPLING = {"quality", "longest_side", "whole", "native", "label"}


def _encoding(frames: Frames) -> dict[str, Any]:
    return frames.model_dump(include={"quality", "longest_side"})


def _depth(images: Iterable[bytes]) -> dict[str, int]:
    """Part of the key for images that may have 16 bits, whose frames an earlier version stored white."""
    return {"bits": 8} if any(may_be_deep(image) for image in images) else {}


def _encode(source: bytes | Path, media: Media, frames: Frames, where: str) -> Iterable[_Encoded]:
    if isinstance(media, Detail):
        yield _detail(source, media, frames, where)
        return
    if isinstance(source, bytes):
        yield _Encoded(image_to_jpeg(source, frames, where), 0, None)
        return
    index = read_index(source)
    if isinstance(media, KeyFrames):
        yield from _key_frames(source, index, media, frames, where)
        return
    first, last = part_of(index, media, where)
    length, moments = _window(index, media, first, last)
    numbers = [first + i for i in frames.indices(last - first, length, moments)]
    if not numbers:
        raise BrokenMediaError(f"{where}: too short for one frame ({float(length):.2f} s)")
    for number, image in read_frames(source, index, numbers):
        yield _Encoded(to_jpeg(image, frames), number, index.seconds(number), index.remark)


def part_of(index: VideoIndex, media: Media, where: str) -> tuple[int, int]:
    """The first frame of the part of a video that is meant, and the one behind its last.

    Raises:
        BrokenMediaError: it holds no frame.
    """
    first, last = 0, len(index.times)
    if media.start is None and media.end is None:
        return first, last
    start, end = media.start or 0.0, media.end or float("inf")
    inside = [i for i in range(last) if start <= index.seconds(i) <= end]
    if (not index.even or not inside) and start < index.duration and start <= end:
        shown = max(i for i in range(last) if index.seconds(i) <= start)  # since before the part begins
        inside = sorted({shown, *inside})
    if not inside:
        raise BrokenMediaError(f"{where}: no frame between {media.start} s and {media.end} s")
    return inside[0], inside[-1] + 1


def _window(index: VideoIndex, media: Media, first: int, last: int) -> tuple[Fraction, list[float] | None]:
    """How long the part of a video lasts that some frames are, and when each of them is shown in it."""
    if index.even:
        return index.length(first, last), None
    start = max(media.start or 0.0, index.seconds(first))
    end = min(media.end or math.inf, index.seconds(first) + float(index.length(first, last)))
    length = Fraction(round((end - start) * 1_000_000), 1_000_000)
    return length, [index.seconds(number) - start for number in range(first, last)]


def _detail(source: bytes | Path, media: Detail, frames: Frames, where: str) -> _Encoded:
    """A picture, or a part of it that is enlarged to the picture's longer side."""
    if isinstance(source, bytes):
        number, seconds, image = 0, None, read_upright(source, where)
    else:
        index = read_index(source)
        number = min(range(*part_of(index, media, where)), key=lambda i: abs(index.seconds(i) - (media.seconds or 0.0)))
        seconds, image = index.seconds(number), next(read_frames(source, index, [number]))[1]
    if media.box is not None:
        sides = [share * side / 100 for share, side in zip(media.box, 2 * image.size, strict=True)]
        part = image.crop((math.floor(sides[0]), math.floor(sides[1]), math.ceil(sides[2]), math.ceil(sides[3])))
        scale = max(image.size) / max(part.size)
        image = part.resize((max(1, round(part.width * scale)), max(1, round(part.height * scale))))
    return _Encoded(to_jpeg(image, frames), number, seconds)


def _key_frames(source: Path, index: VideoIndex, media: KeyFrames, frames: Frames, where: str) -> Iterable[_Encoded]:
    there = [number for number in media.numbers if number < len(index.times)]
    if not there:
        raise BrokenMediaError(f"{where}: has none of the frames {', '.join(map(str, media.numbers))}")
    images = {number: to_jpeg(image, frames) for number, image in read_frames(source, index, sorted(set(there)))}
    for number in there:
        yield _Encoded(images[number], number, index.seconds(number))


def _read(folder: Path) -> tuple[Picture, ...] | None:
    """The pictures of a folder; None where it is not there or not whole."""
    try:
        entries = json.loads((folder / "index.json").read_text())
        pictures = tuple(
            Picture(path=str(folder / e["file"]), sha256=e["sha256"], frame=e["frame"], seconds=e["seconds"])
            for e in entries
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pictures if pictures and all(Path(p.path).is_file() for p in pictures) else None


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
        MissingExtraError: the package that reads it is not installed.
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
    with Image.open(picture.path) as image:
        return image.size


def _stored_clock(store: FrameStore, data: Path, media: Media, where: str) -> VideoClock:
    """The clock, found out once for each video and part."""
    key = json.dumps([store.video(data, media).sha256, media.start, media.end, READING])
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
    length = index.length(first, last)
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
    """Return media for a protocol that looks at single frames: clips as their frames, no texts around them."""
    found: list[Part] = []
    for part in parts:
        found += part.frames if isinstance(part, Clip) else () if isinstance(part, str) else (part,)
    return tuple(found)
