"""Object count: "How many … are in this room?" (VSI-Bench paper, Table 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import Draft, Family, Recomputed, Rejected
from tolman.generate.geometry import SceneGeometry
from tolman.generate.options import counting_options
from tolman.generate.recorded import count_error
from tolman.generate.settings import CountingSettings
from tolman.items import Item

TASK = "object_counting"
_PATTERN = re.compile(r"\AHow many (.+?)\(s\) are in this (?:room|scene)\?\Z")


def draft(geometry: SceneGeometry, settings: CountingSettings) -> Iterator[Draft | Rejected]:
    """A question for each category that occurs often enough."""
    scene = geometry.scene
    for category in geometry.categories:
        count = scene.count(category)
        if count < settings.least:
            yield Rejected(TASK, scene.id, f"fewer than {settings.least}")
            continue
        boxes = len(geometry.members.get(category, ()))
        if boxes != count:
            yield Rejected(TASK, scene.id, "the count and the boxes disagree")
            continue
        if category in geometry.unseen:
            yield Rejected(TASK, scene.id, "the video doesn't show all of them")
            continue
        place = "room" if scene.room_area is not None or scene.room_center is not None else "scene"
        question = f"How many {category}(s) are in this {place}?"
        options = counting_options(count, f"{scene.id}:{question}")
        evidence = {"count": count, "boxes": boxes, **count_error(geometry)}
        yield Draft(TASK, scene.id, question, str(count), "count", options, evidence)


def recompute(geometry: SceneGeometry, item: Item, settings: CountingSettings, *, released: bool = True) -> Recomputed:
    """The scene's count."""
    match = _PATTERN.match(item.question)
    if match is None:
        raise ValueError("is no counting question")
    category = geometry.category(match[1])
    count, boxes = geometry.scene.count(category), len(geometry.members[category])
    violations = [f"count below {settings.least}"] if count < settings.least else []
    if boxes != count:
        violations.append(f"{boxes} boxes for a count of {count}")
    return Recomputed(str(count), float(count), None, tuple(violations), {"count": count, "boxes": boxes})


FAMILY = Family((TASK,), draft, recompute, (_PATTERN,))
