"""Floors, walls and other surfaces behind or under an object, told from its own faces.

They go on beyond what was picked; so does the front of a refrigerator that stands in a row of cupboards. What tells
them apart is where the object is: before a wall and above a floor, seen from the sensor, and behind its own front.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.clouds import Cloud, Surface, groups
from tolman.geometry.coverage import Bounding
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
        support: height of the level that the object stands on, metres; None where none was found.
    """

    own: NDArray[np.bool_]
    planes: tuple[Bounding, ...]
    support: float | None


def background(
    surface: Surface, inside: NDArray[np.bool_], place: PickedPlace, viewpoint: Floats | None, seed: int
) -> Background:
    """The planes that go on beyond a region and lie behind or under what was picked.

    Args:
        surface: of the region and its surroundings.
        inside: which points are in the region, shape (n,).
        place: what was picked.
        viewpoint: where the sensor was, shape (3,); None where that isn't known: behind is then where fewer points are.
        seed: of the planes that are tried.
    """
    from scipy.spatial import cKDTree

    middle = place.middle(surface.points)
    left = np.ones(len(surface.points), dtype=bool)
    own = left.copy()
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
        away = np.asarray(cKDTree(surface.points[going]).query(surface.points[on])[0])
        on = on[away < 3 * link]
        own[on] = left[on] = False
        planes.append(Bounding(sign * plane.normal, float(sign * plane.offset)))
        if sign * plane.normal[2] > 0.95:
            levels.append(float((plane.offset - plane.normal[:2] @ middle[:2]) / plane.normal[2]))
    below = surface.points[own & inside, 2]
    if not levels or not len(below):
        return Background(own, tuple(planes), None)
    under = [level for level in levels if level < np.quantile(below, 0.2) + 0.05]
    return Background(own, tuple(planes), max(under) if under else None)


def _going_on(
    points: Floats, own: NDArray[np.intp], inside: NDArray[np.bool_], link: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Those of a plane's points that hang together with a good part outside the region; and those with most of it."""
    group = groups(points[own], link)
    sizes, outer = np.bincount(group), np.bincount(group, weights=~inside[own])
    wide = (outer >= 30) & (outer >= _OUTSIDE * sizes)
    return own[wide[group]], own[(wide & (outer >= _OTHERS * sizes))[group]]
