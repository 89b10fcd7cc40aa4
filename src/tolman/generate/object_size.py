"""Object size: the longest dimension of an object in centimetres (VSI-Bench paper, Table 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import Draft, Family, Recomputed, Rejected
from tolman.generate.geometry import SceneGeometry
from tolman.generate.needed import every, needed
from tolman.generate.options import numeric_options
from tolman.generate.recorded import size_error
from tolman.generate.settings import SizeSettings
from tolman.items import Item

TASK = "object_size_estimation"
_PATTERN = re.compile(r"longest dimension \(length, width, or height\) of the (.+?), measured in centimeters\?\Z")


def violations(length: float, settings: SizeSettings) -> list[str]:
    """The rules that a size in metres breaks."""
    return ["between two printed values"] if abs((length * 100) % 1 - 0.5) < settings.tie * 100 else []


def draft(geometry: SceneGeometry, settings: SizeSettings) -> Iterator[Draft | Rejected]:
    """A question for each category with one object."""
    scene = geometry.scene
    for category in geometry.unique:
        (thing,) = scene.of(category)
        length = thing.box.longest
        broken = violations(length, settings)
        answer = str(round(length * 100))
        question = (
            f"What is the length of the longest dimension (length, width, or height) of the {category}, "
            "measured in centimeters?"
        )
        options = numeric_options(answer, f"{scene.id}:{question}", lower="0.4", upper="1.8")
        if broken or not options:
            yield Rejected(TASK, scene.id, broken[0] if broken else "no room for four options")
            continue
        evidence = {"extents": list(thing.box.extents), **size_error(geometry, category)}
        shows = needed(geometry, every(geometry, category))
        yield Draft(TASK, scene.id, question, answer, "cm", options, evidence, needs=shows)


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


FAMILY = Family((TASK,), draft, recompute, (_PATTERN,))
