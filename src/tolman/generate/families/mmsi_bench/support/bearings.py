"""Bearings and regions: all questions for a direction on the floor plan, in one loop over overlapping pictures.

Standing at an origin, with a direction that is ahead (or north), in which quadrant is a target? Origin, ahead and
target are cameras, objects or regions. Three things keep an answer from ambiguity: the angle's margin to the next
quadrant, the share of the target's outline in the right one, and distances that are large for the sizes involved.

A region is a named part of a place: the area of its kind's anchors, with the companions within reach of each. It is
named only where a scene has one of its kind. Several anchors count as one region where they are within reach of each
other, else the kind is not asked about. Its outline is the convex hull of its members' boxes on the floor plan, its
middle that hull's centroid. A picture shows it clearly where it shows an anchor clearly; it sees the region with any
pixel of any member.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tolman.extras import shapely
from tolman.generate.families.mmsi_bench.support.ambiguity import Point, SingleViewAmbiguity, Values
from tolman.generate.families.mmsi_bench.support.questions import ANY_QUESTION, closed_draft, pair_family
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ViewSettings
from tolman.generate.family import Draft, Family, ReasoningStep, Recomputed, Rejected
from tolman.geometry.boxes import Floats


@dataclass(frozen=True)
class Kind:
    """A kind of region.

    Attributes:
        name: as questions have it.
        anchors: categories; at least one must be there.
        companions: categories that belong to it where they are within reach.
        needed: how many companions it takes.
        reach: metres between boxes' middles.
    """

    name: str
    anchors: frozenset[str]
    companions: frozenset[str] = frozenset()
    needed: int = 0
    reach: float = 1.6


KINDS = (
    Kind("dining area", frozenset({"table"}), frozenset({"chair", "stool"}), 2, 1.5),
    Kind("work area", frozenset({"desk"}), frozenset({"chair", "lamp"}), 0, 1.2),
    Kind("sleeping area", frozenset({"bed", "crib"}), frozenset({"nightstand"}), 0, 1.9),
    Kind("sitting area", frozenset({"sofa"}), frozenset({"armchair"}), 0, 2.0),
    Kind("cooking area", frozenset({"oven", "refrigerator"}), frozenset({"coffee maker"}), 0, 1.8),
    Kind("washing area", frozenset({"sink", "toilet", "bidet", "bathtub", "shower"}), frozenset(), 0, 2.0),
    Kind("games area", frozenset({"pool table", "foosball table"}), frozenset(), 0, 2.5),
    Kind("entrance", frozenset({"door"}), frozenset(), 0, 1.0),
    Kind("bus stop", frozenset({"bus stop"}), frozenset(), 0, 2.0),
    Kind("picnic area", frozenset({"picnic table"}), frozenset(), 0, 2.0),
)


@dataclass(frozen=True, eq=False)
class RegionView:
    """A part of a place.

    Attributes:
        name: of its kind.
        anchors, members: objects' numbers in the scene; anchors are members.
        outline: corners on the floor plan, metres, shape (n, 2).
        middle: its centroid, shape (2,).
    """

    name: str
    anchors: tuple[int, ...]
    members: tuple[int, ...]
    outline: Floats
    middle: Floats

    def clear(self, gallery: Gallery, view: View, shown: Sequence[View]) -> bool:
        """Check whether a picture shows one of its anchors clearly and without doubt about its name."""
        return any(i in gallery.clear(view) and gallery.nameable(i, shown) for i in self.anchors)

    def anchor(self, gallery: Gallery, view: View) -> int:
        """The number of its first anchor that a picture shows clearly.

        Raises:
            StopIteration: it shows none; see `clear`.
        """
        return next(i for i in self.anchors if i in gallery.clear(view))

    def seen(self, view: View) -> bool:
        """Check whether a picture sees any of it."""
        return view.sees(self.members)


@lru_cache(maxsize=2)
def regions_of(gallery: Gallery) -> dict[str, RegionView]:
    """The regions of a scene, by name."""
    found = {}
    for kind in KINDS:
        anchors = [i for i in sorted(gallery.still) if gallery.category(i) in kind.anchors]
        if not anchors or not _together(gallery, anchors, kind.reach):
            continue
        near = [
            i
            for i in sorted(gallery.still)
            if gallery.category(i) in kind.companions and _nearest(gallery, i, anchors) <= kind.reach
        ]
        if len(near) < kind.needed:
            continue
        members = (*anchors, *near)
        corners = np.concatenate([gallery.outline(i) for i in members])
        hull = shapely.MultiPoint(corners).convex_hull
        if not isinstance(hull, shapely.Polygon):
            continue
        middle = np.array(hull.centroid.coords[0])
        outline = np.array(hull.exterior.coords)[:-1]
        found[kind.name] = RegionView(kind.name, tuple(anchors), members, outline, middle)
    return found


def _nearest(gallery: Gallery, number: int, others: Iterable[int]) -> float:
    here = gallery.center(number)
    return min(float(np.linalg.norm(gallery.center(i) - here)) for i in others)


def _together(gallery: Gallery, anchors: Sequence[int], reach: float) -> bool:
    """Check that a chain of steps within reach leads through all anchors."""
    reached, left = [anchors[0]], list(anchors[1:])
    while left:
        following = next((i for i in left if _nearest(gallery, i, reached) <= reach), None)
        if following is None:
            return False
        reached.append(following)
        left.remove(following)
    return True


RELATIVE = ("Front-left", "Back-left", "Back-right", "Front-right")
"""Quadrants counter-clockwise from straight ahead."""
COMPASS = ("Northwest", "Southwest", "Southeast", "Northeast")
"""The same from north."""
_NEAR = "two places within {0.nearest} m or {0.spread} of their half diagonals of each other"


@dataclass(frozen=True, eq=False)
class Spot:
    """An end of a bearing, or a point along it.

    Attributes:
        element: its name among the question's elements.
        middle: on the floor plan, metres, shape (2,).
        outline: corners, shape (n, 2).
        told_by: the objects whose pixels determine its place; empty for a camera.
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
        origin: the observer's place.
        target: the spot whose direction is the answer.
        ahead: the spot straight ahead, or to the north; of a camera its direction of view.
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
        """Return its dependence on the pictures."""
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


def _degrees(ways: Floats) -> Floats:
    return np.asarray(np.degrees(np.arctan2(ways[:, 1], ways[:, 0])))


@dataclass(frozen=True)
class DirectionCandidate:
    """A question for a direction that is still to be checked.

    Attributes:
        bearing: the direction to find.
        question: the text.
        steps: the way to the answer, worked out only if it is asked.
    """

    bearing: Bearing
    question: str
    steps: Iterator[ReasoningStep]

    def draft(self, gallery: Gallery, task: str) -> Draft | Rejected:
        """The checked question."""
        bearing = self.bearing
        if broken := bearing.violations(gallery.settings):
            return Rejected(task, gallery.scene.id, broken[0])
        return closed_draft(
            gallery, task, self.question, bearing.answer, bearing.names, bearing.ambiguity(), bearing.evidence(),
            self.steps,
        )  # fmt: skip


def recomputed(bearing: Bearing, settings: ViewSettings) -> Recomputed:
    """The answer of a scene to such a question."""
    answer = bearing.answer
    return Recomputed(answer, answer, bearing.margin, tuple(bearing.violations(settings)), bearing.evidence())


def direction_family(
    *,
    name: str,
    title: str,
    task: str,
    candidates: Callable[[Gallery, View, View], Iterator[DirectionCandidate | Rejected]],
    again: Callable[[Gallery, tuple[View, ...], re.Match[str]], DirectionCandidate],
    pattern: re.Pattern[str] = ANY_QUESTION,
    names: tuple[re.Pattern[str], ...] = (),
) -> Family[ViewSettings]:
    """A family of questions about pairs of overlapping pictures, each for one direction.

    Args:
        name, title, names: as `Family` has them.
        task: its question type.
        candidates: (gallery, first picture, second picture) → possible questions about them.
        again: (gallery, pictures, match of the pattern) → an existing question.
        pattern: of its questions.
    """

    def ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
        for found in candidates(gallery, a, b):
            yield found if isinstance(found, Rejected) else found.draft(gallery, task)

    def answer(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Recomputed:
        return recomputed(again(gallery, pictures, match).bearing, gallery.settings)

    return pair_family(name, title, task, ask, answer, pattern=pattern, names=names)
