"""Houses of Matterport3D: their .house files, and the cameras of their 18 pictures from each place of the tripod.

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
from pathlib import Path

import numpy as np
from scipy.ndimage import map_coordinates

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens
from tolman.ingest.readers.annotated_boxes import orient
from tolman.ingest.readers.picture_sources import pictures_of, size_of
from tolman.ingest.readers.text_records import numbers_of, read_text
from tolman.ingest.scan_format import Picture
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
