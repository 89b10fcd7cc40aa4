"""Shapes in a picture, boxes, polygons and masks: containment of points, distances, and a point inside.

Coordinates are x to the right and y down, both in one unit: pixels, or shares of the picture's width and height. Points
on an edge are inside. A pixel of a mask is the square from its indices to the next.

Run lengths of masks are those of COCO: column by column, beginning with a run outside of the mask. Source:
cocodataset/cocoapi, common/maskApi.c (`rleEncode`, `rleToString`, `rleFrString`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]


MAX_PIXELS = 1 << 27
"""Pixels of a mask, at most: 134 million."""
_ZERO, _VALUE, _SIGN, _MORE, _BITS = 48, 0x1F, 0x10, 0x20, 5
_MAX_PIECES = 8
"""Characters of a number in the short form, at most."""


def encode(mask: Bools) -> list[int]:
    """Count the runs of a mask.

    Args:
        mask: which pixels it has. Shape (height, width).

    Returns:
        Lengths of runs in turn outside and inside of the mask, down each column, the columns from the left; their sum
        is the number of pixels.
    """
    flat = np.asarray(mask, dtype=bool).ravel(order="F")
    if not len(flat):
        return []
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    ends = [0, *changes.tolist(), len(flat)]
    runs = [after - before for before, after in itertools.pairwise(ends)]
    return [0, *runs] if flat[0] else runs


def decode(counts: Sequence[int], size: tuple[int, int]) -> Bools:
    """Make a mask of its runs.

    Args:
        counts: lengths of runs, as `encode` has them.
        size: height and width.

    Returns:
        Shape (height, width).

    Raises:
        ValueError: the runs are not those of a picture of this size.
    """
    runs = check_runs(counts, size)
    inside = np.arange(len(runs)) % 2 == 1
    return np.repeat(inside, runs).reshape(size, order="F")


def check_runs(counts: Sequence[Any], size: Sequence[Any]) -> list[int]:
    """Make sure that runs are those of a picture of a size.

    Raises:
        ValueError: they are not; the text is the error, without a full stop.
    """
    if len(size) != 2 or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in size):
        raise ValueError("the mask's size is not [height, width]")
    if size[0] * size[1] > MAX_PIXELS:
        raise ValueError(f"the mask has {size[0] * size[1]:,} pixels; {MAX_PIXELS:,} are the most")
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in counts):
        raise ValueError("the mask's counts are not whole numbers from 0")
    if sum(counts) != size[0] * size[1]:
        raise ValueError(f"the mask's counts add up to {sum(counts)}, its size has {size[0] * size[1]} pixels")
    return list(counts)


def shortened(counts: Sequence[int]) -> str:
    """Write runs in COCO's short form, a text of ASCII characters."""
    text = []
    for i, count in enumerate(counts):
        left = count - counts[i - 2] if i > 2 else count
        more = True
        while more:
            piece = left & _VALUE
            left >>= _BITS
            more = left != -1 if piece & _SIGN else left != 0
            text.append(chr((piece | _MORE if more else piece) + _ZERO))
    return "".join(text)


def lengthened(text: str) -> list[int]:
    """Read COCO's short form; the inverse of `shortened`.

    Raises:
        ValueError: the text is none.
    """
    counts: list[int] = []
    value = pieces = 0
    for character in text:
        piece = ord(character) - _ZERO
        if not 0 <= piece < 2 * _MORE or pieces == _MAX_PIECES:
            raise ValueError("the mask's counts are no run lengths in COCO's short form")
        value |= (piece & _VALUE) << _BITS * pieces
        pieces += 1
        if piece & _MORE:
            continue
        if piece & _SIGN:
            value |= -1 << _BITS * pieces
        counts.append(value + counts[-2] if len(counts) > 2 else value)
        value = pieces = 0
    if pieces:
        raise ValueError("the mask's counts break off")
    return counts


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
        """Return which points are inside. Shape (points, 2) to (points,)."""
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
    """A polygon, closed by itself; where it crosses itself, the even-odd rule decides which points are inside."""

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
        """Return which points are inside. Shape (points, 2) to (points,)."""
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
        return 0.0 if self.contains(np.array([point]))[0] else self._to_edge(point)

    def scaled(self, by_x: float, by_y: float) -> Polygon:
        """The same on another scale."""
        return Polygon(tuple((x * by_x, y * by_y) for x, y in self.vertices))

    def _edges(self) -> Iterator[tuple[Point, Point]]:
        yield from zip(self.vertices, (*self.vertices[1:], self.vertices[0]), strict=True)

    @cached_property
    def _lines(self) -> tuple[Floats, Floats]:
        """First ends and directions of the edges. Shapes (edges, 2)."""
        first = np.array(self.vertices, dtype=np.float64)
        return first, np.roll(first, -1, axis=0) - first

    def _to_edge(self, point: Point) -> float:
        first, along = self._lines
        towards = np.array(point) - first
        squared = np.maximum((along**2).sum(axis=1), TINY)
        share = np.clip((towards * along).sum(axis=1) / squared, 0.0, 1.0)
        return float(np.sqrt(((towards - share[:, None] * along) ** 2).sum(axis=1)).min())


@dataclass(frozen=True)
class Mask:
    """Pixels of a picture, by runs down its columns (`encode`).

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
        """Return which points are inside. Shape (points, 2) to (points,)."""
        x, y = points.T
        here = (x >= 0) & (x <= self.width) & (y >= 0) & (y <= self.height)
        column = np.minimum(np.where(here, x, 0), self.width - 1).astype(np.int64)
        row = np.minimum(np.where(here, y, 0), self.height - 1).astype(np.int64)
        run = np.searchsorted(self._ends, column * self.height + row, side="right")
        found: Bools = here & (run % 2 == 1)
        return found

    def distance(self, point: Point) -> float:
        """The distance of a point, 0 inside."""
        x0, y0, x1, y1 = self._columns.T
        across = np.maximum(np.maximum(x0 - point[0], point[0] - x1), 0.0)
        along = np.maximum(np.maximum(y0 - point[1], point[1] - y1), 0.0)
        return float(np.hypot(across, along).min())

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Return the end of each run, in pixels down the columns."""
        return np.cumsum(np.array(self.counts, dtype=np.int64))

    @cached_property
    def _columns(self) -> Floats:
        """Its pieces of columns as boxes x0, y0, x1, y1. Shape (pieces, 4)."""
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
