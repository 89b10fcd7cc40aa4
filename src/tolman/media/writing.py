"""Writing videos."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from tolman.extras import needs


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
