"""Camera–region: where was a region that only the other picture shows, relative to a camera? (MMSI-Bench, Table 1.)"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import Draft, Family, Recomputed, Rejected, Step
from tolman.generate.geometry import SceneGeometry
from tolman.generate.pairs.asking import drafts_of, matched, pictures_of
from tolman.generate.pairs.bearing import Bearing, camera_spot, checked, posed, recomputed, region_spot
from tolman.generate.pairs.names import ordinal
from tolman.generate.pairs.regions import Region, regions_of
from tolman.generate.pairs.settings import ViewSettings
from tolman.generate.pairs.steps import around, grounded, moved, overlapping
from tolman.generate.pairs.views import Gallery, View
from tolman.items import Item

TASK = "Positional Relationship (Cam.–Reg.)"
QUESTION = "At the moment of taking the {which} image, where was the middle of the {name} relative to me?"
_PATTERN = re.compile(r"\AAt the moment of taking the (first|second) image, where was the middle of the (.+) relative")


def _bearing(pictures: tuple[View, ...], standing: int, region: Region) -> Bearing:
    here = camera_spot(pictures, standing)
    return Bearing(pictures, here, region_spot(region), here)


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures = (a, b)
    for standing, showing in ((1, 0), (0, 1)):
        for region in regions_of(gallery).values():
            view = pictures[showing]
            if region.seen(pictures[standing]) or not region.clear(gallery, view, pictures):
                continue
            bearing = _bearing(pictures, standing, region)
            hints = checked(gallery, bearing, TASK)
            if isinstance(hints, Rejected):
                yield hints
                continue
            anchor = next(i for i in region.anchors if i in gallery.clear(view))
            steps = (
                grounded(gallery, anchor, view, showing),
                Step("grounding", f"The {gallery.category(anchor)} marks the {region.name}."),
                overlapping(gallery, pictures, showing, standing),
                moved(view, pictures[standing], showing, standing),
                Step(
                    "transformation",
                    f"From where the {ordinal(standing)} image was taken, the middle of the {region.name} is "
                    f"{around(bearing.angle)}.",
                ),
                Step("logic", f"So the {region.name} was to my {bearing.answer.lower()}."),
            )
            question = QUESTION.format(which=ordinal(standing), name=region.name)
            yield posed(gallery, bearing, TASK, question, steps, hints)


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures, one of which shows a region that the other doesn't."""
    return drafts_of(geometry, settings, TASK, _ask)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The quadrant that the region's middle lies in."""
    gallery, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    return recomputed(_bearing(pictures, int(match[1] == "second"), regions_of(gallery)[match[2]]), settings)


FAMILY = Family((TASK,), draft, recompute)
