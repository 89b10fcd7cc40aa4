"""Scans of phones and tablets: Polycam, Record3D, Stray Scanner and 3D Scanner App.

All of them record with ARKit: metres, +Y up, cameras that look along −z with y up, but for Stray Scanner, which has
turned its cameras' axes already. Sources: PolyCam/polyform and nerfstudio (polycam_utils.py, record3d_utils.py) for the
first two; strayrobots/scanner (docs/format.md, OdometryEncoder.swift); third parties' readers for 3D Scanner App,
whose fields agree.
"""

from __future__ import annotations

import itertools
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens
from tolman.ingest.camera_conventions import UP_TURNS
from tolman.ingest.formats.posed_pictures import (
    PosedPicture,
    WorldFrame,
    added_boxes,
    depths_of,
    read_added_boxes,
    recording_of,
    recordings_of,
)
from tolman.ingest.readers import (
    all_files,
    contained,
    in_order,
    list_of,
    natural,
    numbers_of,
    pose_of,
    read_text,
    rigid,
    rotations,
    scene_name,
)
from tolman.ingest.scan_format import CameraRecording, Instance, Picture, RawScene, ScannedSurface, SceneSource
from tolman.ingest.standard_video import VideoFile, decode
from tolman.ingest.surfaces import faces_in, read_json

ARKIT = WorldFrame(UP_TURNS["y"], 1.0, True, "y")
REACH = 5.0
"""Metres that the LiDAR of phones measures; what is said to be farther is dropped."""
_GL = np.diag([1.0, -1.0, -1.0, 1.0])
PAGE = "docs/ingest/phones-and-colmap.md describes it"


def _scene(
    source: SceneSource, recordings: Sequence[CameraRecording], surface: ScannedSurface | None = None, *notes: str
) -> RawScene:
    instances = read_added_boxes(source.path, ARKIT)
    if surface is not None and instances:
        numbered = tuple(Instance(one.id, one.label, one.box, number=i) for i, one in enumerate(instances, start=1))
        boxes = [(one.number, one.box) for one in numbered if one.box is not None]
        numbers = faces_in(surface.points, surface.faces, boxes)
        surface, instances = ScannedSurface(surface.points, surface.faces, numbers), numbered
    return RawScene(instances, surface, tuple(recordings), up="y", notes=notes)


def _folders(root: Path, marks: Sequence[str], what: str) -> list[Path]:
    """The folders that hold a file or folder whose path ends like one of the marks, in order.

    Raises:
        InputError: there is none.
    """
    if not root.is_dir():
        raise InputError(root, "is no folder")
    found = set()
    for mark in marks:
        levels = mark.count("/") + 1
        for path in (*root.glob(mark), *root.glob(f"**/{mark}")):
            found.add(path.parents[levels - 1])
    if not found:
        raise InputError(root, f"holds no {what}", fix=PAGE)
    return sorted(found, key=lambda path: natural(path.as_posix()))


def _sources(name: str, root: Path, places: Sequence[Path]) -> list[SceneSource]:
    return [SceneSource(f"{name}/{scene_name(root, place)}", place, all_files(place)) for place in places]


def _number(path: Path, content: Mapping[str, Any], field: str) -> float:
    return float(list_of(path, [content.get(field)], 1, None, field)[0])


def _since_first(values: Sequence[float]) -> Floats:
    """Times from the first one, seconds; clocks of phones count from their start."""
    return np.array(values) - values[0]


@dataclass(frozen=True)
class Polycam:
    """Polycam's raw data: keyframes with cameras, depth, and corrected cameras where Polycam has optimised them."""

    name: str = "polycam"
    title: str = "Polycam raw data"
    takes: frozenset[str] = frozenset({"objects"})

    def find(self, root: Path) -> list[SceneSource]:
        """The folders with keyframes."""
        marks = ("keyframes/corrected_cameras", "keyframes/cameras")
        return _sources(self.name, root, _folders(root, marks, "keyframes/cameras of Polycam's raw data"))

    def read(self, source: SceneSource) -> RawScene:
        """Read a capture; corrected cameras go with corrected pictures only."""
        place = source.path / "keyframes"
        corrected = (place / "corrected_cameras").is_dir() and (place / "corrected_images").is_dir()
        start = "corrected_" if corrected else ""
        files = in_order((place / f"{start}cameras").glob("*.json"))
        if not files:
            raise InputError(place / f"{start}cameras", "holds no .json")
        shots = [self._shot(source.path, place, start, path) for path in files]
        if all(path.stem.isdecimal() for path in files):  # microseconds; other names say no times
            times = _since_first([float(path.stem) / 1e6 for path in files]).tolist()
            shots = [replace(shot, seconds=seconds) for shot, seconds in zip(shots, times, strict=True)]
        notes = [] if corrected else ["Polycam has not corrected its pictures: their lens distortion stays in them"]
        return _scene(source, recordings_of(shots, ARKIT, None, axes="opengl", farthest=REACH), None, *notes)

    @staticmethod
    def _shot(folder: Path, place: Path, start: str, path: Path) -> PosedPicture:
        content = read_json(contained(folder, path))
        rows = [[content.get(f"t_{i}{j}") for j in range(4)] for i in range(3)]
        pose = pose_of(path, rows, row="t_00 … t_23") @ _GL
        fx, fy, cx, cy, width, height = (_number(path, content, n) for n in ("fx", "fy", "cx", "cy", "width", "height"))
        depth = place / "depth" / f"{path.stem}.png"
        picture = contained(folder, place / f"{start}images" / f"{path.stem}.jpg")
        known = contained(folder, depth) if depth.exists() else None
        return PosedPicture(picture, Lens((fx, fy, cx, cy)), (round(width), round(height)), pose, known)


@dataclass(frozen=True)
class ScannerApp:
    """3D Scanner App's "All Data": frame_00000.json for each frame, a .jpg for some, and export.obj."""

    name: str = "3d-scanner-app"
    title: str = "3D Scanner App, all data"
    takes: frozenset[str] = frozenset({"objects"})

    def find(self, root: Path) -> list[SceneSource]:
        """The folders with frames."""
        places = _folders(root, ("frame_*.json",), "frame_00000.json of 3D Scanner App's 'All Data'")
        return _sources(self.name, root, places)

    def read(self, source: SceneSource) -> RawScene:
        """Read a scan: the frames that have a picture."""
        files = [path for path in in_order(source.path.glob("frame_*.json")) if path.with_suffix(".jpg").exists()]
        if not files:
            raise InputError(source.path, "holds no .jpg for its frame_*.json", fix="export 'All Data'")
        contents = [read_json(contained(source.path, path)) for path in files]
        times = _since_first([_number(path, one, "time") for path, one in zip(files, contents, strict=True)])
        shots = []
        for path, content, seconds in zip(files, contents, times.tolist(), strict=True):
            pose = pose_of(path, content.get("cameraPoseARFrame"), row="cameraPoseARFrame") @ _GL
            camera = list_of(path, content.get("intrinsics"), 9, None, "intrinsics")
            lens = Lens((float(camera[0]), float(camera[4]), float(camera[2]), float(camera[5])))
            picture = contained(source.path, path.with_suffix(".jpg"))
            depth = source.path / path.name.replace("frame_", "depth_").replace(".json", ".png")
            known = contained(source.path, depth) if depth.exists() else None
            # The file doesn't say its pictures' size: intrinsics are in pixels of its own picture.
            shots.append(PosedPicture(picture, lens, None, pose, known, seconds))
        mesh = next((p for n in ("export.obj", "textured_output.obj") if (p := source.path / n).is_file()), None)
        surface = None if mesh is None else read_obj(contained(source.path, mesh), ARKIT)
        return _scene(source, recordings_of(shots, ARKIT, None, axes="opengl", farthest=REACH), surface)


def read_obj(path: Path, frame: WorldFrame) -> ScannedSurface:
    """The triangles of a Wavefront OBJ file; polygons are cut into fans.

    Raises:
        InputError: it holds no mesh, or a line that can't be used.
    """
    points: list[list[str]] = []
    faces: list[tuple[int, int, int]] = []
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        words = line.split()
        if words[:1] == ["v"]:
            points.append(words[1:4])
        elif words[:1] == ["f"]:
            try:
                corners = [int(word.partition("/")[0]) for word in words[1:]]
            except ValueError:
                raise InputError(path, "a face holds something other than numbers of vertices", row=row) from None
            corners = [corner - 1 if corner > 0 else len(points) + corner for corner in corners]
            if len(corners) < 3 or not all(0 <= corner < len(points) for corner in corners):
                raise InputError(path, "a face names fewer than three vertices, or one that isn't there", row=row)
            faces += [(corners[0], b, c) for b, c in itertools.pairwise(corners[1:])]
    if not faces or any(len(point) != 3 for point in points):
        raise InputError(path, "holds no faces, or a vertex without three numbers")
    values = numbers_of(path, [word for point in points for word in point]).reshape(-1, 3)
    return ScannedSurface(frame.points(values), np.array(faces, dtype=np.int64), np.zeros(len(faces), dtype=np.int64))


_ODOMETRY = ("timestamp", "frame", "x", "y", "z", "qx", "qy", "qz", "qw")
_CAMERA = ("fx", "fy", "cx", "cy")
"""Columns of recent versions, which fill them where the app knows the lens of each frame."""


@dataclass(frozen=True)
class Stray:
    """Stray Scanner's recordings: rgb.mp4, odometry.csv and camera_matrix.csv."""

    name: str = "stray-scanner"
    title: str = "Stray Scanner"
    takes: frozenset[str] = frozenset({"objects"})

    def find(self, root: Path) -> list[SceneSource]:
        """The folders with an odometry.csv."""
        return _sources(self.name, root, _folders(root, ("odometry.csv",), "odometry.csv of Stray Scanner"))

    def read(self, source: SceneSource) -> RawScene:
        """Read a recording. Its cameras have x right and y down already; its world has +Y up."""
        path = contained(source.path, source.path / "odometry.csv")
        rows = [re.split(r"\s*,\s*", line.strip()) for line in read_text(path).splitlines() if line.strip()]
        least = len(_ODOMETRY)
        if not rows or tuple(rows[0][:least]) != _ODOMETRY:
            raise InputError(path, f"takes the columns {', '.join(_ODOMETRY)}", row=1)
        if len(rows) < 2 or not all(least <= len(row) <= len(rows[0]) for row in rows):
            raise InputError(path, f"takes rows of {least} numbers or more")
        table = np.array([numbers_of(path, row[:least], i) for i, row in enumerate(rows[1:], start=2)])
        x, y, z, w = table[:, 5:9].T
        poses = rigid(_rotations(path, w, x, y, z), table[:, 2:5])
        video = VideoFile(contained(source.path, source.path / "rgb.mp4"))
        count = min(video.count, len(table))
        if abs(video.count - len(table)) > 1:
            raise InputError(path, f"has {len(table):,} poses, and rgb.mp4 {video.count:,} frames")
        matrix_path = contained(source.path, source.path / "camera_matrix.csv")
        words = [re.split(r"[,\s]+", line.strip()) for line in read_text(matrix_path).splitlines() if line.strip()]
        matrix = numbers_of(matrix_path, [word for row in words for word in row])
        if len(matrix) != 9:
            raise InputError(matrix_path, "takes 3 rows of 3 numbers")
        lens = Lens((float(matrix[0]), float(matrix[4]), float(matrix[2]), float(matrix[5])))
        lenses = [_own_lens(path, rows[0], row, i) or lens for i, row in enumerate(rows[1 : count + 1], start=2)]
        names = [source.path / "depth" / f"{row[1]}.png" for row in rows[1:]]
        depths = [contained(source.path, name) if name.exists() else None for name in names]
        recording = recording_of(
            "camera",
            video.size,
            _since_first(table[:count, 0].tolist()),
            ARKIT.poses(poses[:count]),
            lenses,
            video.pictures,
            depths=depths_of(depths, farthest=REACH) if any(depths) else None,
        )
        shown = [f"rgb/{row[1]}.png" for row in rows[1 : count + 1]]
        return _scene(source, [replace(recording, names=shown)])


def _own_lens(path: Path, header: Sequence[str], row: Sequence[str], number: int) -> Lens | None:
    """The lens of a row of odometry.csv; None where its columns are missing or empty."""
    cells = dict(zip(header, row, strict=False))
    words = [cells.get(name, "") for name in _CAMERA]
    if not all(words):
        return None
    fx, fy, cx, cy = numbers_of(path, words, number).tolist()
    if min(fx, fy) <= 0:
        raise InputError(path, "has a focal length that isn't positive", row=number)
    return Lens((fx, fy, cx, cy))


def _rotations(path: Path, w: Floats, x: Floats, y: Floats, z: Floats) -> Floats:
    try:
        return rotations(w, x, y, z)
    except ValueError as error:
        raise InputError(path, f"a pose can't be used: {error}") from None


@dataclass(frozen=True)
class Record3D:
    """Record3D's .r3d archives, or the folders that they unpack to."""

    name: str = "record3d"
    title: str = "Record3D"
    takes: frozenset[str] = frozenset({"objects"})

    def find(self, root: Path) -> list[SceneSource]:
        """The .r3d files of a folder, or the one that is given."""
        files = [root] if root.suffix == ".r3d" else in_order(root.rglob("*.r3d")) if root.is_dir() else []
        if not files:
            raise InputError(root, "holds no .r3d file of Record3D", fix=PAGE)
        known = {path: [path, *([boxes] if (boxes := added_boxes(path)).is_file() else [])] for path in files}
        return [SceneSource(f"{self.name}/{path.stem}", path, tuple(parts)) for path, parts in known.items()]

    def read(self, source: SceneSource) -> RawScene:
        """Read an archive."""
        archive = _R3d(source.path)
        content = archive.metadata()
        path = source.path
        raw = content.get("poses")
        if not isinstance(raw, list) or not raw:
            raise InputError(path, "takes a list of poses", field="metadata.poses")
        rows = np.array([list_of(path, one, 7, None, f"metadata.poses.{i}") for i, one in enumerate(raw)])
        x, y, z, w = rows[:, :4].T
        poses = rigid(_rotations(path, w, x, y, z), rows[:, 4:]) @ _GL
        frames = archive.frames()
        if len(frames) != len(poses) or frames != list(range(len(poses))):
            raise InputError(path, f"has {len(poses):,} poses, and {len(frames):,} pictures from rgbd/0.jpg on")
        size = (round(_number(path, content, "w")), round(_number(path, content, "h")))
        stamps = content.get("frameTimestamps")
        _check_number(path, stamps, len(poses), "frameTimestamps")
        if stamps:
            times = _since_first(list_of(path, stamps, len(poses), None, "metadata.frameTimestamps").tolist())
        else:
            times = np.arange(len(poses)) / _number(path, content, "fps")
        depths, note = archive.depths(content)
        recording = recording_of(
            "camera", size, times, ARKIT.poses(poses), self._lenses(path, content, len(poses)), archive.pictures,
            depths=depths, axes="opengl",
        )  # fmt: skip
        names = [f"rgbd/{frame}.jpg" for frame in frames]
        return _scene(source, [replace(recording, names=names)], None, *note)

    @staticmethod
    def _lenses(path: Path, content: Mapping[str, Any], count: int) -> list[Lens]:
        """One of each frame where they are there, as autofocus changes them; else the one of K, column by column."""
        own = content.get("perFrameIntrinsicCoeffs")
        _check_number(path, own, count, "perFrameIntrinsicCoeffs")
        if own:
            rows = [list_of(path, one, 4, None, f"metadata.perFrameIntrinsicCoeffs.{i}") for i, one in enumerate(own)]
            return [Lens((float(r[0]), float(r[1]), float(r[2]), float(r[3]))) for r in rows]
        k = list_of(path, content.get("K"), 9, None, "metadata.K")
        return [Lens((float(k[0]), float(k[4]), float(k[6]), float(k[7])))]


def _check_number(path: Path, value: Any, frames: int, name: str) -> None:
    """Make sure that a list with one entry for each frame, where there is one, has them all."""
    if value and (not isinstance(value, list) or len(value) != frames):
        count = len(value) if isinstance(value, list) else 1
        raise InputError(
            path, f"has {count:,} of them for {frames:,} frames", field=f"metadata.{name}", fix="export the scan again"
        )


_MOST = 1 << 28
"""Bytes of a part of an archive, at most."""
_BROKEN = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, KeyError, RuntimeError, zlib.error)


class _R3d:
    """The parts of a .r3d file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.archive = zipfile.ZipFile(path)
        except _BROKEN as error:
            raise InputError(path, f"is no readable ZIP archive ({error})", fix="export it again") from None

    def part(self, name: str) -> bytes:
        """The content of a part.

        Raises:
            InputError: it is missing, too large, or can't be unpacked.
        """
        try:
            if self.archive.getinfo(name).file_size > _MOST:
                raise InputError(self.path, f"{name} is too large")
            return self.archive.read(name)
        except KeyError:
            raise InputError(self.path, f"lacks '{name}'", fix="export it again") from None
        except _BROKEN as error:
            raise InputError(self.path, f"'{name}' can't be unpacked ({error})", fix="export it again") from None

    def metadata(self) -> dict[str, Any]:
        """Read the archive's metadata."""
        try:
            content = json.loads(self.part("metadata"))
        except (ValueError, RecursionError) as error:
            raise InputError(self.path, f"'metadata' is no JSON ({error})") from None
        if not isinstance(content, dict):
            raise InputError(self.path, "'metadata' holds no object")
        return content

    def frames(self) -> list[int]:
        """The numbers of its pictures, rising."""
        names = (re.fullmatch(r"rgbd/(\d+)\.jpg", name) for name in self.archive.namelist())
        return sorted(int(match[1]) for match in names if match)

    def pictures(self, numbers: Sequence[int]) -> Iterator[Picture]:
        """Pictures by their numbers."""
        for number in numbers:
            yield decode(self.part(f"rgbd/{number}.jpg"), self.path, f"rgbd/{number}.jpg")

    def depths(self, content: Mapping[str, Any]) -> tuple[Callable[[int], Floats | None] | None, list[str]]:
        """Return a reader of depths in metres, and notes if they can't be read."""
        if "rgbd/0.depth" not in self.archive.namelist():
            return None, []
        shape = (round(_number(self.path, content, "dh")), round(_number(self.path, content, "dw")))
        wanted = 4 * shape[0] * shape[1]
        unpack: Callable[[bytes], bytes] | None = None
        if len(self.part("rgbd/0.depth")) != wanted:
            try:
                import liblzfse  # type: ignore[import-not-found]
            except ImportError:
                said = "its depths are compressed by LZFSE, and not read without the package pyliblzfse"
                return None, [said]
            unpack = liblzfse.decompress

        def read(number: int) -> Floats:
            data = self.part(f"rgbd/{number}.depth")
            try:
                data = unpack(data) if unpack is not None and len(data) != wanted else data
            except Exception as error:  # liblzfse raises its own error, which can't be named without it
                raise InputError(self.path, f"'rgbd/{number}.depth' can't be unpacked ({error})") from None
            if len(data) != wanted:
                raise InputError(self.path, f"'rgbd/{number}.depth' holds {len(data):,} bytes, not {wanted:,}")
            found = np.frombuffer(data, dtype="<f4").reshape(shape).astype(np.float64)
            return np.where(np.isfinite(found), found, 0.0)

        return read, []


FORMATS = {
    "polycam": Polycam(),
    "record3d": Record3D(),
    "stray-scanner": Stray(),
    "3d-scanner-app": ScannerApp(),
}
