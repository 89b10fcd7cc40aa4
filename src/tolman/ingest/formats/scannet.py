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
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import scaled_intrinsics
from tolman.ingest.checks import checked_poses
from tolman.ingest.readers.annotated_boxes import check_known, read_groups, read_segments
from tolman.ingest.readers.picture_sources import Archive
from tolman.ingest.readers.ply import read_ply
from tolman.ingest.readers.scannet_frames import Sens, read_exported, read_sens
from tolman.ingest.readers.text_records import in_order, scan_folders
from tolman.ingest.scan_format import CameraRecording, Instance, RawScene, ScannedSurface, SceneSource
from tolman.ingest.surfaces import majority
from tolman.scenes import plain

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
            raise InputError(root, f"holds no scan of ScanNet: no folder NAME with NAME{_MESH} in it")
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
                "exports them",
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
