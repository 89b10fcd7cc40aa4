"""Point clouds alone: E57, LAS, LAZ, PLY, PCD, XYZ and PTS. They are read in parts, so that any number of points fits.

E57 counts in metres by its standard; LAS in the unit of its coordinate system, where feet and degrees are refused;
others are taken as metres unless the owner gives a scale. Coordinates of a survey are moved near the origin, since
graphics and rays are in single precision.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.extras import needs
from tolman.geometry.boxes import Floats
from tolman.geometry.ground_plane import floor_plan, room_area
from tolman.ingest.camera_conventions import UP_TURNS
from tolman.ingest.checks import check_scale
from tolman.ingest.clouds import PointTime, Sweep, gather
from tolman.ingest.clouds.cloud_files import SUFFIXES, read_sweeps
from tolman.ingest.clouds.recording import Keeper
from tolman.ingest.formats.posed_pictures import WorldFrame, added_boxes, read_added_boxes
from tolman.ingest.readers import Ply, in_order, read_ply
from tolman.ingest.scan_format import PROGRESS, RawScene, ScanHints, ScannedSurface, SceneSource
from tolman.ingest.surfaces import spread_points
from tolman.scenes import Capture

CELL = 0.04
"""Metres of a voxel, as of rigs."""
_SURVEY = 1e4
"""Metres from the origin from which on coordinates are those of a survey."""
_ROUND = 100.0
_WIDEST, _HIGHEST = 200.0, 60.0
_LEAST_CEILING = 0.5
"""A cloud whose section below its highest points covers less of its ground has no ceiling."""
_ROOM_HEIGHTS = (2.2, 6.0)
_LOWER, _LARGER = 0.8, 1.5
"""Signs of another up: a room's height over its widths, and the largest plane over those across other axes."""
_METRES = (".e57", ".las", ".laz")
"""Formats that say their unit."""


@dataclass(frozen=True)
class Clouds:
    """Point clouds without pictures; every file is a scene."""

    name: str = "cloud"
    title: str = "point clouds"
    takes: frozenset[str] = frozenset({"scale", "up"})

    def find(self, root: Path) -> list[SceneSource]:
        """The clouds of a folder and those below it, or the one that is given."""
        files = [root] if root.is_file() else in_order(root.rglob("*"))
        found = [path for path in files if path.suffix.lower() in SUFFIXES and path.is_file()]
        if not found:
            raise InputError(root, f"holds no point cloud ({', '.join(SUFFIXES)})")
        return [
            SceneSource(
                f"{self.name}/{path.stem}", path, tuple(one for one in (path, added_boxes(path)) if one.exists())
            )
            for path in found
        ]

    def read(self, source: SceneSource) -> RawScene:
        """Read a cloud: its surface, thinned; its points, to be measured; and the boxes of its owner."""
        path = source.path
        frame, said = _frame(path, source.hints)
        instances = read_added_boxes(path, frame)
        if path.suffix.lower() == ".ply" and (ply := read_ply_mesh(path)) is not None:
            surface = ScannedSurface(frame.points(ply.points), ply.faces, np.zeros(len(ply.faces), dtype=np.int64))
            noted = _up_notes(spread_points(surface), source.hints)
            return RawScene(instances, surface, up=frame.up, repaired=said, notes=noted)
        sweeps = partial(_sweeps, path, frame)
        keeper = Keeper(None)
        found = gather(sweeps(), None, cell=CELL, seen=keeper.look)
        points = found.cloud.points
        if not len(points):
            raise InputError(
                path, "all its points are far from each other", fix="give its --scale, such as 0.001 for millimetres"
            )
        wide, high = np.ptp(points[:, :2], axis=0).max(), np.ptp(points[:, 2])
        outdoors = bool(path.suffix.lower() in _METRES and (wide > _WIDEST or high > _HIGHEST))
        if not outdoors:
            check_scale(path, points)
        area, notes = (None, ("larger than rooms are, and taken as outdoors",)) if outdoors else _area(points)
        if found.strays:
            said = (
                *said,
                f"{path.name}: {found.strays:,} sparse or noisy voxels left out of {found.strays + len(points):,}",
            )
        media = f"lidar/{source.id}"
        return RawScene(
            instances,
            ScannedSurface(points, np.zeros((0, 3), dtype=np.int64), np.zeros(len(points), dtype=np.int64)),
            captures=(Capture(id=f"{source.id}/lidar", scene=source.id, sensor="lidar", role="ego", media=media),),
            written={media: lambda folder: keeper.write(sweeps(), folder)},
            room_area=area,
            outdoors=outdoors or area is None,
            up=frame.up,
            repaired=said,
            notes=(*_up_notes(points, source.hints), *notes),
        )


def read_surface(path: Path) -> ScannedSurface:
    """A cloud in metres with z up, thinned to voxels.

    Raises:
        InputError: it can't be read, or holds nothing.
    """
    points = gather(_heard(path), None, cell=CELL).cloud.points
    if not len(points):
        raise InputError(path, "holds no usable point")
    return ScannedSurface(points, np.zeros((0, 3), dtype=np.int64), np.zeros(len(points), dtype=np.int64))


def read_ply_mesh(path: Path) -> Ply | None:
    """A PLY file with faces; None for a cloud."""
    with path.open("rb") as file:
        head = file.read(1 << 16).partition(b"end_header")[0]
    return read_ply(path) if re.search(rb"element face [1-9]", head) else None


def _heard(path: Path) -> Iterator[Sweep]:
    """The points of a file in parts, without times, reported as they come."""
    read = 0
    for sweep in read_sweeps(path, rule=PointTime("none")):
        read += len(sweep.points)
        PROGRESS.get()(f"{path.name}: {read:,} points")
        yield replace(sweep, stamp=None, times=None)


def _sweeps(path: Path, frame: WorldFrame) -> Iterator[Sweep]:
    for sweep in _heard(path):
        yield replace(sweep, points=frame.points(sweep.points))


def _frame(path: Path, hints: ScanHints) -> tuple[WorldFrame, tuple[str, ...]]:
    """The way from a file's coordinates to the scene's, and a sentence on the subtracted offset."""
    scale = hints.scale or 1.0
    if hints.scale is None and path.suffix.lower() in (".las", ".laz") and (unit := _unit(path)):
        raise InputError(path, f"its coordinates are in {unit}", fix=_FIXES[unit])
    first = next((sweep.points for sweep in read_sweeps(path, rule=PointTime("none")) if len(sweep.points)), None)
    if first is None:
        raise InputError(path, "holds no usable point")
    middle = np.median(first, axis=0)
    far = np.abs(middle) * scale > _SURVEY
    shift = np.where(far, np.floor(middle / _ROUND) * _ROUND, 0.0)
    said: tuple[str, ...] = ()
    if far.any():
        place = ", ".join(f"{value:,.0f}" for value in shift)
        said = (f"{path.name}: its coordinates are those of a survey; ({place}) is subtracted from them",)
    x, y, z = shift.tolist()
    return WorldFrame(UP_TURNS[hints.up or "z"], scale, True, hints.up or "z", origin=(x, y, z)), said


_FIXES = {
    "feet": "give --scale 0.3048",
    "degrees": "convert it to a projected coordinate system in metres",
}
_GEO_MODEL, _GEO_UNITS = 1024, (3076, 4099)
"""Keys of GeoTIFF 1.0 in LAS: the kind of model (2 is geographic), the linear unit of plan and height."""
_FEET = (9002, 9003)


def _unit(path: Path) -> str:
    """The unit of a LAS file's coordinates where it isn't the metre: 'feet', 'degrees' or ''."""
    with needs("build", "Reading LAS and LAZ files"):
        import laspy
    with laspy.open(path, read_evlrs=False) as file:
        records = list(file.header.vlrs)
    keys = {key.id: key.value_offset for one in records for key in getattr(one, "geo_keys", ())}
    text = " ".join(getattr(one, "string", "") for one in records if type(one).__name__.startswith("Wkt"))
    if keys.get(_GEO_MODEL) == 2 or re.match(r"\s*(GEOGCS|GEOGCRS)\[", text):
        return "degrees"
    projected = text[text.find("PROJCS[") :] if "PROJCS[" in text else text
    feet = any(keys.get(name) in _FEET for name in _GEO_UNITS) or re.search(
        r"UNIT\[\"[^\"]*(foot|feet)", projected, re.I
    )
    return "feet" if feet else ""


def _up_notes(points: Floats, hints: ScanHints) -> tuple[str, ...]:
    """Say so where a room's floor and ceiling seem to be across another axis than z; nothing where that isn't clear.

    A room is lower than it is wide, so that these are its largest planes.
    """
    low, high = np.percentile(points, (1, 99), axis=0)
    sizes = high - low
    shares = np.array([_plane_share(points[:, axis]) for axis in range(3)])
    axis = int(shares.argmax())
    least, most = _ROOM_HEIGHTS
    if (
        hints.up is not None
        or axis == 2
        or not least <= sizes[axis] <= min(most, _LOWER * np.delete(sizes, axis).min())
    ):
        return ()
    if shares[axis] < _LARGER * np.delete(shares, axis).max():
        return ()
    name = "xyz"[axis]
    return (f"its floor and ceiling seem to be across {name} rather than z; if so, give --up={name} or --up=-{name}",)


def _plane_share(values: Floats) -> float:
    """The largest share of values in a band of 6 cm."""
    rising = np.sort(values)
    return float((np.searchsorted(rising, rising + 0.06, side="right") - np.arange(len(rising))).max() / len(rising))


def _area(points: Floats) -> tuple[float | None, tuple[str, ...]]:
    """The area of rooms, measured below the ceiling; None, with a note, where there is none."""
    plan = floor_plan(points)
    area, ground = room_area(plan) if len(plan) >= 100 else 0.0, room_area(points)
    if area < _LEAST_CEILING * ground:
        return None, ("it has no ceiling over most of its ground, so that it is taken as outdoors",)
    return area or None, ()


FORMAT = Clouds()
