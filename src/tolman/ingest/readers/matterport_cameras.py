"""The cameras of Matterport3D: 18 pictures from each place of the tripod, by two descriptions.

`undistorted_camera_parameters/HOUSE.conf` describes the pictures of `undistorted_color_images`: cameras that look
along −z with y up, pixels counted from the lower left. `matterport_camera_poses` and `matterport_camera_intrinsics`
describe those of `matterport_color_images`: x right, y down, looking along z, with the lens's distortion, which is
taken out here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.base import Picture
from tolman.ingest.readers.documents import numbers_of, read_text
from tolman.ingest.readers.stills import pictures_of, size_of

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
    fx, fy, cx, cy = intrinsics
    k1, k2, p1, p2, k3 = distortion
    x, y = (points[..., 0] - cx) / fx, (points[..., 1] - cy) / fy
    square = x * x + y * y
    radial = 1 + square * (k1 + square * (k2 + square * k3))
    own_x = radial * x + p2 * (square + 2 * x * x) + 2 * p1 * x * y
    own_y = radial * y + p1 * (square + 2 * y * y) + 2 * p2 * x * y
    return np.stack([own_x * fx + cx, own_y * fy + cy], axis=-1)


def _straightened(picture: Picture, intrinsics: Floats, distortion: Floats) -> Picture:
    from scipy.ndimage import map_coordinates

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
                raise InputError(path, "a scan stands before the first intrinsics_matrix", row=row)
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
