"""Pictures with poses and without a scale: COLMAP models and nerfstudio's transforms.json.

Such a model has its own unit and its own axes. Both are hints of its owner (`--scale`, `--up`); without them a scene is
levelled by its cameras and has no metres. Source of transforms.json: nerfstudio's
docs/quickstart/data_conventions.md and nerfstudio_dataparser.py.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from tolman.errors import InputError, counted, invalid_field
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens, turned_size
from tolman.geometry.motion import cameras_up
from tolman.ingest.camera_conventions import UP_TURNS
from tolman.ingest.formats.arkitscenes import most_turns
from tolman.ingest.formats.generic import ObjectEntry
from tolman.ingest.readers import (
    RIGID,
    all_files,
    contained,
    list_of,
    natural,
    pose_of,
    read_ply,
    rigid,
    scene_name,
)
from tolman.ingest.readers.colmap_model import (
    ColmapCamera,
    ColmapImage,
    model_file,
    read_cameras,
    read_images,
    read_points,
)
from tolman.ingest.scan_format import (
    Axes,
    CameraRecording,
    Instance,
    Picture,
    RawScene,
    ScanHints,
    SceneSource,
    Up,
)
from tolman.ingest.standard_video import RATE, SLACK, decoded_mask, pictures_of, size_of, standard_size, undistorted
from tolman.ingest.surfaces import orient, read_json
from tolman.ingest.video_poses import NAME as VIDEO, read_video
from tolman.scenes import Clock

OBJECTS = "objects.json"
"""Boxes that a scan's owner adds: a list of objects as scene.json has them, in the unit and axes of the scan."""
UNTIMED_RATE = 1.0
"""Pictures a second of the video of pictures without times."""
_NOMINAL = 5.0
"""Metres across that a scene of unknown scale is given, the size of a room: thresholds in metres then fit roughly."""
_ALIKE = 0.01
"""Share of the longer side by which pictures of one camera may differ: COLMAP's undistorted ones do by some pixels."""
_GL = np.diag([1.0, -1.0, -1.0, 1.0])


# Common parts of both formats and of phones' scans


@dataclass(frozen=True)
class PosedPicture:
    """One picture.

    Attributes:
        path: of its file.
        lens: in pixels of `size`.
        size: width and height that the lens is given for; None for those of the picture.
        pose: camera → world in the file's unit and axes, looking along +z with y down, shape (4, 4); nan without one.
        depth: of its depth picture, whose values are thousandths of the unit; None without one.
        seconds: when it was taken; None where that isn't known.
        camera: its number; None where that isn't known.
    """

    path: Path
    lens: Lens
    size: tuple[int, int] | None
    pose: Floats
    depth: Path | None = None
    seconds: float | None = None
    camera: int | None = None


@dataclass(frozen=True)
class WorldFrame:
    """The way from a file's unit and axes to metres with z up.

    Attributes:
        turn: rotation, shape (3, 3).
        scale: metres of one unit, or the factor that makes a scene of unknown scale about 5 m across.
        metric: which of the two.
        up: the axis of the file that points up; 'z' where the scene was levelled by its cameras.
        notes: how they were found.
        origin: a point of the file, subtracted first, as from coordinates of a survey.
    """

    turn: Floats
    scale: float
    metric: bool
    up: Up = "z"
    notes: tuple[str, ...] = ()
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def points(self, values: Floats) -> Floats:
        """Points of the file, shape (…, 3), in metres with z up."""
        return np.asarray((values - np.array(self.origin)) @ self.turn.T * self.scale)

    def poses(self, values: Floats) -> Floats:
        """Poses camera → world of the file, shape (n, 4, 4), in metres with z up."""
        return rigid(self.turn @ values[:, :3, :3], self.points(values[:, :3, 3]))


def find_frame(path: Path, poses: Floats, points: Floats, hints: ScanHints) -> WorldFrame:
    """Find the frame of a scan whose files say neither its scale nor its up.

    Args:
        path: of the scan.
        poses: camera → world, looking along +z with y down, shape (n, 4, 4); nan where there is none.
        points: of its cloud, shape (m, 3); may be empty.
        hints: declarations of its owner.

    Raises:
        InputError: up isn't known, as the cameras hardly turn; or all cameras are in one place, and there is no cloud.
    """
    known = poses[np.isfinite(poses).all((1, 2))]
    if not len(known):
        raise InputError(path, "none of its pictures has a pose")
    notes = []
    if hints.up is not None:
        turn = UP_TURNS[hints.up]
    else:
        vertical = cameras_up(known).vertical
        if vertical is None:
            said = "its up isn't known: its cameras turn too little, or roll"
            raise InputError(path, said, fix="give the axis of the model that points up, as in '--up=-y'")
        turn = _upright(vertical)
        notes.append("levelled by its cameras, to within some degrees; --up names the axis that points up")
    if hints.scale is not None:
        return WorldFrame(turn, hints.scale, True, hints.up or "z", tuple(notes))
    places = points if len(points) >= 10 else known[:, :3, 3]
    low, high = np.percentile(places @ turn.T, (2, 98), axis=0)[:, :2]
    wide = float((high - low).max())
    if not wide > 0:
        raise InputError(path, "all its cameras are in one place, so that it has no extent", fix="give its --scale")
    notes.append("its scale is unknown: families that ask for metres are left out; --scale says the metres of one unit")
    return WorldFrame(turn, _NOMINAL / wide, False, hints.up or "z", tuple(notes))


def _upright(vertical: Floats) -> Floats:
    """The least rotation that turns a unit vector up."""
    axis = np.cross(vertical, (0.0, 0.0, 1.0))
    cosine = float(vertical[2])
    if cosine < -0.999999:
        return UP_TURNS["-z"]
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1 + cosine))


def recordings_of(
    shots: Sequence[PosedPicture],
    frame: WorldFrame,
    rate: float | None,
    *,
    axes: Axes = "opencv",
    farthest: float = math.inf,
) -> tuple[CameraRecording, ...]:
    """Recordings of pictures: those of one folder, size and camera number are of one camera.

    Numbers don't count if a camera has a single picture: COLMAP can give each picture a camera of its own.

    Args:
        shots: in order.
        frame: of their poses.
        rate: pictures a second of the camera, where they have no times but numbers in their names.
        axes: of the poses in the files.
        farthest: metres that the depth sensor measures.

    Raises:
        InputError: a picture can't be read, or has another shape than its lens is given for.
    """
    groups: dict[tuple[tuple[Path, int | None], tuple[int, int]], list[PosedPicture]] = {}
    numbered = min(Counter(shot.camera for shot in shots).values(), default=0) > 1
    for shot in shots:
        size = size_of(shot.path, upright=False)
        place = (shot.path.parent, shot.camera if numbered else None)
        near = (key for key in groups if key[0] == place and _apart(key[1], size) <= _ALIKE * max(size))
        groups.setdefault(next(near, (place, size)), []).append(replace(shot, lens=_fitted(shot, size), size=size))
    found = []
    for i, ((_, size), group) in enumerate(groups.items()):
        sizes = [shot.size or size for shot in group]
        least = (min(width for width, _ in sizes), min(height for _, height in sizes))
        times = [shot.seconds for shot in group if shot.seconds is not None]
        known = np.array(times) if len(times) == len(group) else None
        if (
            known is None
            and rate is not None
            and (numbers := _frame_numbers([shot.path for shot in group])) is not None
        ):
            known = numbers / rate
        depths = [shot.depth for shot in group]
        recording = recording_of(
            "camera" if len(groups) == 1 else f"camera-{i + 1}",
            least,
            known,
            frame.poses(np.array([shot.pose for shot in group])),
            [shot.lens for shot in group],
            pictures_of([shot.path for shot in group], least, upright=False, slack=max(least)),
            depths=depths_of(depths, frame.scale, farthest) if frame.metric and any(depths) else None,
            axes=axes,
        )
        found.append(replace(recording, names=[shot.path.as_posix() for shot in group]))
    return tuple(found)


def _frame_numbers(paths: Sequence[Path]) -> Floats | None:
    """Numbers of frames by the last number of their names, from 0 and in their commonest step, shape (n,).

    Models lack the pictures that couldn't be registered, so that a place in the list is no frame number. None where a
    name has no number, or numbers don't rise.
    """
    found = [re.findall(r"\d+", path.stem) for path in paths]
    if not all(found):
        return None
    values = [int(one[-1]) for one in found]
    numbers = np.array([value - values[0] for value in values], dtype=np.float64)
    steps, counts = np.unique(np.diff(numbers), return_counts=True)
    if not len(steps):
        return numbers
    return None if steps[0] <= 0 else np.asarray(numbers / steps[counts.argmax()])


def _clock_notes(recordings: Sequence[CameraRecording], rate: float | None) -> list[str]:
    untimed = [one.role for one in recordings if one.clock is not None]
    if rate is None or not untimed:
        return []
    return [f"--rate is not used for {', '.join(untimed)}: the last numbers of the pictures' names don't rise"]


def _apart(a: tuple[int, int], b: tuple[int, int]) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def _fitted(shot: PosedPicture, size: tuple[int, int]) -> Lens:
    """The lens of a shot in pixels of its picture, which may be a smaller copy."""
    if shot.size is None or _apart(size, shot.size) <= SLACK:
        return shot.lens
    across, down = size[0] / shot.size[0], size[1] / shot.size[1]
    if abs(across / down - 1) > 0.01:
        said = f"is {size[0]}×{size[1]} pixels, and its camera {shot.size[0]}×{shot.size[1]}"
        raise InputError(shot.path, said, fix="give the pictures that the poses were found with")
    fx, fy, cx, cy = shot.lens.intrinsics
    return replace(shot.lens, intrinsics=(fx * across, fy * down, cx * across, cy * down))


def recording_of(
    role: str,
    size: tuple[int, int],
    times: Floats | None,
    poses: Floats,
    lenses: Sequence[Lens],
    pictures: Callable[[Sequence[int]], Iterator[Picture]],
    *,
    depths: Callable[[int], Floats | None] | None = None,
    axes: Axes = "opencv",
) -> CameraRecording:
    """The recording of one camera, undistorted, and upright in most frames.

    Args:
        role: of the camera.
        size: of its pictures.
        times: seconds, rising, shape (n,); None where they aren't known.
        poses: camera → scene in metres, z up, shape (n, 4, 4).
        lenses: one for each frame.
        pictures, depths: as in CameraRecording.
        axes: of the poses in the files.
    """
    untimed = times is None
    turns = most_turns(poses)
    recording = CameraRecording(
        role,
        np.arange(len(poses)) / UNTIMED_RATE if times is None else times,
        poses,
        np.empty((0, 4)),
        size,
        pictures,
        turns=turns,
        standard=(*standard_size(turned_size(size, turns)), UNTIMED_RATE if untimed else RATE),
        depths=depths,
        clock=Clock(method="untimed") if untimed else None,
        axes=axes,
    )
    return undistorted(recording, lenses[:1] if len(set(lenses)) == 1 else lenses)


def depths_of(
    paths: Sequence[Path | None], scale: float = 1.0, farthest: float = math.inf
) -> Callable[[int], Floats | None]:
    """Reader of depth pictures in thousandths of a unit, as metres.

    Args:
        paths: of 16-bit pictures; None where a frame has none.
        scale: metres of the unit.
        farthest: metres beyond which the sensor's readings are dropped.
    """

    def read(number: int) -> Floats | None:
        path = paths[number]
        if path is None:
            return None
        found = decoded_mask(path, path, "it") * (scale / 1000)
        return np.where(found <= farthest, found, 0.0)

    return read


def added_boxes(scan: Path) -> Path:
    """The path of a scan's own boxes: objects.json in its folder, or walk.objects.json next to a file walk.r3d."""
    return scan / OBJECTS if scan.is_dir() else scan.with_name(f"{scan.stem}.{OBJECTS}")


def read_added_boxes(scan: Path, frame: WorldFrame) -> tuple[Instance, ...]:
    """The objects that a scan's owner adds; none where there is no such file.

    Raises:
        InputError: it can't be used.
    """
    path = added_boxes(scan)
    if not path.exists():
        return ()
    folder = path.parent
    try:
        entries = TypeAdapter(tuple[ObjectEntry, ...]).validate_python(read_json(contained(folder, path), list))
    except ValidationError as error:
        field, what = invalid_field(error)
        raise InputError(path, what, field=field) from None
    found = []
    for i, entry in enumerate(entries):
        if entry.box is None:
            raise InputError(path, f"'{entry.id}' has no box", field=str(i))
        center = frame.points(np.array(entry.box.center))
        axes = np.array(entry.box.axes) @ frame.turn.T
        box = orient(path, center, axes, np.array(entry.box.extents) * frame.scale, row=i + 1)
        found.append(Instance(entry.id, entry.label, box))
    return tuple(found)


_CLOUD = "its sparse cloud of {:,} points gives its extent, and neither a room's area nor what hides what"


def _lens_notes(shots: Sequence[PosedPicture]) -> list[str]:
    bent = sum(not shot.lens.is_pinhole for shot in shots)
    return [f"the lens distortion of {bent:,} of {counted(len(shots), 'picture')} is taken out"] if bent else []


@dataclass(frozen=True)
class Colmap:
    """COLMAP's sparse models."""

    name: str = "colmap"
    title: str = "COLMAP model"
    takes: frozenset[str] = frozenset({"scale", "up", "rate", "objects"})

    def find(self, root: Path) -> list[SceneSource]:
        """The models of a folder, each with the folder of its pictures."""
        if not root.is_dir():
            raise InputError(root, "is no folder")
        root = Path(os.path.abspath(root))  # the pictures may be in a folder above it
        models = sorted(
            {p.parent for end in ("bin", "txt") for p in root.rglob(f"cameras.{end}") if model_file(p.parent, "images")}
        )
        if not models:
            said = "holds no COLMAP model: no folder with cameras and images as .bin or .txt, such as sparse/0"
            raise InputError(root, said, fix="docs/ingest/phones-and-colmap.md describes it")
        places = [self._place(model) for model in models]
        found = []
        for model, place in zip(models, places, strict=True):
            known = scene_name(root, place) if place.is_relative_to(root) else place.name
            known += f"_{model.name}" if places.count(place) > 1 else ""
            files = [part for name in ("cameras", "images", "points3D") if (part := model_file(model, name))]
            files += [place / name for name in (OBJECTS, VIDEO) if (place / name).is_file()]
            files += all_files(place / "images") if (place / "images").is_dir() else ()
            found.append(SceneSource(f"{self.name}/{known}", place, tuple(files)))
        return found

    @staticmethod
    def _place(model: Path) -> Path:
        """The folder that holds the pictures of a model: itself, or up to two above it."""
        places = [model, model.parent, model.parent.parent]
        return next((place for place in places if (place / "images").is_dir()), model)

    def read(self, source: SceneSource) -> RawScene:
        """Read a model."""
        model = source.files[0].parent
        cameras_path, images_path, points_path = (model_file(model, name) for name in ("cameras", "images", "points3D"))
        if cameras_path is None or images_path is None:
            raise InputError(model, "has lost its cameras or images")
        for part in filter(None, (cameras_path, images_path, points_path)):
            contained(source.path, part)
        cameras, images = read_cameras(cameras_path), read_images(images_path)
        if not images:
            raise InputError(images_path, "holds no registered picture")
        if not (source.path / "images").is_dir():
            said = "has no folder 'images' with its pictures"
            raise InputError(model, said, fix="put them into 'images' there, or up to two folders above it")
        video = read_video(source.path)
        shots = [
            replace(self._shot(source, images_path, cameras, one), seconds=video.times.get(one.name)) for one in images
        ]
        points = np.empty((0, 3)) if points_path is None else read_points(points_path)
        frame = find_frame(source.path, np.array([one.pose for one in images]), points, source.hints)
        recordings = recordings_of(shots, frame, source.hints.rate)
        notes = [*video.notes(), *frame.notes, *_clock_notes(recordings, source.hints.rate), *_lens_notes(shots)]
        return RawScene(
            instances=read_added_boxes(source.path, frame),
            points=frame.points(points),
            recordings=recordings,
            metric=frame.metric,
            up=frame.up,
            notes=(*notes, *([_CLOUD.format(len(points))] if len(points) else [])),
        )

    @staticmethod
    def _shot(source: SceneSource, path: Path, cameras: Mapping[int, ColmapCamera], one: ColmapImage) -> PosedPicture:
        if one.camera not in cameras:
            raise InputError(path, f"'{one.name}' is of camera {one.camera}, which isn't among the cameras")
        pure = PurePosixPath(one.name)
        if pure.is_absolute() or ".." in pure.parts:
            raise InputError(path, f"names the picture '{one.name}', which is outside the folder of the pictures")
        picture = contained(source.path, source.path / "images" / pure)
        camera = cameras[one.camera]
        return PosedPicture(picture, camera.lens, camera.size, one.pose, camera=one.camera)


# nerfstudio

_PERSPECTIVE = frozenset({"", "SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL", "RADIAL", "OPENCV"})
_FISHEYE = "OPENCV_FISHEYE"
_TRANSFORMS = "transforms.json"


@dataclass(frozen=True)
class Nerfstudio:
    """Folders with a transforms.json, as nerfstudio, instant-ngp and Spectacular AI write them."""

    name: str = "nerfstudio"
    title: str = "nerfstudio transforms.json"
    takes: frozenset[str] = frozenset({"scale", "up", "rate", "objects"})

    def find(self, root: Path) -> list[SceneSource]:
        """The folders with a transforms.json."""
        if not root.is_dir():
            raise InputError(root, "is no folder")
        places = [root] if (root / _TRANSFORMS).is_file() else sorted(path.parent for path in root.rglob(_TRANSFORMS))
        if not places:
            raise InputError(root, f"holds no {_TRANSFORMS}", fix="docs/ingest/phones-and-colmap.md describes it")
        return [SceneSource(f"{self.name}/{scene_name(root, place)}", place, all_files(place)) for place in places]

    def read(self, source: SceneSource) -> RawScene:
        """Read a folder."""
        path = contained(source.path, source.path / _TRANSFORMS)
        content = read_json(path)
        frames = content.get("frames")
        if not isinstance(frames, list) or not frames or not all(isinstance(one, dict) for one in frames):
            raise InputError(path, "takes a list of objects", field="frames")
        moved = content.get("applied_transform")
        if moved is not None:
            _check_applied(path, moved)
        # nerfstudio, too, sorts them by name.
        order = sorted(range(len(frames)), key=lambda i: natural(str(frames[i].get("file_path", ""))))
        # instant-ngp, too, passes over frames without a picture, as its own example has them.
        names = [
            _below(source.path, path, one.get("file_path"), f"frames.{i}.file_path") for i, one in enumerate(frames)
        ]
        there = [i for i in order if names[i].exists()]
        if 2 * len(there) < len(frames):
            contained(source.path, next(names[i] for i in order if i not in there))
        shots = [_shot(source.path, path, content, frames[i], i) for i in there]
        points = np.empty((0, 3))
        if isinstance(cloud := content.get("ply_file_path"), str):
            points = read_ply(_named(source.path, path, cloud, "ply_file_path")).points
        frame = find_frame(source.path, np.array([shot.pose for shot in shots]), points, source.hints)
        recordings = recordings_of(shots, frame, source.hints.rate)
        notes = [*frame.notes, *_clock_notes(recordings, source.hints.rate)]
        if lost := len(frames) - len(there):
            notes.append(f"{lost:,} of {len(frames):,} frames have no picture and are left out")
        if any("mask_path" in one for one in frames):
            notes.append("its mask_path is not used: the video shows whole pictures")
        notes += [*_lens_notes(shots), *([_CLOUD.format(len(points))] if len(points) else [])]
        return RawScene(
            instances=read_added_boxes(source.path, frame),
            points=frame.points(points),
            recordings=recordings,
            metric=frame.metric,
            up=frame.up,
            notes=tuple(notes),
        )


def _check_applied(path: Path, value: Any) -> None:
    """Hold applied_transform to a rotation: poses and ply_file_path are both in the frame that it leads to."""
    try:
        matrix = np.array(value, dtype=np.float64)[:3, :3]
        turned = np.abs(matrix @ matrix.T - np.eye(3)).max() < RIGID
    except (TypeError, ValueError, IndexError, OverflowError):
        raise InputError(path, "takes a matrix of 3×4 numbers", field="applied_transform") from None
    if not turned or np.linalg.det(matrix) < 0:
        raise InputError(path, "is no rotation: it scales or mirrors the scene", field="applied_transform")


def _shot(folder: Path, path: Path, content: Mapping[str, Any], frame: Mapping[str, Any], number: int) -> PosedPicture:
    row = f"frames.{number}"
    picture = _named(folder, path, frame.get("file_path"), f"{row}.file_path")
    lens, size = _lens(path, content, frame, row, picture)
    depth = frame.get("depth_file_path")
    return PosedPicture(
        picture,
        lens,
        size,
        pose_of(path, frame.get("transform_matrix"), row=f"{row}.transform_matrix") @ _GL,
        None if depth is None else _named(folder, path, depth, f"{row}.depth_file_path"),
    )


def _below(folder: Path, path: Path, name: Any, field: str) -> Path:
    """The place of a file that a JSON file names, which must be in its folder; Blender's names lack the ending .png."""
    if not isinstance(name, str) or not name:
        raise InputError(path, "takes the path of a file", field=field)
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or "\0" in name:
        raise InputError(path, f"names '{name}', which is outside its folder", field=field)
    if not (folder / pure).exists() and (folder / f"{pure}.png").exists():
        pure = PurePosixPath(f"{pure}.png")
    return folder / pure


def _named(folder: Path, path: Path, name: Any, field: str) -> Path:
    """The file itself, links followed."""
    return contained(folder, _below(folder, path, name, field))


def _lens(
    path: Path, content: Mapping[str, Any], frame: Mapping[str, Any], row: str, picture: Path
) -> tuple[Lens, tuple[int, int]]:
    """The lens of a frame, and the size that it is given for; a value at the file's top holds for every frame."""
    model = str(content.get("camera_model", ""))
    if model not in _PERSPECTIVE and model != _FISHEYE:
        said = f"has the camera model {model}, which can't be undistorted here"
        raise InputError(
            path, said, field="camera_model", fix="convert the pictures to PINHOLE, OPENCV or OPENCV_FISHEYE"
        )

    def number(name: str, default: float | None = None) -> float:
        value = content.get(name, frame.get(name, default))
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
            raise InputError(path, f"'{name}' is missing, or no finite number", field=row)
        return float(value)

    own = size_of(picture, upright=False)
    size = (round(number("w", own[0])), round(number("h", own[1])))

    def by_angle(name: str, pixels: int) -> float | None:
        angle = content.get(name, frame.get(name))
        usable = isinstance(angle, int | float) and not isinstance(angle, bool) and 1e-9 < angle < math.pi
        return pixels / 2 / math.tan(angle / 2) if usable else None

    fx = number("fl_x", by_angle("camera_angle_x", size[0]))
    fy = number("fl_y", by_angle("camera_angle_y", size[1]) or fx)
    intrinsics = (fx, fy, number("cx", size[0] / 2), number("cy", size[1] / 2))
    if min(intrinsics[:2]) <= 0 or min(size) <= 0:
        raise InputError(path, "has a focal length or a size that isn't positive", field=row)
    listed = content.get("distortion_params", frame.get("distortion_params"))
    if listed is not None:
        if not isinstance(listed, list) or any(isinstance(one, str) for one in listed):
            raise InputError(path, "takes k1, k2, k3, k4, p1, p2", field="distortion_params")
        k1, k2, k3, k4, p1, p2 = list_of(path, listed, 6, None, "distortion_params").tolist()
    else:
        k1, k2, k3, k4, p1, p2 = (number(name, 0.0) for name in ("k1", "k2", "k3", "k4", "p1", "p2"))
    fisheye = model == _FISHEYE or (not model and content.get("is_fisheye") is True)  # the latter is instant-ngp's
    # The same polynomial for both: its k3 and k4 belong to r⁶ and r⁸, unlike OpenCV's k4.
    return Lens(intrinsics, fisheye, (k1, k2, k3, k4), tangential=(0.0, 0.0) if fisheye else (p1, p2)), size


FORMATS = {"colmap": Colmap(), "nerfstudio": Nerfstudio()}
