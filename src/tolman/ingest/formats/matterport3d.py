"""Matterport3D: houses photographed from tripods, annotated on their mesh (niessner/Matterport, data_organization.md).

```
HOUSE/house_segmentations/HOUSE.{house,ply,fsegs.json}      rooms, boxes, and the mesh's segments, one for each face
HOUSE/region_segmentations/regionN.{ply,fsegs.json,semseg.json}
HOUSE/undistorted_camera_parameters/HOUSE.conf, undistorted_color_images/     or
HOUSE/matterport_camera_poses/, matterport_camera_intrinsics/, matterport_color_images/
```

A scene is one room (a region). There is no video: the pictures taken in the room are shown place by place, one a
second.

A .house file holds levels, regions, panoramas, images, objects and segments of a house. It consists of lines of fields
separated by spaces, each beginning with a letter (niessner/Matterport, data_organization.md and
code/gaps/apps/mpview/mp.cpp). Numbers have six digits there, so axes miss being orthogonal by 1e-6. In names a space is
written as '#'. Portals begin with P as panoramas do, and in later files with R as regions do; they differ in length.

Cameras have two descriptions. `undistorted_camera_parameters/HOUSE.conf` describes the pictures of
`undistorted_color_images`: cameras that look along −z with y up, pixels counted from the lower left.
`matterport_camera_poses` and `matterport_camera_intrinsics` describe those of `matterport_color_images`: x right, y
down, looking along z, with the lens's distortion, which is taken out here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens
from tolman.ingest.readers import Ply, in_order, numbers_of, read_ply, read_text
from tolman.ingest.scan_format import CameraRecording, Instance, Picture, RawScene, ScannedSurface, SceneSource
from tolman.ingest.standard_video import pictures_of, size_of
from tolman.ingest.surfaces import check_known, orient, read_groups, read_segments
from tolman.scenes import OrientedBox

_LENGTHS = {"L": 18, "R": 20, "S": 22, "V": 13, "P": 13, "I": 41, "C": 11, "O": 24, "E": 19}
"""Fields of a line, its letter counted."""
_PORTAL = 15
_HEADER = 29
_COUNTS = {"I": 3, "P": 4, "V": 5, "S": 6, "E": 7, "O": 8, "C": 9, "R": 10}
"""Places in the header of the number of lines of each letter."""
REGIONS = {
    "a": "bathroom", "b": "bedroom", "c": "closet", "d": "dining room", "e": "entryway", "f": "family room",
    "g": "garage", "h": "hallway", "i": "library", "j": "laundry room", "k": "kitchen", "l": "living room",
    "m": "meeting room", "n": "lounge", "o": "office", "p": "porch", "r": "recreation room", "s": "stairs",
    "t": "toilet", "u": "utility room", "v": "television room", "w": "gym", "x": "outdoor area", "y": "balcony",
    "z": "other room", "B": "bar", "C": "classroom", "D": "dining booth", "S": "spa", "Z": "junk", "-": "no label",
}  # fmt: skip
"""Meanings of the letters of regions."""
OUTDOORS = frozenset({"p", "x", "y"})
JUNK = "Z"


@dataclass(frozen=True)
class HouseRegion:
    """A room.

    Attributes:
        code: its letter in `REGIONS`.
        bounds: least and greatest coordinates in metres, shape (2, 3).
        outline: the corners of its floor, one ring for each of its surfaces, shapes (n, 3).
    """

    code: str
    bounds: Floats
    outline: tuple[Floats, ...]


@dataclass(frozen=True)
class HouseObject:
    """An annotated object: its number, the number of its region (-1 for none), its name, and its box if it has one."""

    number: int
    region: int
    label: str
    box: OrientedBox | None


@dataclass(frozen=True)
class House:
    """A house.

    Attributes:
        regions, objects: in the order of their numbers.
        panoramas: the region of each tripod's place by its name, -1 for none, in the order of the file.
        segments: the object of each segment of the mesh by the segment's id, -1 for none.
    """

    path: Path
    regions: tuple[HouseRegion, ...]
    objects: tuple[HouseObject, ...]
    panoramas: dict[str, int]
    segments: dict[int, int]


def region_codes(path: Path) -> list[str]:
    """The letters of a house's regions in their order; none where its file can't be read so far."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = (line.split() for line in file if line.startswith("R"))
            return [words[5] for words in lines if len(words) == _LENGTHS["R"]]
    except OSError:
        return []


def read_house(path: Path) -> House:
    """Read a house.

    Raises:
        InputError: it is cut off, or a line of it is wrong.
    """
    lines = list(_lines(path))
    if not lines or lines[0][1][0] != "H" or len(lines[0][1]) != _HEADER:
        raise InputError(path, f"has no header 'H' of {_HEADER} fields", fix="get it again")
    of: dict[str, list[tuple[int, list[str]]]] = {letter: [] for letter in _LENGTHS}
    for row, words in lines[1:]:
        if words[0] not in _LENGTHS:
            raise InputError(path, f"has a line of an unknown kind '{words[0][:20]}'", row=row)
        if words[0] in "PR" and len(words) == _PORTAL:
            continue
        if len(words) != _LENGTHS[words[0]]:
            wanted = _LENGTHS[words[0]]
            raise InputError(
                path, f"a line {words[0]} has {len(words)} fields, not {wanted}", row=row, fix="get it again"
            )
        of[words[0]].append((row, words))
    for letter, place in _COUNTS.items():
        promised = lines[0][1][place]
        if not promised.isdigit() or int(promised) != len(of[letter]):
            raise InputError(
                path, f"has {len(of[letter])} lines {letter}, and its header says {promised[:20]}", fix="get it again"
            )
    read = _Reader(path, {letter: len(found) for letter, found in of.items()})
    names = [read.name(words[5], words[3]) for _, words in of["C"]]
    segments = {read.whole(row, words[3]): read.index(row, words[2], "O") for row, words in of["E"]}
    with_faces = set(segments.values())
    objects = (
        read.object(row, words, position, names, boxed=position in with_faces)
        for position, (row, words) in enumerate(of["O"])
    )
    return House(
        path,
        read.regions(of["R"], of["S"], of["V"]),
        tuple(objects),
        {words[1]: read.index(row, words[3], "R") for row, words in of["P"]},
        segments,
    )


@dataclass(frozen=True)
class _Reader:
    path: Path
    counts: dict[str, int]

    def whole(self, row: int, word: str) -> int:
        if not word.lstrip("-").isdigit() or len(word) > 12:
            raise InputError(self.path, f"'{word[:20]}' is no whole number", row=row)
        return int(word)

    def index(self, row: int, word: str, letter: str) -> int:
        """A reference to a line of some letter, -1 for none."""
        number = self.whole(row, word)
        if not -1 <= number < self.counts[letter]:
            raise InputError(self.path, f"names {letter} {number}, and there are {self.counts[letter]}", row=row)
        return number

    def name(self, group: str, own: str) -> str:
        """A category's name: that of its group among 40, or its own where the group is none of things alike."""
        return (own if group in _MIXED or group == "-" else group).replace("#", " ").replace("_", " ").strip()

    def regions(
        self,
        rows: list[tuple[int, list[str]]],
        surfaces: list[tuple[int, list[str]]],
        corners: list[tuple[int, list[str]]],
    ) -> tuple[HouseRegion, ...]:
        rings: dict[int, list[Floats]] = {}
        for row, words in corners:
            rings.setdefault(self.index(row, words[2], "S"), []).append(numbers_of(self.path, words[4:7], row))
        outlines: dict[int, list[Floats]] = {}
        for row, words in surfaces:
            ring = rings.get(self.whole(row, words[1]), [])
            if len(ring) >= 3:
                outlines.setdefault(self.index(row, words[2], "R"), []).append(np.stack(ring))
        found = []
        for row, words in rows:
            number = self.whole(row, words[1])
            bounds = numbers_of(self.path, words[9:15], row).reshape(2, 3)
            found.append(HouseRegion(words[5], bounds, tuple(outlines.get(number, ()))))
        return tuple(found)

    def object(self, row: int, words: list[str], position: int, names: list[str], *, boxed: bool) -> HouseObject:
        number, region = self.whole(row, words[1]), self.index(row, words[2], "R")
        category = self.index(row, words[3], "C")
        if number != position:
            raise InputError(self.path, f"object {number} stands where {position} should", row=row)
        box = None
        # An object without a single segment has an empty box, whose numbers mean nothing.
        if boxed:
            center, first, second, radii = numbers_of(self.path, words[4:16], row).reshape(4, 3)
            axes = np.stack([first, second, np.cross(first, second)])
            box = orient(self.path, center, axes, 2 * radii, row=row)
        return HouseObject(number, region, names[category] if category >= 0 else "unlabeled", box)


_MIXED = frozenset({"appliances", "furniture", "lighting", "misc", "objects", "seating", "gym_equipment"})
"""Groups of mpcat40 that hold unlike things."""


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    text = read_text(path)
    rows = text.splitlines()
    if not rows or not rows[0].startswith("ASCII"):
        raise InputError(path, "doesn't begin with 'ASCII' and a version", fix="get it again")
    for row, line in enumerate(rows[1:], start=2):
        words = line.split()
        if words:
            yield row, words


_PICTURE = re.compile(r"(?P<panorama>[^/\\]+)_[ij](?P<camera>\d)_(?P<yaw>\d)\.(?:jpg|png)")
_FLIP = np.diag([1.0, -1.0, -1.0, 1.0])
_RIGID = 1e-3


@dataclass(frozen=True)
class MatterportShot:
    """One picture.

    Attributes:
        panorama, camera, yaw: which tripod's place, which of its cameras, which of its six directions.
        pose: camera → house, looking along +z with y down, shape (4, 4).
        intrinsics: fx, fy, cx, cy from the upper left, shape (4,).
        distortion: k1, k2, p1, p2, k3 as OpenCV has them, shape (5,).
    """

    path: Path
    panorama: str
    camera: int
    yaw: int
    pose: Floats
    intrinsics: Floats
    distortion: Floats


def read_shots(house: Path, places: Sequence[str]) -> list[MatterportShot]:
    """The pictures of some tripod places, place by place, camera by camera, around.

    Args:
        house: its folder.
        places: their names, in the order in which they are shown.

    Raises:
        InputError: a file is missing, cut off or wrong.
    """
    order = {name: i for i, name in enumerate(places)}
    wanted = set(places)
    parameters = house / "undistorted_camera_parameters" / f"{house.name}.conf"
    if (house / "undistorted_color_images").is_dir() and parameters.is_file():
        found = list(_undistorted(house, parameters, wanted))
    elif (house / "matterport_color_images").is_dir():
        found = list(_distorted(house, wanted))
    else:
        found = []
    return sorted(found, key=lambda shot: (order[shot.panorama], shot.camera, shot.yaw))


def straight(shots: Sequence[MatterportShot], size: tuple[int, int]) -> Callable[[Sequence[int]], Iterator[Picture]]:
    """Reader of pictures with their distortion taken out."""
    raw = pictures_of([shot.path for shot in shots], size)

    def read(numbers: Sequence[int]) -> Iterator[Picture]:
        for number in numbers:
            (picture,) = raw([number])
            shot = shots[number]
            yield picture if not shot.distortion.any() else _straightened(picture, shot.intrinsics, shot.distortion)

    return read


def distort(points: Floats, intrinsics: Floats, distortion: Floats) -> Floats:
    """Pixels in the distorted picture for those of the undistorted one (OpenCV's model, as data_organization.md
    names it).

    Args:
        points: pixels, shape (…, 2).
        intrinsics: fx, fy, cx, cy.
        distortion: k1, k2, p1, p2, k3.
    """
    fx, fy, cx, cy = map(float, intrinsics)
    k1, k2, p1, p2, k3 = map(float, distortion)
    lens = Lens((fx, fy, cx, cy), radial=(k1, k2, k3), tangential=(p1, p2))
    return lens.distorted((points - (cx, cy)) / (fx, fy))


def _straightened(picture: Picture, intrinsics: Floats, distortion: Floats) -> Picture:
    height, width = picture.shape[:2]
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    places = distort(np.stack([columns, rows], axis=-1), intrinsics, distortion) - 0.5
    channels = [
        map_coordinates(picture[..., i], [places[..., 1], places[..., 0]], order=1, mode="constant") for i in range(3)
    ]
    return np.asarray(np.stack(channels, axis=-1))


def _undistorted(house: Path, path: Path, wanted: set[str]) -> Iterator[MatterportShot]:
    intrinsics: Floats | None = None
    pictures: Path = house / "undistorted_color_images"
    promised, seen = None, 0
    sizes: dict[str, int] = {}
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        words = line.split()
        if words[:1] == ["n_images"]:
            promised = int(words[1]) if len(words) == 2 and words[1].isdigit() else -1
        elif words[:1] == ["intrinsics_matrix"]:
            values = numbers_of(path, words[1:], row)
            if len(values) != 9 or min(values[0], values[4]) <= 0:
                raise InputError(path, "intrinsics_matrix takes nine numbers", row=row)
            intrinsics = values[[0, 4, 2, 5]]
        elif words[:1] == ["scan"]:
            seen += 1
            name = _PICTURE.fullmatch(words[2]) if len(words) > 2 else None
            if len(words) != 19 or name is None:
                raise InputError(path, "a scan takes two pictures' names and 16 numbers", row=row, fix="get it again")
            if intrinsics is None:
                raise InputError(path, "a scan comes before the first intrinsics_matrix", row=row)
            if name["panorama"] not in wanted:
                continue
            pose = _rigid(path, numbers_of(path, words[3:], row).reshape(4, 4), row) @ _FLIP
            file = pictures / words[2]
            if name["panorama"] + name["camera"] not in sizes:
                sizes[name["panorama"] + name["camera"]] = size_of(file)[1]
            fx, fy, cx, cy = intrinsics
            own = np.array([fx, fy, cx, sizes[name["panorama"] + name["camera"]] - cy])
            yield MatterportShot(file, name["panorama"], int(name["camera"]), int(name["yaw"]), pose, own, np.zeros(5))
    if promised != seen:
        raise InputError(path, f"holds {seen} scans, and n_images says {promised}", fix="get it again")


def _distorted(house: Path, wanted: set[str]) -> Iterator[MatterportShot]:
    cameras: dict[Path, Floats] = {}
    for file in sorted((house / "matterport_color_images").iterdir()):
        name = _PICTURE.fullmatch(file.name)
        if name is None or name["panorama"] not in wanted:
            continue
        lens = house / "matterport_camera_intrinsics" / f"{name['panorama']}_intrinsics_{name['camera']}.txt"
        if lens not in cameras:
            values = numbers_of(lens, read_text(lens).split())
            if len(values) != 11 or values[:4].min() <= 0:
                raise InputError(lens, "takes width, height, fx, fy, cx, cy, k1, k2, p1, p2 and k3", fix="get it again")
            if tuple(values[:2].astype(int)) != size_of(file):
                raise InputError(lens, f"is for {values[0]:.0f}×{values[1]:.0f} pixels, and {file.name} has others")
            cameras[lens] = values[2:]
        path = house / "matterport_camera_poses" / f"{name['panorama']}_pose_{name['camera']}_{name['yaw']}.txt"
        numbers = numbers_of(path, read_text(path).split())
        if len(numbers) != 16:
            raise InputError(path, f"has {len(numbers)} numbers, not 16", fix="get it again")
        values = cameras[lens]
        pose = _rigid(path, numbers.reshape(4, 4), None)
        yield MatterportShot(
            file, name["panorama"], int(name["camera"]), int(name["yaw"]), pose, values[:4], values[4:]
        )


def _rigid(path: Path, pose: Floats, row: int | None) -> Floats:
    turn = pose[:3, :3]
    if np.abs(turn @ turn.T - np.eye(3)).max() > _RIGID or np.abs(pose[3] - [0, 0, 0, 1]).max() > _RIGID:
        raise InputError(path, "a pose is no turn and shift", row=row, fix="get it again")
    if np.linalg.det(turn) < 0:
        raise InputError(path, "a pose mirrors: its axes are left-handed", row=row)
    return pose


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
