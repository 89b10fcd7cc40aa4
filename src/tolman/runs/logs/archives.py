"""Archives that strangers made: members by name and content, with limits.

Nothing is ever unpickled, or written to a path that the archive names.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from tolman.errors import InputError

MAX_MEMBERS = 200_000
MAX_MEMBER_BYTES = 256 << 20
MAX_TOTAL_BYTES = 4 << 30
MAX_RATIO = 1_000
"""Most bytes that one byte of an archive above `FREE_BYTES` may become; text that repeats reaches about 100."""
FREE_BYTES = 16 << 20
_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")


@contextmanager
def opened(path: Path) -> Iterator[LogArchive]:
    """An archive whose directory of members is within the limits.

    Raises:
        InputError: the file is no zip archive, or holds more than the limits allow, or names that lead out of it.
    """
    try:
        file = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise InputError(path, "does not exist") from None
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(path, f"is no readable zip archive ({error})", fix="fetch it again") from None
    with file:
        infos = [info for info in file.infolist() if not info.is_dir()]
        if len(infos) > MAX_MEMBERS:
            raise InputError(path, f"holds {len(infos):,} files, more than {MAX_MEMBERS:,}", fix="unpack it yourself")
        for info in infos:
            _check_name(path, info.filename)
            if info.flag_bits & 1:
                raise InputError(path, "is encrypted", row=info.filename, fix="unpack it yourself")
            _check_size(path, info)
        total = sum(info.file_size for info in infos)
        if total > MAX_TOTAL_BYTES:
            raise InputError(
                path, f"would become {total:,} bytes, more than {MAX_TOTAL_BYTES:,}", fix="unpack it yourself"
            )
        yield LogArchive(path, file, {info.filename: info for info in infos})


def _check_name(path: Path, name: str) -> None:
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or ":" in parts.parts[0]:
        raise InputError(path, "leads out of the archive", row=name, fix="get it from someone you trust")


def _check_size(path: Path, info: zipfile.ZipInfo) -> None:
    size = info.file_size
    if size > MAX_MEMBER_BYTES or (size > FREE_BYTES and size > MAX_RATIO * max(1, info.compress_size)):
        raise InputError(
            path,
            f"would become {size:,} bytes from {info.compress_size:,}, more than is read out of an archive",
            row=info.filename,
            fix="unpack it yourself if you trust it",
        )


class LogArchive:
    """The members of an open archive.

    Attributes:
        names: of its files, in its order.
    """

    def __init__(self, path: Path, file: zipfile.ZipFile, infos: dict[str, zipfile.ZipInfo]) -> None:
        self._path, self._file, self._infos = path, file, infos
        self.names = list(infos)

    def read(self, name: str) -> bytes:
        """The content of a member.

        Raises:
            InputError: it is broken, longer than the archive's directory says, or packed with Zstandard, which Python
                has from 3.14 and the package backports.zstd before.
        """
        info = self._infos[name]
        try:
            if info.compress_type == _ZSTANDARD:
                content = self._zstandard(info)
            else:
                with self._file.open(info) as member:
                    content = member.read(info.file_size + 1)
        except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError, struct.error) as error:
            raise InputError(self._path, f"can't be unpacked ({error})", row=name, fix="fetch it again") from None
        if len(content) != info.file_size:
            raise InputError(self._path, "is not as long as the archive says", row=name, fix="fetch it again")
        return content

    def _zstandard(self, info: zipfile.ZipInfo) -> bytes:
        decompressor = _decompressor(self._path)
        with self._path.open("rb") as file:
            file.seek(info.header_offset)
            header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
            if header[0] != b"PK\x03\x04":
                raise ValueError("no file begins where the archive says")
            file.seek(header[-2] + header[-1], 1)
            packed = file.read(info.compress_size)
        try:
            content: bytes = decompressor.decompress(packed, info.file_size + 1)
        except Exception as error:  # zstd's own error type differs between Python's and the backport's
            raise ValueError(str(error)) from None
        return content


def _decompressor(path: Path) -> Any:
    for name in ("compression.zstd", "backports.zstd"):  # Python's own from 3.14, and what brings it to earlier ones
        try:
            return import_module(name).ZstdDecompressor()
        except ImportError:
            continue
    raise InputError(
        path,
        "is packed with Zstandard, for which Python before 3.14 needs the package 'backports.zstd'",
        fix="install it with pip, or write the log as JSON with inspect log convert",
    )
