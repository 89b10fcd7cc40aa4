"""Single frames of videos, for pages that show many of one video: decoded together, kept in the store."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np

from tolman.files import atomic_write
from tolman.geometry.boxes import Floats
from tolman.media.images import to_jpeg
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, VideoIndex, read_frames, read_index

_SHOWN = Frames(quality=85, longest_side=960)
_COMPARED = (24, 18)
SAME = 5.0
"""Grey levels of 255 by which no part of two pictures differs that show the same."""
_lock = threading.Lock()


def frames_of(store: Path, video: Path, numbers: Iterable[int]) -> dict[int, Path]:
    """Frame → a JPEG of it in the store. What isn't there yet is decoded in one pass.

    Raises:
        BrokenMediaError: the video can't be read, or has no such frame.
    """
    state = video.stat() if video.is_file() else None
    if state is None:
        raise BrokenMediaError(f"{video}: the file is missing")
    key = hashlib.sha256(f"{video.resolve()}:{state.st_size}:{state.st_mtime_ns}".encode()).hexdigest()[:24]
    folder = store / "frames" / key
    wanted = {number: folder / f"{number:06d}.jpg" for number in sorted(set(numbers))}
    with _lock:
        missing = [number for number, path in wanted.items() if not path.is_file()]
        if missing:
            index = _index(video, state.st_mtime_ns)
            if missing[-1] >= len(index.times):
                raise BrokenMediaError(f"{video}: has {len(index.times)} frames, not {missing[-1] + 1}")
            folder.mkdir(parents=True, exist_ok=True)
            for number, image in read_frames(video, index, missing):
                with atomic_write(wanted[number]) as partial:
                    partial.write_bytes(to_jpeg(image, _SHOWN))
    return wanted


def same_picture(one: Path, other: Path) -> bool:
    """Tell whether two pictures show the same: no part of one of them differs from the other's by more than `SAME`."""
    return float(np.abs(_small(one) - _small(other)).max()) < SAME


@lru_cache(maxsize=256)
def _small(path: Path) -> Floats:
    from PIL import Image

    with Image.open(io.BytesIO(path.read_bytes())) as image:
        return np.asarray(image.convert("L").resize(_COMPARED, Image.Resampling.BOX), dtype=np.float64)


@lru_cache(maxsize=16)
def _index(video: Path, modified: int) -> VideoIndex:
    return read_index(video)
