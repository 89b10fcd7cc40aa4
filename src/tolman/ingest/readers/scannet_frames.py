"""Frames of ScanNet: its .sens files, and the folders that ScanNet's readers export them into.

A .sens file holds one camera's colour and depth pictures with its poses, one frame after the other. Source of the
layout: ScanNet/ScanNet, SensReader/c++/src/sensorData.h. Little-endian, nothing padded.

| field | type |
|---|---|
| version | uint32, 4 |
| sensor name | uint64 length, bytes |
| colour intrinsic, colour extrinsic, depth intrinsic, depth extrinsic | 16 float32 each, row by row |
| colour compression | int32: 0 raw, 1 PNG, 2 JPEG |
| depth compression | int32: 0 raw, 1 zlib, 2 occipital (which nothing public reads) |
| colour width, height, depth width, height | 4 uint32 |
| depth shift | float32: units of a metre |
| frames | uint64 |
| each frame | pose 16 float32, times of colour and depth 2 uint64 (µs), their bytes 2 uint64, colour, depth |
| IMU readings | uint64, 128 bytes each; older files end before it |

Only the heads of frames are read at first; a picture is read when it is asked for.

An exported folder holds one file for each frame, named by its number. Numbers aren't padded: frame 10 comes after frame
9, not after frame 1.

```
color/0.jpg 1.jpg … 10.jpg   pose/0.txt (4 lines of 4 numbers)   intrinsic/intrinsic_color.txt (the same)
```
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.readers.picture_sources import decode
from tolman.ingest.readers.text_records import in_order
from tolman.ingest.scan_format import Picture

_PICTURES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True)
class ExportedScan:
    """Attributes:
    paths: the pictures, in the order of their numbers.
    numbers: of the frames.
    poses: camera → the scan's frame, shape (n, 4, 4), nan where there is no file.
    intrinsic: of the colour camera, shape (4, 4).
    size: of the pictures.
    """

    paths: tuple[Path, ...]
    numbers: tuple[int, ...]
    poses: Floats
    intrinsic: Floats
    size: tuple[int, int]

    def pictures(self, frames: Sequence[int]) -> Iterator[Picture]:
        """The pictures at some places.

        Raises:
            InputError: one can't be read.
        """
        for frame in frames:
            yield decode(self.paths[frame], self.paths[frame], "it")


def read_exported(folder: Path) -> ExportedScan:
    """Read everything but the pictures.

    Raises:
        InputError: there are no pictures or intrinsics, or a file is no matrix.
    """
    paths = in_order(path for path in (folder / "color").iterdir() if path.suffix.lower() in _PICTURES)
    if not paths:
        raise InputError(folder / "color", "holds no picture")
    strange = next((path for path in paths if not path.stem.isascii() or not path.stem.isdigit()), None)
    if strange is not None:
        raise InputError(strange, "is not named by the number of its frame")
    numbers = tuple(int(path.stem) for path in paths)
    if len(set(numbers)) < len(numbers):
        raise InputError(folder / "color", "has two pictures of one frame")
    poses = np.full((len(paths), 4, 4), np.nan)
    for i, path in enumerate(paths):
        file = folder / "pose" / f"{path.stem}.txt"
        if file.is_file():
            poses[i] = read_matrix(file)
    first = decode(paths[0], paths[0], "it")
    intrinsic = read_matrix(folder / "intrinsic" / "intrinsic_color.txt")
    return ExportedScan(tuple(paths), numbers, poses, intrinsic, (first.shape[1], first.shape[0]))


def read_matrix(path: Path) -> Floats:
    """A matrix of a text file, shape (4, 4); its numbers may be infinite.

    Raises:
        InputError: the file isn't there or holds something else than 16 numbers.
    """
    try:
        values = np.array([float(word) for word in path.read_text(encoding="ascii").split()])
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    except ValueError:
        raise InputError(path, "holds something other than numbers") from None
    if len(values) != 16:
        raise InputError(path, f"holds {len(values)} numbers instead of 16")
    return values.reshape(4, 4)


_VERSION = 4
_LONGEST_NAME = 4096
_LARGEST = 16384
_HEAD = struct.Struct("<16f4Q")
_IMU = 5 * 3 * 8 + 8
RAW, PNG, JPEG = 0, 1, 2
ZLIB = 1


@dataclass(frozen=True)
class Sens:
    """Header and frames of a .sens file, without its pictures.

    Attributes:
        path: of the file.
        name: of the sensor.
        color_intrinsic, depth_intrinsic: shape (4, 4).
        color_compression, depth_compression: codes of the table above.
        color_size, depth_size: width and height.
        depth_shift: depth values of a metre.
        poses: camera → the scan's frame, shape (n, 4, 4), not finite where tracking was lost.
        color_times, depth_times: microseconds, shape (n,).
        places: offset and length of each frame's colour, and of its depth, in bytes, shape (n, 4).
    """

    path: Path
    name: str
    color_intrinsic: Floats
    depth_intrinsic: Floats
    color_compression: int
    depth_compression: int
    color_size: tuple[int, int]
    depth_size: tuple[int, int]
    depth_shift: float
    poses: Floats
    color_times: NDArray[np.uint64]
    depth_times: NDArray[np.uint64]
    places: NDArray[np.int64]

    def pictures(self, frames: Sequence[int]) -> Iterator[Picture]:
        """The colour pictures of some frames, RGB.

        Raises:
            InputError: one can't be read; names its frame and offset.
        """
        with self.path.open("rb") as file:
            for frame in frames:
                offset, length = self.places[frame, :2].tolist()
                data = self._bytes(file, frame, offset, length)
                what = f"the colour of frame {frame} at byte {offset:,}"
                if self.color_compression != RAW:
                    yield decode(data, self.path, what)
                    continue
                width, height = self.color_size
                if len(data) != width * height * 3:
                    raise InputError(self.path, f"{what} has {len(data):,} bytes, not {width}×{height}×3")
                yield np.frombuffer(data, dtype=np.uint8).reshape(height, width, 3)

    def depth(self, frame: int) -> Floats:
        """A depth picture in metres, shape (height, width), 0 where there is no reading.

        Raises:
            InputError: it can't be read; names its frame and offset.
        """
        offset, length = self.places[frame, 2:].tolist()
        width, height = self.depth_size
        with self.path.open("rb") as file:
            data = self._bytes(file, frame, offset, length)
        what = f"the depth of frame {frame} at byte {offset:,}"
        if self.depth_compression == ZLIB:
            try:
                # No more than the picture and a byte: what unpacks to more isn't one.
                data = zlib.decompressobj().decompress(data, width * height * 2 + 1)
            except zlib.error as error:
                raise InputError(self.path, f"{what} can't be unpacked ({error})") from None
        if len(data) != width * height * 2:
            raise InputError(self.path, f"{what} has not {width}×{height} values")
        return np.frombuffer(data, dtype="<u2").reshape(height, width) / self.depth_shift

    def _bytes(self, file: BinaryIO, frame: int, offset: int, length: int) -> bytes:
        file.seek(offset)
        data = file.read(length)
        if len(data) < length:
            raise InputError(self.path, f"is cut off in frame {frame} at byte {offset + len(data):,}")
        return data


def read_sens(path: Path) -> Sens:
    """Read everything of a .sens file but its pictures.

    Raises:
        InputError: it is cut off, or a number in it can't be right; names the offset.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _read(path, file, size)
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None


def _read(path: Path, file: BinaryIO, size: int) -> Sens:
    (version,) = _take(path, file, size, "<I", "its version")
    if version != _VERSION:
        raise InputError(path, f"is no .sens file of version {_VERSION} (byte 0 says {version})")
    (length,) = _take(path, file, size, "<Q", "the length of its sensor's name")
    if length > _LONGEST_NAME:
        raise InputError(path, f"says at byte 4 that its sensor's name has {length:,} letters")
    (name,) = _take(path, file, size, f"<{length}s", "its sensor's name")
    matrices = np.array(_take(path, file, size, "<64f", "its calibration"), dtype=np.float64).reshape(4, 4, 4)
    start = file.tell()
    color_kind, depth_kind = _take(path, file, size, "<2i", "its compressions")
    if color_kind not in (RAW, PNG, JPEG):
        raise InputError(path, f"has a colour compression {color_kind} at byte {start:,}; known: 0, 1, 2")
    if depth_kind not in (RAW, ZLIB):
        raise InputError(path, f"has a depth compression {depth_kind} at byte {start + 4:,}; known: 0, 1")
    sizes = _take(path, file, size, "<4I", "its sizes")
    if not all(0 < side <= _LARGEST for side in sizes[:2]) or not all(side <= _LARGEST for side in sizes[2:]):
        raise InputError(path, f"has pictures of the sizes {', '.join(map(str, sizes))} at byte {start + 8:,}")
    (shift,) = _take(path, file, size, "<f", "its depth shift")
    if not (np.isfinite(shift) and shift > 0):
        raise InputError(path, f"has a depth shift of {shift:g} at byte {start + 24:,}")
    start = file.tell()
    (count,) = _take(path, file, size, "<Q", "the number of its frames")
    if count * _HEAD.size > size - file.tell():
        raise InputError(
            path, f"says at byte {start:,} that it has {count:,} frames, which its {size:,} bytes can't hold",
            fix="get it again",
        )  # fmt: skip
    poses = np.empty((count, 4, 4))
    times = np.empty((count, 2), dtype=np.uint64)
    places = np.empty((count, 4), dtype=np.int64)
    for frame in range(count):
        begin = file.tell()
        *pose, color_time, depth_time, color, depth = _take(path, file, size, _HEAD.format, f"frame {frame} of {count}")
        here = begin + _HEAD.size
        if color > size - here or depth > size - here - color:
            raise InputError(
                path,
                f"is cut off at byte {size:,}: frame {frame} of {count:,} begins at byte {begin:,} and says that it "
                f"takes {_HEAD.size + color + depth:,}",
                fix="get it again",
            )
        poses[frame] = np.array(pose).reshape(4, 4)
        times[frame] = color_time, depth_time
        places[frame] = here, color, here + color, depth
        file.seek(color + depth, os.SEEK_CUR)
    _check_end(path, file, size)
    return Sens(
        path=path,
        name=name.decode("utf-8", "replace"),
        color_intrinsic=matrices[0],
        depth_intrinsic=matrices[2],
        color_compression=color_kind,
        depth_compression=depth_kind,
        color_size=(sizes[0], sizes[1]),
        depth_size=(sizes[2], sizes[3]),
        depth_shift=float(shift),
        poses=poses,
        color_times=times[:, 0],
        depth_times=times[:, 1],
        places=places,
    )


def _check_end(path: Path, file: BinaryIO, size: int) -> None:
    """Check the end of a file: after the frames nothing, or as many IMU readings as are said."""
    here = file.tell()
    if here == size:
        return
    (count,) = _take(path, file, size, "<Q", "the number of its IMU readings")
    if here + 8 + count * _IMU != size:
        raise InputError(
            path,
            f"says at byte {here:,} that {count:,} IMU readings follow, and it ends at byte {size:,}: it is cut off, "
            "or the number of its frames is wrong",
            fix="get it again",
        )


def _take(path: Path, file: BinaryIO, size: int, form: str, what: str) -> tuple[Any, ...]:
    begin = file.tell()
    length = struct.calcsize(form)
    data = file.read(length) if length <= size - begin else b""
    if len(data) < length:
        raise InputError(path, f"is cut off at byte {size:,}, in {what}, which begins at byte {begin:,}")
    return struct.unpack(form, data)
