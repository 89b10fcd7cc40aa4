"""ScanNet v2: RGB-D scans of rooms with annotated meshes (Dai et al. 2017).

```
scene0000_00/  scene0000_00.sens                        frames, poses, calibration; or color/ pose/ intrinsic/
               scene0000_00.txt                         axisAlignment: the scan's frame → axes along the walls
               scene0000_00_vh_clean_2.ply              mesh, z up
               scene0000_00_vh_clean_2.0.010000.segs.json   the segment of each vertex
               scene0000_00.aggregation.json            objects as lists of segments
               scene0000_00_2d-instance-filt.zip        instance masks, a value is objectId + 1 (or …_2d-instance.zip)
scannetv2-labels.combined.tsv                           beside the scenes or above: labels in one spelling
```

Sources: ScanNet/ScanNet (README, SensReader, BenchmarkScripts), facebookresearch/votenet. The alignment is applied to
the mesh and to the poses. Instance numbers are objectId + 1, as in the masks.

A .sens file holds one camera's colour and depth pictures with its poses, one frame after the other. Source of the
layout: ScanNet/ScanNet, SensReader/c++/src/sensorData.h. Little-endian, nothing padded.

| field | type |
|---|---|
| version | uint32, 4 |
| sensor name | uint64 length, bytes |
| colour intrinsic, colour extrinsic, depth intrinsic, depth extrinsic | 16 float32 each, row by row |
| colour compression | int32: 0 raw, 1 PNG, 2 JPEG |
| depth compression | int32: 0 raw, 1 zlib, 2 occipital (which nothing public reads) |
| colour width, height, depth width, height | 4 uint32 |
| depth shift | float32: units of a metre |
| frames | uint64 |
| each frame | pose 16 float32, times of colour and depth 2 uint64 (µs), their bytes 2 uint64, colour, depth |
| IMU readings | uint64, 128 bytes each; older files end before it |

Only the heads of frames are read at first; a picture is read when it is asked for.

An exported folder holds one file for each frame, named by its number. Numbers aren't padded: frame 10 comes after frame
9, not after frame 1.

```
color/0.jpg 1.jpg … 10.jpg   pose/0.txt (4 lines of 4 numbers)   intrinsic/intrinsic_color.txt (the same)
```
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import scaled_intrinsics
from tolman.ingest.checks import checked_poses
from tolman.ingest.readers import in_order, read_ply, scan_folders
from tolman.ingest.scan_format import CameraRecording, Instance, Picture, RawScene, ScannedSurface, SceneSource
from tolman.ingest.standard_video import Archive, decode
from tolman.ingest.surfaces import check_known, majority, read_groups, read_segments
from tolman.scenes import plain

_PICTURES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True)
class ExportedScan:
    """Attributes:
    paths: the pictures, in the order of their numbers.
    numbers: of the frames.
    poses: camera → the scan's frame, shape (n, 4, 4), nan where there is no file.
    intrinsic: of the colour camera, shape (4, 4).
    size: of the pictures.
    """

    paths: tuple[Path, ...]
    numbers: tuple[int, ...]
    poses: Floats
    intrinsic: Floats
    size: tuple[int, int]

    def pictures(self, frames: Sequence[int]) -> Iterator[Picture]:
        """The pictures at some places.

        Raises:
            InputError: one can't be read.
        """
        for frame in frames:
            yield decode(self.paths[frame], self.paths[frame], "it")


def read_exported(folder: Path) -> ExportedScan:
    """Read everything but the pictures.

    Raises:
        InputError: there are no pictures or intrinsics, or a file is no matrix.
    """
    paths = in_order(path for path in (folder / "color").iterdir() if path.suffix.lower() in _PICTURES)
    if not paths:
        raise InputError(folder / "color", "holds no picture")
    strange = next((path for path in paths if not path.stem.isascii() or not path.stem.isdigit()), None)
    if strange is not None:
        raise InputError(strange, "is not named by the number of its frame")
    numbers = tuple(int(path.stem) for path in paths)
    if len(set(numbers)) < len(numbers):
        raise InputError(folder / "color", "has two pictures of one frame")
    poses = np.full((len(paths), 4, 4), np.nan)
    for i, path in enumerate(paths):
        file = folder / "pose" / f"{path.stem}.txt"
        if file.is_file():
            poses[i] = read_matrix(file)
    first = decode(paths[0], paths[0], "it")
    intrinsic = read_matrix(folder / "intrinsic" / "intrinsic_color.txt")
    return ExportedScan(tuple(paths), numbers, poses, intrinsic, (first.shape[1], first.shape[0]))


def read_matrix(path: Path) -> Floats:
    """A matrix of a text file, shape (4, 4); its numbers may be infinite.

    Raises:
        InputError: the file isn't there or holds something else than 16 numbers.
    """
    try:
        values = np.array([float(word) for word in path.read_text(encoding="ascii").split()])
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    except ValueError:
        raise InputError(path, "holds something other than numbers") from None
    if len(values) != 16:
        raise InputError(path, f"holds {len(values)} numbers instead of 16")
    return values.reshape(4, 4)


_VERSION = 4
_LONGEST_NAME = 4096
_LARGEST = 16384
_HEAD = struct.Struct("<16f4Q")
_IMU = 5 * 3 * 8 + 8
RAW, PNG, JPEG = 0, 1, 2
ZLIB = 1


@dataclass(frozen=True)
class Sens:
    """Header and frames of a .sens file, without its pictures.

    Attributes:
        path: of the file.
        name: of the sensor.
        color_intrinsic, depth_intrinsic: shape (4, 4).
        color_compression, depth_compression: codes of the table above.
        color_size, depth_size: width and height.
        depth_shift: depth values of a metre.
        poses: camera → the scan's frame, shape (n, 4, 4), not finite where tracking was lost.
        color_times: microseconds, shape (n,).
        places: offset and length of each frame's colour, and of its depth, in bytes, shape (n, 4).
    """

    path: Path
    name: str
    color_intrinsic: Floats
    depth_intrinsic: Floats
    color_compression: int
    depth_compression: int
    color_size: tuple[int, int]
    depth_size: tuple[int, int]
    depth_shift: float
    poses: Floats
    color_times: NDArray[np.uint64]
    places: NDArray[np.int64]

    def pictures(self, frames: Sequence[int]) -> Iterator[Picture]:
        """The colour pictures of some frames, RGB.

        Raises:
            InputError: one can't be read; names its frame and offset.
        """
        with self.path.open("rb") as file:
            for frame in frames:
                offset, length = self.places[frame, :2].tolist()
                data = self._bytes(file, frame, offset, length)
                what = f"the colour of frame {frame} at byte {offset:,}"
                if self.color_compression != RAW:
                    yield decode(data, self.path, what)
                    continue
                width, height = self.color_size
                if len(data) != width * height * 3:
                    raise InputError(self.path, f"{what} has {len(data):,} bytes, not {width}×{height}×3")
                yield np.frombuffer(data, dtype=np.uint8).reshape(height, width, 3)

    def depth(self, frame: int) -> Floats:
        """A depth picture in metres, shape (height, width), 0 where there is no reading.

        Raises:
            InputError: it can't be read; names its frame and offset.
        """
        offset, length = self.places[frame, 2:].tolist()
        width, height = self.depth_size
        with self.path.open("rb") as file:
            data = self._bytes(file, frame, offset, length)
        what = f"the depth of frame {frame} at byte {offset:,}"
        if self.depth_compression == ZLIB:
            try:
                # No more than the picture and a byte: what unpacks to more isn't one.
                data = zlib.decompressobj().decompress(data, width * height * 2 + 1)
            except zlib.error as error:
                raise InputError(self.path, f"{what} can't be unpacked ({error})") from None
        if len(data) != width * height * 2:
            raise InputError(self.path, f"{what} has not {width}×{height} values")
        return np.frombuffer(data, dtype="<u2").reshape(height, width) / self.depth_shift

    def _bytes(self, file: BinaryIO, frame: int, offset: int, length: int) -> bytes:
        file.seek(offset)
        data = file.read(length)
        if len(data) < length:
            raise InputError(self.path, f"is cut off in frame {frame} at byte {offset + len(data):,}")
        return data


def read_sens(path: Path) -> Sens:
    """Read everything of a .sens file but its pictures.

    Raises:
        InputError: it is cut off, or a number in it can't be right; names the offset.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _read(path, file, size)
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None


def _read(path: Path, file: BinaryIO, size: int) -> Sens:
    (version,) = _take(path, file, size, "<I", "its version")
    if version != _VERSION:
        raise InputError(path, f"is no .sens file of version {_VERSION} (byte 0 says {version})")
    (length,) = _take(path, file, size, "<Q", "the length of its sensor's name")
    if length > _LONGEST_NAME:
        raise InputError(path, f"says at byte 4 that its sensor's name has {length:,} letters")
    (name,) = _take(path, file, size, f"<{length}s", "its sensor's name")
    matrices = np.array(_take(path, file, size, "<64f", "its calibration"), dtype=np.float64).reshape(4, 4, 4)
    start = file.tell()
    color_kind, depth_kind = _take(path, file, size, "<2i", "its compressions")
    if color_kind not in (RAW, PNG, JPEG):
        raise InputError(path, f"has a colour compression {color_kind} at byte {start:,}; known: 0, 1, 2")
    if depth_kind not in (RAW, ZLIB):
        raise InputError(path, f"has a depth compression {depth_kind} at byte {start + 4:,}; known: 0, 1")
    sizes = _take(path, file, size, "<4I", "its sizes")
    if not all(0 < side <= _LARGEST for side in sizes[:2]) or not all(side <= _LARGEST for side in sizes[2:]):
        raise InputError(path, f"has pictures of the sizes {', '.join(map(str, sizes))} at byte {start + 8:,}")
    (shift,) = _take(path, file, size, "<f", "its depth shift")
    if not (np.isfinite(shift) and shift > 0):
        raise InputError(path, f"has a depth shift of {shift:g} at byte {start + 24:,}")
    start = file.tell()
    (count,) = _take(path, file, size, "<Q", "the number of its frames")
    if count * _HEAD.size > size - file.tell():
        raise InputError(
            path, f"says at byte {start:,} that it has {count:,} frames, which its {size:,} bytes can't hold",
            fix="get it again",
        )  # fmt: skip
    poses = np.empty((count, 4, 4))
    times = np.empty((count, 2), dtype=np.uint64)
    places = np.empty((count, 4), dtype=np.int64)
    for frame in range(count):
        begin = file.tell()
        *pose, color_time, depth_time, color, depth = _take(path, file, size, _HEAD.format, f"frame {frame} of {count}")
        here = begin + _HEAD.size
        if color > size - here or depth > size - here - color:
            raise InputError(
                path,
                f"is cut off at byte {size:,}: frame {frame} of {count:,} begins at byte {begin:,} and says that it "
                f"takes {_HEAD.size + color + depth:,}",
                fix="get it again",
            )
        poses[frame] = np.array(pose).reshape(4, 4)
        times[frame] = color_time, depth_time
        places[frame] = here, color, here + color, depth
        file.seek(color + depth, os.SEEK_CUR)
    _check_end(path, file, size)
    return Sens(
        path=path,
        name=name.decode("utf-8", "replace"),
        color_intrinsic=matrices[0],
        depth_intrinsic=matrices[2],
        color_compression=color_kind,
        depth_compression=depth_kind,
        color_size=(sizes[0], sizes[1]),
        depth_size=(sizes[2], sizes[3]),
        depth_shift=float(shift),
        poses=poses,
        color_times=times[:, 0],
        places=places,
    )


def _check_end(path: Path, file: BinaryIO, size: int) -> None:
    """Check the end of a file: after the frames nothing, or as many IMU readings as are said."""
    here = file.tell()
    if here == size:
        return
    (count,) = _take(path, file, size, "<Q", "the number of its IMU readings")
    if here + 8 + count * _IMU != size:
        raise InputError(
            path,
            f"says at byte {here:,} that {count:,} IMU readings follow, and it ends at byte {size:,}: it is cut off, "
            "or the number of its frames is wrong",
            fix="get it again",
        )


def _take(path: Path, file: BinaryIO, size: int, form: str, what: str) -> tuple[Any, ...]:
    begin = file.tell()
    length = struct.calcsize(form)
    data = file.read(length) if length <= size - begin else b""
    if len(data) < length:
        raise InputError(path, f"is cut off at byte {size:,}, in {what}, which begins at byte {begin:,}")
    return struct.unpack(form, data)


STANDARD = (640, 480, 24.0)
RATE = 30.0
"""Frames a second of the sensor, where frames carry no times."""
_MESH = "_vh_clean_2.ply"
_SEGMENTS = "_vh_clean_2.0.010000.segs.json"
_OBJECTS = ".aggregation.json"
"""Not that of _vh_clean, whose segments are another mesh's."""
_MASKS = ("_2d-instance-filt.zip", "_2d-instance.zip")
_LABELS = "scannetv2-labels.combined.tsv"
_EXPORTED = ("color", "pose", "intrinsic")


class ScanNet:
    """The format."""

    name = "scannet"
    title = "ScanNet v2"

    def find(self, root: Path) -> list[SceneSource]:
        """Find the scenes, each with NAME/NAME_vh_clean_2.ply, in a folder or its folder `scans`, or the folder itself.

        Raises:
            InputError: there are none.
        """
        places = [root, *root.glob("*/"), *root.glob("*/*/")] if root.is_dir() else []
        folders = scan_folders(places, lambda place: place / f"{_scan(place)}{_MESH}")
        if not folders:
            seven = any(next(place.glob("frame-*.pose.txt"), None) for place in places)
            fix = "its frames are laid out as those of 7-Scenes: take the format '7-scenes'" if seven else None
            raise InputError(root, f"holds no scan of ScanNet: no folder NAME with NAME{_MESH} in it", fix=fix)
        return [SceneSource(f"{self.name}/{_scan(folder)}", folder, tuple(_files(folder))) for folder in folders]

    def read(self, source: SceneSource) -> RawScene:
        """Read one scan.

        Raises:
            InputError: it can't be used; names the file and, in a .sens file, the offset.
            MissingExtraError: plyfile or pillow is not installed.
        """
        folder, scan = source.path, _scan(source.path)
        alignment, repaired = _alignment(folder / f"{scan}.txt")
        mesh = read_ply(folder / f"{scan}{_MESH}")
        points = mesh.points @ alignment[:3, :3].T + alignment[:3, 3]
        own, instances = _objects(folder, scan, len(points))
        notes = [] if instances is not None else [f"{scan}{_OBJECTS} isn't there: no object is annotated"]
        surface = ScannedSurface(points, mesh.faces, majority(own, mesh.faces), own)
        recording, said = _recording(folder, scan, alignment)
        if recording is None:
            notes.append(f"neither {scan}.sens nor a folder 'color' is there: the scan has no video")
        return RawScene(
            instances=tuple(instances or ()),
            surface=surface,
            recordings=() if recording is None else (recording,),
            repaired=(*repaired, *said),
            notes=tuple(notes),
        )


FORMAT = ScanNet()


def _scan(folder: Path) -> str:
    return folder.resolve().name


def _files(folder: Path) -> Iterator[Path]:
    """Files of a scan, of those that are there."""
    scan = _scan(folder)
    names = [f"{scan}.sens", f"{scan}.txt", *(scan + end for end in (_MESH, _SEGMENTS, _OBJECTS, *_MASKS))]
    for place in (*(folder / name for name in names), _labels_file(folder)):
        if place is not None and place.is_file():
            yield place
    if not (folder / f"{scan}.sens").is_file():
        for part in _EXPORTED:
            yield from in_order((folder / part).glob("*.*"))


def _alignment(path: Path) -> tuple[Floats, list[str]]:
    """The scan's frame → axes along the walls, shape (4, 4).

    Raises:
        InputError: it is no rigid transform.
    """
    missing = f"{path.name} has no axisAlignment: the axes of the scan are taken as they are"
    if not path.is_file():
        return np.eye(4), [missing]
    for row, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        key, _, value = line.partition("=")
        if key.strip() != "axisAlignment":
            continue
        try:
            matrix = np.array([float(number) for number in value.split()])
        except ValueError:
            matrix = np.empty(0)
        if matrix.shape != (16,) or not np.isfinite(matrix).all():
            raise InputError(path, "is not 16 numbers", row=row, field="axisAlignment")
        try:
            checked_poses(path, matrix.reshape(1, 4, 4))
        except InputError as error:
            what = error.what.replace("the pose of frame 0", "it")
            raise InputError(path, what, row=row, field="axisAlignment") from None
        return matrix.reshape(4, 4), []
    return np.eye(4), [missing]


def _objects(folder: Path, scan: str, vertices: int) -> tuple[NDArray[np.int64], list[Instance] | None]:
    """The instance of each vertex, and the instances; None where the scan isn't annotated, as in the test split."""
    own = np.zeros(vertices, dtype=np.int64)
    path = folder / f"{scan}{_OBJECTS}"
    if not path.is_file():
        return own, None
    segments = read_segments(folder / f"{scan}{_SEGMENTS}", vertices, "vertices")
    groups = read_groups(path)
    check_known(path, groups, segments, folder / f"{scan}{_SEGMENTS}")
    names = _labels(_labels_file(folder))
    instances = []
    for row, group in enumerate(groups, start=1):
        if group.number < 0:
            raise InputError(path, f"is {group.number}", row=row, field="objectId")
        # A vertex in two groups belongs to the last.
        own[np.isin(segments, group.segments)] = group.number + 1
        label = names.get(plain(group.label), group.label)
        instances.append(Instance(f"{group.number}", label, None, number=group.number + 1))
    return own, instances


def _labels_file(folder: Path) -> Path | None:
    above = folder.resolve()
    return next((place / _LABELS for place in (above.parent, above.parent.parent) if (place / _LABELS).is_file()), None)


def _labels(path: Path | None) -> dict[str, str]:
    """raw_category → category of the released table of labels, by plain spelling.

    Raises:
        InputError: it lacks one of these columns.
    """
    if path is None:
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    heads = lines[0].split("\t") if lines else []
    for column in ("raw_category", "category"):
        if column not in heads:
            raise InputError(path, f"has no column '{column}'")
    raw, category = heads.index("raw_category"), heads.index("category")
    rows = [line.split("\t") for line in lines[1:]]
    return {plain(row[raw]): row[category] for row in rows if len(row) > max(raw, category) and row[category].strip()}


def _recording(folder: Path, scan: str, alignment: Floats) -> tuple[CameraRecording | None, list[str]]:
    """The camera; None where a scan comes without its frames."""
    masks = next((Archive(folder / (scan + end)) for end in _MASKS if (folder / (scan + end)).is_file()), None)
    depths: Callable[[int], Floats | None] | None = None
    depth_intrinsics: Floats | None = None
    path = folder / f"{scan}.sens"
    if path.is_file():
        sens = read_sens(path)
        if not len(sens.poses):
            raise InputError(path, "has no frame")
        poses, said = checked_poses(path, sens.poses)
        numbers: Sequence[int] = range(len(poses))
        times, lost = _times(sens)
        size, matrix, pictures = sens.color_size, sens.color_intrinsic, sens.pictures
        depths, depth_intrinsics = _depths(sens), _depth_intrinsics(sens)
        said += lost
    elif (folder / "color").is_dir():
        exported = read_exported(folder)
        poses, said = checked_poses(folder / "pose", exported.poses)
        numbers, size, matrix, pictures = exported.numbers, exported.size, exported.intrinsic, exported.pictures
        times = np.array(numbers) / RATE
    else:
        _check_layout(folder, scan)
        return None, []

    def mask(frame: int) -> NDArray[np.integer] | None:
        return None if masks is None else masks.mask(numbers[frame])

    recording = CameraRecording(
        role="ego",
        times=times,
        poses=alignment @ poses,
        intrinsics=np.array([[matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2]]]),
        size=size,
        pictures=pictures,
        masks=None if masks is None else mask,
        standard=STANDARD,
        depths=depths,
        depth_intrinsics=depth_intrinsics,
    )
    return recording, said


def _check_layout(folder: Path, scan: str) -> None:
    """Distinguish a scan without frames from one whose frames are laid out as ScanNet's C++ exporter does.

    Raises:
        InputError: it is the latter.
    """
    for place in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        found = next((path for path in sorted(place.glob("frame-*.*")) if ".color." in path.name), None)
        if found is not None:
            raise InputError(
                found,
                "is a frame as ScanNet's C++ exporter, 7-Scenes and BundleFusion lay them out, which isn't read",
                fix=f"put {scan}.sens there, or its folders color, pose and intrinsic as ScanNet's SensReader/python "
                "exports them, or take the format '7-scenes' for the frames alone",
            )


def _depths(sens: Sens) -> Callable[[int], Floats | None]:
    """Depths of frames in metres; None of those that can't be read, which nothing else needs."""

    def read(frame: int) -> Floats | None:
        try:
            return sens.depth(frame)
        except InputError:
            return None

    return read


def _depth_intrinsics(sens: Sens) -> Floats | None:
    """Those of the depth camera in pixels of the colour pictures, shape (4,); None where the file has none."""
    matrix = sens.depth_intrinsic
    own = np.array([matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2]], dtype=np.float64)
    if not np.isfinite(own).all() or (own[:2] <= 1).any():
        return None
    return scaled_intrinsics(own, sens.depth_size, sens.color_size)


def _times(sens: Sens) -> tuple[Floats, list[str]]:
    """Seconds of the colour frames; by the sensor's rate where they carry none or their times fall."""
    stamps = sens.color_times.astype(np.float64) / 1e6
    if len(stamps) == 1 or (np.diff(stamps) > 0).all():
        return stamps - stamps[0], []
    even = np.arange(len(stamps)) / RATE
    if not stamps.any():
        return even, []
    return even, [f"{sens.path.name}: the times of its frames don't rise; they are taken as {RATE:g} frames a second"]
