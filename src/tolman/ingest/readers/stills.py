"""Pictures that lie on disk one by one, as a CameraRecording gives them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tolman.errors import InputError
from tolman.ingest.base import Mask, Picture
from tolman.ingest.readers.pictures import BROKEN, decode, decoded_mask
from tolman.media.video import need_pillow

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
    except (*BROKEN, Image.DecompressionBombError) as error:
        raise InputError(
            path,
            f"is no readable picture ({str(error).splitlines()[0] if str(error) else type(error).__name__})",
            fix="get it again",
        ) from None


def pictures_of(paths: Sequence[Path], size: tuple[int, int]) -> Callable[[Sequence[int]], Iterator[Picture]]:
    """Reader of some of the pictures in RGB; each must have the size."""

    def read(numbers: Sequence[int]) -> Iterator[Picture]:
        for number in numbers:
            path, own = paths[number], size_of(paths[number])
            if own != size:
                raise InputError(path, f"is {own[0]}×{own[1]} pixels, others of its camera are {size[0]}×{size[1]}")
            yield decode(path, path, "it")

    return read


def masks_of(paths: Sequence[Path]) -> Callable[[int], Mask]:
    """Reader of pictures whose values are instance numbers."""
    return lambda number: decoded_mask(paths[number], paths[number], "it")
