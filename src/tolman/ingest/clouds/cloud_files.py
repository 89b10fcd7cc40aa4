"""Clouds in files: PCD, LAS, LAZ, PLY, E57, XYZ and PTS; their formats, their order, and their times.

PCD files of the Point Cloud Library may be text, binary and compressed binary.

The `gps_time` of LAS and LAZ files has two meanings, distinguished by bit 0 of the header's global encoding (LAS 1.4,
section 2.4): seconds of the GPS week, or GPS seconds less 1e9. The latter is a date, and is given here in Unix seconds,
as cameras and computers count; the former is taken as it is, a clock whose offset is to be found.

Claims of a LAZ file about its own packing are held to its size before it is unpacked. Packed data don't reveal their
unpacked size, so these numbers alone decide the decoder's allocations. Sources: the LASzip record (VLR 'laszip
encoded', 22204) and, for point formats 6 to 10, the head of each chunk. The head holds the first point as it is, the
number of points, and the bytes of each layer.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.extras import needs
from tolman.geometry.boxes import Floats
from tolman.ingest.clouds import AUTO, PointTime, Sweep, checked_count, reading, sweep_of
from tolman.ingest.readers import in_order, ply_parts, rigid, rotations

_MARK = b"laszip encoded\0\0"
_AFTER = 52
"""Bytes from the mark in a record's head to what follows the head."""
_VARIABLE = 0xFFFFFFFF
_MOST_CHUNK = 10_000_000
_MOST_RATIO = 1000
"""So many points at most may be packed in a byte."""
_LAYERS = {10: 9, 11: 1, 12: 2, 13: 1}
_EXTRA = 14
"""The kind of part that has a layer for each of its bytes."""


def check_packed(path: Path, first: int, points: int, width: int) -> None:
    """Hold the counts of a LAZ file to each other and to its size.

    Args:
        path: the file.
        first: byte at which its points begin.
        points: how many its header promises.
        width: bytes of each, unpacked.

    Raises:
        InputError: they can't be right.
    """
    import lazrs

    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(first + 8)
        at = head.find(_MARK) + _AFTER
        if at < _AFTER or at + 34 > first or len(head) < first + 8:
            raise InputError(path, "is no LAZ file: its record of the packing is missing")
        (chunk,) = struct.unpack_from("<I", head, at + 12)
        (count,) = struct.unpack_from("<H", head, at + 32)
        if at + 34 + 6 * count > first:
            raise InputError(path, f"its record of the packing promises {count} parts of a point")
        parts = [struct.unpack_from("<HH", head, at + 34 + 6 * i) for i in range(count)]
        if sum(part[1] for part in parts) != width:
            raise InputError(path, f"its points are of {width} bytes, and packed as {sum(part[1] for part in parts)}")
        (table,) = struct.unpack_from("<q", head, first)
        if not first + 8 <= table <= size - 8:
            raise InputError(path, f"is cut off: its table of chunks should be at byte {table:,} of {size:,}")
        file.seek(table)
        _, chunks = struct.unpack("<II", file.read(8))
        checked_count(path, points, 1, _MOST_RATIO * (table - first - 8), first)
        if chunk != _VARIABLE and not 0 < chunk <= _MOST_CHUNK:
            raise InputError(path, f"its header promises chunks of {chunk:,} points")
        if chunk != _VARIABLE and chunks != -(-points // chunk):
            raise InputError(
                path, f"its {points:,} points in chunks of {chunk:,} don't make the {chunks:,} of its table"
            )
        if chunks > table - first:
            raise InputError(path, f"its table promises {chunks:,} chunks in {table - first:,} bytes")
        file.seek(first)
        rows = lazrs.read_chunk_table(file, lazrs.LazVlr(head[at : at + 34 + 6 * count])) or []
        if sum(row[1] for row in rows) != table - first - 8:
            raise InputError(path, "its chunks don't fill the bytes between its header and their table")
        layers = sum(_LAYERS.get(kind, bytes_ if kind == _EXTRA else 0) for kind, bytes_ in parts)
        if not layers:
            return
        at = first + 8
        for number, (_, length) in enumerate(rows):
            file.seek(at + width)
            found = file.read(4 + 4 * layers)
            said = sum(struct.unpack(f"<{layers}I", found[4:])) if len(found) == 4 + 4 * layers else -1
            if said != length - width - len(found):
                raise InputError(path, f"the layers of chunk {number}, at byte {at:,}, don't fill its {length:,} bytes")
            at += length


LAS_CHUNK = 200_000
_VLR = 54
_EVLR = 60
_MOST_VLRS = 10_000
GPS_EPOCH = 315_964_800
"""6 January 1980, in Unix seconds."""
_LEAPS = ((1_025_136_015, 16), (1_119_744_016, 17), (1_167_264_017, 18))
"""From which GPS second on clocks of the GPS are how many seconds ahead of Unix time (IERS Bulletin C)."""


def read_las(path: Path, rule: PointTime = AUTO, chunk: int = LAS_CHUNK) -> Iterator[Sweep]:
    """The points of a file, in parts of at most so many.

    Raises:
        InputError: it can't be read, or is cut off.
        MissingExtraError: laspy or lazrs is not installed.
    """
    with needs("build", "Reading LAS and LAZ files"):
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


PCD_CHUNK = 1_000_000
_HEADER = 1 << 14
_LEAST_TEXT = 2
_RATIO = 300
"""More than the LZF format can shrink anything."""


def read_pcd(path: Path, stamp: float | None = None, rule: PointTime = AUTO, chunk: int = PCD_CHUNK) -> Iterator[Sweep]:
    """The points of a file; a binary one in parts of at most so many, so that any size fits into memory.

    Raises:
        InputError: it can't be read, or is cut off.
    """
    with reading(path, "PCD file"), path.open("rb") as file:
        header = parse_header(path, _header(path, file))
        if sum(header.counts) > 1024 or len(set(header.fields)) < len(header.fields):
            raise InputError(path, "its header has too many fields, or one twice", field="COUNT")
        dtype = header.dtype
        start = file.tell()
        held = path.stat().st_size - start
        if header.encoding == "binary":
            count = checked_count(path, header.points, dtype.itemsize, held, start)
            for first in range(0, count, chunk):
                part = np.fromfile(file, dtype=dtype, count=min(chunk, count - first))
                yield sweep_of(path, {name: part[name] for name in part.dtype.names or ()}, stamp, rule)
            return
        if header.encoding == "ascii":
            checked_count(path, header.points, _LEAST_TEXT * len(dtype.names or ()) - 1, held, start)
            columns = header.read_ascii(file)
        else:
            _check_compressed(path, file, header.points * dtype.itemsize, held, start)
            file.seek(start)
            columns = header.read_compressed(file)
        read = len(next(iter(columns.values())))
        if read != header.points:
            raise InputError(path, f"is cut off: it should hold {header.points:,} points, and {read:,} are there")
        yield sweep_of(path, columns, stamp, rule)


def _header(path: Path, file: BinaryIO) -> list[str]:
    """Return the lines up to DATA; the file's position is then after them."""
    lines: list[str] = []
    while file.tell() < _HEADER:
        raw = file.readline(_HEADER)
        if not raw:
            break
        line = raw.decode("latin-1").strip()
        if line and not line.startswith("#"):
            lines.append(line)
        if line.startswith("DATA"):
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


def read_e57(path: Path, chunk: int = PCD_CHUNK) -> Iterator[Sweep]:
    """The points of all scans of a file in its own frame, in parts of at most so many.

    Each scan has its pose (ASTM E2807: rotation, then translation); the quaternion is read by the names of its parts,
    because XML leaves their order open.

    Raises:
        InputError: it can't be read, or is cut off.
        MissingExtraError: pye57 is not installed.
    """
    with needs("build", "Reading E57 files"):
        import pye57
    with reading(path, "E57 file"), pye57.E57(str(path)) as file:
        for number in range(file.scan_count):
            scan = file.get_header(number)
            known = set(scan.point_fields)
            kind = next((kind for kind, names in _E57.items() if known.issuperset(names)), None)
            if kind is None:
                raise InputError(path, f"the points of scan {number} have neither x, y, z nor a direction and range")
            wanted = [*_E57[kind], *(name for name in (f"{kind}InvalidState", "intensity") if name in known)]
            columns, buffers = file.make_buffers(wanted, min(chunk, max(1, scan.point_count)))
            pose, read, reader = _e57_pose(scan.node), 0, scan.points.reader(buffers)
            while count := reader.read():
                read += count
                yield _e57_sweep(kind, {name: column[:count].copy() for name, column in columns.items()}, pose)
            reader.close()
            if read < scan.point_count:
                raise InputError(path, f"is cut off: {read:,} of the {scan.point_count:,} points of scan {number}")


_E57 = {
    "cartesian": ("cartesianX", "cartesianY", "cartesianZ"),
    "spherical": ("sphericalRange", "sphericalAzimuth", "sphericalElevation"),
}


def _e57_pose(scan: Any) -> Floats:
    """Scan → file, shape (4, 4)."""
    if not scan.isDefined("pose"):
        return np.eye(4)
    pose = scan["pose"]
    parts = {"rotation": dict.fromkeys("wxyz", 0.0) | {"w": 1.0}, "translation": dict.fromkeys("xyz", 0.0)}
    for part, values in parts.items():
        if pose.isDefined(part):
            parts[part] = {name: float(pose[part][name].value()) for name in values}
    turn = rotations(**{name: np.array(value) for name, value in parts["rotation"].items()})
    return rigid(turn, np.array([*parts["translation"].values()]))


def _e57_sweep(kind: str, columns: dict[str, NDArray[Any]], pose: Floats) -> Sweep:
    points = np.column_stack([columns[name] for name in _E57[kind]])
    good = np.isfinite(points).all(1) & (columns.get(f"{kind}InvalidState", np.zeros(len(points))) == 0)
    if kind == "spherical":
        ranges, azimuth, elevation = points.T
        level = ranges * np.cos(elevation)
        points = np.column_stack([level * np.cos(azimuth), level * np.sin(azimuth), ranges * np.sin(elevation)])
    good &= (points != 0).any(1)
    intensity = columns.get("intensity")
    placed = points[good] @ pose[:3, :3].T + pose[:3, 3]
    return Sweep(None, placed, None if intensity is None else intensity[good].astype(np.float64))


def read_xyz(path: Path, chunk: int = PCD_CHUNK) -> Iterator[Sweep]:
    """The points of a text: x y z first in each line, apart by blanks, tabs, commas or semicolons, in parts.

    A first line of words, and that of a PTS file with the number of points, are passed over.

    Raises:
        InputError: a line doesn't begin with three numbers, or the number of points is another.
    """
    with reading(path, "text of points"), path.open(encoding="utf-8-sig", errors="strict") as file:
        begin, said, line = 0, None, ""
        for line in file:
            words = re.split(r"[\s,;]+", line.strip())
            if len(words) == 1 and words[0].isdigit():
                said = int(words[0])
            elif words != [""] and _are_numbers(words[:3]) and len(words) >= 3:
                break
            elif begin or not line.strip():
                raise InputError(path, "doesn't begin with x y z", row=begin + 1)
            begin += 1
        sign = ";" if ";" in line else "," if "," in line else None
        file.seek(0)
        for _ in range(begin):
            file.readline()
        read = 0
        while len(part := _rows(path, file, sign, chunk, begin + read)):
            read += len(part)
            yield sweep_of(path, dict(zip("xyz", part.T, strict=True)), None)
        if said is not None and read != said:
            raise InputError(path, f"should hold {said:,} points, and {read:,} are there")


def _rows(path: Path, file: Any, sign: str | None, chunk: int, before: int) -> Floats:
    lines = list(islice(file, chunk))
    if not lines:
        return np.empty((0, 3))
    try:
        return np.loadtxt(lines, delimiter=sign, usecols=(0, 1, 2), ndmin=2, comments=None)
    except ValueError:
        for i, line in enumerate(lines):
            words = line.split(sign)
            if not _are_numbers(words[:3]) or len(words) < 3:
                raise InputError(path, f"'{line.strip()[:40]}' isn't x y z", row=before + i + 1) from None
        raise


def _are_numbers(words: Sequence[str]) -> bool:
    try:
        return bool([float(word) for word in words])
    except ValueError:
        return False


SUFFIXES = (".pcd", ".las", ".laz", ".ply", ".e57", ".xyz", ".pts")


def cloud_files(place: Path) -> list[Path]:
    """The clouds of a folder in the order of the numbers in their names, or the one file.

    Raises:
        InputError: there are none, or of several kinds.
    """
    if place.is_file():
        return [place]
    found = [path for path in place.iterdir() if path.suffix.lower() in SUFFIXES] if place.is_dir() else []
    if not found:
        raise InputError(place, f"holds no clouds ({', '.join(SUFFIXES)})")
    kinds = {path.suffix.lower() for path in found}
    if len(kinds) > 1:
        raise InputError(place, f"holds clouds of several kinds: {', '.join(sorted(kinds))}")
    return in_order(found)


def stamp_in_name(path: Path) -> float | None:
    """When a cloud was taken, if its name is a time: seconds with a point, or whole nano-, micro- or milliseconds."""
    if re.fullmatch(r"\d{9,10}\.\d+", path.stem):
        return float(path.stem)
    for digits, scale in ((19, 1e-9), (16, 1e-6), (13, 1e-3)):
        if re.fullmatch(rf"\d{{{digits}}}", path.stem):
            return int(path.stem) * scale
    return None


def read_stamps(path: Path) -> Floats:
    """One time for each sweep or frame: the first number of each line, seconds; a header and '#' lines are passed over.

    Raises:
        InputError: a line has no number, or times fall.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"can't be read ({error})") from None
    found: list[float] = []
    for number, line in enumerate(lines, start=1):
        text = re.split(r"[,;\s]+", line.strip())[0]
        if not text or line.lstrip().startswith("#"):
            continue
        try:
            found.append(float(text))
        except ValueError:
            if not found and number == 1:
                continue
            raise InputError(path, f"'{text[:40]}' is no time in seconds", row=number) from None
    times = np.array(found)
    if not len(times) or not np.isfinite(times).all():
        raise InputError(path, "holds no times" if not len(times) else "holds a time that isn't finite")
    if (np.diff(times) < 0).any():
        raise InputError(path, "its times fall", row=int(np.flatnonzero(np.diff(times) < 0)[0]) + 2)
    return times


def read_sweeps(place: Path, stamps: Floats | None = None, rule: PointTime = AUTO) -> Iterator[Sweep]:
    """The sweeps of a file or folder, one after the other; never more than one file's part in memory.

    Args:
        place: a cloud, or a folder of clouds.
        stamps: when each file was taken, seconds by the sensor's clock; None looks into the files and at their names.
        rule: for the time of points.

    Raises:
        InputError: a file can't be read, or there are other numbers of stamps and files.
        MissingExtraError: a package is missing that reads them.
    """
    files = cloud_files(place)
    if stamps is not None and len(stamps) != len(files):
        raise InputError(place, f"holds {len(files)} clouds, and there are {len(stamps)} times for them")
    for number, path in enumerate(files):
        stamp = float(stamps[number]) if stamps is not None else stamp_in_name(path)
        kind = path.suffix.lower()
        if kind == ".pcd":
            yield from read_pcd(path, stamp, rule)
        elif kind in (".las", ".laz"):
            for sweep in read_las(path, rule):
                yield sweep if stamp is None else Sweep(stamp, sweep.points, sweep.intensity, sweep.times)
        elif kind == ".ply":
            for columns in ply_parts(path, PCD_CHUNK):
                yield sweep_of(path, columns, stamp, rule)
        elif kind in (".e57", ".xyz", ".pts"):
            yield from read_e57(path) if kind == ".e57" else read_xyz(path)
        else:
            raise InputError(path, f"is no cloud that can be read ({', '.join(SUFFIXES)})")


ENCODINGS = ("ascii", "binary", "binary_compressed")
_VERSIONS = (".7", "0.7")
_TYPES = {kind: f"<{kind.lower()}" for kind in ("F4", "F8", "U1", "U2", "U4", "U8", "I1", "I2", "I4", "I8")}


@dataclass(frozen=True)
class PcdHeader:
    """Contents of a header.

    Attributes:
        fields: their names; padding, called '_', gets a name that no field can have.
        types: of each field's values, as numpy calls them.
        counts: values of each field.
        points: how many follow.
        encoding: one of `ENCODINGS`.
    """

    fields: tuple[str, ...]
    types: tuple[str, ...]
    counts: tuple[int, ...]
    points: int
    encoding: str

    @property
    def dtype(self) -> np.dtype[np.void]:
        """One point; a field of several values has a column for each, 'name__0000' and so on."""
        return np.dtype([(name, kind) for own, kind in zip(self._columns(), self.types, strict=True) for name in own])

    def _columns(self) -> list[list[str]]:
        """The names of each field's columns."""
        return [
            [field] if count == 1 else [f"{field}__{i:04d}" for i in range(count)]
            for field, count in zip(self.fields, self.counts, strict=True)
        ]

    def read_ascii(self, file: BinaryIO) -> dict[str, Any]:
        """Read the points of a text that begins at the file's position: column → values, shape (points,)."""
        rows = np.atleast_1d(np.loadtxt(file, self.dtype)) if self.points else np.empty(0, self.dtype)
        return {name: rows[name] for name in rows.dtype.names or ()}

    def read_compressed(self, file: BinaryIO) -> dict[str, Any]:
        """Read compressed points, whose two sizes begin at the file's position: column → values, shape (points,).

        Raises:
            ValueError: they don't unpack to the length that the sizes and the header give.
        """
        packed, unpacked = struct.unpack("<II", file.read(8))
        content = decompress_lzf(file.read(packed), unpacked)
        found: dict[str, Any] = {}
        start = 0
        for names, kind in zip(self._columns(), self.types, strict=True):
            count = self.points * len(names)
            values = np.frombuffer(content, kind, count, start).reshape(self.points, len(names))
            found |= {name: values[:, i] for i, name in enumerate(names)}
            start += values.nbytes
        return found


def parse_header(path: Path, lines: Sequence[str]) -> PcdHeader:
    """Parse the lines of a file's header, up to DATA.

    Raises:
        InputError: a line is missing or has an impossible value.
    """
    said = {key.upper(): values for key, *values in (line.split() for line in lines if line.strip())}
    for key in ("FIELDS", "SIZE", "TYPE", "POINTS", "DATA"):
        if not said.get(key):
            raise InputError(path, f"its header has no {key}")
    fields = tuple(f"_ {i}" if name == "_" else name for i, name in enumerate(said["FIELDS"]))
    counts = tuple(int(count) for count in said.get("COUNT") or ["1"] * len(fields))
    if len({len(fields), len(said["SIZE"]), len(said["TYPE"]), len(counts)}) != 1:
        raise InputError(path, "its header names other numbers of FIELDS, SIZE, TYPE and COUNT")
    kinds = [f"{kind}{size}" for kind, size in zip(said["TYPE"], said["SIZE"], strict=True)]
    for kind in kinds:
        if kind not in _TYPES:
            raise InputError(path, f"its header has a field of TYPE {kind[:1]} and SIZE {kind[1:]}")
    encoding, points = said["DATA"][0], int(said["POINTS"][0])
    if " ".join(said.get("VERSION", ["0.7"])) not in _VERSIONS:
        raise InputError(path, "its header's VERSION isn't 0.7")
    if encoding not in ENCODINGS:
        raise InputError(path, f"its header has DATA {encoding[:40]}, which is none of {', '.join(ENCODINGS)}")
    if points < 0 or min(counts) < 1:
        raise InputError(path, "its header has a COUNT below 1 or POINTS below 0")
    return PcdHeader(fields, tuple(_TYPES[kind] for kind in kinds), counts, points, encoding)


def decompress_lzf(packed: bytes, size: int) -> bytes:
    """Unpack data that LibLZF compressed.

    A byte below 32 begins a run of bytes as they are. Any other begins a copy of earlier output: 3 bits of length, 13
    bits of distance.

    Args:
        packed: the compressed bytes.
        size: how many they unpack to.

    Raises:
        ValueError: they don't.
    """
    out = bytearray()
    at, end = 0, len(packed)
    try:
        while at < end and len(out) <= size:
            control = packed[at]
            at += 1
            if control < 32:
                out += packed[at : at + control + 1]
                at += control + 1
                continue
            length = (control >> 5) + 2
            if length == 9:
                length += packed[at]
                at += 1
            back = ((control & 31) << 8) + packed[at] + 1
            at += 1
            if back > len(out):
                raise ValueError(f"its compressed points are corrupt at byte {at}")
            start = len(out) - back
            # A copy may be longer than what it copies, which is repeated then.
            part = bytes(out[start : start + length])
            out += (part * (length // len(part) + 1))[:length]
    except IndexError:
        raise ValueError("its compressed points are cut off") from None
    if len(out) != size or at != end:
        raise ValueError(f"its compressed points unpack to {len(out):,} bytes, and should to {size:,}")
    return bytes(out)
