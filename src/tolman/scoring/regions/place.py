"""Place: what an item's answer, or a response to it, names in a picture; read from and written as JSON.

```
{"size": [640, 480], "box": [x0, y0, x1, y1]}          in pixels of a picture of this width and height
{"box": [x0, y0, x1, y1]}                              as shares of the width and the height, 0 to 1
{"size": …, "boxes": [[x0, y0, x1, y1], …]}
{"size": …, "polygon": [[x, y], …]}
{"size": …, "points": [[x, y], …], "within": r}
{"size": …, "mask": {"size": [height, width], "counts": […]}}    COCO run lengths, or their short form
```

A response may be on another scale than the item: `size` is then the greatest x and y of its scale, such as
[1000, 1000]. Where it gives pixels, whose picture's size a reader doesn't know, `"in": "pixels"` stands in place of the
size.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from tolman.scoring.regions.run_lengths import check_runs, lengthened
from tolman.scoring.regions.shapes import MAX_VERTICES, Box, Mask, Point, Polygon, Region

MAX_PLACES = 20_000
"""Points or boxes of an answer, at most."""
MAX_CHARS = 4_000_000
"""Characters of a place, at most."""
WITHIN = 0.05
"""How far from a right point an answer is right where `within` isn't given, as a share of the picture's diagonal."""
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
        """Whether coordinates are shares of the picture's width and height."""
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
        ValueError: it is none; the text is what is wrong, as a sentence without full stop.
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
