"""LAS and LAZ files.

Their `gps_time` has two meanings, told apart by bit 0 of the header's global encoding (LAS 1.4, section 2.4): seconds
of the GPS week, or GPS seconds less 1e9. The latter is a date, and is given here in Unix seconds, as cameras and
computers count; the former is taken as it is, a clock whose offset is to be found.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.extras import needs
from tolman.geometry.boxes import Floats
from tolman.ingest.clouds.laz import check_packed
from tolman.ingest.clouds.sweep import AUTO, PointTime, Sweep, checked_count, reading, sweep_of

CHUNK = 200_000
_VLR = 54
_EVLR = 60
_MOST_VLRS = 10_000
GPS_EPOCH = 315_964_800
"""6 January 1980, in Unix seconds."""
_LEAPS = ((1_025_136_015, 16), (1_119_744_016, 17), (1_167_264_017, 18))
"""From which GPS second on clocks of the GPS are how many seconds ahead of Unix time (IERS Bulletin C)."""


def read_las(path: Path, rule: PointTime = AUTO, chunk: int = CHUNK) -> Iterator[Sweep]:
    """The points of a file, in parts of at most so many.

    Raises:
        InputError: it can't be read, or is cut off.
        MissingExtraError: laspy or lazrs is not installed.
    """
    with needs("lidar", "Reading LAS and LAZ files"):
        import laspy
        import lazrs  # noqa: F401
    compressed = _check_header(path)
    with reading(path, "LAS file"), laspy.open(path, read_evlrs=False) as file:
        header = file.header
        held = path.stat().st_size - header.offset_to_point_data
        width = header.point_format.size
        if compressed:
            check_packed(path, header.offset_to_point_data, header.point_count, width)
        else:
            checked_count(path, header.point_count, width, held, header.offset_to_point_data)
        if not (np.isfinite(header.scales).all() and np.isfinite(header.offsets).all() and (header.scales > 0).all()):
            raise InputError(path, "its header has a scale that can't be right", field="scale")
        names = set(header.point_format.dimension_names)
        read = 0
        while read < header.point_count:
            part = file.read_points(chunk)
            if not len(part):
                break
            read += len(part)
            columns = {axis: np.asarray(getattr(part, axis)) for axis in "xyz"}
            columns["intensity"] = np.asarray(part.intensity)
            if "gps_time" in names:
                columns["gps_time"] = _seconds(np.asarray(part.gps_time), bool(header.global_encoding.value & 1))
            extra = rule.field
            if extra and extra in names:
                columns[extra] = np.asarray(part[extra])
            yield sweep_of(path, columns, None, rule)
        if read < header.point_count:
            raise InputError(
                path, f"is cut off: it should hold {header.point_count:,} points, and {read:,} can be read"
            )


def unix_seconds(gps: Floats) -> Floats:
    """GPS seconds as Unix seconds."""
    leaps = np.full(len(gps), 15.0)
    for start, ahead in _LEAPS:
        leaps[gps >= start] = ahead
    return np.asarray(gps + GPS_EPOCH - leaps)


def _seconds(times: Floats, standard: bool) -> Floats:
    return unix_seconds(times + 1e9) if standard else times


def _check_header(path: Path) -> bool:
    """Hold the counts of a header to the file's size before they are believed; whether it is compressed.

    Raises:
        InputError: they can't be right.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(375)
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    if len(head) < 227 or head[:4] != b"LASF":
        raise InputError(path, "is no LAS file: it doesn't begin with a header of that kind")
    length, first, vlrs, form = struct.unpack_from("<HIIB", head, 94)
    if not 227 <= length <= first <= size:
        raise InputError(path, f"its header says that points begin at byte {first:,} of {size:,}")
    if vlrs > min(_MOST_VLRS, (first - length) // _VLR):
        raise InputError(path, f"its header promises {vlrs:,} records in {first - length:,} bytes")
    if head[25] >= 4 and len(head) >= 247:
        begin, evlrs = struct.unpack_from("<QI", head, 235)
        if evlrs and evlrs > max(0, size - begin) // _EVLR:
            raise InputError(path, f"its header promises {evlrs:,} records from byte {begin:,} of {size:,} on")
    return bool(form & 0x80)
