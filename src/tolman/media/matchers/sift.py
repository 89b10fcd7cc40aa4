"""SIFT with MAGSAC++: key points that look alike, kept where one epipolar geometry explains them.

Lowe, Distinctive Image Features from Scale-Invariant Keypoints, 2004 (features, ratio test); Barath et al., MAGSAC++,
2020, as OpenCV's USAC_MAGSAC, whose random numbers are seeded the same in each call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tolman.extras import LazyModule
from tolman.media.matchers import Matcher, Pixels, Points

if TYPE_CHECKING:
    import cv2
else:
    cv2 = LazyModule("cv2")

FEATURES = 4000
RATIO = 0.75
"""A nearest neighbour must be this much nearer than the second nearest."""
LEAST = 12
"""Fewer matches that agree are taken for chance."""
NEIGHBOURS = 8
STRAY = 0.1
"""Share of the image's diagonal by which a match may move otherwise than its neighbours do in the median."""
TOLERANCE = 1.0
"""Pixels from an epipolar line."""


def match(left: Pixels, right: Pixels) -> tuple[Points, Points]:
    """Matching points, the most distinctive first; none where fewer than `LEAST` agree."""
    none = np.empty((0, 2))
    detector = cv2.SIFT.create(nfeatures=FEATURES)
    found = [detector.detectAndCompute(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), None) for image in (left, right)]
    (places_a, features_a), (places_b, features_b) = found
    if features_a is None or features_b is None or len(features_b) < 2:
        return none, none
    # Both nearest neighbours from left to right and back, so that each point has one partner.
    forward = cv2.BFMatcher(cv2.NORM_L2).knnMatch(features_a, features_b, k=2)
    back = {m.queryIdx: m.trainIdx for m in cv2.BFMatcher(cv2.NORM_L2).match(features_b, features_a)}
    good = [
        (first.distance / max(second.distance, 1e-9), first.queryIdx, first.trainIdx)
        for first, second in forward
        if first.distance < RATIO * second.distance and back.get(first.trainIdx) == first.queryIdx
    ]
    good.sort()
    if len(good) < LEAST:
        return none, none
    a = np.array([places_a[i].pt for _, i, _ in good], dtype=np.float64)
    b = np.array([places_b[j].pt for _, _, j in good], dtype=np.float64)
    _, inside = cv2.findFundamentalMat(a, b, cv2.USAC_MAGSAC, TOLERANCE, 0.999, 10_000)
    if inside is None or int(inside.sum()) < LEAST:
        return none, none
    kept = inside.ravel().astype(bool)
    a, b = a[kept], b[kept]
    moved = _moves_like_neighbours(a, b, (left.shape[0] ** 2 + left.shape[1] ** 2) ** 0.5)
    return a[moved], b[moved]


def _moves_like_neighbours(a: Points, b: Points, diagonal: float) -> NDArray[np.bool_]:
    """Find matches that move about as far as their neighbours: a false match may be on its epipolar line by chance."""
    places = a.astype(np.float32)
    near = cv2.BFMatcher(cv2.NORM_L2).knnMatch(places, places, k=min(NEIGHBOURS + 1, len(a)))
    index = np.array([[match.trainIdx for match in row][1:] for row in near])
    moves = b - a
    usual = np.median(moves[index], axis=1)
    return np.asarray(np.linalg.norm(moves - usual, axis=1) <= STRAY * diagonal)


MATCHER = Matcher("sift", match, "cv2", "opencv-python-headless", "media")
