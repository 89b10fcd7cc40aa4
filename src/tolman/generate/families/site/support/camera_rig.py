"""Rig: one egocentric camera and fixed ones on one time line, and the differences between its moments.

The only data used are those of any `Capture` with the role 'ego' or 'exo…': clocks, poses, intrinsics, and sightings
where they are known. Two kinds of things move: the wearer of the egocentric camera, whose place is that camera's, and
every object with a track. The wearer is shown where the egocentric camera's place falls well inside the fixed camera's
picture. That is all where no sightings are known, as in recordings of real people. With sightings, a thing and the
wearer must take up the share `shown` of the picture too; the wearer is then the object that moves with the egocentric
camera, and never shown if there is none.

The direction of a family is the view that is given, and the one that is asked about.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from tolman.generate.family import Draft, Family, FamilySettings, Recomputed, Rejected, Shot, place_of
from tolman.geometry.boxes import Floats
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.scenes import Capture


@dataclass(frozen=True)
class Direction:
    """One direction of a family.

    Attributes:
        task: the question type.
        given, asked: 'ego' and 'exo', or the other way round.
        question: the text.
    """

    task: str
    given: str
    asked: str
    question: str


S = TypeVar("S", bound=FamilySettings)


def families_of(
    directions: Mapping[str, Direction],
    title: Callable[[Direction], str],
    settings: S,
    draft: Callable[[Direction, SceneGeometry, S], Iterator[Draft | Rejected]],
    recompute: Callable[..., Recomputed],
) -> tuple[Family[S], ...]:
    """A family for each direction, by the last part of its name; both functions take the direction first."""
    return tuple(
        Family(
            f"site/{name}", title(one), (one.task,), settings, place_of(f"site/{name}"), partial(draft, one),
            partial(recompute, one),
        )
        for name, one in directions.items()
    )  # fmt: skip


WEARER = "wearer"
NO_MOMENT = "the egocentric and the exocentric recording share no moment"
_ALONG = 0.6
"""Metres from the egocentric camera on the floor plan within which the middle of whoever wears it stays."""


class RigSettings(FamilySettings):
    """Conditions under which two moments are distinguishable.

    Attributes:
        every: seconds between the moments that are looked at.
        moments: how many at most; longer recordings are looked at less often.
        together: seconds by which two cameras' frames may differ and still be of one moment.
        moved: metres that the wearer, or a thing, must have gone between two moments.
        part: the same as a share of its distance from the camera that shows it: distant things must go farther.
        turned: degrees that the wearer must have turned instead.
        facing: share of the picture that the wearer takes up at least if their turning is to be seen.
        shown: share of the picture that the wearer, or a thing that moves, takes up if it is to count as shown.
        landmark: the same for a thing at rest.
        landmarks: things at rest that both views' pictures show, so that one sees where the egocentric one was taken.
        largest: share of the egocentric picture that a thing at rest takes up at most.
        margin: share of the picture's width and height from its edge within which the wearer is not counted on.
        near, far: metres from a camera within which the wearer is looked for, where sightings aren't known.
    """

    every: float = 0.5
    moments: int = 120
    together: float = 0.05
    moved: float = 1.5
    part: float = 0.3
    turned: float = 90.0
    facing: float = 0.02
    shown: float = 0.006
    landmark: float = 0.002
    landmarks: int = 3
    largest: float = 0.4
    margin: float = 0.06
    near: float = 1.0
    far: float = 8.0


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
    """The difference between two moments.

    Attributes:
        cue: 'wearer', or the id of the thing that distinguishes them.
        metres, degrees: how far it went and turned.
    """

    cue: str
    metres: float
    degrees: float


class SceneRig:
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
        """Evenly spaced moments that both cameras recorded; where pictures are farther apart than these, each once."""
        ego, exo = (np.array(c.times) + c.offset for c in (self.ego, self.exo))
        low, high = max(ego[0], exo[0]), min(ego[-1], exo[-1])
        count = min(self.settings.moments, int((high - low) / self.settings.every) + 1) if high > low else 0
        found = []
        for seconds in np.linspace(low, high, count):
            one, other = (_nearest(times, float(seconds)) for times in (ego, exo))
            if abs(ego[one] - exo[other]) <= self.settings.together:
                found.append(Moment(float(ego[one]), one, other))
        return list(dict.fromkeys(found))

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

    @property
    def wears(self) -> str:
        """Return the wearer of the egocentric camera, as named in questions."""
        things = [thing for thing in self.geometry.scene.objects if thing.id == self.wearer]
        return f"the {things[0].category}" if things else "a person"

    def place(self, cue: str, moment: Moment) -> Floats:
        """Return the place of the wearer or a thing, metres on the floor plan, shape (2,)."""
        if cue == WEARER:
            return np.asarray(self.ego.pose(moment.ego)[:2, 3])
        seconds, middles = self.movers[cue]
        return np.array([np.interp(moment.seconds, seconds, middles[:, i]) for i in range(2)])

    def shows(self, capture: Capture, frame: int, cue: str) -> bool:
        """Check whether a picture shows the wearer or a thing well enough."""
        if cue == WEARER and capture.id == self.ego.id:
            return False
        if cue == WEARER and not self._in_view(frame):
            return False
        if capture.sightings:
            identity = self.wearer if cue == WEARER else cue
            return self._shares(capture, frame).get(identity or "", 0.0) >= self.settings.shown
        return cue == WEARER

    def located(self, ego: int, exo: int) -> bool:
        """Check whether things at rest that a fixed camera's picture shows too locate an egocentric picture; true where
        sightings are unknown."""
        if not (self.ego.sightings and self.exo.sightings):
            return True
        seen = {name: share for name, share in self._shares(self.ego, ego).items() if not self._moves(name)}
        there = self._shares(self.exo, exo)
        least = self.settings.landmark
        shared = [name for name, share in seen.items() if share >= least and there.get(name, 0.0) >= least]
        largest = max(seen.values(), default=0.0)
        return len(shared) >= self.settings.landmarks and largest <= self.settings.largest

    def cues(self, ego: int, exo: int) -> list[str]:
        """Return the cues that tie an egocentric picture to a fixed camera's: the wearer there, shared things."""
        if not self.located(ego, exo):
            return []
        wearer = [WEARER] if self.ego.poses and self.shows(self.exo, exo, WEARER) else []
        return wearer + [n for n in self.movers if self.shows(self.ego, ego, n) and self.shows(self.exo, exo, n)]

    def change(self, cue: str, a: Moment, b: Moment) -> Change:
        """How the wearer or a thing differs between two moments."""
        metres = float(np.linalg.norm(self.place(cue, a) - self.place(cue, b)))
        degrees = 0.0
        if cue == WEARER:
            one, other = (self.ego.pose(moment.ego)[:2, 2] for moment in (a, b))
            cross = one[0] * other[1] - one[1] * other[0]
            degrees = float(np.degrees(abs(np.arctan2(cross, one @ other))))
        return Change(cue, metres, degrees)

    def differs(self, change: Change, a: Moment, b: Moment, exo: int) -> bool:
        """Check whether a change between two moments is visible; `exo` is a fixed camera's picture of one."""
        settings = self.settings
        needed = max(settings.moved, settings.part * max(self.away(change.cue, moment) for moment in (a, b)))
        if change.metres >= needed:
            return True
        if change.cue != WEARER or change.degrees < settings.turned:
            return False
        if not self.exo.sightings:
            return True
        return self.wearer is not None and self._shares(self.exo, exo).get(self.wearer, 0.0) >= settings.facing

    def away(self, cue: str, moment: Moment) -> float:
        """Metres on the floor plan from the cameras that show it, the farther one."""
        place = self.place(cue, moment)
        found = [float(np.linalg.norm(self.exo.pose(moment.exo)[:2, 3] - place))] if self.exo.poses else [0.0]
        if cue != WEARER and self.ego.poses:
            found.append(float(np.linalg.norm(self.ego.pose(moment.ego)[:2, 3] - place)))
        return max(found)

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

    def _shares(self, capture: Capture, frame: int) -> dict[str, float]:
        """The share of a picture that each thing takes up."""
        width, height = capture.size or (640, 480)
        return {name: n / (width * height) for name, n in self._pixels[capture.id].get(frame, {}).items()}

    def _moves(self, identity: str) -> bool:
        return identity in self.movers or identity == self.wearer

    def _in_view(self, frame: int) -> bool:
        """Check whether the egocentric camera's place falls well inside the fixed camera's picture."""
        capture, settings = self.exo, self.settings
        if not (capture.poses and capture.intrinsics and capture.size and self.ego.poses):
            return False
        seconds = capture.scene_time(frame)
        times = np.array(self.ego.times) + self.ego.offset
        place = self.ego.pose(_nearest(times, seconds))[:, 3]
        x, y, depth, _ = np.linalg.inv(capture.pose(frame)) @ place
        if depth < settings.near or (depth > settings.far and not capture.sightings):
            return False
        fx, fy, cx, cy = capture.intrinsics[frame if len(capture.intrinsics) > 1 else 0]
        across, down = (fx * x / depth + cx) / capture.size[0], (fy * y / depth + cy) / capture.size[1]
        return all(settings.margin <= float(part) <= 1 - settings.margin for part in (across, down))


def rigs(geometry: SceneGeometry, settings: RigSettings) -> Iterator[SceneRig]:
    """Each egocentric camera of a scene with each fixed one."""
    cameras = [c for c in geometry.captures if c.sensor == "camera" and c.times and c.media]
    for ego in cameras:
        for exo in cameras:
            if ego.role == "ego" and exo.role.startswith("exo"):
                yield SceneRig(geometry, ego, exo, settings)


def missing_rig(geometry: SceneGeometry) -> str:
    """The reason why a scene has no egocentric camera with a fixed one."""
    recordings = [c for c in geometry.captures if c.sensor == "camera"]
    if not recordings:
        return "no camera's recording"
    cameras = [c for c in recordings if c.times and c.media]
    if not cameras:
        return "no recording with a video"
    has_ego = any(c.role == "ego" for c in cameras)
    has_exo = any(c.role.startswith("exo") for c in cameras)
    if has_ego:
        return "no exocentric recording: none has a role that begins with 'exo'"
    if has_exo:
        return "no egocentric recording: none has the role 'ego'"
    return "neither an egocentric recording (role 'ego') nor an exocentric one ('exo…')"


def shots_of(item: Item) -> list[Shot]:
    """The pictures that an item shows, in their order.

    Raises:
        KeyError: it doesn't say.
    """
    return [Shot(capture, frame, until) for capture, frame, until in item.evidence["shots"]]


def _nearest(times: Floats, seconds: float) -> int:
    """The frame that is nearest to a time."""
    i = bisect_left(times, seconds)
    if i == 0 or (i < len(times) and times[i] - seconds < seconds - times[i - 1]):
        return min(i, len(times) - 1)
    return i - 1
