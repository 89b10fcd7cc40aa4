"""Boxes of nuScenes: its annotated objects with their tracks, and what cameras see of them.

Boxes are annotated at keyframes, twice a second. `size` holds width, length and height, while the box's x axis runs
along its length; quaternions have w first. An object whose centre keeps within `STILL` of its first place and whose
axes turn by less than `TURNED` has no track: annotators' hands are no steadier than that.

What a camera sees is computed at its keyframes: the outline of each box inside the picture, times the least share that
the annotation's visibility level promises (0, 40, 60 or 80 % over all six cameras), so `pixels` is about the least
number that show the object, and objects of the lowest level are not counted as seen.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from pydantic import ValidationError

from tolman.errors import InputError
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.visibility import boxes_in_view
from tolman.ingest.base import Instance
from tolman.ingest.readers.nuscenes_tables import Record, Tables
from tolman.ingest.readers.quaternions import rotations
from tolman.scenes import OrientedBox, Sighting, TrackPoint

STILL = 0.25
"""Metres."""
TURNED = 10.0
"""Degrees."""
_LEVEL = re.compile(r"v([0-9]{1,2})-([0-9]{1,3})")
"""As in 'v40-60': per cent of an object that the six cameras show together."""


class Annotations:
    """The annotations of one scene.

    Args:
        tables: of its version.
        scene: its name.
        times: of its samples, by token, in seconds on its time line.
        origin: of its frame in the global one, metres.

    Raises:
        InputError: an instance has two boxes at a time.
    """

    def __init__(self, tables: Tables, scene: str, times: Mapping[str, float], origin: Floats) -> None:
        self._origin = origin
        self._by_instance = _by_instance(tables, scene, times)
        self._instance_of = tables.lookup("instance")
        self._category_of = tables.lookup("category")
        self._visibility_of = tables.lookup("visibility")

    def instances(self, repaired: list[str]) -> tuple[Instance, ...]:
        """The objects, in the order in which they are first annotated.

        Args:
            repaired: where is said whose size changes.

        Raises:
            InputError: an annotation can't be used.
        """
        return tuple(self._instance(rows, repaired) for rows in self._by_instance.values())

    def _instance(self, rows: Sequence[tuple[float, Record]], repaired: list[str]) -> Instance:
        first = rows[0][1]
        category = self._category(first)
        placed = [self._box(record) for _, record in rows]
        widths = np.array([box.extents for box in placed])
        extents = tuple(float(x) for x in np.median(widths, axis=0))
        if np.abs(widths - extents).max() > 0.01:
            repaired.append(
                f"{first.path}: the size of instance {first.text('instance_token')} changes by up to "
                f"{np.abs(widths - extents).max():.2f} m; its median was taken."
            )
        box = OrientedBox(center=placed[0].center, axes=placed[0].axes, extents=extents)  # type: ignore[arg-type]
        moves = any(_differs(placed[0], other) for other in placed[1:])
        track = tuple(
            TrackPoint(seconds=seconds, center=one.center, axes=one.axes)
            for (seconds, _), one in zip(rows, placed, strict=True)
        )
        return Instance(first.text("instance_token"), category, box, track if moves else ())

    def _category(self, annotation: Record) -> str:
        instance = self._instance_of(annotation, "instance_token")
        return self._category_of(instance, "category_token").text("name")

    def _box(self, record: Record) -> OrientedBox:
        width, length, height = record.numbers("size", 3)
        try:
            return OrientedBox.model_validate(
                {
                    "center": (np.array(record.numbers("translation", 3)) - self._origin).tolist(),
                    "axes": rotation_of(record).T.tolist(),
                    "extents": (length, width, height),
                }
            )
        except ValidationError as error:
            what = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise InputError(record.path, f"is no box: {what}", row=record.token) from None

    def sightings(
        self,
        records: Sequence[Record],
        poses: Floats,
        intrinsics: Floats,
        size: tuple[int, int],
    ) -> tuple[Sighting, ...]:
        """Sightings of a camera.

        Args:
            records: its recordings.
            poses, intrinsics, size: as in CameraRecording, a row of intrinsics for each recording.

        Raises:
            InputError: an annotation can't be used.
        """
        found = []
        for frame, record in enumerate(records):
            seen = self._seen.get(record.text("sample_token"), []) if record.flag("is_key_frame") else []
            if not seen:
                continue
            fx, fy, cx, cy = intrinsics[frame].tolist()
            areas = boxes_in_view(_boxes([box for *_, box in seen]), poses[frame], (fx, fy, cx, cy), size)
            found += [
                Sighting(frame=frame, object=instance, pixels=pixels)
                for (instance, promised, _), area in zip(seen, areas.tolist(), strict=True)
                if (pixels := int(area * promised)) > 0
            ]
        return tuple(found)

    @cached_property
    def _seen(self) -> dict[str, list[tuple[str, float, OrientedBox]]]:
        """By sample, the instances that are seen, with the share that is promised and their boxes."""
        found: dict[str, list[tuple[str, float, OrientedBox]]] = {}
        for instance, rows in self._by_instance.items():
            for _, annotation in rows:
                promised = self._promised(annotation)
                if promised > 0:
                    entry = (instance, promised, self._box(annotation))
                    found.setdefault(annotation.text("sample_token"), []).append(entry)
        return found

    def _promised(self, annotation: Record) -> float:
        """The least share of an object that the six cameras show together; 0 where nobody said."""
        if annotation.text("visibility_token") == "":
            return 0.0
        level = self._visibility_of(annotation, "visibility_token")
        found = _LEVEL.fullmatch(level.text("level"))
        if not found:
            raise level.wrong("level", "is no level of visibility such as v40-60")
        return int(found[1]) / 100


def rotation_of(record: Record) -> Floats:
    """The rotation of a row, shape (3, 3).

    Raises:
        InputError: its quaternion isn't of length 1.
    """
    w, x, y, z = np.array(record.numbers("rotation", 4))[:, None]
    try:
        return np.asarray(rotations(w, x, y, z)[0])
    except ValueError as error:
        raise record.wrong("rotation", str(error)) from None


def _by_instance(tables: Tables, scene: str, times: Mapping[str, float]) -> dict[str, list[tuple[float, Record]]]:
    """The boxes of each instance with their times, in the order of time."""
    found: dict[str, list[tuple[float, Record]]] = {}
    for record in tables.of_scene("sample_annotation", scene):
        found.setdefault(record.text("instance_token"), []).append((times[record.text("sample_token")], record))
    for rows in found.values():
        rows.sort(key=lambda row: row[0])
        for (before, _), (after, record) in itertools.pairwise(rows):
            if after <= before:
                raise record.wrong("instance_token", "has two boxes in one sample")
    return dict(sorted(found.items(), key=lambda item: (item[1][0][0], item[0])))


def _differs(one: OrientedBox, other: OrientedBox) -> bool:
    if float(np.linalg.norm(np.subtract(one.center, other.center))) > STILL:
        return True
    cosine = (np.trace(np.array(one.axes) @ np.array(other.axes).T) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))) > TURNED


def _boxes(boxes: Sequence[OrientedBox]) -> Boxes:
    return Boxes(
        np.array([box.center for box in boxes]),
        np.array([box.axes for box in boxes]),
        np.array([box.extents for box in boxes]),
    )
