"""COLMAP's sparse models: cameras, registered pictures and points, as binary or text.

Sources: COLMAP's doc/format.rst and src/colmap/sensor/models.h.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import LENS_MODELS, Lens, lens_of
from tolman.ingest.readers import (
    natural,
    numbers_of,
    read_text,
    rigid,
    rotations,
)

_NUMBERS = {number: name for name, (number, *_) in LENS_MODELS.items()}
_UNDISTORT = "undistort the pictures with 'colmap image_undistorter'"


def _lens_of(path: Path, model: str, parameters: Sequence[float], row: int) -> Lens:
    """The lens of a COLMAP camera.

    Raises:
        InputError: the model isn't known here, or the parameters don't fit it.
    """
    try:
        return lens_of(model, parameters)
    except ValueError as error:
        raise InputError(path, str(error), row=row, fix=None if model in LENS_MODELS else _UNDISTORT) from None


@dataclass(frozen=True)
class ColmapCamera:
    """A camera of a model: its lens, and the width and height of its pictures."""

    lens: Lens
    size: tuple[int, int]


@dataclass(frozen=True)
class ColmapImage:
    """A registered picture of a model.

    Attributes:
        name: of its file, below the folder of the pictures.
        camera: its number.
        pose: camera → world, looking along +z with y down, shape (4, 4).
    """

    name: str
    camera: int
    pose: Floats


def model_file(folder: Path, name: str) -> Path | None:
    """The file of a model's part, binary before text, as COLMAP prefers them; None where there is none."""
    return next((folder / f"{name}{end}" for end in (".bin", ".txt") if (folder / f"{name}{end}").is_file()), None)


def read_cameras(path: Path) -> dict[int, ColmapCamera]:
    """The cameras of cameras.bin or cameras.txt, by number.

    Raises:
        InputError: it is cut off, or a camera can't be used.
    """
    return dict(_binary_cameras(path) if path.suffix == ".bin" else _text_cameras(path))


def _text_cameras(path: Path) -> Iterator[tuple[int, ColmapCamera]]:
    for row, line in _lines(path):
        words = line.split()
        if not words:
            continue
        if len(words) < 5:
            raise InputError(path, "takes CAMERA_ID MODEL WIDTH HEIGHT PARAMS", row=row)
        number, width, height = (_whole(path, word, row) for word in (words[0], words[2], words[3]))
        yield (
            number,
            ColmapCamera(_lens_of(path, words[1], numbers_of(path, words[4:], row).tolist(), row), (width, height)),
        )


def _binary_cameras(path: Path) -> Iterator[tuple[int, ColmapCamera]]:
    data = _Binary(path)
    for i in range(data.count(24)):
        number, model, width, height = data.take("<IiQQ")
        if model not in _NUMBERS:
            raise InputError(
                path, f"camera {number} has the model {model}, which can't be undistorted here", fix=_UNDISTORT
            )
        name = _NUMBERS[model]
        parameters = data.take(f"<{LENS_MODELS[name][1] + 2 + LENS_MODELS[name][2]}d")
        yield number, ColmapCamera(_lens_of(path, name, parameters, i + 1), (width, height))


def read_images(path: Path) -> list[ColmapImage]:
    """The registered pictures of images.bin or images.txt, in the order of their names.

    Raises:
        InputError: it is cut off, or a pose can't be used; the picture is named.
    """
    found = _binary_images(path) if path.suffix == ".bin" else _text_images(path)
    return sorted(found, key=lambda one: natural(one.name))


def _text_images(path: Path) -> Iterator[ColmapImage]:
    """Two lines a picture; the second may be empty, and files edited by hand may lack it."""
    points = False
    for row, line in _lines(path):
        words = line.split(maxsplit=9)
        if points and (not words or (len(line.split()) % 3 == 0 and _are_numbers(line.split()))):
            points = False
            continue
        if not words:
            continue
        if len(words) != 10:
            raise InputError(path, "takes IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME", row=row)
        try:
            values = [float(word) for word in words[1:8]]
        except ValueError:
            raise InputError(path, "holds something other than numbers in a pose", row=row) from None
        yield _image(path, words[9].rstrip(), _whole(path, words[8], row), values)
        points = True


def _binary_images(path: Path) -> Iterator[ColmapImage]:
    data = _Binary(path)
    for _ in range(data.count(64)):
        _, *pose, camera = data.take("<I7dI")
        name = data.name()
        (seen,) = data.take("<Q")
        data.skip(24 * seen)
        yield _image(path, name, camera, pose)


def _image(path: Path, name: str, camera: int, values: Sequence[float]) -> ColmapImage:
    """A picture of its world → camera quaternion (w first) and translation."""
    if not np.isfinite(values).all():
        raise InputError(path, f"the pose of '{name}' holds a number that isn't finite")
    w, x, y, z, *shift = (np.array(value) for value in values)
    try:
        rotation = rotations(w, x, y, z)
    except ValueError as error:
        raise InputError(path, f"the pose of '{name}' can't be used: {error}") from None
    return ColmapImage(name, camera, rigid(rotation.T, -rotation.T @ np.array(shift)))


def read_points(path: Path) -> Floats:
    """The points of points3D.bin or points3D.txt, shape (n, 3).

    Raises:
        InputError: it is cut off, or a point isn't finite.
    """
    if path.suffix == ".txt":
        rows = [(row, line.split()) for row, line in _lines(path) if line.strip()]
        short = next((row for row, words in rows if len(words) < 8), None)
        if short is not None:
            raise InputError(path, "takes POINT3D_ID X Y Z R G B ERROR", row=short)
        found = numbers_of(path, [word for _, words in rows for word in words[1:4]])
    else:
        data = _Binary(path)
        values = []
        for _ in range(data.count(51)):
            _, x, y, z, *_, tracked = data.take("<Q3d3Bd Q".replace(" ", ""))
            data.skip(8 * tracked)
            values += [x, y, z]
        found = np.array(values)
        if not np.isfinite(found).all():
            raise InputError(path, f"point {int(np.flatnonzero(~np.isfinite(found))[0]) // 3 + 1} isn't finite")
    return found.reshape(-1, 3)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file that are no comments, with their numbers."""
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.startswith("#"):
            yield row, line


def _whole(path: Path, word: str, row: int) -> int:
    if not word.isdigit():
        raise InputError(path, "holds something other than a whole number where one is wanted", row=row)
    return int(word)


def _are_numbers(words: Iterable[str]) -> bool:
    try:
        for word in words:
            float(word)
    except ValueError:
        return False
    return True


class _Binary:
    """A little-endian file, read from its start to its end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.data = path.read_bytes()
        except OSError as error:
            raise InputError(path, f"can't be read ({error.strerror})") from None
        self.at = 0

    def take(self, form: str) -> tuple[Any, ...]:
        """The next values.

        Raises:
            InputError: the file ends before them.
        """
        size = struct.calcsize(form)
        self._check(size)
        found = struct.unpack_from(form, self.data, self.at)
        self.at += size
        return found

    def count(self, least: int) -> int:
        """The number of entries that follow, of so many bytes at least."""
        (number,) = self.take("<Q")
        if number * least > len(self.data) - self.at:
            raise InputError(
                self.path, f"says that it holds {number:,} entries, more than fit into it", fix="get it again"
            )
        return int(number)

    def name(self) -> str:
        """The next text, to its zero byte."""
        end = self.data.find(b"\0", self.at)
        self._check(1 if end >= 0 else len(self.data))
        text = self.data[self.at : end].decode("utf-8", errors="replace")
        self.at = end + 1
        return text

    def skip(self, size: int) -> None:
        """Pass over some bytes."""
        self._check(size)
        self.at += size

    def _check(self, size: int) -> None:
        if self.at + size > len(self.data):
            raise InputError(
                self.path, f"ends at byte {len(self.data):,}, within an entry that begins before", fix="get it again"
            )
