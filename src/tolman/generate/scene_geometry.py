"""The precision of a recording: the error that anybody may make who has the recording and not the scene.

Surfaces that no frame shows are part of it. A convex hull of the recorded points is inside the true box and falls short
of it by at most `Recorded.missing`; each bound follows from that. The bounds are {} if the recorded part is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tolman.ground_truth.scene_arrays import SceneGeometry as SceneGeometry
from tolman.scenes import Scene

READING = 0.01
"""Metres: the error of a depth reading."""
_AREA = 0.02
"""Share of an area by which alpha shapes of differently dense scans differ."""
_RAGGED = 1.5
"""Factor by which a reader of the same recording may lack more of an area than the survey."""
KEY = "sensor_error"


def count_error(geometry: SceneGeometry) -> dict[str, float]:
    """Return an error of 0: only categories with all objects seen are counted."""
    return {KEY: 0.0} if geometry.video_capture else {}


def distance_error(geometry: SceneGeometry, a: str, b: str) -> dict[str, float]:
    """Metres by which the distance of two categories' hulls can differ from that of their boxes."""
    if not geometry.recorded:
        return {}
    missing = [geometry.missing(a), geometry.missing(b)]
    if missing[0] is None or missing[1] is None:
        return {}
    return {KEY: missing[0] + missing[1] + READING}


def size_error(geometry: SceneGeometry, category: str) -> dict[str, float]:
    """Return the possible error, in cm, of the longest extent of a least upright box around the recorded points."""
    if not geometry.recorded:
        return {}
    (thing,) = geometry.scene.of(category)
    found = geometry.recorded.get(thing.id)
    if found is None:
        return {}
    low, high = found.longest
    return {KEY: 100 * (max(high - thing.box.longest, thing.box.longest - low, 0.0) + READING)}


def this_place(scene: Scene) -> str:
    """What questions call a scene: 'this room', 'these rooms', or 'this scene' outdoors."""
    if scene.room_area is None:
        return "this scene"
    return "these rooms" if (scene.rooms or 1) > 1 else "this room"


def area_error(geometry: SceneGeometry) -> dict[str, float]:
    """Return the possible difference of the recorded area from the room's, square metres.

    It is half as much again as the area that the survey lacks: where a room was not seen whole, its seen part has a
    ragged edge, along which an alpha shape keeps or loses stretches with the pixels that are used.
    """
    capture, area = geometry.video_capture, geometry.scene.room_area
    if capture is None or capture.recorded_area is None or area is None:
        return {}
    return {KEY: _RAGGED * abs(area - capture.recorded_area) + _AREA * area}


def angle_error(geometry: SceneGeometry, legs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Degrees by which the angle between ways from the middle of one category's box to another's can be wrong.

    The middle of any upright box around a hull is within missing / √2 of the true box's middle on the floor plan.
    """
    total = 0.0
    for leg in legs:
        if leg not in geometry.leg_errors:
            geometry.leg_errors[leg] = _leg_error(geometry, *leg)
        error = geometry.leg_errors[leg]
        if error is None:
            return {}
        total += error
    return {KEY: min(total, 180.0)}


def _leg_error(geometry: SceneGeometry, a: str, b: str) -> float | None:
    """Degrees by which the way from one category to another can be off; None where that isn't known."""
    missing = [geometry.missing(a), geometry.missing(b)]
    if missing[0] is None or missing[1] is None:
        return None
    off = (missing[0] + missing[1]) / math.sqrt(2) + 2 * READING
    apart = float(np.linalg.norm((geometry.center(b) - geometry.center(a))[:2]))
    return math.degrees(math.asin(off / apart)) if off < apart else 180.0
