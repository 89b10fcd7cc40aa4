"""Videos made for tests: every frame carries its own number as a bar code."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from fractions import Fraction
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
) -> Path:
    """An H.264 MP4 with B-frames; `times` in milliseconds makes its frame rate variable."""
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.options = {"g": str(gop), "preset": "veryfast", "bf": "3", **(options or {})}
        base = Fraction(1, 1000)
        if times is not None:
            stream.codec_context.time_base = base
        for i in range(frames):
            frame = av.VideoFrame.from_ndarray(bar_code(i, *size), "rgb24")
            if times is not None:
                frame.pts, frame.time_base = times[i], base
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


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
