"""Place: the place in a picture that an item's answer, or a response to it, names; read from and written as JSON.

```
{"size": [640, 480], "box": [x0, y0, x1, y1]}          in pixels of a picture of this width and height
{"box": [x0, y0, x1, y1]}                              as shares of the width and the height, 0 to 1
{"size": …, "boxes": [[x0, y0, x1, y1], …]}
{"size": …, "polygon": [[x, y], …]}
{"size": …, "points": [[x, y], …], "within": r}
{"size": …, "mask": {"size": [height, width], "counts": […]}}    COCO run lengths, or their short form
```

A response may be on another scale than the item: `size` is then the greatest x and y of its scale, such as
[1000, 1000]. If it gives pixels, whose picture's size a reader doesn't know, `"in": "pixels"` takes the place of the
size.

Benchmarks and models differ in their scales: shares of the picture (0–1), per cent (Molmo), 0–1000 (Gemini, Qwen3-VL),
pixels (Qwen2.5-VL). The scale that an item asks for is its label `coordinates` ('0-1', '0-100', '0-999', '0-1000' or
'pixels', with ' yx' behind where y comes first), or follows from its question.

A place that was answered agrees with the right one by shares inside, distances, and overlap of boxes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tolman.items import Item
from tolman.scoring.picture_shapes import (
    MAX_VERTICES,
    Box,
    Mask,
    Point,
    Polygon,
    Region,
    check_runs,
    intersection_over_union,
    lengthened,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


MAX_PLACES = 20_000
"""Points or boxes of an answer, at most."""
MAX_CHARS = 4_000_000
"""Characters of a place, at most."""
WITHIN = 0.05
"""How far from a right point an answer is right where `within` isn't given, as a share of the picture's diagonal."""
OWN_FORM = "place"
"""The rule that reads a response which is a place in Tolman's own form."""
FORMS = ("box", "boxes", "polygon", "mask", "points")
_FIELDS = {*FORMS, "size", "within", "in"}


@dataclass(frozen=True)
class Place:
    """Something in a picture.

    Attributes:
        region: a box, a polygon or a mask; None where there are points or several boxes.
        points: some points.
        boxes: some boxes; a single one too.
        size: the greatest x and y of the coordinates; 1 and 1 for shares.
        in_pixels: whether coordinates are pixels of a picture whose size isn't known; `size` means nothing then.
        within: of points, how far an answer may be from one of them, in the unit of the coordinates; None for a share
            of the picture's diagonal (`WITHIN`).
    """

    region: Region | None = None
    points: tuple[Point, ...] = ()
    boxes: tuple[Box, ...] = ()
    size: tuple[float, float] = (1.0, 1.0)
    in_pixels: bool = False
    within: float | None = None

    @property
    def is_relative(self) -> bool:
        """Check whether coordinates are shares of the picture's width and height."""
        return not self.in_pixels and self.size == (1.0, 1.0)

    @property
    def numbers(self) -> list[float]:
        """All coordinates, but those of a mask."""
        boxes = [n for box in self.boxes for n in (box.x0, box.y0, box.x1, box.y1)]
        vertices = self.region.vertices if isinstance(self.region, Polygon) else ()
        return [*boxes, *(n for point in (*self.points, *vertices) for n in point)]

    def on(self, size: tuple[float, float]) -> Place:
        """The same on the scale of another place.

        Args:
            size: of that scale. Pixels of an unknown picture are taken for those of a picture of this size.

        Raises:
            ValueError: a mask has pixels of its own and can't be put on another scale.
        """
        if self.in_pixels or self.size == size:
            return replace(self, size=size, in_pixels=False)
        by_x, by_y = size[0] / self.size[0], size[1] / self.size[1]
        if isinstance(self.region, Mask):
            raise ValueError(f"the mask is of a picture of another size than {size[0]:g} × {size[1]:g}")
        return replace(
            self,
            region=self.region and self.region.scaled(by_x, by_y),
            points=tuple((x * by_x, y * by_y) for x, y in self.points),
            boxes=tuple(box.scaled(by_x, by_y) for box in self.boxes),
            size=size,
            within=None if self.within is None else self.within * math.hypot(*size) / math.hypot(*self.size),
        )


@lru_cache(maxsize=512)
def read_place(text: str) -> Place:
    """Read a place.

    Args:
        text: JSON; see the head of this module.

    Raises:
        ValueError: it is none; the text is the error, as a sentence without full stop.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"the place has {len(text):,} characters; {MAX_CHARS:,} are the most")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"the answer {text[:40]!r} is no JSON object that names a place") from None
    if not isinstance(record, dict):
        raise ValueError(f"the answer {text[:40]!r} is no JSON object that names a place")
    unknown = sorted(set(record) - _FIELDS)
    forms = [form for form in FORMS if form in record]
    if unknown or len(forms) != 1:
        what = f"has the field '{unknown[0]}'" if unknown else f"has {len(forms) or 'none'} of them"
        raise ValueError(f"a place has one of {', '.join(FORMS)}, and a size where it is in pixels; this one {what}")
    form = forms[0]
    place = Place(size=_size(record), in_pixels=_in_pixels(record), within=_within(record, form))
    value = record[form]
    if form == "points":
        return replace(place, points=_points(value, "points"))
    if form in ("box", "boxes"):
        boxes = tuple(_box(one) for one in ([value] if form == "box" else _some(value, "boxes")))
        return replace(place, boxes=boxes, region=boxes[0] if form == "box" else None)
    if form == "polygon":
        vertices = _points(value, "polygon", MAX_VERTICES)
        if len(vertices) < 3:
            raise ValueError("the polygon has fewer than three vertices")
        polygon = Polygon(vertices)
        if not polygon.area:
            raise ValueError("the polygon has no area")
        return replace(place, region=polygon)
    mask = _mask(value)
    if "size" in record and place.size != (mask.width, mask.height):
        raise ValueError(f"the size is {record['size']}, the mask is {mask.width} wide and {mask.height} high")
    return replace(place, region=mask, size=(float(mask.width), float(mask.height)))


def write_points(points: Sequence[Point], size: tuple[float, float] | None = None) -> str:
    """A place of points as JSON.

    Args:
        points: x and y.
        size: the scale; None for pixels of a picture whose size isn't known.
    """
    return _written("points", [list(point) for point in points], size)


def write_boxes(boxes: Sequence[Box], size: tuple[float, float] | None = None) -> str:
    """A place of one box or several as JSON; see `write_points`."""
    found = [[box.x0, box.y0, box.x1, box.y1] for box in boxes]
    return _written("box", found[0], size) if len(found) == 1 else _written("boxes", found, size)


def _written(form: str, value: Any, size: tuple[float, float] | None) -> str:
    scale: dict[str, Any] = {"in": "pixels"} if size is None else {} if size == (1.0, 1.0) else {"size": list(size)}
    return json.dumps({form: value} | scale)


def _size(record: dict[str, Any]) -> tuple[float, float]:
    size = record.get("size")
    if size is None:
        return 1.0, 1.0
    if not isinstance(size, list) or len(size) != 2 or not all(_is_number(n) and 0 < n <= 1e6 for n in size):
        raise ValueError(f"the size {json.dumps(size)[:40]} is not [width, height]")
    return float(size[0]), float(size[1])


def _in_pixels(record: dict[str, Any]) -> bool:
    if record.get("in") not in (None, "pixels") or ("in" in record and "size" in record):
        raise ValueError("a place is 'in' pixels, or has a size")
    return record.get("in") == "pixels"


def _within(record: dict[str, Any], form: str) -> float | None:
    within = record.get("within")
    if within is None:
        return None
    if form != "points" or not _is_number(within) or not 0 <= within <= 1e6:
        raise ValueError("'within' is a distance from points")
    return float(within)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e9


def _some(value: Any, form: str, most: int = MAX_PLACES) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"the {form} are no list" if not isinstance(value, list) else f"there are no {form}")
    if len(value) > most:
        raise ValueError(f"there are {len(value):,} {form}; {most:,} are the most")
    return value


def _points(value: Any, form: str, most: int = MAX_PLACES) -> tuple[Point, ...]:
    found = []
    for one in _some(value, form if form == "points" else f"vertices of the {form}", most):
        if not isinstance(one, list) or len(one) != 2 or not all(_is_number(n) for n in one):
            raise ValueError(f"{json.dumps(one)[:40]} is no point [x, y]")
        found.append((float(one[0]), float(one[1])))
    return tuple(found)


def _box(value: Any) -> Box:
    if not isinstance(value, list) or len(value) != 4 or not all(_is_number(n) for n in value):
        raise ValueError(f"{json.dumps(value)[:40]} is no box [x0, y0, x1, y1]")
    box = Box(*map(float, value))
    if box.x0 >= box.x1 or box.y0 >= box.y1:
        raise ValueError(f"the box {json.dumps(value)} has no area: x0 < x1 and y0 < y1")
    return box


def _mask(value: Any) -> Mask:
    if not isinstance(value, dict) or set(value) != {"size", "counts"} or not isinstance(value["size"], list):
        raise ValueError('a mask has "size": [height, width] and "counts"')
    counts = lengthened(value["counts"]) if isinstance(value["counts"], str) else value["counts"]
    if not isinstance(counts, list):
        raise ValueError("the mask's counts are no list")
    runs = check_runs(counts, value["size"])
    mask = Mask(value["size"][0], value["size"][1], tuple(runs))
    if not mask.area:
        raise ValueError("the mask is empty")
    return mask


LABEL = "coordinates"
"""The item's label that names the scale."""
SHARES, PER_CENT, THOUSAND, PIXELS = "0-1", "0-100", "0-1000", "pixels"
GREATEST = {SHARES: 1.0, PER_CENT: 100.0, "0-999": 999.0, THOUSAND: 1000.0}
"""Scale → its greatest x and y; pixels have none that is known."""
NAMES = (*GREATEST, PIXELS)
MAX_QUESTION_CHARS = 20_000
"""Characters of a question in which its scale is looked for, the last of all."""

_RANGE = r"(?:\b0(?:\.0)?\s{0,2}(?:-|–|to|and|,)\s{0,2})"
_STATED = (
    (THOUSAND, re.compile(_RANGE + r"1,?000\b")),
    ("0-999", re.compile(_RANGE + r"999\b")),
    (PER_CENT, re.compile(_RANGE + r"100\b(?!,?0)")),
    (SHARES, re.compile(_RANGE + r"1(?:\.0)?(?![\d.,]\d|\d)")),
    (PIXELS, re.compile(r"\b(?:in|absolute|as) pixels?\b|\bpixel (?:coordinates|values)\b", re.IGNORECASE)),
)
_Y_FIRST = re.compile(r"[(\[]\s{0,2}y(?:_?min|_?1|_?0)?\s{0,2},\s{0,2}x", re.IGNORECASE)


@dataclass(frozen=True)
class Scale:
    """How coordinates are asked for.

    Attributes:
        name: one of `NAMES`; '' where nothing is said.
        y_first: whether y comes before x.
    """

    name: str
    y_first: bool = False

    @property
    def size(self) -> tuple[float, float] | None:
        """The greatest x and y; None for pixels."""
        greatest = GREATEST.get(self.name or THOUSAND)
        return None if greatest is None else (greatest, greatest)


def asked_scale(item: Item) -> Scale:
    """The scale on which an item asks for coordinates.

    Raises:
        ValueError: its label names none.
    """
    label = item.labels.get(LABEL)
    if label is None:
        return _asked_in(item.question[-MAX_QUESTION_CHARS:])
    name, _, order = label.partition(" ")
    if name not in NAMES or order not in ("", "xy", "yx"):
        raise ValueError(
            f"the label '{LABEL}' is {label!r}; give {', '.join(NAMES)}, with ' yx' behind where y comes first"
        )
    return Scale(name, order == "yx")


@lru_cache(maxsize=4096)
def _asked_in(question: str) -> Scale:
    named = next((name for name, pattern in _STATED if pattern.search(question)), "")
    return Scale(named, _Y_FIRST.search(question) is not None)


def told_scale(numbers: list[tuple[float, bool]], asked: str) -> str:
    """The scale on which a response gives coordinates.

    Args:
        numbers: its coordinates, and whether each is written with a decimal point.
        asked: the scale that was asked for; '' where none was.

    Returns:
        A name of `NAMES`; '' where the coordinates are on another scale than the one asked for, which can't be
        determined.
    """
    greatest = max(value for value, _ in numbers)
    are_shares = greatest <= 1 and any(decimal and value for value, decimal in numbers)
    if asked == PIXELS:
        return SHARES if are_shares else PIXELS
    if asked:
        if greatest <= GREATEST[asked]:
            return SHARES if are_shares else asked
        return ""
    if are_shares:
        return SHARES
    return THOUSAND if greatest <= GREATEST[THOUSAND] else PIXELS


Thing = TypeVar("Thing")
MAX_SAMPLES = 1 << 16
"""Points of a region that are looked at for its share inside another, at most."""
MAX_TESTS = 20_000_000
"""Points times edges of polygons that are looked at, at most."""


def inside(truth: Place, said: Place) -> list[float]:
    """Find which of the points that were answered are right.

    Args:
        truth: a region, or points; an answered point near enough to one of them is right.
        said: points; or a region, which represents all points in it.

    Returns:
        1 or 0 for each point, in order; of a region the share of its area inside.

    Raises:
        ValueError: both are masks of pictures of different sizes.
    """
    said = said.on(truth.size)
    if said.points:
        if truth.points:
            return near_points(truth, said.points)
        return [float(hit) for hit in _in_any(truth, np.array(said.points, dtype=np.float64))]
    if said == truth:
        return [1.0]
    return [_share(truth, region) for region in regions_of(said)]


def regions_of(place: Place) -> list[Region]:
    """The regions of a place."""
    return [place.region] if place.region is not None else list(place.boxes)


def near_points(truth: Place, points: Sequence[Point]) -> list[float]:
    """Find which points have a right point of their own near enough, the nearest pairs first.

    Returns:
        1 or 0 for each point.
    """
    limit = truth.within if truth.within is not None else WITHIN * math.hypot(*truth.size)
    matched = _pairs(points, truth.points, lambda one, other: math.dist(one, other), at_most=limit * (1 + 1e-9))
    return [float(i in matched) for i in range(len(points))]


def distances(truth: Place, said: Place) -> list[float]:
    """Return the distances of the answered points from the right region or the nearest right point, as shares of the
    picture's diagonal; 0 inside. An answered region counts as its centre."""
    said = said.on(truth.size)
    points = said.points or tuple(region.middle for region in regions_of(said))
    diagonal = math.hypot(*truth.size)
    if truth.points:
        return [min(math.dist(point, right) for right in truth.points) / diagonal for point in points]
    return [min(region.distance(point) for region in regions_of(truth)) / diagonal for point in points]


def overlaps(truth: Place, said: Place) -> list[float]:
    """Overlap of boxes: for each right box the intersection over union with the box that was answered for it.

    Boxes are put together one to one, the greatest overlap first, as in COCO's matching. If more boxes were answered
    than are right, as many zeros are added.
    """
    boxes = said.on(truth.size).boxes
    paired = _pairs(truth.boxes, boxes, lambda one, other: 1.0 - intersection_over_union(one, other), at_most=1.0)
    found = [1.0 - paired.get(i, 1.0) for i in range(len(truth.boxes))]
    return found + [0.0] * (len(boxes) - len(truth.boxes))


def _pairs(
    ones: Sequence[Thing], others: Sequence[Thing], cost: Callable[[Thing, Thing], float], at_most: float
) -> dict[int, float]:
    """One-to-one pairs, the least cost first: the place of the first in each → its cost."""
    costs = sorted((cost(one, other), i, j) for i, one in enumerate(ones) for j, other in enumerate(others))
    found: dict[int, float] = {}
    taken: set[int] = set()
    for value, i, j in costs:
        if value > at_most:
            break
        if i not in found and j not in taken:
            found[i] = value
            taken.add(j)
    return found


def _in_any(place: Place, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    found = np.zeros(len(points), dtype=bool)
    for region in regions_of(place):
        found |= region.contains(points)
    for point in place.points:
        limit = place.within if place.within is not None else WITHIN * math.hypot(*place.size)
        found |= np.hypot(*(points - np.array(point)).T) <= limit
    return found


def _share(truth: Place, region: Region) -> float:
    """The share of a region's area inside the right place."""
    if isinstance(region, Box) and isinstance(truth.region, Box):
        own = truth.region
        width, height = min(region.x1, own.x1) - max(region.x0, own.x0), min(region.y1, own.y1) - max(region.y0, own.y0)
        return min(1.0, max(width, 0.0) * max(height, 0.0) / region.area)
    if isinstance(region, Box) and isinstance(truth.region, Mask):
        share = truth.region.share_of(region)
        if share is not None:
            return share
    samples = _samples(region, truth)
    return float(_in_any(truth, samples).mean())


def _samples(region: Region, truth: Place) -> NDArray[np.float64]:
    """Points spread evenly over a region, centres of pixels where the truth is in pixels and they are not too many; a
    point inside where it holds none. Shape (points, 2)."""
    edges = sum(len(one.vertices) for one in (region, *regions_of(truth)) if isinstance(one, Polygon))
    most = max(64, min(MAX_SAMPLES, MAX_TESTS // max(edges, 1)))
    bounds = region.bounds
    step = max(1.0, math.sqrt(bounds.area / most)) if truth.size != (1.0, 1.0) else math.sqrt(bounds.area / most)
    if isinstance(region, Mask) or step == 1.0:
        step = math.ceil(step)
        xs = np.arange(math.floor(bounds.x0), math.ceil(bounds.x1), step) + 0.5
        ys = np.arange(math.floor(bounds.y0), math.ceil(bounds.y1), step) + 0.5
    else:
        across = min(most, max(1, round((bounds.x1 - bounds.x0) / step)))
        down = max(1, most // across)
        xs = bounds.x0 + (np.arange(across) + 0.5) * (bounds.x1 - bounds.x0) / across
        ys = bounds.y0 + (np.arange(down) + 0.5) * (bounds.y1 - bounds.y0) / down
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    found = grid[region.contains(grid)]
    return found if len(found) else np.array([region.middle])
