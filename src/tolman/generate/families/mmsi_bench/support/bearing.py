"""Bearing: the engine behind all questions for a direction on the floor plan.

Standing at an origin, with a direction that is ahead (or north), in which quadrant is a target? Origin, ahead and
target are cameras, objects or regions. The angle's margin to the next quadrant, the share of the target's outline in
the right one, and distances that are large for the sizes of what they are between keep an answer from ambiguity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.generate.draft import Draft, ReasoningStep, Recomputed, Rejected
from tolman.generate.families.mmsi_bench.support.ambiguity import (
    ONE_OPTION,
    Point,
    SingleViewAmbiguity,
    SingleViewCues,
    Values,
)
from tolman.generate.families.mmsi_bench.support.regions import RegionView
from tolman.generate.families.mmsi_bench.support.settings import ViewSettings
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.geometry.boxes import Floats

RELATIVE = ("Front-left", "Back-left", "Back-right", "Front-right")
"""Quadrants counter-clockwise from straight ahead."""
COMPASS = ("Northwest", "Southwest", "Southeast", "Northeast")
"""The same from north."""
_NEAR = "two places within {0.nearest} m or {0.spread} of their half diagonals of each other"


@dataclass(frozen=True, eq=False)
class Spot:
    """An end of a bearing, or what it goes along.

    Attributes:
        element: its name among what the question depends on.
        middle: on the floor plan, metres, shape (2,).
        outline: corners, shape (n, 2).
        told_by: the objects whose pixels tell where it is; empty for a camera.
        picture: of a camera, which picture it took.
    """

    element: str
    middle: Floats
    outline: Floats
    told_by: tuple[int, ...] = ()
    picture: int | None = None

    @property
    def radius(self) -> float:
        """Metres from the middle to the farthest corner."""
        return float(np.linalg.norm(self.outline - self.middle, axis=1).max())


def camera_spot(pictures: Sequence[View], number: int) -> Spot:
    """The place of a picture's camera."""
    place = pictures[number].place
    return Spot(f"camera {number}", place, place[None], picture=number)


def object_spot(gallery: Gallery, number: int) -> Spot:
    """The place of an object."""
    return Spot(f"object {number}", gallery.center(number), gallery.outline(number), (number,))


def region_spot(region: RegionView) -> Spot:
    """The place of a region; a picture that sees any of it knows where it is."""
    return Spot(f"region {region.name}", region.middle, region.outline, region.members)


@dataclass(frozen=True, eq=False)
class Bearing:
    """A question for a direction.

    Attributes:
        pictures: that are shown.
        origin: where one stands.
        target: what is asked for.
        ahead: what is straight ahead, or to the north; of a camera its direction of view.
        arriving: whether one comes from `ahead` instead, so that it is straight behind.
        names: of the quadrants.
    """

    pictures: tuple[View, ...]
    origin: Spot
    target: Spot
    ahead: Spot
    names: tuple[str, ...] = RELATIVE
    arriving: bool = False

    @property
    def angle(self) -> float:
        """Counter-clockwise from ahead to the target, 0 ≤ degrees < 360."""
        return float(self._angles(self.target.middle[None])[0])

    @property
    def answer(self) -> str:
        """The quadrant's name."""
        return self.names[int(self.angle // 90)]

    @property
    def margin(self) -> float:
        """Degrees to the next quadrant."""
        return min(self.angle % 90, 90 - self.angle % 90)

    def _angles(self, points: Floats) -> Floats:
        way = points - self.origin.middle
        return np.asarray((_degrees(way) - self._ahead()) % 360)

    def _ahead(self) -> float:
        if self.ahead.picture is not None:
            return self.pictures[self.ahead.picture].heading
        way = float(_degrees((self.ahead.middle - self.origin.middle)[None])[0])
        return way + 180 if self.arriving else way

    def violations(self, settings: ViewSettings) -> list[str]:
        """The rules that it breaks."""
        broken = []
        ends = [(self.origin, self.target)]
        if self.ahead.picture is None:
            ends.append((self.origin, self.ahead))
        for a, b in ends:
            apart = float(np.linalg.norm(b.middle - a.middle))
            if apart < settings.nearest or apart < settings.spread * (a.radius + b.radius):
                broken.append(_NEAR.format(settings))
                break
        if self.margin < settings.margin:
            broken.append(f"within {settings.margin}° of a boundary")
        inside = self._angles(self.target.outline) // 90 == self.angle // 90
        if inside.mean() < settings.within:
            broken.append("much of what is asked for in another quadrant")
        return broken

    def ambiguity(self) -> SingleViewAmbiguity:
        """Its dependence on what is seen."""
        spots = {spot.element: spot for spot in (self.origin, self.target, self.ahead)}
        cameras = {name: spot.picture for name, spot in spots.items() if spot.picture is not None}
        points = {name: Point(spot.middle, spot.told_by) for name, spot in spots.items() if spot.picture is None}
        return SingleViewAmbiguity(self.pictures, cameras, points, self._answers)

    def _answers(self, values: Values) -> NDArray[np.int64]:
        origin = values[self.origin.element][:, :2]
        if self.ahead.picture is not None:
            ahead = values[self.ahead.element][:, 2]
        else:
            ahead = _degrees(values[self.ahead.element][:, :2] - origin) + (180 if self.arriving else 0)
        angle = (_degrees(values[self.target.element][:, :2] - origin) - ahead) % 360
        return np.asarray((angle // 90).astype(np.int64) % 4)

    def evidence(self) -> dict[str, object]:
        """The numbers behind it."""
        return {
            "angle": self.angle,
            "margin": self.margin,
            "distance": float(np.linalg.norm(self.target.middle - self.origin.middle)),
            "origin": self.origin.middle.tolist(),
            "target": self.target.middle.tolist(),
        }


def checked(gallery: Gallery, bearing: Bearing, task: str) -> SingleViewCues | Rejected:
    """Single-view cues of a question for a direction, or the rule that forbids it."""
    broken = bearing.violations(gallery.settings)
    if broken:
        return Rejected(task, gallery.scene.id, broken[0])
    cues = bearing.ambiguity().cues(gallery, bearing.names)
    return cues or Rejected(task, gallery.scene.id, ONE_OPTION)


def posed(
    gallery: Gallery, bearing: Bearing, task: str, question: str, steps: Sequence[ReasoningStep], cues: SingleViewCues
) -> Draft:
    """A question for a direction that was checked."""
    answer = bearing.answer
    return Draft(
        task,
        gallery.scene.id,
        question,
        answer,
        None,
        (answer, *(name for name in bearing.names if name != answer)),
        {**bearing.evidence(), "suggested": list(cues.suggested)},
        shots=tuple(view.shot for view in bearing.pictures),
        reasoning=tuple(steps),
        closed=True,
        single_view_cues=cues.cues,
    )


def recomputed(bearing: Bearing, settings: ViewSettings) -> Recomputed:
    """The answer of a scene to such a question."""
    answer = bearing.answer
    return Recomputed(answer, answer, bearing.margin, tuple(bearing.violations(settings)), bearing.evidence())


def _degrees(ways: Floats) -> Floats:
    return np.asarray(np.degrees(np.arctan2(ways[:, 1], ways[:, 0])))
