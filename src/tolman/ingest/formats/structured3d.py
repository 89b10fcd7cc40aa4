"""Structured3D's houses: floors, doors and windows as planes, boxes of things, and rendered pictures of each room.

`annotation_3d.json` holds junctions, lines through them, and planes bounded by lines; a room, door or window is a list
of planes. `bbox_3d.json` holds boxes with half lengths, their axes in the rows of `basis`, and no label: that is the
commonest NYU40 label where `instance.png` shows the box's ID. Lengths are millimetres, z is up. A perspective picture
has a position, a view direction, up, and half the angles of view. A panorama is level; its middle column looks along
+y and x is to its right. (The description says −y, but the code that draws textures from panoramas looks along +y, and
so does Pointcept's reader.)

Sources: bertjiazheng/Structured3D, data_organization.md, misc/utils.py (`parse_camera_info`), misc/panorama.py
(`xyz_2_coorxy`), visualize_floorplan.py and metadata/labelids.txt; Pointcept/Pointcept, preprocess_structured3d.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens
from tolman.ingest.formats.posed_pictures import recording_of
from tolman.ingest.readers import all_files, in_order, list_of, natural, numbers_of, read_text, rigid
from tolman.ingest.scan_format import CameraRecording, Instance, Mask, Picture, RawScene, SceneSource
from tolman.ingest.standard_video import decode, decoded_mask, size_of
from tolman.ingest.surfaces import orient, read_json

_LAYOUT, _BOXES = "annotation_3d.json", "bbox_3d.json"
_MM = 1000.0
_OPENINGS = ("door", "window")
_OUTSIDE = ("balcony", "garden", "outwall", *_OPENINGS)
"""Types of the parts of a house whose floors are no rooms'."""
_BACKGROUND = 65535
_NYU40 = (
    "wall", "floor", "cabinet", "bed", "chair", "sofa", "table", "door", "window", "bookshelf", "picture", "counter",
    "blinds", "desk", "shelves", "curtain", "dresser", "pillow", "mirror", "floor mat", "clothes", "ceiling",
    "books", "refrigerator", "television", "paper", "towel", "shower curtain", "box", "whiteboard", "person",
    "nightstand", "toilet", "sink", "lamp", "bathtub", "bag", "otherstructure", "otherfurniture", "otherprop",
)  # fmt: skip
"""Labels 1 to 40."""


@dataclass(frozen=True)
class Structured3D:
    """The format."""

    name: str = "structured3d"
    title: str = "Structured3D houses"

    def find(self, root: Path) -> list[SceneSource]:
        """The folders with an annotation_3d.json, commonly scene_00000."""
        found = sorted(root.rglob(_LAYOUT), key=lambda path: natural(path.as_posix())) if root.is_dir() else []
        if not found:
            raise InputError(root, f"holds no {_LAYOUT}")
        places = [path.parent for path in found]
        return [SceneSource(f"{self.name}/{place.resolve().name}", place, all_files(place)) for place in places]

    def read(self, source: SceneSource) -> RawScene:
        """Read a house as one scene, whose area is that of its rooms' floors, balconies and gardens aside."""
        layout = _Layout.of(source.path / _LAYOUT)
        floors = [layout.floor(planes) for kind, planes in layout.parts if kind not in _OUTSIDE]
        ground: Any = shapely.union_all([floor for floor in floors if floor is not None])
        openings = [one for one in layout.openings() if one is not None]
        notes = [f"its {len(floors)} rooms are one scene"] if len(floors) > 1 else []
        shots = list(_shots(source.path))
        drawn = {one.label for one in openings}
        boxes, said = _boxes(source.path, shots, drawn)
        center = None
        if ground.area > 0:
            center = (float(ground.centroid.x), float(ground.centroid.y), float(layout.junctions[:, 2].max()) / 2)
        else:
            notes.append("its planes enclose no floor, so that its area isn't known")
        if not shots:
            notes.append("it has no pictures of its furnished rooms: those are in 2D_rendering/ROOM/…/full")
        return RawScene(
            (*openings, *boxes),
            recordings=tuple(_recordings(shots, {one.number for one in boxes})),
            room_area=float(ground.area) if ground.area > 0 else None,
            room_center=center,
            notes=(*notes, *said),
        )


@dataclass(frozen=True)
class _Layout:
    """Planes and lines of a house.

    Attributes:
        path: of the file.
        junctions: metres, shape (j, 3).
        pairs: the junctions of each line.
        lines: the lines of each plane.
        normals: of the planes, shape (p, 3).
        kinds: of the planes: 'floor', 'wall' or 'ceiling'.
        parts: the type of each room, door and window, and its planes.
    """

    path: Path
    junctions: Floats
    pairs: list[NDArray[np.int64]]
    lines: list[NDArray[np.int64]]
    normals: Floats
    kinds: list[str]
    parts: list[tuple[str, list[int]]]

    @classmethod
    def of(cls, path: Path) -> _Layout:
        """Read annotation_3d.json.

        Raises:
            InputError: it can't be used.
        """
        content = read_json(path)
        rows: dict[str, list[dict[str, Any]]] = {}
        for name in ("junctions", "lines", "planes", "semantics"):
            listed = content.get(name)
            if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
                raise InputError(path, "takes a list of objects", field=name)
            rows[name] = listed

        def points(name: str, part: str) -> Floats:
            found = [list_of(path, one.get(part), 3, None, f"{name}.{i}.{part}") for i, one in enumerate(rows[name])]
            return np.array(found).reshape(-1, 3)

        def incident(name: str, of: str, to: str) -> list[NDArray[np.int64]]:
            try:
                matrix = np.array(content.get(name), dtype=np.int64).reshape(len(rows[of]), len(rows[to]))
            except (TypeError, ValueError, OverflowError):
                what = f"takes a matrix of {len(rows[of])}×{len(rows[to])} numbers, {of} by {to}"
                raise InputError(path, what, field=name) from None
            return [np.flatnonzero(row) for row in matrix]

        parts = []
        for i, one in enumerate(rows["semantics"]):
            planes = one.get("planeID")
            if not isinstance(planes, list) or not all(
                isinstance(plane, int) and 0 <= plane < len(rows["planes"]) for plane in planes
            ):
                raise InputError(path, "takes a list of numbers of planes", field=f"semantics.{i}.planeID")
            parts.append((str(one.get("type")), planes))
        return cls(
            path,
            points("junctions", "coordinate") / _MM,
            incident("lineJunctionMatrix", "lines", "junctions"),
            incident("planeLineMatrix", "planes", "lines"),
            points("planes", "normal"),
            [str(one.get("type")) for one in rows["planes"]],
            parts,
        )

    def floor(self, planes: Sequence[int]) -> Any:
        """The outline that lines around the floors among some planes enclose; None where they don't close."""
        edges = [
            shapely.LineString(self.junctions[self.pairs[line], :2])
            for plane in planes
            if self.kinds[plane] == "floor"
            for line in self.lines[plane]
            if len(self.pairs[line]) == 2
        ]
        found = shapely.union_all(list(shapely.polygonize([shapely.union_all(edges)]).geoms)) if edges else None
        return None if found is None or found.is_empty else found

    def openings(self) -> Iterator[Instance | None]:
        """Doors and windows: the box about the corners of their planes, along the first one; None without corners."""
        for i, (kind, planes) in enumerate(self.parts):
            if kind not in _OPENINGS or not planes:
                continue
            used = np.concatenate([self.pairs[line] for plane in planes for line in self.lines[plane]] or [np.empty(0)])
            corners = self.junctions[np.unique(used).astype(np.int64)]
            across = np.append(self.normals[planes[0]][:2], 0.0)
            length = float(np.linalg.norm(across))
            if not len(corners) or not length > 0:
                yield None
                continue
            axes = np.array([np.cross(across, (0, 0, -1)) / length, across / length, (0.0, 0.0, 1.0)])
            own = corners @ axes.T
            low, high = own.min(0), own.max(0)
            box = orient(self.path, (low + high) / 2 @ axes, axes, high - low, row=f"semantics.{i}")
            yield Instance(f"{kind}-{i}", kind, box)


@dataclass(frozen=True)
class _Shot:
    """A picture of a furnished room, or a quarter of a panorama.

    Attributes:
        folder: of the picture, its instances, labels and depths.
        picture: its file.
        size: of the picture that is shown.
        camera: fx, fy, cx, cy in its pixels.
        pose: camera → house, shape (4, 4).
        whole: of the panorama that it is cut from; None for a perspective picture.
    """

    folder: Path
    picture: Path
    size: tuple[int, int]
    camera: tuple[float, float, float, float]
    pose: Floats
    whole: tuple[int, int] | None = None

    def shown(self, values: NDArray[Any], *, smooth: bool) -> NDArray[Any]:
        """The part of a picture or mask that it shows."""
        if self.whole is None:
            return values
        (width, height), (fx, fy, cx, cy) = self.size, self.camera
        columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        rays = np.stack([(columns - cx) / fx, (rows - cy) / fy, np.ones_like(rows)], -1) @ self.pose[:3, :3].T
        across = (np.arctan2(rays[..., 0], rays[..., 1]) / (2 * np.pi) + 0.5) * values.shape[1]
        down = (0.5 - np.arctan2(rays[..., 2], np.hypot(rays[..., 0], rays[..., 1])) / np.pi) * values.shape[0]
        if smooth:
            return _interpolated(values, across - 0.5, down - 0.5)
        return np.asarray(values[down.astype(int).clip(0, len(values) - 1), across.astype(int) % values.shape[1]])


def _interpolated(picture: NDArray[Any], x: Floats, y: Floats) -> NDArray[np.uint8]:
    """Colours of a panorama between its pixels, bilinear; its sides adjoin."""
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    found = np.zeros((*x.shape, picture.shape[2]))
    for i in (0, 1):
        for j in (0, 1):
            share = (1 - np.abs(x - left - i)) * (1 - np.abs(y - top - j))
            rows = (top + j).clip(0, len(picture) - 1)
            found += share[..., None] * picture[rows, (left + i) % picture.shape[1]]
    return np.round(found).astype(np.uint8)


def _shots(place: Path) -> Iterator[_Shot]:
    """The pictures of a house, room by room.

    Raises:
        InputError: a camera can't be read.
    """
    for room in in_order((place / "2D_rendering").glob("*")):
        for folder in in_order((room / "perspective" / "full").glob("*")):
            path, picture = folder / "camera_pose.txt", folder / "rgb_rawlight.png"
            if path.is_file() and picture.is_file():
                yield _perspective(path, picture)
        path, folder = room / "panorama" / "camera_xyz.txt", room / "panorama" / "full"
        picture = folder / "rgb_rawlight.png"
        if path.is_file() and picture.is_file():
            where = _numbers(path, 3) / _MM
            whole = size_of(picture, upright=False)
            side = 2 * (whole[0] // 4)
            for quarter in range(4):
                x, y = np.round([np.sin(quarter * np.pi / 2), np.cos(quarter * np.pi / 2)])
                turn = np.array([(y, 0, x), (-x, 0, y), (0, -1, 0)])
                half = side / 2
                pose = rigid(turn[None], where[None])[0]
                yield _Shot(folder, picture, (side, side), (half, half, half, half), pose, whole)


def _perspective(path: Path, picture: Path) -> _Shot:
    values = _numbers(path, 11)
    width, height = size_of(picture, upright=False)
    forward, up = values[3:6], values[6:9]
    right = np.cross(forward, up)
    if not min(np.linalg.norm(forward), np.linalg.norm(right)) > 0 or not (
        0 < values[9] < np.pi / 2 and 0 < values[10] < np.pi / 2
    ):
        raise InputError(path, "has no view direction, up and half angles of view below π/2")
    forward, right = forward / np.linalg.norm(forward), right / np.linalg.norm(right)
    turn = np.stack([right, np.cross(forward, right), forward], axis=1)
    half = (width / 2, height / 2)
    camera = (float(half[0] / np.tan(values[9])), float(half[1] / np.tan(values[10])), *half)
    return _Shot(picture.parent, picture, (width, height), camera, rigid(turn[None], values[None, :3] / _MM)[0])


def _numbers(path: Path, count: int) -> Floats:
    """The first numbers of a text file."""
    words = read_text(path).split()
    if len(words) < count:
        raise InputError(path, f"takes {count} numbers, and has {len(words)}")
    return numbers_of(path, words[:count])


def _recordings(shots: Sequence[_Shot], known: set[int]) -> Iterator[CameraRecording]:
    """A recording of the perspective pictures, and one of the panoramas' quarters."""
    for role, panoramic in (("camera", False), ("panorama", True)):
        chosen = [one for one in shots if (one.whole is not None) == panoramic]
        if not chosen:
            continue
        size = chosen[0].size
        odd = next((one for one in chosen if one.size != size), None)
        if odd is not None:
            what = f"is {odd.size[0]}×{odd.size[1]} pixels, others of the house are {size[0]}×{size[1]}"
            raise InputError(odd.picture, what)
        yield _recording(role, chosen, known)


def _recording(role: str, shots: Sequence[_Shot], known: set[int]) -> CameraRecording:
    def pictures(numbers: Sequence[int]) -> Iterator[Picture]:
        for number in numbers:
            one = shots[number]
            yield one.shown(decode(one.picture, one.picture, "it"), smooth=True)

    def masks(number: int) -> Mask | None:
        path = shots[number].folder / "instance.png"
        if not path.is_file():
            return None
        found = shots[number].shown(decoded_mask(path, path, "it"), smooth=False) + 1
        return np.where(np.isin(found, list(known)), found, 0)

    def depths(number: int) -> Floats | None:
        path = shots[number].folder / "depth.png"
        return decoded_mask(path, path, "it") / _MM if path.is_file() else None

    poses = np.array([one.pose for one in shots])
    lenses = [Lens(one.camera) for one in shots]
    straight = depths if shots[0].whole is None else None  # those of panoramas are along the ray
    found = recording_of(role, shots[0].size, None, poses, lenses, pictures, depths=straight)
    return replace(found, masks=masks, anamorphic=True)


def _boxes(place: Path, shots: Sequence[_Shot], drawn: set[str]) -> tuple[list[Instance], list[str]]:
    """The labelled boxes of a house but for openings that its layout has, and notes."""
    path = place / _BOXES
    if not path.is_file():
        return [], [f"it has no {_BOXES}, and so no boxes but those of doors and windows"]
    labels = _labels(shots)
    found, unnamed = [], 0
    for i, one in enumerate(read_json(path, list)):
        number = one.get("ID") if isinstance(one, dict) else None
        if not isinstance(number, int):
            raise InputError(path, "takes an ID", field=f"{i}.ID")
        center = list_of(path, one.get("centroid"), 3, None, f"{i}.centroid") / _MM
        half = np.abs(list_of(path, one.get("coeffs"), 3, None, f"{i}.coeffs")) / _MM
        basis = list_of(path, np.ravel(one.get("basis") or ()).tolist(), 9, None, f"{i}.basis").reshape(3, 3)
        box = orient(path, center, basis, 2 * half, row=str(i))
        label = labels.get(number)
        unnamed += label is None
        if label is not None and label not in drawn:
            found.append(Instance(str(number), label, box, number=number + 1))
    notes = [f"{counted(unnamed, 'box', 'boxes')} left out, whose label no picture shows"] if unnamed else []
    return found, notes


def _labels(shots: Sequence[_Shot]) -> Mapping[int, str]:
    """The commonest label of each instance in all pictures."""
    seen: dict[int, Counter[int]] = {}
    for folder in dict.fromkeys(one.folder for one in shots):
        numbers, labels = folder / "instance.png", folder / "semantic.png"
        if not (numbers.is_file() and labels.is_file()):
            continue
        pair = decoded_mask(numbers, numbers, "it"), decoded_mask(labels, labels, "it")
        if pair[0].shape != pair[1].shape:
            raise InputError(labels, "has another size than instance.png")
        values, counts = np.unique(pair[0] * 256 + pair[1], return_counts=True)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            instance, label = divmod(value, 256)
            if instance != _BACKGROUND and 1 <= label <= len(_NYU40):
                seen.setdefault(instance, Counter())[label] += count
    return {instance: _NYU40[labels.most_common(1)[0][0] - 1] for instance, labels in seen.items()}


FORMAT = Structured3D()
