"""Recordings of depth cameras as folders of frames, `frame-000000.color.jpg`, `.depth`, `.pose.txt`: 7-Scenes, 3RScan.

A pose is camera → world, 4×4, with the camera looking along +z and y down; frames without tracking hold zeros or
numbers that aren't finite. Depth is in millimetres.

- 7-Scenes (Microsoft): poses are those of the depth camera, focal length 585; the colour camera next to it, of focal
  length 525, isn't registered to it. Its world isn't level.
- 3RScan: `_info.txt` holds both cameras' intrinsics; the mesh, its objects and the poses are in one frame, z up.
  Source: WaldJohannaU/3RScan, README.md and FAQ.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens
from tolman.ingest.camera_conventions import UP_TURNS
from tolman.ingest.formats.posed_pictures import PosedPicture, WorldFrame, find_frame, recordings_of
from tolman.ingest.readers import all_files, contained, in_order, natural, numbers_of, pose_of, read_ply, read_text
from tolman.ingest.scan_format import CameraRecording, Instance, RawScene, ScannedSurface, SceneSource
from tolman.ingest.surfaces import majority, oriented_box, read_groups

_RATE = 30.0
_SEVEN_COLOUR, _SEVEN_DEPTH = (525.0, 525.0, 320.0, 240.0), (585.0, 585.0, 320.0, 240.0)
_SEVEN_SIZE = (640, 480)
_NONE = 65.0
"""Metres from which on a depth of 7-Scenes is none: 65535."""


def _shots(folder: Path, lens: Lens, size: tuple[int, int]) -> list[PosedPicture]:
    """The frames of a folder with a picture, in order.

    Raises:
        InputError: a pose can't be read, or is no rotation and translation.
    """
    found = []
    for path in in_order(folder.glob("frame-*.pose.txt")):
        name = path.name.removesuffix(".pose.txt")
        picture = next((one for end in ("jpg", "png") if (one := folder / f"{name}.color.{end}").exists()), None)
        if picture is None:
            continue
        depth = next((one for end in ("png", "pgm") if (one := folder / f"{name}.depth.{end}").exists()), None)
        known = contained(folder, depth) if depth else None
        found.append(PosedPicture(contained(folder, picture), lens, size, _pose(contained(folder, path)), known))
    if not found:
        raise InputError(folder, "holds no frame with a picture and a pose")
    return found


def _pose(path: Path) -> Floats:
    words = read_text(path).split()
    try:
        values = np.array([float(word) for word in words])
    except ValueError as error:
        raise InputError(path, f"a number was expected ({error})") from None
    if len(values) == 16 and (not np.isfinite(values).all() or not values.any()):
        return np.full((4, 4), np.nan)
    return pose_of(path, values, row="pose")


def _folders(root: Path, mark: str, levels: int) -> list[Path]:
    found = {path.parents[levels - 1] for path in (*root.glob(mark), *root.rglob(mark))} if root.is_dir() else set()
    return sorted(found, key=lambda path: natural(path.as_posix()))


def _recordings(
    shots: Sequence[PosedPicture], frame: WorldFrame, rate: float, depth: Floats, farthest: float = math.inf
) -> tuple[CameraRecording, ...]:
    """Recordings whose depths are of another camera; its intrinsics are in pixels of the pictures' size."""
    found = recordings_of(shots, frame, rate, farthest=farthest)
    return tuple(replace(one, depth_intrinsics=depth if one.depths is not None else None) for one in found)


@dataclass(frozen=True)
class SevenScenes:
    """7-Scenes: sequences of a Kinect, without annotations."""

    name: str = "7-scenes"
    title: str = "7-Scenes"
    takes: frozenset[str] = frozenset({"up", "rate", "objects"})

    def find(self, root: Path) -> list[SceneSource]:
        """The folders of frames without _info.txt, commonly SCENE/seq-01."""
        places = [one for one in _folders(root, "frame-*.pose.txt", 1) if not _info(one).is_file()]
        if not places:
            raise InputError(root, "holds no frame-000000.pose.txt")
        return [SceneSource(f"{self.name}/{_named(place)}", place, all_files(place)) for place in places]

    def read(self, source: SceneSource) -> RawScene:
        """Read a sequence, levelled by its cameras."""
        shots = _shots(source.path, Lens(_SEVEN_COLOUR), _SEVEN_SIZE)
        hints = replace(source.hints, scale=1.0)
        frame = find_frame(source.path, np.array([shot.pose for shot in shots]), np.empty((0, 3)), hints)
        recordings = _recordings(shots, frame, hints.rate or _RATE, np.array(_SEVEN_DEPTH), _NONE)
        note = "its poses are of the depth camera, some centimetres beside the colour camera"
        return RawScene(recordings=recordings, up=frame.up, notes=(*frame.notes, note))


def _named(place: Path) -> str:
    place = place.resolve()
    return f"{place.parent.name}_{place.name}" if place.name.startswith("seq-") else place.name


def _info(folder: Path) -> Path:
    return next((one for one in (folder / "_info.txt", folder / "info.txt") if one.is_file()), folder / "_info.txt")


_SEGMENTS, _MESH = "semseg.v2.json", "labels.instances.annotated.v2.ply"


@dataclass(frozen=True)
class ThreeRScan:
    """3RScan: rooms scanned several times, with the objects of each."""

    name: str = "3rscan"
    title: str = "3RScan"

    def find(self, root: Path) -> list[SceneSource]:
        """The folders with semseg.v2.json."""
        places = _folders(root, _SEGMENTS, 1)
        if not places:
            raise InputError(root, f"holds no {_SEGMENTS}")
        return [SceneSource(f"{self.name}/{place.resolve().name}", place, all_files(place)) for place in places]

    def read(self, source: SceneSource) -> RawScene:
        """Read a scan: its objects, its mesh, and its frames where sequence.zip is unpacked."""
        folder, notes = source.path, []
        groups = read_groups(folder / _SEGMENTS)
        boxes = {group.number: oriented_box(group.record.get("obb")) for group in groups}
        for number, box in boxes.items():
            if isinstance(box, str) and not (folder / _MESH).is_file():
                raise InputError(folder / _SEGMENTS, f"the box of object {number} can't be used: {box}")
        instances = tuple(
            Instance(
                str(one.number),
                one.label,
                None if isinstance(box := boxes[one.number], str) else box,
                number=one.number,
            )
            for one in groups
        )
        surface = None
        if (folder / _MESH).is_file():
            mesh = read_ply(folder / _MESH)
            own = mesh.of_vertices("objectId").astype(np.int64)
            surface = ScannedSurface(mesh.points, mesh.faces, majority(own, mesh.faces), own)
        recordings: tuple[CameraRecording, ...] = ()
        if (place := folder / "sequence").is_dir():
            recordings = _of_sequence(place)
        else:
            notes.append("its frames aren't read: unpack sequence.zip to sequence/")
        return RawScene(instances, surface, recordings, notes=tuple(notes))


def _of_sequence(place: Path) -> tuple[CameraRecording, ...]:
    path = contained(place, _info(place))
    said = dict(_fields(path))
    size, small = (_size(path, said, kind) for kind in ("color", "depth"))
    fx, fy, cx, cy = _camera(path, said, "Color")
    across, down = size[0] / small[0], size[1] / small[1]
    depth = np.array(_camera(path, said, "Depth")) * (across, down, across, down)
    shots = _shots(place, Lens((fx, fy, cx, cy)), size)
    return _recordings(shots, WorldFrame(UP_TURNS["z"], 1.0, True), _RATE, depth)


def _fields(path: Path) -> Iterator[tuple[str, str]]:
    for line in read_text(path).splitlines():
        name, mark, value = line.partition("=")
        if mark:
            yield name.strip(), value.strip()


def _size(path: Path, said: Mapping[str, str], kind: str) -> tuple[int, int]:
    words = [said.get(f"m_{kind}{side}", "") for side in ("Width", "Height")]
    if not all(word.isdecimal() and int(word) for word in words):
        raise InputError(path, "takes a width and a height", field=f"m_{kind}Width")
    return int(words[0]), int(words[1])


def _camera(path: Path, said: Mapping[str, str], kind: str) -> tuple[float, float, float, float]:
    field = f"m_calibration{kind}Intrinsic"
    values = numbers_of(path, said.get(field, "").split())
    if len(values) != 16:
        raise InputError(path, "takes a matrix of 4×4 numbers", field=field)
    matrix = values.reshape(4, 4)
    return float(matrix[0, 0]), float(matrix[1, 1]), float(matrix[0, 2]), float(matrix[1, 2])


FORMATS = {"7-scenes": SevenScenes(), "3rscan": ThreeRScan()}
