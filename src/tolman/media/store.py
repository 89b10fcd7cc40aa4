"""The frame store: every video is decoded once for each way of sampling it, whatever the number of questions.

A folder of JPEG files, addressed by content, so that runs, models and benchmarks share it:

```
index.json in each of  <first two characters of the key>/<key>/   with   0000.jpg, 0001.jpg …
```

The key is a hash of the medium's own bytes and of all that decides which frames are taken and how they are encoded.
A folder is written under another name and renamed when it is whole, so it is never seen half done.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tolman.files import cache_folder, write_text
from tolman.items import Media
from tolman.media.images import image_to_jpeg, may_be_deep, read_image, to_jpeg
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, VideoIndex, read_frames, read_index
from tolman.messages import Joined, KeyFrames, Picture, Video
from tolman.storage import fetched

VERSION = 1
"""Part of every key; raised whenever the same settings would give other bytes."""


@dataclass(frozen=True)
class _Encoded:
    """A picture before it is in the store."""

    jpeg: bytes
    number: int
    seconds: float | None


def default_root() -> Path:
    """$TOLMAN_CACHE/frames, or the user's cache folder."""
    return cache_folder() / "frames"


class FrameStore:
    """Media in, stored pictures out. Safe for threads and for several processes.

    Args:
        root: the store's folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._digests: dict[tuple[str, int, int], str] = {}
        self._lock = threading.Lock()

    def pictures(self, data: Path, media: Media, frames: Frames) -> tuple[Picture, ...]:
        """The pictures that a medium becomes.

        Args:
            data: the folder that its path is relative to.
            media: a video or image, some frames of a video, or images that are joined.
            frames: sampling, quality and size.

        Raises:
            BrokenMediaError: the file is missing or can't be read; the sentence names it.
            MissingExtraError: what reads it is not installed.
        """
        if isinstance(media, Joined):
            return self._joined(data, media, frames)
        source = read_image(data, media.path, media.part) if media.kind == "image" else data / media.path
        if isinstance(source, Path):
            fetched(source)
        digest = hashlib.sha256(source).hexdigest() if isinstance(source, bytes) else self._digest(source)
        encoding = _encoding(frames)
        sampling = {} if media.kind == "image" else frames.model_dump(exclude=_NOT_SAMPLING)
        if isinstance(media, KeyFrames):
            encoding["quality"], sampling = media.quality, {"numbers": media.numbers}
            frames = frames.model_copy(update={"quality": media.quality})
        key = {"media": digest, "start": media.start, "end": media.end, **encoding, **sampling}
        key |= _depth([source] if isinstance(source, bytes) else [])
        return self._stored(key, lambda: _encode(source, media, frames, str(data / media.path)))

    def _joined(self, data: Path, media: Joined, frames: Frames) -> tuple[Picture, ...]:
        from tolman.media.joining import join

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
        return found

    def video(self, data: Path, media: Media) -> Video:
        """A video's file as it is.

        Raises:
            BrokenMediaError: it is missing.
        """
        path = fetched(data / media.path)
        return Video(path=str(path), sha256=self._digest(path), start=media.start, end=media.end)

    def _digest(self, path: Path) -> str:
        """The hash of a video's bytes, remembered while the file is unchanged."""
        try:
            state = path.stat()
        except OSError:
            raise BrokenMediaError(f"{path}: the file is missing") from None
        key = str(path), state.st_size, state.st_mtime_ns
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
                entries.append({"file": name, "sha256": sha256, "frame": picture.number, "seconds": picture.seconds})
            (work / "index.json").write_text(json.dumps(entries))
            try:
                work.rename(folder)
            except OSError:
                if not (folder / "index.json").exists():  # another writer was first: its content is the same
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)


_NOT_SAMPLING = {"quality", "longest_side", "whole", "native", "label"}


def _encoding(frames: Frames) -> dict[str, Any]:
    return frames.model_dump(include={"quality", "longest_side"})


def _depth(images: Iterable[bytes]) -> dict[str, int]:
    """Part of the key for images that may have 16 bits, whose frames an earlier version stored white."""
    return {"bits": 8} if any(may_be_deep(image) for image in images) else {}


def _encode(source: bytes | Path, media: Media, frames: Frames, where: str) -> Iterable[_Encoded]:
    if isinstance(source, bytes):
        yield _Encoded(image_to_jpeg(source, frames, where), 0, None)
        return
    index = read_index(source)
    if isinstance(media, KeyFrames):
        yield from _key_frames(source, index, media, frames, where)
        return
    first, last = part_of(index, media, where)
    length = index.duration * (last - first) / len(index.times)
    numbers = [first + i for i in frames.indices(last - first, length)]
    if not numbers:
        raise BrokenMediaError(f"{where}: too short for one frame ({float(length):.2f} s)")
    for number, image in read_frames(source, index, numbers):
        yield _Encoded(to_jpeg(image, frames), number, index.seconds(number))


def part_of(index: VideoIndex, media: Media, where: str) -> tuple[int, int]:
    """The first frame of the part of a video that is meant, and the one behind its last.

    Raises:
        BrokenMediaError: it holds no frame.
    """
    first, last = 0, len(index.times)
    if media.start is None and media.end is None:
        return first, last
    inside = [i for i in range(last) if (media.start or 0) <= index.seconds(i) <= (media.end or float("inf"))]
    if not inside:
        raise BrokenMediaError(f"{where}: no frame between {media.start} s and {media.end} s")
    return inside[0], inside[-1] + 1


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
