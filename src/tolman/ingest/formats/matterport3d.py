"""Matterport3D: houses photographed from tripods, annotated on their mesh (niessner/Matterport, data_organization.md).

```
HOUSE/house_segmentations/HOUSE.{house,ply,fsegs.json}      rooms, boxes, and the mesh's segments, one for each face
HOUSE/region_segmentations/regionN.{ply,fsegs.json,semseg.json}
HOUSE/undistorted_camera_parameters/HOUSE.conf, undistorted_color_images/     or
HOUSE/matterport_camera_poses/, matterport_camera_intrinsics/, matterport_color_images/
```

A scene is one room (a region). There is no video: the pictures taken in the room are shown place by place, one a
second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.readers.annotated_boxes import check_known, read_groups, read_segments
from tolman.ingest.readers.matterport3d_house import (
    JUNK,
    OUTDOORS,
    House,
    HouseRegion,
    read_house,
    read_shots,
    region_codes,
    straight,
)
from tolman.ingest.readers.picture_sources import size_of
from tolman.ingest.readers.ply import Ply, read_ply
from tolman.ingest.readers.text_records import in_order
from tolman.ingest.scan_format import CameraRecording, Instance, RawScene, ScannedSurface, SceneSource

WIDTH, RATE = 640, 1.0
"""Of the video that is written of a room's pictures: its width in pixels, and pictures a second."""
_MARGIN = 0.1
"""Metres around a room in which the mesh is taken for its own."""
_CAMERA_PARTS = (
    "undistorted_camera_parameters/{house}.conf",
    "undistorted_color_images",
    "matterport_camera_poses",
    "matterport_camera_intrinsics",
    "matterport_color_images",
)


@dataclass(frozen=True)
class Matterport3D:
    """The format."""

    name: str = "matterport3d"
    title: str = "Matterport3D"

    def find(self, root: Path) -> list[SceneSource]:
        """The rooms of the houses below a folder."""
        if not root.is_dir():
            raise InputError(root, "is no folder")
        root = root.resolve()  # names of folders count, and '.' has none
        found = [source for house in _houses(root) for source in self._rooms(house)]
        if not found:
            raise InputError(
                root,
                "holds no Matterport3D house: no folder HOUSE with house_segmentations or region_segmentations",
                fix="unpack the archives of download_mp.py where they are",
            )
        return found

    def _rooms(self, house: Path) -> Iterator[SceneSource]:
        segmentations = house / "house_segmentations"
        cameras = [house / part.format(house=house.name) for part in _CAMERA_PARTS]
        here = tuple(path for path in cameras if path.exists())
        index = segmentations / f"{house.name}.house"
        if index.is_file():
            parts = (index, *(segmentations / f"{house.name}{end}" for end in (".ply", ".fsegs.json")))
            files = (*(path for path in parts if path.exists()), *here)
            # Where no region can be read, what is wrong is said when the first room is read.
            for number, code in enumerate(region_codes(index) or ["-"]):
                if code != JUNK:
                    yield SceneSource(f"{self.name}/{house.name}_region{number}", house, files)
            return
        for mesh in in_order((house / "region_segmentations").glob("region*.ply")):
            parts = tuple(mesh.with_name(f"{mesh.stem}{end}") for end in (".ply", ".fsegs.json", ".semseg.json"))
            yield SceneSource(f"{self.name}/{house.name}_{mesh.stem}", house, (*parts, *here))

    def read(self, source: SceneSource) -> RawScene:
        """Read a room."""
        room = source.id.rpartition("_")[2]
        index = source.path / "house_segmentations" / f"{source.path.name}.house"
        if index not in source.files:
            return _of_region_files(source.path, room)
        house = _house(index, _state(index))
        number = int(room.removeprefix("region"))
        if number >= len(house.regions):
            raise InputError(index, f"has {len(house.regions)} regions, and no region {number}")
        region = house.regions[number]
        things = [thing for thing in house.objects if thing.region == number and thing.box is not None]
        mesh = index.with_suffix(".ply")
        places = [name for name, where in house.panoramas.items() if where == number]
        return RawScene(
            instances=tuple(Instance(f"{one.number}", one.label, one.box, number=one.number + 1) for one in things),
            surface=_surface(house, mesh, region, {one.number for one in things}) if mesh.is_file() else None,
            recordings=_recordings(source.path, places),
            room_area=_area(region) or None,
            outdoors=region.code in OUTDOORS,
        )


FORMAT = Matterport3D()


def _houses(root: Path) -> Iterator[Path]:
    """Folders of houses: the given one, or below it under scans/ as the download lays them, or at once."""
    level = [root]
    for _ in range(4):
        houses = [
            path
            for path in level
            if (path / "house_segmentations" / f"{path.name}.house").is_file()
            or any((path / "region_segmentations").glob("region*.ply"))
        ]
        yield from houses
        level = [p for path in level if path not in houses for p in in_order(path.iterdir()) if p.is_dir()]


def _state(*paths: Path) -> tuple[int, ...]:
    """Times and sizes of files, which are others after they have changed."""
    return tuple(n for path in paths if path.is_file() for n in (path.stat().st_mtime_ns, path.stat().st_size))


@lru_cache(maxsize=1)
def _house(path: Path, _: tuple[int, ...]) -> House:
    # The rooms of a house are read one after the other.
    return read_house(path)


@lru_cache(maxsize=1)
def _mesh(path: Path, _: tuple[int, ...]) -> tuple[Ply, NDArray[np.int64]]:
    """A house's mesh with the segment of each face."""
    mesh = read_ply(path)
    listed = path.with_suffix(".fsegs.json")
    if not listed.is_file():
        return mesh, mesh.of_faces("material_id" if "material_id" in mesh.face else "face_material").astype(np.int64)
    return mesh, _segments(listed, mesh)


def _segments(path: Path, mesh: Ply) -> NDArray[np.int64]:
    """The segment of each triangle out of a file with one for each face of the mesh's file."""
    return read_segments(path, int(mesh.rows.max(initial=-1)) + 1, "faces")[mesh.rows]


def _surface(house: House, path: Path, region: HouseRegion, own: set[int]) -> ScannedSurface:
    """Return the part of a house's mesh that is in a room or belongs to its objects."""
    mesh, segments = _mesh(path, _state(path, path.with_suffix(".fsegs.json")))
    ids, inverse = np.unique(segments, return_inverse=True)
    # Segments that the house doesn't list are none of an object's.
    objects = np.array([house.segments.get(one, -1) for one in ids.tolist()], dtype=np.int64)
    numbers = np.array([one + 1 if one in own else 0 for one in objects.tolist()], dtype=np.int64)[inverse]
    middles = mesh.points[mesh.faces].mean(1)
    inside = ((middles >= region.bounds[0] - _MARGIN) & (middles <= region.bounds[1] + _MARGIN)).all(1)
    kept = np.flatnonzero(inside | (numbers > 0))
    used, faces = np.unique(mesh.faces[kept], return_inverse=True)
    return ScannedSurface(mesh.points[used], faces.reshape(-1, 3), numbers[kept])


def _area(region: HouseRegion) -> float:
    """Square metres of a room's floor, as its outline was drawn."""
    total = 0.0
    for ring in region.outline:
        x, y = ring[:, 0], ring[:, 1]
        total += abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
    return total


def _recordings(
    house: Path, places: Sequence[str], within: tuple[Floats, Floats] | None = None
) -> tuple[CameraRecording, ...]:
    """The pictures taken in a room as a recording."""
    shots = read_shots(house, places)
    if within is not None:
        shots = [shot for shot in shots if ((within[0] <= shot.pose[:3, 3]) & (shot.pose[:3, 3] <= within[1])).all()]
    if not shots:
        return ()
    size = size_of(shots[0].path)
    height = 2 * round(WIDTH * size[1] / size[0] / 2)
    poses, intrinsics = np.stack([shot.pose for shot in shots]), np.stack([shot.intrinsics for shot in shots])
    times = np.arange(len(shots)) / RATE
    return (
        CameraRecording(
            "panorama", times, poses, intrinsics, size, straight(shots, size), standard=(WIDTH, height, RATE)
        ),
    )


def _of_region_files(house: Path, room: str) -> RawScene:
    """A room out of its own mesh, where the house's index wasn't downloaded: boxes follow from the mesh, and its
    pictures are those taken inside the mesh's bounds."""
    path = house / "region_segmentations" / f"{room}.ply"
    mesh = read_ply(path)
    segments = _segments(path.with_suffix(".fsegs.json"), mesh)
    listed = path.with_suffix(".semseg.json")
    groups = read_groups(listed)
    check_known(listed, groups, segments, path)
    owner = {int(one): number for number, group in enumerate(groups, start=1) for one in group.segments}
    instances = [Instance(f"{group.number}", group.label, None, number=i) for i, group in enumerate(groups, start=1)]
    ids, inverse = np.unique(segments, return_inverse=True)
    numbers = np.array([owner.get(one, 0) for one in ids.tolist()], dtype=np.int64)[inverse]
    seen = set(np.unique(numbers).tolist())
    return RawScene(
        instances=tuple(one for one in instances if one.number in seen),
        surface=ScannedSurface(mesh.points, mesh.faces, numbers),
        recordings=_recordings(house, _all_places(house), (mesh.points.min(0), mesh.points.max(0))),
    )


def _all_places(house: Path) -> list[str]:
    folders = (house / "undistorted_color_images", house / "matterport_color_images")
    names = {path.name.split("_")[0] for folder in folders if folder.is_dir() for path in folder.iterdir()}
    return sorted(names)
