"""Path geometry: short ways over a walkable floor, with rounded corners, and closed lanes for vehicles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import KDTree

from tolman.geometry.boxes import Floats

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry


_CELL = 0.08


class WalkableFloor:
    """Shortest ways over a walkable floor.

    Args:
        walkable: where the middle of a walker can be.
        places: points that ways lead between, shape (n, 2).
    """

    def __init__(self, walkable: BaseGeometry, places: Floats) -> None:
        self.area = max(shapely.get_parts(walkable), key=lambda part: float(part.area))
        shapely.prepare(self.area)
        low_x, low_y, high_x, high_y = self.area.bounds
        x, y = np.meshgrid(np.arange(low_x, high_x, _CELL), np.arange(low_y, high_y, _CELL), indexing="ij")
        inside = shapely.contains_xy(self.area, x, y)
        numbers: NDArray[np.int64] = np.full(inside.shape, -1, dtype=np.int64)
        numbers[inside] = np.arange(inside.sum())
        self.nodes = np.concatenate([np.column_stack([x[inside], y[inside]]), places])
        rows, columns, costs = [], [], []
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            a = numbers[: numbers.shape[0] - dx, max(0, -dy) : numbers.shape[1] - max(0, dy)]
            b = numbers[dx:, max(0, dy) : numbers.shape[1] - max(0, -dy)]
            both = (a >= 0) & (b >= 0)
            rows.append(a[both])
            columns.append(b[both])
            costs.append(np.full(int(both.sum()), _CELL * np.hypot(dx, dy)))
        first = int(inside.sum())
        self.first = first
        # The four nearest cells, of those equally far the first: at most twelve of the sixteen are equally far.
        ranks = range(1, min(16, first) + 1)
        found = KDTree(self.nodes[:first]).query(places, k=ranks)[1] if first else np.empty((len(places), 0), np.intp)
        close = np.sort(found, axis=1)
        near = np.linalg.norm(self.nodes[close] - places[:, None], axis=2)
        nearest = np.argsort(near, axis=1, kind="stable")[:, :4]
        rows.append(np.repeat(first + np.arange(len(places)), nearest.shape[1]))
        columns.append(np.take_along_axis(close, nearest, axis=1).ravel())
        costs.append(np.take_along_axis(near, nearest, axis=1).ravel() + 1e-9)
        shape = (len(self.nodes), len(self.nodes))
        graph = coo_matrix((np.concatenate(costs), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
        self._graph = graph.tocsr()
        self.room = self.area.buffer(0.1)
        shapely.prepare(self.room)
        self._trees: dict[int, tuple[Floats, Floats]] = {}
        self._ways: dict[tuple[int, int], Floats] = {}

    def length(self, a: int, b: int) -> float:
        """Metres from one place to another; infinite where no way leads."""
        return float(self._from(a)[0][self.first + b])

    def way(self, a: int, b: int) -> Floats:
        """The points of a short way, the ends included, pulled straight where that is free, shape (k, 2)."""
        if (a, b) in self._ways:
            return self._ways[a, b]
        before = self._from(a)[1]
        node, path = self.first + b, []
        while node >= 0:
            path.append(self.nodes[node])
            node = int(before[node])
        points = np.array(path[::-1])
        kept, at = [points[0]], 0
        while at < len(points) - 1:
            reach = len(points) - 1
            while reach > at + 1 and not self.area.covers(shapely.LineString([points[at], points[reach]])):
                reach -= 1
            kept.append(points[reach])
            at = reach
        self._ways[a, b] = np.array(kept)
        return self._ways[a, b]

    def _from(self, a: int) -> tuple[Floats, Floats]:
        if a not in self._trees:
            found = dijkstra(self._graph, directed=False, indices=[self.first + a], return_predecessors=True)
            self._trees[a] = (found[0][0], found[1][0])
        return self._trees[a]


def round_path(path: Floats, ground: WalkableFloor, along: Floats) -> Floats:
    """Points so far along a path whose corners are cut round where that is free, shape (n, 2)."""
    line = path[np.append(True, np.linalg.norm(np.diff(path, axis=0), axis=1) > 1e-6)]
    if len(line) == 1:
        return np.repeat(line, len(along), axis=0)
    length = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    for _ in range(3):
        cut = np.stack([line[:-1] * 0.75 + line[1:] * 0.25, line[:-1] * 0.25 + line[1:] * 0.75], axis=1).reshape(-1, 2)
        softer = np.concatenate([line[:1], cut, line[-1:]])
        if not ground.room.covers(shapely.LineString(softer)):
            break
        line = softer
    steps = np.append(0.0, np.linalg.norm(np.diff(line, axis=0), axis=1).cumsum())
    wanted = along / length * steps[-1]
    return np.column_stack([np.interp(wanted, steps, line[:, i]) for i in range(2)])


Traveller = Literal["car", "bicycle"]
_STEP = 0.25
"""Metres between the points of an arc."""


@dataclass(frozen=True)
class Lane:
    """A closed way.

    Attributes:
        user: the vehicles that drive there.
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
