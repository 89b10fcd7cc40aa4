"""Regions that no return fell on: the lengths by which an object may extend beyond its points.

A ray that a LiDAR measured tells two things: where it ended, and that nothing was on its way. So beyond each end of a
box around an object's points, the space is gone through outwards, column by column, until something bounds it: a ray
that passed, a floor or wall that was found, or the region that was picked. What lies between is the gap; there the
object may go on, and no return can tell (the carving of space that Curless and Levoy 1996 fill holes by).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.scenes import OrientedBox

_CELLS = 1_500_000
_FINEST = 0.015
_FARTHEST = 4.0
"""Metres that are looked at beyond an end; more than this is said as this."""
_RAYS = 120_000
_CUT = 0.04
"""Points inside and outside the region that are no farther from each other are of one thing, metres."""
_ENDING = 0.1
"""Points so close to an end say where it is, metres."""
_SHARE = 0.9
"""Of the columns of an end, those with greater gaps are chance: no ray came just there."""


class Inside(Protocol):
    """Bounds of a region."""

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """Find points in the region, shape (n,)."""
        ...


@dataclass(frozen=True)
class Rays:
    """Rays that a LiDAR measured: from where, and where to.

    Attributes:
        origins: of the sensor, metres, shape (n, 3).
        ends: what was met, metres, shape (n, 3).
    """

    origins: Floats
    ends: Floats

    def __len__(self) -> int:
        return len(self.ends)

    def through(self, low: Floats, high: Floats) -> NDArray[np.bool_]:
        """Find rays that come to or through an upright box, shape (n,)."""
        first, last = _span(self.origins, self.ends - self.origins, low, high)
        return np.asarray(first <= last)


@dataclass(frozen=True)
class Bounding:
    """A plane that ends an object.

    Attributes:
        normal: unit vector, to the side that the object is on.
        offset: normal · x of its points, metres.
    """

    normal: Floats
    offset: float


def gaps(
    box: OrientedBox,
    points: Floats,
    region: Inside,
    rays: Rays | None,
    planes: Sequence[Bounding],
    noise: float,
) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    """Lengths by which an object may extend unseen, at both ends of each axis of the box around its points.

    Args:
        box: around the points.
        points: of the object, metres, shape (n, 3): it goes on where it was seen to end.
        region: what was picked: the object ends in it.
        rays: that came through the region; None where they aren't known.
        planes: floors and walls around it.
        noise: the standard deviation of a return, metres.

    Returns:
        Metres.
    """
    axes, extents = np.array(box.axes), np.array(box.extents)
    center = np.array(box.center)
    # The grid goes as far out as the region does, and no farther than is looked at.
    rough = _reach(box, region, _FINEST)
    cell = max(_FINEST, float(np.prod(extents + rough.sum(1) * _FINEST) / _CELLS) ** (1 / 3))
    reach = np.maximum(1, np.ceil(rough * _FINEST / cell).astype(np.int64))
    inner = np.maximum(1, np.round(extents / cell).astype(np.int64))
    sizes = extents / inner
    shape = inner + reach.sum(1)
    low = -extents / 2 - reach[:, 0] * cell
    edges = [_edges(low[i], reach[i, 0], inner[i], reach[i, 1], sizes[i], cell) for i in range(3)]
    free = np.zeros(tuple(shape), dtype=bool)
    if rays is not None and len(rays):
        _carve(free, rays, axes, center, edges, cell, 2.5 * noise + cell)
    local = (points - center) @ axes.T
    found = []
    for i in range(3):
        pair = []
        for side in (0, 1):
            near = _ending(local, i, side, extents, inner)
            pair.append(_gap(free, near, i, side, inner, reach, edges, cell, (axes, center), region, planes))
        found.append((pair[0], pair[1]))
    return found[0], found[1], found[2]


def cuts(
    box: OrientedBox, points: Floats, beyond: Floats
) -> tuple[tuple[bool, bool], tuple[bool, bool], tuple[bool, bool]]:
    """At which ends of a box what hangs together with the object goes on outside of the region.

    Args:
        box: around the points.
        points: of the object, metres, shape (n, 3).
        beyond: of what hangs together with it outside, shape (m, 3).
    """
    from scipy.spatial import cKDTree

    axes, half = np.array(box.axes), np.array(box.extents) / 2
    local, outer = (points - box.center) @ axes.T, (beyond - box.center) @ axes.T
    found = []
    for i in range(3):
        pair = []
        for sign in (-1, 1):
            last = local[sign * local[:, i] > half[i] - _CUT]
            more = outer[sign * outer[:, i] > half[i] - _CUT / 2]
            touching = False
            if len(last) and len(more):
                away = np.asarray(cKDTree(last).query(more, distance_upper_bound=_CUT)[0])
                touching = int(np.isfinite(away).sum()) >= max(10, 0.2 * len(last))
            pair.append(touching)
        found.append((pair[0], pair[1]))
    return found[0], found[1], found[2]


def _reach(box: OrientedBox, region: Inside, step: float) -> NDArray[np.int64]:
    """Number of steps by which the region goes on beyond each end of a box, shape (3, 2)."""
    axes, extents, center = np.array(box.axes), np.array(box.extents), np.array(box.center)
    along = (np.arange(int(np.ceil(_FARTHEST / step))) + 0.5) * step
    found = np.zeros((3, 2), dtype=np.int64)
    for i in range(3):
        for side, sign in enumerate((-1, 1)):
            steps = center + sign * (extents[i] / 2 + along)[:, None] * axes[i]
            held = region.inside(_spread(steps, axes, extents, i)).reshape(len(along), -1).any(1)
            found[i, side] = max(1, int(held.sum()))
    return found


def _spread(along: Floats, axes: Floats, extents: Floats, i: int) -> Floats:
    """Places over the cross-section of a box at some places along its axis."""
    j, k = (m for m in range(3) if m != i)
    across = [
        u * extents[j] / 2 * axes[j] + v * extents[k] / 2 * axes[k] for u in (-0.7, 0, 0.7) for v in (-0.7, 0, 0.7)
    ]
    return np.asarray((along[:, None] + np.array(across)).reshape(-1, 3))


def _edges(low: float, before: int, inner: int, after: int, size: float, cell: float) -> Floats:
    widths = np.concatenate([np.full(before, cell), np.full(inner, size), np.full(after, cell)])
    return np.asarray(low + np.concatenate([[0.0], np.cumsum(widths)]))


def _carve(
    free: NDArray[np.bool_], rays: Rays, axes: Floats, center: Floats, edges: list[Floats], step: float, short: float
) -> None:
    """Mark the cells that rays passed, up to some way before what they met."""
    origins, ends = (rays.origins - center) @ axes.T, (rays.ends - center) @ axes.T
    if len(ends) > _RAYS:
        some = np.random.default_rng(0).choice(len(ends), _RAYS, replace=False)
        origins, ends = origins[some], ends[some]
    low, high = np.array([e[0] for e in edges]), np.array([e[-1] for e in edges])
    ways = ends - origins
    lengths = np.linalg.norm(ways, axis=1)
    first, last = _span(origins, ways, low, high)
    last = np.minimum(last, 1 - short / np.maximum(lengths, 1e-9))
    crossing = first < last
    origins, ways, lengths = origins[crossing], ways[crossing], lengths[crossing]
    first, last = first[crossing], last[crossing]
    counts = np.maximum(1, np.ceil((last - first) * lengths / step).astype(np.int64))
    for start in range(0, len(ways), 4096):
        part = slice(start, start + 4096)
        ray = np.repeat(np.arange(len(counts[part])), counts[part])
        number = np.arange(len(ray)) - np.repeat(np.cumsum(counts[part]) - counts[part], counts[part])
        share = first[part][ray] + (number + 0.5) / counts[part][ray] * (last - first)[part][ray]
        at = origins[part][ray] + ways[part][ray] * share[:, None]
        index = [np.clip(np.searchsorted(e, at[:, i], side="right") - 1, 0, len(e) - 2) for i, e in enumerate(edges)]
        free[index[0], index[1], index[2]] = True


def _ending(local: Floats, i: int, side: int, extents: Floats, inner: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The columns of an end in which, or close to which, points of the object were seen to end there, flat."""
    from scipy.ndimage import binary_dilation

    along = local[:, i] if side else -local[:, i]
    others = [m for m in range(3) if m != i]
    shape = (int(inner[others[0]]), int(inner[others[1]]))
    held = np.zeros(shape, dtype=bool)
    last = local[along > extents[i] / 2 - max(_ENDING, 0.1 * extents[i])]
    index = [
        np.clip(np.floor((last[:, m] / extents[m] + 0.5) * inner[m]).astype(np.int64), 0, inner[m] - 1) for m in others
    ]
    held[index[0], index[1]] = True
    held = binary_dilation(held, iterations=2)
    return np.asarray(held.ravel() if held.any() else np.ones(held.size, dtype=bool))


def _gap(
    free: NDArray[np.bool_],
    near: NDArray[np.bool_],
    i: int,
    side: int,
    inner: NDArray[np.int64],
    reach: NDArray[np.int64],
    edges: list[Floats],
    cell: float,
    frame: tuple[Floats, Floats],
    region: Inside,
    planes: Sequence[Bounding],
) -> float:
    """The gap at one end."""
    axes, center = frame
    ranges = [np.arange(reach[m, 0], reach[m, 0] + inner[m]) for m in range(3)]
    out = np.arange(reach[i, 0] - 1, -1, -1) if side == 0 else np.arange(reach[i, 0] + inner[i], free.shape[i])
    ranges[i] = out
    open_ = np.moveaxis(free[np.ix_(*ranges)], i, 0).reshape(len(out), -1)
    middles = [(edges[m][ranges[m]] + edges[m][ranges[m] + 1]) / 2 for m in range(3)]
    grid = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1)
    places = np.moveaxis(grid, i, 0).reshape(-1, 3) @ axes + center
    bounded = ~region.inside(places)
    for plane in planes:
        bounded |= places @ plane.normal < plane.offset
    ended = open_ | bounded.reshape(open_.shape)
    runs = np.where(ended.any(0), ended.argmax(0), len(out))
    return float(np.quantile(runs[near], _SHARE) * cell)


def _span(origins: Floats, ways: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """From where to where rays are in a box, in shares of their ways, 0 … 1; the first greater for those that miss."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - origins) / ways, (high - origins) / ways
    first = np.nanmax(np.minimum(a, b), axis=1, initial=0.0)
    last = np.nanmin(np.maximum(a, b), axis=1, initial=1.0)
    # Across to an axis, a ray is beside the box or not.
    beside = ((ways == 0) & ((origins < low) | (origins > high))).any(1)
    return first, np.where(beside, -1.0, last)
