"""Video files, read frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.extras import needs
from tolman.geometry.boxes import Floats
from tolman.ingest.base import Picture
from tolman.media.video import BrokenMediaError, read_frames, read_index


class VideoFile:
    """A video file whose frames are asked for by their numbers, in the order in which they are shown.

    Args:
        path: of the file.

    Raises:
        InputError: it is no video that can be read.
        MissingExtraError: PyAV or pillow is not installed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with needs("ingest", "Reading videos"):
            import av  # noqa: F401
            import PIL  # noqa: F401
        try:
            self._index = read_index(path)
            first = next(self.pictures([0]))
        except BrokenMediaError as error:
            raise InputError(path, f"is no readable video ({_said(error, path)})") from None
        self.count = len(self._index.times)
        self.size: tuple[int, int] = (first.shape[1], first.shape[0])

    @property
    def times(self) -> Floats:
        """When each frame is shown, in seconds from the first, shape (n,)."""
        stamps = np.array(self._index.times, dtype=np.float64)
        return np.asarray((stamps - stamps[0]) * float(self._index.time_base))

    def pictures(self, numbers: Sequence[int]) -> Iterator[Picture]:
        """The pictures of some frames, RGB, numbers rising.

        Raises:
            InputError: one can't be decoded.
        """
        try:
            for _, image in read_frames(self.path, self._index, numbers):
                yield np.asarray(image.convert("RGB"))
        except BrokenMediaError as error:
            raise InputError(self.path, f"can't be decoded ({_said(error, self.path)})") from None


def _said(error: BrokenMediaError, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ")
