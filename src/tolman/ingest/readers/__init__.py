"""Files that formats consist of: numbers in texts and in names, quaternions, long JSON lists of records, PLY files.

Errors in a text file are reported with file and line. Names with numbers come in the order of the numbers: frame 10
comes after frame 9, padded or not. Quaternions are read as rotation matrices. A JSON file that is one long list is read
one record after the other: tables of millions of rows.
PLY files are read by the names of their properties, as those of a scan come in any order and number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.extras import needs
from tolman.geometry.boxes import Floats

_PARTS = re.compile(r"(\d+)")


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key to sort names by, in which runs of digits count as whole numbers."""
    parts = _PARTS.split(name)
    return tuple((0, int(part), part) if i % 2 else (1, 0, part) for i, part in enumerate(parts))


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Paths in the order of their names; hidden ones are left out, as systems and archivers put them next to files."""
    seen = (path for path in paths if not path.name.startswith("."))
    return sorted(seen, key=lambda path: (natural(path.name), path))


def scan_folders(places: Iterable[Path], mesh: Callable[[Path], Path]) -> list[Path]:
    """The folders among some that hold the mesh of a scan, each once, in the order of their names."""
    found = {place.resolve(): place for place in places if mesh(place).is_file()}
    return sorted(found.values(), key=lambda place: natural(place.resolve().name))


def all_files(folder: Path) -> tuple[Path, ...]:
    """All files of a scan, by which a change is noticed; hidden ones aside."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    kept = (path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts))
    return tuple(sorted(kept, key=lambda path: natural(path.as_posix())))


def scene_name(root: Path, place: Path) -> str:
    """The name of a scene: of its folder, or of the folders from the one that was given."""
    return place.resolve().name if place == root else "_".join(place.relative_to(root).parts)


def read_text(path: Path) -> str:
    """A text file.

    Raises:
        InputError: it is missing, can't be read or is no text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(path, "is missing") from None
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise InputError(path, f"is no text: byte {error.start:,} is no UTF-8", fix="get it again") from None


def contained(folder: Path, path: Path) -> Path:
    """A file or folder of a scan, which must be within the scan's folder, links followed.

    Raises:
        InputError: it is elsewhere, or missing. Nothing of its content is repeated.
    """
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(path, f"leads outside its scan's folder, {folder}", fix="copy it there")
    if not path.exists():
        raise InputError(path, "is missing")
    return path


def numbers_of(path: Path, words: Sequence[str], row: int | str | None = None) -> Floats:
    """Words as numbers, shape (n,).

    Raises:
        InputError: one is no number, or not finite.
    """
    try:
        found = np.array([float(word) for word in words])
    except ValueError as error:
        raise InputError(path, f"a number was expected ({error})", row=row) from None
    if not np.isfinite(found).all():
        raise InputError(
            path, f"holds '{words[int(np.flatnonzero(~np.isfinite(found))[0])]}', which isn't finite", row=row
        )
    return found


def list_of(path: Path, value: Any, count: int, row: int | str | None, field: str) -> Floats:
    """A list of so many finite numbers of a JSON file, shape (count,).

    Raises:
        InputError: it is none.
    """
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.empty(0)
    if found.shape != (count,):
        raise InputError(path, f"takes {count} finite numbers", row=row, field=field)
    if not np.isfinite(found).all():
        i = int(np.flatnonzero(~np.isfinite(found))[0])
        raise InputError(path, f"its number {i + 1} is {found[i]}, which isn't finite", row=row, field=field)
    return found


_TOLERANCE = 1e-3


def rotations(w: Floats, x: Floats, y: Floats, z: Floats) -> Floats:
    """Rotation matrices of quaternions, which are made to be of length 1 first.

    Args:
        w, x, y, z: the real part and the three others, shape (…,) each. Files differ in which comes first.

    Returns:
        Shape (…, 3, 3).

    Raises:
        ValueError: one isn't of length 1, but for rounding.
    """
    lengths = np.sqrt(w * w + x * x + y * y + z * z)
    if not np.all(np.abs(lengths - 1) < _TOLERANCE):
        worst = float(np.ravel(lengths)[int(np.argmax(np.abs(np.ravel(np.nan_to_num(lengths, nan=np.inf)) - 1)))])
        raise ValueError(f"a quaternion has the length {worst:.4g}, not 1")
    w, x, y, z = w / lengths, x / lengths, y / lengths, z / lengths
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
        ],
        axis=-2,
    )


def rigid(rotation: Floats, translation: Floats) -> Floats:
    """Rigid transforms, shape (…, 4, 4), of rotations of shape (…, 3, 3) and translations of shape (…, 3)."""
    matrix = np.zeros((*rotation.shape[:-2], 4, 4))
    matrix[..., :3, :3], matrix[..., :3, 3], matrix[..., 3, 3] = rotation, translation, 1.0
    return matrix


RIGID = 1e-3
"""Largest deviation of a pose's rotation and last row that counts as none."""


def pose_of(path: Path, value: Any, *, row: str) -> Floats:
    """A pose of a JSON file, 4×4 or its first three rows, shape (4, 4).

    Raises:
        InputError: it is none; says which number isn't finite.
    """
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.empty(0)
    if found.size not in (12, 16):
        raise InputError(path, "takes a pose of 4×4 numbers", field=row)
    pose = np.eye(4)
    pose[: found.size // 4] = found.reshape(-1, 4)
    if not np.isfinite(pose).all():
        i, j = np.argwhere(~np.isfinite(pose))[0]
        raise InputError(path, f"its row {i + 1}, column {j + 1} is {pose[i, j]}, which isn't finite", field=row)
    with np.errstate(all="ignore"):
        skew = np.abs(pose[:3, :3] @ pose[:3, :3].T - np.eye(3)).max()
    if not skew <= RIGID or np.abs(pose[3] - (0, 0, 0, 1)).max() > RIGID:
        raise InputError(path, "is no rotation and translation with the last row 0 0 0 1", field=row)
    return pose


_CHUNK = 1 << 20
_LONGEST = 1 << 22
"""Characters of the longest row that is believed."""
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class JsonRow:
    """One record.

    Attributes:
        number: its place in the list, from 1.
        fields: its contents.
        text: as in the file.
    """

    number: int
    fields: dict[str, Any]
    text: str


def json_rows(path: Path) -> Iterator[JsonRow]:
    """The records of a file, in constant memory.

    Raises:
        InputError: the file is missing, or isn't a list of JSON objects to its end; names the row.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from _Scanner(path, file.read).rows()
    except UnicodeDecodeError as error:
        raise InputError(path, f"is no text in UTF-8 ({error.reason})", fix="download it again") from None
    except FileNotFoundError:
        raise InputError(path, "is missing", fix="download it") from None
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror or error})") from None


class _Scanner:
    """A window that is moved over a text."""

    def __init__(self, path: Path, read: Any) -> None:
        self._path, self._read = path, read
        self._decoder = json.JSONDecoder(parse_constant=_refuse)
        self._text, self._at, self._number = "", 0, 0

    def rows(self) -> Iterator[JsonRow]:
        if self._next() != "[":
            raise InputError(self._path, "is no list of records", fix="download it again")
        self._at += 1
        first = True
        while (sign := self._next()) != "]":
            if not first:
                if sign != ",":
                    self._broken(
                        "is followed by something other than ',' or ']'" if sign else "is the last, and no ']' follows"
                    )
                self._at += 1
                sign = self._next()
            self._number += 1
            if sign != "{":
                self._broken("is no record" if sign else "is missing: the file is cut off")
            yield self._row()
            first = False
        self._at += 1
        if self._next():
            raise InputError(self._path, "continues after the end of its list", fix="download it again")

    def _row(self) -> JsonRow:
        while True:
            try:
                fields, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                # Perhaps the rest of the row hasn't been read yet.
                if len(self._text) - self._at > _LONGEST:
                    self._broken(f"is no JSON ({error.msg})")
                if not self._more():
                    self._broken("is cut off" if error.pos >= len(self._text.rstrip()) else f"is no JSON ({error.msg})")
            except (ValueError, RecursionError) as error:
                self._broken(f"is no JSON ({error})")
            else:
                row = JsonRow(self._number, fields, self._text[self._at : end])
                self._at = end
                return row

    def _next(self) -> str:
        """The next character that is no space; empty at the end of the file."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        more = self._read(_CHUNK)
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)

    def _broken(self, what: str) -> NoReturn:
        raise InputError(self._path, what, row=self._number, fix="download it again")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_INDICES = ("vertex_indices", "vertex_index")
_HEADER = 1 << 16
"""Bytes in which a header must end."""
_MAGIC = {b"LASF": "a LAS or LAZ file", b"ASTM-E57": "an E57 file", b"glTF": "a GLB file", b"PK\x03\x04": "a ZIP file"}
_BY_SUFFIX = {".obj": "an OBJ file", ".gltf": "a glTF file", ".stl": "an STL file", ".pcd": "a PCD file"}
"""Files of other formats, by their first bytes or their suffix."""
_FARTHEST = 1e9
"""Limit that no coordinate reaches, in any unit."""
_WIDTHS = {
    **dict.fromkeys(("char", "uchar", "int8", "uint8"), 1),
    **dict.fromkeys(("short", "ushort", "int16", "uint16"), 2),
    **dict.fromkeys(("int", "uint", "float", "int32", "uint32", "float32"), 4),
    **dict.fromkeys(("double", "float64"), 8),
}


@dataclass(frozen=True)
class Ply:
    """Contents of a PLY file.

    Attributes:
        path: of the file.
        points: x, y, z, shape (n, 3).
        faces: three points each, shape (m, 3); a face of more corners is cut into a fan of triangles.
        rows: the face of the file that each triangle is part of, shape (m,).
        vertex, face: the other properties by their names, one value for each vertex, and for each face of the file.
    """

    path: Path
    points: Floats
    faces: NDArray[np.int64]
    rows: NDArray[np.int64]
    vertex: dict[str, NDArray[Any]]
    face: dict[str, NDArray[Any]]

    def of_vertices(self, name: str) -> NDArray[Any]:
        """A property of the vertices.

        Raises:
            InputError: they don't have it.
        """
        return self._named(self.vertex, name, "vertices")

    def of_faces(self, name: str) -> NDArray[Any]:
        """A property of the faces, one value for each of `faces`.

        Raises:
            InputError: they don't have it.
        """
        return np.asarray(self._named(self.face, name, "faces")[self.rows])

    def _named(self, found: dict[str, NDArray[Any]], name: str, what: str) -> NDArray[Any]:
        if name not in found:
            known = ", ".join(sorted(found)) or "none"
            other, rest = ("faces", self.face) if what == "vertices" else ("vertices", self.vertex)
            has = f"; its {other} have it" if name in rest else ""
            raise InputError(self.path, f"its {what} have no property '{name}' (others than places: {known}){has}")
        return found[name]


def read_ply(path: Path) -> Ply:
    """Read a mesh or a cloud; the coordinates are taken as they are.

    Raises:
        InputError: it can't be read, is cut off, or a number in it can't be right.
        MissingExtraError: plyfile is not installed.
    """
    with needs("build", "Reading PLY files"):
        import plyfile
    _check_size(path)
    try:
        try:
            data = plyfile.PlyData.read(str(path), known_list_len={"face": dict.fromkeys(_INDICES, 3)})
        except plyfile.PlyElementParseError:
            data = plyfile.PlyData.read(str(path))
    except (plyfile.PlyParseError, ValueError, TypeError, IndexError, MemoryError, OverflowError) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(path, f"is no readable PLY file ({what})", fix="get it again") from None
    elements = {element.name: element for element in data.elements}
    if "vertex" not in elements:
        raise InputError(path, "has no vertices")
    rows = elements["vertex"].data
    names = rows.dtype.names or ()
    if any(axis not in names for axis in "xyz"):
        raise InputError(path, "its vertices lack x, y or z")
    points = np.stack([_numbers(path, rows[axis]) for axis in "xyz"], axis=1)
    if not np.isfinite(points).all():
        bad = int(np.flatnonzero(~np.isfinite(points).all(1))[0])
        raise InputError(path, f"vertex {bad} has a coordinate that isn't finite")
    if np.abs(points).max(initial=0.0) > _FARTHEST:
        bad = int(np.abs(points).max(1).argmax())
        raise InputError(path, f"vertex {bad} has a coordinate of {points[bad].tolist()}")
    vertex = {name: np.array(rows[name]) for name in names if name not in ("x", "y", "z")}
    if "face" not in elements:
        empty = np.empty(0, dtype=np.int64)
        return Ply(path, points, empty.reshape(0, 3), empty, vertex, {})
    table = elements["face"].data
    index = next((name for name in _INDICES if name in (table.dtype.names or ())), None)
    if index is None:
        raise InputError(path, "its faces have no vertex_indices")
    faces, source = _triangles(path, table[index])
    if len(faces) and (faces.min() < 0 or faces.max() >= len(points)):
        bad = int(source[np.flatnonzero(((faces < 0) | (faces >= len(points))).any(1))[0]])
        raise InputError(path, f"face {bad} names a vertex that isn't among the {len(points):,}")
    face = {name: np.array(table[name]) for name in table.dtype.names or () if name != index}
    return Ply(path, points, faces, source, vertex, face)


def ply_parts(path: Path, count: int) -> Iterator[dict[str, NDArray[Any]]]:
    """The properties of a cloud's vertices by name, at most so many at a time where the file is binary.

    Raises:
        InputError: it can't be read, or is cut off.
        MissingExtraError: plyfile is not installed.
    """
    with needs("build", "Reading PLY files"):
        import plyfile
    _check_size(path)
    try:
        rows = plyfile.PlyData.read(str(path))["vertex"].data
    except (plyfile.PlyParseError, ValueError, TypeError, KeyError, IndexError, MemoryError, OverflowError) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(path, f"is no readable PLY file ({what})", fix="get it again") from None
    for first in range(0, len(rows), count):
        part = rows[first : first + count]
        if isinstance(rows, np.memmap):  # pages that are mapped would stay in memory
            skip, some = rows.offset + first * rows.itemsize, min(count, len(rows) - first)
            part = np.fromfile(path, rows.dtype, some, offset=skip)
        yield {name: part[name] for name in rows.dtype.names or ()}


def _numbers(path: Path, column: NDArray[Any]) -> Floats:
    if column.dtype == object:
        raise InputError(path, "a coordinate is a list")
    return np.array(column, dtype=np.float64)


def _triangles(path: Path, lists: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Triangles of a file's faces, and the face that each is part of."""
    if lists.dtype != object:
        if lists.ndim != 2:
            raise InputError(path, "its faces are no lists of vertices")
        return np.array(lists, dtype=np.int64), np.arange(len(lists))
    lengths = np.array([len(one) for one in lists], dtype=np.int64)
    if len(lengths) and lengths.min() < 3:
        raise InputError(path, f"face {int(lengths.argmin())} has {int(lengths.min())} corners")
    flat = np.concatenate([np.asarray(one) for one in lists]).astype(np.int64) if len(lists) else np.empty(0, np.int64)
    starts = lengths.cumsum() - lengths
    source = np.repeat(np.arange(len(lists)), lengths - 2)
    step = np.arange(len(source)) - np.repeat((lengths - 2).cumsum() - (lengths - 2), lengths - 2)
    first = starts[source]
    return np.stack([flat[first], flat[first + step + 1], flat[first + step + 2]], axis=1), source


def _check_size(path: Path) -> None:
    """Check the counts of a header against the file's size before anything is allocated for them.

    Raises:
        InputError: the file can't hold the counts of its header, or there is no header.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    text, mark, _ = head.partition(b"end_header")
    by_bytes = next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)
    other = by_bytes or _BY_SUFFIX.get(path.suffix.lower())
    if not head.startswith(b"ply") and other:
        raise InputError(path, f"is {other}, not a PLY file", fix="convert it to PLY")
    if not head.startswith(b"ply") or not mark:
        raise InputError(path, "is no PLY file: it has no header", fix="get it again")
    ascii_form = b"format ascii" in text
    least = rows = 0
    width = 0
    for line in text.decode("latin-1").splitlines():
        words = line.split()
        if words[:1] == ["element"]:
            least += rows * width
            rows, width = (int(words[2]) if len(words) == 3 and words[2].isdigit() else -1), 0
            if rows < 0:
                raise InputError(path, f"its header has no count in '{line.strip()}'")
        elif words[:1] == ["property"] and len(words) >= 3:
            # A list has at least the number of its entries; of text, a digit and a space.
            kind = words[2] if words[1] == "list" else words[1]
            width += 2 if ascii_form else _WIDTHS.get(kind, 1)
    least += rows * width
    if least > size - len(text):
        raise InputError(
            path,
            f"is cut off: it ends at byte {size:,}, and what its header promises takes {least:,} at least",
            fix="get it again",
        )
