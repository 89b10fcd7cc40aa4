"""Scenes of one's own: a folder with a scene.json next to its video or frames, and its mesh.

docs/ingest/generic.md describes it. The one file scene.json says its units and axes. Its declarations are converted
here: its unit to metres, its up to z, its cameras to x right, y down, looking along z, and its poses to camera → scene.
"""

from __future__ import annotations

import itertools
import json
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from tolman.errors import InputError, invalid_field
from tolman.extras import needs
from tolman.files import write_text
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import Lens, lens_of, turned_size
from tolman.ingest.camera_conventions import UP_TURNS
from tolman.ingest.readers import Ply, all_files, contained, in_order, numbers_of, read_ply, read_text, scene_name
from tolman.ingest.scan_format import (
    Axes,
    CameraRecording,
    Direction,
    Instance,
    Picture,
    RawScene,
    ScannedSurface,
    SceneSource,
    Up,
)
from tolman.ingest.scan_measures import UNITS, CameraNumbers, ScanNumbers, mask_views, read_poses
from tolman.ingest.standard_video import (
    IMAGES,
    RATE,
    VideoFile,
    common_size_of,
    decoded_mask,
    masks_of,
    pictures_of,
    standard_size,
    undistorted,
)
from tolman.ingest.surfaces import faces_in, majority, orient, read_json, vector
from tolman.scenes import OrientedBox, TrackPoint, named

NAME = "scene.json"
UNKNOWN = "unknown"
"""The unit of a scene whose scale isn't known, such as a COLMAP model."""
Number = Annotated[float, Strict()]
Whole = Annotated[int, Strict()]
Flag = Annotated[bool, Strict()]
Numbers3 = tuple[Number, Number, Number]
Numbers4 = tuple[Number, Number, Number, Number]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _shown(name: str) -> str:
    """A name that can be read in a table."""
    if not name.strip() or not name.isprintable():
        raise ValueError("is blank or holds a character that isn't shown")
    return name


def _inside(path: str) -> str:
    """A path below the scene's folder."""
    pure = PurePosixPath(path)
    if not path or "\\" in path or "\0" in path or pure.is_absolute() or ".." in pure.parts:
        raise ValueError("takes a path below the folder of scene.json, with forward slashes")
    return path


def _problem(row: Any, pose: bool) -> str | None:
    """Find a fault of a pose, or of a row of intrinsics, as the rest of a sentence."""
    lost = "; null in its place stands for a pose that isn't known" if pose else ""
    if row is None and pose:
        return None
    if not isinstance(row, list):
        return f"is {json.dumps(row)[:40]}, not a list of numbers{lost}"
    for value in row:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"holds {json.dumps(value)[:40]}, which is no number{lost}"
        if not math.isfinite(value):
            return f"holds {value}, which isn't finite{lost}"
    if pose and len(row) not in (12, 16):
        return f"has {len(row)} numbers: a pose takes 16 numbers, or the 12 of its first three rows{lost}"
    if not pose and len(row) != 4:
        return f"has {len(row)} numbers, not fx, fy, cx, cy"
    return None


class BoxEntry(_Strict):
    """An oriented box in the file's unit: centre, full extents, axes in rows (upright along x, y, z without them)."""

    center: Numbers3
    extents: Numbers3
    axes: tuple[Numbers3, Numbers3, Numbers3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class TrackEntry(_Strict):
    """Pose of a moving object at one time, in seconds on the scene's time line."""

    seconds: Number
    center: Numbers3
    axes: tuple[Numbers3, Numbers3, Numbers3]


class ObjectEntry(_Strict):
    """An object: its box, or the number under which the mesh and masks have it, or both."""

    id: Annotated[str, AfterValidator(_shown)]
    label: Annotated[str, AfterValidator(named)]
    box: BoxEntry | None = None
    number: Whole = Field(default=0, ge=1)  # 0 for none
    track: tuple[TrackEntry, ...] = ()

    @model_validator(mode="after")
    def _is_somewhere(self) -> ObjectEntry:
        if self.box is None and not self.number:
            raise ValueError("takes a box, or the number that it has in the mesh")
        if self.box is None and self.track:
            raise ValueError("takes a box where it has a track")
        return self


class MeshEntry(_Strict):
    """A PLY mesh or cloud; `labels` names the property, of its faces or vertices, that holds objects' numbers."""

    file: str
    labels: str | None = None

    _file = field_validator("file")(_inside)


class LensEntry(_Strict):
    """A lens as COLMAP writes it: the model's name, and its parameters in pixels of the pictures."""

    model: str
    parameters: tuple[Number, ...]

    @model_validator(mode="after")
    def _is_known(self) -> LensEntry:
        lens_of(self.model, self.parameters)
        return self

    @property
    def lens(self) -> Lens:
        """The lens."""
        return lens_of(self.model, self.parameters)


class CameraEntry(_Strict):
    """A camera: its video or folder of frames, when they were taken, poses, intrinsics, masks."""

    name: str = Field(default="ego", min_length=1, pattern=r"^[\w.-]+$")
    video: str | None = None
    frames: str | None = None
    masks: str | None = None
    depth: str | None = None
    depth_scale: Number = Field(default=1000.0, gt=0)
    rate: Number | None = Field(default=None, gt=0, le=1000)
    times: tuple[Number, ...] | None = None
    offset: Number = 0.0
    axes: Axes = "opencv"
    direction: Direction = "camera_to_scene"
    poses: str | tuple[tuple[float, ...] | None, ...] | None = None
    intrinsics: Numbers4 | tuple[Numbers4, ...] | None = None
    lens: LensEntry | None = None
    turns: Whole = Field(default=0, ge=0, le=3)
    standard: tuple[Whole, Whole, Number] | None = None
    as_it_is: Flag = False
    anamorphic: Flag = False

    @field_validator("poses", "intrinsics", mode="before")
    @classmethod
    def _holds_numbers(cls, rows: Any, info: ValidationInfo) -> Any:
        """Name the pose that is wrong, which a choice of types can't."""
        if isinstance(rows, list):
            what = "pose" if info.field_name == "poses" else "row of intrinsics"
            several = info.field_name == "poses" or any(isinstance(row, list) for row in rows)
            for i, row in enumerate(rows if several else [rows], start=1):
                if problem := _problem(row, info.field_name == "poses"):
                    raise ValueError(f"{what} {i} {problem}" if several else problem)
        return rows

    @field_validator("video", "frames", "masks", "depth")
    @classmethod
    def _stays_inside(cls, path: str | None) -> str | None:
        return None if path is None else _inside(path)

    @model_validator(mode="after")
    def _has_pictures(self) -> CameraEntry:
        if (self.video is None) == (self.frames is None):
            raise ValueError("takes a 'video' or a folder 'frames', one of the two")
        if self.frames is not None and (self.rate is None) == (self.times is None):
            raise ValueError("takes a 'rate' or 'times' for its frames, one of the two")
        if self.video is not None and (self.rate is not None or self.times is not None):
            raise ValueError("takes no 'rate' and no 'times' with a video, which has its own")
        if isinstance(self.poses, str):
            _inside(self.poses)
        if self.standard is not None and (self.as_it_is or min(self.standard) <= 0 or max(self.standard[:2]) > 8192):
            raise ValueError("'standard' takes width, height and rate above 0, and no 'as_it_is' with it")
        if self.standard is not None and any(side % 2 for side in self.standard[:2]):
            raise ValueError("'standard' takes an even width and height, as H.264 does")
        if self.as_it_is and (self.video is None or self.turns):
            raise ValueError("only an upright 'video' can be taken 'as_it_is'")
        if self.lens is not None and (self.intrinsics is not None or self.as_it_is):
            raise ValueError(
                "takes no 'intrinsics' and no 'as_it_is' with a 'lens', which is taken out of its pictures"
            )
        return self


class SceneFile(_Strict):
    """The whole file."""

    tolman_scene: Literal[1]
    unit: Literal["m", "cm", "mm", "ft", "in", "unknown"]
    up: Up
    origin: Numbers3 = (0.0, 0.0, 0.0)
    objects: tuple[ObjectEntry, ...]
    mesh: MeshEntry | None = None
    cameras: tuple[CameraEntry, ...] = ()
    room_area: Number | None = Field(default=None, ge=0)
    room_center: Numbers3 | None = None
    outdoors: Flag = False

    @model_validator(mode="after")
    def _is_unambiguous(self) -> SceneFile:
        for what, values in (
            ("two objects have the id", [one.id for one in self.objects]),
            ("two objects have the number", [one.number for one in self.objects if one.number]),
            ("two cameras have the name", [one.name for one in self.cameras]),
        ):
            twice = next((value for i, value in enumerate(values) if value in values[:i]), None)
            if twice is not None:
                raise ValueError(f"{what} '{twice}'")
        if self.unit == UNKNOWN and self.room_area is not None:
            raise ValueError("takes no 'room_area' where the unit is unknown")
        if self.unit == UNKNOWN and any(one.depth is not None for one in self.cameras):
            raise ValueError("takes no 'depth' where the unit is unknown, as depths are in metres")
        return self


def read_scene_file(path: Path) -> SceneFile:
    """Read and check a scene.json.

    Raises:
        InputError: names the field that is wrong.
    """
    try:
        return SceneFile.model_validate(read_json(path))
    except ValidationError as error:
        field, what = invalid_field(error)
        strange = error.errors()[0]["type"] == "extra_forbidden"
        what = "isn't a field of this file" if strange else what[0].lower() + what[1:]
        raise InputError(path, what, field=field, fix="docs/ingest/generic.md describes the file") from None


_RIGID = 0.02
_NOMINAL = 5.0
"""Metres across that a scene of unknown scale is given, the size of a room: thresholds in metres then fit roughly."""


@dataclass(frozen=True)
class Generic:
    """The format."""

    name: str = "generic"
    title: str = "A folder with scene.json"
    takes: frozenset[str] = frozenset({"objects"})

    def find(self, root: Path) -> list[SceneSource]:
        """The folders with a scene.json: the given one, or those below it."""
        if not root.is_dir():
            raise InputError(root, "is no folder")
        places = [root] if (root / NAME).is_file() else in_order(path.parent for path in root.rglob(NAME))
        if not places:
            raise InputError(root, f"holds no {NAME}", fix="docs/ingest/generic.md describes it")
        return [
            SceneSource(f"{self.name}/{scene_name(root, place)}", place, all_files(place)) for place in sorted(places)
        ]

    def read(self, source: SceneSource) -> RawScene:
        """Read a folder."""
        path = source.path / NAME
        content = read_scene_file(path)
        frame = _Frame(path, content)
        instances = tuple(frame.instance(i, one) for i, one in enumerate(content.objects))
        return RawScene(
            instances=instances,
            surface=frame.surface(instances),
            recordings=tuple(frame.recording(i, one) for i, one in enumerate(content.cameras)),
            room_area=None if content.room_area is None else content.room_area * frame.scale**2,
            room_center=None if content.room_center is None else vector(frame.points(np.array(content.room_center))),
            outdoors=content.outdoors,
            metric=content.unit != UNKNOWN,
            up=content.up,
        )


FORMAT = Generic()


@dataclass(frozen=True)
class _Frame:
    """The frame that a file gives its numbers in."""

    path: Path
    content: SceneFile

    @cached_property
    def scale(self) -> float:
        """Metres of one of its units; where the unit is unknown, the factor that makes the scene 5 m across."""
        if self.content.unit != UNKNOWN:
            return UNITS[self.content.unit]
        known = self.mesh.points if self.mesh is not None else np.empty((0, 3))
        if not len(known):
            known = np.array([one.box.center for one in self.content.objects if one.box is not None]).reshape(-1, 3)
        low, high = np.percentile(known @ self.turn.T, (2, 98), axis=0)[:, :2] if len(known) else np.zeros((2, 2))
        if not (high - low).max() > 0:
            raise InputError(self.path, "needs a mesh or two boxes where the unit is unknown", fix="give the unit")
        return float(_NOMINAL / (high - low).max())

    @cached_property
    def mesh(self) -> Ply | None:
        return None if self.content.mesh is None else read_ply(self.path.parent / self.content.mesh.file)

    @property
    def turn(self) -> Floats:
        return UP_TURNS[self.content.up]

    def points(self, values: Floats) -> Floats:
        """Points in metres from the file's origin, z up, shape (…, 3)."""
        return np.asarray((values - self.content.origin) * self.scale @ self.turn.T)

    def instance(self, index: int, one: ObjectEntry) -> Instance:
        row = f"objects.{index}"
        box, track = None, []
        if one.box is not None:
            extents = np.array(one.box.extents) * self.scale

            def placed(at: BoxEntry | TrackEntry) -> OrientedBox:
                axes = np.array(at.axes) @ self.turn.T
                return orient(self.path, self.points(np.array(at.center)), axes, extents, row=row)

            box = placed(one.box)
            for point in one.track:
                at = placed(point)
                track.append(TrackPoint(seconds=point.seconds, center=at.center, axes=at.axes))
        if any(b.seconds <= a.seconds for a, b in itertools.pairwise(track)):
            raise InputError(self.path, "the times of its track don't rise", row=row, field="track")
        # What the mesh doesn't name gets a number of its own, which no mask has.
        labelled = self.content.mesh is not None and self.content.mesh.labels is not None
        number = one.number or (0 if labelled else max(other.number for other in self.content.objects) + 1 + index)
        return Instance(one.id, one.label, box, tuple(track), number)

    def surface(self, instances: tuple[Instance, ...]) -> ScannedSurface | None:
        entry = self.content.mesh
        strange = next((one for one in instances if one.box is None), None)
        if strange is not None and (entry is None or entry.labels is None):
            raise InputError(
                self.path, f"'{strange.id}' has no box, and no mesh with labels has it", fix="say 'labels' of the mesh"
            )
        mesh = self.mesh
        if entry is None or mesh is None:
            return None
        points = self.points(mesh.points)
        if entry.labels is None:
            boxes = [(one.number, one.box) for one in instances if one.box is not None]
            return ScannedSurface(points, mesh.faces, faces_in(points, mesh.faces, boxes))
        by_face = len(mesh.faces) > 0 and entry.labels in mesh.face
        found = mesh.of_faces(entry.labels) if by_face else mesh.of_vertices(entry.labels)
        if found.dtype.kind not in "iu":
            raise InputError(mesh.path, f"its property '{entry.labels}' holds no whole numbers")
        own = found.astype(np.int64)
        if by_face:
            return ScannedSurface(points, mesh.faces, own)
        if not len(mesh.faces):
            return ScannedSurface(points, mesh.faces, own)
        return ScannedSurface(points, mesh.faces, majority(own, mesh.faces), own)

    def recording(self, index: int, camera: CameraEntry) -> CameraRecording:
        folder, row = self.path.parent, f"cameras.{index}"
        media = None
        if camera.video is not None:
            media = folder / camera.video
            file = VideoFile(media)
            count, times, size = file.count, file.times, file.size
            pictures: Callable[[Sequence[int]], Iterator[Picture]] = file.pictures
            names = [f"frame_{i:06d}.png" for i in range(count)]
        else:
            assert camera.frames is not None
            paths = in_order(p for p in _listed(folder / camera.frames) if p.suffix.lower() in IMAGES)
            if not paths:
                raise InputError(folder / camera.frames, f"holds none of {', '.join(sorted(IMAGES))}")
            count = len(paths)
            times = np.array(camera.times) if camera.times is not None else np.arange(count) / (camera.rate or 1.0)
            size = common_size_of(paths)
            pictures = pictures_of(paths, size)
            names = [path.as_posix() for path in paths]
        if len(times) != count or (np.diff(times) < 0).any():
            raise InputError(self.path, f"takes {count:,} rising times, one for each frame", row=row, field="times")
        poses = read_poses(self.poses(row, camera, count), camera.axes, camera.direction, self.turn, self.points)
        intrinsics = np.array(camera.intrinsics or (), dtype=np.float64).reshape(-1, 4)
        if len(intrinsics) not in (0, 1, count):
            raise InputError(self.path, f"takes 4 numbers, or {count:,} rows of them", row=row, field="intrinsics")
        masks = None
        if camera.masks is not None:
            masks = masks_of(_one_for_each(folder / camera.masks, count))
        depths = None if camera.depth is None else _depths(folder / camera.depth, camera.depth_scale, count)
        recording = CameraRecording(
            camera.name, times, poses, intrinsics, size, pictures, masks, camera.turns,
            None if camera.as_it_is else camera.standard or (*standard_size(turned_size(size, camera.turns)), RATE),
            media if camera.as_it_is else None, camera.offset, depths=depths, axes=camera.axes,
            direction=camera.direction, anamorphic=camera.anamorphic, names=names,
        )  # fmt: skip
        return recording if camera.lens is None else undistorted(recording, [camera.lens.lens])

    def poses(self, row: str, camera: CameraEntry, count: int) -> Floats:
        """Poses as the file has them, nan where tracking was lost, shape (count, 4, 4), or (0, 4, 4)."""
        if camera.poses is None:
            return np.empty((0, 4, 4))
        where, field = (self.path, f"{row}.poses")
        if isinstance(camera.poses, str):
            where, field = contained(self.path.parent, self.path.parent / camera.poses), ""
            lines = [line.split() for line in read_text(where).splitlines() if line.strip()]
            values = [
                None if words == ["lost"] else numbers_of(where, words, i) for i, words in enumerate(lines, start=1)
            ]
        else:
            values = [None if one is None else np.array(one) for one in camera.poses]
        if len(values) != count:
            raise InputError(where, f"has {len(values):,} poses for {count:,} frames", field=field or None)
        found = np.full((count, 4, 4), np.nan)
        for i, value in enumerate(values):
            if value is None:
                continue
            if len(value) not in (12, 16):
                raise InputError(where, f"has {len(value)} numbers, not 16 or 12", row=i + 1)
            pose = np.eye(4)
            pose[: len(value) // 4] = value.reshape(-1, 4)
            skew = np.abs(pose[:3, :3] @ pose[:3, :3].T - np.eye(3)).max()
            if skew > _RIGID or np.abs(pose[3] - [0, 0, 0, 1]).max() > _RIGID:
                raise InputError(where, f"pose {i + 1} {_not_rigid(pose)}", row=i + 1, field=field or None)
            found[i] = pose
        return found


def _not_rigid(pose: Floats) -> str:
    """Find the reason why a pose is no turn and shift, as the rest of a sentence."""
    if np.abs(pose[3] - [0, 0, 0, 1]).max() > _RIGID:
        column = np.abs(pose[:3, 3]).max() < _RIGID and np.abs(pose[3, :3]).max() > _RIGID
        return "has another last row than 0 0 0 1" + (": it is written column by column" if column else "")
    lengths = np.linalg.norm(pose[:3, :3], axis=0)
    if np.ptp(lengths) < _RIGID * lengths.max() and lengths.max() > 0:
        return f"is no turn and shift: its axes are {lengths.mean():.4g} long, so it scales; divide them by that"
    return "is no turn and shift: its axes aren't at right angles"


def _depths(folder: Path, scale: float, count: int) -> Callable[[int], Floats | None]:
    """Depths in metres of a folder of pictures whose values are `scale` a metre."""
    files = _one_for_each(folder, count)
    return lambda number: decoded_mask(files[number], files[number], "it") / scale


def _one_for_each(folder: Path, count: int) -> list[Path]:
    """The .png files of a folder, which must be as many as there are frames."""
    files = in_order(path for path in _listed(folder) if path.suffix.lower() == ".png")
    if len(files) != count:
        raise InputError(folder, f"holds {len(files):,} .png for {count:,} frames")
    return files


def _listed(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(folder, "is no folder")
    return [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]


_POINTS = 50_000
"""Points of a mesh that are held to the rest of a scan."""


def scan_numbers(source: SceneSource) -> ScanNumbers:
    """Read a folder's numbers as they are, to find mistakes in them.

    Raises:
        InputError: a file can't be read.
    """
    content = read_scene_file(source.path / NAME)
    frame = _Frame(source.path / NAME, content)
    points, numbers, mesh = np.empty((0, 3)), np.empty(0, np.int64), frame.mesh
    labels = None if content.mesh is None else content.mesh.labels
    if mesh is not None:
        numbers = np.zeros(len(mesh.points), np.int64)
        if labels is not None and labels in mesh.face:
            numbers[mesh.faces] = mesh.of_faces(labels)[:, None]
        elif labels is not None:
            numbers = mesh.of_vertices(labels).astype(np.int64)
        every = max(1, len(numbers) // _POINTS)
        points, numbers = mesh.points[::every], numbers[::every]
    boxes: list[BoxEntry] = []
    rows, moving = {one.number: -2 for one in content.objects if one.number}, 0
    categories = []
    for one in content.objects:
        if one.box is None or one.track:
            moving += bool(one.track)
            continue
        if one.number:
            rows[one.number] = len(boxes)
        boxes.append(one.box)
        categories.append(one.label.lower())
    cameras = []
    for i, camera in enumerate(content.cameras):
        recording = frame.recording(i, camera)
        poses = frame.poses(f"cameras.{i}", camera, len(recording.times))
        if len(poses):
            views = mask_views(recording, poses, rows, camera.depth_scale)
            cameras.append(
                CameraNumbers(
                    poses, camera.axes, camera.direction, camera.turns, recording.intrinsics, recording.size,
                    recording.times, views, timed=camera.times is not None, lensed=camera.lens is not None,
                    depth_scale=camera.depth_scale,
                )
            )  # fmt: skip
    return ScanNumbers(
        content.up, content.unit, frame.scale, np.array(content.origin),
        Boxes(
            np.array([one.center for one in boxes]).reshape(-1, 3),
            np.array([one.axes for one in boxes]).reshape(-1, 3, 3),
            np.array([one.extents for one in boxes]).reshape(-1, 3),
        ),
        tuple(categories), points,
        np.array([rows.get(number, -1) for number in numbers.tolist()], np.int64),
        tuple(cameras), content.outdoors, bool(moving),
    )  # fmt: skip


def write_corrected(source: SceneSource, before: ScanNumbers, after: ScanNumbers, out: Path) -> tuple[str, ...]:
    """Write a copy of a folder with other numbers.

    Args:
        source: the folder.
        before, after: its numbers, and those of the copy.
        out: the copy, a folder that is absent or empty.

    Returns:
        The fields and files that differ.

    Raises:
        InputError: the numbers of moving objects would have to change too.
    """
    path = source.path / NAME
    content = read_json(path)
    changed: dict[str, None] = {}
    texts: dict[Path, str] = {}

    def change(entry: dict[str, Any], field: str, value: Any, shown: str) -> None:
        entry[field] = value
        changed[shown] = None

    for field in ("up", "unit"):
        if getattr(before, field) != getattr(after, field):
            change(content, field, getattr(after, field), field)
    flipped = bool((after.flips < 0).any())
    same = (before.boxes.centers, before.boxes.axes, before.boxes.extents)
    if before.moving and (flipped or any(a is not b for a, b in zip(same, vars(after.boxes).values(), strict=True))):
        raise InputError(
            path, "its moving objects have tracks, which can't be corrected with the boxes", fix="edit them"
        )
    boxed = [entry for entry in content["objects"] if entry.get("box") is not None and not entry.get("track")]
    for i, entry in enumerate(boxed):
        for field, name in (("center", "centers"), ("extents", "extents"), ("axes", "axes")):
            values = getattr(after.boxes, name)
            if not np.array_equal(values[i], getattr(before.boxes, name)[i]):
                change(entry["box"], field, values[i].tolist(), f"objects.*.box.{field}")
    if flipped:
        for field in ("origin", "room_center"):
            if content.get(field) is not None:
                change(content, field, (np.array(content[field]) * after.flips).tolist(), field)
    with_poses = [entry for entry in content.get("cameras", ()) if entry.get("poses") is not None]
    for entry, old, new in zip(with_poses, before.cameras, after.cameras, strict=True):
        row = f"cameras.{entry.get('name', 'ego')}"
        for field in ("axes", "direction", "turns", "depth_scale"):
            if getattr(old, field) != getattr(new, field):
                change(entry, field, getattr(new, field), f"{row}.{field}")
        if not np.array_equal(old.times, new.times):
            change(entry, "times", new.times.tolist(), f"{row}.times")
        if not np.array_equal(old.intrinsics, new.intrinsics):
            rows = new.intrinsics.tolist()
            change(entry, "intrinsics", rows if len(rows) > 1 else rows[0], f"{row}.intrinsics")
        if not np.array_equal(old.poses, new.poses, equal_nan=True):
            lists = [pose[:3].ravel().tolist() if np.isfinite(pose).all() else None for pose in new.poses]
            if isinstance(entry["poses"], str):
                lines = ["lost" if one is None else " ".join(map(repr, one)) for one in lists]
                texts[source.path / entry["poses"]] = "\n".join(lines) + "\n"
                changed[entry["poses"]] = None
            else:
                change(entry, "poses", lists, f"{row}.poses")
    mesh = source.path / content["mesh"]["file"] if flipped and content.get("mesh") else None
    for file in source.files:
        here = out / file.relative_to(source.path)
        if file == mesh:
            _write_flipped(file, here, after.flips)
            changed[content["mesh"]["file"]] = None
        elif file in texts:
            here.parent.mkdir(parents=True, exist_ok=True)
            write_text(here, texts[file])
        elif file != path:
            here.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, here)  # a link would let an edit of the copy change the original
    write_text(out / NAME, json.dumps(content, indent=1) + "\n")
    return tuple(changed)


def _write_flipped(file: Path, here: Path, flips: Floats) -> None:
    """Write a PLY file with some axes reversed."""
    with needs("build", "Writing PLY files"):
        from plyfile import PlyData
    content = PlyData.read(file, mmap=False)
    for axis, sign in zip("xyz", flips, strict=True):
        content["vertex"].data[axis] *= sign
    here.parent.mkdir(parents=True, exist_ok=True)
    content.write(here)
