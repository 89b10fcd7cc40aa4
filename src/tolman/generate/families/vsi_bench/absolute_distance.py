"""Absolute distance: "Measuring from the closest point of each object …" (VSI-Bench paper, Table 3)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import partial

from tolman.generate.draft import Draft, DraftRest, Recomputed, Rejected
from tolman.generate.family import Family, FamilySettings
from tolman.generate.geometry import DistanceMeasure, SceneGeometry
from tolman.generate.needed import every, needed
from tolman.generate.options import has_numeric_options, no_distractors, numeric_options
from tolman.generate.recorded import distance_error
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item


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


TASK = "object_abs_distance"
_PATTERN = re.compile(r"between the (.+?) and the (.+?) \(in meters\)\?\Z")


def distance(geometry: SceneGeometry, a: str, b: str, settings: DistanceSettings) -> float:
    """The distance of two categories as the settings measure it, in metres."""
    return geometry.exact_distance(a, b) if settings.geometry == "exact" else geometry.sampled_distance(a, b)


def _nearer(settings: DistanceSettings) -> str:
    return f"nearer than {settings.least} m"


def violations(length: float, settings: DistanceSettings) -> list[str]:
    """The rules that a distance breaks."""
    broken = [_nearer(settings)] if length < settings.least else []
    # Between two printed values the answer would hang on rounding.
    if abs((length * 10) % 1 - 0.5) < settings.tie * 10:
        broken.append("between two printed values")
    return broken


def draft(geometry: SceneGeometry, settings: DistanceSettings) -> Iterator[Draft | Rejected]:
    """A question for each pair of categories with one object each."""
    scene = geometry.scene.id
    for a, b in itertools.combinations(geometry.unique, 2):
        length = distance(geometry, a, b, settings)
        broken = violations(length, settings)
        answer = f"{round(length, 1)}"
        question = (
            f"Measuring from the closest point of each object, what is the distance between the {a} and the {b} "
            "(in meters)?"
        )
        if broken or not has_numeric_options(answer):
            yield Rejected(TASK, scene, broken[0] if broken else no_distractors())
            continue
        rest = partial(_rest, geometry, (a, b), length, settings)
        yield Draft(TASK, scene, question, answer, "m", (), rest=rest)


def _rest(
    geometry: SceneGeometry, pair: tuple[str, str], length: float, settings: DistanceSettings, asked: Draft
) -> DraftRest:
    return DraftRest(
        {"distance": length, "geometry": settings.geometry, **distance_error(geometry, *pair)},
        needed(geometry, every(geometry, *pair)),
        numeric_options(asked.answer, f"{asked.scene}:{asked.question}"),
    )


def recompute(geometry: SceneGeometry, item: Item, settings: DistanceSettings, *, released: bool = True) -> Recomputed:
    """The released distance, printed, and the exact one."""
    match = _PATTERN.search(item.question)
    if match is None:
        raise ValueError("is no question for a distance")
    a, b = geometry.category(match[1]), geometry.category(match[2])
    exact = geometry.exact_distance(a, b)
    sampled = geometry.sampled_distance(a, b) if released else None
    broken = violations(distance(geometry, a, b, settings), settings)
    broken += [reason for c in (a, b) if (reason := geometry.not_one(c))]
    tie = abs((exact * 10) % 1 - 0.5) / 10
    printed = None if sampled is None else f"{round(sampled, 1)}"
    evidence = {"exact": exact, "sampled": sampled}
    # A short distance is as true as a long one; names that mean several things are not.
    harmless = tuple(rule for rule in broken if rule == _nearer(settings))
    return Recomputed(printed, exact, tie, tuple(broken), evidence, harmless=harmless)


FAMILY = Family(
    name="vsi-bench/absolute-distance",
    title="Absolute distance of two objects",
    tasks=(TASK,),
    settings=DistanceSettings(),
    taxonomy=TaxonomyPlace(
        vsi=TASK,
        mmsi="Attribute (Meas.)",
        site="3d information understanding",
        spatialbench="absolute_distance",
        factor="visualization",
    ),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
)
