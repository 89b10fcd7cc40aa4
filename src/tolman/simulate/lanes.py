"""Lanes: closed ways that vehicles drive along, with arcs for corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from tolman.geometry.boxes import Floats

Traveller = Literal["car", "bicycle"]
_STEP = 0.25
"""Metres between the points of an arc."""


@dataclass(frozen=True)
class Lane:
    """A closed way.

    Attributes:
        user: what drives there.
        points: of the way on the floor plan, the first not repeated, shape (n, 2), metres.
        height: of the ground, metres.
        speeds: the least and the greatest that is driven where nothing is in the way, metres a second.
    """

    user: Traveller
    points: Floats
    height: float
    speeds: tuple[float, float]

    @property
    def length(self) -> float:
        """Metres once around."""
        return float(self._marks[-1])

    @cached_property
    def _closed(self) -> Floats:
        return np.concatenate([self.points, self.points[:1]])

    @cached_property
    def _marks(self) -> Floats:
        return np.append(0.0, np.linalg.norm(np.diff(self._closed, axis=0), axis=1).cumsum())

    def at(self, along: Floats) -> Floats:
        """Points so many metres along the way, shape (n, 2)."""
        wrapped = np.mod(along, self._marks[-1])
        return np.stack([np.interp(wrapped, self._marks, self._closed[:, i]) for i in range(2)], axis=-1)

    def turned(self, yaw: float) -> Lane:
        """The same, turned about the origin (radians)."""
        c, s = np.cos(yaw), np.sin(yaw)
        return Lane(self.user, self.points @ np.array([[c, s], [-s, c]]), self.height, self.speeds)


def rounded(corners: Sequence[tuple[float, float]], radius: float) -> Floats:
    """A closed polygon whose corners are arcs of a radius, or of less where there is no room, shape (n, 2)."""
    places = np.array(corners, dtype=np.float64)
    found: list[Floats] = []
    for before, here, after in zip(np.roll(places, 1, axis=0), places, np.roll(places, -1, axis=0), strict=True):
        back, on = before - here, after - here
        reach = min(np.linalg.norm(back), np.linalg.norm(on)) * 0.499
        back, on = back / np.linalg.norm(back), on / np.linalg.norm(on)
        half = np.arccos(np.clip(back @ on, -1, 1)) / 2
        cut = min(radius / np.tan(half), reach)
        own = cut * np.tan(half)
        middle = here + (back + on) / np.linalg.norm(back + on) * own / np.sin(half)
        first, last = here + back * cut - middle, here + on * cut - middle
        start = np.arctan2(first[1], first[0])
        turn = (np.arctan2(last[1], last[0]) - start + np.pi) % (2 * np.pi) - np.pi
        angles = start + np.linspace(0, turn, max(3, int(abs(turn) * own / _STEP)))
        found.append(middle + own * np.column_stack([np.cos(angles), np.sin(angles)]))
    return np.concatenate(found)
