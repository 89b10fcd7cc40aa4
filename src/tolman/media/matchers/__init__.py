"""Images side by side in one picture, and the matchers that find corresponding points between them.

The two images may be joined with lines between matching points (MMSI-Bench paper, section 4.3). A matcher is a module
of this package with an object `MATCHER`. Other packages add theirs, such as learned ones, through the entry point
group `tolman.matchers`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from colorsys import hsv_to_rgb
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import MissingExtraError, UsageError
from tolman.extras import Image as Pillow, LazyModule
from tolman.media import matchers
from tolman.media.images import read_upright
from tolman.media.video import need_pillow
from tolman.registry import Registry

if TYPE_CHECKING:
    from PIL import ImageDraw
    from PIL.Image import Image
else:
    ImageDraw = LazyModule("PIL.ImageDraw")


Pixels = NDArray[np.uint8]
Points = NDArray[np.float64]

_REGISTRY = Registry("matcher", __name__, "MATCHER", "tolman.matchers")
names = _REGISTRY.names


@dataclass(frozen=True)
class Matcher:
    """A way of finding which points of two images show the same place.

    Attributes:
        name: the value of `--matcher`.
        match: (left, right) → (points in left, points in right): RGB arrays of shape (height, width, 3) in, points of
            shape (n, 2) as (x, y) in pixels out, the best first; n may be 0. Equal images give equal points.
        module: the module that must be importable; None for nothing.
        package, extra: what to install for it.
    """

    name: str
    match: Callable[[Pixels, Pixels], tuple[Points, Points]]
    module: str | None = None
    package: str = ""
    extra: str = ""


def get(name: str) -> Matcher:
    """The matcher of that name, ready to be used.

    Raises:
        UsageError: there is none.
        MissingExtraError: its package is not installed.
    """
    found: Any = _REGISTRY.get(name)
    if not isinstance(found, Matcher):
        raise UsageError(f"the object registered as matcher '{name}' is no tolman.media.matchers.Matcher.")
    # OpenCV puts a module without a spec into its place, and find_spec refuses that.
    if found.module is not None and found.module not in sys.modules and find_spec(found.module) is None:
        raise MissingExtraError(found.package, found.extra, f"Matching points with {name}")
    return found


GAP = 10
"""Pixels of white between neighbours."""
LINES = 30
"""The most lines between two neighbours: the correspondences are to be sparse."""


def join(sources: Sequence[tuple[bytes, str]], matcher: str | None) -> Image:
    """One picture of several, from left to right, all as high as the lowest of them.

    Args:
        sources: the files' bytes, and what to call each in an error.
        matcher: name of the matcher of neighbours' points, between which lines are drawn; None draws nothing.

    Returns:
        An RGB image. Neighbours in which no points match have no lines.

    Raises:
        BrokenMediaError: a source is no image.
        UsageError: there is no such matcher.
        MissingExtraError: its package, or Pillow, is not installed.
    """
    need_pillow()

    images = [read_upright(data, where) for data, where in sources]
    height = min(image.height for image in images)
    scaled = [image.resize((max(1, round(image.width * height / image.height)), height)) for image in images]
    lefts = np.cumsum([0, *(image.width + GAP for image in scaled)])
    whole = Pillow.new("RGB", (int(lefts[-1]) - GAP, height), "white")
    for left, image in zip(lefts, scaled, strict=False):
        whole.paste(image, (int(left), 0))
    if matcher is not None:
        _draw(whole, images, scaled, lefts, matchers.get(matcher))
    return whole


def spread(points: np.ndarray, count: int) -> list[int]:
    """Choose some points, so that those kept are far apart.

    Args:
        points: shape (n, d), the best first.
        count: the most to keep.

    Returns:
        Indices, the first point's first; each next one is the farthest from those kept before (the first such).
    """
    if len(points) == 0:
        return []
    kept = [0]
    distance = np.linalg.norm(points - points[0], axis=1)
    while len(kept) < min(count, len(points)) and distance.max() > 0:
        kept.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(points - points[kept[-1]], axis=1))
    return kept


def _draw(
    whole: Image, images: Sequence[Image], scaled: Sequence[Image], lefts: np.ndarray, matcher: matchers.Matcher
) -> None:
    pen = ImageDraw.Draw(whole)
    width = max(1, whole.height // 240)
    for a, b in pairwise(range(len(images))):
        points = matcher.match(np.asarray(images[a]), np.asarray(images[b]))
        ends = [
            found * (scaled[i].height / images[i].height) + (lefts[i], 0)
            for i, found in zip((a, b), points, strict=True)
        ]
        kept = spread(ends[0], LINES)  # by the left ends alone: in both, a false match would lie the farthest off
        for place, i in enumerate(kept):
            red, green, blue = (round(255 * value) for value in hsv_to_rgb(place / len(kept), 1.0, 1.0))
            start, end = (tuple(float(v) for v in side[i]) for side in ends)
            pen.line([start, end], fill=(red, green, blue), width=width)
            for x, y in (start, end):
                pen.ellipse([x - 2 * width, y - 2 * width, x + 2 * width, y + 2 * width], outline=(red, green, blue))
