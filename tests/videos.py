"""Videos made for tests: every frame carries its own number as a bar code."""

import itertools
import struct
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

BITS = 11


def bar_code(number: int, width: int, height: int) -> np.ndarray:
    """A picture of black and white bars, the highest bit left, above a band that is red on its left half."""
    bars = np.array([255 * (number >> (BITS - 1 - b) & 1) for b in range(BITS)], dtype=np.uint8)
    columns = bars[np.arange(width) * BITS // width]
    picture = np.repeat(columns[None, :, None], height, axis=0).repeat(3, axis=2)
    picture[int(height * 0.75) :] = (0, 0, 0)
    picture[int(height * 0.75) :, : width // 2] = (255, 0, 0)
    return picture


def read_code(image: Image.Image) -> int:
    """The number in a picture of `bar_code`."""
    grey = np.asarray(image.convert("L"), dtype=float)
    band = grey[: int(grey.shape[0] * 0.7)].mean(0)
    edges = np.linspace(0, len(band), BITS + 1)
    bits = [band[int(a + (b - a) * 0.25) : int(b - (b - a) * 0.25)].mean() > 127 for a, b in itertools.pairwise(edges)]
    return sum(int(bit) << (BITS - 1 - i) for i, bit in enumerate(bits))


def write_video(
    path: Path,
    frames: int,
    *,
    rate: int = 30,
    times: Sequence[int] | None = None,
    gop: int = 250,
    size: tuple[int, int] = (352, 240),
    options: dict[str, str] | None = None,
    faststart: bool = False,
) -> Path:
    """An H.264 MP4 with B-frames; `times` in milliseconds makes its frame rate variable, `faststart` puts its index
    first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shown_at, settings = None if times is None else tuple(times), tuple((options or {}).items())
    path.write_bytes(_encoded(path.suffix, frames, rate, shown_at, gop, size, settings, faststart=faststart))
    return path


@cache
def _encoded(
    suffix: str,
    frames: int,
    rate: int,
    times: tuple[int, ...] | None,
    gop: int,
    size: tuple[int, int],
    options: tuple[tuple[str, str], ...],
    *,
    faststart: bool,
) -> bytes:
    """The bytes of a video, which many tests show."""
    import av

    movflags = {"movflags": "faststart"} if faststart and suffix == ".mp4" else {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"video{suffix}"
        with av.open(str(path), "w", options=movflags) as container:
            stream = container.add_stream("libx264", rate=rate)
            stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
            stream.options = {"g": str(gop), "preset": "veryfast", "bf": "3", **dict(options)}
            base = Fraction(1, 1000)
            if times is not None:
                stream.codec_context.time_base = base
            for i in range(frames):
                frame = av.VideoFrame.from_ndarray(bar_code(i, *size), "rgb24")
                if times is not None:
                    frame.pts, frame.time_base = times[i], base
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        return path.read_bytes()


def turn(path: Path, degrees: int) -> Path:
    """Set the rotation flag that phones write (the display matrix in the track header)."""
    cosine, sine = {90: (0, 1), 180: (-1, 0), 270: (0, -1)}[degrees]
    one = 1 << 16
    matrix = struct.pack(">9i", cosine * one, sine * one, 0, -sine * one, cosine * one, 0, 0, 0, 1 << 30)
    data = bytearray(path.read_bytes())
    start = data.index(b"tkhd") + 4 + 4 + 20 + 16  # version and flags, times and ids, reserved and layer
    data[start : start + 36] = matrix
    path.write_bytes(bytes(data))
    return path


def set_matrix(path: Path, linear: tuple[int, int, int, int]) -> Path:
    """Set the linear part of an MP4's display matrix: (1, 0) goes to the first two numbers, (0, 1) to the others."""
    a, b, c, d = (value << 16 for value in linear)
    data = bytearray(path.read_bytes())
    start = data.index(b"tkhd") + 4 + 4 + 20 + 16
    data[start : start + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    path.write_bytes(data)
    return path


MATRICES = {
    "as it is": (1, 0, 0, 1),
    "mirrored": (-1, 0, 0, 1),
    "upside down and mirrored": (1, 0, 0, -1),
    "half turn": (-1, 0, 0, -1),
    "quarter turn clockwise": (0, 1, -1, 0),
    "quarter turn anticlockwise": (0, -1, 1, 0),
    "transposed": (0, 1, 1, 0),
    "transposed the other way": (0, -1, -1, 0),
}
"""The eight ways in which a display matrix can put a picture upright."""
COLOURS = [
    (81, 90, 240),
    (145, 54, 34),
    (41, 240, 110),
    (210, 16, 146),
    (128, 128, 128),
    (235, 128, 128),
    (60, 100, 170),
]
"""Y'CbCr values of the stripes of `write_stripes`."""


def write_stripes(
    path: Path,
    size: tuple[int, int],
    *,
    codec: str = "libx264",
    tags: tuple[int, int, int] | None = None,
    full: bool = False,
    pixels: str = "yuv420p",
    square: Fraction | None = None,
    options: dict[str, str] | None = None,
) -> Path:
    """Five frames of upright stripes of `COLOURS`, as their values are stored.

    Args:
        tags: primaries, transfer and matrix; None for an untagged video.
        full: tag the range as full.
        pixels: their format; of 10 bits, values are four times as large.
        square: width of a pixel over its height.
    """
    import av

    deep = "10" in pixels
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = *size, pixels
        context = stream.codec_context
        stream.options = {"crf": "1", "preset": "veryfast"} if options is None else options
        if tags is not None:
            context.color_primaries, context.color_trc, context.colorspace = tags
        if full:
            context.color_range = 2
        if square is not None:
            context.sample_aspect_ratio = square
        for i in range(5):
            frame = av.VideoFrame(*size, pixels)
            for number, plane in enumerate(frame.planes):
                wide, high = (size[0] // 2, size[1] // 2) if number else size
                row = np.zeros(plane.line_size // (2 if deep else 1), dtype=np.uint16 if deep else np.uint8)
                for k, colour in enumerate(COLOURS):
                    row[wide * k // len(COLOURS) : wide * (k + 1) // len(COLOURS)] = colour[number] * (4 if deep else 1)
                plane.update(np.tile(row, (high, 1)).tobytes())
            if tags is not None:
                frame.colorspace = tags[2]
            if full:
                frame.color_range = 2
            frame.pts, frame.time_base = i, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def stripes_of(image: Image.Image) -> np.ndarray:
    """The colours in the middle of the stripes, shape (stripes, 3)."""
    pixels = np.asarray(image.convert("RGB")).astype(int)
    high, wide = pixels.shape[:2]
    return np.array([pixels[high // 2, int(wide * (k + 0.5) / len(COLOURS))] for k in range(len(COLOURS))])


def two_tracks(path: Path) -> None:
    """Write a video with a track of 64×64 and one of 128×64 pixels, both marked as the default."""
    import av

    with av.open(str(path), "w") as container:
        streams = [container.add_stream("mpeg4", rate=10) for _ in range(2)]
        for stream, width in zip(streams, (64, 128), strict=True):
            stream.width, stream.height, stream.pix_fmt = width, 64, "yuv420p"
        for stream in (*streams, *streams):
            frame = av.VideoFrame.from_ndarray(np.zeros((64, stream.width, 3), np.uint8), "rgb24")
            container.mux(stream.encode(frame))
        for stream in streams:
            container.mux(stream.encode())
