"""Apple RoomPlan's rooms, as JSON or USDZ: boxes and walls, no pictures.

RoomPlan measures in metres with +Y up. The JSON is a CapturedRoom or CapturedStructure; its fields are those on which
third parties' readers agree. The parametric USDZ has a cuboid for each object, `Object_grp/Chair_grp/Chair0`, and a
slab for each wall, `Walls_grp/Wall0`, whose inner face is at z = 0; seen in files of the app.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from tolman.errors import InputError, MissingExtraError
from tolman.geometry.boxes import Floats
from tolman.ingest.formats.phone_scans import ARKIT, PAGE
from tolman.ingest.readers import in_order, list_of, pose_of
from tolman.ingest.scan_format import Instance, RawScene, SceneSource
from tolman.ingest.surfaces import orient, read_json

_SUFFIXES = (".json", ".usdz")


@dataclass(frozen=True)
class _Room:
    """Contents of a file: the objects, walls and floors in the room's axes, metres.

    Attributes:
        instances: the objects.
        walls: both ends of each wall's inner face seen from above, shape (n, 2, 2).
        floors: outlines seen from above.
        heights: of the floors.
        storeys: of the floors, as named.
    """

    instances: tuple[Instance, ...]
    walls: Floats
    floors: tuple[shapely.Geometry, ...] = ()
    heights: tuple[float, ...] = ()
    storeys: tuple[object, ...] = ()


@dataclass(frozen=True)
class RoomPlan:
    """Apple RoomPlan's rooms: boxes and walls, no pictures."""

    name: str = "roomplan"
    title: str = "Apple RoomPlan"

    def find(self, root: Path) -> list[SceneSource]:
        """The rooms of a folder, or the one that is given; of a room in both forms the JSON, which says more."""
        files = [root] if root.is_file() else in_order(p for p in root.rglob("*") if p.suffix in _SUFFIXES)
        rooms = [path for path in files if is_room(path)]
        found = [p for p in rooms if p.suffix == ".json" or p.with_suffix(".json") not in rooms]
        if not found:
            raise InputError(root, "holds no JSON or USDZ file with the walls and objects of a RoomPlan room", fix=PAGE)
        # The app's own name for each export is 'Room'.
        often = Counter(path.stem for path in found)
        names = [path.stem if often[path.stem] == 1 else f"{path.parent.name}_{path.stem}" for path in found]
        return [SceneSource(f"{self.name}/{name}", path, (path,)) for name, path in zip(names, found, strict=True)]

    def read(self, source: SceneSource) -> RawScene:
        """Read a room: its objects as boxes, and the area of its floors, or within its walls."""
        path = source.path
        room = _of_usdz(path) if path.suffix == ".usdz" else _of_json(path)
        if _storeys(room.storeys, room.heights) > 1:
            notes: tuple[str, ...] = ("several storeys, so that no room's area is known",)
            return RawScene(room.instances, up="y", notes=notes)
        together: Any = shapely.union_all(list(room.floors)) if room.floors else enclosed(room.walls)
        if together is None:
            notes = ("it has no floor, and its walls enclose none, so that the room's area isn't known",)
            return RawScene(room.instances, up="y", notes=notes)
        notes = () if room.floors else ("it has no floor: the room's area is what its walls enclose",)
        area = float(together.area) if together.area > 0 else None
        center = None
        if area is not None:
            height = float(np.mean(room.heights)) if room.heights else 0.0
            center = (float(together.centroid.x), float(together.centroid.y), height)
        return RawScene(room.instances, room_area=area, room_center=center, up="y", notes=notes)


def _of_json(path: Path) -> _Room:
    content = read_json(path)
    instances = []
    for i, one in enumerate(content["objects"]):
        label = _category(path, one, f"objects.{i}")
        pose = _transform(path, one, f"objects.{i}")
        extents = list_of(path, one.get("dimensions"), 3, None, f"objects.{i}.dimensions")
        name = str(one.get("identifier") or f"{label} {i + 1}")
        instances.append(_instance(path, name, label, pose, extents, f"objects.{i}"))
    listed = content.get("floors") or []
    if not isinstance(listed, list):
        raise InputError(path, "takes a list", field="floors")
    floors = tuple(_floor(path, one, i) for i, one in enumerate(listed))
    heights = tuple(float(_transform(path, one, f"floors.{i}")[1, 3]) for i, one in enumerate(listed))
    walls = []
    for i, one in enumerate(() if floors else content["walls"]):
        if not isinstance(one, dict):
            raise InputError(path, "takes an object", field=f"walls.{i}")
        wide = list_of(path, one.get("dimensions"), 3, None, f"walls.{i}.dimensions")[0] / 2
        walls.append(_ends(_transform(path, one, f"walls.{i}"), -wide, wide))
    storeys = tuple(one.get("story") for one in listed)
    return _Room(tuple(instances), np.reshape(walls, (-1, 2, 2)), floors, heights, storeys)


def _instance(path: Path, name: str, label: str, pose: Floats, extents: Floats, row: str) -> Instance:
    axes = pose[:3, :3].T @ ARKIT.turn.T
    return Instance(name, label, orient(path, ARKIT.points(pose[:3, 3]), axes, extents, row=row))


def _ends(pose: Floats, left: float, right: float) -> Floats:
    """Both ends of a wall seen from above, from its pose and the ends of its own x, shape (2, 2)."""
    own = np.array([(left, 0.0, 0.0), (right, 0.0, 0.0)])
    return ARKIT.points(own @ pose[:3, :3].T + pose[:3, 3])[:, :2]


_GAP = 0.25
"""Metres that the end of a wall may be from the next wall."""


def enclosed(walls: Floats) -> shapely.Geometry | None:
    """The ground that walls enclose; None where they don't close, or one lies outside."""
    lines = []
    for a, b in walls:
        along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9) * _GAP
        lines.append(shapely.LineString([a - along, b + along]))
    if not lines:
        return None
    found = shapely.union_all(list(shapely.polygonize([shapely.union_all(lines)]).geoms))
    inside = found.buffer(_GAP)
    if found.is_empty or not all(inside.covers(shapely.LineString(wall)) for wall in walls):
        return None
    return found


def _of_usdz(path: Path) -> _Room:
    """Read a parametric USDZ.

    Raises:
        InputError: it can't be read, or isn't in metres with y up.
        MissingExtraError: usd-core isn't installed.
    """
    try:
        from pxr import Tf, Usd, UsdGeom  # type: ignore[import-not-found]
    except ImportError:
        raise MissingExtraError("usd-core", None, "Reading USDZ files") from None
    try:
        stage = Usd.Stage.Open(str(path))
        if UsdGeom.GetStageUpAxis(stage) != "Y" or UsdGeom.GetStageMetersPerUnit(stage) != 1:
            raise InputError(path, "isn't in metres with y up, as RoomPlan writes", fix="export it again")
        placed = [(str(one.GetPath()), *found) for one in stage.Traverse() if (found := _slab(one, UsdGeom, Usd))]
    except Tf.ErrorException as error:
        said = str(error).strip().splitlines()[-1].rpartition(" : ")[2]
        raise InputError(path, f"is no readable USDZ file ({said})", fix="export it again") from None
    instances, walls, names = [], [], set[str]()
    for place, pose, low, high in placed:
        *_, group, kind, name = place.split("/")
        if kind == "Walls_grp" or name.startswith("Wall"):
            walls.append(_ends(pose, low[0], high[0]))
        elif group == "Object_grp":
            moved = pose.copy()
            moved[:3, 3] += pose[:3, :3] @ (low + high) / 2
            label = _words(kind.removesuffix("_grp"))
            instances.append(_instance(path, place if name in names else name, label, moved, high - low, place))
            names.add(name)
    return _Room(tuple(instances), np.reshape(walls, (-1, 2, 2)))


def _slab(prim: Any, geometry: Any, usd: Any) -> tuple[Floats, Floats, Floats] | None:
    """The pose of an object or wall, shape (4, 4), and the least and greatest corner of its meshes in its own axes."""
    parents = str(prim.GetPath()).split("/")[:-1]
    if len(parents) < 2 or not parents[-1].endswith("_grp") or prim.GetName().endswith("_grp"):
        return None
    world = np.array(geometry.Imageable(prim).ComputeLocalToWorldTransform(usd.TimeCode.Default())).T
    scale = np.linalg.norm(world[:3, :3], axis=0)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = world[:3, :3] / np.maximum(scale, 1e-12), world[:3, 3]
    corners = []
    for part in usd.PrimRange(prim):
        if part.IsA(geometry.Mesh) and (points := geometry.Mesh(part).GetPointsAttr().Get()):
            own = np.array(geometry.Imageable(part).ComputeLocalToWorldTransform(usd.TimeCode.Default()))
            corners.append((np.array(points) @ own[:3, :3] + own[3, :3] - pose[:3, 3]) @ pose[:3, :3])
    if not corners:
        return None
    every = np.concatenate(corners)
    return pose, every.min(0), every.max(0)


_STOREY = 1.0
"""Metres between floors that are of several storeys."""


def _storeys(named: Sequence[object], heights: Sequence[float]) -> int:
    """The number of storeys of floors, by their `story` or by their heights in metres, whichever is more."""
    numbers = {one for one in named if isinstance(one, int)}
    return max(len(numbers), 1 + int((np.diff(sorted(heights)) > _STOREY).sum()))


_LARGEST_ROOM = 1 << 26
"""Bytes of a room's file, at most: data sets have far larger JSON files, which are not looked into."""


def is_room(path: Path) -> bool:
    """Check whether a JSON or USDZ file holds the walls and objects of a room."""
    try:
        if path.stat().st_size > _LARGEST_ROOM:
            return False
        data = path.read_bytes()
        if path.suffix == ".usdz":  # names of its parts, of which a compressed layer shows fragments
            return data[:4] == b"PK\x03\x04" and b"_grp" in data and b"Wall" in data
        content = json.loads(data)
    except (OSError, ValueError, RecursionError):
        return False
    parts = isinstance(content, dict) and all(isinstance(content.get(part), list) for part in ("walls", "objects"))
    return parts and "proceduralParameters" not in content  # ProcTHOR's houses have both as well


def _category(path: Path, one: Any, field: str) -> str:
    """A category, written as {"washerDryer": {}} or as a word: 'washer dryer'."""
    if not isinstance(one, dict):
        raise InputError(path, "takes an object", field=field)
    found = one.get("category")
    word = next(iter(found), "") if isinstance(found, dict) else found
    if not isinstance(word, str) or not word:
        raise InputError(path, "takes a category", field=f"{field}.category")
    return _words(word)


def _words(name: str) -> str:
    """'washerDryer' as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def _transform(path: Path, one: Mapping[str, Any], field: str) -> Floats:
    """A transform to the room, column by column, shape (4, 4)."""
    values = list_of(path, one.get("transform"), 16, None, f"{field}.transform")
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


FORMAT = RoomPlan()
