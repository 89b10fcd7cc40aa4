"""Regions that people pick: a box in the cloud, or a box in a frame; and which of their points are the object's.

What is picked is an object, and what is caught with it are the floor, the wall behind it and the table it stands on.
All of these go on beyond the region; an object ends within it. So planes that go on outside are taken out, and of what
is left the largest group that hangs together is the object; in a frame, the one that is seen before the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.clouds import Cloud, Surface, groups, surface_of, voxel_means
from tolman.geometry.fitting import FitError, fit_plane
from tolman.geometry.visibility import project

_MARGIN = 0.3
_PIXEL_MARGIN = 0.5
_OUTSIDE = 0.3
_PLANES = 8
_CELLS = 32
_MOST = 25_000


class Region(Protocol):
    """What was picked."""

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """Which points it holds, shape (n,)."""
        ...

    def near(self, points: Floats) -> NDArray[np.bool_]:
        """Which points it or its surroundings hold, shape (n,)."""
        ...

    def rank(self, points: Floats, group: NDArray[np.int64]) -> Floats:
        """How much each group of points inside is what was meant, shape (groups,)."""
        ...


@dataclass(frozen=True)
class BoxRegion:
    """A box in the cloud.

    Attributes:
        low, high: its corners, metres.
    """

    low: tuple[float, float, float]
    high: tuple[float, float, float]

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        return np.asarray(((points >= self.low) & (points <= self.high)).all(1))

    def near(self, points: Floats) -> NDArray[np.bool_]:
        low, high = np.array(self.low) - _MARGIN, np.array(self.high) + _MARGIN
        return np.asarray(((points >= low) & (points <= high)).all(1))

    def rank(self, points: Floats, group: NDArray[np.int64]) -> Floats:
        return np.bincount(group).astype(np.float64)


@dataclass(frozen=True)
class FrameRegion:
    """A box in a frame.

    Attributes:
        pixels: x0, y0, x1, y1.
        pose: camera → scene, shape (4, 4).
        intrinsics: fx, fy, cx, cy in pixels.
        reach: farther points are left out, metres.
    """

    pixels: tuple[float, float, float, float]
    pose: Floats
    intrinsics: tuple[float, float, float, float]
    reach: float = 60.0

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        return self._held(points, 0.0)

    def near(self, points: Floats) -> NDArray[np.bool_]:
        return self._held(points, _PIXEL_MARGIN)

    def rank(self, points: Floats, group: NDArray[np.int64]) -> Floats:
        """In how many of the cells of a grid over the picture each group is nearest."""
        pixels, depth = project(points, self.pose, self.intrinsics)
        x0, y0, x1, y1 = self.pixels
        share = (pixels - [x0, y0]) / [x1 - x0, y1 - y0]
        cell = np.clip((share * _CELLS).astype(np.int64), 0, _CELLS - 1) @ [1, _CELLS]
        order = np.lexsort((depth, cell))
        first = order[np.flatnonzero(np.diff(cell[order], prepend=-1))]
        return np.bincount(group[first], minlength=int(group.max()) + 1).astype(np.float64)

    def _held(self, points: Floats, margin: float) -> NDArray[np.bool_]:
        pixels, depth = project(points, self.pose, self.intrinsics)
        x0, y0, x1, y1 = self.pixels
        wide, high = margin * (x1 - x0), margin * (y1 - y0)
        with np.errstate(invalid="ignore"):
            inside = (pixels >= [x0 - wide, y0 - high]).all(1) & (pixels <= [x1 + wide, y1 + high]).all(1)
        return np.asarray(inside & (depth > 0.1) & (depth < self.reach))


@dataclass(frozen=True)
class Picked:
    """The object in a region.

    Attributes:
        surface: its points.
        support: height of the level that it stands on, metres; None where none was found under it.
        planes: how many planes were taken out as going on beyond the region.
        inside: how many returns the region holds, with all that isn't the object's.
        apart: the share of what was left that didn't hang together with it, 0 … 1.
    """

    surface: Surface
    support: float | None
    planes: int
    inside: int
    apart: float = 0.0


def pick(cloud: Cloud, region: Region, *, isolate: bool = True, seed: int = 0) -> Picked:
    """The object in a region.

    Args:
        cloud: of the place.
        region: what was picked.
        isolate: whether planes that go on beyond the region, and lesser groups, are taken out.
        seed: of the planes that are tried.

    Raises:
        FitError: the region holds too few points.
    """
    near = cloud.take(region.near(cloud.points))
    held = int(near.weights[region.inside(near.points)].sum()) if len(near) else 0
    if held < 1:
        raise FitError("holds no points")
    near = _thinned(near)
    surface = surface_of(near)
    inside = region.inside(surface.points)
    support, taken = None, 0
    if isolate:
        inside, support, taken = _without_background(surface, inside, seed)
    if not inside.any():
        raise FitError("holds nothing but surfaces that go on beyond it")
    own = surface.take(inside)
    before = float(own.weights.sum())
    if isolate:
        # Points within twice their usual distance hang together; noise must not part what is one.
        reach = max(2.5 * own.spacing, 0.06)
        group = groups(own.points, reach)
        rank = region.rank(own.points, group)
        own = own.take(group == int(rank.argmax()))
        if support is not None and own.points[:, 2].min() > support + 0.15:
            support = None
    return Picked(own, support, taken, held, 1 - float(own.weights.sum()) / before)


def _thinned(cloud: Cloud) -> Cloud:
    """At most so many points that surfaces are found in seconds."""
    cell = 0.01
    while len(cloud) > _MOST:
        cloud = voxel_means(cloud, cell)
        cell *= 1.3
    return cloud


def _without_background(
    surface: Surface, inside: NDArray[np.bool_], seed: int
) -> tuple[NDArray[np.bool_], float | None, int]:
    """Points inside that lie on no plane that goes on outside; the level among those planes; how many there are."""
    from scipy.spatial import cKDTree

    left = np.ones(len(surface.points), dtype=bool)
    kept = inside.copy()
    levels: list[float] = []
    taken = 0
    reach, link = max(3 * surface.noise, 0.015), max(2.5 * surface.spacing, 0.06)
    for number in range(_PLANES):
        index = np.flatnonzero(left)
        if len(index) < 50:
            break
        part = surface.take(index)
        try:
            plane = fit_plane(Cloud(part.points, part.weights), reach=reach, seed=seed + number, normals=part.normals)
        except FitError:
            break
        own = index[plane.inliers]
        left[own] = False
        if len(own) < 30:
            break
        # Seats of chairs side by side lie in one plane too: what goes on must hang together.
        own = _going_on(surface.points, own, inside, link)
        if not len(own):
            continue
        # Its rim too, where normals are those of the corner with the object.
        on = np.flatnonzero(np.abs(plane.distances(surface.points)) < reach)
        away = np.asarray(cKDTree(surface.points[own]).query(surface.points[on])[0])
        on = on[away < 3 * link]
        kept[on] = left[on] = False
        taken += 1
        if abs(plane.normal[2]) > 0.95:
            middle = surface.points[own].mean(0)
            here = surface.points[inside, :2].mean(0)
            levels.append(float((plane.offset - plane.normal[:2] @ here) / plane.normal[2]) if len(here) else middle[2])
    below = surface.points[kept, 2]
    if not levels or not len(below):
        return kept, None, taken
    under = [level for level in levels if level < np.quantile(below, 0.2) + 0.05]
    return kept, max(under) if under else None, taken


def _going_on(points: Floats, own: NDArray[np.intp], inside: NDArray[np.bool_], link: float) -> NDArray[np.intp]:
    """Those of a plane's points that hang together with a good part outside the region."""
    group = groups(points[own], link)
    sizes, outer = np.bincount(group), np.bincount(group, weights=~inside[own])
    wide = (outer >= 30) & (outer >= _OUTSIDE * sizes)
    return own[wide[group]]
