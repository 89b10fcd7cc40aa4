"""Media of an exported benchmark as the pictures that Tolman would show, for harnesses that take no videos."""

from __future__ import annotations

from tolman.exports.scoring import ExportedBenchmark
from tolman.items import Media
from tolman.media.sampling import Frames
from tolman.media.store import FrameStore, default_root
from tolman.messages import Picture

MAX_WHOLE = 32
"""Frames that stand for a video which the preset shows whole, where only pictures can be shown."""


def shown(exported: ExportedBenchmark, medium: Media, count: int | None = None) -> tuple[Picture, ...]:
    """The pictures that a medium becomes, in the frame store ($TOLMAN_CACHE/frames).

    Args:
        exported: the benchmark.
        medium: a video or an image.
        count: frames of a video, evenly; as the prompt preset says where None, and `MAX_WHOLE` where that shows the
            whole video.

    Raises:
        BrokenMediaError: the file is missing or can't be read.
        MissingExtraError: the extra 'video' is not installed.
    """
    frames = exported.preset.frames
    if count is not None or frames.whole:
        frames = Frames(count=count or MAX_WHOLE, rounding=frames.rounding)
    return FrameStore(default_root()).pictures(exported.media, medium, frames)
