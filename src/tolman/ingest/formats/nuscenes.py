"""nuScenes: drives of 20 s with six cameras, a LiDAR and boxes around moving and still things on the street.

The scene's frame is the data set's global one, z up, moved (not turned) to where the car is at the first sample; its
time 0 is the first sample's. A camera's pose is ego pose ∘ calibrated sensor, with the ego pose of each recording's
own time; cameras look along +z with y down as everywhere in Tolman, and the LiDAR's x points right, y ahead, z up.

Boxes, tracks and sightings: `nuscenes_boxes`.

Source: docs/schema_nuscenes.md and utils/data_classes.py of nutonomy/nuscenes-devkit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.ingest.readers import rigid
from tolman.ingest.readers.nuscenes_records import TABLES, Annotations, Record, Tables, rotation_of
from tolman.ingest.scan_format import CameraRecording, RawScene, SceneSource
from tolman.ingest.standard_video import pictures_of
from tolman.scenes import Capture, Event

CAMERAS = ("CAM_FRONT", "CAM_FRONT_RIGHT", "CAM_BACK_RIGHT", "CAM_BACK", "CAM_BACK_LEFT", "CAM_FRONT_LEFT")
LIDAR = "LIDAR_TOP"
VIDEO = (800, 450)
"""Half the width and height of the pictures."""
POINT = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4"), ("ring", "<f4")])
"""Metres in the LiDAR's coordinates, 0 … 255, number of the ring; of a .pcd.bin."""
_VERSIONS = ("v1.0-trainval", "v1.0-test", "v1.0-mini")


@dataclass(frozen=True)
class NuScenes:
    """The format; `path` of its Sources is the folder of the tables, which is next to samples/ and sweeps/."""

    name: str = "nuscenes"
    title: str = "nuScenes"

    def find(self, root: Path) -> list[SceneSource]:
        """The scenes of all versions below a folder; one that several versions hold is taken from the largest.

        Raises:
            InputError: there are no tables, or they can't be used.
        """
        folders = [path.parent for path in (root / "scene.json", *sorted(root.glob("*/scene.json"))) if path.is_file()]
        if not folders:
            raise InputError(
                root,
                "holds no tables of nuScenes (scene.json, or v1.0-mini/scene.json)",
                fix="give the folder that holds v1.0-trainval, samples and sweeps",
            )
        folders.sort(key=lambda folder: _VERSIONS.index(folder.name) if folder.name in _VERSIONS else -1)
        found: dict[str, SceneSource] = {}
        for folder in folders:
            with Tables(folder) as tables:
                for name in tables.scenes():
                    files = tuple(folder / f"{table}.json" for table in TABLES)
                    found.setdefault(name, SceneSource(f"{self.name}/{name}", folder, files))
        if not found:
            raise InputError(folders[0] / "scene.json", "holds no scene", fix="download it again")
        return [found[name] for name in sorted(found)]

    def read(self, source: SceneSource) -> RawScene:
        """Read one scene.

        Raises:
            InputError: a table is broken or refers to a missing row, or no camera's pictures are on this disk.
        """
        with Tables(source.path) as tables:
            return _Drive(tables, source).reading()


FORMAT = NuScenes()


class _Drive:
    """One scene's rows on the way to a Reading.

    Args:
        tables: of its version.
        source: the scene.
    """

    def __init__(self, tables: Tables, source: SceneSource) -> None:
        self._tables, self._source = tables, source
        self._name = source.id.partition("/")[2]
        self._data = source.path.parent
        self._row = tables.scene(self._name)
        samples = tables.of_scene("sample", self._name)
        if not samples:
            raise self._row.wrong("name", "has no samples in sample.json")
        self._start = min(sample.whole("timestamp") for sample in samples)
        self._times = {sample.token: self._seconds(sample) for sample in samples}
        self._sensor_of = tables.lookup("sensor")
        self._calibrated_of = tables.lookup("calibrated_sensor")
        self._ego_of = tables.lookup("ego_pose")
        self._recordings = self._by_channel()
        self._origin = self._first_place()
        self._repaired: list[str] = []

    def reading(self) -> RawScene:
        annotations = Annotations(self._tables, self._name, self._times, self._origin)
        instances = annotations.instances(self._repaired)
        recordings = [
            recording
            for channel in CAMERAS
            if channel in self._recordings and (recording := self._recording(channel, annotations)) is not None
        ]
        if not recordings:
            what = f"refers to pictures of {self._name} that aren't below {self._data}"
            raise InputError(self._source.path / "sample_data.json", what, fix="download and unpack its 'file blobs'")
        captures, files = self._lidar()
        return RawScene(
            instances=instances,
            recordings=tuple(recordings),
            captures=captures,
            files=files,
            outdoors=True,
            events=self._events(),
            repaired=tuple(self._repaired),
        )

    def _seconds(self, record: Record) -> float:
        return (record.whole("timestamp") - self._start) * 1e-6

    def _by_channel(self) -> dict[str, list[Record]]:
        """Records of the cameras and the LiDAR, by channel and time."""
        found: dict[str, list[Record]] = {}
        seen: set[str] = set()
        for record in self._tables.of_scene("sample_data", self._name):
            if record.token in seen:
                raise record.wrong("token", "appears twice")
            seen.add(record.token)
            sensor = self._sensor_of(self._calibrated_of(record, "calibrated_sensor_token"), "sensor_token")
            channel = sensor.text("channel")
            if channel in CAMERAS or channel == LIDAR:
                found.setdefault(channel, []).append(record)
        for records in found.values():
            records.sort(key=lambda record: (record.whole("timestamp"), record.token))
        return found

    def _first_place(self) -> Floats:
        """Position of the car at the first sample."""
        keyframes = [r for r in self._recordings.get(LIDAR, []) if r.flag("is_key_frame")]
        every = [record for records in self._recordings.values() for record in records]
        if not every:
            raise self._row.wrong("name", "has no recordings of cameras or LiDAR in sample_data.json")
        first = min(keyframes or every, key=lambda record: (record.whole("timestamp"), record.token))
        return np.array(self._ego_of(first, "ego_pose_token").numbers("translation", 3))

    def _poses(self, records: Sequence[Record]) -> Floats:
        """Sensor → scene, shape (n, 4, 4)."""
        found = np.empty((len(records), 4, 4))
        for i, record in enumerate(records):
            ego = self._ego_of(record, "ego_pose_token")
            calibrated = self._calibrated_of(record, "calibrated_sensor_token")
            found[i] = _transform(ego) @ _transform(calibrated)
        found[:, :3, 3] -= self._origin
        return found

    def _on_disk(self, channel: str) -> tuple[list[Record], list[Path]]:
        """The recordings of a channel whose files are there, and the files."""
        records, paths = [], []
        for record in self._recordings[channel]:
            name = record.text("filename")
            path = self._data / name
            if name.startswith("/") or ".." in Path(name).parts:
                raise record.wrong("filename", f"leads out of {self._data}")
            if path.is_file():
                records.append(record)
                paths.append(path)
        missing = len(self._recordings[channel]) - len(records)
        keys = sum(r.flag("is_key_frame") for r in self._recordings[channel]) - sum(
            r.flag("is_key_frame") for r in records
        )
        if missing:
            what = f"{counted(missing, 'recording')} of {channel} that this disk lacks ({keys} of them keyframes)"
            self._repaired.append(f"{self._data}: left out: {what}.")
        return records, paths

    def _recording(self, channel: str, annotations: Annotations) -> CameraRecording | None:
        records, paths = self._on_disk(channel)
        if not records:
            return None
        sizes = {(record.whole("width"), record.whole("height")) for record in records}
        if len(sizes) > 1 or min(min(size) for size in sizes) <= 0:
            raise records[0].wrong("width", f"{channel} has pictures of several sizes, or of none: {sorted(sizes)[:3]}")
        (size,) = sizes
        intrinsics = np.array([self._intrinsics(record) for record in records])
        times = np.array([self._seconds(record) for record in records])
        poses = self._poses(records)
        rate = max(1.0, float(round(1 / max(1 / 60, float(np.median(np.diff(times)))))) if len(times) > 1 else 1.0)
        sightings = annotations.sightings(records, poses, intrinsics, size)
        same = bool((intrinsics == intrinsics[0]).all())
        return CameraRecording(
            role=channel,
            times=times,
            poses=poses,
            intrinsics=intrinsics[:1] if same else intrinsics,
            size=size,
            pictures=pictures_of(paths, size),
            standard=(*VIDEO, rate),
            sightings=sightings,
        )

    def _intrinsics(self, record: Record) -> tuple[float, float, float, float]:
        calibrated = self._calibrated_of(record, "calibrated_sensor_token")
        rows = calibrated.fields.get("camera_intrinsic")
        if not isinstance(rows, list) or len(rows) != 3:
            raise calibrated.wrong("camera_intrinsic", "is no 3×3 matrix")
        (fx, skew, cx), (_, fy, cy), _ = (
            Record(calibrated.path, {**calibrated.fields, "camera_intrinsic": row}).numbers("camera_intrinsic", 3)
            for row in rows
        )
        if min(fx, fy) <= 0 or abs(skew) > 1e-6 * fx:
            raise calibrated.wrong("camera_intrinsic", "isn't that of a camera without skew")
        return fx, fy, cx, cy

    def _lidar(self) -> tuple[tuple[Capture, ...], dict[str, Path]]:
        if LIDAR not in self._recordings:
            return (), {}
        records, paths = self._on_disk(LIDAR)
        whole = [i for i, path in enumerate(paths) if path.stat().st_size % POINT.itemsize == 0]
        for i in sorted(set(range(len(paths))) - set(whole)):
            self._repaired.append(
                f"{paths[i]}: is cut off after byte {paths[i].stat().st_size:,}, within a point; it was left out."
            )
        if not whole:
            return (), {}
        folder = f"clouds/{self._source.id}/{LIDAR}"
        poses = self._poses([records[i] for i in whole])
        capture = Capture(
            id=f"{self._source.id}/{LIDAR}",
            scene=self._source.id,
            sensor="lidar",
            role=LIDAR,
            media=folder,
            times=tuple(self._seconds(records[i]) for i in whole),
            poses=tuple(tuple(pose.ravel().tolist()) for pose in poses),
        )
        return (capture,), {f"{folder}/{number:06d}.pcd.bin": paths[i] for number, i in enumerate(whole)}

    def _events(self) -> tuple[Event, ...]:
        """Annotators' description of the whole drive."""
        text = self._row.text("description") if self._row.fields.get("description") is not None else ""
        if not text.strip():
            return ()
        return (Event(start=0.0, end=max(self._times.values()), label=text.strip(), kind="description"),)


def read_cloud(path: Path) -> np.ndarray:
    """The points of a .pcd.bin, shape (n,) of POINT.

    Raises:
        InputError: it is missing, or ends within a point.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror or error})") from None
    if len(data) % POINT.itemsize:
        raise InputError(path, f"is cut off after byte {len(data):,}, within a point", fix="download it again")
    return np.frombuffer(data, dtype=POINT)


def _transform(record: Record) -> Floats:
    return rigid(rotation_of(record), np.array(record.numbers("translation", 3)))
