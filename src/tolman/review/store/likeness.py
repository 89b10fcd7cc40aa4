"""Likeness of pictures that a perceptual hash tells apart: copies that are turned, mirrored or cut a little."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SIDE = 64
"""Pixels of the square that is compared: the middle of a picture."""
SHARE = 0.85
"""Of a picture's shorter side, which the square covers, so that a smaller copy has room."""
_WORKED = 96
"""Pixels of the shorter side of what is turned."""
RADIUS_SHARE = 0.44
"""Of the square: the disc that no turn cuts."""
ALIKE = 0.95
"""Correlation of two pictures' grey levels from which on they count as copies."""
ANGLES = (*range(-15, 16), 90, 180, 270)
"""Degrees by which a copy may be turned."""
SCALES = (0.86, 0.93, 1.0, 1.07)
"""By which it may be larger or smaller."""
_Grey = NDArray[np.float32]


@dataclass(frozen=True)
class Copy:
    """How one picture becomes the other.

    Attributes:
        degrees: by which it is turned, anticlockwise.
        mirrored: whether left and right are changed.
        correlation: of their grey levels then, at most 1.
    """

    degrees: int
    mirrored: bool
    correlation: float

    @property
    def text(self) -> str:
        """The same in words, such as 'turned by 3°'; empty where nothing is changed."""
        ways = [f"turned by about {abs(self.degrees)}°"] if self.degrees else []
        return " and ".join([*ways, *(["mirrored"] if self.mirrored else [])])


_WAYS = tuple((degrees, scale, mirrored) for mirrored in (False, True) for degrees in ANGLES for scale in SCALES)


def copy_of(one: bytes, other: bytes) -> Copy | None:
    """How a picture is a copy of another one; None where it is none.

    Args:
        one, other: files of pictures, small ones for speed.

    Raises:
        OSError: they are none.
    """
    found = _variants(one) @ _upright(other)
    best = int(np.argmax(found))
    if found[best] < ALIKE:
        return None
    degrees, _, mirrored = _WAYS[best]
    return Copy(degrees, mirrored, float(found[best]))


@lru_cache(maxsize=256)
def _upright(picture: bytes) -> _Grey:
    first: _Grey = _looks(picture, [(0, 1.0, False)])[0]
    return first


@lru_cache(maxsize=64)
def _variants(picture: bytes) -> _Grey:
    return _looks(picture, _WAYS)


def _looks(picture: bytes, ways: Sequence[tuple[int, float, bool]]) -> _Grey:
    """Grey levels of the disc in a picture's middle in several ways: (ways, pixels), each of mean 0 and length 1."""
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(picture)) as image:
        factor = _WORKED / min(image.size)
        size = round(image.width * factor), round(image.height * factor)
        grey = image.convert("L").resize(size, Image.Resampling.BOX)
    rows = []
    for degrees, scale, mirrored in ways:
        side = SHARE * min(grey.size) / scale
        turned = (ImageOps.mirror(grey) if mirrored else grey).rotate(degrees, Image.Resampling.BILINEAR)
        left, top = (turned.width - side) / 2, (turned.height - side) / 2
        square = turned.resize((SIDE, SIDE), Image.Resampling.BOX, (left, top, left + side, top + side))
        rows.append(np.asarray(square, dtype=np.float32)[_disc()])
    found = np.stack(rows)
    found -= found.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit: _Grey = np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 1e-6)
    return unit


@lru_cache(maxsize=1)
def _disc() -> NDArray[np.bool_]:
    place = (np.arange(SIDE) + 0.5) / SIDE - 0.5
    return np.asarray(place[None, :] ** 2 + place[:, None] ** 2 <= RADIUS_SHARE**2)
