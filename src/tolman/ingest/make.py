"""One scene: from a format's reading to a Scene with its Captures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tolman.errors import InputError, counted
from tolman.files import link_or_copy
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Tree, scaled_intrinsics
from tolman.geometry.ground_plane import room_area, room_center
from tolman.geometry.motion import in_frames
from tolman.ingest.camera_consistency import check_cameras, fitting
from tolman.ingest.camera_conventions import Convention, Declared, is_upright
from tolman.ingest.categories import Categories
from tolman.ingest.checks import (
    area_doubts,
    check_intrinsics,
    check_masks,
    check_precision,
    check_scale,
    check_together,
    checked_poses,
    is_too_long,
    scale_doubts,
    seconds_doubted,
    without_jumps,
)
from tolman.ingest.scan_format import CameraRecording, Instance, RawScene, ScannedSurface, SceneSource
from tolman.ingest.standard_video import Sight, record, working_size
from tolman.ingest.surfaces import box_of, check_boxes, completeness, points_of, spread_points
from tolman.media.video import track_choice
from tolman.scene_table import Part
from tolman.scenes import Capture, OrientedBox, Scene, SceneObject

_LOOKED_AT = 60
"""Frames of a scene that its completeness is measured on."""


@dataclass(frozen=True)
class IngestSettings:
    """Settings of a scene, apart from its files.

    Attributes:
        categories: which labels are asked about, under which name.
        completeness: scenes whose mesh is less complete are left out, 0 to 1.
    """

    categories: Categories
    completeness: float = 0.75


@dataclass(frozen=True)
class IngestedScene:
    """Outcome of one scene.

    Attributes:
        part: the scene with its captures; None where it is left out.
        reason: why it is left out.
        completeness: of its mesh, 0 to 1; None where it wasn't measured.
        repaired: corrected errors.
        notes: further remarks.
    """

    part: Part | None
    reason: str | None
    completeness: float | None
    repaired: tuple[str, ...]
    notes: tuple[str, ...]


def make(
    source: SceneSource, dataset: str, reading: RawScene, settings: IngestSettings, out: Path, made_of: str = ""
) -> IngestedScene:
    """Make a scene.

    Args:
        source: where it is from.
        dataset: the format's name.
        reading: its contents.
        settings: of the ingest.
        out: the collection's folder, where the videos go.
        made_of: a hash to decide whether it must be made again.

    Raises:
        InputError: the reading can't be true, or can't be used.
        MissingExtraError: a package is missing.
    """
    repaired = list(reading.repaired)
    notes = list(reading.notes)
    surface = reading.surface
    points = np.empty((0, 3)) if surface is None else spread_points(surface)
    in_room = reading.metric and not reading.outdoors
    recordings = [_checked(recording, source, repaired, in_room=in_room) for recording in reading.recordings]
    check_masks(source.path, recordings, {one.number for one in reading.instances if one.number})
    if not reading.outdoors:
        check_scale(source.path, points if len(points) else _corners(reading.instances))
    if surface is not None and len(surface.faces):
        check_precision(source.path, points)
        notes += check_boxes(source.path, surface, points, reading.instances)
    objects, counts, small = _objects(source.path, reading, settings.categories)
    notes += small
    tree = _tree(surface)
    numbered, boxes = _standing(reading, objects)
    notes += check_cameras(
        source.path, recordings, reading.up, tree, numbered, boxes, points, outdoors=reading.outdoors
    )
    for recording in recordings:
        check_together(source.path, points, recording.poses)
    complete = None if reading.outdoors or tree is None else _completeness(tree, recordings)
    if complete is not None and complete < settings.completeness:
        assert tree is not None
        _check_seen(source, tree, recordings, reading, complete, settings.completeness)
        reason = f"its mesh is {complete:.0%} complete, less than {settings.completeness:.0%}"
        return IngestedScene(None, reason, complete, tuple(repaired), ())
    if not objects and not reading.captures and not recordings:
        raise InputError(source.path, "holds no object that is asked about, and no recording")
    names = {one.number: one.id for one in reading.instances if one.number and one.id in objects}
    faces = surface.numbers if surface is not None else np.empty(0, dtype=np.int64)
    sight = Sight(tree, faces, names, frozenset(objects))
    captures: list[Capture] = []
    for recording in recordings:
        capture, said = record(
            recording, source.id, _media(source, recording, len(recordings)), out, sight, source.path
        )
        captures.append(capture)
        notes += said
    captures += [_owned(capture, source) for capture in reading.captures]
    for place, file in reading.files.items():
        link_or_copy(file, out / place)
    for place, write in reading.written.items():
        write(out / place)
    area, center = _room(reading, points)
    if reading.metric:
        notes += scale_doubts(area, [recording.poses for recording in recordings])
        if reading.room_area is not None and tree is not None and not reading.outdoors:
            notes += area_doubts(reading.room_area, room_area(points))
    scene = Scene(
        id=source.id,
        dataset=dataset,
        objects=tuple(objects.values()),
        counts=dict(counts),
        room_area=area,
        room_center=center,
        video=next((one.media for one in captures if one.sensor == "camera" and one.media), None),
        events=reading.events,
        metric=reading.metric,
    )
    part = Part(scene, tuple(captures), tuple(notes), made_of)
    return IngestedScene(part, None, complete, tuple(repaired), tuple(notes))


def _checked(recording: CameraRecording, source: SceneSource, repaired: list[str], *, in_room: bool) -> CameraRecording:
    """A recording whose numbers can be relied on."""
    if not len(recording.times):
        raise InputError(source.path, f"its recording '{recording.role}' has no frame")
    if not np.isfinite(recording.times).all() or (np.diff(recording.times) < 0).any():
        raise InputError(source.path, f"the times of '{recording.role}' fall, or aren't finite")
    seconds = float(recording.times[-1] - recording.times[0])
    alike = np.flatnonzero(np.diff(recording.times) == 0)
    if len(alike):
        at, count = int(alike[0]), len(recording.times)
        if recording.standard is None or len(alike) == count - 1:
            what = f"frames {at} and {at + 1} of '{recording.role}' have the same time, {recording.times[at]:g} s"
            raise InputError(source.path, what, fix="give each frame a time of its own")
        have = "has" if len(alike) == 1 else "have"
        repaired.append(
            f"{source.path.name}: {len(alike):,} of {count:,} frames of '{recording.role}' {have} the time of the "
            f"frame before, the first of them frame {at + 1}; one of each time is shown"
        )
    if recording.standard is not None and is_too_long(recording.times):
        raise InputError(
            source.path,
            f"'{recording.role}' lasts {seconds:,.0f} s with {len(recording.times):,} frames: "
            f"its times {seconds_doubted(recording.times) or 'are wrong'}",
            fix="give its times in seconds",
        )
    frames = counted(len(recording.times), "frame")
    if len(recording.poses) not in (0, len(recording.times)):
        raise InputError(source.path, f"'{recording.role}' has {counted(len(recording.poses), 'pose')} for {frames}")
    if len(recording.intrinsics) not in (0, 1, len(recording.times)):
        counts = f"{len(recording.intrinsics):,} rows of intrinsics for {frames}"
        raise InputError(source.path, f"'{recording.role}' has {counts}")
    check_intrinsics(source.path, recording.intrinsics, recording.size, anamorphic=recording.anamorphic)
    if recording.media is not None and recording.media.is_file() and (choice := track_choice(recording.media)):
        repaired.append(choice)
    if not len(recording.poses):
        return recording
    poses, said = checked_poses(source.path, recording.poses)
    repaired += [one for one in said if not any("no pose" in known for known in repaired)]
    if in_room:
        poses, said = without_jumps(source.path, poses)
        repaired += said
    return replace(recording, poses=poses)


def _tree(surface: ScannedSurface | None) -> Tree | None:
    if surface is None or not len(surface.faces):
        return None
    return Tree(surface.points, surface.faces, "build")


def _completeness(tree: Tree, recordings: list[CameraRecording]) -> float | None:
    """Return the completeness by the first recording with poses and intrinsics, on evenly spaced frames."""
    found = _looked_through(recordings)
    return None if found is None else _share_met(tree, *found[1:])


def _looked_through(
    recordings: list[CameraRecording],
) -> tuple[CameraRecording, Floats, Floats, tuple[int, int]] | None:
    """The first recording with poses and intrinsics; poses and intrinsics of frames evenly chosen, and their size."""
    for recording in recordings:
        tracked = (
            np.flatnonzero(np.isfinite(recording.poses).all((1, 2))) if len(recording.poses) else np.empty(0, np.int64)
        )
        if len(tracked) and len(recording.intrinsics):
            some = in_frames(tracked, _LOOKED_AT)
            work = working_size(recording.size)
            cameras = scaled_intrinsics(recording.intrinsics, recording.size, work)
            rows = cameras[some] if len(cameras) > 1 else np.repeat(cameras, len(some), axis=0)
            return recording, recording.poses[some], rows, work
    return None


def _share_met(tree: Tree, poses: Floats, cameras: Floats, size: tuple[int, int]) -> float | None:
    return completeness(tree, poses, [(*map(float, row),) for row in cameras], size)  # type: ignore[misc]


def _check_seen(
    source: SceneSource,
    tree: Tree,
    recordings: list[CameraRecording],
    reading: RawScene,
    complete: float,
    wanted: float,
) -> None:
    """Distinguish a mesh with holes from cameras that look past it; upright cameras are read correctly.

    Raises:
        InputError: the mesh is complete as seen under other axes or in the other direction.
    """
    found = _looked_through(recordings)
    if found is None:
        return
    recording, poses, cameras, size = found
    if is_upright(recording):
        return
    declared = Declared(recording.axes, recording.direction, reading.up)
    best = fitting(
        Convention("", poses, cameras), declared, lambda one: _share_met(tree, one.poses, one.intrinsics, size)
    )
    if best is not None and best[1] >= wanted and best[1] > 2 * complete:
        raise InputError(
            source.path,
            "the cameras look past the mesh as they are declared",
            fix=f"they fit with {best[0]}: {best[1]:.0%} of what they look at is there, against {complete:.0%}",
        )


def _standing(
    reading: RawScene, objects: Mapping[str, SceneObject]
) -> tuple[dict[int, OrientedBox], list[OrientedBox]]:
    """Return the boxes of things that don't move: those that masks have a number for, and all of them."""
    numbered, boxes = {}, []
    for one in reading.instances:
        known = objects.get(one.id)
        box = one.box if one.box is not None else known.box if known is not None else None
        if box is None or one.track:
            continue
        boxes.append(box)
        if one.number:
            numbered[one.number] = box
    return numbered, boxes


def _objects(
    path: Path, reading: RawScene, categories: Categories
) -> tuple[dict[str, SceneObject], Counter[str], list[str]]:
    """The objects that are asked about, how many there are of each category, and which have no box.

    Raises:
        InputError: two of them have the same id.
    """
    objects: dict[str, SceneObject] = {}
    counts: Counter[str] = Counter()
    notes = []
    for one in reading.instances:
        category = categories.category(one.label)
        if category is None:
            continue
        counts[category] += 1
        box = one.box
        if box is None and reading.surface is not None and one.number:
            box = box_of(points_of(reading.surface, one.number))
        if box is None:
            if not one.number:
                continue  # it is known that it has none
            notes.append(f"{category} {one.id} has too few points for a box; it is counted and not asked about")
            continue
        if one.id in objects:
            what = f"a {objects[one.id].category} and a {category} both have the id '{one.id[:80]}'"
            raise InputError(path, what, fix="give each object an id of its own, or remove one")
        objects[one.id] = SceneObject(id=one.id, category=category, box=box, track=one.track, lifted=one.lifted)
    return objects, counts, notes


def _room(reading: RawScene, points: Floats) -> tuple[float | None, tuple[float, float, float] | None]:
    area, center = reading.room_area, reading.room_center
    if reading.outdoors or not len(points):
        return area, center
    if area is None and reading.metric:
        found = room_area(points)
        area = found if found > 0 else None
    if center is None and len(points) >= 3:
        x, y, z = (float(value) for value in room_center(points))
        center = (x, y, z)
    return area, center


def _media(source: SceneSource, recording: CameraRecording, recordings: int) -> str:
    """Path of a recording's video. Several cameras have a folder: scene 'a-b' is not camera 'b' of scene 'a'."""
    suffix = ".mp4" if recording.standard is not None or recording.media is None else recording.media.suffix.lower()
    return f"videos/{source.id}{f'/{recording.role}' if recordings > 1 else ''}{suffix}"


def _owned(capture: Capture, source: SceneSource) -> Capture:
    if capture.scene != source.id:
        raise InputError(source.path, f"its capture '{capture.id}' is of another scene, '{capture.scene}'")
    return capture


def _corners(instances: tuple[Instance, ...]) -> Floats:
    """The middles of boxes, for a scan without a surface."""
    boxes: list[OrientedBox] = [one.box for one in instances if one.box is not None]
    return np.array([box.center for box in boxes]).reshape(-1, 3) if len(boxes) > 3 else np.empty((0, 3))
