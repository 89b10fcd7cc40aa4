"""Uncertainty of a measured box: space that no return fell on, and other boxes that the region may mean.

A LiDAR ray records its end point and shows that the path to it is free. So the space beyond each end of a box is
followed outwards, column by column, until something bounds it. That is a ray that passed, a floor or wall that was
found, or the picked region. The space between is the gap: the object may extend into it unseen. Curless and Levoy
(1996) fill holes by carving space in this way.

A level box around a turned object holds parts of its neighbours in its corners, and a chair at a table hangs together
with the table. So each part whose owner is open is left out and put in, and the boxes around all choices are compared
with the region. An object is inside the box that was drawn around it, and nearly reaches its sides. The spread of the
boxes that pass is the error that the measurement may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.extras import scipy
from tolman.geometry.boxes import Floats
from tolman.geometry.clouds import Surface
from tolman.geometry.fitting import FitError, FittedBox, fit_box
from tolman.scenes import OrientedBox

_CELLS = 1_500_000
_FINEST = 0.015
_FARTHEST = 4.0
"""Metres that are looked at beyond an end; more than this is said as this."""
_RAYS = 120_000
_CUT = 0.04
"""Points inside and outside the region that are no farther from each other are of one thing, metres."""
_TOUCHING = 5
"""At least so many of them, and one in twenty of those at the end, say that the thing goes on."""
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
    """Rays that a LiDAR measured, from the sensor to the returns.

    Attributes:
        origins: of the sensor, metres, shape (n, 3).
        ends: of the rays, on surfaces, metres, shape (n, 3).
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
    """Return the lengths by which an object may extend unseen, at both ends of each axis of the box around its points.

    Args:
        box: around the points.
        points: of the object, metres, shape (n, 3): it goes on where it was seen to end.
        region: the picked region: the object ends in it.
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
    """Find the ends of a box at which points connected to the object continue outside the region.

    Args:
        box: around the points.
        points: of the object, metres, shape (n, 3).
        beyond: points connected to it outside the region, shape (m, 3).
    """
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
                away = np.asarray(scipy.spatial.cKDTree(last).query(more, distance_upper_bound=_CUT)[0])
                touching = int(np.isfinite(away).sum()) >= max(_TOUCHING, 0.05 * len(last))
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
    """Mark the cells that rays passed, up to a short distance before their ends."""
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
    along = local[:, i] if side else -local[:, i]
    others = [m for m in range(3) if m != i]
    shape = (int(inner[others[0]]), int(inner[others[1]]))
    held = np.zeros(shape, dtype=bool)
    last = local[along > extents[i] / 2 - max(_ENDING, 0.1 * extents[i])]
    index = [
        np.clip(np.floor((last[:, m] / extents[m] + 0.5) * inner[m]).astype(np.int64), 0, inner[m] - 1) for m in others
    ]
    held[index[0], index[1]] = True
    held = scipy.ndimage.binary_dilation(held, iterations=2)
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


_OPEN = 4
"""Parts, beside the greatest, that are put in and left out; 2^5 boxes take half a second."""
_LEAST = 10
_MATTERS = 0.01
"""A part that lies within a box but for so much changes nothing, metres."""
_OUT = 0.04
"""So far may a corner of a fitted box lie outside of the region, metres, …"""
_SHORT, _SHORTER = 0.14, 0.03
"""… and so far, and by such a share of the region, it may be short of its sides."""


_NEARLY_OUT, _NEARLY_SHORT = 0.1, 0.05
_UPRIGHT = np.cos(np.radians(5))


@dataclass(frozen=True)
class RegionParts:
    """Parts of a region's points.

    Attributes:
        surface: all points.
        label: of the part of each, shape (n,).
        own: whether it is the object's by default, shape (n,).
    """

    surface: Surface
    label: NDArray[np.int64]
    own: NDArray[np.bool_]


@dataclass(frozen=True)
class Fit:
    """Fit of a box to a region.

    Attributes:
        out: metres by which corners are outside of it, at the worst side.
        short: metres by which it is short of the region, at the worst side, beyond the margin that people leave.
    """

    out: float
    short: float

    @property
    def good(self) -> bool:
        """True if the region may have been drawn around this box."""
        return self.out <= _OUT and self.short <= 0

    @property
    def nearly(self) -> bool:
        """True if it nearly may: such boxes don't become the value, but they may be in its bound."""
        return self.out <= _NEARLY_OUT and self.short <= _NEARLY_SHORT


@dataclass(frozen=True)
class FittedChoice:
    """A box around some of the parts."""

    surface: Surface
    fitted: FittedBox
    fit: Fit


def fit_in(box: OrientedBox, low: Floats, high: Floats) -> Fit:
    """Hold a box against the level box that was drawn around an object.

    The lower end isn't looked at: a box may well go down into the floor.
    """
    half = (np.abs(np.array(box.axes)) * np.array(box.extents)[:, None] / 2).sum(0)
    center = np.array(box.center)
    beyond = np.array([center - half - low, high - center - half])  # positive: short of the side
    beyond = np.append(beyond[:, :2].ravel(), beyond[1, 2])
    span = (high - low)[[0, 1, 0, 1, 2]]
    return Fit(float(max(0.0, -beyond.min())), float((beyond - _SHORT - _SHORTER * span).max()))


def choices(
    parts: RegionParts, support: float | None, low: Floats, high: Floats, *, upright: bool = True, seed: int = 0
) -> list[FittedChoice]:
    """Return boxes around the parts of a region, the default choice first.

    Args:
        parts: of the region.
        support: height of the surface below the object, metres; None where that isn't known.
        low, high: corners of the region, metres.
        upright, seed: as `fit_box` takes them.

    Raises:
        FitError: the parts that are the object's by default are too few points.
    """

    def choice(held: NDArray[np.bool_]) -> FittedChoice:
        surface = parts.surface.take(held)
        fitted = let_down(fit_box(surface, upright=upright, seed=seed), support)
        return FittedChoice(surface, fitted, fit_in(fitted.box, low, high))

    first = choice(parts.own)
    optional = _open_parts(parts, first.fitted.box)
    found = [first]
    combinations = list(product((True, False), repeat=min(len(optional), 1 + _OPEN)))
    if len(optional) > 1 + _OPEN:
        combinations += [(True, *(False,) * (len(optional) - 1)), (False, *(True,) * (len(optional) - 1))]
    for taken in combinations:
        held = parts.own.copy()
        for part, put_in in zip(optional, taken, strict=False):
            held[parts.label == part] = put_in
        if held.sum() < _LEAST or (held == parts.own).all():
            continue
        try:
            found.append(choice(held))
        except FitError:
            continue
    return found


def meant(found: Sequence[FittedChoice], low: Floats, high: Floats) -> tuple[FittedChoice, list[OrientedBox], bool]:
    """Return the chosen box, the others that the region may mean, and whether the parts were separated at once.

    Args:
        found: all choices, the default first.
        low, high: corners of the region, metres.

    Raises:
        FitError: none of them is a box that the region may have been drawn around.
    """
    good = [choice for choice in found if choice.fit.good]
    first = found[0]
    if not first.fit.good and good:
        first = max(good, key=lambda choice: len(choice.surface.points))
    if first.fit.out > _OUT:
        raise FitError(
            f"make a box that reaches {first.fit.out:.2f} m out of the region, so other things are among them; draw "
            "the region closer around the object alone"
        )
    # Where the default doesn't fit the region, less is sure of the parts.
    sure = found[0].fit.good
    others = [one.fitted.box for one in found if (one.fit.good if sure else one.fit.nearly) and one is not first]
    # Where the region goes on farther than what was seen, the object may, whatever rays passed between thin parts.
    if first.fit.short > 0:
        others += _grown(first.fitted.box, low, high)
    return first, others, sure or first is found[0]


def _grown(box: OrientedBox, low: Floats, high: Floats) -> list[OrientedBox]:
    """A box that is grown along each of its axes, to the side that has more room, until it leaves the region."""
    found = []
    for axis in range(3):
        room = [_room(box, axis, side, low, high) for side in (-1, 1)]
        side = (-1, 1)[int(np.argmax(room))]
        found.append(_longer(box, axis, side, max(room)))
    return found


def _room(box: OrientedBox, axis: int, side: int, low: Floats, high: Floats) -> float:
    """How far an end of a box may move until the box leaves the region, metres."""
    axes, extents, center = np.array(box.axes), np.array(box.extents), np.array(box.center)
    others = [i for i in range(3) if i != axis]
    across = (np.abs(axes[others]) * extents[others, None] / 2).sum(0)
    way = side * axes[axis]
    end = center + way * extents[axis] / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(way > 0, (high - across - end) / way, (low + across - end) / way)
    return float(max(0.0, room[np.abs(way) > 1e-6].min()))


def _longer(box: OrientedBox, axis: int, side: int, by: float) -> OrientedBox:
    extents = list(box.extents)
    extents[axis] += by
    center = np.array(box.center) + side * by / 2 * np.array(box.axes[axis])
    return OrientedBox(center=tuple(center), axes=box.axes, extents=(extents[0], extents[1], extents[2]))


def let_down(fitted: FittedBox, support: float | None) -> FittedBox:
    """Extend a box down to its support."""
    axes, extents = np.array(fitted.box.axes), np.array(fitted.box.extents)
    up = int(np.abs(axes[:, 2]).argmax())
    if support is None or abs(axes[up, 2]) < _UPRIGHT:
        return fitted
    ends = np.array([-extents[up], extents[up]]) / 2
    lower = 0 if axes[up, 2] > 0 else 1
    ends[lower] = (support - fitted.box.center[2]) / axes[up, 2]
    if ends[1] <= ends[0]:
        return fitted
    extents[up] = ends[1] - ends[0]
    center = np.array(fitted.box.center) + axes[up] * ends.mean()
    box = OrientedBox(center=tuple(center), axes=fitted.box.axes, extents=tuple(extents))
    seen = list(fitted.seen)
    # What it stands on ends it as well as a face would.
    seen[up] = (True, seen[up][1]) if lower == 0 else (seen[up][0], True)
    tapers = list(fitted.tapers)
    tapers[up] = (0.0, tapers[up][1]) if lower == 0 else (tapers[up][0], 0.0)
    return replace(fitted, box=box, seen=(seen[0], seen[1], seen[2]), tapers=(tapers[0], tapers[1], tapers[2]))


def _open_parts(parts: RegionParts, box: OrientedBox) -> list[int]:
    """Return the greatest part and the parts that may belong to it and change the box."""
    count = np.bincount(parts.label, minlength=int(parts.label.max(initial=0)) + 1)
    main = int(np.bincount(parts.label[parts.own], minlength=len(count)).argmax())
    axes, half = np.array(box.axes), np.array(box.extents) / 2
    alone = parts.surface.points[parts.label == main] @ axes.T
    ends = np.quantile(alone, [0.005, 0.995], axis=0)
    whole = (parts.surface.points - box.center) @ axes.T
    local = parts.surface.points @ axes.T
    matters = []
    for part in np.argsort(-count).tolist():
        of_it = parts.label == part
        if part == main or count[part] < _LEAST:
            continue
        if parts.own[of_it].any():
            out = np.maximum(ends[0] - local[of_it], local[of_it] - ends[1]).max(1)
        else:
            out = (np.abs(whole[of_it]) - half).max(1)
        if np.quantile(out, 0.9) > _MATTERS:
            matters.append(part)
    return [main, *matters] if matters else []
