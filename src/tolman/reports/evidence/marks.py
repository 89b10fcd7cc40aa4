"""The kinds of marks on a floor plan; whoever draws plans knows these and no question family.

Each mark is a JSON object with its `kind` and, where words are wanted, a `text`. Points are x and y in metres.

| kind | keys | what it is |
|---|---|---|
| `objects` | name, objects (numbers in the scene) | things that the question rests on |
| `line` | from, to, metres, name | a distance to what is named |
| `wedge` | at, facing, toward, degrees | a direction, counter-clockwise from what is faced |
| `route` | points, names, facing (optional) | stops in their order |
| `way` | points, aimed (optional) | a way with an arrow at its end; where aimed, it isn't gone to the end |
| `view` | name, at, ahead (a unit vector), half (degrees) | a picture's camera and its angle of view |
| `area` | rings | a part of the floor |
| `size` | object | the box whose measures the text gives |
| `places` | points, names | numbered or lettered places |
| `sight` | at, to, name | where a camera was when it saw something |
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tolman.generate.geometry import SceneGeometry
from tolman.geometry.boxes import Floats
from tolman.geometry.directions import egocentric_angle
from tolman.geometry.shadows import outline

Mark = dict[str, Any]


def point(place: Any) -> list[float]:
    """A place on the floor plan, in millimetres' precision."""
    return [round(float(value), 3) for value in list(place)[:2]]


def objects(name: str, numbers: Sequence[int]) -> Mark:
    """Things of a name."""
    return {"kind": "objects", "name": name, "objects": list(numbers)}


def line(geometry: SceneGeometry, a: int, b: int, name: str) -> Mark:
    """The distance of two things: its ends are where the outlines come nearest, its length is that of the boxes."""
    ends = nearest_points(*(outline(geometry.scene.objects[number].box) for number in (a, b)))
    length = round(geometry.between(a, b), 3)
    return {"kind": "line", "from": point(ends[0]), "to": point(ends[1]), "metres": length, "name": name}


def nearest_pair(geometry: SceneGeometry, a: Sequence[int], b: Sequence[int]) -> tuple[int, int]:
    """The two things of two groups that are nearest to each other."""
    return min(itertools.product(a, b), key=lambda pair: geometry.between(*pair))


def wedge(at: Any, facing: Any, toward: Any) -> Mark:
    """A direction as seen from a place by somebody who faces another."""
    places = [np.asarray(place, dtype=float)[:2] for place in (at, facing, toward)]
    names = ("at", "facing", "toward")
    ends = {name: point(place) for name, place in zip(names, places, strict=True)}
    return {"kind": "wedge", **ends, "degrees": round(float(egocentric_angle(*places)), 1)}


def way(points: Sequence[Any], text: str, *, aimed: bool = False) -> Mark:
    """A way with an arrow at its end; whether it is only where somebody wants to go."""
    return {"kind": "way", "points": [point(one) for one in points], "text": text, **({"aimed": True} if aimed else {})}


def places(points: Sequence[Any], names: Sequence[str], text: str) -> Mark:
    """Places with their numbers or letters."""
    return {"kind": "places", "points": [point(one) for one in points], "names": list(names), "text": text}


def nearest_points(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """A point of each of two outlines, as near to each other as their edges come.

    Args:
        a, b: corners in order, shapes (n, 2) and (m, 2).
    """
    best: tuple[float, Floats, Floats] | None = None
    for corners, other, turned in ((a, b, False), (b, a, True)):
        start, edge = other, np.roll(other, -1, axis=0) - other
        length = np.maximum((edge**2).sum(1), 1e-12)
        for corner in corners:
            share = np.clip(((corner - start) * edge).sum(1) / length, 0, 1)
            points = start + edge * share[:, None]
            place = int(((points - corner) ** 2).sum(1).argmin())
            gap = float(((points[place] - corner) ** 2).sum())
            if best is None or gap < best[0]:
                best = (gap, points[place], corner) if turned else (gap, corner, points[place])
    assert best is not None
    return best[1], best[2]
