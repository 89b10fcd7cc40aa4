"""Regions that people pick: a box in the cloud, or a box in a frame; and which of their points are the object's.

What is picked is an object, and what is caught with it are the floor, the wall behind it and the table it stands on.
All of these go on beyond the region; an object ends within it. So planes that go on outside are taken out, and things
that do (`background`); what is left is the object; in a frame, the one that is seen before the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.background import Background, PickedPlace, background
from tolman.geometry.boxes import Floats
from tolman.geometry.clouds import Cloud, Surface, groups, surface_of, voxel_means
from tolman.geometry.coverage import Bounding, Rays
from tolman.geometry.fitting import FitError
from tolman.geometry.visibility import project

_MARGIN = 0.3
_PIXEL_MARGIN = 0.5
_INSIDE = 0.7
"""A group of which less lies in the region is another thing's, …"""
_LEAST_INSIDE = 0.2
"""… but the greatest one of all only if it is less than this."""
_FLAT = 0.05
"""Height above a floor, metres, that still belongs to the floor, beside the noise of points."""
_TOGETHER = 0.3
"""In a frame, which shows what is near and far, groups so close to each other are one thing, metres."""
_CELLS = 32
_MOST = 25_000


class Region(PickedPlace, Protocol):
    """A picked region."""

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """Find points in it, shape (n,)."""
        ...

    def near(self, points: Floats) -> NDArray[np.bool_]:
        """Find points in it or its surroundings, shape (n,)."""
        ...

    def rank(self, points: Floats, group: NDArray[np.int64]) -> Floats:
        """Score each group of points inside as the thing that was meant, shape (groups,)."""
        ...

    def along_with(self, points: Floats, group: NDArray[np.int64], main: int) -> NDArray[np.bool_]:
        """Find groups that may be parts of the thing that one of them is of, shape (groups,)."""
        ...

    def crossed(self, rays: Rays) -> NDArray[np.bool_]:
        """Find rays that came to or through it or its surroundings, shape (n,)."""
        ...

    @property
    def viewpoint(self) -> Floats | None:
        """From where it was picked."""
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

    def middle(self, points: Floats) -> Floats:
        return np.asarray((np.array(self.low) + np.array(self.high)) / 2)

    def thickness(self, way: Floats) -> float:
        return float(np.abs(way) @ (np.array(self.high) - np.array(self.low)))

    def above(self, points: Floats) -> NDArray[np.bool_]:
        return np.asarray(points[:, 2] > self.high[2])

    def along_with(self, points: Floats, group: NDArray[np.int64], main: int) -> NDArray[np.bool_]:
        return np.ones(int(group.max()) + 1, dtype=bool)

    def crossed(self, rays: Rays) -> NDArray[np.bool_]:
        return rays.through(np.array(self.low) - _MARGIN, np.array(self.high) + _MARGIN)

    @property
    def viewpoint(self) -> Floats | None:
        return None


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
        first, _ = self._nearest(points)
        return np.bincount(group[first], minlength=int(group.max()) + 1).astype(np.float64)

    def middle(self, points: Floats) -> Floats:
        """Of what is nearest in the middle of the picture."""
        inside = points[self.inside(points)]
        first, share = self._nearest(inside)
        central = first[(np.abs(share[first] - 0.5) < 0.25).all(1)]
        return np.asarray(np.median(inside[central if len(central) else first], axis=0))

    def thickness(self, way: Floats) -> float:
        return float("inf")

    def above(self, points: Floats) -> NDArray[np.bool_]:
        return np.ones(len(points), dtype=bool)

    def along_with(self, points: Floats, group: NDArray[np.int64], main: int) -> NDArray[np.bool_]:
        from scipy.spatial import cKDTree

        # Step by step, those that are near to it or to what belongs to it.
        found = np.zeros(int(group.max()) + 1, dtype=bool)
        found[main] = True
        while True:
            away = np.asarray(cKDTree(points[found[group]]).query(points, distance_upper_bound=_TOGETHER)[0])
            more = found.copy()
            more[group[np.isfinite(away)]] = True
            if (more == found).all():
                return found
            found = more

    def crossed(self, rays: Rays) -> NDArray[np.bool_]:
        return self.near(rays.ends)

    @property
    def viewpoint(self) -> Floats | None:
        return np.asarray(self.pose[:3, 3])

    def _nearest(self, points: Floats) -> tuple[NDArray[np.intp], Floats]:
        """The nearest point of each cell of a grid over the picture, and where in the picture each point is, 0 … 1."""
        pixels, depth = project(points, self.pose, self.intrinsics)
        x0, y0, x1, y1 = self.pixels
        share = (pixels - [x0, y0]) / [x1 - x0, y1 - y0]
        cell = np.clip((share * _CELLS).astype(np.int64), 0, _CELLS - 1) @ [1, _CELLS]
        order = np.lexsort((depth, cell))
        return order[np.flatnonzero(np.diff(cell[order], prepend=-1))], share

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
        region: what was picked.
        support: height of the level that it stands on, metres; None where none was found under it.
        planes: those that were taken out as going on beyond the region, the object on their positive side.
        inside: how many returns the region holds, with all that isn't the object's.
        apart: the share of what was left that is another thing's, 0 … 1.
        beyond: points of what hangs together with it outside the region, metres, shape (m, 3).
        rays: that came through the region, where they are known.
    """

    surface: Surface
    region: Region
    support: float | None
    planes: tuple[Bounding, ...]
    inside: int
    apart: float = 0.0
    beyond: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    rays: Rays | None = None


def pick(cloud: Cloud, region: Region, *, isolate: bool = True, seed: int = 0, rays: Rays | None = None) -> Picked:
    """The object in a region.

    What is in it and on no floor or wall is the object's, in however many groups its returns lie: thin legs and what
    hides a part of it take things apart. Groups that go on outside are other things'.

    Args:
        cloud: of the place.
        region: what was picked.
        isolate: whether planes that go on beyond the region, and other things, are taken out.
        seed: of the planes that are tried.
        rays: of the returns that are in the region or passed it, where they are known.

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
    if not isolate:
        return Picked(surface.take(inside), region, None, (), held, rays=rays)
    viewpoint = region.viewpoint
    if viewpoint is None and rays is not None and len(rays):
        viewpoint = np.median(rays.origins, axis=0)
    found = background(surface, inside, region, viewpoint, seed)
    if not (found.own & inside).any():
        raise FitError("holds nothing but surfaces that go on beyond it")
    before = float(surface.weights[found.own & inside].sum())
    kept, beyond = _object(surface, region, found, inside)
    own = surface.take(kept)
    support = found.support
    if support is not None and np.quantile(own.points[:, 2], 0.75) < support + 4 * surface.noise + _FLAT:
        raise FitError("are hardly higher than what they lie on, and can't be told from it")
    if support is not None and own.points[:, 2].min() > support + 0.15:
        support = None
    return Picked(
        own, region, support, found.planes, held, 1 - float(own.weights.sum()) / before, surface.points[beyond], rays
    )


def _object(
    surface: Surface, region: Region, found: Background, inside: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """The points in a region that aren't other things', and those outside that hang together with them."""
    own = found.own
    index = np.flatnonzero(own)
    points, weights, held = surface.points[index], surface.weights[index], inside[index]
    group = groups(points, max(2.0 * surface.spacing, 0.04))
    total = np.bincount(group, weights=weights)
    within = np.bincount(group, weights=weights * held)
    rank = np.zeros(len(total))
    ranked = region.rank(points[held], group[held])
    rank[: len(ranked)] = ranked
    main = int(rank.argmax())
    if within[main] < _LEAST_INSIDE * total[main]:
        raise FitError("are parts of things that go on beyond it")
    mine = within >= _INSIDE * total
    # What is left of a floor or wall lies close to it.
    for plane in found.planes:
        highest = np.zeros(len(total))
        np.maximum.at(highest, group, points @ plane.normal - plane.offset)
        mine &= highest > _FLAT
    mine[main] = True
    mine &= region.along_with(points, group, main)
    kept = np.zeros(len(own), dtype=bool)
    kept[index] = mine[group] & held
    return kept, index[mine[group] & ~held]


def _thinned(cloud: Cloud) -> Cloud:
    """At most so many points that surfaces are found in seconds."""
    cell = 0.01
    while len(cloud) > _MOST:
        cloud = voxel_means(cloud, cell)
        cell *= 1.3
    return cloud
