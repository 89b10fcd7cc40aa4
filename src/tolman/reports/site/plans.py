"""A scene from above in metres, for a page to draw: floor, outlines, camera trajectories, tracks of objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tolman.generate.geometry import SceneGeometry
from tolman.geometry.boxes import Floats
from tolman.geometry.shadows import outline
from tolman.reports.floor_plans import named, ways

MOST_PLACES = 240
"""Places of a camera's way that are kept."""


def plan_of(geometry: SceneGeometry) -> dict[str, Any]:
    """The plan of a scene, x to the right and y up.

    Returns:
        `floor`: rings; `objects`: category, outline and way of each; `cameras`: name, places and views (x, y of the way
        it looks) with the seconds of each, from its first frame on.
    """
    scene = geometry.scene
    return {
        "scene": scene.id,
        "floor": [_points(np.array(ring)) for ring in scene.floor],
        "objects": [
            {
                "name": thing.category,
                "outline": _points(outline(thing.box)),
                "track": _points(_thinned(np.array([p.center for p in thing.track]))) if thing.track else [],
            }
            for thing in scene.objects
        ],
        "cameras": [
            _camera(named(capture.role, capture.sensor), capture.times, places, views)
            for capture, places, views in ways(geometry.captures)
        ],
    }


def _camera(name: str, times: Sequence[float], places: Floats, views: Floats) -> dict[str, Any]:
    kept = _kept(len(places))
    seconds = [round(times[i] - times[0], 2) for i in kept] if len(times) == len(places) else []
    return {"name": name, "places": _points(places[kept]), "views": _points(views[kept]), "seconds": seconds}


def _kept(count: int) -> list[int]:
    spread = np.linspace(0, count - 1, min(count, MOST_PLACES)).round().astype(int)
    return [int(place) for place in np.unique(spread)]


def _thinned(way: Floats) -> Floats:
    return np.asarray(way[_kept(len(way))])


def _points(points: Floats) -> list[list[float]]:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in np.asarray(points)[:, :2]]
