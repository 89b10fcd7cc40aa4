"""ScanNet++: laser scans of rooms with a phone's video (Yeshwanth et al. 2023).

```
data/<scene>/scans/mesh_aligned_0.05.ply      mesh, z up
             scans/segments.json              the segment of each vertex
             scans/segments_anno.json         objects: label, segments, oriented box
             iphone/rgb.mkv                   60 frames a second; or iphone/rgb/frame_000000.jpg … as unpacked
             iphone/pose_intrinsic_imu.json   time, pose in the mesh's frame and intrinsics of each frame
             iphone/depth.bin                 is checked where it is there, and not needed
```

Source: scannetpp/scannetpp. Boxes are those that the data set stores. A vertex that several objects claim belongs to
the smallest of them. There are no instance masks of the phone's frames: visibility is found by casting rays on the
mesh.

depth.bin holds the phone's depth pictures, 256×192, in one of two forms (iphone/prepare_iphone_data.py):

| form | content |
|---|---|
| whole | one raw deflate stream of float32 metres, all frames |
| framed | for each frame a uint32 length (little-endian) and a block |

A block is an LZ4 block of uint16 millimetres, or a raw deflate stream of float32 metres.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, counted
from tolman.extras import needs
from tolman.geometry.boxes import Floats
from tolman.ingest.checks import checked_poses
from tolman.ingest.readers import in_order, read_ply, scan_folders
from tolman.ingest.scan_format import CameraRecording, Instance, Picture, RawScene, ScannedSurface, SceneSource
from tolman.ingest.standard_video import VideoFile, decode
from tolman.ingest.surfaces import check_known, majority, oriented_box, read_groups, read_json, read_segments

WIDTH, HEIGHT = 256, 192
_LENGTH = struct.Struct("<I")
_PIXELS = WIDTH * HEIGHT
_CHUNK = 1 << 20


def frame_places(path: Path) -> list[tuple[int, int]] | None:
    """Offset and length of each frame of the framed form; None where the file has the other form.

    Raises:
        InputError: it has neither form, or is cut off; names the frame and the offset.
    """
    size = path.stat().st_size
    places, offset = [], 0
    with path.open("rb") as file:
        while offset < size:
            head = file.read(_LENGTH.size)
            length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else size
            if length == 0 or length > size - offset - _LENGTH.size:
                break
            places.append((offset + _LENGTH.size, length))
            offset += _LENGTH.size + length
            file.seek(offset)
    if offset == size and places:
        return places
    if _is_stream(path):
        return None
    raise InputError(
        path, f"is cut off at byte {size:,}: frame {len(places)} begins at byte {offset:,}", fix="get it again"
    )


def read_depth(path: Path) -> Iterator[Floats]:
    """The depth pictures in metres, one after the other, shape (192, 256), 0 where there is no reading.

    Raises:
        InputError: a frame can't be unpacked, or the file is cut off; names the frame and the offset.
        MissingExtraError: lz4 is not installed.
    """
    places = frame_places(path)
    if places is None:
        yield from _of_stream(path)
        return
    with path.open("rb") as file:
        for frame, (offset, length) in enumerate(places):
            file.seek(offset)
            yield _of_block(file.read(length), path, f"frame {frame} at byte {offset:,}")


def count_frames(path: Path) -> int:
    """Count the pictures of a file; one of the whole form is unpacked for that, a piece at a time.

    Raises:
        InputError: it is cut off or can't be unpacked.
    """
    places = frame_places(path)
    return len(places) if places is not None else sum(1 for _ in _of_stream(path))


def _of_block(data: bytes, path: Path, what: str) -> Floats:
    with needs("build", "Reading depth.bin"):
        import lz4.block
    try:
        millimetres = lz4.block.decompress(data, uncompressed_size=2 * _PIXELS)
    except lz4.block.LZ4BlockError:
        millimetres = b""
    if len(millimetres) == 2 * _PIXELS:
        return np.frombuffer(millimetres, dtype="<u2").reshape(HEIGHT, WIDTH) / 1000
    try:
        metres = zlib.decompressobj(-15).decompress(data, 4 * _PIXELS + 1)
    except zlib.error:
        metres = b""
    if len(metres) != 4 * _PIXELS:
        raise InputError(path, f"{what} can't be unpacked", fix="get it again")
    return _metres(metres)


def _metres(data: bytes) -> Floats:
    found = np.frombuffer(data, dtype="<f4").reshape(HEIGHT, WIDTH)
    return np.where(np.isfinite(found), found, 0).astype(np.float64)


def _is_stream(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            return len(zlib.decompressobj(-15).decompress(file.read(_CHUNK), 64)) == 64
        except zlib.error:
            return False


def _of_stream(path: Path) -> Iterator[Floats]:
    unpacker, waiting, frame = zlib.decompressobj(-15), b"", 0
    with path.open("rb") as file:
        while not unpacker.eof:
            here = file.tell()
            data = unpacker.unconsumed_tail or file.read(_CHUNK)
            if not data:
                raise InputError(path, f"is cut off at byte {here:,}, in frame {frame}", fix="get it again")
            try:
                waiting += unpacker.decompress(data, _CHUNK)
            except zlib.error as error:
                raise InputError(path, f"can't be unpacked near byte {here:,} ({error})", fix="get it again") from None
            while len(waiting) >= 4 * _PIXELS:
                picture, waiting = waiting[: 4 * _PIXELS], waiting[4 * _PIXELS :]
                yield _metres(picture)
                frame += 1
    if waiting:
        raise InputError(path, f"ends within frame {frame}", fix="get it again")


STANDARD = (640, 480, 30.0)
RATE = 60.0
"""Frames a second of the phone, where frames carry no times."""
_MESH, _SEGMENTS, _OBJECTS = "scans/mesh_aligned_0.05.ply", "scans/segments.json", "scans/segments_anno.json"
_POSES, _VIDEO, _DEPTH = "iphone/pose_intrinsic_imu.json", "iphone/rgb.mkv", "iphone/depth.bin"
_FRAME = re.compile(r"frame_(\d{1,9})", re.ASCII)


class ScanNetPlusPlus:
    """The format."""

    name = "scannetpp"
    title = "ScanNet++"

    def find(self, root: Path) -> list[SceneSource]:
        """Find the scenes, each with scans/mesh_aligned_0.05.ply: in a folder, in its folder `data`, or the folder.

        Raises:
            InputError: there are none.
        """
        places = [root, *root.glob("*/"), *root.glob("data/*/")] if root.is_dir() else []
        folders = scan_folders(places, lambda place: place / _MESH)
        if not folders:
            raise InputError(root, f"holds no scan of ScanNet++: no folder with {_MESH} in it")
        return [
            SceneSource(f"{self.name}/{folder.resolve().name}", folder, tuple(_files(folder))) for folder in folders
        ]

    def read(self, source: SceneSource) -> RawScene:
        """Read one scan.

        Raises:
            InputError: it can't be used; names the file.
            MissingExtraError: plyfile, PyAV, pillow or lz4 is not installed.
        """
        folder, notes = source.path, []
        mesh = read_ply(folder / _MESH)
        own, instances, repaired = _objects(folder, len(mesh.points))
        if instances is None:
            notes.append(f"{_OBJECTS} isn't there: no object is annotated")
        recording, said = _recording(folder)
        if recording is None:
            notes.append(f"{_POSES} isn't there: the scan has no video")
        elif (folder / _DEPTH).is_file() and (depths := count_frames(folder / _DEPTH)) != len(recording.times):
            notes.append(f"{_DEPTH} has {counted(depths, 'frame')}, the recording {len(recording.times):,}")
        return RawScene(
            instances=tuple(instances or ()),
            surface=ScannedSurface(mesh.points, mesh.faces, majority(own, mesh.faces), own),
            recordings=() if recording is None else (recording,),
            repaired=(*repaired, *said),
            notes=tuple(notes),
        )


FORMAT = ScanNetPlusPlus()


def _files(folder: Path) -> Iterator[Path]:
    for name in (_MESH, _SEGMENTS, _OBJECTS, _POSES, _VIDEO, _DEPTH):
        if (folder / name).is_file():
            yield folder / name
    if not (folder / _VIDEO).is_file():
        yield from in_order((folder / "iphone" / "rgb").glob("frame_*.jpg"))


def _objects(folder: Path, vertices: int) -> tuple[NDArray[np.int64], list[Instance] | None, list[str]]:
    """Return the instance of each vertex, the instances (None if the scan isn't annotated), and the repairs."""
    own = np.zeros(vertices, dtype=np.int64)
    path = folder / _OBJECTS
    if not path.is_file():
        return own, None, []
    segments = read_segments(folder / _SEGMENTS, vertices, "vertices")
    # An objectId of 0 or less is no object.
    groups = [group for group in read_groups(path) if group.number > 0]
    check_known(path, groups, segments, folder / _SEGMENTS)
    members = [np.isin(segments, group.segments) for group in groups]
    # The smallest comes last and keeps what it claims; of equal ones the first in the file does.
    sizes = [int(member.sum()) for member in members]
    for place in sorted(range(len(groups)), key=lambda i: (-sizes[i], -i)):
        own[members[place]] = groups[place].number
    instances, repaired = [], []
    for group in groups:
        box = oriented_box(group.record.get("obb"))
        if isinstance(box, str):
            repaired.append(f"{path.name}: the obb of object {group.number} {box}; its box is that of its points")
        instances.append(
            Instance(f"{group.number}", group.label, None if isinstance(box, str) else box, number=group.number)
        )
    return own, instances, repaired


def _recording(folder: Path) -> tuple[CameraRecording | None, list[str]]:
    path = folder / _POSES
    if not path.is_file():
        return None, []
    records = _records(path)
    numbers = list(records)
    given = [_matrix(path, name, record.get("aligned_pose"), 4) for name, record in _named(records)]
    if all(pose is None for pose in given):
        raise InputError(path, "no frame has an 'aligned_pose', the pose in the mesh's frame")
    poses = np.array([np.full((4, 4), np.nan) if pose is None else pose for pose in given])
    poses, said = checked_poses(path, poses)
    cameras = [_matrix(path, name, record.get("intrinsic"), 3) for name, record in _named(records)]
    matrices = [camera for camera in cameras if camera is not None]
    if len(matrices) < len(cameras):
        raise InputError(path, "has no 3×3 numbers", row=f"frame_{numbers[cameras.index(None)]:06d}", field="intrinsic")
    intrinsics = np.array([[m[0, 0], m[1, 1], m[0, 2], m[1, 2]] for m in matrices])
    times, lost = _times(path, records)
    pictures, size, there = _pictures(folder, numbers)
    if there < len(numbers):
        said.append(
            f"{path.name}: has {len(numbers):,} frames, the video {there:,}: those without picture are left out"
        )
    return (
        CameraRecording(
            role="ego",
            times=times[:there],
            poses=poses[:there],
            intrinsics=intrinsics[:there],
            size=size,
            pictures=pictures,
            standard=STANDARD,
        ),
        said + lost,
    )


def _records(path: Path) -> dict[int, dict[str, Any]]:
    """Entries of each frame in the file, by its number, in the order of the numbers."""
    found: dict[int, dict[str, Any]] = {}
    for name, record in read_json(path).items():
        match = _FRAME.fullmatch(name)
        if match is None or not isinstance(record, dict):
            raise InputError(path, "is no frame", row=str(name)[:40])
        found[int(match[1])] = record
    if not found:
        raise InputError(path, "has no frame")
    return dict(sorted(found.items()))


def _named(records: dict[int, dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((f"frame_{number:06d}", record) for number, record in records.items())


def _matrix(path: Path, name: str, values: object, side: int) -> Floats | None:
    if values is None:
        return None
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.empty(0)
    if found.shape != (side, side):
        raise InputError(path, f"has a matrix that isn't {side}×{side} numbers", row=name)
    return found


def _times(path: Path, records: dict[int, dict[str, Any]]) -> tuple[Floats, list[str]]:
    """Seconds of the frames; by the phone's rate where they carry none or their times don't rise."""
    numbers = np.array(list(records), dtype=np.float64)
    stamps = [record.get("timestamp") for record in records.values()]
    if all(isinstance(stamp, int | float) and np.isfinite(stamp) for stamp in stamps):
        times = np.array(stamps, dtype=np.float64)
        if (np.diff(times) > 0).all():
            return times - times[0], []
    even = (numbers - numbers[0]) / RATE
    return even, [f"{path.name}: the times of its frames don't rise; they are taken as {RATE:g} frames a second"]


def _pictures(
    folder: Path, numbers: Sequence[int]
) -> tuple[Callable[[Sequence[int]], Iterator[Picture]], tuple[int, int], int]:
    """The pictures of frames by their place, their size, and how many places have one."""
    video = folder / _VIDEO
    if video.is_file():
        file = VideoFile(video)
        there = int(np.searchsorted(numbers, file.count))
        if not there:
            raise InputError(video, f"has {file.count:,} frames, and the first with a pose is {numbers[0]:,}")
        return lambda frames: file.pictures([numbers[i] for i in frames]), file.size, there
    paths = [folder / "iphone" / "rgb" / f"frame_{number:06d}.jpg" for number in numbers]
    there = next((i for i, path in enumerate(paths) if not path.is_file()), len(paths))
    if not there:
        raise InputError(folder, f"has neither {_VIDEO} nor {paths[0].relative_to(folder)}")
    first = decode(paths[0], paths[0], "it")
    size = first.shape[1], first.shape[0]
    return lambda frames: (decode(paths[i], paths[i], "it") for i in frames), size, there
