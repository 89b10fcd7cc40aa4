"""ScanNet++'s depth.bin: the phone's depth pictures, 256×192, in one of two forms.

| form | content |
|---|---|
| whole | one raw deflate stream of float32 metres, all frames |
| framed | for each frame a uint32 length (little-endian) and an LZ4 block of uint16 millimetres, or a raw deflate stream of float32 metres |

Source: scannetpp/scannetpp, iphone/prepare_iphone_data.py.
"""  # noqa: E501

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.extras import needs
from tolman.geometry.boxes import Floats

WIDTH, HEIGHT = 256, 192
_LENGTH = struct.Struct("<I")
_PIXELS = WIDTH * HEIGHT
_CHUNK = 1 << 20


def frame_places(path: Path) -> list[tuple[int, int]] | None:
    """Offset and length of each frame of the framed form; None where the file has the other form.

    Raises:
        InputError: it has neither form, or is cut off; names the frame and the offset.
    """
    size = path.stat().st_size
    places, offset = [], 0
    with path.open("rb") as file:
        while offset < size:
            head = file.read(_LENGTH.size)
            length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else size
            if length == 0 or length > size - offset - _LENGTH.size:
                break
            places.append((offset + _LENGTH.size, length))
            offset += _LENGTH.size + length
            file.seek(offset)
    if offset == size and places:
        return places
    if _is_stream(path):
        return None
    raise InputError(
        path, f"is cut off at byte {size:,}: frame {len(places)} begins at byte {offset:,}", fix="get it again"
    )


def read_depth(path: Path) -> Iterator[Floats]:
    """The depth pictures in metres, one after the other, shape (192, 256), 0 where there is no reading.

    Raises:
        InputError: a frame can't be unpacked, or the file is cut off; names the frame and the offset.
        MissingExtraError: lz4 is not installed.
    """
    places = frame_places(path)
    if places is None:
        yield from _of_stream(path)
        return
    with path.open("rb") as file:
        for frame, (offset, length) in enumerate(places):
            file.seek(offset)
            yield _of_block(file.read(length), path, f"frame {frame} at byte {offset:,}")


def count_frames(path: Path) -> int:
    """Count the pictures of a file; one of the whole form is unpacked for that, a piece at a time.

    Raises:
        InputError: it is cut off or can't be unpacked.
    """
    places = frame_places(path)
    return len(places) if places is not None else sum(1 for _ in _of_stream(path))


def _of_block(data: bytes, path: Path, what: str) -> Floats:
    with needs("ingest", "Reading depth.bin"):
        import lz4.block
    try:
        millimetres = lz4.block.decompress(data, uncompressed_size=2 * _PIXELS)
    except lz4.block.LZ4BlockError:
        millimetres = b""
    if len(millimetres) == 2 * _PIXELS:
        return np.frombuffer(millimetres, dtype="<u2").reshape(HEIGHT, WIDTH) / 1000
    try:
        metres = zlib.decompressobj(-15).decompress(data, 4 * _PIXELS + 1)
    except zlib.error:
        metres = b""
    if len(metres) != 4 * _PIXELS:
        raise InputError(path, f"{what} can't be unpacked", fix="get it again")
    return _metres(metres)


def _metres(data: bytes) -> Floats:
    found = np.frombuffer(data, dtype="<f4").reshape(HEIGHT, WIDTH)
    return np.where(np.isfinite(found), found, 0).astype(np.float64)


def _is_stream(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            return len(zlib.decompressobj(-15).decompress(file.read(_CHUNK), 64)) == 64
        except zlib.error:
            return False


def _of_stream(path: Path) -> Iterator[Floats]:
    unpacker, waiting, frame = zlib.decompressobj(-15), b"", 0
    with path.open("rb") as file:
        while not unpacker.eof:
            here = file.tell()
            data = unpacker.unconsumed_tail or file.read(_CHUNK)
            if not data:
                raise InputError(path, f"is cut off at byte {here:,}, in frame {frame}", fix="get it again")
            try:
                waiting += unpacker.decompress(data, _CHUNK)
            except zlib.error as error:
                raise InputError(path, f"can't be unpacked near byte {here:,} ({error})", fix="get it again") from None
            while len(waiting) >= 4 * _PIXELS:
                picture, waiting = waiting[: 4 * _PIXELS], waiting[4 * _PIXELS :]
                yield _metres(picture)
                frame += 1
    if waiting:
        raise InputError(path, f"ends within frame {frame}", fix="get it again")
