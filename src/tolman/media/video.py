"""Reading frames of a video by their number.

Frame *i* is the i-th by presentation time. Videos of phones have variable frame rates and come turned; both are
handled here: the number is counted over sorted time stamps, and frames come out upright.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.extras import needs

if TYPE_CHECKING:
    from av import VideoFrame
    from av.container import InputContainer
    from PIL.Image import Image

_TURNS = {
    90: "ROTATE_90",
    -270: "ROTATE_90",
    180: "ROTATE_180",
    -180: "ROTATE_180",
    -90: "ROTATE_270",
    270: "ROTATE_270",
}


class BrokenMediaError(Exception):
    """A video or image that can't be read; becomes a Failure of the items that show it."""


@dataclass(frozen=True)
class VideoIndex:
    """Index of a video's packets, without decoding them.

    Attributes:
        times: presentation time stamps of the frames that are shown, sorted, in units of `time_base`.
        time_base: seconds of one unit.
        duration: the video's length in seconds: its frames over their average rate.
        order: time stamps in the order of decoding.
        keys: for each of `order`, whether decoding can begin there.
    """

    times: tuple[int, ...]
    time_base: Fraction
    duration: Fraction
    order: tuple[int, ...]
    keys: tuple[bool, ...]

    def seconds(self, index: int) -> float:
        """When a frame is shown, from the first frame on."""
        return float((self.times[index] - self.times[0]) * self.time_base)


def read_index(path: Path) -> VideoIndex:
    """Read the time stamps of a video.

    Raises:
        BrokenMediaError: the file is missing, is no video, or holds no frame.
    """
    with _opened(path) as container:
        stream = container.streams.video[0]
        order, keys, shown = [], [], []
        for packet in container.demux(stream):
            if packet.size == 0 and packet.pts is None:
                continue  # the flush at the end
            stamp = packet.pts if packet.pts is not None else packet.dts
            if stamp is None:
                raise BrokenMediaError(f"{path}: a frame has no time stamp")
            order.append(stamp)
            keys.append(packet.is_keyframe)
            if not packet.is_discard:
                shown.append(stamp)
        times = tuple(sorted(set(shown)))
        if not times:
            raise BrokenMediaError(f"{path}: the video holds no frame")
        base = stream.time_base or Fraction(1, 1)
        rate = stream.average_rate
        duration = Fraction(len(times)) / rate if rate else (times[-1] - times[0]) * base
        return VideoIndex(times, base, duration, tuple(order), tuple(keys))


def read_frames(path: Path, index: VideoIndex, numbers: Sequence[int]) -> Iterator[tuple[int, Image]]:
    """Decode some frames, upright, in one pass; stretches between key frames that hold none of them are skipped.

    Args:
        path: the video.
        index: as `read_index` gives it.
        numbers: which frames, rising.

    Yields:
        (number, image) in rising order.

    Raises:
        BrokenMediaError: a frame can't be decoded.
        MissingExtraError: PyAV or Pillow is not installed.
    """
    need_pillow()
    wanted = {index.times[number]: number for number in numbers}
    needed = _packets_needed(index, set(wanted))
    images: dict[int, Image] = {}
    with _opened(path) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = 1  # videos are read side by side; threads inside cost memory for nothing
        position = 0
        following = iter(sorted(wanted.values()))
        expected = next(following, None)
        for packet in container.demux(stream):
            last = packet.size == 0 and packet.pts is None
            if not last:
                use = needed[position] if position < len(needed) else True
                position += 1
                if not use:
                    continue
            for frame in packet.decode():
                number = wanted.get(frame.pts if frame.pts is not None else frame.dts or 0)
                if number is not None and number not in images:
                    images[number] = _upright(_image(frame), frame.rotation)
            while expected in images:
                yield expected, images.pop(expected)
                expected = next(following, None)
            if expected is None:
                return
    raise BrokenMediaError(f"{path}: frame {expected} of {len(index.times)} can't be decoded")


def _packets_needed(index: VideoIndex, wanted: set[int]) -> list[bool]:
    """Find the packets, in decoding order, that must be decoded to get the frames of some time stamps."""
    starts = [i for i, key in enumerate(index.keys) if key] or [0]
    bounds = [*starts, len(index.order)]
    needed = [False] * len(index.order)
    for g, (start, end) in enumerate(itertools.pairwise(bounds)):
        inside = [stamp for stamp in index.order[start:end] if stamp in wanted]
        if not inside:
            continue
        # A frame shown before its group's key frame may refer to the group before it (an open group of pictures).
        leading = any(stamp < index.order[start] for stamp in inside)
        first = bounds[g - 1] if leading and g > 0 else start
        for i in range(first, end):
            needed[i] = True
    return needed


def need_pillow() -> None:
    """Nothing, where images can be read and written.

    Raises:
        MissingExtraError: Pillow is not installed.
    """
    with needs("video", "Showing images and frames"):
        import PIL.Image  # noqa: F401


def _image(frame: VideoFrame) -> Image:
    image: Image = frame.to_image()  # type: ignore[no-untyped-call]
    return image


def _upright(image: Image, rotation: int) -> Image:
    from PIL import Image as Pillow

    turn = _TURNS.get(rotation)
    return image.transpose(Pillow.Transpose[turn]) if turn else image


class _opened:  # noqa: N801 - used as a function
    """An open container with at least one video stream, every error of the library as BrokenMediaError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._container: InputContainer | None = None

    def __enter__(self) -> InputContainer:
        with needs("video", "Reading videos"):
            import av
        if not self._path.is_file():
            raise BrokenMediaError(f"{self._path}: the file is missing")
        try:
            # What a title is encoded in must not decide whether the pictures can be read.
            self._container = av.open(str(self._path), metadata_errors="replace")
        except (av.FFmpegError, OSError) as error:
            raise BrokenMediaError(f"{self._path}: is no video ({error.strerror or error})") from None
        if not self._container.streams.video:
            self._container.close()
            raise BrokenMediaError(f"{self._path}: holds no video stream")
        if self._container.streams.video[0].codec_context is None:
            self._container.close()
            raise BrokenMediaError(f"{self._path}: its video stream is in an unknown codec")
        return self._container

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        import av

        if self._container is not None:
            self._container.close()
        if isinstance(error, av.FFmpegError):
            raise BrokenMediaError(f"{self._path}: can't be decoded ({error.strerror or error})") from None
