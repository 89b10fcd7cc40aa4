"""Straight ways over the ground: their obstacles, directions from a place, and thresholds that families share.

The paper has its questions written by people and prints no thresholds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tolman.extras import shapely
from tolman.generate.family import Draft, Family, FamilySettings, Recomputed, Rejected, place_of
from tolman.geometry.boxes import Floats
from tolman.geometry.ground_plane import QUADRANTS, boundary_gap, egocentric_angle, sector_of
from tolman.ground_truth.scene_arrays import SceneGeometry

if TYPE_CHECKING:
    from shapely import Polygon


S = TypeVar("S", bound=FamilySettings)
MIN_SHOWN_SHARE = 0.004
"""Share of a picture that a thing takes up in some frame of the video, if these families are to ask about it: one must
have noticed a thing to reason about where it is."""


def walk_family(
    name: str,
    title: str,
    task: str,
    settings: S,
    draft: Callable[[SceneGeometry, S], Iterator[Draft | Rejected]],
    recompute: Callable[..., Recomputed],
    *names: re.Pattern[str],
) -> Family[S]:
    """A family that reasons about where things are; the rest as `Family` has it."""
    return Family(name, title, (task,), settings, place_of(name), draft, recompute, names, min_shown=MIN_SHOWN_SHARE)


class WalkSettings(FamilySettings):
    """The thing that is met first on a straight way.

    Attributes:
        body: metres to each side that a person needs.
        spare: metres by which a person may be slimmer or wider without meeting anything else first.
        gap: metres by which the first obstacle comes before any other.
        least: metres that are free before the first obstacle.
        beyond: metres within which something must be met.
        low, high: metres above the ground; lower things are stepped over, things that begin higher passed beneath.
    """

    body: float = 0.25
    spare: float = 0.12
    gap: float = 0.4
    least: float = 0.4
    beyond: float = 12.0
    low: float = 0.05
    high: float = 1.9


STANDING_BELOW = 0.35
"""Metres above the ground below which a thing that stands on it begins."""
_IN_WALL = 0.2
"""Metres by which doors and windows may stand back behind the edge of the floor."""


@dataclass(frozen=True)
class Met:
    """One thing on a straight way.

    Attributes:
        metres: from the way's start to where it is touched.
        number: of the object.
    """

    metres: float
    number: int


@dataclass(frozen=True)
class Obstacle:
    """The first thing that is met.

    Attributes:
        metres: until it is touched.
        category: its.
        gap: metres until anything else is met.
        later: categories met after it, and those just off the way: things easily mistaken for it.
        number: of the object.
        broken: the rules that make it doubtful.
    """

    metres: float
    category: str
    gap: float
    later: tuple[str, ...]
    number: int
    broken: tuple[str, ...] = ()


def middle(geometry: SceneGeometry, number: int) -> Floats:
    """A thing's middle on the floor plan, shape (2,)."""
    return np.asarray(geometry.boxes.centers[number, :2])


def apart(a: ArrayLike, b: ArrayLike) -> float:
    """Metres on the floor plan."""
    return float(np.linalg.norm(np.asarray(a)[:2] - np.asarray(b)[:2]))


def bearing(here: ArrayLike, facing: ArrayLike, there: ArrayLike) -> float:
    """Degrees counter-clockwise from the facing direction, -180 < angle ≤ 180: left is positive."""
    angle = float(egocentric_angle(here, facing, there))
    return angle - 360.0 if angle > 180.0 else angle


def quadrant_of(here: ArrayLike, facing: ArrayLike, there: ArrayLike) -> tuple[str, float, float]:
    """The quadrant of a place for an observer, degrees to its nearest boundary, and the metres to the nearer place."""
    angle = float(egocentric_angle(here, facing, there))
    nearer = min(apart(here, facing), apart(here, there))
    return sector_of(angle, QUADRANTS), min(boundary_gap(angle, QUADRANTS)), nearer


def corridor(start: Floats, way: Floats, reach: float, half: float) -> Polygon:
    """The rectangle that something of a half width sweeps from a start, square at both ends."""
    return shapely.LineString([start, start + reach * way]).buffer(half, cap_style="flat")


def met(
    geometry: SceneGeometry,
    start: Floats,
    way: Floats,
    reach: float,
    half: float,
    skip: Collection[int],
    settings: WalkSettings,
) -> list[Met]:
    """All still things that a straight way meets, the nearest first.

    Args:
        geometry: of the scene.
        start: metres, shape (2,).
        way: unit vector, shape (2,).
        reach: metres.
        half: metres to each side.
        skip: numbers of objects that don't count.
        settings: which heights count.
    """
    swept = corridor(start, way, reach, half)
    found = []
    for number, (outline, (low, high)) in enumerate(zip(geometry.footprints, geometry.heights, strict=True)):
        moves = bool(geometry.scene.objects[number].track)
        if number in skip or moves or high <= settings.low or low >= settings.high or not swept.intersects(outline):
            continue
        touched = shapely.get_coordinates(swept.intersection(outline))
        found.append(Met(float(((touched - start) @ way).min()), number))
    return sorted(found, key=lambda one: (one.metres, one.number))


def free_floor(geometry: SceneGeometry, start: Floats, way: Floats) -> float:
    """Metres from a start on the floor until the floor ends; 0 where the start is beyond it."""
    rings = geometry.scene.floor
    if not rings:
        return np.inf
    floor = shapely.Polygon(rings[0], rings[1:])
    inside = floor.intersection(shapely.LineString([start, start + 100.0 * way]))
    parts = [part for part in shapely.get_parts(inside) if part.distance(shapely.Point(start)) < 1e-6]
    return max((float(part.length) for part in parts), default=0.0)


def _grazed(geometry: SceneGeometry, start: Floats, way: Floats, reach: float, half: float) -> bool:
    """Check whether the strip that something of a half width sweeps leaves the floor, as at a door's jamb."""
    rings = geometry.scene.floor
    if not rings or reach <= 0:
        return False
    return not shapely.Polygon(rings[0], rings[1:]).buffer(0.01).covers(corridor(start, way, reach, half))


def walled(geometry: SceneGeometry, i: int, j: int) -> bool:
    """Check whether the floor ends between two things, by their numbers; both may themselves be in a wall."""
    return _floor_ends(geometry, middle(geometry, i), middle(geometry, j), (i, j))


def hidden(geometry: SceneGeometry, here: Floats, number: int) -> bool:
    """Check whether the floor ends between a place on it, shape (2,), and a thing, which may itself be in a wall."""
    return _floor_ends(geometry, here, middle(geometry, number), (None, number))


def _floor_ends(geometry: SceneGeometry, here: Floats, there: Floats, things: tuple[int | None, int]) -> bool:
    """Check whether it ends between two places, apart from the footprints of things there and a wall behind."""
    length = apart(here, there)
    line = shapely.LineString([here, there])
    start, end = (
        0.0 if number is None else float(geometry.footprints[number].intersection(line).length) + _IN_WALL
        for number in things
    )
    if start + end >= length:
        return False
    way = (there - here) / length
    return free_floor(geometry, here + start * way, way) < length - start - end - 1e-6


def first_met(
    geometry: SceneGeometry,
    start: Floats,
    way: Floats,
    settings: WalkSettings,
    *,
    skip: Collection[int] = (),
    half: float | None = None,
    offset: float = 0.0,
) -> Obstacle | None:
    """The first thing that a straight way meets, with the rules that make it doubtful.

    Args:
        geometry: of the scene.
        start: metres, shape (2,).
        way: unit vector, shape (2,).
        settings: sizes and margins.
        skip: numbers of objects that don't count.
        half: metres to each side; a person's where None.
        offset: metres after the start where the way really begins.

    Returns:
        None where nothing is met.
    """
    half = settings.body if half is None else half
    reach = settings.beyond + offset
    wide = met(geometry, start, way, reach, half + settings.spare, skip, settings)
    narrow = met(geometry, start, way, reach, max(half - settings.spare, 0.02), skip, settings)
    if not narrow:
        return None
    first = narrow[0]
    objects = geometry.scene.objects
    name = objects[first.number].category
    others = [one.metres for one in wide if one.number != first.number]
    gap = min(others) - first.metres if others else settings.beyond
    broken = []
    if first.metres - offset < settings.least or (others and min(others) - offset < settings.least):
        broken.append(f"something within {settings.least} m of the start")
    if gap < settings.gap:
        broken.append(f"two obstacles within {settings.gap} m of each other")
    if free_floor(geometry, start + offset * way, way) < first.metres - offset - 0.05:
        broken.append("a wall comes first")
    elif _grazed(
        geometry,
        start + (offset + settings.least) * way,
        way,
        first.metres - offset - settings.least - _IN_WALL,
        max(half - settings.spare, 0.02),
    ):
        broken.append("a wall is grazed first")
    if geometry.heights[first.number, 0] > STANDING_BELOW:
        broken.append("what is met hangs on a wall, or stands on something")
    beside = met(geometry, start, way, reach, half + 1.5, skip, settings)
    later = dict.fromkeys(objects[one.number].category for one in [*wide, *beside])
    later.pop(name, None)
    return Obstacle(first.metres - offset, name, gap, tuple(later), first.number, tuple(broken))
