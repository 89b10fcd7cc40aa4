"""Meshes cut into segments, objects as lists of them, and their boxes: the JSON files of several data sets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.ingest.readers.annotated import checked_box
from tolman.scenes import OrientedBox


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
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"is no JSON ({error})", fix="get it again") from None
    if not isinstance(content, kind):
        raise InputError(path, f"holds no {'object' if kind is dict else 'list'}")
    return content


def read_segments(path: Path, count: int, of: str) -> NDArray[np.int64]:
    """The segment of each vertex (or face) of a mesh.

    Args:
        path: a file with `segIndices`.
        count: how many the mesh has.
        of: what they are, 'vertices' or 'faces'.

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
        The box, or what is wrong with it.
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
