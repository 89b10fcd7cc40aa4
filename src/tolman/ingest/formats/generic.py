"""Scenes of one's own: a folder with a scene.json beside its video or frames, and its mesh (docs/ingest/generic.md).

What the file declares is converted here: its unit to metres, its up to z, its cameras to x right, y down, looking
along z, and its poses to camera → scene.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.base import CameraRecording, Instance, Picture, RawScene, ScannedSurface, SceneSource
from tolman.ingest.conventions import UP_TURNS
from tolman.ingest.readers.annotated import faces_in, orient, vector
from tolman.ingest.readers.documents import numbers_of, read_text
from tolman.ingest.readers.generic_schema import NAME, UNITS, CameraEntry, ObjectEntry, SceneFile, read_scene_file
from tolman.ingest.readers.numbers import in_order
from tolman.ingest.readers.pictures import decoded_mask
from tolman.ingest.readers.ply import read_ply
from tolman.ingest.readers.stills import IMAGES, masks_of, pictures_of, size_of
from tolman.ingest.readers.videos import VideoFile
from tolman.ingest.surfaces import majority
from tolman.scenes import TrackPoint

_RATE = 30.0
_LONGER = 640
_RIGID = 0.02


@dataclass(frozen=True)
class Generic:
    """The format."""

    name: str = "generic"
    title: str = "A folder with scene.json"

    def find(self, root: Path) -> list[SceneSource]:
        """The folders with a scene.json: the given one, or those below it."""
        if not root.is_dir():
            raise InputError(root, "is no folder")
        places = [root] if (root / NAME).is_file() else in_order(path.parent for path in root.rglob(NAME))
        if not places:
            raise InputError(root, f"holds no {NAME}", fix="docs/ingest/generic.md describes it")
        found = []
        for place in sorted(places):
            name = place.resolve().name if place == root else "_".join(place.relative_to(root).parts)
            files = tuple(path for path in in_order(place.rglob("*")) if path.is_file() and not _hidden(path, place))
            found.append(SceneSource(f"{self.name}/{name}", place, files))
        return found

    def read(self, source: SceneSource) -> RawScene:
        """Read a folder."""
        path = source.path / NAME
        content = read_scene_file(path)
        frame = _Frame(path, content)
        instances = tuple(frame.instance(i, one) for i, one in enumerate(content.objects))
        return RawScene(
            instances=instances,
            surface=frame.surface(instances),
            recordings=tuple(frame.recording(i, one) for i, one in enumerate(content.cameras)),
            room_area=None if content.room_area is None else content.room_area * frame.scale**2,
            room_center=None if content.room_center is None else vector(frame.points(np.array(content.room_center))),
            outdoors=content.outdoors,
            up=content.up,
        )


FORMAT = Generic()


def _hidden(path: Path, place: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(place).parts)


@dataclass(frozen=True)
class _Frame:
    """The frame that a file gives its numbers in."""

    path: Path
    content: SceneFile

    @property
    def scale(self) -> float:
        """Metres of one of its units."""
        return UNITS[self.content.unit]

    @property
    def turn(self) -> Floats:
        return UP_TURNS[self.content.up]

    def points(self, values: Floats) -> Floats:
        """Points in metres from the file's origin, z up, shape (…, 3)."""
        return np.asarray((values - self.content.origin) * self.scale @ self.turn.T)

    def instance(self, index: int, one: ObjectEntry) -> Instance:
        row = f"objects.{index}"
        box = None
        if one.box is not None:
            axes = np.array(one.box.axes) @ self.turn.T
            extents = np.array(one.box.extents) * self.scale
            box = orient(self.path, self.points(np.array(one.box.center)), axes, extents, row=row)
        track = []
        for point in one.track:
            assert one.box is not None
            axes = np.array(point.axes) @ self.turn.T
            at = orient(
                self.path, self.points(np.array(point.center)), axes, np.array(one.box.extents) * self.scale, row=row
            )
            track.append(TrackPoint(seconds=point.seconds, center=at.center, axes=at.axes))
        if any(b.seconds <= a.seconds for a, b in itertools.pairwise(track)):
            raise InputError(self.path, "the times of its track don't rise", row=row, field="track")
        # What the mesh doesn't name gets a number of its own, which no mask has.
        labelled = self.content.mesh is not None and self.content.mesh.labels is not None
        number = one.number or (0 if labelled else max(other.number for other in self.content.objects) + 1 + index)
        return Instance(one.id, one.label, box, tuple(track), number)

    def surface(self, instances: tuple[Instance, ...]) -> ScannedSurface | None:
        entry = self.content.mesh
        strange = next((one for one in instances if one.box is None), None)
        if strange is not None and (entry is None or entry.labels is None):
            raise InputError(
                self.path, f"'{strange.id}' has no box, and no mesh with labels has it", fix="say 'labels' of the mesh"
            )
        if entry is None:
            return None
        mesh = read_ply(self.path.parent / entry.file)
        points = self.points(mesh.points)
        if entry.labels is None:
            boxes = [(one.number, one.box) for one in instances if one.box is not None]
            return ScannedSurface(points, mesh.faces, faces_in(points, mesh.faces, boxes))
        by_face = len(mesh.faces) > 0 and entry.labels in mesh.face
        found = mesh.of_faces(entry.labels) if by_face else mesh.of_vertices(entry.labels)
        if found.dtype.kind not in "iu":
            raise InputError(mesh.path, f"its property '{entry.labels}' holds no whole numbers")
        own = found.astype(np.int64)
        if by_face:
            return ScannedSurface(points, mesh.faces, own)
        if not len(mesh.faces):
            return ScannedSurface(points, mesh.faces, own)
        return ScannedSurface(points, mesh.faces, majority(own, mesh.faces), own)

    def recording(self, index: int, camera: CameraEntry) -> CameraRecording:
        folder, row = self.path.parent, f"cameras.{index}"
        media = None
        if camera.video is not None:
            media = folder / camera.video
            file = VideoFile(media)
            count, times, size = file.count, file.times, file.size
            pictures: Callable[[Sequence[int]], Iterator[Picture]] = file.pictures
        else:
            assert camera.frames is not None
            paths = in_order(p for p in _listed(folder / camera.frames) if p.suffix.lower() in IMAGES)
            if not paths:
                raise InputError(folder / camera.frames, f"holds none of {', '.join(sorted(IMAGES))}")
            count = len(paths)
            times = np.array(camera.times) if camera.times is not None else np.arange(count) / (camera.rate or 1.0)
            size = size_of(paths[0])
            pictures = pictures_of(paths, size)
        if len(times) != count or (np.diff(times) < 0).any():
            raise InputError(self.path, f"takes {count:,} rising times, one for each frame", row=row, field="times")
        poses = self.poses(row, camera, count)
        intrinsics = np.array(camera.intrinsics or (), dtype=np.float64).reshape(-1, 4)
        if len(intrinsics) not in (0, 1, count):
            raise InputError(self.path, f"takes 4 numbers, or {count:,} rows of them", row=row, field="intrinsics")
        masks = None
        if camera.masks is not None:
            files = in_order(p for p in _listed(folder / camera.masks) if p.suffix.lower() == ".png")
            if len(files) != count:
                raise InputError(folder / camera.masks, f"holds {len(files):,} .png for {count:,} frames")
            masks = masks_of(list(files))
        depths = None if camera.depth is None else _depths(folder / camera.depth, camera.depth_scale, count)
        return CameraRecording(
            camera.name, times, poses, intrinsics, size, pictures, masks, camera.turns,
            None if camera.as_it_is else camera.standard or _standard(size, camera.turns),
            media if camera.as_it_is else None, camera.offset, depths=depths, axes=camera.axes,
            direction=camera.direction, anamorphic=camera.anamorphic,
        )  # fmt: skip

    def poses(self, row: str, camera: CameraEntry, count: int) -> Floats:
        """Camera → scene in metres, z up, as a CameraRecording has them."""
        if camera.poses is None:
            return np.empty((0, 4, 4))
        where, field = (self.path, f"{row}.poses")
        if isinstance(camera.poses, str):
            where, field = self.path.parent / camera.poses, ""
            lines = [line.split() for line in read_text(where).splitlines() if line.strip()]
            values = [
                None if words == ["lost"] else numbers_of(where, words, i) for i, words in enumerate(lines, start=1)
            ]
        else:
            values = [None if one is None else np.array(one) for one in camera.poses]
        if len(values) != count:
            raise InputError(where, f"has {len(values):,} poses for {count:,} frames", field=field or None)
        found = np.full((count, 4, 4), np.nan)
        for i, value in enumerate(values):
            if value is None:
                continue
            if len(value) not in (12, 16):
                raise InputError(where, f"has {len(value)} numbers, not 16 or 12", row=i + 1)
            pose = np.eye(4)
            pose[: len(value) // 4] = value.reshape(-1, 4)
            skew = np.abs(pose[:3, :3] @ pose[:3, :3].T - np.eye(3)).max()
            if skew > _RIGID or np.abs(pose[3] - [0, 0, 0, 1]).max() > _RIGID:
                raise InputError(where, f"pose {i + 1} {_not_rigid(pose)}", row=i + 1, field=field or None)
            found[i] = np.linalg.inv(pose) if camera.direction == "scene_to_camera" else pose
        if camera.axes == "opengl":
            found[:, :3, 1:3] *= -1
        found[:, :3, :3] = self.turn @ found[:, :3, :3]
        found[:, :3, 3] = self.points(found[:, :3, 3])
        return found


def _not_rigid(pose: Floats) -> str:
    """Find the reason why a pose is no turn and shift, as the rest of a sentence."""
    if np.abs(pose[3] - [0, 0, 0, 1]).max() > _RIGID:
        column = np.abs(pose[:3, 3]).max() < _RIGID and np.abs(pose[3, :3]).max() > _RIGID
        return "has another last row than 0 0 0 1" + (": it is written column by column" if column else "")
    lengths = np.linalg.norm(pose[:3, :3], axis=0)
    if np.ptp(lengths) < _RIGID * lengths.max() and lengths.max() > 0:
        return f"is no turn and shift: its axes are {lengths.mean():.4g} long, so it scales; divide them by that"
    return "is no turn and shift: its axes aren't at right angles"


def _depths(folder: Path, scale: float, count: int) -> Callable[[int], Floats | None]:
    """Depths in metres of a folder of pictures whose values are `scale` a metre."""
    files = in_order(p for p in _listed(folder) if p.suffix.lower() == ".png")
    if len(files) != count:
        raise InputError(folder, f"holds {len(files):,} .png for {count:,} frames")
    return lambda number: decoded_mask(files[number], files[number], "it") / scale


def _listed(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(folder, "is no folder")
    return [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]


def _standard(size: tuple[int, int], turns: int) -> tuple[int, int, float]:
    """640 pixels along the longer side, in the shape of the pictures: 640×480 for those of most cameras."""
    width, height = size if turns % 2 == 0 else size[::-1]
    scale = _LONGER / max(width, height)
    return 2 * round(width * scale / 2), 2 * max(1, round(height * scale / 2)), _RATE
