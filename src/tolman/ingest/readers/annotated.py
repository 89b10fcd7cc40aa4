"""Boxes as annotators leave them: checked, put right where that is safe, and laid over a mesh without labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.checks import FARTHEST_PLACE, SUBTRACT
from tolman.scenes import OrientedBox, Vector

SKEW = 1e-2
"""The most that axes may miss being a rotation, by the largest entry of AAᵀ − 1: files with six digits miss it by
1e-6; what misses it by more than this is broken."""
_EXACT = 1e-12
LARGEST = 200.0
"""Metres; a box longer than this is given in another unit."""
_FARTHEST = 1e5
MARGIN = 0.002
"""Metres by which a box is grown before a mesh is cut up by it, so that what lies on its sides is inside."""


def checked_box(center: Floats, axes: Floats, extents: Floats) -> OrientedBox | str:
    """A box of numbers that somebody else wrote.

    Axes that miss being orthogonal unit vectors by less than `SKEW` become the nearest that are; of left-handed ones
    the third is turned round, which leaves the box as it is.

    Args:
        center: metres, shape (3,).
        axes: in rows, shape (3, 3).
        extents: full lengths in metres, shape (3,).

    Returns:
        The box, or what is wrong with it, as the rest of a sentence.
    """
    if not all(np.isfinite(part).all() for part in (center, extents, axes)):
        return "holds a number that isn't finite"
    if np.abs(center).max() > FARTHEST_PLACE:
        return f"its centre is {np.abs(center).max():,.0f} m from the origin; {SUBTRACT}"
    if max(np.abs(extents).max(), np.abs(axes).max()) > _FARTHEST:
        return "holds a number that is no length"
    if extents.max() > LARGEST:
        return f"is {extents.max():,.0f} m long: its numbers are in another unit than metres"
    skew = np.abs(axes @ axes.T - np.eye(3)).max()
    if skew > SKEW:
        return "has axes that are no rotation"
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([[1.0], [1.0], [-1.0]])
    if skew > _EXACT:
        left, _, right = np.linalg.svd(axes)
        axes = left @ right
    try:
        return OrientedBox(
            center=vector(center), axes=(vector(axes[0]), vector(axes[1]), vector(axes[2])), extents=vector(extents)
        )
    except ValidationError as error:
        return str(error.errors()[0]["msg"]).removeprefix("Value error, ")


def orient(
    path: Path, center: ArrayLike, axes: ArrayLike, extents: ArrayLike, *, row: int | str | None = None
) -> OrientedBox:
    """The same of a file's row.

    Raises:
        InputError: it is no box.
    """
    numbers = (np.asarray(part, dtype=np.float64) for part in (center, axes, extents))
    found = checked_box(*numbers)
    if isinstance(found, str):
        raise InputError(path, f"its box can't be used: {found}", row=row)
    return found


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
