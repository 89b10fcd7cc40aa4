"""Checks of a scan's boxes: that its mesh has something there, and its labels that very thing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.agreement import GROWN
from tolman.geometry.boxes import Floats
from tolman.ingest.base import Instance, ScannedSurface
from tolman.ingest.surfaces import points_of
from tolman.scenes import OrientedBox

MIN_BOXES = 4
"""Boxes below which nothing is said."""
HELD = 0.2
"""Share of boxes that must hold something of the mesh, or half of what bears their label."""
MOST_POINTS = 400_000
"""Points of the mesh that are looked at."""


def check_boxes(path: Path, surface: ScannedSurface, points: Floats, instances: Sequence[Instance]) -> list[str]:
    """Hold boxes to the mesh.

    Args:
        path: of the scan, for what is said.
        surface: the mesh; a cloud says nothing, since what is far off has no points.
        points: on it, evenly spread, shape (n, 3).
        instances: the annotated objects.

    Returns:
        What is to be said.

    Raises:
        InputError: most boxes hold nothing of the mesh, or not what bears their number in it.
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
    """Tell whether points lie in a box grown by as much as annotators are off, shape (n,)."""
    local = np.abs((points - np.array(box.center)) @ np.array(box.axes).T)
    return np.asarray((local <= np.array(box.extents) / 2 + 2 * GROWN).all(1))
