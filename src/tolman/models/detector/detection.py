"""Detection: an object that a network found in a picture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Detection:
    """An object in a picture.

    Attributes:
        category: what it is.
        score: how sure the network is, 0–1.
        box: left, top, right and bottom of the visible part, in shares of the picture's width and height.
        middle: the middle of the object seen from the camera: right, down and ahead, metres.
        size: width, depth and height in metres.
    """

    category: str
    score: float
    box: tuple[float, float, float, float]
    middle: tuple[float, float, float]
    size: tuple[float, float, float]

    @property
    def area(self) -> float:
        """Share of the picture that the box covers."""
        left, top, right, bottom = self.box
        return max(0.0, right - left) * max(0.0, bottom - top)


def overlap(a: Detection, b: Detection) -> float:
    """Intersection over union of two boxes."""
    wide = min(a.box[2], b.box[2]) - max(a.box[0], b.box[0])
    high = min(a.box[3], b.box[3]) - max(a.box[1], b.box[1])
    shared = max(0.0, wide) * max(0.0, high)
    return shared / (a.area + b.area - shared) if shared else 0.0


def without_repeats(found: list[Detection], *, same: float = 0.5, other: float = 0.8) -> list[Detection]:
    """Non-maximum suppression, the surest first.

    Args:
        found: in one picture.
        same, other: from which overlap on a less sure one of the same, or of another category is left out.
    """
    kept: list[Detection] = []
    for one in sorted(found, key=lambda one: -one.score):
        if all(overlap(one, better) < (same if one.category == better.category else other) for better in kept):
            kept.append(one)
    return kept
