"""Surfaces of scans: boxes, evenly spread points and completeness, and checks of annotated boxes against the mesh.

The mesh must have something where a box is, and its labels must say that very thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats, least_box
from tolman.geometry.camera_geometry import Tree, pixel_rays
from tolman.geometry.scan_consistency import GROWN
from tolman.ingest.scan_format import Instance, ScannedSurface
from tolman.scenes import OrientedBox

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
