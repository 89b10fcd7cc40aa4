"""Numerical questions: counts, distances and sizes (VSI-Bench paper, Table 3).

- Object count: "How many … are in this room?"
- Absolute distance: "Measuring from the closest point of each object …"
- Object size: the longest dimension of an object in centimetres.
- Room size in square metres.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import partial

from tolman.errors import counted
from tolman.generate.answer_evidence import every, needed
from tolman.generate.distractors import counting_options, has_numeric_options, no_distractors, numeric_options
from tolman.generate.family import Draft, DraftRest, Family, FamilySettings, Recomputed, Rejected, matched, place_of
from tolman.generate.scene_geometry import KEY, area_error, count_error, distance_error, size_error, this_place
from tolman.ground_truth.scene_arrays import DistanceMeasure, SceneGeometry
from tolman.items import Item
from tolman.scenes import SceneObject


def _on_the_fence(value: float, scale: int, tie: float) -> list[str]:
    """The rule that a value breaks if its answer, printed in steps of 1/scale, would hang on rounding."""
    return ["between two printed values"] if abs((value * scale) % 1 - 0.5) < tie * scale else []


def _fence(value: float, scale: int) -> float:
    """How far a value is from the middle between two printed ones."""
    return abs((value * scale) % 1 - 0.5) / scale


class CountingSettings(FamilySettings):
    """Object count.

    Attributes:
        least: the least count that is asked for.
    """

    least: int = 2


COUNTING_TASK = "object_counting"
_COUNTING_PATTERN = re.compile(r"\AHow many (.+?)\(s\) are in (?:this room|these rooms|this scene)\?\Z")


def draft_counting(geometry: SceneGeometry, settings: CountingSettings) -> Iterator[Draft | Rejected]:
    """A question for each category that occurs often enough."""
    scene = geometry.scene
    for category in geometry.categories:
        count = scene.count(category)
        if count < settings.least:
            yield Rejected(COUNTING_TASK, scene.id, f"fewer than {settings.least} of the category")
            continue
        boxes = len(geometry.members.get(category, ()))
        if boxes != count:
            yield Rejected(COUNTING_TASK, scene.id, "the count and the boxes disagree")
            continue
        if category in geometry.unseen:
            yield Rejected(COUNTING_TASK, scene.id, "the video doesn't show all of them")
            continue
        question = f"How many {category}(s) are in {this_place(scene)}?"
        options = counting_options(count, f"{scene.id}:{question}")
        evidence = {"count": count, "boxes": boxes, **count_error(geometry)}
        shows = needed(geometry, every(geometry, category))
        yield Draft(COUNTING_TASK, scene.id, question, str(count), "count", options, evidence, needs=shows)


def recompute_counting(
    geometry: SceneGeometry, item: Item, settings: CountingSettings, *, released: bool = True
) -> Recomputed:
    """The scene's count."""
    match = matched(_COUNTING_PATTERN, item, "is no counting question")
    category = geometry.category(match[1])
    count, boxes = geometry.scene.count(category), len(geometry.members[category])
    few = (f"count below {settings.least}",) if count < settings.least else ()
    violations = few if boxes == count else (*few, f"{counted(boxes, 'box', 'boxes')} for a count of {count}")
    evidence = {"count": count, "boxes": boxes}
    return Recomputed(str(count), float(count), None, violations, evidence, harmless=few)


COUNTING_FAMILY = Family(
    name="vsi-bench/counting",
    title="Object count",
    tasks=(COUNTING_TASK,),
    settings=CountingSettings(),
    taxonomy=place_of("vsi-bench/counting"),
    draft=draft_counting,
    recompute=recompute_counting,
    names=(_COUNTING_PATTERN,),
    scale_free=True,
)


class DistanceSettings(FamilySettings):
    """Absolute distance.

    Attributes:
        geometry: which distance of boxes.
        least: metres; nearer pairs are not asked for.
        tie: metres that a distance must be away from the middle between two printed values.
    """

    geometry: DistanceMeasure = "exact"
    least: float = 0.2
    tie: float = 1e-6


ABSOLUTE_DISTANCE_TASK = "object_abs_distance"
_ABSOLUTE_DISTANCE_PATTERN = re.compile(r"between the (.+?) and the (.+?) \(in meters\)\?\Z")


def distance(geometry: SceneGeometry, a: str, b: str, settings: DistanceSettings) -> float:
    """The distance of two categories as the settings measure it, in metres."""
    return geometry.exact_distance(a, b) if settings.geometry == "exact" else geometry.sampled_distance(a, b)


def _nearer(settings: DistanceSettings) -> str:
    return f"nearer than {settings.least} m"


def absolute_distance_violations(length: float, settings: DistanceSettings) -> list[str]:
    """The rules that a distance breaks."""
    near = [_nearer(settings)] if length < settings.least else []
    return near + _on_the_fence(length, 10, settings.tie)


def draft_absolute_distance(geometry: SceneGeometry, settings: DistanceSettings) -> Iterator[Draft | Rejected]:
    """A question for each pair of categories with one object each."""
    scene = geometry.scene.id
    for a, b in itertools.combinations(geometry.unique, 2):
        length = distance(geometry, a, b, settings)
        broken = absolute_distance_violations(length, settings)
        answer = f"{round(length, 1)}"
        question = (
            f"Measuring from the closest point of each object, what is the distance between the {a} and the {b} "
            "(in meters)?"
        )
        if broken or not has_numeric_options(answer):
            yield Rejected(ABSOLUTE_DISTANCE_TASK, scene, broken[0] if broken else no_distractors())
            continue
        rest = partial(_absolute_distance_rest, geometry, (a, b), length, settings)
        yield Draft(ABSOLUTE_DISTANCE_TASK, scene, question, answer, "m", (), rest=rest)


def _absolute_distance_rest(
    geometry: SceneGeometry, pair: tuple[str, str], length: float, settings: DistanceSettings, asked: Draft
) -> DraftRest:
    return DraftRest(
        {"distance": length, "geometry": settings.geometry, **distance_error(geometry, *pair)},
        needed(geometry, every(geometry, *pair)),
        numeric_options(asked.answer, f"{asked.scene}:{asked.question}"),
    )


def recompute_absolute_distance(
    geometry: SceneGeometry, item: Item, settings: DistanceSettings, *, released: bool = True
) -> Recomputed:
    """The released distance, printed, and the exact one."""
    match = matched(_ABSOLUTE_DISTANCE_PATTERN, item, "is no question for a distance")
    a, b = geometry.category(match[1]), geometry.category(match[2])
    exact = geometry.exact_distance(a, b)
    sampled = geometry.sampled_distance(a, b) if released else None
    broken = absolute_distance_violations(distance(geometry, a, b, settings), settings)
    broken += [reason for c in (a, b) if (reason := geometry.not_one(c))]
    printed = None if sampled is None else f"{round(sampled, 1)}"
    evidence = {"exact": exact, "sampled": sampled}
    # A short distance is as true as a long one; names that mean several things are not.
    harmless = tuple(rule for rule in broken if rule == _nearer(settings))
    return Recomputed(printed, exact, _fence(exact, 10), tuple(broken), evidence, harmless=harmless)


ABSOLUTE_DISTANCE_FAMILY = Family(
    name="vsi-bench/absolute-distance",
    title="Absolute distance of two objects",
    tasks=(ABSOLUTE_DISTANCE_TASK,),
    settings=DistanceSettings(),
    taxonomy=place_of("vsi-bench/absolute-distance"),
    draft=draft_absolute_distance,
    recompute=recompute_absolute_distance,
    names=(_ABSOLUTE_DISTANCE_PATTERN,),
)


class SizeSettings(FamilySettings):
    """Object size.

    Attributes:
        tie: metres that a size must be away from the middle between two printed values.
    """

    tie: float = 1e-8


OBJECT_SIZE_TASK = "object_size_estimation"
_LOWER, _UPPER = "0.4", "1.8"
"""Bounds of distractors as shares of the answer: those of the released code."""
_OBJECT_SIZE_PATTERN = re.compile(
    r"longest dimension \(length, width, or height\) of the (.+?), measured in centimeters\?\Z"
)


def draft_object_size(geometry: SceneGeometry, settings: SizeSettings) -> Iterator[Draft | Rejected]:
    """A question for each category with one object."""
    scene = geometry.scene
    for category in geometry.unique:
        (number,) = geometry.members[category]
        thing = scene.objects[number]
        length = thing.box.longest
        broken = _on_the_fence(length, 100, settings.tie)
        answer = str(round(length * 100))
        question = (
            f"What is the length of the longest dimension (length, width, or height) of the {category}, "
            "measured in centimeters?"
        )
        if broken or not has_numeric_options(answer, lower=_LOWER, upper=_UPPER):
            yield Rejected(
                OBJECT_SIZE_TASK, scene.id, broken[0] if broken else no_distractors(lower=_LOWER, upper=_UPPER)
            )
            continue
        rest = partial(_object_size_rest, geometry, thing)
        yield Draft(OBJECT_SIZE_TASK, scene.id, question, answer, "cm", (), rest=rest)


def _object_size_rest(geometry: SceneGeometry, thing: SceneObject, asked: Draft) -> DraftRest:
    return DraftRest(
        {"extents": list(thing.box.extents), **size_error(geometry, thing.category)},
        needed(geometry, every(geometry, thing.category)),
        numeric_options(asked.answer, f"{asked.scene}:{asked.question}", lower=_LOWER, upper=_UPPER),
    )


def recompute_object_size(
    geometry: SceneGeometry, item: Item, settings: SizeSettings, *, released: bool = True
) -> Recomputed:
    """The longest extent."""
    match = matched(_OBJECT_SIZE_PATTERN, item, "is no question for a size")
    category = geometry.category(match[1])
    thing = geometry.scene.of(category)[0]
    length = thing.box.longest
    broken = _on_the_fence(length, 100, settings.tie)
    broken += [reason] if (reason := geometry.not_one(category)) else []
    evidence = {"extents": list(thing.box.extents)}
    return Recomputed(str(round(length * 100)), length * 100, _fence(length, 100), tuple(broken), evidence)


OBJECT_SIZE_FAMILY = Family(
    name="vsi-bench/object-size",
    title="Longest dimension of an object",
    tasks=(OBJECT_SIZE_TASK,),
    settings=SizeSettings(),
    taxonomy=place_of("vsi-bench/object-size"),
    draft=draft_object_size,
    recompute=recompute_object_size,
    names=(_OBJECT_SIZE_PATTERN,),
)


class RoomSettings(FamilySettings):
    """Room size.

    Attributes:
        unseen: share of the area that a video with known sightings may leave in doubt.
        tie: square metres that an area must be away from the middle between two printed values.
    """

    unseen: float = 0.2
    tie: float = 1e-9


ROOM_SIZE_TASK = "room_size_estimation"
QUESTION = (
    "What is the size of this room (in square meters)? \n"
    "If multiple rooms are shown, estimate the size of the combined space."
)


def draft_room_size(geometry: SceneGeometry, settings: RoomSettings) -> Iterator[Draft | Rejected]:
    """One question for each scene whose area is known."""
    scene = geometry.scene
    area = scene.room_area
    if area is None or area <= 0:
        yield Rejected(ROOM_SIZE_TASK, scene.id, "the room's area is not known")
        return
    answer = f"{round(area, 1)}"
    options = numeric_options(answer, f"{scene.id}:{ROOM_SIZE_TASK}")
    broken = _on_the_fence(area, 10, settings.tie)
    if area_error(geometry).get(KEY, 0.0) > settings.unseen * area:
        broken.append(f"the video leaves more than {settings.unseen:.0%} of the area in doubt")
    if broken or not options:
        yield Rejected(ROOM_SIZE_TASK, scene.id, broken[0] if broken else no_distractors())
        return
    yield Draft(ROOM_SIZE_TASK, scene.id, QUESTION, answer, "m2", options, {"area": area, **area_error(geometry)})


def recompute_room_size(
    geometry: SceneGeometry, item: Item, settings: RoomSettings, *, released: bool = True
) -> Recomputed:
    """The scene's area."""
    area = geometry.scene.room_area
    if not item.question.startswith("What is the size of this room"):
        raise ValueError("is no question for a room's size")
    if area is None:
        raise KeyError("room area")
    return Recomputed(
        f"{round(area, 1)}", area, _fence(area, 10), tuple(_on_the_fence(area, 10, settings.tie)), {"area": area}
    )


ROOM_SIZE_FAMILY = Family(
    name="vsi-bench/room-size",
    title="Area of a room",
    tasks=(ROOM_SIZE_TASK,),
    settings=RoomSettings(),
    taxonomy=place_of("vsi-bench/room-size"),
    draft=draft_room_size,
    recompute=recompute_room_size,
)

FAMILIES = (COUNTING_FAMILY, ABSOLUTE_DISTANCE_FAMILY, OBJECT_SIZE_FAMILY, ROOM_SIZE_FAMILY)
