"""Pictures and masks out of files, archives and videos, as a CameraRecording gives them.

Pictures may be single files on disk, or the frames of a video file, which is read frame by frame.
"""

from __future__ import annotations

import io
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tolman.errors import InputError
from tolman.extras import LazyModule, needs
from tolman.geometry.boxes import Floats
from tolman.ingest.scan_format import Mask, Picture
from tolman.media.images import eight_bits
from tolman.media.video import BrokenMediaError, need_pillow, read_frames, read_index

if TYPE_CHECKING:
    from PIL import Image, ImageOps
    from PIL.Image import Image as PillowImage
else:
    Image = LazyModule("PIL.Image")
    ImageOps = LazyModule("PIL.ImageOps")


_MOST = 1 << 28
"""Bytes of a picture in an archive, at most."""
BROKEN = (
    OSError, ValueError, SyntaxError, EOFError, zlib.error, struct.error, LookupError, TypeError, ArithmeticError,
)  # fmt: skip
"""Errors that Pillow's readers raise for broken pictures, each in its own way."""
_BROKEN_ARCHIVE = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError)
_NUMBER = re.compile(r"(\d+)\D*$")


def decode(data: bytes | Path, path: Path, what: str, *, upright: bool = False) -> Picture:
    """A picture as RGB, shape (height, width, 3).

    Args:
        data: its file, or that file's content.
        path: the name for errors.
        what: which picture it is, for the sentence.
        upright: whether to turn and mirror it as its EXIF orientation says.

    Raises:
        InputError: it can't be read.
        MissingExtraError: pillow is not installed.
    """
    image = _opened(data, path, what)

    shown = ImageOps.exif_transpose(image) if upright else image
    try:
        return np.asarray(eight_bits(shown, image.format).convert("RGB"))
    except ValueError as error:
        raise InputError(path, f"{what} is no picture to be shown: {error}") from None


def decoded_mask(data: bytes | Path, path: Path, what: str) -> Mask:
    """A picture of numbers, shape (height, width), 8 or 16 bits.

    Raises:
        InputError: it can't be read, or has colours.
        MissingExtraError: pillow is not installed.
    """
    found = np.asarray(_opened(data, path, what))
    if found.ndim != 2 or found.dtype.kind not in "uib":
        raise InputError(path, f"{what} is no picture of numbers")
    return found.astype(np.int64)


def _opened(data: bytes | Path, path: Path, what: str) -> PillowImage:
    with needs("build", "Reading pictures"):
        from PIL import Image
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data if isinstance(data, bytes) else data.read_bytes()))
            image.load()
    except (*BROKEN, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(path, f"{what} is no readable picture ({said})") from None
    return image


class Archive:
    """The pictures of a ZIP archive by the last number in their names: `x/instance-filt/17.png` is 17.

    Args:
        path: of the archive.
        suffix: of its pictures.

    Raises:
        InputError: it is no readable archive, or two pictures have one number.
    """

    def __init__(self, path: Path, suffix: str = ".png") -> None:
        self.path = path
        self.entries: dict[int, str] = {}
        self._archive: zipfile.ZipFile | None = None
        try:
            with zipfile.ZipFile(path) as archive:
                names = [info.filename for info in archive.infolist() if info.filename.endswith(suffix)]
        except _BROKEN_ARCHIVE as error:
            raise InputError(path, f"is no readable ZIP archive ({error})", fix="get it again") from None
        for name in names:
            match = _NUMBER.search(Path(name).stem)
            if match is None:
                continue
            if int(match[1]) in self.entries:
                raise InputError(path, f"has two pictures {int(match[1])}: {self.entries[int(match[1])]} and {name}")
            self.entries[int(match[1])] = name

    def mask(self, number: int) -> Mask | None:
        """The mask of a number; None where there is none.

        Raises:
            InputError: it can't be read.
        """
        name = self.entries.get(number)
        if name is None:
            return None
        try:
            # Opening it reads its whole directory; thousands of masks are read from it.
            self._archive = self._archive or zipfile.ZipFile(self.path)
            if self._archive.getinfo(name).file_size > _MOST:
                raise InputError(self.path, f"{name} is too large for a picture")
            data = self._archive.read(name)
        except (*_BROKEN_ARCHIVE, zlib.error, RuntimeError, KeyError) as error:
            raise InputError(self.path, f"{name} can't be unpacked ({error})", fix="get it again") from None
        return decoded_mask(data, self.path, name)


IMAGES = frozenset({".jpg", ".jpeg", ".png"})
SLACK = 2
"""Pixels by which pictures of one camera may differ in width or height; COLMAP's undistorted pictures differ by 1."""

_ORIENTATION = 0x0112
_QUARTER_TURNED = range(5, 9)
"""EXIF orientations that exchange width and height."""


def size_of(path: Path, *, upright: bool = True) -> tuple[int, int]:
    """Width and height of a picture by its header, as it is shown by its EXIF orientation or as it is stored.

    Raises:
        InputError: it is no picture.
    """
    need_pillow()

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                # The base class's method: that of PNG decodes the whole picture.
                turned = Image.Image.getexif(image).get(_ORIENTATION, 1) in _QUARTER_TURNED
                return image.size[::-1] if turned and upright else image.size
    except (*BROKEN, Image.DecompressionBombError) as error:
        raise InputError(
            path,
            f"is no readable picture ({str(error).splitlines()[0] if str(error) else type(error).__name__})",
            fix="get it again",
        ) from None


def common_size_of(paths: Sequence[Path]) -> tuple[int, int]:
    """The width and height that pictures of one camera have in common; those of the first if they differ by too much.

    Raises:
        InputError: one is no picture.
    """
    sizes = [size_of(path) for path in paths]
    least = (min(width for width, _ in sizes), min(height for _, height in sizes))
    fits = all(width - least[0] <= SLACK and height - least[1] <= SLACK for width, height in sizes)
    return least if fits else sizes[0]


def pictures_of(
    paths: Sequence[Path], size: tuple[int, int], *, upright: bool = True, slack: int = SLACK
) -> Callable[[Sequence[int]], Iterator[Picture]]:
    """Reader of some of the pictures in RGB, turned as their EXIF orientation says or as they are stored.

    Each must have the size. A picture that is up to `slack` pixels larger is cropped at its right and lower edge, which
    leaves its intrinsics as they are.
    """

    def read(numbers: Sequence[int]) -> Iterator[Picture]:
        for number in numbers:
            path = paths[number]
            picture = decode(path, path, "it", upright=upright)
            own = picture.shape[1::-1]
            if not all(0 <= a - b <= slack for a, b in zip(own, size, strict=True)):
                raise InputError(path, f"is {own[0]}×{own[1]} pixels, others of its camera are {size[0]}×{size[1]}")
            yield picture[: size[1], : size[0]]

    return read


def masks_of(paths: Sequence[Path]) -> Callable[[int], Mask]:
    """Reader of pictures whose values are instance numbers."""
    return lambda number: decoded_mask(paths[number], paths[number], "it")


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
        with needs("build", "Reading videos"):
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
