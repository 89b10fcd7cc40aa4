"""A rig: one egocentric camera and fixed ones on one time line, and what tells two of its moments apart.

Only what any `Capture` with the role 'ego' or 'exo…' holds is used: clocks, poses, intrinsics, and sightings where they
are known. What moves is, first, whoever wears the egocentric camera, whose place is that camera's; secondly every object
with a track. Where sightings are known, something is shown if it takes up the share `shown` of the picture; the wearer is
then the object that moves with the egocentric camera, and shown in no way if there is none. Where no sightings are known,
as in recordings of real people, the wearer is shown where the egocentric camera's place falls well inside the picture.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tolman.generate.draft import Shot
from tolman.generate.egoexo.settings import RigSettings
from tolman.generate.geometry import SceneGeometry
from tolman.geometry.boxes import Floats
from tolman.items import Item
from tolman.scenes import Capture

WEARER = "wearer"
_ALONG = 0.6
"""Metres from the egocentric camera on the floor plan within which the middle of whoever wears it stays."""


@dataclass(frozen=True)
class Moment:
    """One time, and the frame of each camera that is nearest to it.

    Attributes:
        seconds: on the scene's time line.
        ego, exo: frames.
    """

    seconds: float
    ego: int
    exo: int


@dataclass(frozen=True)
class Change:
    """What differs between two moments.

    Attributes:
        clue: 'wearer', or the id of the thing that tells them apart.
        metres, degrees: how far it went and turned.
    """

    clue: str
    metres: float
    degrees: float


class Rig:
    """An egocentric camera with one fixed one.

    Args:
        geometry: of the scene.
        ego, exo: the recordings.
        settings: thresholds.
    """

    def __init__(self, geometry: SceneGeometry, ego: Capture, exo: Capture, settings: RigSettings) -> None:
        self.geometry, self.ego, self.exo, self.settings = geometry, ego, exo, settings

    @cached_property
    def moments(self) -> list[Moment]:
        """Evenly spaced moments that both cameras recorded."""
        ego, exo = (np.array(c.times) + c.offset for c in (self.ego, self.exo))
        low, high = max(ego[0], exo[0]), min(ego[-1], exo[-1])
        count = min(self.settings.moments, int((high - low) / self.settings.every) + 1) if high > low else 0
        found = []
        for seconds in np.linspace(low, high, count):
            one, other = (_nearest(times, float(seconds)) for times in (ego, exo))
            if abs(ego[one] - exo[other]) <= self.settings.together:
                found.append(Moment(float(ego[one]), one, other))
        return found

    @cached_property
    def movers(self) -> dict[str, tuple[Floats, Floats]]:
        """The tracks of things that move apart from the wearer: seconds, shape (n,), and middles, shape (n, 3)."""
        found = {}
        for thing in self.geometry.scene.objects:
            if thing.track and thing.id != self.wearer:
                seconds = np.array([point.seconds for point in thing.track])
                found[thing.id] = seconds, np.array([point.center for point in thing.track])
        return found

    @cached_property
    def wearer(self) -> str | None:
        """The object that moves with the egocentric camera."""
        if not self.ego.poses:
            return None
        times = np.array(self.ego.times) + self.ego.offset
        places = np.array([self.ego.pose(i)[:2, 3] for i in range(len(times))])
        for thing in self.geometry.scene.objects:
            if thing.track:
                seconds = [point.seconds for point in thing.track]
                middles = np.array([point.center[:2] for point in thing.track])
                there = np.column_stack([np.interp(times, seconds, middles[:, i]) for i in range(2)])
                if np.linalg.norm(there - places, axis=1).max() < _ALONG:
                    return thing.id
        return None

    def place(self, clue: str, moment: Moment) -> Floats:
        """Where the wearer or a thing is, metres on the floor plan, shape (2,)."""
        if clue == WEARER:
            return np.asarray(self.ego.pose(moment.ego)[:2, 3])
        seconds, middles = self.movers[clue]
        return np.array([np.interp(moment.seconds, seconds, middles[:, i]) for i in range(2)])

    def shows(self, capture: Capture, frame: int, clue: str) -> bool:
        """Whether a picture shows the wearer or a thing well enough."""
        if clue == WEARER and capture.id == self.ego.id:
            return False
        if capture.sightings:
            identity = self.wearer if clue == WEARER else clue
            return self._share(capture, frame, identity) >= self.settings.shown if identity else False
        return clue == WEARER and self._in_view(frame)

    def located(self, moment: Moment) -> bool:
        """Whether the egocentric picture shows things at rest by which its place is known; true where that is unknown."""
        if not self.ego.sightings:
            return True
        seen = self._pixels[self.ego.id].get(moment.ego, {})
        size = self._area(self.ego) * self.settings.shown
        return sum(pixels >= size and name not in self.movers for name, pixels in seen.items()) >= self.settings.still

    def clues(self, moment: Moment) -> set[str]:
        """What ties both cameras' pictures of a moment together: shown in both, or the wearer in the fixed one's."""
        found = {
            name
            for name in self.movers
            if self.shows(self.ego, moment.ego, name) and self.shows(self.exo, moment.exo, name)
        }
        wearer = bool(self.ego.poses) and self.shows(self.exo, moment.exo, WEARER) and self.located(moment)
        return found | {WEARER} if wearer else found

    def change(self, clue: str, a: Moment, b: Moment) -> Change:
        """How the wearer or a thing differs between two moments."""
        metres = float(np.linalg.norm(self.place(clue, a) - self.place(clue, b)))
        degrees = 0.0
        if clue == WEARER:
            one, other = (self.ego.pose(moment.ego)[:2, 2] for moment in (a, b))
            cross = one[0] * other[1] - one[1] * other[0]
            degrees = float(np.degrees(abs(np.arctan2(cross, one @ other))))
        return Change(clue, metres, degrees)

    def differs(self, change: Change) -> bool:
        """Whether a change is large enough to be seen."""
        return change.metres >= self.settings.moved or change.degrees >= self.settings.turned

    def shot(self, view: str, moment: Moment) -> Shot:
        """A moment's picture of the 'ego' or the 'exo' camera."""
        capture, frame = (self.ego, moment.ego) if view == "ego" else (self.exo, moment.exo)
        return Shot(capture.id, frame)

    @cached_property
    def _pixels(self) -> dict[str, dict[int, dict[str, int]]]:
        found: dict[str, dict[int, dict[str, int]]] = {}
        for capture in (self.ego, self.exo):
            own = found.setdefault(capture.id, {})
            for one in capture.sightings:
                own.setdefault(one.frame, {})[one.object] = one.pixels
        return found

    def _share(self, capture: Capture, frame: int, identity: str) -> float:
        return self._pixels[capture.id].get(frame, {}).get(identity, 0) / self._area(capture)

    @staticmethod
    def _area(capture: Capture) -> int:
        width, height = capture.size or (640, 480)
        return width * height

    def _in_view(self, frame: int) -> bool:
        """Whether the egocentric camera's place falls well inside the fixed camera's picture."""
        capture, settings = self.exo, self.settings
        if not (capture.poses and capture.intrinsics and capture.size and self.ego.poses):
            return False
        seconds = capture.scene_time(frame)
        times = np.array(self.ego.times) + self.ego.offset
        place = self.ego.pose(_nearest(times, seconds))[:, 3]
        x, y, depth, _ = np.linalg.inv(capture.pose(frame)) @ place
        if not settings.near <= depth <= settings.far:
            return False
        fx, fy, cx, cy = capture.intrinsics[frame if len(capture.intrinsics) > 1 else 0]
        across, down = (fx * x / depth + cx) / capture.size[0], (fy * y / depth + cy) / capture.size[1]
        return settings.margin <= across <= 1 - settings.margin and settings.margin <= down <= 1 - settings.margin


def rigs(geometry: SceneGeometry, settings: RigSettings) -> Iterator[Rig]:
    """Each egocentric camera of a scene with each fixed one."""
    cameras = [c for c in geometry.captures if c.sensor == "camera" and c.times and c.media]
    for ego in cameras:
        for exo in cameras:
            if ego.role == "ego" and exo.role.startswith("exo"):
                yield Rig(geometry, ego, exo, settings)


def shots_of(item: Item) -> list[Shot]:
    """Which pictures an item shows, in their order.

    Raises:
        KeyError: it doesn't say.
    """
    return [Shot(capture, frame, until) for capture, frame, until in item.evidence["shots"]]


def _nearest(times: Floats, seconds: float) -> int:
    """The frame that is nearest to a time."""
    i = bisect_left(times, seconds)  # type: ignore[type-var]
    if i == 0 or (i < len(times) and times[i] - seconds < seconds - times[i - 1]):
        return min(i, len(times) - 1)
    return i - 1
