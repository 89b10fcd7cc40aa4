"""Layouts of rooms as text, by SpatialLM and by SceneScript (Aria Synthetic Environments).

Both are in metres with z up. A wall is a line along the floor with a height; doors and windows are given by their
centre, and turned as their wall. A box has its centre, full lengths, and an angle about z in radians. Sources:
manycore-research/SpatialLM, spatiallm/layout/layout.py (`to_boxes`); facebookresearch/scenescript,
src/data/geometries/bbox.py and door.py, whose `Rotation.from_euler` takes radians. Both readers pass over lines that
they don't understand; here such a line refuses the layout, since a lost box would make counts wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.ingest.formats.cloud import read_surface
from tolman.ingest.formats.roomplan import enclosed
from tolman.ingest.readers import in_order, numbers_of, read_text
from tolman.ingest.scan_format import Instance, RawScene, ScannedSurface, SceneSource
from tolman.ingest.surfaces import orient

_NUMBERS = {
    "wall": ("a_x", "a_y", "a_z", "b_x", "b_y", "b_z", "height", "thickness"),
    "door": ("position_x", "position_y", "position_z", "width", "height"),
    "window": ("position_x", "position_y", "position_z", "width", "height"),
    "bbox": ("position_x", "position_y", "position_z", "angle_z", "scale_x", "scale_y", "scale_z"),
}
"""Kinds of lines, and their numbers in SpatialLM's order under SceneScript's names."""
_UNNAMED = ("", "unknown")


@dataclass(frozen=True)
class _Line:
    """One line of a layout.

    Attributes:
        row: its number in the file, from 1.
        kind: 'wall', 'door', 'window' or 'bbox'.
        number: by which other lines name it.
        name: the class of a box, or the number of the wall of a door or window; '' for walls.
        numbers: in the order of `_NUMBERS`.
    """

    row: int
    kind: str
    number: str
    name: str
    numbers: Floats


def _of_spatiallm(path: Path, row: int, text: str) -> _Line | None:
    """`bbox_0=Bbox(sofa,1.2,3.4,0.4,1.57,2,0.9,0.8)`; None for another line."""
    found = re.fullmatch(r"(wall|door|window|bbox)_(\d+)\s*=\s*(?:Wall|Door|Window|Bbox)\((.*)\)", text)
    if found is None:
        return None
    kind, number, inside = found.groups()
    words = [word.strip() for word in inside.split(",")]
    name = "" if kind == "wall" else words.pop(0)
    names = _NUMBERS[kind]
    if len(words) != len(names) or (kind in ("door", "window") and not re.fullmatch(r"wall_\d+", name)):
        return None
    return _Line(row, kind, number, name.removeprefix("wall_"), numbers_of(path, words, row))


def _of_scenescript(path: Path, row: int, text: str) -> _Line | None:
    """`make_bbox, id=3000, class=sofa, position_x=1.2, …`; None for another line."""
    command, *pairs = (part.strip() for part in text.split(","))
    kind, said = command.removeprefix("make_"), dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    if kind not in _NUMBERS or "id" not in said:
        return None
    said.setdefault("thickness", "0")
    name = said.get("class", "") if kind == "bbox" else said.get("wall0_id", "")
    names = _NUMBERS[kind]
    if not all(one in said for one in names):
        return None
    return _Line(row, kind, said["id"], name, numbers_of(path, [said[one] for one in names], row))


@dataclass(frozen=True)
class RoomLayouts:
    """Layouts as text.

    Attributes:
        begins: the first line of such a file.
        line: parses a line.
    """

    name: str
    title: str
    begins: str
    line: Callable[[Path, int, str], _Line | None]

    def find(self, root: Path) -> list[SceneSource]:
        """The text files that begin as such a layout does, each with a cloud of its name."""
        files = [root] if root.is_file() else in_order(root.rglob("*.txt"))
        found = [path for path in files if re.match(self.begins, _head(path))]
        if not found:
            raise InputError(root, f"holds no .txt file with a layout that begins like {_SAMPLES[self.name]}")
        sources = []
        for path in found:
            name = path.parent.name if path.stem == "ase_scene_language" else path.stem
            # Its cloud: a PLY of its name in its folder, or in `pcd` next to that, as in SpatialLM-Testset.
            places = (path.with_suffix(".ply"), path.parent.parent / "pcd" / f"{path.stem}.ply")
            cloud = next((place for place in places if place.is_file()), None)
            sources.append(SceneSource(f"{self.name}/{name}", path, (path,) if cloud is None else (path, cloud)))
        return sources

    def read(self, source: SceneSource) -> RawScene:
        """Read a layout: boxes, doors and windows as objects, and the area that its walls enclose."""
        path = source.path
        rows = [(row, text.strip()) for row, text in enumerate(read_text(path).splitlines(), start=1)]
        lines = []
        for row, text in ((row, text) for row, text in rows if text):
            line = self.line(path, row, text)
            if line is None:
                raise InputError(
                    path, "is no wall, door, window or bbox with all its numbers", row=row, fix="complete or remove it"
                )
            lines.append(line)
        walls = {line.number: line.numbers for line in lines if line.kind == "wall"}
        things = [line for line in lines if line.kind != "wall"]
        alone = [line for line in things if line.kind != "bbox" and line.name not in walls]
        unnamed = [line for line in things if line.kind == "bbox" and line.name.lower() in _UNNAMED]
        left_out = {line.row for line in (*alone, *unnamed)}
        notes = [f"{counted(len(unnamed), 'box', 'boxes')} without a class left out"] if unnamed else []
        repaired = []
        if alone:
            rows_ = ", ".join(str(line.row) for line in alone)
            repaired.append(f"{path.name}: doors or windows of walls that it lacks left out, rows {rows_}")
        surface = read_surface(source.files[1]) if len(source.files) > 1 else None
        area, center, said = _room(list(walls.values()), surface)
        return RawScene(
            tuple(_instance(path, line, walls) for line in things if line.row not in left_out),
            surface,
            room_area=area,
            room_center=center,
            repaired=tuple(repaired),
            notes=(*notes, *said),
        )


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(200).decode("utf-8-sig", "replace").lstrip()
    except OSError:
        return ""


def _instance(path: Path, line: _Line, walls: Mapping[str, Floats]) -> Instance:
    """A box, door or window as an object; doors and windows are as thick as their wall."""
    numbers = line.numbers
    if line.kind == "bbox":
        angle, extents, label = float(numbers[3]), numbers[4:], line.name
    else:
        wall = walls[line.name]
        angle, label = float(np.arctan2(wall[4] - wall[1], wall[3] - wall[0])), line.kind
        extents = np.array([numbers[3], wall[7], numbers[4]])
    cos, sin = np.cos(angle), np.sin(angle)
    axes = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    return Instance(f"{line.kind}_{line.number}", label, orient(path, numbers[:3], axes, extents, row=line.row))


def _room(
    walls: Sequence[Floats], surface: ScannedSurface | None
) -> tuple[float | None, tuple[float, float, float] | None, tuple[str, ...]]:
    """Area and middle of the ground that the walls enclose, and notes; those of the cloud follow without them."""
    outline: Any = enclosed(np.array([wall[[0, 1, 3, 4]].reshape(2, 2) for wall in walls]).reshape(-1, 2, 2))
    if outline is None:
        other = "" if surface is None else ", and is that of the cloud"
        return None, None, (f"its walls enclose no room, so that the area isn't known by them{other}",)
    middle, floor = outline.centroid, np.mean([wall[[2, 5]].mean() for wall in walls])
    height = floor + np.mean([wall[6] for wall in walls]) / 2
    return float(outline.area), (float(middle.x), float(middle.y), float(height)), ()


_SAMPLES = {"spatiallm": "'wall_0=Wall(…)'", "scenescript": "'make_wall, id=0, …'"}
FORMATS = {
    "spatiallm": RoomLayouts(
        "spatiallm", "SpatialLM layouts", r"(wall|door|window|bbox)_\d+\s*=\s*(Wall|Door|Window|Bbox)\(", _of_spatiallm
    ),
    "scenescript": RoomLayouts("scenescript", "SceneScript layouts", r"make_(wall|door|window|bbox),", _of_scenescript),
}
