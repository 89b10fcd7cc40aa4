"""Text files of scans: numbers in them and in their names, quaternions, and long JSON lists of records.

Errors in a text file are reported with file and line. Names with numbers come in the order of the numbers: frame 10
comes after frame 9, padded or not. Quaternions are read as rotation matrices. A JSON file that is one long list is read
one record after the other: tables of millions of rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats

_PARTS = re.compile(r"(\d+)")


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key to sort names by, in which runs of digits count as whole numbers."""
    parts = _PARTS.split(name)
    return tuple((0, int(part), part) if i % 2 else (1, 0, part) for i, part in enumerate(parts))


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Paths in the order of their names; hidden ones are left out, as systems and archivers put them next to files."""
    return sorted((path for path in paths if not path.name.startswith(".")), key=lambda path: natural(path.name))


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
