"""Camera–object: where was an object that only the other picture shows, relative to a camera? (MMSI-Bench, Table 1.)"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import Draft, Family, Recomputed, Rejected, Step
from tolman.generate.geometry import SceneGeometry
from tolman.generate.pairs.asking import drafts_of, matched, pictures_of
from tolman.generate.pairs.bearing import Bearing, camera_spot, checked, object_spot, posed, recomputed
from tolman.generate.pairs.names import ordinal
from tolman.generate.pairs.settings import ViewSettings
from tolman.generate.pairs.steps import around, grounded, moved, overlapping
from tolman.generate.pairs.views import Gallery, View
from tolman.items import Item

TASK = "Positional Relationship (Cam.–Obj.)"
QUESTION = "When I took the {which} image, where was the {name} relative to me?"
_PATTERN = re.compile(r"\AWhen I took the (first|second) image, where was the (.+) relative to me\?")


def _bearing(gallery: Gallery, pictures: tuple[View, ...], standing: int, number: int) -> Bearing:
    here = camera_spot(pictures, standing)
    return Bearing(pictures, here, object_spot(gallery, number), here)


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures = (a, b)
    for standing, showing in ((1, 0), (0, 1)):
        for number in gallery.only_in(pictures[showing], pictures):
            name = gallery.category(number)
            bearing = _bearing(gallery, pictures, standing, number)
            hints = checked(gallery, bearing, TASK)
            if isinstance(hints, Rejected):
                yield hints
                continue
            steps = (
                grounded(gallery, number, pictures[showing], showing),
                overlapping(gallery, pictures, showing, standing),
                moved(pictures[showing], pictures[standing], showing, standing),
                Step(
                    "transformation",
                    f"From where the {ordinal(standing)} image was taken, the {name} is {around(bearing.angle)}.",
                ),
                Step("logic", f"So the {name} was to my {bearing.answer.lower()}."),
            )
            question = QUESTION.format(which=ordinal(standing), name=name)
            yield posed(gallery, bearing, TASK, question, steps, hints)


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures, one of which shows an object that the other doesn't."""
    return drafts_of(geometry, settings, TASK, _ask)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The quadrant that the object lies in."""
    gallery, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    number = gallery.find(match[2], pictures)
    return recomputed(_bearing(gallery, pictures, int(match[1] == "second"), number), settings)


FAMILY = Family((TASK,), draft, recompute, (_PATTERN,))
