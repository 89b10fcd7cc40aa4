"""Scans of phones and tablets: Polycam, Record3D, Stray Scanner, 3D Scanner App, and Apple's RoomPlan.

All of them record with ARKit: metres, +Y up, cameras that look along −z with y up, but for Stray Scanner, which has
turned its cameras' axes already. Sources: PolyCam/polyform and nerfstudio (polycam_utils.py, record3d_utils.py) for the
first two; strayrobots/scanner (docs/format.md, OdometryEncoder.swift); third parties' readers for 3D Scanner App and
RoomPlan, whose fields agree.
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
import shapely

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens
from tolman.ingest.camera_conventions import UP_TURNS
from tolman.ingest.formats.posed_pictures import (
    PosedPicture,
    WorldFrame,
    added_boxes,
    depths_of,
    pose_of,
    read_added_boxes,
    recording_of,
    recordings_of,
)
from tolman.ingest.readers.annotated_boxes import faces_in, orient, read_json
from tolman.ingest.readers.picture_sources import VideoFile, decode
from tolman.ingest.readers.text_records import (
    all_files,
    contained,
    in_order,
    list_of,
    natural,
    numbers_of,
    read_text,
    rigid,
    rotations,
    scene_name,
)
from tolman.ingest.scan_format import CameraRecording, Instance, Picture, RawScene, ScannedSurface, SceneSource

ARKIT = WorldFrame(UP_TURNS["y"], 1.0, True, "y")
REACH = 5.0
"""Metres that the LiDAR of phones measures; what is said to be farther is dropped."""
_GL = np.diag([1.0, -1.0, -1.0, 1.0])
_PAGE = "docs/ingest/phones-and-colmap.md describes it"


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
        raise InputError(root, f"holds no {what}", fix=_PAGE)
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
            raise InputError(root, "holds no .r3d file of Record3D", fix=_PAGE)
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
        rows = np.array([_finite(path, one, 7, f"metadata.poses.{i}") for i, one in enumerate(raw)])
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


def _finite(path: Path, value: Any, count: int, field: str) -> Floats:
    """A list of finite numbers of a file; says which isn't."""
    if isinstance(value, list):
        for i, one in enumerate(value):
            if isinstance(one, float) and not np.isfinite(one):
                raise InputError(path, f"its number {i + 1} is {one}, which isn't finite", field=field)
    return list_of(path, value, count, None, field)


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


@dataclass(frozen=True)
class RoomPlan:
    """Apple RoomPlan's CapturedRoom or CapturedStructure as JSON: boxes and walls, no pictures."""

    name: str = "roomplan"
    title: str = "Apple RoomPlan JSON"

    def find(self, root: Path) -> list[SceneSource]:
        """The JSON files of a folder that hold walls and objects, or the one that is given."""
        files = [root] if root.is_file() else in_order(root.rglob("*.json")) if root.is_dir() else []
        found = [path for path in files if is_room(path)]
        if not found:
            raise InputError(root, "holds no JSON file with the walls and objects of a RoomPlan room", fix=_PAGE)
        return [SceneSource(f"{self.name}/{path.stem}", path, (path,)) for path in found]

    def read(self, source: SceneSource) -> RawScene:
        """Read a room: its objects as boxes, and the area of its floors."""
        path = source.path
        content = read_json(path)
        instances = []
        for i, one in enumerate(content["objects"]):
            label = _category(path, one, f"objects.{i}")
            pose = _transform(path, one, f"objects.{i}")
            extents = list_of(path, one.get("dimensions"), 3, None, f"objects.{i}.dimensions")
            axes = pose[:3, :3].T @ ARKIT.turn.T
            box = orient(path, ARKIT.points(pose[:3, 3]), axes, extents, row=f"objects.{i}")
            instances.append(Instance(str(one.get("identifier") or f"{label} {i + 1}"), label, box))
        listed = content.get("floors") or []
        if not isinstance(listed, list):
            raise InputError(path, "takes a list", field="floors")
        floors = [_floor(path, one, i) for i, one in enumerate(listed)]
        if not floors:
            notes = ("it has no floor, so that the room's area isn't known",)
            return RawScene(tuple(instances), up="y", notes=notes)
        heights = [float(_transform(path, one, f"floors.{i}")[1, 3]) for i, one in enumerate(listed)]
        if _storeys([one.get("story") for one in listed], heights) > 1:
            return RawScene(tuple(instances), up="y", notes=("several storeys, so that no room's area is known",))
        together = shapely.union_all(floors)
        area = float(together.area) if together.area > 0 else None
        center = None
        if area is not None:
            center = (float(together.centroid.x), float(together.centroid.y), float(np.mean(heights)))
        return RawScene(tuple(instances), room_area=area, room_center=center, up="y")


_STOREY = 1.0
"""Metres between floors that are of several storeys."""


def _storeys(named: Sequence[object], heights: Sequence[float]) -> int:
    """The number of storeys of floors, by their `story` or by their heights in metres, whichever is more."""
    numbers = {one for one in named if isinstance(one, int)}
    return max(len(numbers), 1 + int((np.diff(sorted(heights)) > _STOREY).sum()))


_LARGEST_ROOM = 1 << 26
"""Bytes of a room's file, at most: data sets have far larger JSON files, which are not looked into."""


def is_room(path: Path) -> bool:
    """Check whether a JSON file holds the walls and objects of a room."""
    try:
        if path.stat().st_size > _LARGEST_ROOM:
            return False
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and all(isinstance(content.get(part), list) for part in ("walls", "objects"))


def _category(path: Path, one: Any, field: str) -> str:
    """A category, written as {"washerDryer": {}} or as a word: 'washer dryer'."""
    if not isinstance(one, dict):
        raise InputError(path, "takes an object", field=field)
    found = one.get("category")
    word = next(iter(found), "") if isinstance(found, dict) else found
    if not isinstance(word, str) or not word:
        raise InputError(path, "takes a category", field=f"{field}.category")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", word).lower()


def _transform(path: Path, one: Mapping[str, Any], field: str) -> Floats:
    """A transform to the room, column by column, shape (4, 4)."""
    values = _finite(path, one.get("transform"), 16, f"{field}.transform")
    return pose_of(path, values.reshape(4, 4).T, row=f"{field}.transform")


def _floor(path: Path, one: Any, number: int) -> shapely.Geometry:
    """The outline of a floor in metres seen from above: its corners, or the rectangle of its dimensions."""
    field = f"floors.{number}"
    if not isinstance(one, dict):
        raise InputError(path, "takes an object", field=field)
    pose = _transform(path, one, field)
    corners = one.get("polygonCorners")
    if isinstance(corners, list) and corners:
        own = np.array([list_of(path, corner, 3, None, f"{field}.polygonCorners") for corner in corners])
    else:
        wide, deep, _ = list_of(path, one.get("dimensions"), 3, None, f"{field}.dimensions") / 2
        own = np.array([(-wide, -deep, 0), (wide, -deep, 0), (wide, deep, 0), (-wide, deep, 0)])
    if len(own) < 3:
        raise InputError(path, "takes three corners or more", field=f"{field}.polygonCorners")
    outline = ARKIT.points(own @ pose[:3, :3].T + pose[:3, 3])[:, :2]
    return shapely.make_valid(shapely.Polygon(outline))


FORMATS = {
    "polycam": Polycam(),
    "record3d": Record3D(),
    "stray-scanner": Stray(),
    "3d-scanner-app": ScannerApp(),
    "roomplan": RoomPlan(),
}
