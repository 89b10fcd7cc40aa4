"""Pictures that lie on disk one by one, and those of a video, as a Film gives them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.base import Mask, Picture
from tolman.media.video import BrokenMediaError, need_pillow, read_frames, read_index

IMAGES = frozenset({".jpg", ".jpeg", ".png"})


def size_of(path: Path) -> tuple[int, int]:
    """Width and height of a picture, from its header.

    Raises:
        InputError: it is no picture.
    """
    need_pillow()
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                return image.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise InputError(path, f"is no readable picture ({_first_line(error)})", fix="get it again") from None


def pictures_of(paths: Sequence[Path], size: tuple[int, int]) -> Callable[[Sequence[int]], Iterator[Picture]]:
    """What reads some of the pictures in RGB; each must have the size."""

    def read(numbers: Sequence[int]) -> Iterator[Picture]:
        for number in numbers:
            yield _read(paths[number], size, "RGB")

    return read


def masks_of(paths: Sequence[Path | None]) -> Callable[[int], Mask | None]:
    """What reads pictures whose values are instance numbers; None stands for frames without one."""

    def read(number: int) -> Mask | None:
        path = paths[number]
        return None if path is None else _read(path, size_of(path), None)

    return read


def video_frames(path: Path) -> tuple[Floats, tuple[int, int], Callable[[Sequence[int]], Iterator[Picture]]]:
    """A video's frames: their times in seconds from the first one, the size in which they are shown, what reads them.

    Raises:
        InputError: it can't be read.
    """
    try:
        index = read_index(path)
        _, first = next(read_frames(path, index, [0]))
    except BrokenMediaError as error:
        raise InputError(path, str(error).removeprefix(f"{path}: ")) from None

    def read(numbers: Sequence[int]) -> Iterator[Picture]:
        try:
            for number, image in read_frames(path, index, numbers):
                if image.size != first.size:
                    raise InputError(path, f"frame {number} is {image.width}×{image.height}, the first is another size")
                yield np.asarray(image.convert("RGB"))
        except BrokenMediaError as error:
            raise InputError(path, str(error).removeprefix(f"{path}: ")) from None

    return np.array([index.seconds(i) for i in range(len(index.times))]), first.size, read


def _read(path: Path, size: tuple[int, int], mode: str | None) -> Picture:
    from PIL import Image

    found = size_of(path)
    if found != size:
        raise InputError(path, f"is {found[0]}×{found[1]} pixels, others of its camera are {size[0]}×{size[1]}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                return np.asarray(image.convert(mode) if mode else image)
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise InputError(path, f"is no whole picture ({_first_line(error)})", fix="get it again") from None


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
