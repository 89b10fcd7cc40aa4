"""PLY files, read by the names of their properties: those of a scan come in any order and number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.extras import needs
from tolman.geometry.boxes import Floats

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
