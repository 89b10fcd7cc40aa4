"""ProcTHOR's houses: floors, walls, doors, windows and objects as AI2-THOR builds them, without pictures.

A house is a JSON file, or a line of a .jsonl file as in ProcTHOR-10K. AI2-THOR's axes are Unity's: left-handed, y up,
metres, angles in degrees about z, then x, then y. Exchanging y and z makes them right-handed with z up. An object's
`position` is the centre of its asset's box. A hole in a wall is given along the wall, from the first corner of its
polygon on the floor, and upwards.

Sizes of assets are in no house but in `asset-database.json`. Sources: allenai/procthor, procthor/utils/types.py,
procthor/generation and procthor/databases; houses before schema 1.0.0 as in utils/upgrade_house_version.py. The placing
of objects and doors: allenai/ai2thor, unity/Assets/Scripts/ProceduralTools.cs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.ingest.readers import in_order, list_of
from tolman.ingest.scan_format import Instance, RawScene, SceneSource
from tolman.ingest.surfaces import orient, read_json

_ASSETS = "asset-database.json"
_MARK = b'"floorPolygon"'
_LARGEST = 1 << 26
"""Bytes of a house's file, at most."""
_HEAD = 1 << 20
_UNITY = [0, 2, 1]
"""Unity's axes in the order of ours."""


@dataclass(frozen=True)
class ProcthorHouses:
    """The format."""

    name: str = "procthor"
    title: str = "ProcTHOR houses"

    def find(self, root: Path) -> list[SceneSource]:
        """The houses of a folder or file, each with the asset database in its folder or one above it."""
        files = [root] if root.is_file() else in_order(p for p in root.rglob("*") if p.suffix in (".json", ".jsonl"))
        sources = []
        for path in files:
            if path.suffix == ".jsonl":
                count = len(_lines(path, path.stat().st_mtime_ns)) - 1 if _holds(path, _HEAD) else 0
                names = [f"{path.stem}_{i}" for i in range(count)]
            else:
                names = [path.stem] if path.suffix == ".json" and _holds(path, _LARGEST) else []
            if names:
                assets = _assets(path, root)
                inputs = (path,) if assets is None else (path, assets)
                sources += [SceneSource(f"{self.name}/{name}", path, inputs) for name in names]
        if not sources:
            raise InputError(root, "holds no house in a .json or .jsonl file (unpack .jsonl.gz)")
        return sources

    def read(self, source: SceneSource) -> RawScene:
        """Read a house as one scene, whose area is that of all its floors."""
        house = _House.of(source)
        assets = _read_assets(source.files[1], source.files[1].stat().st_mtime_ns) if len(source.files) > 1 else None
        instances = [*house.openings(assets), *house.objects(assets)]
        floor = shapely.union_all(house.floors())
        notes = [f"its {len(house.content['rooms'])} rooms are one scene"] if len(house.content["rooms"]) > 1 else []
        bare = sum(one.box is None for one in instances)
        if assets is None and bare:
            fix = f"put {_ASSETS} of allenai/procthor, procthor/databases, next to it"
            notes.append(f"{counted(bare, 'object')} without a box, as houses don't hold the sizes of assets: {fix}")
        elif bare:
            notes.append(f"{counted(bare, 'object')} without a box, of assets that {_ASSETS} lacks")
        center = (float(floor.centroid.x), float(floor.centroid.y), house.height() / 2)
        return RawScene(tuple(instances), room_area=float(floor.area), room_center=center, up="y", notes=tuple(notes))


@dataclass(frozen=True)
class _Asset:
    """An asset of AI2-THOR.

    Attributes:
        kind: its type, 'HousePlant'.
        extents: full lengths in metres along Unity's axes, shape (3,).
    """

    kind: str
    extents: Floats


@dataclass(frozen=True)
class _House:
    """A house's parts.

    Attributes:
        path: of its file.
        row: its line, from 1; None where the file holds it alone.
        content: by the names of the file.
    """

    path: Path
    row: int | None
    content: Mapping[str, Any]

    @classmethod
    def of(cls, source: SceneSource) -> _House:
        """Read the file of a house.

        Raises:
            InputError: it is no house.
        """
        path, row = source.path, None
        if path.suffix == ".jsonl":
            row = int(source.id.rpartition("_")[2]) + 1
            begin, end = _lines(path, path.stat().st_mtime_ns)[row - 1 : row + 1]
            with path.open("rb") as file:
                file.seek(begin)
                try:
                    content = json.loads(file.read(end - begin))
                except (ValueError, RecursionError) as error:
                    raise InputError(path, f"is no JSON ({error})", row=row, fix="download it again") from None
        else:
            content = read_json(path)
        for part in ("rooms", "walls", "doors", "windows", "objects"):
            found = content.get(part) if isinstance(content, dict) else None
            if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
                raise InputError(path, "takes a list of objects", row=row, field=part)
        if not content["rooms"]:
            raise InputError(path, "has no room", row=row, field="rooms")
        return cls(path, row, content)

    def point(self, value: Any, field: str) -> Floats:
        """A point or size in Unity's axes, shape (3,)."""
        listed = [value.get(axis) for axis in "xyz"] if isinstance(value, dict) else None
        return list_of(self.path, listed, 3, self.row, field)

    def points(self, value: Any, least: int, field: str) -> Floats:
        """Points in Unity's axes, so many at least, shape (n, 3)."""
        if not isinstance(value, list) or len(value) < least:
            raise InputError(self.path, f"takes {least} points or more", row=self.row, field=field)
        return np.array([self.point(one, f"{field}.{i}") for i, one in enumerate(value)])

    def floors(self) -> list[Any]:
        """The outlines of the rooms' floors seen from above."""
        found = []
        for i, one in enumerate(self.content["rooms"]):
            corners = self.points(one.get("floorPolygon"), 3, f"rooms.{i}.floorPolygon")
            outline = shapely.make_valid(shapely.Polygon(corners[:, [0, 2]]))
            if not outline.area > 0:
                raise InputError(self.path, "encloses no floor", row=self.row, field=f"rooms.{i}.floorPolygon")
            found.append(outline)
        return found

    def walls(self) -> dict[str, tuple[Floats, Floats]]:
        """Both corners of each wall on the floor, in the order of its polygon, in our axes."""
        found = {}
        for i, one in enumerate(self.content["walls"]):
            corners = self.points(one.get("polygon"), 3, f"walls.{i}.polygon")
            low = corners[corners[:, 1] == corners[:, 1].min()][:, _UNITY]
            if len(low) > 1 and np.linalg.norm(low[1] - low[0]) > 0:
                found[str(one.get("id"))] = (low[0], low[1])
        return found

    def height(self) -> float:
        """Metres of the highest corner of a wall; 0 without walls."""
        tops = [self.points(one.get("polygon"), 3, f"walls.{i}.polygon")[:, 1].max() for i, one in
                enumerate(self.content["walls"])]  # fmt: skip
        return float(max(tops, default=0.0))

    def openings(self, assets: Mapping[str, _Asset] | None) -> Iterator[Instance]:
        """Doors and windows: the box of their asset, or else their hole in the wall, which has no thickness."""
        walls = self.walls()
        for kind in ("doors", "windows"):
            for i, one in enumerate(self.content[kind]):
                field = f"{kind}.{i}"
                wall = walls.get(str(one.get("wall0")))
                if wall is None:
                    what = "is in a wall that the house lacks"
                    raise InputError(self.path, what, row=self.row, field=f"{field}.wall0")
                old = one.get("boundingBox")
                corners = [old.get("min"), old.get("max")] if isinstance(old, dict) else one.get("holePolygon")
                hole = self.points(corners, 2, f"{field}.holePolygon")[:, :2]
                extents = np.append(np.ptp(hole, axis=0), 0.0)
                middle = hole.min(0) + extents[:2] / 2
                asset = str(one.get("assetId"))
                if assets is not None and asset in assets and "assetPosition" in one:
                    extents = assets[asset].extents
                    middle = self.point(one["assetPosition"], f"{field}.assetPosition")[:2]
                along = (wall[1] - wall[0]) / np.linalg.norm(wall[1] - wall[0])
                axes = np.array([along, (0.0, 0.0, 1.0), np.cross(along, (0.0, 0.0, 1.0))])
                center = wall[0] + along * middle[0] + axes[1] * middle[1]
                label = "door frame" if asset.startswith("Doorframe") else kind.removesuffix("s")
                yield self.instance(one, label, center, axes, extents, field)

    def objects(self, assets: Mapping[str, _Asset] | None) -> Iterator[Instance]:
        """The objects, and those on and in them."""
        waiting = [(f"objects.{i}", one) for i, one in enumerate(self.content["objects"])]
        while waiting:
            field, one = waiting.pop(0)
            children = one.get("children") or []
            if not isinstance(children, list) or not all(isinstance(child, dict) for child in children):
                raise InputError(self.path, "takes a list of objects", row=self.row, field=f"{field}.children")
            waiting += [(f"{field}.children.{i}", child) for i, child in enumerate(children)]
            asset = (assets or {}).get(str(one.get("assetId")))
            center = self.point(one.get("position"), f"{field}.position")[_UNITY]
            x, y, z = np.radians(self.point(one.get("rotation"), f"{field}.rotation"))
            turn = _about(1, y) @ _about(0, x) @ _about(2, z)
            label = _words(asset.kind if asset else str(one.get("id", "")).partition("|")[0])
            yield self.instance(one, label, center, turn.T[:, _UNITY], asset.extents if asset else None, field)

    def instance(
        self, one: Mapping[str, Any], label: str, center: Floats, axes: Floats, extents: Floats | None, field: str
    ) -> Instance:
        """An object in our axes, without a box where its size isn't known."""
        name = one.get("id")
        if not isinstance(name, str) or not label:
            raise InputError(self.path, "takes an id such as 'Bed|2|0'", row=self.row, field=f"{field}.id")
        where = field if self.row is None else f"{self.row}, {field}"
        box = None if extents is None else orient(self.path, center, axes, extents, row=where)
        return Instance(name, label, box)


def _about(axis: int, angle: float) -> Floats:
    """The rotation about an axis, shape (3, 3)."""
    found, (i, j) = np.eye(3), ((axis + 1) % 3, (axis + 2) % 3)
    found[[i, j], [i, j]], found[j, i], found[i, j] = np.cos(angle), np.sin(angle), -np.sin(angle)
    return found


def _words(name: str) -> str:
    """'TVStand' as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).lower()


def _holds(path: Path, most: int) -> bool:
    """Check whether a house is in the beginning of a file; larger JSON files aren't looked into."""
    try:
        if path.suffix == ".json" and path.stat().st_size > most:
            return False
        with path.open("rb") as file:
            data = file.read(most)
    except OSError:
        return False
    return _MARK in data and b'"walls"' in data


@lru_cache(maxsize=8)
def _lines(path: Path, modified: int) -> tuple[int, ...]:
    """Where the lines of a file begin, and its end; blank ones at the end don't count."""
    begins = [0]
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                begins.append(begins[-1] + len(line))
    return tuple(begins)


def _assets(path: Path, root: Path) -> Path | None:
    """The asset database in the folder of a house, or the nearest one above it within the folder that was given."""
    top = root if root.is_dir() else root.parent
    for folder in (path.parent, *path.parent.parents):
        if (folder / _ASSETS).is_file():
            return folder / _ASSETS
        if folder == top:
            break
    return None


@lru_cache(maxsize=4)
def _read_assets(path: Path, modified: int) -> dict[str, _Asset]:
    """The assets of a database by their ids.

    Raises:
        InputError: it is no asset database.
    """
    found = {}
    for kind, listed in read_json(path).items():
        for i, one in enumerate(listed if isinstance(listed, list) else [None]):
            size = one.get("boundingBox") if isinstance(one, dict) else None
            if not isinstance(one, dict) or not isinstance(size, dict):
                raise InputError(path, "takes a list of assets with a boundingBox", field=kind)
            lengths = list_of(path, [size.get(axis) for axis in "xyz"], 3, None, f"{kind}.{i}")
            found[str(one.get("assetId"))] = _Asset(kind, lengths)
    return found


FORMAT = ProcthorHouses()
