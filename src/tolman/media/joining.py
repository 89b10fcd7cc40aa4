"""Images side by side in one picture, with or without lines between matching points (MMSI-Bench paper, section 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tolman.media import matchers
from tolman.media.images import read_upright
from tolman.media.video import need_pillow

if TYPE_CHECKING:
    from PIL.Image import Image

GAP = 10
"""Pixels of white between neighbours."""
LINES = 30
"""The most lines between two neighbours: the correspondences are to be sparse."""


def join(sources: Sequence[tuple[bytes, str]], matcher: str | None) -> Image:
    """One picture of several, from left to right, all as high as the lowest of them.

    Args:
        sources: the files' bytes, and what to call each in an error.
        matcher: the name of what matches points of neighbours, between which lines are drawn; None draws nothing.

    Returns:
        An RGB image. Neighbours in which no points match have no lines.

    Raises:
        BrokenMediaError: a source is no image.
        UsageError: there is no such matcher.
        MissingExtraError: its package, or Pillow, is not installed.
    """
    need_pillow()
    from PIL import Image as Pillow

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
    """Choose some points, so that those kept lie far apart.

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
    from colorsys import hsv_to_rgb

    from PIL import ImageDraw

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
