"""Regions that people pick, as a box in the cloud or in a frame, and which of their points are the object's.

A region also catches the floor, the wall behind the object and the table below it. All of these go on beyond the
region; an object ends within it. So surfaces that go on outside are removed. The rest is the object; in a frame, it is
the one that is seen before the others.

The front of a refrigerator in a row of cupboards goes on too. Position separates such faces from the background: an
object is before a wall and above a floor, seen from the sensor, and behind its own front.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.extras import scipy
from tolman.geometry.box_uncertainty import Bounding, Rays, RegionParts
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import project
from tolman.geometry.clouds import Cloud, Surface, groups, surface_of, voxel_means
from tolman.geometry.fitting import FitError, fit_plane

_OUTSIDE = 0.3
_PLANES = 10
_OTHERS = 0.7
"""A face of which so much is outside is another thing's, whichever way it looks: the table that a chair stands at."""
_BEHIND, _BEHIND_THIN, _THIN = 0.03, 0.12, 0.36
"""The middle of what was picked may lie so far behind a wall, metres; farther if it is thin, as windows are."""
_LEVEL = 0.15
"""A level on which a thing stands is no higher above the region's lower end, metres: shelves of a bookcase are."""
_ABOVE = 10
_LEVEL_NORMAL = 0.995
"""A level is so flat that its height is the same all over the region."""
_WALL = 0.2
"""Walls are upright: the upward component of their normals is less."""


class PickedPlace(Protocol):
    """A picked region."""

    def middle(self, points: Floats) -> Floats:
        """Its middle, shape (3,)."""
        ...

    def thickness(self, way: Floats) -> float:
        """Extent along a direction, metres; infinite where it doesn't end."""
        ...

    def above(self, points: Floats) -> NDArray[np.bool_]:
        """Find points above its upper end, shape (n,); all where it has no height."""
        ...


@dataclass(frozen=True)
class Background:
    """Surroundings of a region.

    Attributes:
        own: which points are none of it, shape (n,).
        planes: with the object on their positive side.
        support: height of the level that carries the object, metres; None where none was found.
        faces: of each point that is taken out the number of its face, where that may be the object's after all: it is
            neither a wall nor the ground; −1 for all others, shape (n,).
    """

    own: NDArray[np.bool_]
    planes: tuple[Bounding, ...]
    support: float | None
    faces: NDArray[np.int64]


def background(
    surface: Surface, inside: NDArray[np.bool_], place: PickedPlace, viewpoint: Floats | None, seed: int
) -> Background:
    """Find the planes that continue beyond a region and are behind or under the picked object.

    Args:
        surface: of the region and its surroundings.
        inside: which points are in the region, shape (n,).
        place: the picked place.
        viewpoint: where the sensor was, shape (3,); None where that isn't known: behind is then where fewer points are.
        seed: of the planes that are tried.
    """
    middle = place.middle(surface.points)
    left = np.ones(len(surface.points), dtype=bool)
    own = left.copy()
    faces = np.full(len(left), -1)
    planes: list[Bounding] = []
    levels: list[float] = []
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
        on_it = index[plane.inliers]
        left[on_it] = False
        if len(on_it) < 30:
            break
        off = plane.distances(surface.points)
        if viewpoint is not None:
            sign = float(np.sign(plane.normal @ viewpoint - plane.offset))
        else:
            sign = 1.0 if (off > reach).sum() >= (off < -reach).sum() else -1.0
        # Seats of chairs side by side lie in one plane too: what goes on must hang together.
        going, other = _going_on(surface.points, on_it, inside, link)
        own[other] = False
        faces[other] = number
        thick = place.thickness(plane.normal)
        behind = _BEHIND_THIN if thick < _THIN else _BEHIND
        if not len(going) or sign * (plane.normal @ middle - plane.offset) < -behind:
            continue
        # Seats in a row do, and what stands on a level lies above it.
        before = sign * (plane.normal @ middle - plane.offset)
        if abs(plane.normal[2]) > 0.95 and _THIN < thick < np.inf and before < thick / 2 - _LEVEL:
            continue
        # Backs of chairs in a row go on to both sides; a wall, upwards too.
        if abs(plane.normal[2]) < 0.5 and place.above(surface.points[going]).sum() < _ABOVE:
            continue
        # Its rim too, where normals are those of the corner with the object.
        on = np.flatnonzero(np.abs(off) < reach)
        away = np.asarray(scipy.spatial.cKDTree(surface.points[going]).query(surface.points[on])[0])
        on = on[away < 3 * link]
        own[on] = left[on] = False
        is_ground = sign * plane.normal[2] > 0.95 and not _LEVEL < thick / 2 - before < np.inf
        faces[on] = -1 if is_ground or abs(plane.normal[2]) < _WALL else number
        planes.append(Bounding(sign * plane.normal, float(sign * plane.offset)))
        if sign * plane.normal[2] > _LEVEL_NORMAL:
            levels.append(float((plane.offset - plane.normal[:2] @ middle[:2]) / plane.normal[2]))
    below = surface.points[own & inside, 2]
    if not levels or not len(below):
        return Background(own, tuple(planes), None, faces)
    under = [level for level in levels if level < np.quantile(below, 0.2) + 0.05]
    lowest = middle[2] - place.thickness(np.array([0.0, 0.0, 1.0])) / 2
    if np.isfinite(lowest):
        # A box was drawn around the object: of the levels in it, the table below a lamp is larger than the lamp's base,
        # and larger than the frame below the table. Planes are found in the order of their points.
        within = (level for level in under if level >= lowest)
        return Background(own, tuple(planes), next(within, None), faces)
    return Background(own, tuple(planes), max(under, default=None), faces)


def _going_on(
    points: Floats, own: NDArray[np.intp], inside: NDArray[np.bool_], link: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Those of a plane's points that hang together with a good part outside the region; and those with most of it."""
    group = groups(points[own], link)
    sizes, outer = np.bincount(group), np.bincount(group, weights=~inside[own])
    wide = (outer >= 30) & (outer >= _OUTSIDE * sizes)
    return own[wide[group]], own[(wide & (outer >= _OTHERS * sizes))[group]]


_MARGIN, _WIDER_MARGIN = 0.3, 0.25
"""Metres around a region that are looked at, and such a share of its extent where that is more: a floor is told from a
face of the object by how much of it lies outside."""
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
_AROUND_POINT, _AROUND_PIXEL, _AROUND_ANGLE = 0.15, 5.0, 0.2
"""Metres and pixels around a picked point in which it is looked for, and radians around a pixel that are gathered."""
_MOST_VOTES, _FEW_VOTES = 0.6, 0.45
"""Shares of the votes on a point, from which it is the object's, and up to which it is another thing's."""


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

    @classmethod
    def around(cls, point: tuple[float, ...]) -> BoxRegion:
        """Return the region in which the surface next to a point is looked for."""
        low, high = ([x + sign * _AROUND_POINT for x in point] for sign in (-1, 1))
        return cls((low[0], low[1], low[2]), (high[0], high[1], high[2]))

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        return np.asarray(((points >= self.low) & (points <= self.high)).all(1))

    def near(self, points: Floats) -> NDArray[np.bool_]:
        low, high = self._surroundings()
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
        return rays.through(*self._surroundings())

    @property
    def viewpoint(self) -> Floats | None:
        return None

    def _surroundings(self) -> tuple[Floats, Floats]:
        low, high = np.array(self.low), np.array(self.high)
        margin = np.maximum(_MARGIN, _WIDER_MARGIN * (high - low))
        return low - margin, high + margin


@dataclass(frozen=True)
class FrameRegion:
    """A box in a frame.

    Attributes:
        pixels: x0, y0, x1, y1.
        pose: camera → scene, shape (4, 4).
        intrinsics: fx, fy, cx, cy in pixels.
        reach: farther points are left out, metres.
        margin: of its surroundings on each side, a share of its width and height.
    """

    pixels: tuple[float, float, float, float]
    pose: Floats
    intrinsics: tuple[float, float, float, float]
    reach: float = 60.0
    margin: float = 0.5

    @classmethod
    def around(
        cls, pixel: tuple[float, ...], pose: Floats, intrinsics: tuple[float, float, float, float]
    ) -> FrameRegion:
        """Return the region in which the surface next to a pixel is looked for, and its surroundings."""
        (x, y), reach = pixel, _AROUND_PIXEL
        margin = _AROUND_ANGLE * intrinsics[0] / (2 * reach)
        return cls((x - reach, y - reach, x + reach, y + reach), pose, intrinsics, margin=margin)

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        return self._held(points, 0.0)

    def near(self, points: Floats) -> NDArray[np.bool_]:
        return self._held(points, self.margin)

    def rank(self, points: Floats, group: NDArray[np.int64]) -> Floats:
        """In how many of the cells of a grid over the picture each group is nearest."""
        first, _ = self._nearest(points)
        return np.bincount(group[first], minlength=int(group.max()) + 1).astype(np.float64)

    def middle(self, points: Floats) -> Floats:
        """Return the middle of the nearest points in the middle of the picture."""
        inside = points[self.inside(points)]
        first, share = self._nearest(inside)
        central = first[(np.abs(share[first] - 0.5) < 0.25).all(1)]
        return np.asarray(np.median(inside[central if len(central) else first], axis=0))

    def thickness(self, way: Floats) -> float:
        return float("inf")

    def above(self, points: Floats) -> NDArray[np.bool_]:
        return np.ones(len(points), dtype=bool)

    def along_with(self, points: Floats, group: NDArray[np.int64], main: int) -> NDArray[np.bool_]:
        # Step by step, those that are near to it or to what belongs to it.
        found = np.zeros(int(group.max()) + 1, dtype=bool)
        found[main] = True
        while True:
            away = np.asarray(
                scipy.spatial.cKDTree(points[found[group]]).query(points, distance_upper_bound=_TOGETHER)[0]
            )
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
        region: the picked region.
        support: height of the level that carries it, metres; None where none was found under it.
        planes: those that were taken out as going on beyond the region, the object on their positive side.
        inside: how many returns the region holds, with all that isn't the object's.
        apart: the share of the remaining points that is another thing's, 0 … 1.
        beyond: points connected to it outside the region, metres, shape (m, 3).
        rays: that came through the region, where they are known.
        parts: of the region's points; None where nothing was isolated.
    """

    surface: Surface
    region: Region
    support: float | None
    planes: tuple[Bounding, ...]
    inside: int
    apart: float = 0.0
    beyond: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    rays: Rays | None = None
    parts: RegionParts | None = None


class Votes(Protocol):
    """Votes of masks on points."""

    def __call__(self, points: Floats, inside: NDArray[np.bool_]) -> Floats:
        """Return the share of votes for each point being the picked object's, NaN for unseen ones, shape (n,)."""
        ...


def pick(
    cloud: Cloud,
    region: Region,
    *,
    isolate: bool = True,
    seed: int = 0,
    rays: Rays | None = None,
    votes: Votes | None = None,
) -> Picked:
    """Return the object in a region.

    Returns in the region that are on no floor or wall are the object's, in any number of groups: thin legs and
    occlusion split things. Groups that go on outside are other things'.

    Args:
        cloud: of the place.
        region: the picked region.
        isolate: whether planes that go on beyond the region, and other things, are taken out.
        seed: of the planes that are tried.
        rays: of the returns that are in the region or passed it, where they are known.
        votes: of masks, where there are any: they separate things that touch. A point that no picture shows has the
            vote of the nearest one on the same surface.

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
    voted = None
    if votes is not None:
        voted = _continued(surface, votes(surface.raw, inside))
        # Floors and walls stay out: the rims of masks are blurred, and hold parts of them.
        mine = (found.own & ~(voted <= _FEW_VOTES)) | ((found.faces >= 0) & (voted >= _MOST_VOTES))
        found = replace(found, own=mine, faces=np.where(np.isnan(voted), found.faces, -1))
    if not (found.own & inside).any():
        raise FitError("holds nothing but surfaces that go on beyond it")
    before = float(surface.weights[found.own & inside].sum())
    kept, beyond, group = _object(surface, region, found, inside, voted)
    own = surface.take(kept)
    support = found.support
    if support is not None and np.quantile(own.points[:, 2], 0.75) < support + 4 * surface.noise + _FLAT:
        raise FitError("are hardly higher than what they lie on, and can't be told from it")
    return Picked(
        own,
        region,
        support,
        found.planes,
        held,
        1 - float(own.weights.sum()) / before,
        surface.points[beyond],
        rays,
        _parts(surface, found.faces, group, inside, kept),
    )


def _continued(surface: Surface, share: Floats) -> Floats:
    """Votes, with those of the nearest voted point of the same surface for points that have none."""
    known = np.flatnonzero(~np.isnan(share))
    if not len(known) or len(known) == len(share):
        return share
    unknown = np.flatnonzero(np.isnan(share))
    reach = max(2.5 * surface.spacing, 0.05)
    away, nearest = scipy.spatial.cKDTree(surface.points[known]).query(surface.points[unknown])
    to = known[nearest]
    between = surface.points[unknown] - surface.points[to]
    # On the same surface, a step leads along it: across both normals.
    off = np.maximum(*(np.abs((between * surface.normals[one]).sum(1)) for one in (unknown, to)))
    same = (away < reach) & (off < max(3 * surface.noise, 0.01))
    found = share.copy()
    found[unknown[same]] = share[to[same]]
    return found


def _object(
    surface: Surface,
    region: Region,
    found: Background,
    inside: NDArray[np.bool_],
    voted: Floats | None = None,
) -> tuple[NDArray[np.bool_], NDArray[np.intp], NDArray[np.int64]]:
    """The points in a region that aren't other things', those outside that hang together with them, and the group of
    each point, −1 on surfaces that were taken out."""
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
    if voted is not None:
        # Where masks show a group, they say whose it is.
        yes = np.bincount(group, weights=np.nan_to_num(voted[index]) >= 0.5)
        shown = np.bincount(group, weights=~np.isnan(voted[index]))
        if shown.any():
            mine = np.where(shown > 0, yes >= 0.5 * shown, mine)
    mine &= region.along_with(points, group, main)
    kept = np.zeros(len(own), dtype=bool)
    kept[index] = mine[group] & held
    numbers = np.full(len(own), -1)
    numbers[index] = group
    return kept, index[mine[group] & ~held], numbers


def _parts(
    surface: Surface,
    faces: NDArray[np.int64],
    group: NDArray[np.int64],
    inside: NDArray[np.bool_],
    kept: NDArray[np.bool_],
) -> RegionParts:
    """Return a region's parts: groups of points, and faces that were taken out and are no wall or ground."""
    label = np.where(group >= 0, group, np.where(faces >= 0, faces + group.max() + 1, -1))
    held = inside & (label >= 0)
    return RegionParts(surface.take(held), np.unique(label[held], return_inverse=True)[1], kept[held])


def _thinned(cloud: Cloud) -> Cloud:
    """At most so many points that surfaces are found in seconds."""
    cell = 0.01
    while len(cloud) > _MOST:
        cloud = voxel_means(cloud, cell)
        cell *= 1.3
    return cloud
