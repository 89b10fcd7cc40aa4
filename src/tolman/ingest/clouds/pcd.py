"""PCD files of the Point Cloud Library: text, binary and compressed binary."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tolman.errors import InputError
from tolman.extras import needs
from tolman.ingest.clouds.sweep import AUTO, PointTime, Sweep, checked_count, reading, sweep_of

CHUNK = 1_000_000
_HEADER = 1 << 14
_LEAST_TEXT = 2
_RATIO = 300
"""More than the LZF format can shrink anything."""


def read_pcd(path: Path, stamp: float | None = None, rule: PointTime = AUTO, chunk: int = CHUNK) -> Iterator[Sweep]:
    """The points of a file; a binary one in parts of at most so many, so that any size fits into memory.

    Raises:
        InputError: it can't be read, or is cut off.
        MissingExtraError: pypcd4 is not installed.
    """
    with needs("lidar", "Reading PCD files"):
        from pypcd4.pypcd4 import Encoding, MetaData, PointCloud
    with reading(path, "PCD file"), path.open("rb") as file:
        header = _header(path, file)
        metadata = MetaData.parse_header(header)
        lengths = {len(metadata.fields), len(metadata.size), len(metadata.type), len(metadata.count)}
        if len(lengths) != 1:
            raise InputError(path, "its header names other numbers of FIELDS, SIZE, TYPE and COUNT")
        if sum(metadata.count) > 1024 or len(set(metadata.fields)) < len(metadata.fields):
            raise InputError(path, "its header has too many fields, or one twice", field="COUNT")
        dtype = metadata.build_dtype()
        start = file.tell()
        held = path.stat().st_size - start
        if metadata.data == Encoding.BINARY:
            count = checked_count(path, metadata.points, dtype.itemsize, held, start)
            for first in range(0, count, chunk):
                part = np.fromfile(file, dtype=dtype, count=min(chunk, count - first))
                yield sweep_of(path, _columns(part), stamp, rule)
            return
        if metadata.data == Encoding.ASCII:
            checked_count(path, metadata.points, _LEAST_TEXT * len(dtype.names or ()) - 1, held, start)
        else:
            _check_compressed(path, file, metadata.points * dtype.itemsize, held, start)
        file.seek(0)
        cloud = PointCloud.from_fileobj(file)
        rows = np.atleast_1d(cloud.pc_data)
        if len(rows) != metadata.points:
            raise InputError(
                path, f"is cut off: it should hold {metadata.points:,} points, and {len(rows):,} are there"
            )
        yield sweep_of(path, _columns(rows), stamp, rule)


def _header(path: Path, file: BinaryIO) -> list[str]:
    """The lines up to DATA; the file stands behind them then."""
    lines: list[str] = []
    while file.tell() < _HEADER:
        raw = file.readline(_HEADER)
        if not raw:
            break
        line = raw.decode("latin-1").strip()
        if line and not line.startswith("#"):
            lines.append(line)
        if line.startswith("DATA"):
            # The library ends a header after ten lines, and those without VIEWPOINT have fewer.
            return lines
    raise InputError(path, "is no PCD file: its header has no DATA line")


def _check_compressed(path: Path, file: BinaryIO, wanted: int, held: int, start: int) -> None:
    sizes = file.read(8)
    if len(sizes) < 8:
        raise InputError(path, f"is cut off at byte {start + len(sizes):,}", fix="copy it again")
    packed, unpacked = struct.unpack("<II", sizes)
    if packed > held - 8:
        raise InputError(
            path,
            f"is cut off: from byte {start + 8:,} on, {packed:,} bytes should follow, and {held - 8:,} do",
            fix="copy it again",
        )
    if unpacked != wanted or unpacked > _RATIO * max(packed, 1):
        raise InputError(path, f"its header promises {wanted:,} bytes of points and its data {unpacked:,}")


def _columns(rows: Any) -> dict[str, Any]:
    return {name: rows[name] for name in rows.dtype.names}
