"""Boxes, polygons and masks in a picture: what lies in them, how far something is from them, and a point inside.

Coordinates are x to the right and y down, both in one unit: pixels, or shares of the picture's width and height. What
lies on an edge is inside. A pixel of a mask is the square from its indices to the next.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tolman.scoring.regions.run_lengths import decode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

EDGE = 1e-6
"""How far outside of an edge a point still lies on it, as a share of the shape's extent: rounding of floats."""
TINY = 1e-300
"""Least squared length of an edge that is divided by."""
MAX_VERTICES = 10_000
"""Vertices of a polygon, at most."""
Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A box with its sides along those of the picture, x0 < x1 and y0 < y1."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def bounds(self) -> Box:
        """The least box around it: itself."""
        return self

    @property
    def area(self) -> float:
        """Its area, in the square of the unit."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    @property
    def middle(self) -> Point:
        """A point inside: its centre."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def contains(self, points: Floats) -> Bools:
        """Which points lie inside. Shape (points, 2) to (points,)."""
        x, y = points.T
        dx, dy = EDGE * (self.x1 - self.x0), EDGE * (self.y1 - self.y0)
        found: Bools = (x >= self.x0 - dx) & (x <= self.x1 + dx) & (y >= self.y0 - dy) & (y <= self.y1 + dy)
        return found

    def distance(self, point: Point) -> float:
        """The distance of a point, 0 inside."""
        x, y = point
        return math.hypot(max(self.x0 - x, 0.0, x - self.x1), max(self.y0 - y, 0.0, y - self.y1))

    def scaled(self, by_x: float, by_y: float) -> Box:
        """The same on another scale."""
        return Box(self.x0 * by_x, self.y0 * by_y, self.x1 * by_x, self.y1 * by_y)


@dataclass(frozen=True)
class Polygon:
    """A polygon, closed by itself; where it crosses itself, the even-odd rule says what is inside."""

    vertices: tuple[Point, ...]

    @cached_property
    def bounds(self) -> Box:
        """The least box around it."""
        xs, ys = zip(*self.vertices, strict=True)
        return Box(min(xs), min(ys), max(xs), max(ys))

    @cached_property
    def area(self) -> float:
        """Its area by the shoelace formula, in the square of the unit."""
        return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in self._edges())) / 2

    @cached_property
    def middle(self) -> Point:
        """A point inside: on the horizontal lines through it, the middle of the widest part that is inside.

        The lines run half-way between neighbouring vertices' heights; of many vertices, through some of the gaps.
        """
        heights = sorted({y for _, y in self.vertices})
        gaps = sorted(itertools.pairwise(heights), key=lambda gap: gap[0] - gap[1])[:16]
        widest, best = -1.0, self.vertices[0]
        for low, high in gaps:
            y = (low + high) / 2
            crossings = sorted(
                a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]) for a, b in self._edges() if (a[1] > y) != (b[1] > y)
            )
            for left, right in zip(crossings[::2], crossings[1::2], strict=False):
                room = min(right - left, high - low)
                if room > widest:
                    widest, best = room, ((left + right) / 2, y)
        return best

    def contains(self, points: Floats) -> Bools:
        """Which points lie inside. Shape (points, 2) to (points,)."""
        import numpy as np

        x, y = points.T
        inside, on_edge = np.zeros(len(points), dtype=bool), np.zeros(len(points), dtype=bool)
        near = EDGE * max(self.bounds.x1 - self.bounds.x0, self.bounds.y1 - self.bounds.y0)
        for (ax, ay), (bx, by) in self._edges():
            dx, dy = bx - ax, by - ay
            if dy:
                inside ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) * dx / dy)
            share = np.clip(((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, TINY), 0.0, 1.0)
            on_edge |= np.hypot(x - ax - share * dx, y - ay - share * dy) <= near
        return inside | on_edge

    def distance(self, point: Point) -> float:
        """The distance of a point, 0 inside."""
        import numpy as np

        return 0.0 if self.contains(np.array([point]))[0] else self._to_edge(point)

    def scaled(self, by_x: float, by_y: float) -> Polygon:
        """The same on another scale."""
        return Polygon(tuple((x * by_x, y * by_y) for x, y in self.vertices))

    def _edges(self) -> Iterator[tuple[Point, Point]]:
        yield from zip(self.vertices, (*self.vertices[1:], self.vertices[0]), strict=True)

    @cached_property
    def _lines(self) -> tuple[Floats, Floats]:
        """First ends and directions of the edges. Shapes (edges, 2)."""
        import numpy as np

        first = np.array(self.vertices, dtype=np.float64)
        return first, np.roll(first, -1, axis=0) - first

    def _to_edge(self, point: Point) -> float:
        import numpy as np

        first, along = self._lines
        towards = np.array(point) - first
        squared = np.maximum((along**2).sum(axis=1), TINY)
        share = np.clip((towards * along).sum(axis=1) / squared, 0.0, 1.0)
        return float(np.sqrt(((towards - share[:, None] * along) ** 2).sum(axis=1)).min())


@dataclass(frozen=True)
class Mask:
    """Pixels of a picture, by runs down its columns (`run_lengths`).

    Attributes:
        height, width: of the picture.
        counts: lengths of runs in turn outside and inside.
    """

    height: int
    width: int
    counts: tuple[int, ...]

    @cached_property
    def bounds(self) -> Box:
        """The least box around it."""
        x0, y0, x1, y1 = self._columns.T
        return Box(float(x0.min()), float(y0.min()), float(x1.max()), float(y1.max()))

    @property
    def area(self) -> float:
        """Its pixels."""
        return float(sum(self.counts[1::2]))

    @cached_property
    def middle(self) -> Point:
        """A point inside: the centre of the middle pixel of its longest piece of a column."""
        x0, y0, _, y1 = self._columns[int((self._columns[:, 3] - self._columns[:, 1]).argmax())].tolist()
        return x0 + 0.5, math.floor((y0 + y1 - 1) / 2) + 0.5

    def share_of(self, box: Box) -> float | None:
        """The share of a box's pixels that it has, those outside of the picture included; None for a box that holds no
        pixel's centre."""
        columns = math.ceil(box.x0 - 0.5), math.floor(box.x1 - 0.5) + 1
        rows = math.ceil(box.y0 - 0.5), math.floor(box.y1 - 0.5) + 1
        pixels = max(columns[1] - columns[0], 0) * max(rows[1] - rows[0], 0)
        if not pixels:
            return None
        part = self._pixels[max(rows[0], 0) : max(rows[1], 0), max(columns[0], 0) : max(columns[1], 0)]
        return int(part.sum()) / pixels

    @cached_property
    def _pixels(self) -> Bools:
        """Which pixels it has. Shape (height, width)."""
        return decode(self.counts, (self.height, self.width))

    def contains(self, points: Floats) -> Bools:
        """Which points lie inside. Shape (points, 2) to (points,)."""
        import numpy as np

        x, y = points.T
        here = (x >= 0) & (x <= self.width) & (y >= 0) & (y <= self.height)
        column = np.minimum(np.where(here, x, 0), self.width - 1).astype(np.int64)
        row = np.minimum(np.where(here, y, 0), self.height - 1).astype(np.int64)
        run = np.searchsorted(self._ends, column * self.height + row, side="right")
        found: Bools = here & (run % 2 == 1)
        return found

    def distance(self, point: Point) -> float:
        """The distance of a point, 0 inside."""
        import numpy as np

        x0, y0, x1, y1 = self._columns.T
        across = np.maximum(np.maximum(x0 - point[0], point[0] - x1), 0.0)
        along = np.maximum(np.maximum(y0 - point[1], point[1] - y1), 0.0)
        return float(np.hypot(across, along).min())

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Where each run ends, in pixels down the columns."""
        import numpy as np

        return np.cumsum(np.array(self.counts, dtype=np.int64))

    @cached_property
    def _columns(self) -> Floats:
        """Its pieces of columns as boxes x0, y0, x1, y1. Shape (pieces, 4)."""
        import numpy as np

        pieces = []
        for end, count in zip(self._ends[1::2].tolist(), self.counts[1::2], strict=True):
            start = end - count
            first, last = start // self.height, (end - 1) // self.height
            if count and first == last:
                pieces.append((first, start % self.height, first + 1, (end - 1) % self.height + 1))
            elif count:
                pieces.append((first, start % self.height, first + 1, self.height))
                if last - first > 1:
                    pieces.append((first + 1, 0, last, self.height))
                pieces.append((last, 0, last + 1, (end - 1) % self.height + 1))
        return np.array(pieces, dtype=np.float64).reshape(-1, 4)


Region = Box | Polygon | Mask


def intersection_over_union(one: Box, other: Box) -> float:
    """The area that two boxes share, as a share of the area that either has, 0 to 1."""
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    shared = max(width, 0.0) * max(height, 0.0)
    whole = one.area + other.area - shared
    return shared / whole if whole > 0 else 0.0
