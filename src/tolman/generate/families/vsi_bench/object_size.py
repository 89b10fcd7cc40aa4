"""Object size: the longest dimension of an object in centimetres (VSI-Bench paper, Table 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from tolman.generate.draft import Draft, DraftRest, Recomputed, Rejected
from tolman.generate.family import Family, FamilySettings
from tolman.generate.geometry import SceneGeometry
from tolman.generate.needed import every, needed
from tolman.generate.options import has_numeric_options, no_distractors, numeric_options
from tolman.generate.recorded import size_error
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item
from tolman.scenes import SceneObject


class SizeSettings(FamilySettings):
    """Object size.

    Attributes:
        tie: metres that a size must be away from the middle between two printed values.
    """

    tie: float = 1e-8


TASK = "object_size_estimation"
_LOWER, _UPPER = "0.4", "1.8"
"""Bounds of distractors as shares of the answer: those of the released code."""
_PATTERN = re.compile(r"longest dimension \(length, width, or height\) of the (.+?), measured in centimeters\?\Z")


def violations(length: float, settings: SizeSettings) -> list[str]:
    """The rules that a size in metres breaks."""
    return ["between two printed values"] if abs((length * 100) % 1 - 0.5) < settings.tie * 100 else []


def draft(geometry: SceneGeometry, settings: SizeSettings) -> Iterator[Draft | Rejected]:
    """A question for each category with one object."""
    scene = geometry.scene
    for category in geometry.unique:
        (number,) = geometry.members[category]
        thing = scene.objects[number]
        length = thing.box.longest
        broken = violations(length, settings)
        answer = str(round(length * 100))
        question = (
            f"What is the length of the longest dimension (length, width, or height) of the {category}, "
            "measured in centimeters?"
        )
        if broken or not has_numeric_options(answer, lower=_LOWER, upper=_UPPER):
            yield Rejected(TASK, scene.id, broken[0] if broken else no_distractors(lower=_LOWER, upper=_UPPER))
            continue
        rest = partial(_rest, geometry, thing)
        yield Draft(TASK, scene.id, question, answer, "cm", (), rest=rest)


def _rest(geometry: SceneGeometry, thing: SceneObject, asked: Draft) -> DraftRest:
    return DraftRest(
        {"extents": list(thing.box.extents), **size_error(geometry, thing.category)},
        needed(geometry, every(geometry, thing.category)),
        numeric_options(asked.answer, f"{asked.scene}:{asked.question}", lower=_LOWER, upper=_UPPER),
    )


def recompute(geometry: SceneGeometry, item: Item, settings: SizeSettings, *, released: bool = True) -> Recomputed:
    """The longest extent."""
    match = _PATTERN.search(item.question)
    if match is None:
        raise ValueError("is no question for a size")
    category = geometry.category(match[1])
    thing = geometry.scene.of(category)[0]
    length = thing.box.longest
    broken = violations(length, settings)
    broken += [reason] if (reason := geometry.not_one(category)) else []
    tie = abs((length * 100) % 1 - 0.5) / 100
    return Recomputed(str(round(length * 100)), length * 100, tie, tuple(broken), {"extents": list(thing.box.extents)})


FAMILY = Family(
    name="vsi-bench/object-size",
    title="Longest dimension of an object",
    tasks=(TASK,),
    settings=SizeSettings(),
    taxonomy=TaxonomyPlace(
        vsi=TASK,
        mmsi="Attribute (Meas.)",
        site="3d information understanding",
        spatialbench="object_size",
        factor="visualization",
        information="intrinsic",
    ),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
)
