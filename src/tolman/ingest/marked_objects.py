"""Objects that a scan's owner has marked on its pictures: COCO instances, or PNG masks of instance numbers.

Identities over pictures are COCO's `track_id` or `instance_id`, of the annotation or below its `attributes`, as CVAT,
Encord, TAO and Scalabel write them. `lifted_boxes` finds the boxes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, counted
from tolman.extras import needs
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import scaled_intrinsics
from tolman.geometry.motion import in_frames
from tolman.ingest.joined_marks import Mark, MarkedView
from tolman.ingest.lifted_boxes import LiftedObject, MaskVotes, lift, with_depth
from tolman.ingest.readers import all_files
from tolman.ingest.scan_format import CameraRecording, Instance, RawScene, ScannedSurface, SceneSource
from tolman.ingest.standard_video import decoded_mask, straighten
from tolman.ingest.surfaces import faces_in, read_json, spread_points
from tolman.scenes import Capture, Lifted, Sighting
from tolman.scoring.picture_shapes import MAX_PIXELS, MAX_VERTICES, check_runs, decode as decode_runs, lengthened

CATEGORIES = "categories.json"
"""The names of PNG masks' numbers, in their folder."""
_LONGER = 640
"""Pixels of the longer side at which marks are looked at."""
_MOST = 300
"""Pictures of a camera whose marks are used, at most, evenly chosen."""
_Size = tuple[int, int]


@dataclass(frozen=True)
class PictureMark:
    """One object on one picture.

    Attributes:
        label: its category.
        track: its identity over pictures; None where that isn't known.
        pixels: which of a picture of some width and height it has.
    """

    label: str
    track: str | None
    pixels: Callable[[_Size], NDArray[np.bool_]]


@dataclass(frozen=True)
class ObjectMarks:
    """The marks of a file or folder.

    Attributes:
        path: of it.
        pictures: the name of each picture, without its ending.
        of: called with a picture's name and its size on disk, gives its marks.
    """

    path: Path
    pictures: Sequence[str]
    of: Callable[[str, _Size], list[PictureMark]]


def marks_path(given: Path, source: SceneSource) -> Path:
    """The file or folder of a scan's marks: the one of its name in a folder of several, else the given one."""
    name = source.id.rpartition("/")[2]
    return next((one for one in (given / name, given / f"{name}.json") if one.exists()), given)


def marks_files(path: Path) -> tuple[Path, ...]:
    """The files that marks consist of."""
    return all_files(path) if path.is_dir() else (path,)


def read_marks(path: Path) -> ObjectMarks:
    """Open a file of COCO instances, or a folder of PNG masks with categories.json.

    Raises:
        InputError: it is none.
    """
    if not path.exists():
        raise InputError(path, "there is no such file or folder", fix="give it with --objects")
    return _png_marks(path) if path.is_dir() else _coco_marks(path)


def lift_marked(source: SceneSource, reading: RawScene) -> RawScene:
    """Add the objects that are marked on a scan's pictures, with boxes.

    Raises:
        InputError: the marks can't be used, or are on other pictures; or the scan has nothing to measure them by.
    """
    assert source.hints.objects is not None
    marks = read_marks(marks_path(source.hints.objects, source))
    views, found, shown, missing, empty = _views(marks, reading.recordings)
    surface = reading.surface
    cloud = reading.points if surface is None else spread_points(surface)
    lifted = lift(views, found, cloud)
    if lifted is None:
        what = "marks objects of a scan without depth and without a dense cloud, which their boxes are measured by"
        raise InputError(marks.path, what, fix="add depth, a mesh or a dense cloud, or give boxes in objects.json")
    objects, left_out = lifted
    names = _names(objects, {one.id for one in reading.instances})
    first = max((one.number for one in reading.instances), default=0) + 1
    instances = [
        Instance(
            name,
            one.label,
            one.box,
            number=first + i,
            lifted=Lifted(frames=len(one.marks), error=one.error, unseen=one.unseen),
        )
        for i, (name, one) in enumerate(zip(names, objects, strict=True))
    ]
    # They are there, so they count, as far as they are no stray marks, of which trackers make many.
    hidden = [
        Instance(f"{one.label} without box {i}", one.label, None)
        for i, one in enumerate(left_out, start=1)
        if len(one.marks) > (2 if one.track is None else 1)
    ]
    notes = [*reading.notes, *_notes(objects, Counter(one.reason for one in left_out), missing, empty)]
    reading = replace(reading, instances=(*reading.instances, *instances, *hidden), notes=tuple(notes))
    if surface is not None and len(surface.faces):
        boxes = [(one.number, one.box) for one in reading.instances if one.box is not None and one.number]
        numbers = faces_in(surface.points, surface.faces, boxes)
        return replace(reading, surface=ScannedSurface(surface.points, surface.faces, numbers))
    sightings: dict[int, list[Sighting]] = defaultdict(list)
    for name, thing in zip(names, objects, strict=True):
        for mark in thing.marks:
            i, frame, pixels = shown[mark]
            sightings[i].append(Sighting(frame=frame, object=name, pixels=pixels))
    recordings = (
        replace(one, sightings=tuple(sightings[i])) if one.masks is None and sightings[i] else one
        for i, one in enumerate(reading.recordings)
    )
    return replace(reading, recordings=tuple(recordings))


def _names(objects: Sequence[LiftedObject], taken: set[str]) -> list[str]:
    """Names of objects: their category, with their track or a number that rises."""
    found: list[str] = []
    for one in objects:
        number = 1
        name = f"{one.label} {number if one.track is None else one.track}"
        while name in taken:
            number += 1
            name = f"{one.label} {number}" if one.track is None else f"{one.label} {one.track}-{number}"
        taken.add(name)
        found.append(name)
    return found


def _notes(objects: Sequence[LiftedObject], left_out: Mapping[str, int], missing: int, empty: int) -> Iterator[str]:
    if objects:
        error = 100 * float(np.median([one.error for one in objects]))
        boxes = counted(len(objects), "box is", "boxes are")
        yield f"{boxes} lifted from marks; pictures agree within {error:.0f} cm (median); review them"
    if left_out:
        yield "marked objects left out: " + "; ".join(f"{count:,} {reason}" for reason, count in left_out.items())
    if missing:
        yield f"{counted(missing, 'marked picture')} not in the scan, or without a pose"
    if empty:
        yield f"{counted(empty, 'mark')} without a pixel, or covered by others"


def _views(
    marks: ObjectMarks, recordings: Sequence[CameraRecording]
) -> tuple[list[MarkedView], list[Mark], list[tuple[int, int, int]], int, int]:
    """The marked pictures and their marks; the recording, frame and pixels of each mark; and how many marked pictures
    have no frame with a pose, and how many marks no pixel."""
    places, missing = _places(marks, recordings)
    views: list[MarkedView] = []
    found: list[Mark] = []
    shown: list[tuple[int, int, int]] = []
    empty = 0
    for (i, frame), name in places.items():
        recording = recordings[i]
        labels, own = _labels(marks, name, recording, frame)
        counts = np.bincount(labels.ravel(), minlength=len(own) + 1)
        share = recording.size[0] * recording.size[1] / labels.size
        for value, one in enumerate(own, start=1):
            empty += counts[value] == 0
            if counts[value]:
                found.append(Mark(len(views), value, one.label, one.track))
                shown.append((i, frame, max(1, round(counts[value] * share))))
        rows = recording.intrinsics
        camera = scaled_intrinsics(rows[frame if len(rows) > 1 else 0], recording.size, labels.shape[::-1])
        own_depth = recording.depths is not None and recording.depth_intrinsics is None
        depth = recording.depths(frame) if own_depth and recording.depths is not None else None
        views.append(MarkedView(recording.poses[frame], tuple(camera.tolist()), labels, depth))
    return views, found, shown, missing, empty


def mask_votes(path: Path, cameras: Sequence[Capture], cloud: Floats) -> MaskVotes:
    """Open marks on the frames of calibrated cameras, to vote on the points of a recording.

    Args:
        path: as `read_marks` takes it. Pictures are named by their frame's number in six digits, as 000042, in a folder
            of the camera's role where there are several cameras.
        cameras: with poses and intrinsics.
        cloud: of the whole place, which shows how things hide each other, metres, shape (n, 3).

    Raises:
        InputError: there are no such marks, none is on a frame with a pose, or they have no identities.
    """
    marks = read_marks(path)
    recordings = [
        CameraRecording(
            one.role, np.array(one.times), np.array(one.poses).reshape(-1, 4, 4), np.array(one.intrinsics), one.size,
            names=[f"{one.role}/{number:06d}" for number in range(len(one.times))],
        )
        for one in cameras
        if one.size is not None
    ]  # fmt: skip
    views, found, *_ = _views(marks, recordings)
    if all(mark.track is None for mark in found):
        what = "has no mark with an identity, which shows that marks on several pictures are of one object"
        raise InputError(path, what, fix="give each annotation a 'track_id'")
    return MaskVotes([with_depth(view, cloud) for view in views], found)


def _labels(
    marks: ObjectMarks, name: str, recording: CameraRecording, frame: int
) -> tuple[NDArray[np.int64], list[PictureMark]]:
    """The number of each pixel's mark, from 1, smaller ones on top, without the lens's distortion; and the marks."""
    scale = min(1.0, _LONGER / max(recording.size))
    size = (max(1, round(recording.size[0] * scale)), max(1, round(recording.size[1] * scale)))
    own = marks.of(name, recording.size)
    tracks = Counter(one.track for one in own if one.track is not None)
    for track, count in tracks.items():
        if count > 1:
            raise InputError(marks.path, f"object '{track}' is marked {count} times on the picture '{name}'")
    drawn = [one.pixels(size) for one in own]
    labels = np.zeros(size[::-1], dtype=np.int64)
    for i in sorted(range(len(own)), key=lambda i: -int(drawn[i].sum())):
        labels[drawn[i]] = i + 1
    lenses = recording.lenses
    if lenses and not all(lens.is_pinhole for lens in lenses):
        at, row = (frame if len(some) > 1 else 0 for some in (lenses, recording.intrinsics))
        camera = tuple(recording.intrinsics[row].tolist())
        labels = straighten(labels, lenses[at], camera, recording.size, smooth=False)
    return labels, own


def _places(marks: ObjectMarks, recordings: Sequence[CameraRecording]) -> tuple[dict[tuple[int, int], str], int]:
    """The marked picture of each frame with a pose, by recording and frame, evenly chosen where there are many; and how
    many marked pictures have no such frame. Pictures are told by their names without ending, then by their folders.

    Raises:
        InputError: a name may be several pictures; or no picture is marked.
    """
    known: dict[str, list[tuple[int, int]]] = defaultdict(list)
    parts: dict[tuple[int, int], tuple[str, ...]] = {}
    for i, recording in enumerate(recordings):
        for frame, name in enumerate(recording.names):
            path = PurePosixPath(name).with_suffix("")
            known[path.name].append((i, frame))
            parts[i, frame] = path.parts[::-1]
    found: dict[tuple[int, int], str] = {}
    missing = 0
    for name in marks.pictures:
        own = PurePosixPath(name).parts[::-1]
        alike = {place: _common(parts[place], own) for place in known.get(own[0], ())}
        best = [place for place, count in alike.items() if count == max(alike.values())]
        if len(best) > 1:
            raise InputError(marks.path, f"'{name}' may be several pictures of the scan", fix="name their folders too")
        if best and best[0] in found:
            raise InputError(marks.path, f"'{name}' and '{found[best[0]]}' are the same picture of the scan")
        posed = bool(best) and _is_posed(recordings[best[0][0]], best[0][1])
        missing += not posed
        if posed:
            found[best[0]] = name
    if not found:
        example = next((name for one in recordings for name in one.names), None)
        named = "" if example is None else f", such as '{PurePosixPath(example).name}'"
        what = f"marks {len(marks.pictures):,} pictures, and none of them is one of the scan's with a pose{named}"
        raise InputError(marks.path, what)
    chosen: dict[tuple[int, int], str] = {}
    for i in range(len(recordings)):
        frames = np.array(sorted(frame for one, frame in found if one == i), dtype=np.int64)
        chosen |= {(i, frame): found[i, frame] for frame in in_frames(frames, _MOST).tolist()}
    return chosen, missing


def _is_posed(recording: CameraRecording, frame: int) -> bool:
    known = len(recording.poses) > 0 and len(recording.intrinsics) > 0
    return known and bool(np.isfinite(recording.poses[frame]).all())


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _check_shape(path: Path, name: str, own: _Size, size: _Size) -> None:
    """Hold marks to the shape of their picture, of which they may be a smaller or larger copy.

    Raises:
        InputError: they have another.
    """
    if min(own) < 1 or abs(own[0] * size[1] / (own[1] * size[0]) - 1) > 0.02:
        what = f"'{name}' is {own[0]}×{own[1]} pixels there, and {size[0]}×{size[1]} in the scan"
        raise InputError(path, what, fix="mark the scan's own pictures, not turned")


def _sampled(values: NDArray[Any], size: _Size) -> NDArray[Any]:
    """Values at the middles of another size's pixels."""
    rows = ((np.arange(size[1]) + 0.5) * values.shape[0] / size[1]).astype(np.int64)
    columns = ((np.arange(size[0]) + 0.5) * values.shape[1] / size[0]).astype(np.int64)
    return np.asarray(values[np.ix_(rows, columns)])


# PNG masks


def _png_marks(folder: Path) -> ObjectMarks:
    table = read_json(folder / CATEGORIES)
    if not all(key.isdecimal() and isinstance(value, str) and value.strip() for key, value in table.items()):
        raise InputError(folder / CATEGORIES, 'takes the category of each number, as in {"7": "chair"}')
    labels = {int(key): value for key, value in table.items()}
    files = {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.png"))}
    if not files:
        raise InputError(folder, "holds no .png")

    def of(name: str, size: _Size) -> list[PictureMark]:
        path = files[name]
        mask = decoded_mask(path, path, "it")
        _check_shape(path, name, mask.shape[::-1], size)
        numbers = np.unique(mask)
        numbers = numbers[numbers != 0]
        strange = next((one for one in numbers.tolist() if one not in labels), None)
        if strange is not None:
            raise InputError(path, f"holds the number {strange}, which isn't in {CATEGORIES}")
        return [
            PictureMark(labels[one], str(one), lambda to, one=one: _sampled(mask, to) == one)  # type: ignore[misc]
            for one in numbers.tolist()
        ]

    return ObjectMarks(folder, list(files), of)


# COCO


def _coco_marks(path: Path) -> ObjectMarks:
    content = read_json(path)
    lists = {name: content.get(name) for name in ("images", "annotations", "categories")}
    for name, rows in lists.items():
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InputError(path, "takes a list of objects, as COCO's instances have it", field=name)
    images, annotations, categories = (rows or [] for rows in lists.values())
    labels = {row.get("id"): row.get("name") for row in categories if _is_key(row.get("id"))}
    named: dict[Any, str] = {}
    sizes: dict[str, Any] = {}
    for i, row in enumerate(images):
        name = row.get("file_name")
        if not _is_key(row.get("id")) or not isinstance(name, str) or not name.strip("/."):
            raise InputError(path, "takes an 'id' and a 'file_name'", field=f"images.{i}")
        name = PurePosixPath(name.replace("\\", "/")).with_suffix("").as_posix()
        if row["id"] in named or name in sizes:
            raise InputError(path, f"names the picture '{name}', or its id, twice", field=f"images.{i}")
        named[row["id"]], sizes[name] = name, (row.get("width"), row.get("height"))
    marks: dict[str, list[tuple[int, dict[str, Any]]]] = {name: [] for name in sizes}
    for i, row in enumerate(annotations):
        image, label = row.get("image_id"), row.get("category_id")
        if not _is_key(image) or image not in named:
            raise InputError(path, "is of a picture that isn't among its images", field=f"annotations.{i}.image_id")
        if not _is_key(label) or not isinstance(labels.get(label), str) or not labels[label].strip():
            raise InputError(path, "has no name among its categories", field=f"annotations.{i}.category_id")
        marks[named[image]].append((i, row))  # with crowds: CVAT says so of every mask in run lengths
    if not any(marks.values()):
        raise InputError(path, "holds no annotation")

    def of(name: str, size: _Size) -> list[PictureMark]:
        width, height = sizes[name]
        own = size
        if width is not None or height is not None:
            if not all(isinstance(n, int) and 0 < n < 1 << 16 for n in (width, height)):
                raise InputError(path, f"the width and height of '{name}' are no whole numbers above 0")
            own = (width, height)
        _check_shape(path, name, own, size)
        return [
            PictureMark(labels[row["category_id"]], _track(row), _pixels(path, i, row, own)) for i, row in marks[name]
        ]

    return ObjectMarks(path, [name for name, own in marks.items() if own], of)


def _is_key(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _track(row: Mapping[str, Any]) -> str | None:
    own = row.get("attributes")
    values = [
        some.get(name) for some in (row, own if isinstance(own, dict) else {}) for name in ("track_id", "instance_id")
    ]
    return next((str(value) for value in values if _is_key(value) and value != ""), None)


def _pixels(path: Path, number: int, row: Mapping[str, Any], own: _Size) -> Callable[[_Size], NDArray[np.bool_]]:
    """What draws an annotation's run lengths or polygons, given in pixels of a picture of a size.

    Raises:
        InputError: they are none.
    """
    shape, field = row.get("segmentation"), f"annotations.{number}.segmentation"
    if isinstance(shape, dict):
        return _runs(path, field, shape, own)
    if shape and isinstance(shape, list):
        polygons = [_numbers(path, field, one) for one in shape]
        if any(len(one) < 6 or len(one) % 2 for one in polygons):
            raise InputError(path, "takes polygons of three corners or more, x and y in turn", field=field)
        return lambda size: _polygons(polygons, own, size)
    raise InputError(path, "has no mask; boxes in 2-D say too little of an object's place", field=field)


def _runs(path: Path, field: str, shape: Mapping[str, Any], own: _Size) -> Callable[[_Size], NDArray[np.bool_]]:
    counts, size = shape.get("counts"), shape.get("size")
    try:
        if not isinstance(counts, list | str) or not isinstance(size, list):
            raise ValueError("takes 'counts' and 'size'")
        if isinstance(counts, str) and len(counts) > MAX_PIXELS >> 4:
            raise ValueError("the mask's counts are too long")
        runs = check_runs(lengthened(counts) if isinstance(counts, str) else counts, size)
        if (size[1], size[0]) != own:
            raise ValueError(f"the mask is {size[1]}×{size[0]} pixels, and its picture {own[0]}×{own[1]}")
    except ValueError as error:
        raise InputError(path, str(error), field=field) from None
    return lambda to: np.asarray(_sampled(decode_runs(runs, (size[0], size[1])), to))


def _numbers(path: Path, field: str, values: Any) -> NDArray[np.float64]:
    most = 2 * MAX_VERTICES
    usable = isinstance(values, list) and len(values) <= most
    if usable and all(isinstance(n, int | float) and not isinstance(n, bool) and abs(n) < 1e6 for n in values):
        return np.array(values, dtype=np.float64)
    raise InputError(path, f"takes at most {most:,} finite numbers", field=field)


def _polygons(polygons: Sequence[NDArray[np.float64]], own: _Size, size: _Size) -> NDArray[np.bool_]:
    with needs("build", "Drawing polygons"):
        from PIL import Image, ImageDraw
    canvas = Image.new("1", size)
    draw = ImageDraw.Draw(canvas)
    for one in polygons:
        # COCO's coordinates count from a pixel's corner, Pillow's from its middle.
        corners = one.reshape(-1, 2) * np.divide(size, own) - 0.5
        draw.polygon([(float(x), float(y)) for x, y in np.clip(corners, -1, size)], fill=1)
    return np.asarray(canvas)
