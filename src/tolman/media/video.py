"""Videos: frames read by their number and shown as players show them, and videos written.

Frame *i* is the i-th by presentation time: the number is counted over sorted time stamps. A file that is cut off is
refused.

People look at videos in a browser, so Chromium decides where files are silent or players differ:

- Colour tags count where matrix, primaries and transfer are all set. Without them, H.264, HEVC and VP8 of 720 rows or
  more are BT.709, and all other video is BT.601.
- Full-range 4:2:0 video without tags is BT.601, as JPEG pictures are.
- Pixels that aren't square are stretched in one direction, never shrunk.
- The whole display matrix counts: quarter turns, mirrors and both together.

HDR (PQ and HLG) is shown by its matrix alone, without mapping its brightness.
"""

from __future__ import annotations

import gc
import itertools
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import counted
from tolman.extras import Image as Pillow, needs
from tolman.media.integrity import lost_bytes

if TYPE_CHECKING:
    from av import Packet, VideoFrame
    from av.container import InputContainer
    from av.video.stream import VideoStream
    from PIL.Image import Image


EVEN = 1
"""Frames by which a frame's number may differ from its time over the average frame, in a video of constant rate."""
_NEVER_ZEROS = ("h264", "hevc", "vp8", "vp9", "libdav1d", "av1", "mpeg4", "mpeg2video", "mjpeg", "prores")
"""Codecs of which no frame is zeros alone, as a black one without compression is."""
_HEAD = 32
"""Bytes that are looked at first."""


class BrokenMediaError(Exception):
    """A video or image that can't be read; becomes a Failure of the items that show it."""


@dataclass(frozen=True)
class VideoIndex:
    """Index of a video's packets, without decoding them.

    Attributes:
        times: presentation time stamps of the frames that are shown, sorted, in units of `time_base`.
        time_base: seconds of one unit.
        duration: the video's length in seconds: at a constant rate its frames over that rate, else from the first time
            stamp to the end of the last frame.
        order: time stamps in the order of decoding.
        keys: for each of `order`, whether decoding can begin there.
        even: whether the frame rate is constant, so that frames can be counted in place of seconds. No frame is further
            than `EVEN` from its place then.
        remark: a sentence about a choice that was made; nothing where there was none.
    """

    times: tuple[int, ...]
    time_base: Fraction
    duration: Fraction
    order: tuple[int, ...]
    keys: tuple[bool, ...]
    even: bool = True
    remark: str = ""

    def seconds(self, index: int) -> float:
        """When a frame is shown, from the first frame on."""
        return float((self.times[index] - self.times[0]) * self.time_base)

    def length(self, first: int, behind: int) -> Fraction:
        """How long some frames are shown, in seconds: from frame `first` up to frame `behind`, which is left out."""
        if self.even:
            return self.duration * (behind - first) / len(self.times)
        if behind < len(self.times):
            return (self.times[behind] - self.times[first]) * self.time_base
        return self.duration - (self.times[first] - self.times[0]) * self.time_base

    def moments(self, first: int, behind: int) -> list[float] | None:
        """When some frames are shown, in seconds from the first of them; None where the frame rate is constant."""
        if self.even:
            return None
        return [self.seconds(number) - self.seconds(first) for number in range(first, behind)]


def read_index(path: Path) -> VideoIndex:
    """Read the time stamps of a video.

    Raises:
        BrokenMediaError: the file is missing, is no video, is cut off, or holds no frame.
    """
    with _opened(path) as container:
        stream = _stream(container)
        order, keys, lengths, lost = [], [], {}, lost_bytes(path)
        for packet in container.demux(stream):
            if packet.size == 0 and packet.pts is None:
                continue  # the flush at the end
            stamp = packet.pts if packet.pts is not None else packet.dts
            if stamp is None:
                raise BrokenMediaError(f"{path}: a frame has no time stamp")
            gone = _lost_packet(packet, container.format.name, stream.codec_context.name)
            lost = lost or gone
            order.append(stamp)
            keys.append(packet.is_keyframe)
            if not packet.is_discard and not gone:
                lengths[stamp] = packet.duration or 0
        base = stream.time_base or Fraction(1, 1)
        times = tuple(sorted(lengths))
        lost = lost or _lost_frames(path, container, stream, len(times))
        if lost is not None:
            counted = _frame_count_sentence(container, stream, len(times), _span(times, lengths) * base)
            raise BrokenMediaError(f"{path}: is cut off ({lost}): it {counted}; get it again")
        if not times:
            raise BrokenMediaError(f"{path}: the video holds no frame")
        rate = stream.average_rate
        spanned = _span(times, lengths) * base
        by_rate = bool(rate) and _is_even(times, base, 1 / Fraction(rate or 1))
        even = by_rate or _is_even(times, base, Fraction(times[-1] - times[0], max(1, len(times) - 1)) * base)
        duration = Fraction(len(times)) / rate if rate and by_rate else spanned
        return VideoIndex(times, base, duration, tuple(order), tuple(keys), even, _choice(path, container, stream))


def _span(times: Sequence[int], lengths: Mapping[int, int]) -> Fraction:
    """From the first time stamp to the end of the last frame, which is shown as long as the one before where its
    length isn't known."""
    if not times:
        return Fraction(0)
    last = lengths[times[-1]] or (times[-1] - times[-2] if len(times) > 1 else 0)
    return Fraction(times[-1] + last - times[0])


def _is_even(times: Sequence[int], base: Fraction, step: Fraction) -> bool:
    ticks, of = (step / base).as_integer_ratio()  # in whole numbers, as it is done for each frame
    return all(abs((stamp - times[0]) * of - number * ticks) <= EVEN * ticks for number, stamp in enumerate(times))


def _lost_packet(packet: Packet[VideoStream], container: str, codec: str) -> str | None:
    """Say that a frame's bytes aren't in the file, as far as can be seen without decoding it."""
    if packet.is_corrupt and container != "mpegts":  # there, a lost packet of a broadcast
        return "it ends in the middle of a frame"
    if codec in _NEVER_ZEROS and packet.size > _HEAD and not any(memoryview(packet)[:_HEAD]) and not any(bytes(packet)):
        return "it holds zeros in place of a frame"
    return None


def _lost_frames(path: Path, container: InputContainer, stream: VideoStream, found: int) -> str | None:
    """Say that a header or an index names frames that aren't in the file."""
    size = path.stat().st_size
    indexed = getattr(stream, "index_entries", ()) if "mp4" in container.format.name else ()  # older PyAV has none
    beyond = any(entry.pos + entry.size > size for entry in indexed)
    fewer = "mxf" in container.format.name and found < (stream.duration or 0)
    return "it ends before its last frame" if beyond or fewer else None


def _frame_count_sentence(container: InputContainer, stream: VideoStream, found: int, seconds: Fraction) -> str:
    """Describe the promised and the actual frames of a video that is cut off, as a part of a sentence."""
    name, rate, promised, length = container.format.name, stream.average_rate, stream.frames, None
    if name == "gif":  # without a header that counts them
        promised = 0
    elif promised:
        length = promised / rate if rate else None
    elif container.duration and any(kind in name for kind in ("matroska", "mp4", "flv", "mxf")):
        length = Fraction(container.duration, 1_000_000)
    holds = f"holds {counted(found, 'frame')} ({float(seconds):.2f} s)"
    if promised:
        return (
            f"promises {counted(promised, 'frame')}" + (f" ({float(length):.2f} s)" if length else "") + f" and {holds}"
        )
    return f"promises {float(length):.2f} s and {holds}" if length else holds


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
        stream = _stream(container)
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
                    images[number] = as_shown(frame, stream)
                    if number % _COLLECTED == 0:
                        gc.collect(0)
            while expected in images:
                yield expected, images.pop(expected)
                expected = next(following, None)
            if expected is None:
                return
    raise BrokenMediaError(f"{path}: frame {expected} of {len(index.times)} can't be decoded")


_COLLECTED = 64
"""PyAV's frames are in circles of references, and hold a third of a megabyte each even where pictures are tiny. The
command line collects such circles seldom, so that a video of hours took several gigabytes."""


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
    with needs("media", "Showing images and frames"):
        import PIL.Image  # noqa: F401


def _stream(container: InputContainer) -> VideoStream:
    """The track that is the video: the one that is marked as the default, else the largest. Covers don't count."""
    from av.stream import Disposition

    tracks = _tracks(container)
    marked = [one for one in tracks if one.disposition & Disposition.default]
    return marked[0] if len(marked) == 1 else max(tracks, key=lambda one: one.width * one.height)


def _tracks(container: InputContainer) -> list[VideoStream]:
    from av.stream import Disposition

    known = [one for one in container.streams.video if one.codec_context is not None]
    return [one for one in known if not one.disposition & Disposition.attached_pic] or known


def track_choice(path: Path) -> str:
    """A sentence about the track that is read of a video; nothing where it has one.

    Raises:
        BrokenMediaError: it can't be opened.
    """
    with _opened(path) as container:
        return _choice(path, container, _stream(container))


def _choice(path: Path, container: InputContainer, chosen: VideoStream) -> str:
    tracks = _tracks(container)
    if len(tracks) == 1:
        return ""
    sizes = ", ".join(f"{one.width}×{one.height}" for one in tracks)
    return f"{path.name} has {len(tracks)} video tracks ({sizes}); track {tracks.index(chosen) + 1} is used."


@contextmanager
def _opened(path: Path) -> Iterator[InputContainer]:
    """An open container with at least one video stream, every error of the library as BrokenMediaError."""
    with needs("media", "Reading videos"):
        import av
    if not path.is_file():
        raise BrokenMediaError(f"{path}: the file is missing")
    try:
        # What a title is encoded in must not decide whether the pictures can be read.
        container = av.open(str(path), metadata_errors="replace")
    except (av.FFmpegError, OSError) as error:
        lost = lost_bytes(path)
        what = f"is cut off ({lost}); get it again" if lost else f"is no video ({error.strerror or error})"
        raise BrokenMediaError(f"{path}: {what}") from None
    with container:
        if not container.streams.video:
            raise BrokenMediaError(f"{path}: holds no video stream")
        if all(stream.codec_context is None for stream in container.streams.video):
            raise BrokenMediaError(f"{path}: its video stream is in an unknown codec")
        try:
            yield container
        except av.FFmpegError as error:
            raise BrokenMediaError(f"{path}: can't be decoded ({error.strerror or error})") from None
        except IndexError:  # PyAV knows the tracks that were there when the file was opened
            what = "can't be decoded (a track begins in the middle of it); put it into another container, such as MP4"
            raise BrokenMediaError(f"{path}: {what}") from None


_TRANSPOSED: dict[tuple[int, ...], str] = {
    (-1, 0, 0, 1): "FLIP_LEFT_RIGHT",
    (1, 0, 0, -1): "FLIP_TOP_BOTTOM",
    (-1, 0, 0, -1): "ROTATE_180",
    (0, 1, -1, 0): "ROTATE_270",
    (0, -1, 1, 0): "ROTATE_90",
    (0, 1, 1, 0): "TRANSPOSE",
    (0, -1, -1, 0): "TRANSVERSE",
}
"""Linear part (a, b, c, d) of a display matrix → Pillow's operation; (1, 0) goes to (a, b) and (0, 1) to (c, d)."""
_IDENTITY = (1, 0, 0, 1)
_SLANT = 0.1
"""Sine of an angle below which a turn counts as whole quarters."""
_UNSPECIFIED = 2
"""Of matrix, primaries and transfer (ISO/IEC 23091-2)."""
HD_ROWS = 720
"""Rows from which untagged video counts as BT.709."""
_GUESSED = ("h264", "hevc", "vp8")
"""Codecs of which Chromium guesses the matrix by the number of rows."""
_SQUARE = 0.01
"""Share by which pixels may differ from squares and aren't stretched: programs that scale videos write 427:426."""
_FULL = 2
"""Of a frame's ranges (AVCOL_RANGE_JPEG)."""
_LARGEST = 16_384
"""Pixels of a side, beyond which a pixel's shape is not believed."""


def as_shown(frame: VideoFrame, stream: VideoStream) -> Image:
    """A frame's picture in RGB, stretched and turned as players show it."""
    import av

    size = shown_size((frame.width, frame.height), stream.sample_aspect_ratio)
    matrix = _matrix(frame, stream, size[1])
    if _is_yuv(frame) and int(av.__version__.partition(".")[0]) < 17:
        # PyAV before 17 sets a matrix only where another one is wanted, and takes no range from the frame.
        full = int(frame.color_range) == _FULL or frame.format.name.startswith("yuvj")
        rgb = frame.reformat(
            format="rgb24", src_colorspace=matrix or int(frame.colorspace), dst_colorspace="FCC",
            src_color_range=_FULL if full else 0, dst_color_range=_FULL,
        )  # fmt: skip
    else:
        rgb = frame.reformat(format="rgb24", src_colorspace=matrix) if matrix else frame
    image: Image = rgb.to_image()  # type: ignore[no-untyped-call]
    if image.size != size:
        image = image.resize(size, Pillow.Resampling.BICUBIC)
    operation = _TRANSPOSED.get(_linear(frame))
    return image.transpose(Pillow.Transpose[operation]) if operation else image


def shown_size(size: tuple[int, int], pixel: Fraction | None) -> tuple[int, int]:
    """Width and height in square pixels.

    Args:
        size: as stored.
        pixel: a stored pixel's width over its height; None or 0 where the file doesn't say.
    """
    if not pixel or abs(float(pixel) - 1) < _SQUARE:
        return size
    wide, high = (round(size[0] * pixel), size[1]) if pixel > 1 else (size[0], round(size[1] / pixel))
    return (wide, high) if max(wide, high) <= _LARGEST else size


def _matrix(frame: VideoFrame, stream: VideoStream, rows: int) -> str | None:
    """The colour matrix to read a frame by; None where the frame's own tag is right, or it has RGB values."""
    if not _is_yuv(frame):
        return None
    context = stream.codec_context  # PyAV before 17 has two of the tags there only
    tags: list[Any] = [
        getattr(frame, name, getattr(context, name, None)) for name in ("colorspace", "color_primaries", "color_trc")
    ]
    if all(tag is not None and int(tag) != _UNSPECIFIED for tag in tags):
        return None
    full = frame.format.name.startswith("yuvj")
    guessed = stream.codec_context.name in _GUESSED and not full
    return "ITU709" if guessed and rows >= HD_ROWS else "ITU601"


def _is_yuv(frame: VideoFrame) -> bool:
    return not frame.format.is_rgb and len(frame.format.components) >= 3


def _linear(frame: VideoFrame) -> tuple[int, ...]:
    """The linear part of a frame's display matrix, of length 1 in each direction; the identity where it is slanted."""
    from av.sidedata.sidedata import Type

    sides: Any = frame.side_data
    found = sides.get(Type.DISPLAYMATRIX)
    if found is None:
        return _IDENTITY
    a, b, _, c, d, *_ = struct.unpack("=9i", bytes(found))
    lengths = math.hypot(a, b), math.hypot(c, d)
    if not all(lengths):
        return _IDENTITY
    exact = (a / lengths[0], b / lengths[0], c / lengths[1], d / lengths[1])
    rounded = tuple(round(value) for value in exact)
    return rounded if all(abs(v - r) < _SLANT for v, r in zip(exact, rounded, strict=True)) else _IDENTITY


_BT709, _BT601 = 1, 6
"""Numbers of colour tags (ISO/IEC 23091-2)."""


class VideoWriter:
    """An H.264 MP4 that is written frame by frame, by one thread, so that the bytes don't depend on the machine's load.

    Args:
        path: of the file.
        size: width and height.
        rate: frames a second.
        extra: the extra that brings PyAV, named where it is missing.

    Raises:
        MissingExtraError: PyAV is not installed.
    """

    def __init__(self, path: Path, size: tuple[int, int], rate: float, extra: str) -> None:
        with needs(extra, "Writing videos"):
            import av
        self._av = av
        self._container = av.open(str(path), "w", format="mp4")
        self._stream = self._container.add_stream("libx264", rate=Fraction(rate).limit_denominator(1001))
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "yuv420p"
        if size[1] >= HD_ROWS:
            # FFmpeg makes BT.601 of RGB, and players take untagged video of this size for BT.709.
            self._stream.codec_context.colorspace = _BT601
            self._stream.codec_context.color_primaries = self._stream.codec_context.color_trc = _BT709
        # x264's macroblock tree gives other bytes for the same pictures now and then.
        self._stream.options = {
            "crf": "22",
            "preset": "veryfast",
            "g": str(round(2 * rate)),
            "threads": "1",
            "x264-params": "mbtree=0",
        }

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._container.mux(self._stream.encode())
        self._container.close()

    def add(self, colour: NDArray[np.uint8]) -> None:
        """Add a picture, shape (height, width, 3)."""
        self._container.mux(self._stream.encode(self._av.VideoFrame.from_ndarray(colour, format="rgb24")))
