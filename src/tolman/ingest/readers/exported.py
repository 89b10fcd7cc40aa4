"""The folders that ScanNet's readers export a .sens file into: one file for each frame, named by its number.

```
color/0.jpg 1.jpg … 10.jpg   pose/0.txt (4 lines of 4 numbers)   intrinsic/intrinsic_color.txt (the same)
```

Numbers aren't padded: frame 10 comes after frame 9, not after frame 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.base import Picture
from tolman.ingest.readers.numbers import in_order
from tolman.ingest.readers.pictures import decode

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
