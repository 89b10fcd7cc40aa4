"""Reasoning from landmarks: pose localisation and several hops. (SpatialBench, level 3.)

Pose localisation asks at which place one sees two landmarks as described. A robot is at one of four unique things, its
middle where that thing's middle is on the floor plan. One landmark is straight ahead, and another one on its left, on
its right or behind it (within `half` degrees of it). At the right place the second landmark is `margin` degrees inside
that range, at each of the other three it is as far outside.

In multi-hop reasoning a thing is named by another one, and asked about. The first hop names one of several things of a
kind as the one nearest to a landmark ("the chair that is closest to the door"). The second asks which of four unique
things is nearest to that one, or where a unique thing is for an observer there who faces a landmark. At either
hop the nearest is nearer than any other by `gap` metres and by the factor `ratio`; a direction is `margin` degrees
inside its quadrant. The first hop counts: with another of the things of that kind the answer would be another one.
Distances are exact, between the nearest points of boxes.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tolman.generate.answer_evidence import every, needed
from tolman.generate.families.spatialbench.support.ground import apart, bearing, middle, quadrant_of, walk_family
from tolman.generate.family import Draft, FamilySettings, Recomputed, Rejected, first_drafts
from tolman.generate.share_sampling import draws_of, exchanged, shared_sets
from tolman.geometry.ground_plane import QUADRANTS
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.scenes import Scene


class PoseSettings(FamilySettings):
    """Landmark-constrained pose localisation.

    Attributes:
        half: degrees to each side of left, right and behind that count as it.
        margin: degrees by which the right place is inside, and every other one outside.
        apart: metres on the floor plan between a place and the landmarks seen from it.
    """

    half: float = 45.0
    margin: float = 20.0
    apart: float = 0.8


LANDMARK_POSE_TASK = "landmark-constrained_pose_localization"
SIDES = {"on its left": 90.0, "on its right": -90.0, "behind it": 180.0}
_PATTERN = re.compile(
    r"\AIf a robot has the (.+?) straight ahead and the (.+?) (on its left|on its right|behind it), "
    r"where is it most likely to be\?\Z"
)
_PLACE = "At the "
_MAX_PER_PAIR = 1
"""Questions about a pair of landmarks."""
_MAX_PAIRS = 16
"""Pairs that are asked about in a scene."""


def off(geometry: SceneGeometry, place: str, ahead: str, other: str, side: str) -> float:
    """Degrees by which the second landmark is away from the middle of a side."""
    angle = bearing(geometry.center(place), geometry.center(ahead), geometry.center(other))
    return abs((angle - SIDES[side] + 180.0) % 360.0 - 180.0)


def violations(
    geometry: SceneGeometry, places: Sequence[str], ahead: str, other: str, settings: PoseSettings
) -> list[str]:
    """The rules about distances that a question breaks."""
    seen = [geometry.center(ahead), geometry.center(other)]
    near = min(apart(geometry.center(place), landmark) for place in places for landmark in seen) < settings.apart
    return [f"a landmark within {settings.apart} m of a place"] if near else []


def draft_landmark_pose(geometry: SceneGeometry, settings: PoseSettings) -> Iterator[Draft | Rejected]:
    """Draft four places, exactly one of them right, for some pairs of landmarks and every side.

    Where twins exchange four things, these are the places, and all pairs of others the landmarks.
    """
    scene = geometry.scene
    generator = draws_of(scene, LANDMARK_POSE_TASK)
    own = exchanged(scene, geometry.unique)
    pairs = list(itertools.permutations([name for name in geometry.unique if name not in own], 2))
    asked = 0
    for ahead, other in generator.sample(pairs, len(pairs)):
        if asked >= _MAX_PAIRS and not own:
            return
        _, _, side = generator.choice([(ahead, other, side) for side in sorted(SIDES)])
        usable = [
            name
            for name in own or geometry.unique
            if name not in (ahead, other) and not violations(geometry, [name], ahead, other, settings)
        ]
        away = {name: off(geometry, name, ahead, other, side) for name in usable}
        fitting = [name for name in usable if away[name] <= settings.half - settings.margin]
        wrong = [name for name in usable if away[name] >= settings.half + settings.margin]
        if not fitting or len(wrong) < 3:
            yield Rejected(
                LANDMARK_POSE_TASK, scene.id, f"no place fits, or fewer than three are {settings.margin}° outside"
            )
            continue
        asked += 1
        for places in _places(scene, fitting, wrong, generator):
            question = (
                f"If a robot has the {ahead} straight ahead and the {other} {side}, where is it most likely to be?"
            )
            options = tuple(_PLACE + name for name in places)
            evidence = {
                "off": {name: away[name] for name in places},
                "margin": min(abs(away[name] - settings.half) for name in places),
            }
            shows = needed(geometry, every(geometry, ahead, other, *places))
            yield Draft(LANDMARK_POSE_TASK, scene.id, question, options[0], None, options, evidence, needs=shows)


def _places(
    scene: Scene, fitting: Sequence[str], wrong: Sequence[str], generator: random.Random
) -> Iterator[tuple[str, ...]]:
    """Sets of places, the right one first; twins are asked about the same sets."""
    if not scene.twins:
        for answer in generator.sample(fitting, min(_MAX_PER_PAIR, len(fitting))):
            yield answer, *generator.sample(wrong, 3)
        return
    for places in shared_sets(scene, [*fitting, *wrong], 4, LANDMARK_POSE_TASK):
        right = [name for name in places if name in fitting]
        if len(right) == 1:
            yield right[0], *(name for name in places if name != right[0])


def recompute_landmark_pose(
    geometry: SceneGeometry, item: Item, settings: PoseSettings, *, released: bool = True
) -> Recomputed:
    """The place at which the second landmark is nearest to the middle of its side."""
    match = _PATTERN.match(item.question)
    if match is None or not all(text.startswith(_PLACE) for text in item.options):
        raise ValueError("is no question for a place with two landmarks")
    ahead, other = geometry.category(match[1]), geometry.category(match[2])
    places = {text: geometry.category(text.removeprefix(_PLACE)) for text in item.options}
    away = {text: off(geometry, name, ahead, other, match[3]) for text, name in places.items()}
    answer = min(away, key=away.__getitem__)
    margins = [settings.half - away[answer], *(d - settings.half for text, d in away.items() if text != answer)]
    broken = violations(geometry, list(places.values()), ahead, other, settings)
    broken += [f"within {settings.margin}° of another answer"] if min(margins) < settings.margin else []
    return Recomputed(answer, answer, min(margins), tuple(broken), {"off": away})


LANDMARK_POSE_FAMILY = walk_family(
    "spatialbench/landmark-pose",
    "The place from which two landmarks are seen as told",
    LANDMARK_POSE_TASK,
    PoseSettings(),
    draft_landmark_pose,
    recompute_landmark_pose,
    _PATTERN,
)


class MultiHopSettings(FamilySettings):
    """Multi-hop reasoning.

    Attributes:
        gap: metres by which the nearest is nearer than any other, at either hop.
        ratio: the second nearest is at least so many times as far, at either hop.
        margin: degrees from the nearest boundary of a sector.
        apart: metres on the floor plan between the observer and the landmark faced, or the target.
    """

    gap: float = 0.4
    ratio: float = 1.3
    margin: float = 20.0
    apart: float = 0.8


MULTI_HOP_TASK = "multi-hop_spatial_reasoning"
_NEAREST = re.compile(r"\AWhich of the following is closest to the (.+?) that is closest to the (.+)\?\Z")
_WHERE = re.compile(
    r"\AIf you stand at the (.+?) that is closest to the (.+?) and face the (.+?), in which direction is the (.+)\?\Z"
)
_PER_HOP = 2


def first_hop(geometry: SceneGeometry, kind: str, landmark: str) -> tuple[int, float, float]:
    """The thing of a kind that is nearest to a landmark: its number, by how many metres, and by which factor."""
    (anchor,) = geometry.members[landmark]
    lengths = {number: geometry.between(number, anchor) for number in geometry.members[kind]}
    return _leading(lengths)


def second_hop(geometry: SceneGeometry, number: int, names: Sequence[str]) -> tuple[int, float, float]:
    """The nearest of some unique things to a thing: its place among them, by how many metres, by which factor."""
    lengths = {i: geometry.between(number, geometry.members[name][0]) for i, name in enumerate(names)}
    return _leading(lengths)


def _leading(lengths: dict[int, float]) -> tuple[int, float, float]:
    first, second = sorted(lengths, key=lambda key: (lengths[key], key))[:2]
    ratio = lengths[second] / lengths[first] if lengths[first] > 0 else float("inf")
    return first, lengths[second] - lengths[first], ratio


def _unclear(gap: float, ratio: float, settings: MultiHopSettings) -> list[str]:
    clear = gap >= settings.gap and ratio >= settings.ratio
    return [] if clear else [f"two {_within(settings)}"]


def _within(settings: MultiHopSettings) -> str:
    return f"within {settings.gap} m or a factor of {settings.ratio} of each other"


def _direction(geometry: SceneGeometry, number: int, facing: str, there: str) -> tuple[str, float, float]:
    """The quadrant of a unique thing, degrees to its nearest boundary, and the least metres on the floor plan."""
    return quadrant_of(middle(geometry, number), geometry.center(facing), geometry.center(there))


@dataclass(frozen=True)
class _Hop:
    """A first hop: the kind, the landmark, the number of the thing that is meant, and the measures of how clearly."""

    kind: str
    landmark: str
    number: int
    gap: float
    ratio: float

    def evidence(self, geometry: SceneGeometry, **second: float) -> dict[str, object]:
        first = {"of": geometry.scene.objects[self.number].id, "gap": self.gap, "ratio": self.ratio}
        return {"first": first, "second": second}


def draft_multi_hop(geometry: SceneGeometry, settings: MultiHopSettings) -> Iterator[Draft | Rejected]:
    """Questions of both kinds for every clear first hop."""
    scene = geometry.scene
    generator = draws_of(scene, MULTI_HOP_TASK)
    kinds = [name for name in geometry.whole if len(geometry.members[name]) > 1]
    for kind, landmark in itertools.product(kinds, geometry.unique):
        hop = _Hop(kind, landmark, *first_hop(geometry, kind, landmark))
        if _unclear(hop.gap, hop.ratio, settings):
            yield Rejected(MULTI_HOP_TASK, scene.id, f"the two nearest to the landmark {_within(settings)}")
            continue
        for ask in (_nearest, _where):
            yield from first_drafts(ask(geometry, hop, generator, settings), _PER_HOP)


def _nearest(
    geometry: SceneGeometry, hop: _Hop, generator: random.Random, settings: MultiHopSettings
) -> Iterator[Draft | Rejected]:
    others = [name for name in geometry.unique if name != hop.landmark]
    sets: list[tuple[str, ...]] = list(itertools.combinations(others, 4))
    drawn = generator.sample(sets, min(len(sets), 60))
    if geometry.scene.twins:
        drawn = shared_sets(geometry.scene, others, 4, MULTI_HOP_TASK)
    for names in drawn:
        place, gap, ratio = second_hop(geometry, hop.number, names)
        if _unclear(gap, ratio, settings):
            yield Rejected(MULTI_HOP_TASK, geometry.scene.id, f"the two nearest options {_within(settings)}")
            continue
        elsewhere = {second_hop(geometry, i, names)[0] for i in geometry.members[hop.kind] if i != hop.number}
        if elsewhere == {place}:
            yield Rejected(MULTI_HOP_TASK, geometry.scene.id, "the first hop makes no difference")
            continue
        answer = names[place]
        question = f"Which of the following is closest to the {hop.kind} that is closest to the {hop.landmark}?"
        yield Draft(
            MULTI_HOP_TASK,
            geometry.scene.id,
            question,
            answer,
            None,
            (answer, *(name for name in names if name != answer)),
            hop.evidence(geometry, gap=gap, ratio=ratio),
            kind="nearest",
            # Only whoever sees all of the kind knows which of them is meant.
            needs=needed(geometry, every(geometry, hop.kind, hop.landmark, *names)),
        )


def _where(
    geometry: SceneGeometry, hop: _Hop, generator: random.Random, settings: MultiHopSettings
) -> Iterator[Draft | Rejected]:
    pairs = list(itertools.permutations([name for name in geometry.unique if name != hop.landmark], 2))
    for facing, there in generator.sample(pairs, min(len(pairs), 30)):
        answer, margin, least = _direction(geometry, hop.number, facing, there)
        if margin < settings.margin or least < settings.apart:
            yield Rejected(MULTI_HOP_TASK, geometry.scene.id, f"within {settings.margin}° of a boundary, or too near")
            continue
        elsewhere = {_direction(geometry, i, facing, there)[0] for i in geometry.members[hop.kind] if i != hop.number}
        if elsewhere == {answer}:
            yield Rejected(MULTI_HOP_TASK, geometry.scene.id, "the first hop makes no difference")
            continue
        question = (
            f"If you stand at the {hop.kind} that is closest to the {hop.landmark} and face the {facing}, in which "
            f"direction is the {there}?"
        )
        yield Draft(
            MULTI_HOP_TASK,
            geometry.scene.id,
            question,
            answer,
            None,
            (answer, *(name for _, _, name in QUADRANTS if name != answer)),
            hop.evidence(geometry, margin=margin),
            closed=True,
            kind="where",
            single_view_cues=(("", hop.kind, hop.landmark, facing, there, f"{facing}/{there}"),),
            needs=needed(geometry, every(geometry, hop.kind, hop.landmark, facing, there)),
        )


def recompute_multi_hop(
    geometry: SceneGeometry, item: Item, settings: MultiHopSettings, *, released: bool = True
) -> Recomputed:
    """Both hops from the boxes."""
    nearest, where = _NEAREST.match(item.question), _WHERE.match(item.question)
    match = nearest or where
    if match is None:
        raise ValueError("is no question of two hops")
    kind, landmark = geometry.category(match[1]), geometry.category(match[2])
    number, gap, ratio = first_hop(geometry, kind, landmark)
    broken = _unclear(gap, ratio, settings)
    if nearest:
        place, gap, ratio = second_hop(geometry, number, [geometry.category(text) for text in item.options])
        answer, margin = item.options[place], gap
        broken += _unclear(gap, ratio, settings)
    else:
        facing, there = geometry.category(match[3]), geometry.category(match[4])
        answer, margin, least = _direction(geometry, number, facing, there)
        broken += [] if margin >= settings.margin and least >= settings.apart else ["a doubtful direction"]
    return Recomputed(answer, answer, margin, tuple(broken), {"of": geometry.scene.objects[number].id})


MULTI_HOP_FAMILY = walk_family(
    "spatialbench/multi-hop",
    "A thing named by another one",
    MULTI_HOP_TASK,
    MultiHopSettings(),
    draft_multi_hop,
    recompute_multi_hop,
    _NEAREST,
    _WHERE,
)

FAMILIES = (LANDMARK_POSE_FAMILY, MULTI_HOP_FAMILY)
