"""KITTI: drives of a car with colour cameras, a LiDAR, an inertial navigation system and boxes of road users.

Raw drives, `DATE/DATE_drive_0001_sync`, have a file a frame in `image_02/data`, `oxts/data` and `velodyne_points/data`,
times in `timestamps.txt`, boxes in `tracklet_labels.xml`, and three calibration files in DATE. The tracking benchmark
has `image_02/0000/000000.png` and `velodyne/0000/000000.bin`, ten frames a second, and one file a sequence in `oxts`,
`calib` and `label_02`.

The scene's frame is east, north, up, from the car's first position; latitude and longitude are projected by Mercator
with the scale of the first latitude. Pictures are rectified. A tracklet gives the middle of a box's bottom in the
LiDAR's frame (x forward, y left, z up). A label gives it in that of the first camera (y down), turned about y.

Sources: KITTI's raw devkit (convertOxtsToPose.m, readTracklets.m, run_demoTracklets.m, dataformat.txt), the readme of
the tracking devkit, and utiasSTARS/pykitti, raw.py and utils.py. Unlike pykitti, all of the last column of a projection
matrix is used, not only its x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.ingest.clouds.recording import write_sweep
from tolman.ingest.readers import all_files, in_order, natural, numbers_of, pose_of, read_text, rigid
from tolman.ingest.readers.nuscenes_records import differs
from tolman.ingest.scan_format import CameraRecording, Instance, RawScene, SceneSource
from tolman.ingest.standard_video import common_size_of, pictures_of, standard_size
from tolman.ingest.surfaces import orient
from tolman.scenes import Capture, OrientedBox, TrackPoint

_CAMERAS = (2, 3)
"""The colour cameras."""
_EARTH = 6_378_137.0
"""Metres of its radius."""
_RATE = 10.0
"""Frames a second of the tracking benchmark."""
_CALIBRATION = ("calib_cam_to_cam.txt", "calib_velo_to_cam.txt", "calib_imu_to_velo.txt")
_TRACKLETS = "tracklet_labels.xml"
_LARGEST = 1 << 28
"""Bytes of tracklets, at most."""
_POINT = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4")])


@dataclass(frozen=True)
class Kitti:
    """The format; the path of a raw drive is its folder, that of a sequence is its file in `oxts`."""

    name: str = "kitti"
    title: str = "KITTI, raw or tracking"

    def find(self, root: Path) -> list[SceneSource]:
        """The drives and sequences of a folder, those with oxts."""
        found = {}
        for path in sorted(root.rglob("oxts"), key=lambda path: natural(path.as_posix())) if root.is_dir() else ():
            place = path.parent
            if (path / "data").is_dir():
                files = tuple(one for one in (_calibration(place, name) for name in _CALIBRATION) if one.is_file())
                found[place.resolve().name] = (place, (*files, *all_files(place)))
            for one in in_order(path.glob("*.txt")):
                if (place / "calib" / one.name).is_file():
                    parts = (place / "calib" / one.name, place / "label_02" / one.name)
                    listed = [file for folder in ("image_02", "image_03", "velodyne") if (place / folder).is_dir()
                              for file in all_files(place / folder / one.stem)]  # fmt: skip
                    files = (one, *(part for part in parts if part.is_file()), *listed)
                    found[f"{place.resolve().name}_{one.stem}"] = (one, files)
        if not found:
            raise InputError(root, "holds no drive with oxts/data, or sequences with oxts/0000.txt and calib/0000.txt")
        return [SceneSource(f"{self.name}/{name}", place, files) for name, (place, files) in found.items()]

    def read(self, source: SceneSource) -> RawScene:
        """Read a drive or sequence.

        Raises:
            InputError: a file can't be used.
        """
        drive = _tracking(source.path) if source.path.is_file() else _raw(source.path)
        recordings = tuple(drive.recordings())
        captures, written, repaired = drive.lidar(source)
        notes = [] if drive.labels.is_file() else [f"it has no {drive.labels.name}, and so no boxes"]
        if not recordings:
            notes.append("it has no pictures in image_02 or image_03")
        return RawScene(
            tuple(drive.instances()),
            recordings=recordings,
            captures=captures,
            written=written,
            outdoors=True,
            repaired=tuple(repaired),
            notes=tuple(notes),
        )


def _calibration(place: Path, name: str) -> Path:
    """A calibration file of a raw drive, which is in the folder of its day."""
    own = place / name
    return own if own.is_file() else place.parent / name


@dataclass
class _Drive:
    """A drive.

    Attributes:
        projections: of each camera: fx, fy, cx, cy, and the first rectified camera → this one, shape (4, 4).
        to_first: LiDAR → the first rectified camera, shape (4, 4).
        to_lidar: navigation system → LiDAR, shape (4, 4).
        poses: navigation system → scene of each frame with one, shape (4, 4).
        times: of each frame, seconds from the first.
        pictures: of each camera, by frame.
        sweeps: of the LiDAR, by frame.
        labels: the file of boxes, which may be absent.
    """

    projections: dict[int, tuple[tuple[float, float, float, float], Floats]]
    to_first: Floats
    to_lidar: Floats
    poses: dict[int, Floats]
    times: dict[int, float]
    pictures: dict[int, dict[int, Path]] = field(default_factory=dict)
    sweeps: dict[int, Path] = field(default_factory=dict)
    labels: Path = Path()

    def placed(self, frame: int, from_lidar: Floats) -> Floats:
        """A sensor → scene at a frame, nan without a pose; given by the LiDAR → that sensor, shape (4, 4)."""
        if frame not in self.poses:
            return np.full((4, 4), np.nan)
        return np.asarray(self.poses[frame] @ np.linalg.inv(from_lidar @ self.to_lidar))

    def recordings(self) -> Iterator[CameraRecording]:
        """The cameras with pictures."""
        for camera, pictures in self.pictures.items():
            frames = [frame for frame in pictures if frame in self.times]
            if not frames:
                continue
            paths = [pictures[frame] for frame in frames]
            size = common_size_of(paths)
            intrinsics, shift = self.projections[camera]
            times = np.array([self.times[frame] for frame in frames])
            step = float(np.median(np.diff(times))) if len(times) > 1 else 1 / _RATE
            yield CameraRecording(
                f"image_{camera:02d}",
                times,
                np.array([self.placed(frame, shift @ self.to_first) for frame in frames]),
                np.array([intrinsics]),
                size,
                pictures_of(paths, size),
                standard=(*standard_size(size), float(round(1 / max(step, 1 / 60)))),
            )

    def lidar(self, source: SceneSource) -> tuple[tuple[Capture, ...], dict[str, Callable[[Path], None]], list[str]]:
        """The LiDAR's capture, the writer of its sweeps, and notes on sweeps that are cut off."""
        whole, repaired = {}, []
        for frame, path in self.sweeps.items():
            size = path.stat().st_size
            if frame not in self.times or frame not in self.poses:
                continue
            if size % _POINT.itemsize or not size:
                repaired.append(f"{path.name}: is cut off after byte {size:,}, within a point; it was left out")
            else:
                whole[frame] = path
        if not whole:
            return (), {}, repaired
        media = f"lidar/{source.id}"
        capture = Capture(
            id=f"{source.id}/lidar",
            scene=source.id,
            sensor="lidar",
            role="lidar",
            media=media,
            times=tuple(self.times[frame] for frame in whole),
            poses=tuple(tuple(self.placed(frame, np.eye(4)).ravel().tolist()) for frame in whole),
        )

        def write(folder: Path) -> None:
            folder.mkdir(parents=True, exist_ok=True)
            for i, path in enumerate(whole.values()):
                write_sweep(folder / f"{i:06d}.ply", np.fromfile(path, dtype=_POINT))

        return (capture,), {media: write}, repaired

    def instances(self) -> Iterator[Instance]:
        """The road users; those that don't leave their first place have no track."""
        if not self.labels.is_file():
            return
        of = _tracklets if self.labels.suffix == ".xml" else _labels
        for name, label, boxes in of(self.labels):
            placed: list[tuple[float, OrientedBox]] = []
            for frame, (row, own, length) in sorted(boxes.items()):
                if frame in self.poses and frame in self.times:
                    pose = self.placed(frame, self.to_first if of is _labels else np.eye(4)) @ own
                    box = orient(self.labels, pose[:3, 3], pose[:3, :3].T, length, row=row)
                    placed.append((self.times[frame], box))
            if not placed:
                continue
            sizes = np.median([one.extents for _, one in placed], axis=0)
            first = placed[0][1].model_copy(update={"extents": tuple(sizes.tolist())})
            moves = any(differs(first, one) for _, one in placed[1:])
            track = [TrackPoint(seconds=time, center=one.center, axes=one.axes) for time, one in placed]
            yield Instance(name, label, first, tuple(track) if moves else ())


def _raw(place: Path) -> _Drive:
    """A raw drive."""
    cameras, velodyne, inertial = (_calibration(place, name) for name in _CALIBRATION)
    known = _fields(cameras)
    turn = np.eye(4)
    turn[:3, :3] = _values(cameras, known, ("R_rect_00",), 9).reshape(3, 3)
    drive = _Drive(
        {i: _projection(cameras, _values(cameras, known, (f"P_rect_{i:02d}",), 12)) for i in _CAMERAS},
        turn @ _rigid(velodyne),
        _rigid(inertial),
        {},
        {},
        labels=place / _TRACKLETS,
    )
    files = {
        int(path.stem): path for path in in_order((place / "oxts" / "data").glob("*.txt")) if path.stem.isdecimal()
    }
    drive.poses = _poses({frame: (path, 1, read_text(path).split()) for frame, path in files.items()})
    stamps = next((one for i in _CAMERAS if (one := place / f"image_{i:02d}" / "timestamps.txt").is_file()), None)
    if stamps is None:
        raise InputError(place / "image_02" / "timestamps.txt", "is missing")
    drive.times = _times(stamps)
    drive.pictures = {i: _numbered(place / f"image_{i:02d}" / "data", ".png", ".jpg") for i in _CAMERAS}
    drive.sweeps = _numbered(place / "velodyne_points" / "data", ".bin")
    return drive


def _tracking(path: Path) -> _Drive:
    """A sequence of the tracking benchmark, by its file in `oxts`."""
    place, calibration = path.parent.parent, path.parent.parent / "calib" / path.name
    known = _fields(calibration)
    turn = np.eye(4)
    turn[:3, :3] = _values(calibration, known, ("R_rect", "R0_rect"), 9).reshape(3, 3)
    moved = [
        pose_of(calibration, _values(calibration, known, names, 12), row=names[0])
        for names in (("Tr_velo_cam", "Tr_velo_to_cam"), ("Tr_imu_velo", "Tr_imu_to_velo"))
    ]
    lines = [line.split() for line in read_text(path).splitlines()]
    pictures = {i: _numbered(place / f"image_{i:02d}" / path.stem, ".png", ".jpg") for i in _CAMERAS}
    return _Drive(
        {i: _projection(calibration, _values(calibration, known, (f"P{i}",), 12)) for i in _CAMERAS},
        turn @ moved[0],
        moved[1],
        _poses({i: (path, i + 1, words) for i, words in enumerate(lines) if words}),
        {i: i / _RATE for i in range(len(lines))},
        pictures,
        _numbered(place / "velodyne" / path.stem, ".bin"),
        place / "label_02" / path.name,
    )


def _numbered(folder: Path, *endings: str) -> dict[int, Path]:
    """Files by the number that is their name."""
    found = in_order(path for path in folder.glob("*") if path.suffix in endings) if folder.is_dir() else []
    return {int(path.stem): path for path in found if path.stem.isdecimal()}


def _fields(path: Path) -> dict[str, tuple[int, list[str]]]:
    """The lines of a calibration file by name, with their rows; the colon behind a name may be missing."""
    found = {}
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        if words := line.split():
            found[words[0].rstrip(":")] = (row, words[1:])
    return found


def _values(path: Path, known: Mapping[str, tuple[int, list[str]]], names: Sequence[str], count: int) -> Floats:
    """The numbers of a line of a calibration file."""
    name = next((name for name in names if name in known), None)
    if name is None:
        raise InputError(path, f"has no {names[0]}")
    row, words = known[name]
    if len(words) != count:
        raise InputError(path, f"{name} has {len(words)} numbers, not {count}", row=row)
    return numbers_of(path, words, row)


def _rigid(path: Path) -> Floats:
    """The transform of a calibration file with R and T, shape (4, 4)."""
    known = _fields(path)
    matrix = np.column_stack([_values(path, known, ("R",), 9).reshape(3, 3), _values(path, known, ("T",), 3)])
    return pose_of(path, matrix, row="R")


def _projection(path: Path, values: Floats) -> tuple[tuple[float, float, float, float], Floats]:
    """Intrinsics, and the first rectified camera → this one, of a projection matrix of 3×4."""
    matrix = values.reshape(3, 4)
    fx, fy, cx, cy = matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2]
    if min(fx, fy) <= 0 or np.abs(matrix[:, :3] - np.array([(fx, 0, cx), (0, fy, cy), (0, 0, 1)])).max() > 1e-6 * fx:
        raise InputError(path, "has a projection matrix that isn't that of a pinhole camera")
    shift = np.eye(4)
    shift[:3, 3] = np.linalg.solve(matrix[:, :3], matrix[:, 3])
    return (float(fx), float(fy), float(cx), float(cy)), shift


def _poses(packets: Mapping[int, tuple[Path, int, list[str]]]) -> dict[int, Floats]:
    """Navigation system → scene of each frame, from its latitude, longitude, altitude, roll, pitch and heading."""
    found: dict[int, Floats] = {}
    origin, scale = None, 1.0
    for frame, (path, row, words) in packets.items():
        if len(words) < 6:
            raise InputError(path, f"has {counted(len(words), 'number')}, not 30", row=row)
        latitude, longitude, altitude, roll, pitch, heading = numbers_of(path, words[:6], row)
        if not abs(latitude) < 85 or not abs(longitude) <= 180:
            raise InputError(path, f"has the latitude {latitude:g} and longitude {longitude:g}", row=row)
        if origin is None:
            scale = float(np.cos(np.radians(latitude)))
        north = np.log(np.tan(np.pi / 4 + np.radians(latitude) / 2))
        place = np.array([scale * _EARTH * np.radians(longitude), scale * _EARTH * north, altitude])
        origin = place if origin is None else origin
        (a, b, c), (d, e, f) = np.cos((roll, pitch, heading)), np.sin((roll, pitch, heading))
        turn = (
            np.array([(c, -f, 0), (f, c, 0), (0, 0, 1)])
            @ np.array([(b, 0, e), (0, 1, 0), (-e, 0, b)])
            @ np.array([(1, 0, 0), (0, a, -d), (0, d, a)])
        )
        found[frame] = rigid(turn[None], (place - origin)[None])[0]
    return found


def _times(path: Path) -> dict[int, float]:
    """Seconds from the first line of a timestamps.txt, by frame; lost frames have empty lines."""
    found: dict[int, float] = {}
    first = None
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            stamp = np.datetime64(line.strip().replace(" ", "T"), "ns")
        except ValueError:
            raise InputError(path, f"'{line.strip()[:40]}' is no date and time", row=row) from None
        first = stamp if first is None else first
        found[row - 1] = float((stamp - first) / np.timedelta64(1, "ns")) * 1e-9
    return found


_Boxes = dict[int, tuple[str, Floats, Floats]]
"""Frame → where it is in the file, box → LiDAR or first camera, shape (4, 4), and length, width, height."""


def _tracklets(path: Path) -> Iterator[tuple[str, str, _Boxes]]:
    """Id, type and boxes of each tracklet, in the LiDAR's frame."""
    data = path.read_bytes() if path.stat().st_size <= _LARGEST else b"<!ENTITY"
    try:
        if b"<!ENTITY" in data:
            raise InputError(path, "is too large, or declares entities, which aren't read")
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise InputError(path, f"is no readable XML ({error})", fix="download it again") from None
    for i, item in enumerate(root.iterfind("./tracklets/item")):
        row = f"tracklet {i + 1}"
        words = [item.findtext(name) or "" for name in ("h", "w", "l", "first_frame")]
        height, width, length, first = numbers_of(path, words, row)
        boxes: _Boxes = {}
        for k, pose in enumerate(item.iterfind("./poses/item")):
            where = f"{row}, pose {k + 1}"
            x, y, z, turn = numbers_of(path, [pose.findtext(name) or "" for name in ("tx", "ty", "tz", "rz")], where)
            own = np.eye(4)
            own[:2, :2] = [(np.cos(turn), -np.sin(turn)), (np.sin(turn), np.cos(turn))]
            own[:3, 3] = x, y, z + height / 2
            boxes[int(first) + k] = (where, own, np.array([length, width, height]))
        label = item.findtext("objectType") or ""
        if not label.strip():
            raise InputError(path, "has no objectType", row=row)
        yield f"{label}-{i}", label, boxes


def _labels(path: Path) -> Iterator[tuple[str, str, _Boxes]]:
    """Id, type and boxes of each track, in the first rectified camera's frame."""
    tracks: dict[str, tuple[str, _Boxes]] = {}
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        words = line.split()
        if not words or words[2:3] == ["DontCare"]:
            continue
        if len(words) < 17:
            raise InputError(path, f"has {counted(len(words), 'column')}, not 17", row=row)
        frame, *numbers = numbers_of(path, [words[0], *words[10:17]], row)
        height, width, length, x, y, z, turn = numbers
        own = np.eye(4)
        own[:3, 0] = np.cos(turn), 0, -np.sin(turn)
        own[:3, 1] = np.sin(turn), 0, np.cos(turn)
        own[:3, 2] = 0, -1, 0
        own[:3, 3] = x, y - height / 2, z
        label, boxes = tracks.setdefault(words[1], (words[2], {}))
        if int(frame) in boxes or label != words[2]:
            raise InputError(path, f"track {words[1]} has two boxes at frame {int(frame)}, or two types", row=row)
        boxes[int(frame)] = (str(row), own, np.array([length, width, height]))
    for name, (label, boxes) in tracks.items():
        yield f"{label}-{name}", label, boxes


FORMAT = Kitti()
