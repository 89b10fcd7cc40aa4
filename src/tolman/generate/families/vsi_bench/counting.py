"""Object count: "How many … are in this room?" (VSI-Bench paper, Table 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import Draft, Recomputed, Rejected
from tolman.generate.family import Family, FamilySettings
from tolman.generate.geometry import SceneGeometry
from tolman.generate.needed import every, needed
from tolman.generate.options import counting_options
from tolman.generate.recorded import count_error
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item


class CountingSettings(FamilySettings):
    """Object count.

    Attributes:
        least: the least count that is asked for.
    """

    least: int = 2


TASK = "object_counting"
_PATTERN = re.compile(r"\AHow many (.+?)\(s\) are in this (?:room|scene)\?\Z")


def draft(geometry: SceneGeometry, settings: CountingSettings) -> Iterator[Draft | Rejected]:
    """A question for each category that occurs often enough."""
    scene = geometry.scene
    for category in geometry.categories:
        count = scene.count(category)
        if count < settings.least:
            yield Rejected(TASK, scene.id, f"fewer than {settings.least} of the category")
            continue
        boxes = len(geometry.members.get(category, ()))
        if boxes != count:
            yield Rejected(TASK, scene.id, "the count and the boxes disagree")
            continue
        if category in geometry.unseen:
            yield Rejected(TASK, scene.id, "the video doesn't show all of them")
            continue
        place = "room" if scene.room_area is not None else "scene"
        question = f"How many {category}(s) are in this {place}?"
        options = counting_options(count, f"{scene.id}:{question}")
        evidence = {"count": count, "boxes": boxes, **count_error(geometry)}
        shows = needed(geometry, every(geometry, category))
        yield Draft(TASK, scene.id, question, str(count), "count", options, evidence, needs=shows)


def recompute(geometry: SceneGeometry, item: Item, settings: CountingSettings, *, released: bool = True) -> Recomputed:
    """The scene's count."""
    match = _PATTERN.match(item.question)
    if match is None:
        raise ValueError("is no counting question")
    category = geometry.category(match[1])
    count, boxes = geometry.scene.count(category), len(geometry.members[category])
    few = (f"count below {settings.least}",) if count < settings.least else ()
    violations = few if boxes == count else (*few, f"{boxes} boxes for a count of {count}")
    evidence = {"count": count, "boxes": boxes}
    return Recomputed(str(count), float(count), None, violations, evidence, harmless=few)


FAMILY = Family(
    name="vsi-bench/counting",
    title="Object count",
    tasks=(TASK,),
    settings=CountingSettings(),
    taxonomy=TaxonomyPlace(
        vsi=TASK,
        mmsi="Attribute (Appr.)",
        site="counting & existence",
        spatialbench="object_counting",
        factor="visualization",
    ),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
)
