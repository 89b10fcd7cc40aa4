"""Ego-Exo4D: people who do something, recorded by glasses on their head and by cameras around them at the same time.

A take becomes a Scene without boxes, and a Capture for each camera: role 'ego' for the first that `is_ego` says is worn
('ego-2' for another), 'exo-cam01' and so on for the rest, regardless of their names. Frame i of every video of a take
is the same instant, so all captures have the same times, which count from the take's first frame; keysteps and atomic
descriptions become the scene's events on that time line.

The scene's frame is that of the glasses' trajectory, z up. Poses are given where they are known:

- a fixed camera's from gopro_calibs.csv, unless it wasn't localised (quality other than 1), was moved, or is in another
  frame than the glasses' trajectory (graph_uid);
- the glasses' from closed_loop_trajectory.csv at the time that timesync.csv gives for the frame, times the colour
  camera's place on them in online_calibration.jsonl, times a quarter turn: the sensor is mounted sideways and the
  videos are upright.

All of these cameras have fisheye lenses. A Capture's intrinsics are a pinhole camera's, which would be wrong for them,
so they have none.

Sources: docs.ego-exo4d-data.org, and the notebooks of facebookresearch/Ego4d; MPS formats of Project Aria.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import turned_poses
from tolman.ingest.readers import json_rows, natural
from tolman.ingest.readers.ego_exo4d_files import ANNOTATIONS, Fixed, events_of, fixed_poses, worn_poses
from tolman.ingest.scan_format import CameraRecording, RawScene, SceneSource
from tolman.media.video import BrokenMediaError, VideoIndex, read_frames, read_index

_SMALL = "downscaled/448"
_STREAM = "rgb"
"""Of glasses; other cameras have one stream."""
_DIFFERENT = 1.0
"""Seconds by which the lengths of a take's videos may differ: the shortest counts."""


class _Camera(BaseModel):
    """A camera of a capture, as takes.json has it."""

    model_config = ConfigDict(extra="ignore")

    cam_id: str = Field(min_length=1, max_length=100)
    is_ego: bool


class _Video(BaseModel):
    """One stream of a camera; `relative_path` is null where it wasn't released."""

    model_config = ConfigDict(extra="ignore")

    stream_id: str | None = None
    readable_stream_id: str | None = None
    relative_path: str | None = None


class _Session(BaseModel):
    """The recording session that a take was cut from."""

    model_config = ConfigDict(extra="ignore")

    capture_name: str | None = None
    cameras: list[_Camera] = Field(min_length=1, max_length=100)


class Take(BaseModel):
    """A take's entry in takes.json."""

    model_config = ConfigDict(extra="ignore")

    take_name: str
    take_uid: str
    root_dir: str
    duration_sec: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    timesync_start_idx: int | None = None
    capture: _Session
    frame_aligned_videos: dict[str, dict[str, _Video]] = Field(default_factory=dict)


@dataclass(frozen=True)
class EgoExo4D:
    """The format; `path` of its Sources is the take's folder."""

    name: str = "ego-exo4d"
    title: str = "Ego-Exo4D"

    def find(self, root: Path) -> list[SceneSource]:
        """The takes of takes.json whose videos are on this disk.

        Raises:
            InputError: there is no takes.json, it can't be used, or no take's videos are there.
        """
        path = root / "takes.json"
        if not path.is_file():
            raise InputError(root, "holds no takes.json", fix="give the folder that 'egoexo -o FOLDER' downloaded to")
        found = []
        for name, take in _takes(path, _state(path)).items():
            if isinstance(take, InputError):
                found.append(SceneSource(f"{self.name}/{name}", root, (path,)))
            elif (root / take.root_dir / "frame_aligned_videos").is_dir():
                found.append(SceneSource(f"{self.name}/{name}", root / take.root_dir, tuple(_files(root, take))))
        if not found:
            what = f"names no take whose frame_aligned_videos are below {root}"
            raise InputError(path, what, fix="download them with 'egoexo --parts takes' or 'downscaled_takes/448'")
        return sorted(found, key=lambda source: natural(source.id))

    def read(self, source: SceneSource) -> RawScene:
        """Read one take.

        Raises:
            InputError: a video can't be read or is of another length, or a table is broken.
        """
        path = source.files[0]
        root = path.parent
        take = _takes(path, _state(path)).get(source.id.partition("/")[2])
        if take is None:
            raise InputError(path, f"has no take '{source.id.partition('/')[2]}'")
        if isinstance(take, InputError):
            raise take
        repaired: list[str] = []
        videos = _videos(root, take, repaired)
        times = _times(videos, take, repaired)
        fixed = fixed_poses(source.path / "trajectory")
        recordings = tuple(_recording(root, take, one, times, fixed, repaired) for one in videos)
        roles = {one.cam_id: one.role for one in videos}
        events = events_of(root, take.take_uid, roles, float(times[-1]), repaired)
        return RawScene(recordings=recordings, outdoors=True, events=events, repaired=tuple(repaired))


FORMAT = EgoExo4D()


@dataclass(frozen=True)
class _Found:
    """A camera's video on this disk."""

    cam_id: str
    role: str
    worn: bool
    stream: str
    path: Path
    index: VideoIndex
    size: tuple[int, int]


def _state(path: Path) -> tuple[int, int]:
    try:
        state = path.stat()
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror or error})") from None
    return state.st_size, state.st_mtime_ns


@lru_cache(maxsize=1)
def _takes(path: Path, state: tuple[int, int]) -> Mapping[str, Take | InputError]:
    """Read the takes of a file by name, or the error of one; those of this disk only, as there are thousands."""
    found: dict[str, Take | InputError] = {}
    for row in json_rows(path):
        folder, name = row.fields.get("root_dir"), row.fields.get("take_name")
        if not isinstance(folder, str) or not _inside(folder):
            raise InputError(path, "is no folder below this one", row=row.number, field="root_dir")
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,199}", name):
            raise InputError(path, "can't be a take's name", row=row.number, field="take_name")
        if not (path.parent / folder).is_dir():
            continue
        if name in found:
            raise InputError(path, f"has the take {name} twice", row=row.number)
        try:
            found[name] = Take.model_validate(row.fields)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            found[name] = InputError(path, first["msg"], row=name, field=field)
    return found


def _inside(relative: str) -> bool:
    place = PurePosixPath(relative)
    return not place.is_absolute() and ".." not in place.parts and "\0" not in relative and len(relative) < 1000


def _files(root: Path, take: Take) -> Iterator[Path]:
    """Files of a take; takes.json first."""
    yield root / "takes.json"
    for streams in take.frame_aligned_videos.values():
        for video in streams.values():
            if video.relative_path and (path := _on_disk(root, take, video.relative_path)):
                yield path
    for name in ("closed_loop_trajectory.csv", "gopro_calibs.csv", "online_calibration.jsonl"):
        yield root / take.root_dir / "trajectory" / name
    if take.capture.capture_name:
        yield _timesync(root, take)
    yield from (root / "annotations" / name for name in ANNOTATIONS)


def _timesync(root: Path, take: Take) -> Path:
    return root / "captures" / str(take.capture.capture_name).replace("/", "_") / "timesync.csv"


def _on_disk(root: Path, take: Take, relative: str) -> Path | None:
    """A video's file: the whole size where that is there, else the small copy."""
    if not _inside(relative):
        raise InputError(root / "takes.json", f"the video '{relative[:80]}' leads out of its take", row=take.take_name)
    path = root / take.root_dir / relative
    small = path.parent / _SMALL / path.name
    return path if path.is_file() else small if small.is_file() else None


def _videos(root: Path, take: Take, repaired: list[str]) -> list[_Found]:
    """The videos of a take's cameras, those that are worn first."""
    found: list[_Found] = []
    missing: list[str] = []
    worn = 0
    for camera in sorted(take.capture.cameras, key=lambda one: (not one.is_ego, natural(one.cam_id))):
        streams = take.frame_aligned_videos.get(camera.cam_id, {})
        stream = _STREAM if _STREAM in streams else next(iter(streams), None)
        relative = streams[stream].relative_path if stream is not None else None
        path = None if relative is None else _on_disk(root, take, relative)
        if path is None:
            missing.append(camera.cam_id)
            continue
        worn += camera.is_ego
        role = ("ego" if worn == 1 else f"ego-{worn}") if camera.is_ego else f"exo-{camera.cam_id}"
        index, size = _looked(path)
        number = streams[str(stream)].stream_id or ""
        found.append(_Found(camera.cam_id, role, camera.is_ego, number, path, index, size))
    if not found:
        raise InputError(root / take.root_dir / "frame_aligned_videos", "holds none of the take's videos")
    if missing:
        repaired.append(f"{root / take.root_dir}: without a video here: {', '.join(missing)}.")
    if len({one.role for one in found}) < len(found):
        raise InputError(root / "takes.json", "names a camera twice", row=take.take_name, field="capture.cameras")
    return found


def _looked(path: Path) -> tuple[VideoIndex, tuple[int, int]]:
    try:
        index = read_index(path)
        _, first = next(read_frames(path, index, [0]))
    except BrokenMediaError as error:
        raise InputError(path, str(error).removeprefix(f"{path}: "), fix="download it again") from None
    return index, first.size


def _times(videos: list[_Found], take: Take, repaired: list[str]) -> Floats:
    """When each frame was taken, from the first one on: the same for all videos."""
    shortest = min(videos, key=lambda one: len(one.index.times))
    count = len(shortest.index.times)
    rates = [len(one.index.times) / float(one.index.duration) for one in videos if one.index.duration > 0]
    if not rates or max(rates) > 1.05 * min(rates):
        raise InputError(shortest.path, "has another frame rate than the take's other videos, or none")
    rate = float(np.median(rates))
    for one in videos:
        over = (len(one.index.times) - count) / rate
        if over > _DIFFERENT:
            what = f"is {over:.1f} s shorter than {one.path.name}, though they are frame-aligned"
            raise InputError(shortest.path, what, fix="download both again")
    if any(len(one.index.times) != count for one in videos):
        repaired.append(f"{take.take_name}: its videos differ by a few frames; the first {count:,} of each count.")
    return np.arange(count) / rate


def _recording(
    root: Path, take: Take, one: _Found, times: Floats, fixed: Fixed, repaired: list[str]
) -> CameraRecording:
    poses = np.empty((0, 4, 4))
    if one.worn and one.stream == "214-1":
        place = root / take.root_dir / "trajectory"
        start = take.timesync_start_idx
        found, said = worn_poses(place, _timesync(root, take), one.cam_id, one.stream, start, len(times))
        # The videos are a quarter turn clockwise from what the sensor reads out.
        poses = turned_poses(found, 1) if len(found) else found
    elif one.worn:
        said = "is worn and not the glasses' colour camera, so where it was isn't known"
    else:
        pose, said = fixed.of(one.cam_id)
        poses = np.empty((0, 4, 4)) if pose is None else np.repeat(pose[None], len(times), axis=0)
    if said:
        repaired.append(f"{take.take_name}: {one.cam_id} {said}; it has no poses.")
    return CameraRecording(
        role=one.role,
        times=times,
        poses=poses,
        intrinsics=np.empty((0, 4)),
        size=one.size,
        media=one.path,
        sightings=(),
    )
