"""Region–region: by the compass, where is a region of one picture from one of the other? (MMSI-Bench, Table 1.)

North is where the first picture looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import Draft, Family, Recomputed, Rejected, Step
from tolman.generate.geometry import SceneGeometry
from tolman.generate.pairs.asking import drafts_of, matched, pictures_of
from tolman.generate.pairs.bearing import COMPASS, Bearing, camera_spot, checked, posed, recomputed, region_spot
from tolman.generate.pairs.regions import Region, regions_of
from tolman.generate.pairs.settings import ViewSettings
from tolman.generate.pairs.steps import around, grounded, moved, overlapping
from tolman.generate.pairs.views import Gallery, View
from tolman.items import Item

TASK = "Positional Relationship (Reg.–Reg.)"
QUESTION = (
    "The camera looked exactly north when it took the {which} image. In which direction from the middle of the "
    "{origin} is the middle of the {target}?"
)
_PATTERN = re.compile(
    r"took the (first|second) image\. In which direction from the middle of the (.+) is the middle of the (.+)\?"
)


def _bearing(pictures: tuple[View, ...], looking: int, origin: Region, target: Region) -> Bearing:
    here, there = region_spot(origin), region_spot(target)
    return Bearing(pictures, here, there, camera_spot(pictures, looking), names=COMPASS)


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures = (a, b)
    found = regions_of(gallery)
    for origin in found.values():
        if not origin.clear(gallery, a, pictures):
            continue
        for target in found.values():
            if set(origin.members) & set(target.members) or target.seen(a):
                continue
            if not target.clear(gallery, b, pictures):
                continue
            # The other way round north would be where the picture of the target looks.
            for turned in (False, True):
                shown = (b, a) if turned else (a, b)
                yield _posed(gallery, shown, int(turned), origin, target)


def _posed(
    gallery: Gallery, pictures: tuple[View, View], near: int, origin: Region, target: Region
) -> Draft | Rejected:
    """North is where the first picture looks; `near` is the one that shows the origin."""
    looking = 0
    if near == 1 and origin.seen(pictures[0]):
        return Rejected(TASK, gallery.scene.id, "the first image shows both regions")
    bearing = _bearing(pictures, looking, origin, target)
    hints = checked(gallery, bearing, TASK)
    if isinstance(hints, Rejected):
        return hints
    marks = [
        next(i for i in region.anchors if i in gallery.clear(view))
        for region, view in ((origin, pictures[near]), (target, pictures[1 - near]))
    ]
    steps = (
        grounded(gallery, marks[0], pictures[near], near),
        grounded(gallery, marks[1], pictures[1 - near], 1 - near),
        Step(
            "grounding",
            f"The {gallery.category(marks[0])} marks the {origin.name} and the {gallery.category(marks[1])} the "
            f"{target.name}.",
        ),
        overlapping(gallery, pictures, 0, 1),
        moved(*pictures, 0, 1),
        Step(
            "transformation",
            f"Standing in the middle of the {origin.name} and looking north as the first image does, the "
            f"{target.name} is {around(bearing.angle)}.",
        ),
        Step("logic", f"With north straight ahead that is {bearing.answer.lower()}."),
    )
    question = QUESTION.format(which="first", origin=origin.name, target=target.name)
    return posed(gallery, bearing, TASK, question, steps, hints)


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures, each of which shows a region that the other doesn't."""
    return drafts_of(geometry, settings, TASK, _ask)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The quadrant of the compass that the second region's middle lies in."""
    gallery, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    found = regions_of(gallery)
    return recomputed(_bearing(pictures, int(match[1] == "second"), found[match[2]], found[match[3]]), settings)


FAMILY = Family((TASK,), draft, recompute)
