"""Marks on a floor plan: the kinds there are, and a question with its scene, from which they are made.

A mark is a JSON object with its `kind` and, where words are wanted, a `text`. Points are x and y in metres. Code that
draws plans knows these kinds and no question family, so that a plugin's family that stores the same evidence is drawn
too. A `DrawnQuestion` knows which things it rests on, which pictures it shows, and where each camera was.

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
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.geometry.ground_plane import egocentric_angle, outline
from tolman.ground_truth.question_families import categories_in
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.registry import later
from tolman.scenes import Capture

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
    """Mark a direction as seen from a place by an observer who faces another."""
    places = [np.asarray(place, dtype=float)[:2] for place in (at, facing, toward)]
    names = ("at", "facing", "toward")
    ends = {name: point(place) for name, place in zip(names, places, strict=True)}
    return {"kind": "wedge", **ends, "degrees": round(float(egocentric_angle(*places)), 1)}


def way(points: Sequence[Any], text: str, *, aimed: bool = False) -> Mark:
    """Mark a way with an arrow at its end; `aimed` if its end is only a goal."""
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


HALF_VIEW = 30.0
"""Degrees to each side that a camera is drawn with whose angle of view isn't known."""
_SAME = 0.01
"""Metres between a stored place and the middle of the thing that stands there, at most."""
_COMPARING = ("counts", "distances", "off", "first")
"""Evidence by which options are told apart that are things."""
_BY_CATEGORY = ("counts", "distances", "first_seen", "along", "off")
"""Evidence that holds a number for each of some categories."""


@dataclass(frozen=True)
class PlacedPicture:
    """A picture that a question shows.

    Attributes:
        place: among the question's media, from 1.
        capture: its recording.
        frame: of the recording.
    """

    place: int
    capture: Capture
    frame: int

    @property
    def seconds(self) -> float:
        """When it was taken, on the scene's time line."""
        return self.capture.scene_time(self.frame)

    @property
    def at(self) -> Floats:
        """Return the place of its camera, metres, shape (2,)."""
        return np.asarray(self.capture.pose(self.frame)[:2, 3])

    @property
    def ahead(self) -> Floats:
        """Return its camera's direction on the floor plan, a unit vector."""
        way = np.asarray(self.capture.pose(self.frame)[:2, 2])
        return way / max(float(np.linalg.norm(way)), 1e-9)

    @property
    def half(self) -> float:
        """Half its horizontal angle of view in degrees."""
        rows = self.capture.intrinsics
        if not rows or self.capture.size is None:
            return HALF_VIEW
        return math.degrees(math.atan(self.capture.size[0] / 2 / rows[0 if len(rows) == 1 else self.frame][0]))


class DrawnQuestion:
    """A question with its scene.

    Args:
        item: the question.
        geometry: its scene.
    """

    def __init__(self, item: Item, geometry: SceneGeometry) -> None:
        self.item, self.geometry, self.evidence = item, geometry, item.evidence

    @cached_property
    def named(self) -> dict[str, str]:
        """The scene's categories that the question names, by the words that it names them with, in its order."""
        found = {}
        for name in categories_in(self.item) or self._written:
            category = self.category(name)
            if category is not None:
                found[name] = category
        return found

    @property
    def _written(self) -> list[str]:
        """Return the categories that a question names as 'the lamp', for a family that doesn't declare how it names
        things."""
        left, found = self.item.question, {}
        for name in sorted(self.geometry.members, key=len, reverse=True):
            pattern = re.compile(rf"\bthe {re.escape(name)}\b")
            if match := pattern.search(left):
                found[name] = match.start()
                left = pattern.sub(lambda one: " " * len(one[0]), left)
        return sorted(found, key=found.__getitem__)

    @cached_property
    def options(self) -> dict[str, str]:
        """The categories that the options name, by the options' words."""
        texts = {text: self.category(text.removeprefix("At the ")) for text in self.item.options}
        return {text: category for text, category in texts.items() if category is not None}

    @property
    def asked(self) -> list[str]:
        """The categories that the question names and the options don't, in its order."""
        return [category for category in self.named.values() if category not in self.options.values()]

    @cached_property
    def things(self) -> dict[str, str]:
        """All categories that the question rests on: those that it names, those its evidence holds numbers for."""
        found = dict(self.named)
        told = [name for key in _BY_CATEGORY if isinstance(one := self.evidence.get(key), Mapping) for name in one]
        told = [name for name in told if not self.options or name in self.options.values() or "along" in self.evidence]
        compared = self.options if any(key in self.evidence for key in _COMPARING) else ()
        for name in [*told, self.evidence.get("object"), *compared]:
            category = self.category(str(name).removeprefix("At the "))
            if category is not None and category not in found.values():
                found[str(name).removeprefix("At the ")] = category
        return found

    def category(self, name: str) -> str | None:
        """The scene's category of a name, if it has one."""
        try:
            return self.geometry.category(name)
        except KeyError:
            return None

    def meant(self, category: str) -> list[int]:
        """The numbers of the things of a category that are meant: those that its pictures show, if it is about some."""
        members = self.geometry.members[category]
        if len(members) == 1:
            return members
        ends = [self.evidence[key] for key in ("origin", "target") if key in self.evidence]
        centers = self.geometry.boxes.centers
        there = [i for i in members if any(np.linalg.norm(centers[i, :2] - np.array(end)) < _SAME for end in ends)]
        shown = [i for i in members if self.geometry.scene.objects[i].id in self._shown]
        return there or shown or members

    def center(self, category: str) -> Floats:
        """The middle of the first thing that is meant, metres, shape (2,)."""
        return np.asarray(self.geometry.boxes.centers[self.meant(category)[0], :2])

    @cached_property
    def pictures(self) -> list[PlacedPicture]:
        """The pictures that the question shows, of recordings whose cameras are known."""
        captures = {one.id: one for one in self.geometry.captures if one.poses}
        found = []
        for place, (capture, frame, *_) in enumerate(self.evidence.get("shots") or (), start=1):
            if capture in captures and 0 <= int(frame) < len(captures[capture].poses):
                found.append(PlacedPicture(place, captures[capture], int(frame)))
        return found

    @cached_property
    def _shown(self) -> set[str]:
        return {
            one.object
            for picture in self.pictures
            for one in picture.capture.sightings
            if one.frame == picture.frame and one.pixels > 0
        }

    def number_of(self, identity: Any) -> int:
        """The number of the thing of an id.

        Raises:
            KeyError: there is none.
        """
        for number, thing in enumerate(self.geometry.scene.objects):
            if thing.id == identity:
                return number
        raise KeyError(str(identity))


class DrawnEvidence(NamedTuple):
    """Evidence on a plan.

    Attributes:
        marks: the marks, as listed above.
        undrawn: a sentence where nothing but the things' outlines could be drawn; else empty.
    """

    marks: list[Mark]
    undrawn: str = ""


evidence_on_plan: Callable[[Item, SceneGeometry], DrawnEvidence] = later(
    "tolman.generate.evidence_drawing:evidence_on_plan"
)
"""Draw an item's evidence on the plan of its scene; `generate.evidence_drawing` knows what the families store."""
