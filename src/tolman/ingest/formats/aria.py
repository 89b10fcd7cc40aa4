"""Recordings of Project Aria's glasses: the colour stream of a VRS file, placed by Machine Perception Services (MPS).

MPS writes `closed_loop_trajectory.csv` (poses of the glasses a thousand times a second, and gravity),
`online_calibration.jsonl` (lenses and mounts of the cameras over time) and `semidense_points.csv.gz`, formerly
`global_points.csv.gz`. Times are the glasses' clock. Aria Digital Twin has `aria_trajectory.csv` instead, and boxes:
`3d_bounding_box.csv` in an object's own frame, `scene_objects.csv` with its poses (time −1: it doesn't move) and
`instances.json` with its category.

The colour camera is a FISHEYE624 lens, stored on its side; the middle of the first pixel is at (0, 0). Rolling shutter
isn't taken into account. Sources: facebookresearch/projectaria_tools, its documentation of MPS and of Aria Digital
Twin, core/calibration and core/mps; points are filtered as in its `filter_points_from_confidence`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tolman.errors import InputError, MissingExtraError, counted
from tolman.geometry.camera_geometry import Lens, lens_of
from tolman.ingest.camera_conventions import UP_TURNS
from tolman.ingest.formats.posed_pictures import WorldFrame, recording_of
from tolman.ingest.readers import natural
from tolman.ingest.readers.ego_exo4d_files import (
    COLOUR,
    nearest,
    numbers_in,
    read_mounts,
    read_table,
    read_trajectory,
    rigid_rows,
)
from tolman.ingest.scan_format import CameraRecording, Instance, Picture, RawScene, ScannedSurface, SceneSource, Up
from tolman.ingest.surfaces import orient, read_json
from tolman.scenes import TrackPoint

_TRAJECTORIES = ("closed_loop_trajectory.csv", "aria_trajectory.csv")
_CALIBRATION = "online_calibration.jsonl"
_POINTS = ("semidense_points.csv.gz", "global_points.csv.gz")
_RECORDINGS = ("recording.vrs", "video.vrs", "main_recording.vrs", "sample.vrs")
_LEVELS = 3
"""Folders from a trajectory up to its recording, at most: RECORDING/mps/slam."""
_GAP = 0.02
"""Seconds by which the nearest pose may miss a picture; Aria Digital Twin has one for each picture."""
_INVERSE, _DISTANCE = 0.001, 0.05
"""Greatest standard deviations of a point's inverse distance (1/m) and distance (m)."""
_LEAN = 0.9995
"""Cosine of gravity with an axis of the world, at least: 2°."""


@dataclass(frozen=True)
class Aria:
    """The format."""

    name: str = "aria"
    title: str = "Project Aria recordings"

    def find(self, root: Path) -> list[SceneSource]:
        """The recordings of a folder by their trajectories; those of Ego-Exo4D's takes are that format's."""
        sources = []
        found = sorted(
            (path for name in _TRAJECTORIES for path in root.rglob(name)) if root.is_dir() else (),
            key=lambda path: natural(path.as_posix()),
        )
        for path in found:
            if (path.parent / "gopro_calibs.csv").is_file() or (root / "takes.json").is_file():
                continue
            vrs = _recording_of(path, root)
            place = path.parent if vrs is None else vrs.parent
            name = place.resolve().name
            others = (path.parent / one for one in (_CALIBRATION, *_POINTS))
            boxes = (path.parent / one for one in ("3d_bounding_box.csv", "scene_objects.csv", "instances.json"))
            files = (path, *([vrs] if vrs else []), *(one for one in (*others, *boxes) if one.is_file()))
            sources.append(SceneSource(f"{self.name}/{name}", place, files))
        if not sources:
            raise InputError(root, f"holds no {' or '.join(_TRAJECTORIES)} of Machine Perception Services")
        return sources

    def read(self, source: SceneSource) -> RawScene:
        """Read a recording: pictures of the colour camera, its poses, points and boxes, each where there."""
        files = {path.name: path for path in source.files}
        path = source.files[0]
        up = _up(path)
        frame = WorldFrame(UP_TURNS[up], 1.0, True, up)
        recordings: tuple[CameraRecording, ...] = ()
        start, notes = 0.0, list[str]()
        vrs = next((one for one in source.files if one.suffix == ".vrs"), None)
        if vrs is None:
            notes.append("it has no VRS file, and so no pictures")
        else:
            recording, start, said = _recording(vrs, path, files.get(_CALIBRATION), frame)
            recordings, notes = (recording,), [*said]
        surface = None
        points = next((files[name] for name in _POINTS if name in files), None)
        if points is not None:
            surface, said = _points(points, path, frame)
            notes += said
        instances: tuple[Instance, ...] = ()
        if "3d_bounding_box.csv" in files and "scene_objects.csv" in files:
            instances = tuple(_objects(files, frame, start))
        return RawScene(instances, surface, recordings, up=up, notes=tuple(notes))


def _recording_of(trajectory: Path, root: Path) -> Path | None:
    """The VRS file of a trajectory, in its folder or the nearest one above it with one."""
    for folder in (trajectory.parent, *trajectory.parent.parents)[: _LEVELS + 1]:
        known = {path.name: path for path in folder.glob("*.vrs")}
        named = next((known[name] for name in _RECORDINGS if name in known), None)
        if named is not None or len(known) == 1:
            return named or next(iter(known.values()))
        if folder == root:
            break
    return None


def _up(path: Path) -> Up:
    """The axis of a trajectory's world against gravity."""
    names = [f"gravity_{axis}_world" for axis in "xyz"]
    gravity = numbers_in(path, read_table(path, names, rows=1), names, 1)[0]
    length = float(np.linalg.norm(gravity))
    for up, turn in UP_TURNS.items():
        if -float(turn[2] @ gravity) >= _LEAN * length > 0:
            return up
    raise InputError(path, f"has the gravity {gravity.tolist()}, which is along no axis of its world", row=1)


def _objects(files: Mapping[str, Path], frame: WorldFrame, start: float) -> Iterator[Instance]:
    """The objects of Aria Digital Twin; those that move are where they are first, with a track.

    Args:
        files: by name.
        frame: of the poses.
        start: of the recording by the glasses' clock, seconds.
    """
    path, placed = files["3d_bounding_box.csv"], files["scene_objects.csv"]
    names = read_json(files["instances.json"]) if "instances.json" in files else {}
    sides = [f"p_local_obj_{axis}{end}[m]" for axis in "xyz" for end in ("min", "max")]
    table = read_table(path, ["object_uid", *sides])
    bounds = dict(zip(table["object_uid"], numbers_in(path, table, sides, 1).reshape(-1, 3, 2), strict=True))
    columns = [f"{part}[m]" for part in ("t_wo_x", "t_wo_y", "t_wo_z")] + [f"q_wo_{part}" for part in "wxyz"]
    table = read_table(placed, ["object_uid", "timestamp[ns]", *columns])
    values = numbers_in(placed, table, ["timestamp[ns]", *columns], 1)
    poses = frame.poses(rigid_rows(placed, values[:, 1:], 1))
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(table["object_uid"]):
        rows.setdefault(name, []).append(row)
    for name, own in rows.items():
        about = names.get(name)
        about = about if isinstance(about, dict) else {}
        if name not in bounds or about.get("instance_type") == "human":
            continue
        low, high = bounds[name].T
        own.sort(key=lambda row: values[row, 0])
        track, box = [], None
        for row in own:
            center = poses[row, :3, :3] @ ((low + high) / 2) + poses[row, :3, 3]
            at = orient(placed, center, poses[row, :3, :3].T, high - low, row=row + 1)
            box = box or at
            track.append(TrackPoint(seconds=values[row, 0] * 1e-9 - start, center=at.center, axes=at.axes))
        moves = len(own) > 1 and any(one.center != track[0].center or one.axes != track[0].axes for one in track)
        label = str(about.get("category") or about.get("prototype_name") or about.get("instance_name") or name)
        yield Instance(name, label, box, tuple(track) if moves else ())


def _points(path: Path, trajectory: Path, frame: WorldFrame) -> tuple[ScannedSurface, list[str]]:
    """The points of the trajectory's world that are certain enough."""
    columns = ["px_world", "py_world", "pz_world", "inv_dist_std", "dist_std"]
    table = read_table(path, ["graph_uid", *columns])
    world = read_table(trajectory, ["graph_uid"], rows=1)["graph_uid"].first()
    values = numbers_in(path, table, columns, 1)
    sure = (values[:, 3] < _INVERSE) & (values[:, 4] < _DISTANCE) & (table["graph_uid"] == world).to_numpy()
    points = frame.points(values[sure, :3])
    notes = [f"{counted(int((~sure).sum()), 'point')} of {len(sure):,} left out as uncertain"] if not sure.all() else []
    return ScannedSurface(points, np.empty((0, 3), np.int64), np.zeros(len(points), np.int64)), notes


def _recording(
    vrs: Path, trajectory: Path, calibration: Path | None, frame: WorldFrame
) -> tuple[CameraRecording, float, list[str]]:
    """The colour camera of a recording, its first time by the glasses' clock in seconds, and notes.

    Raises:
        InputError: a file can't be read, or none of its pictures has a pose.
        MissingExtraError: projectaria-tools isn't installed.
    """
    with _library() as aria:
        provider, stream = _opened(aria, vrs)
        times = np.array(provider.get_timestamps_ns(stream, aria.TimeDomain.DEVICE_TIME)) * 1e-9
        configuration = provider.get_image_configuration(stream)
        size = (int(configuration.image_width), int(configuration.image_height))
        device = provider.get_device_calibration()
        factory = device.get_camera_calib(COLOUR)
        calibrations, said = [factory], ["the lens is the factory's, as it has no online_calibration.jsonl"]
        mounts, moments = factory.get_transform_device_camera().to_matrix()[None], np.zeros(1)
        if calibration is not None:
            moments, mounts = read_mounts(calibration)
            records = aria.mps.read_online_calibration(str(calibration))
            calibrations = [one for record in sorted(records, key=lambda record: record.tracking_timestamp)
                            for one in record.camera_calibs if one.get_label() == COLOUR]  # fmt: skip
            if len(calibrations) != len(mounts) or not calibrations:
                raise InputError(calibration, f"has no {COLOUR}, or not one in each row")
            said = []
        version = device.get_device_version()
        lenses = [_lens(vrs, aria, one, size, version) for one in calibrations]
    placed, worlds = read_trajectory(trajectory)
    at, own = nearest(placed, times), nearest(moments, times)
    poses = worlds[at] @ mounts[own]
    lost = np.abs(placed[at] - times) > _GAP
    poses[lost] = np.nan
    if lost.all():
        raise InputError(
            trajectory, f"has no pose at the time of any of {counted(len(times), 'picture')} of {vrs.name}"
        )

    def pictures(numbers: Sequence[int]) -> Iterator[Picture]:
        for number in numbers:
            with _library():
                shown = np.asarray(provider.get_image_data_by_index(stream, int(number))[0].to_numpy_array())
            yield shown if shown.ndim == 3 else np.repeat(shown[..., None], 3, axis=-1)

    recording = recording_of("ego", size, times - times[0], frame.poses(poses), [lenses[i] for i in own], pictures)
    return recording, float(times[0]), said


def _opened(aria: Any, vrs: Path) -> tuple[Any, Any]:
    """A VRS file and its colour stream.

    Raises:
        InputError: it can't be read, or has no picture in colour.
    """
    try:
        provider = aria.create_vrs_data_provider(str(vrs))
        stream = None if provider is None else provider.get_stream_id_from_label(COLOUR)
    except RuntimeError as error:
        raise InputError(vrs, f"is no readable VRS file ({str(error).splitlines()[0]})", fix="get it again") from None
    if provider is None:
        raise InputError(vrs, "is no readable VRS file", fix="get it again")
    if stream is None or not provider.get_num_data(stream):
        raise InputError(vrs, f"has no pictures of {COLOUR}")
    return provider, stream


def _lens(vrs: Path, aria: Any, calibration: Any, size: tuple[int, int], version: Any) -> Lens:
    """A calibration as a lens, in pixels of the recording's pictures."""
    if tuple(int(side) for side in calibration.get_image_size()) != size:
        calibration = aria.calibration.rescale_camera_calibration(calibration, np.array(size), version)
    if calibration.get_model_name() != aria.calibration.CameraModelType.FISHEYE624:
        raise InputError(vrs, f"has a lens of the model {calibration.get_model_name()}, not FISHEYE624")
    focal, cx, cy, *rest = (float(value) for value in calibration.get_projection_params())
    return lens_of("RAD_TAN_THIN_PRISM_FISHEYE", (focal, focal, cx + 0.5, cy + 0.5, *rest))


@dataclass(frozen=True)
class _Modules:
    """Parts of projectaria_tools."""

    calibration: Any
    mps: Any
    create_vrs_data_provider: Any
    TimeDomain: Any


@contextmanager
def _library() -> Iterator[_Modules]:
    """The library, which writes a log of its own to both outputs: to nowhere meanwhile.

    Raises:
        MissingExtraError: it isn't installed.
    """
    try:
        from projectaria_tools.core import calibration, data_provider, mps, sensor_data
    except ImportError:
        raise MissingExtraError("projectaria-tools", None, "Reading recordings of Aria") from None
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in (1, 2):
            os.dup2(nowhere, number)
        yield _Modules(calibration, mps, data_provider.create_vrs_data_provider, sensor_data.TimeDomain)
    finally:
        for number, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, number)
            os.close(copy)
        os.close(nowhere)


FORMAT = Aria()
