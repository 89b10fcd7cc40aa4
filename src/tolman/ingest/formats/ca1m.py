"""CA-1M (Cubify Anything): a tar for each capture, with pictures, poses in the laser scanner's frame, depth and boxes.

Members are `VIDEO/TIME.wide/image.png`, `….wide/image/K.json`, `….gt/RT.json` and `….gt/depth.png` for each frame, and
`VIDEO/world.gt/instances.json` for all. RT is camera → world (4×4 by rows) with the camera looking along +z and y down;
a box has its centre, full lengths, and its axes in the columns of R. Source: apple/ml-cubifyanything, README.md,
cubifyanything/dataset.py, boxes.py and tools/demo.py. That the laser scanner's z is up is nowhere written; the cameras
are held to it.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens
from tolman.ingest.formats.posed_pictures import recording_of
from tolman.ingest.readers import in_order, list_of, pose_of
from tolman.ingest.scan_format import CameraRecording, Instance, Picture, RawScene, SceneSource
from tolman.ingest.standard_video import decode, decoded_mask
from tolman.ingest.surfaces import orient

_NAME = "ca1m-*.tar"
_FRAME = re.compile(r"[^/]+/(\d+)\.(wide/image\.png|wide/image/k\.json|gt/rt\.json|gt/depth\.png)")
_WORLD = re.compile(r"[^/]+/world\.gt/instances\.json")
_MOST = 1 << 28
"""Bytes of a member, at most."""
_LEAST = ("wide/image.png", "wide/image/k.json", "gt/rt.json")


@dataclass
class _Capture:
    """The members of a tar; names are compared in lower case, as the official reader does.

    Attributes:
        frames: time in nanoseconds → name within the frame → member.
        world: the member with all boxes; None without.
    """

    path: Path
    frames: dict[int, dict[str, tarfile.TarInfo]] = field(default_factory=dict)
    world: tarfile.TarInfo | None = None

    @classmethod
    def of(cls, path: Path) -> _Capture:
        """Index a tar.

        Raises:
            InputError: it can't be read.
        """
        found = cls(path)
        try:
            with tarfile.open(path, "r:") as archive:
                for member in archive:
                    name = member.name.lower()
                    if _WORLD.fullmatch(name):
                        found.world = member
                    elif match := _FRAME.fullmatch(name):
                        found.frames.setdefault(int(match[1]), {})[match[2]] = member
        except (tarfile.TarError, OSError, EOFError, ValueError) as error:
            raise InputError(path, f"is no readable tar ({error})", fix="download it again") from None
        return found

    def read(self, member: tarfile.TarInfo) -> bytes:
        """The content of a member: bytes of the tar, from its place on."""
        if not member.isreg() or member.size > _MOST:
            raise InputError(self.path, f"{member.name} is no file of a frame")
        with self.path.open("rb") as file:
            file.seek(member.offset_data)
            data = file.read(member.size)
        if len(data) < member.size:
            raise InputError(self.path, f"is cut off in {member.name}", fix="download it again")
        return data

    def json(self, member: tarfile.TarInfo) -> Any:
        """The content of a JSON member."""
        try:
            return json.loads(self.read(member))
        except (ValueError, RecursionError) as error:
            raise InputError(self.path, f"{member.name} is no JSON ({error})", fix="download it again") from None


@dataclass(frozen=True)
class Ca1m:
    """The format."""

    name: str = "ca1m"
    title: str = "CA-1M"

    def find(self, root: Path) -> list[SceneSource]:
        """The tars of a folder, or the one that is given."""
        files = [root] if root.is_file() and root.suffix == ".tar" else in_order(root.rglob(_NAME))
        if not files:
            raise InputError(root, f"holds no {_NAME}")
        return [SceneSource(f"{self.name}/{path.stem.removeprefix('ca1m-')}", path, (path,)) for path in files]

    def read(self, source: SceneSource) -> RawScene:
        """Read a capture: all boxes of its world, and its frames."""
        capture, notes = _Capture.of(source.path), []
        if capture.world is None:
            notes.append("it has no world.gt/instances.json, and so no boxes")
        whole = {time: parts for time, parts in capture.frames.items() if all(name in parts for name in _LEAST)}
        if len(whole) < len(capture.frames):
            notes.append(f"{counted(len(capture.frames) - len(whole), 'frame')} without picture, K or RT left out")
        recordings = (_recording(capture, dict(sorted(whole.items()))),) if whole else ()
        return RawScene(_instances(capture), recordings=recordings, notes=tuple(notes))


def _instances(capture: _Capture) -> tuple[Instance, ...]:
    if capture.world is None:
        return ()
    path, name = capture.path, capture.world.name
    listed, found = capture.json(capture.world), []
    for i, one in enumerate(listed if isinstance(listed, list) else ()):
        row = f"{name}, {i}"
        if not isinstance(one, dict) or not isinstance(one.get("category"), str):
            raise InputError(path, "has an instance without a category", row=row)
        center = list_of(path, one.get("position"), 3, None, f"{row}.position")
        extents = list_of(path, one.get("scale"), 3, None, f"{row}.scale")
        axes = list_of(path, np.ravel(one.get("R") or ()).tolist(), 9, None, f"{row}.R").reshape(3, 3).T
        found.append(Instance(str(one.get("id", i)), one["category"], orient(path, center, axes, extents, row=row)))
    return tuple(found)


def _recording(capture: _Capture, frames: dict[int, dict[str, tarfile.TarInfo]]) -> CameraRecording:
    """The recording of a capture, whose pictures and laser depths show the same."""
    parts, path = list(frames.values()), capture.path
    lenses, poses = [], []
    for one in parts:
        name = one["wide/image/k.json"].name
        k = list_of(path, np.ravel(capture.json(one["wide/image/k.json"])).tolist(), 9, None, name)
        lenses.append(Lens((float(k[0]), float(k[4]), float(k[2]), float(k[5]))))
        name = one["gt/rt.json"].name
        poses.append(pose_of(path, np.ravel(capture.json(one["gt/rt.json"])), row=name))
    first = parts[0]["wide/image.png"]
    height, width = decode(capture.read(first), path, first.name).shape[:2]

    def pictures(numbers: Sequence[int]) -> Iterator[Picture]:
        for number in numbers:
            member = parts[number]["wide/image.png"]
            yield decode(capture.read(member), path, member.name)

    def depths(number: int) -> Floats | None:
        member = parts[number].get("gt/depth.png")
        return None if member is None else decoded_mask(capture.read(member), path, member.name) / 1000

    times = (np.array(list(frames)) - next(iter(frames))) / 1e9
    return recording_of("camera", (width, height), times, np.array(poses), lenses, pictures, depths=depths)


FORMAT = Ca1m()
