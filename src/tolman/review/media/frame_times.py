"""Frame times of videos, as browsers count them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tolman.media.video import BrokenMediaError, read_index

_DECIMALS = 6


def frame_times(path: Path) -> list[float]:
    """When each frame of a video is shown: seconds in the time of a browser's player, rising.

    Raises:
        BrokenMediaError: the file is missing, is no video, or holds no frame.
    """
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise BrokenMediaError(f"{path}: can't be read ({error.strerror})") from None
    return list(_times(path, changed))


@lru_cache(maxsize=64)
def _times(path: Path, changed: int) -> tuple[float, ...]:
    index = read_index(path)
    return tuple(round(float(stamp * index.time_base), _DECIMALS) for stamp in index.times)
