"""A question with its scene: which things it rests on, which pictures it shows, where each camera stood."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tolman.generate.drafting import categories_in
from tolman.generate.families.mmsi_bench.support.settings import ViewSettings
from tolman.generate.families.mmsi_bench.support.views import Gallery
from tolman.generate.geometry import SceneGeometry
from tolman.geometry.boxes import Floats
from tolman.items import Item
from tolman.scenes import Capture

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
        """Where its camera stood, metres, shape (2,)."""
        return np.asarray(self.capture.pose(self.frame)[:2, 3])

    @property
    def ahead(self) -> Floats:
        """Where it looked on the floor plan, a unit vector."""
        way = np.asarray(self.capture.pose(self.frame)[:2, 2])
        return way / max(float(np.linalg.norm(way)), 1e-9)

    @property
    def half(self) -> float:
        """Half its horizontal angle of view in degrees."""
        rows = self.capture.intrinsics
        if not rows or self.capture.size is None:
            return HALF_VIEW
        return math.degrees(math.atan(self.capture.size[0] / 2 / rows[0 if len(rows) == 1 else self.frame][0]))


class Asked:
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
        """The categories that stand in a question as 'the lamp', of a family that doesn't say how it names things."""
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

    @cached_property
    def gallery(self) -> Gallery:
        """The scene's pictures as viewpoints."""
        return Gallery(self.geometry, ViewSettings())

    def number_of(self, identity: Any) -> int:
        """The number of the thing of an id.

        Raises:
            KeyError: there is none.
        """
        for number, thing in enumerate(self.geometry.scene.objects):
            if thing.id == identity:
                return number
        raise KeyError(str(identity))
