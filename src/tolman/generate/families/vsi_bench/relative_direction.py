"""Relative direction, easy, medium and hard (VSI-Bench paper, Table 3)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tolman.benchmarks.vsi_bench.vsi_meta_info import DIRECTIONS
from tolman.generate.answer_evidence import every, needed
from tolman.generate.family import Draft, DraftRest, Family, FamilySettings, Recomputed, Rejected, place_of
from tolman.generate.scene_geometry import angle_error
from tolman.geometry.boxes import Floats
from tolman.geometry.ground_plane import HALVES, QUADRANTS, THIRDS, Sectors, boundary_gap, egocentric_angle, sector_of
from tolman.ground_truth.scene_arrays import DistanceMeasure, SceneGeometry
from tolman.items import Item


class DirectionSettings(FamilySettings):
    """Relative direction.

    Attributes:
        geometry: which distance of boxes.
        nearest, farthest: metres that any two of the three objects are apart.
        on_plan: metres that the places of the observer and the others are apart on the floor plan.
        margin: degrees from the nearest boundary of a sector.
        two_sided: whether the hard question's margin holds on both sides of a boundary.
        corners: how many corners of the queried box may be in another sector.
    """

    geometry: DistanceMeasure = "exact"
    nearest: float = 0.30
    farthest: float = 5.0
    on_plan: float = 0.30
    margin: float = 10.0
    two_sided: bool = True
    corners: int = 2


@dataclass(frozen=True)
class Level:
    """One difficulty.

    Attributes:
        task: the question type.
        sectors: the directions to choose from.
        text: the question, with the three objects to be filled in.
    """

    task: str
    sectors: Sectors
    text: str


_STANDING = "If I am standing by the {a} and facing the {b}, is the {c} to "
_TEXTS = (
    _STANDING + "the left or the right of the {b}?",
    _STANDING
    + "my left, right, or back?\nAn object is to my back if I would have to turn at least 135 degrees in order to face "
    "it.",
    _STANDING + "my front-left, front-right, back-left, or back-right?\nThe directions refer to the quadrants of a "
    "Cartesian plane (if I am standing at the origin and facing along the positive y-axis).",
)
LEVELS = tuple(Level(task, sectors, text) for (task, sectors), text in zip(DIRECTIONS.items(), _TEXTS, strict=True))
_APART = "two objects nearer than {settings.nearest} m or farther than {settings.farthest} m"
_MARGIN = "within {settings.margin}° of a boundary"
_BEHIND = "behind"
_CORNERS = "more than {settings.corners} corners in another sector"
_BY_TASK = {level.task: level for level in LEVELS}
_PATTERN = re.compile(r"standing by the (.+?) and facing the (.+?), is the (.+?) to (?:my|the) ")


def margin(angle: float, level: Level, settings: DirectionSettings) -> float:
    """Return the degrees between an angle and the nearest boundary that the rule considers.

    The easy question has the medium one's boundaries in the released code: directions behind are not asked for.
    """
    sectors = THIRDS if level.sectors is HALVES else level.sectors
    behind, ahead = boundary_gap(angle, sectors)
    if level.sectors is QUADRANTS and not settings.two_sided:
        return ahead
    return min(behind, ahead)


def violations(
    geometry: SceneGeometry, places: tuple[str, str, str], angle: float, level: Level, settings: DirectionSettings
) -> list[str]:
    """The rules that a question breaks."""
    corners = egocentric_angle(geometry.center(places[0]), geometry.center(places[1]), geometry.vertices(places[2]))
    elsewhere = int(corners_elsewhere(np.asarray(angle), corners, _looked_at(level)))
    return [*_Apart(geometry, settings).broken(places), *_broken(elsewhere, angle, level, settings)]


def _looked_at(level: Level) -> Sectors:
    """The sectors that the rules look at: for the easy question the medium one's, as in the released code."""
    return THIRDS if level.sectors is HALVES else level.sectors


def corners_elsewhere(angles: Floats, corners: Floats, sectors: Sectors) -> NDArray[np.intp]:
    """Count the corners in another sector than the middle.

    Args:
        angles: of the middles, degrees. Shape (…).
        corners: of boxes' corners, degrees. Shape (…, corners).
        sectors: that follow each other from 0 on.

    Returns:
        Shape (…).
    """
    begins = [low for low, _, _ in sectors]
    own = np.searchsorted(begins, angles % 360.0, side="right")
    return np.asarray((np.searchsorted(begins, corners % 360.0, side="right") != own[..., None]).sum(-1))


class _Directions:
    """All directions between a scene's unique categories, computed together."""

    def __init__(self, geometry: SceneGeometry) -> None:
        names = geometry.unique
        self._numbers = {name: number for number, name in enumerate(names)}
        centers = np.array([geometry.center(name) for name in names])
        boxes = np.array([geometry.vertices(name) for name in names])
        angles = np.stack([egocentric_angle(here, centers[:, None], centers[None]) for here in centers])
        corners = np.stack([egocentric_angle(here, centers[:, None, None], boxes[None]) for here in centers])
        self._angles: list[list[list[float]]] = angles.tolist()
        self._elsewhere: dict[str, list[list[list[int]]]] = {
            one.task: corners_elsewhere(angles, corners, _looked_at(one)).tolist() for one in LEVELS
        }

    def angle(self, places: tuple[str, str, str]) -> float:
        """The direction of the third from the first, facing the second; degrees."""
        a, b, c = self._at(places)
        return self._angles[a][b][c]

    def elsewhere(self, places: tuple[str, str, str], level: Level) -> int:
        """Count the corners of the third in another sector than its middle."""
        a, b, c = self._at(places)
        return self._elsewhere[level.task][a][b][c]

    def _at(self, places: tuple[str, str, str]) -> tuple[int, int, int]:
        a, b, c = places
        return self._numbers[a], self._numbers[b], self._numbers[c]


class _Apart:
    """The rules about distances, for a scene's things; each two of them are measured once."""

    def __init__(self, geometry: SceneGeometry, settings: DirectionSettings) -> None:
        self._geometry = geometry
        self._settings = settings
        self._measure = geometry.exact_distance if settings.geometry == "exact" else geometry.sampled_distance
        self._wrong: dict[tuple[str, str], bool] = {}
        self._near: dict[tuple[str, str], bool] = {}
        self._texts = (
            _APART.format(settings=settings),
            f"the observer within {settings.on_plan} m of another object on the floor plan",
        )

    def broken(self, places: tuple[str, str, str]) -> list[str]:
        """The rules that three things break."""
        a, b, c = places
        broken = []
        if self._is_wrong((a, b)) or self._is_wrong((a, c)) or self._is_wrong((b, c)):
            broken.append(self._texts[0])
        if self._is_near((a, b)) or self._is_near((a, c)):
            broken.append(self._texts[1])
        return broken

    def _is_wrong(self, pair: tuple[str, str]) -> bool:
        """Check whether two things are too near or too far."""
        if pair not in self._wrong:
            self._wrong[pair] = not self._settings.nearest <= self._measure(*pair) <= self._settings.farthest
        return self._wrong[pair]

    def _is_near(self, pair: tuple[str, str]) -> bool:
        """Check whether two things are too near on the floor plan."""
        if pair not in self._near:
            here, there = (self._geometry.center(name) for name in pair)
            self._near[pair] = float(np.linalg.norm((there - here)[:2])) < self._settings.on_plan
        return self._near[pair]


def _broken(elsewhere: int, angle: float, level: Level, settings: DirectionSettings) -> list[str]:
    """The rules about directions that a question breaks."""
    broken = []
    if margin(angle, level, settings) < settings.margin:
        broken.append(_MARGIN.format(settings=settings))
    if level.sectors is HALVES and sector_of(angle, THIRDS) == "back":
        broken.append(_BEHIND)
    if elsewhere > settings.corners:
        broken.append(_CORNERS.format(settings=settings))
    return broken


def draft(geometry: SceneGeometry, settings: DirectionSettings) -> Iterator[Draft | Rejected]:
    """For each three unique objects, the three ways in which the released code asks for them."""
    scene = geometry.scene
    directions = _Directions(geometry) if len(geometry.unique) > 2 else None
    apart = _Apart(geometry, settings)
    for a, b, c in itertools.combinations(geometry.unique, 3):
        for places in ((a, b, c), (a, c, b), (b, a, c)):
            if broken := apart.broken(places):
                for level in LEVELS:
                    yield Rejected(level.task, scene.id, broken[0])
                continue
            assert directions is not None
            angle = directions.angle(places)
            for level in LEVELS:
                broken = _broken(directions.elsewhere(places, level), angle, level, settings)
                if broken:
                    yield Rejected(level.task, scene.id, broken[0])
                    continue
                answer = sector_of(angle, level.sectors)
                others = [name for _, _, name in level.sectors if name != answer]
                question = level.text.format(a=places[0], b=places[1], c=places[2])
                rest = partial(_rest, geometry, places, angle, level, settings)
                yield Draft(level.task, scene.id, question, answer, None, (answer, *others), closed=True, rest=rest)


def _rest(
    geometry: SceneGeometry,
    places: tuple[str, str, str],
    angle: float,
    level: Level,
    settings: DirectionSettings,
    asked: Draft,
) -> DraftRest:
    legs = ((places[0], places[1]), (places[0], places[2]))
    evidence = {"angle": angle, "margin": margin(angle, level, settings), **angle_error(geometry, legs)}
    return DraftRest(evidence, needed(geometry, every(geometry, *places)))


def recompute(geometry: SceneGeometry, item: Item, settings: DirectionSettings, *, released: bool = True) -> Recomputed:
    """Return the sector of the queried object's centre."""
    match = _PATTERN.search(item.question)
    if match is None or item.task not in _BY_TASK:
        raise ValueError("is no question for a direction")
    level = _BY_TASK[item.task]
    places = (geometry.category(match[1]), geometry.category(match[2]), geometry.category(match[3]))
    angle = float(egocentric_angle(*(geometry.center(p) for p in places)))
    broken = violations(geometry, places, angle, level, settings)
    broken += [reason for c in places if (reason := geometry.not_one(c))]
    answer = sector_of(angle, level.sectors)
    behind, ahead = boundary_gap(angle, level.sectors)
    corners = egocentric_angle(geometry.center(places[0]), geometry.center(places[1]), geometry.vertices(places[2]))
    elsewhere = sum(sector_of(float(corner), level.sectors) != answer for corner in corners)
    return Recomputed(
        answer,
        answer,
        min(behind, ahead),
        tuple(broken),
        {"angle": angle, "past": behind, "before": ahead},
        harmless=harmless(broken, min(behind, ahead), elsewhere, settings),
    )


def harmless(broken: Sequence[str], margin: float, elsewhere: int, settings: DirectionSettings) -> tuple[str, ...]:
    """The broken rules that leave the answer safe.

    The distance of the objects is no argument against a clear angle. The easy question is held to the medium one's
    boundaries; if left and right themselves are clear, those rules leave its answer safe.

    Args:
        broken: the rules.
        margin: degrees to the nearest boundary between two of the question's own options.
        elsewhere: corners of the queried box in another of the question's own options.
        settings: the thresholds.
    """
    safe = {_APART.format(settings=settings)}
    if margin >= settings.margin:
        safe |= {_MARGIN.format(settings=settings), _BEHIND}
    if elsewhere <= settings.corners:
        safe.add(_CORNERS.format(settings=settings))
    return tuple(rule for rule in broken if rule in safe)


FAMILY = Family(
    name="vsi-bench/relative-direction",
    title="Direction of an object for an observer who faces another",
    tasks=tuple(level.task for level in LEVELS),
    settings=DirectionSettings(),
    taxonomy=place_of("vsi-bench/relative-direction"),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
    scale_free=True,
)
