"""Object–region: by the compass, where is an object from the middle of a region? (MMSI-Bench, Table 1.)

North is given by an object of the picture that shows the region.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import Draft, Family, Recomputed, Rejected, Step
from tolman.generate.geometry import SceneGeometry
from tolman.generate.pairs.asking import drafts_of, matched, pictures_of
from tolman.generate.pairs.bearing import COMPASS, Bearing, checked, object_spot, posed, recomputed, region_spot
from tolman.generate.pairs.regions import Region, regions_of
from tolman.generate.pairs.settings import ViewSettings
from tolman.generate.pairs.steps import around, grounded, moved, overlapping
from tolman.generate.pairs.views import Gallery, View
from tolman.items import Item

TASK = "Positional Relationship (Obj.–Reg.)"
QUESTION = (
    "Suppose that the {north} is exactly to the north of the middle of the {region}. "
    "In which direction from the middle of the {region} is the {target}?"
)
_PATTERN = re.compile(
    r"Suppose that the (.+) is exactly to the north of the middle of the (.+)\. In which direction .+ is the (.+)\?"
)


def _bearing(gallery: Gallery, pictures: tuple[View, ...], region: Region, north: int, target: int) -> Bearing:
    return Bearing(
        pictures, region_spot(region), object_spot(gallery, target), object_spot(gallery, north), names=COMPASS
    )


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures = (a, b)
    for region in regions_of(gallery).values():
        if not region.clear(gallery, a, pictures):
            continue
        anchor = next(i for i in region.anchors if i in gallery.clear(a))
        for target in gallery.only_in(b, pictures):
            for north in gallery.named(a, pictures):
                if {target, north} & set(region.members) or (region.seen(b) and b.sees((north,))):
                    continue
                far, near = gallery.category(target), gallery.category(north)
                bearing = _bearing(gallery, pictures, region, north, target)
                hints = checked(gallery, bearing, TASK)
                if isinstance(hints, Rejected):
                    yield hints
                    continue
                steps = (
                    grounded(gallery, anchor, a, 0),
                    Step("grounding", f"The {gallery.category(anchor)} marks the {region.name}."),
                    grounded(gallery, north, a, 0),
                    grounded(gallery, target, b, 1),
                    overlapping(gallery, pictures, 0, 1),
                    moved(a, b, 0, 1),
                    Step(
                        "transformation",
                        f"Standing in the middle of the {region.name} and looking north to the {near}, the {far} is "
                        f"{around(bearing.angle)}.",
                    ),
                    Step("logic", f"With north straight ahead that is {bearing.answer.lower()}."),
                )
                question = QUESTION.format(north=near, region=region.name, target=far)
                yield posed(gallery, bearing, TASK, question, steps, hints)


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures: a region of the first, an object that only the second shows."""
    return drafts_of(geometry, settings, TASK, _ask)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The quadrant of the compass that the object lies in."""
    gallery, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    north, target = (gallery.find(match[i], pictures) for i in (1, 3))
    return recomputed(_bearing(gallery, pictures, regions_of(gallery)[match[2]], north, target), settings)


FAMILY = Family((TASK,), draft, recompute)
