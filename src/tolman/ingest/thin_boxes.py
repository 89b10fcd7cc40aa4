"""Thin things seen from one side: the wall, floor or table around them shows where they end.

Their front is the median plane of their points, as the noise of depth is often thicker than they are. A thing before
its wall ends there. The back of a thing in an opening, as a window or a door's leaf, isn't seen: a pane is in the
middle of the frame around it, and everything there is at least `_LEAF` thick. Curtains hide the ends of such things, so
the opening goes on where readings are behind the wall's face.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.scenes import OrientedBox

CELL = 0.02
"""Metres between points of fused depth, and the least thickness."""
MIN_POINTS = 40
_THIN = 0.15
"""Metres of thickness up to which a thing is thin."""
_HUNG = 0.12
"""Metres from a thin thing's front to its wall or table, at most."""
_FLAT = 3.0
"""How many times its thickness a flat thing is long and wide."""
_LEAF = 0.05
"""Least thickness of things in an opening, metres: leaves of doors have 4 cm, frames of windows 6 cm and more."""
_RIM, _MIDDLE = 0.04, 0.08
"""Metres from the ends of a flat thing up to which its rim is looked for, and from which its middle."""
_AROUND = 0.24
"""Metres around a thing in which its wall is looked for."""
_SHARE = 0.4
"""Share of the readings around a thing that its wall has."""
_OPENING, _STEP, _FEWEST = 0.48, 0.04, 5
"""Metres beyond a thing's end up to which its opening goes on, the step, and the fewest readings of one."""


def backed(box: OrientedBox, points: Floats, cameras: Floats, readings: Callable[[Floats], Floats]) -> OrientedBox:
    """Find the ends of a thin box that is seen from one side; others are at least `CELL` thick.

    Args:
        box: whose ends are those of its points.
        points: of the thing, shape (n, 3).
        cameras: the places from which it is seen, shape (m, 3).
        readings: called with places, shape (p, 3), gives the measured points around there, shape (q, 3).
    """
    axes, half = np.array(box.axes), np.array(box.extents) / 2
    i = int(half.argmin())
    low, high = -np.maximum(half, CELL / 2), np.maximum(half, CELL / 2)
    sides = (cameras - box.center) @ axes[i] > 0
    if 2 * half[i] > _THIN or 0.1 < sides.mean() < 0.9:
        return _between(box, low, high)
    axes[i] *= 1.0 if sides.mean() > 0.5 else -1.0  # towards the cameras
    local = (readings(_places(box, i)) - box.center) @ axes.T
    beyond = np.delete(np.abs(local) - half, i, axis=1).max(1)
    wall = _plane(local[(beyond > CELL) & (beyond < _AROUND) & (np.abs(local[:, i]) < _THIN + half[i]), i])
    if wall is None:
        return _between(box, low, high)
    if np.delete(half, i).min() <= _FLAT * half[i]:
        if 0 < -half[i] - wall < _HUNG - 2 * half[i]:
            low[i] = wall
    else:
        own = (points - box.center) @ axes.T
        inset = np.delete(half - np.abs(own), i, axis=1).min(1)
        rim, inner = (own[which, i] for which in (inset < _RIM, inset > _MIDDLE))
        middle = float(np.median(inner if len(inner) >= MIN_POINTS else own[:, i]))
        front = max(middle, float(np.median(rim)) if len(rim) >= MIN_POINTS else middle)
        if wall > front + CELL:
            thickness = max(2 * (front - middle), _LEAF)
            high[i] = middle + thickness / 2 if front - middle > CELL / 2 else front
            low[i] = high[i] - thickness
            for j, sign in itertools.product([m for m in range(3) if m != i], (-1, 1)):
                more = _hidden(local, half, (i, j), sign, wall)
                low[j], high[j] = (low[j] - more, high[j]) if sign < 0 else (low[j], high[j] + more)
        else:
            high[i] = front
            low[i] = min(wall if front - wall < _HUNG else low[i], front - CELL)
    if sides.mean() < 0.5:
        low[i], high[i] = -high[i], -low[i]
    return _between(box, low, high)


def _between(box: OrientedBox, low: Floats, high: Floats) -> OrientedBox:
    """A box with other ends along its axes, from its centre."""
    center = np.array(box.center) + (low + high) / 2 @ np.array(box.axes)
    return box.model_copy(update={"center": tuple(center.tolist()), "extents": tuple((high - low).tolist())})


def _places(box: OrientedBox, axis: int) -> Floats:
    """Places around a box in the plane across an axis, shape (n, 3)."""
    axes, half = np.array(box.axes), np.array(box.extents) / 2
    j, k = (m for m in range(3) if m != axis)
    outwards = np.arange(_STEP / 2, _OPENING, _STEP / 2)
    apart = np.array(list(itertools.product((-1, 1), outwards, np.linspace(-0.8, 0.8, 7))))
    return np.concatenate(
        [
            box.center + apart[:, :1] * (half[m] + apart[:, 1:2]) * axes[m] + apart[:, 2:] * half[n] * axes[n]
            for m, n in ((j, k), (k, j))
        ]
    )


def _plane(heights: Floats) -> float | None:
    """The height that the most readings agree on, if enough do."""
    heights = np.sort(heights)
    if len(heights) < MIN_POINTS:
        return None
    count = np.searchsorted(heights, heights + 2 * CELL) - np.arange(len(heights))
    best = int(count.argmax())
    agreed: NDArray[np.float64] = heights[best : best + count[best]]
    return float(np.median(agreed)) if len(agreed) >= _SHARE * len(heights) else None


def _hidden(local: Floats, half: Floats, axes: tuple[int, int], sign: int, wall: float) -> float:
    """How far an opening goes on beyond an end, metres: up to where readings are on the wall, 0 if they never are."""
    across, along = axes
    (other,) = {0, 1, 2} - set(axes)
    outwards = sign * local[:, along] - half[along]
    level = np.abs(local[:, other]) < 0.9 * half[other]
    for start in np.arange(0.0, _OPENING, _STEP):
        heights = local[level & (outwards >= start) & (outwards < start + _STEP), across]
        if len(heights) < _FEWEST:
            return 0.0
        if np.median(heights) > wall - CELL:
            return float(start)
    return 0.0
