"""Egocentric directions: standing at one place, facing another, where is a third?

Angles are in degrees, counter-clockwise seen from above, from the facing direction: 0 is ahead, 90 left, 180 behind,
270 right. Only x and y count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tolman.geometry.boxes import Floats

QUADRANTS = (
    (0.0, 90.0, "front-left"),
    (90.0, 180.0, "back-left"),
    (180.0, 270.0, "back-right"),
    (270.0, 360.0, "front-right"),
)
"""The hard question's sectors."""
THIRDS = ((0.0, 135.0, "left"), (135.0, 225.0, "back"), (225.0, 360.0, "right"))
"""The medium question's sectors: behind is where one turns by at least 135°."""
HALVES = ((0.0, 180.0, "left"), (180.0, 360.0, "right"))
"""The easy question's sectors."""

Sectors = Sequence[tuple[float, float, str]]


def egocentric_angle(position: ArrayLike, facing: ArrayLike, query: ArrayLike) -> Floats:
    """The direction of a query, 0 ≤ angle < 360.

    Args:
        position, facing, query: points, shapes (…, 2) or (…, 3) that broadcast.
    """
    origin = np.asarray(position, dtype=np.float64)[..., :2]
    ahead = np.asarray(facing, dtype=np.float64)[..., :2] - origin
    toward = np.asarray(query, dtype=np.float64)[..., :2] - origin
    cross = ahead[..., 0] * toward[..., 1] - ahead[..., 1] * toward[..., 0]
    dot = (ahead * toward).sum(-1)
    return np.asarray(np.degrees(np.arctan2(cross, dot)) % 360.0)


def sector_of(angle: float, sectors: Sectors) -> str:
    """The name of the sector that an angle lies in; a boundary belongs to the sector that begins there."""
    return _sector(angle % 360.0, sectors)[2]


def boundary_gap(angle: float, sectors: Sectors) -> tuple[float, float]:
    """Margins of an angle to the boundary behind it and to the one ahead, in degrees."""
    angle = angle % 360.0
    low, high, _ = _sector(angle, sectors)
    return angle - low, high - angle


def _sector(angle: float, sectors: Sectors) -> tuple[float, float, str]:
    """The sector that an angle from 0 to 360 lies in."""
    for sector in sectors:
        if sector[0] <= angle < sector[1]:
            return sector
    raise ValueError(f"{angle} is no direction")
