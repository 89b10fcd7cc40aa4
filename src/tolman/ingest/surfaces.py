"""Boxes as annotators leave them, meshes cut into segments with objects as lists of them, and surfaces of scans.

Boxes are checked, put right where that is safe, and laid over a mesh without labels. Segments and objects come from the
JSON files of several data sets.

Surfaces give boxes, evenly spread points and completeness, and check annotated boxes against the mesh: it must have
something where a box is, and its labels must say that very thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError

from tolman.benchmarks.rows import parse_json
from tolman.errors import InputError, invalid_field
from tolman.geometry.boxes import Floats, least_box
from tolman.geometry.camera_geometry import Tree, pixel_rays
from tolman.geometry.motion import GROWN
from tolman.ingest.checks import FARTHEST_PLACE, SUBTRACT, in_millimetres
from tolman.ingest.scan_format import Instance, ScannedSurface
from tolman.scenes import OrientedBox, Vector

SKEW = 1e-2
"""The most that axes may miss being a rotation, by the largest entry of AAᵀ − 1: files with six digits miss it by
1e-6; axes that miss it by more than this are broken."""
_EXACT = 1e-12
LARGEST = 200.0
"""Metres; a box longer than this is given in another unit."""
_FARTHEST = 1e5
MARGIN = 0.002
"""Metres by which a box is grown before a mesh is cut up by it, so that faces on its sides are inside."""


def checked_box(center: Floats, axes: Floats, extents: Floats) -> OrientedBox | str:
    """Make a box from another program's numbers.

    Axes that miss being orthogonal unit vectors by less than `SKEW` become the nearest that are; of left-handed ones
    the third is turned round, which leaves the box as it is.

    Args:
        center: metres, shape (3,).
        axes: in rows, shape (3, 3).
        extents: full lengths in metres, shape (3,).

    Returns:
        The box, or the error, as the rest of a sentence.
    """
    if not all(np.isfinite(part).all() for part in (center, extents, axes)):
        return "holds a number that isn't finite"
    if np.abs(center).max() > FARTHEST_PLACE:
        return f"its centre is {np.abs(center).max():,.0f} m from the origin; {SUBTRACT}"
    if max(np.abs(extents).max(), np.abs(axes).max()) > _FARTHEST:
        return "holds a number that is no length"
    if extents.max() > LARGEST:
        longest = float(extents.max())
        return f"is {longest:,.0f} m long: its numbers are in another unit than metres{in_millimetres(longest)}"
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
        return invalid_field(error)[1]


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
    """Return the instance of each face for a scan that gives boxes alone: the one whose box contains the face's middle,
    the smallest one of several.

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


@dataclass(frozen=True)
class SegmentGroup:
    """One annotated object.

    Attributes:
        number: its objectId as the file has it.
        label: the data set's word for it.
        segments: that it consists of.
        record: all that the file says about it.
    """

    number: int
    label: str
    segments: NDArray[np.int64]
    record: dict[str, Any]


def read_json(path: Path, kind: type[dict[Any, Any]] | type[list[Any]] = dict) -> Any:
    """The content of a JSON file.

    Raises:
        InputError: it can't be read, is no JSON, or is no object (or list).
    """
    try:
        content = parse_json(path, path.read_bytes())
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    if not isinstance(content, kind):
        raise InputError(path, f"holds no {'object' if kind is dict else 'list'}")
    return content


def read_segments(path: Path, count: int, of: str) -> NDArray[np.int64]:
    """The segment of each vertex (or face) of a mesh.

    Args:
        path: a file with `segIndices`.
        count: how many the mesh has.
        of: their kind, 'vertices' or 'faces'.

    Raises:
        InputError: there are fewer or more, or they are no whole numbers.
    """
    found = _whole(path, "segIndices", read_json(path).get("segIndices"))
    if len(found) != count:
        raise InputError(path, f"has {len(found):,} segIndices for a mesh of {count:,} {of}: they don't match")
    return found


def read_groups(path: Path) -> list[SegmentGroup]:
    """The objects of a file with `segGroups`, in its order.

    Raises:
        InputError: a group lacks its objectId, label or segments, or two have the same objectId.
    """
    groups = read_json(path).get("segGroups")
    if not isinstance(groups, list):
        raise InputError(path, "has no list 'segGroups'")
    found = []
    seen: set[int] = set()
    for row, record in enumerate(groups, start=1):
        if not isinstance(record, dict):
            raise InputError(path, "is no object", row=row)
        number, label = record.get("objectId", record.get("id")), record.get("label")
        if not isinstance(number, int) or isinstance(number, bool) or abs(number) > 1 << 31:
            raise InputError(path, "has no whole number", row=row, field="objectId")
        if not isinstance(label, str):
            raise InputError(path, "is no text", row=row, field="label")
        if number in seen:
            raise InputError(path, f"objectId {number} stands twice", row=row)
        seen.add(number)
        found.append(SegmentGroup(number, label, _whole(path, "segments", record.get("segments"), row), record))
    return found


def check_known(path: Path, groups: list[SegmentGroup], segments: NDArray[np.int64], where: Path) -> None:
    """Hold the segments that objects name to those of the mesh.

    Raises:
        InputError: one isn't there.
    """
    known = np.unique(segments)
    for row, group in enumerate(groups, start=1):
        strange = group.segments[~np.isin(group.segments, known)]
        if len(strange):
            raise InputError(path, f"names segment {strange[0]}, which isn't in {where.name}", row=row)


def _whole(path: Path, field: str, values: Any, row: int | None = None) -> NDArray[np.int64]:
    if not isinstance(values, list):
        raise InputError(path, "is no list", row=row, field=field)
    if not values:
        return np.empty(0, dtype=np.int64)
    try:
        found = np.array(values)
    except (ValueError, OverflowError):
        found = np.empty(0)
    if found.dtype.kind not in "iu" or found.ndim != 1:
        raise InputError(path, "holds something other than whole numbers", row=row, field=field)
    return found.astype(np.int64)


def oriented_box(record: Any) -> OrientedBox | str:
    """The box of an `obb`: centroid, axesLengths (full) and normalizedAxes, whose rows of three are its axes.

    Returns:
        The box, or the error.
    """
    if not isinstance(record, dict):
        return "is no object"
    try:
        center = np.array(record["centroid"], dtype=np.float64)
        extents = np.array(record["axesLengths"], dtype=np.float64)
        axes = np.array(record["normalizedAxes"], dtype=np.float64)
    except KeyError as error:
        return f"lacks {error}"
    except (TypeError, ValueError, OverflowError):
        return "holds something other than numbers"
    if center.shape != (3,) or extents.shape != (3,) or axes.size != 9:
        return "has not 3 + 3 + 9 numbers"
    return checked_box(center, axes.reshape(3, 3), extents)


SPREAD = 0.05
"""Metres between points on large faces; scans have small ones, whose corners suffice."""
_LARGE = 0.15
_MOST = 4_000_000
"""Points on large faces, at most."""


def points_of(surface: ScannedSurface, number: int) -> Floats:
    """The points of one instance, shape (n, 3)."""
    if surface.own is not None:
        return np.asarray(surface.points[surface.own == number])
    if not len(surface.faces):
        return np.asarray(surface.points[surface.numbers == number])
    return np.asarray(surface.points[np.unique(surface.faces[surface.numbers == number])])


def box_of(points: Floats) -> OrientedBox | None:
    """The least oriented box around points; None where there are too few."""
    found = least_box(points)
    if found is None or not found[2].max() > 0:
        return None
    center, axes, extents = found
    return OrientedBox.model_validate(
        {"center": center.tolist(), "axes": axes.tolist(), "extents": np.maximum(extents, 0.0).tolist()}
    )


def spread_points(surface: ScannedSurface) -> Floats:
    """The surface's points, and for its large faces points on them, so that no part of it is thinly covered."""
    if not len(surface.faces):
        return surface.points
    corners = surface.points[surface.faces]
    longest = np.zeros(len(corners))
    for i in range(3):
        longest = np.maximum(longest, np.linalg.norm(corners[:, i] - corners[:, i - 1], axis=1))
    steps = np.where(longest > _LARGE, np.ceil(longest / SPREAD), 1).astype(np.int64)
    while ((steps[steps > 1] + 1).astype(float) ** 2).sum() / 2 > _MOST:
        steps = np.where(steps > 1, steps * 2 // 3, 1)
    found = [surface.points]
    for count in np.unique(steps[steps > 1]).tolist():
        rows, columns = np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij")
        inside = rows + columns <= count
        shares = np.stack([rows[inside], columns[inside], (count - rows - columns)[inside]], axis=1) / count
        found.append((shares @ corners[steps == count]).reshape(-1, 3))
    return np.concatenate(found)


def completeness(
    tree: Tree,
    poses: Iterable[Floats],
    intrinsics: Iterable[tuple[float, float, float, float]],
    size: tuple[int, int],
) -> float | None:
    """Return the share of the cameras' view that the mesh covers, by the rays of pixels that lead level or downwards.

    A room's floor, walls and furniture close it downwards, so each of these rays ends somewhere; where one meets no
    mesh, something is missing. Rays that lead upwards don't count: many scans have no ceiling.

    Args:
        tree: of the mesh.
        poses, intrinsics: of some frames, as many of each.
        size: of the pictures that the intrinsics belong to.

    Returns:
        0 to 1; None where no ray leads downwards.
    """
    met = count = 0
    for pose, camera in zip(poses, intrinsics, strict=True):
        rays = pixel_rays(pose, camera, size)
        rays = rays[rays[:, 2] <= 0]
        faces, _ = tree.cast(np.tile(pose[:3, 3], (len(rays), 1)), rays)
        met, count = met + int((faces >= 0).sum()), count + len(rays)
    return met / count if count else None


def majority(numbers: NDArray[np.int64], faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the instance of at least two corners of each face; 0 where all three differ, shape (m,)."""
    own = numbers[faces]
    return np.where(
        own[:, 1] == own[:, 2],
        own[:, 1],
        np.where(own[:, 0] == own[:, 1], own[:, 0], np.where(own[:, 0] == own[:, 2], own[:, 0], 0)),
    )


MIN_BOXES = 4
"""Boxes below which nothing is said."""
HELD = 0.2
"""Share of boxes that must hold something of the mesh, or half of what bears their label."""
MOST_POINTS = 400_000
"""Points of the mesh that are looked at."""


def check_boxes(path: Path, surface: ScannedSurface, points: Floats, instances: Sequence[Instance]) -> list[str]:
    """Check boxes against the mesh.

    Args:
        path: of the scan, for messages.
        surface: the mesh; a cloud decides nothing, since distant things have no points.
        points: on it, evenly spread, shape (n, 3).
        instances: the annotated objects.

    Returns:
        The notes.

    Raises:
        InputError: most boxes hold nothing of the mesh, or not the parts with their number.
    """
    boxed = [(one, one.box) for one in instances if one.box is not None and not one.track]
    if not len(surface.faces) or len(boxed) < MIN_BOXES:
        return []
    few = points[:: max(1, len(points) // MOST_POINTS)]
    empty = sum(not _inside(few, box).any() for _, box in boxed)
    if empty > (1 - HELD) * len(boxed):
        raise InputError(
            path,
            f"{empty} of {len(boxed)} boxes hold nothing of the mesh",
            fix="check that boxes and mesh have the same axes, unit and order of coordinates",
        )
    notes = [f"{empty} of {len(boxed)} boxes hold nothing of the mesh"] if empty > len(boxed) / 2 else []
    labelled = [(box, found) for one, box in boxed if one.number and len(found := points_of(surface, one.number))]
    if len(labelled) < MIN_BOXES:
        return notes
    elsewhere = sum(_inside(found, box).mean() < 0.5 for box, found in labelled)
    if elsewhere > (1 - HELD) * len(labelled):
        raise InputError(
            path,
            f"{elsewhere} of {len(labelled)} boxes don't hold what bears their number in the mesh",
            fix="check 'number' of the objects and the mesh's labels",
        )
    if elsewhere > len(labelled) / 2:
        notes.append(f"{elsewhere} of {len(labelled)} boxes don't hold what bears their number in the mesh")
    return notes


def _inside(points: Floats, box: OrientedBox) -> np.ndarray:
    """Check whether points are in a box grown by the annotators' error, shape (n,)."""
    local = np.abs((points - np.array(box.center)) @ np.array(box.axes).T)
    return np.asarray((local <= np.array(box.extents) / 2 + 2 * GROWN).all(1))
