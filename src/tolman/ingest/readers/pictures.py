"""Pictures and masks out of files and archives."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tolman.errors import InputError
from tolman.extras import needs
from tolman.ingest.base import Mask, Picture
from tolman.media.images import eight_bits

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

_MOST = 1 << 28
"""Bytes of a picture in an archive, at most."""
BROKEN = (
    OSError, ValueError, SyntaxError, EOFError, zlib.error, struct.error, LookupError, TypeError, ArithmeticError,
)  # fmt: skip
"""Errors that Pillow's readers raise for broken pictures, each in its own way."""
_BROKEN_ARCHIVE = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError)
_NUMBER = re.compile(r"(\d+)\D*$")


def decode(data: bytes | Path, path: Path, what: str) -> Picture:
    """A picture as RGB, shape (height, width, 3).

    Args:
        data: its file, or that file's content.
        path: what is named where it can't be read.
        what: which picture it is, for the sentence.

    Raises:
        InputError: it can't be read.
        MissingExtraError: pillow is not installed.
    """
    image = _opened(data, path, what)
    try:
        return np.asarray(eight_bits(image).convert("RGB"))
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
    with needs("ingest", "Reading pictures"):
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
