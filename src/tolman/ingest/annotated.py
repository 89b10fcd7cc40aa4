"""Boxes as annotators leave them: checked, put right where that is safe, and laid over a mesh without labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.scenes import OrientedBox, Vector

SKEW = 1e-3
"""The most that axes may miss being a rotation, by the largest entry of AAᵀ − 1: files with six digits miss it by
1e-6; what misses it by more than this is broken."""
LARGEST = 200.0
"""Metres; a box longer than this is given in another unit."""
MARGIN = 0.002
"""Metres by which a box is grown before a mesh is cut up by it, so that what lies on its sides is inside."""


def oriented(
    path: Path, center: ArrayLike, axes: ArrayLike, extents: ArrayLike, *, row: int | str | None = None
) -> OrientedBox:
    """A box from a file.

    Axes that miss being orthogonal unit vectors by less than `SKEW` become the nearest that are; of left-handed ones
    the third is turned round, which leaves the box as it is.

    Args:
        path: the file, for what is said of it.
        center: metres, shape (3,).
        axes: in rows, shape (3, 3).
        extents: full lengths in metres, shape (3,).
        row: which of the file's boxes.

    Raises:
        InputError: it is no box.
    """
    matrix, lengths = np.asarray(axes, dtype=np.float64), np.asarray(extents, dtype=np.float64)
    place = np.asarray(center, dtype=np.float64)
    if not (np.isfinite(matrix).all() and np.isfinite(lengths).all() and np.isfinite(place).all()):
        raise InputError(path, "a box holds a number that isn't finite", row=row)
    skew = float(np.abs(matrix @ matrix.T - np.eye(3)).max())
    if not skew < SKEW:
        raise InputError(path, f"the axes of a box are not orthogonal unit vectors (off by {skew:.2g})", row=row)
    if lengths.max() > LARGEST or np.abs(place).max() > 100 * LARGEST:
        raise InputError(
            path, f"a box is {lengths.max():,.0f} m long, at {np.abs(place).max():,.0f} m", row=row, fix="give metres"
        )
    if np.linalg.det(matrix) < 0:
        matrix = matrix * np.array([[1.0], [1.0], [-1.0]])
    if skew > 1e-12:
        left, _, right = np.linalg.svd(matrix)
        matrix = left @ right
    try:
        return OrientedBox(
            center=vector(place),
            axes=(vector(matrix[0]), vector(matrix[1]), vector(matrix[2])),
            extents=vector(lengths),
        )
    except ValidationError as error:
        raise InputError(path, error.errors()[0]["msg"].removeprefix("Value error, "), row=row) from None


def vector(values: Floats) -> Vector:
    """Three numbers of an array."""
    x, y, z = values.tolist()
    return x, y, z


def faces_in(points: Floats, faces: NDArray[np.int64], boxes: Sequence[tuple[int, OrientedBox]]) -> NDArray[np.int64]:
    """The instance that each face belongs to where a scan says only where boxes are: that in whose box its middle lies,
    of several the smallest one.

    Args:
        points, faces: the mesh, shapes (n, 3) and (m, 3).
        boxes: with their numbers.

    Returns:
        Numbers, 0 for none, shape (m,).
    """
    middles = points[faces].mean(1)
    found = np.zeros(len(faces), dtype=np.int64)
    for number, box in sorted(boxes, key=lambda pair: -float(np.prod(pair[1].extents))):
        center, reach = np.array(box.center), np.linalg.norm(box.extents) / 2 + MARGIN
        near = np.flatnonzero((np.abs(middles - center) <= reach).all(1))
        local = np.abs((middles[near] - center) @ np.array(box.axes).T)
        found[near[(local <= np.array(box.extents) / 2 + MARGIN).all(1)]] = number
    return found
